/* GET /v1/evidence: the newest version of every piece, filtered by what it is about and by whether
   it still counts. */
#include <inttypes.h>
#include <string.h>

#include "api/answer.h"
#include "api/catalogue.h"
#include "api/handlers.h"
#include "api/listing.h"
#include "api/piece.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"

static const struct crv_column columns[] = {
    {"PIECE", "key", CRV_COL_KEY},
    {"VER", "version", CRV_COL_NUMBER},
    {"KIND", "kind", CRV_COL_TEXT},
    {"STATUS", "status", CRV_COL_TEXT},
    {"DEVICE", "scope.device", CRV_COL_TEXT},
    {"OFFER", "scope.offer", CRV_COL_TEXT},
    {"SUPPLIER", "scope.supplier", CRV_COL_CSV},
    {"MODEL", "scope.model.name", CRV_COL_CSV},
    {"OBSERVED", "observed_at", CRV_COL_TEXT},
    {"VALID UNTIL", "valid_until", CRV_COL_TEXT},
    {"URI", "uri", CRV_COL_CSV},
    {"RECORDED", "recorded_at", CRV_COL_CSV},
    {"BY", "recorded_by", CRV_COL_CSV},
};

struct wanted {
  enum crv_kind kind;
  const char *offer, *device, *supplier, *model, *status, *prefix;
  struct crv_policy policy;
  int64_t at;
};

static bool wanted_read(struct crv_req *rq, int64_t at, struct wanted *ret, struct crv_err *err) {
  const char *kind = crv_req_param(rq, "kind");
  *ret = (struct wanted){.offer = crv_req_param(rq, "offer"),
                         .device = crv_req_param(rq, "device"),
                         .supplier = crv_req_param(rq, "supplier"),
                         .model = crv_req_param(rq, "model"),
                         .prefix = crv_req_param(rq, "prefix"),
                         .at = at};
  crv_policy_default(&ret->policy);
  if (!crv_req_param_word(rq, "status", "current expired retracted not_yet", &ret->status, err))
    return false;
  ret->kind = crv_kind_of(kind);
  if (!kind || ret->kind != CRV_KIND_NONE) return true;
  return crv_fail(err, CRV_BAD_PARAMETER,
                  "The parameter 'kind' takes a kind of piece; GET /v1/kinds lists them.");
}

static const char *status_of(const struct crv_piece *p, const struct wanted *w) {
  struct crv_opt_int expiry = crv_piece_expiry(p, &w->policy);
  if (p->retracted) return "retracted";
  if (p->observed_at.set && p->observed_at.v > w->at) return "not_yet";
  return expiry.set && expiry.v <= w->at ? "expired" : "current";
}

static bool same(const char *want, const char *have) {
  return !want || crv_streq(want, have);
}

static bool passes(const struct crv_piece_rec *r, const struct wanted *w) {
  static const struct crv_scope nothing;
  const struct crv_piece *p = r->piece;
  const struct crv_scope *s = p->scope ? p->scope : &nothing;
  if (w->kind && p->kind != w->kind) return false;
  if (w->prefix && strncmp(r->key, w->prefix, strlen(w->prefix)) != 0) return false;
  if (!same(w->offer, s->offer) || !same(w->device, s->device) || !same(w->supplier, s->supplier) ||
      !same(w->model, s->model ? s->model->name : NULL))
    return false;
  return same(w->status, status_of(p, w));
}

/* A private piece shows that it is there, and no more. */
static json_t *item(const struct crv_req *rq, const struct crv_piece_rec *r,
                    const struct wanted *w) {
  const struct crv_piece *p = r->piece;
  bool hidden = p->is_private == CRV_TRUE && !crv_private_seen(rq);
  _json_ json_t *j = json_object();
  _json_ json_t *scope =
      hidden || !p->scope ? json_object() : crv_jspec_encode(&crv_scope_spec, p->scope);
  if (!j || !scope || !crv_json_set_text(j, "key", r->key) ||
      !crv_json_set_int(j, "version", r->version) ||
      !crv_json_set_text(j, "kind", crv_kind_info(p->kind)->name) ||
      !crv_json_set_text(j, "status", status_of(p, w)))
    return NULL;
  if (p->is_private == CRV_TRUE && !crv_json_set_bool(j, "private", true)) return NULL;
  if (!hidden && (json_object_set(j, "scope", scope) != 0 || !crv_json_set_text(j, "uri", p->uri)))
    return NULL;
  if ((p->observed_at.set && !crv_json_set_time(j, "observed_at", p->observed_at.v)) ||
      (p->valid_until.set && !crv_json_set_time(j, "valid_until", p->valid_until.v)) ||
      !crv_json_set_text(j, "retracted", p->retracted) ||
      !crv_json_set_time(j, "recorded_at", r->recorded_at) ||
      !crv_json_set_text(j, "recorded_by", r->recorded_by) ||
      !crv_json_set_text(j, "digest", r->digest) || !crv_json_set_text(j, "ref", r->ref))
    return NULL;
  return crv_steal(&j);
}

static bool add_items(struct crv_listing *l, const struct crv_piece_rec **recs, size_t n,
                      const struct wanted *w, struct crv_err *err) {
  for (size_t i = 0; i < n; i++) {
    if (!passes(recs[i], w)) continue;
    l->total++;
    if (l->full || strcmp(recs[i]->key, l->from.last) <= 0) continue;
    if (!crv_listing_add(l, recs[i]->key, item(l->rq, recs[i], w), err)) return false;
  }
  return true;
}

bool crv_h_evidence_list(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_view view;
  struct wanted wanted;
  const struct crv_piece_rec **recs;
  size_t n;
  struct crv_arena *a = crv_big_arena(rq, err);
  if (!a || !crv_world_view(crv_api_of(rq)->world, rq->arena, &view, err)) return false;
  _listing_ struct crv_listing l = {0};
  if (!crv_listing_begin(&l, rq, columns, sizeof columns / sizeof *columns, view.pieces_seq,
                         rq->now_ms, err) ||
      !wanted_read(rq, l.from.at, &wanted, err) ||
      !crv_newest_pieces(view.pieces, l.from.position, a, &recs, &n, err) ||
      !add_items(&l, recs, n, &wanted, err))
    return false;
  return crv_listing_end(&l, rs, err);
}
