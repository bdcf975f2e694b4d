/* Reading records and their versions, and how a version looks in an answer. */
#include "api/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/answer.h"
#include "api/listing.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"

static const char immutable[] = "private, max-age=31536000, immutable";

/* -- one version as JSON ------------------------------------------------------------------- */

static bool show_record(json_t *j, const struct crv_version *v) {
  return crv_json_set_time(j, "recorded_at", v->recorded_at) &&
         crv_json_set_text(j, "recorded_by", v->recorded_by) &&
         crv_json_set_text(j, "digest", v->digest);
}

json_t *crv_record_json(struct crv_req *rq, const struct crv_record_type *t,
                        const struct crv_version *v, struct crv_err *err) {
  _json_ json_t *j = json_object();
  _json_ json_t *content = NULL;
  if (v->canonical) {
    content = crv_json_parse_stored(v->canonical, v->canonical_len, err);
    if (!content || (t->allowed && !t->allowed(rq, v, content, err))) return NULL;
  }
  if (!j || !crv_json_set_text(j, t->key_name, v->key) ||
      !crv_json_set_int(j, t->version_name, v->version) ||
      (v->withdrawn && !crv_json_set_bool(j, "withdrawn", true)) ||
      (content && !crv_json_merge(j, content))) {
    crv_no_memory(err);
    return NULL;
  }
  if (content && t->show && !t->show(rq, v, content, j, err)) return NULL;
  if (show_record(j, v)) return crv_steal(&j);
  crv_no_memory(err);
  return NULL;
}

/* -- reading ------------------------------------------------------------------------------- */

struct reading {
  struct crv_req *rq;
  const struct crv_record_type *t;
  const char *key;
  int64_t version;
  struct crv_version found;
  struct crv_listing *list;
};

static bool read_version(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct reading *r = ctx;
  return crv_rd_version(tx, r->t->agg, r->key, r->version, 0, r->rq->arena, &r->found, err);
}

bool crv_record_read(struct crv_req *rq, const struct crv_record_type *t, const char *key,
                     int64_t version, struct crv_version *ret, struct crv_err *err) {
  struct reading r = {.rq = rq, .t = t, .key = key, .version = version};
  if (!crv_store_read(crv_api_of(rq)->store, read_version, &r, err)) return false;
  *ret = r.found;
  return true;
}

static bool gone(const struct crv_record_type *t, const struct crv_version *v,
                 struct crv_err *err) {
  return crv_fail(err, CRV_WITHDRAWN, "The %s %s was withdrawn; its %s are at %s/%s/%s.", t->noun,
                  v->key, t->versions, t->base, v->key, t->versions);
}

/* The version's own tag for plain JSON, another for every other representation. */
static bool tag(struct crv_req *rq, struct crv_resp *rs, const struct crv_version *v,
                struct crv_err *err) {
  const char *etag = crv_version_etag(v->key, v->version, v->digest, rq->arena);
  if (!etag) return crv_no_memory(err);
  if (rq->format != CRV_F_JSON || rq->pretty) return crv_answer_tag(rq, rs, etag, err);
  rs->etag = etag;
  return true;
}

bool crv_record_get(struct crv_req *rq, struct crv_resp *rs, const struct crv_record_type *t,
                    const char *key, int64_t version, struct crv_err *err) {
  struct crv_version v;
  if (!crv_record_read(rq, t, key, version, &v, err)) return false;
  if (version == 0 && v.withdrawn) return gone(t, &v, err);
  const char *where =
      crv_arena_printf(rq->arena, "%s/%s/%s/%" PRId64, t->base, key, t->versions, v.version);
  json_t *j = crv_record_json(rq, t, &v, err);
  if (!j || !crv_resp_json_steal(rq, rs, 200, j, err) || !tag(rq, rs, &v, err)) return false;
  if (version == 0) return crv_answer_header(rs, "Content-Location", where, err);
  return crv_answer_header(rs, "Cache-Control", immutable, err);
}

/* -- the list of versions ------------------------------------------------------------------ */

static bool version_row(const struct crv_version *v, void *ctx, struct crv_err *err) {
  struct reading *r = ctx;
  char number[24];
  _json_ json_t *j = json_object();
  if (r->list->full) return true;
  if (!j || !crv_json_set_text(j, r->t->key_name, v->key) ||
      !crv_json_set_int(j, r->t->version_name, v->version) ||
      !crv_json_set_bool(j, "withdrawn", v->withdrawn) || !show_record(j, v))
    return crv_no_memory(err);
  snprintf(number, sizeof number, "%" PRId64, v->version);
  return crv_listing_add(r->list, number, crv_steal(&j), err);
}

static bool read_versions(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct reading *r = ctx;
  struct crv_listing *l = r->list;
  struct crv_version newest;
  if (!crv_rd_version(tx, r->t->agg, r->key, 0, 0, r->rq->arena, &newest, err)) return false;
  if (l->from.position == 0) l->from.position = newest.version;
  l->total = l->from.position;
  int64_t before = l->from.last[0] ? strtoll(l->from.last, NULL, 10) : l->from.position + 1;
  return crv_rd_history(tx, r->t->agg, r->key, before, l->paged ? l->limit + 1 : UINT32_MAX,
                        version_row, r, err);
}

bool crv_record_versions(struct crv_req *rq, struct crv_resp *rs, const struct crv_record_type *t,
                         const char *key, struct crv_err *err) {
  const struct crv_column columns[] = {
      {t->key_name, t->key_name, CRV_COL_TEXT},  {t->version_name, t->version_name, CRV_COL_NUMBER},
      {"RECORDED", "recorded_at", CRV_COL_TEXT}, {"BY", "recorded_by", CRV_COL_TEXT},
      {"WITHDRAWN", "withdrawn", CRV_COL_TEXT},  {"DIGEST", "digest", CRV_COL_TEXT},
  };
  _listing_ struct crv_listing l = {0};
  struct reading r = {.rq = rq, .t = t, .key = key, .list = &l};
  return crv_listing_begin(&l, rq, columns, sizeof columns / sizeof *columns, 0, rq->now_ms, err) &&
         crv_store_read(crv_api_of(rq)->store, read_versions, &r, err) &&
         crv_listing_end(&l, rs, err);
}
