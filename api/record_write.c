/* PUT and DELETE of records. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/answer.h"
#include "api/record.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"

static void unref_json(void *p) {
  json_decref(p);
}

const json_t *crv_record_body(struct crv_req *rq, const struct crv_record_type *t,
                              struct crv_err *err) {
  const char *shown[] = {t->version_name, "withdrawn", "recorded_at", "recorded_by",
                         "digest",        "missing",   "cites",       "ref"};
  json_t *j = json_copy((json_t *)(uintptr_t)rq->json);
  if (!j || crv_arena_defer(rq->arena, unref_json, j) != 0) {
    json_decref(j);
    crv_no_memory(err);
    return NULL;
  }
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) json_object_del(j, shown[i]);
  return j;
}

bool crv_record_same_key(const struct crv_record_type *t, const char *in_body, const char *in_path,
                         struct crv_err *err) {
  char ptr[32];
  if (!in_body || strcmp(in_body, in_path) == 0) return true;
  snprintf(ptr, sizeof ptr, "/%s", t->key_name);
  return crv_fail_field(err, ptr, "not_the_path", "Leave it out, or send what the path says.",
                        "The body says %s and the path %s.", in_body, in_path);
}

const char *crv_record_canonical(const struct crv_jspec *spec, const void *in, struct crv_arena *a,
                                 struct crv_err *err) {
  _json_ json_t *j = crv_jspec_encode(spec, in);
  _free_ char *text = j ? crv_json_canonical(j) : NULL;
  const char *kept = text ? crv_arena_strdup(a, text) : NULL;
  if (!kept) crv_no_memory(err);
  return kept;
}

/* -- PUT ----------------------------------------------------------------------------------- */

static bool write_record(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct crv_record_put *p = ctx;
  return (!p->before || p->before(tx, p, err)) && crv_tx_put(tx, &p->put, p->rq->arena, err);
}

static bool headers(struct crv_record_put *p, struct crv_resp *rs, struct crv_err *err) {
  const struct crv_record_type *t = p->type;
  const struct crv_version *v = &p->put.now;
  struct crv_arena *a = p->rq->arena;
  bool revised = p->put.outcome != CRV_PUT_UNCHANGED;
  rs->etag = crv_version_etag(v->key, v->version, v->digest, a);
  if (!rs->etag) return crv_no_memory(err);
  return crv_answer_header(rs, "Revision-Created", revised ? "true" : "false", err) &&
         crv_answer_header(rs, "Location", crv_arena_printf(a, "%s/%s", t->base, v->key), err) &&
         crv_answer_header(
             rs, "Content-Location",
             crv_arena_printf(a, "%s/%s/%s/%" PRId64, t->base, v->key, t->versions, v->version),
             err);
}

bool crv_record_put(struct crv_record_put *p, struct crv_resp *rs, struct crv_err *err) {
  struct crv_req *rq = p->rq;
  struct crv_put *put = &p->put;
  put->agg = p->type->agg;
  put->canonical_len = strlen(put->canonical);
  put->raw = rq->body;
  put->raw_len = rq->body_len;
  put->who = rq->who.name;
  put->if_match = rq->header(rq, "If-Match");
  put->if_none_match = rq->header(rq, "If-None-Match");
  put->allow_unchanged = true;
  int64_t start = crv_now_us();
  bool ok = crv_store_write(crv_api_of(rq)->store, write_record, p, err);
  rq->us_store += crv_now_us() - start;
  if (!ok) return false;
  struct crv_version v = put->now;
  v.canonical = put->canonical;
  v.canonical_len = put->canonical_len;
  json_t *j = crv_record_json(rq, p->type, &v, err);
  return j && crv_resp_json_steal(rq, rs, put->outcome == CRV_PUT_CREATED ? 201 : 200, j, err) &&
         headers(p, rs, err);
}

/* -- DELETE -------------------------------------------------------------------------------- */

struct removal {
  struct crv_req *rq;
  const struct crv_record_type *t;
  const char *key;
  struct crv_version now;
};

static bool remove_record(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct removal *r = ctx;
  return crv_tx_withdraw(tx, r->t->agg, r->key, r->rq->who.name, r->rq->header(r->rq, "If-Match"),
                         r->rq->arena, &r->now, err);
}

bool crv_record_delete(struct crv_req *rq, struct crv_resp *rs, const struct crv_record_type *t,
                       const char *key, struct crv_err *err) {
  struct removal r = {.rq = rq, .t = t, .key = key};
  if (!crv_store_write(crv_api_of(rq)->store, remove_record, &r, err)) return false;
  json_t *j = crv_record_json(rq, t, &r.now, err);
  return j && crv_resp_json_steal(rq, rs, 200, j, err) &&
         crv_answer_header(rs, "Content-Location",
                           crv_arena_printf(rq->arena, "%s/%s/%s/%" PRId64, t->base, key,
                                            t->versions, r.now.version),
                           err);
}
