/* /v1/offers: what suppliers offer, keyed, with numbered versions. An offer cites a stored piece,
   or brings its source inline, which is recorded with it in the same transaction. */
#include <inttypes.h>
#include <string.h>

#include "api/answer.h"
#include "api/catalogue.h"
#include "api/handlers.h"
#include "api/record.h"
#include "api/source.h"
#include "core/base/json.h"

static bool show_cites(struct crv_req *rq, const struct crv_version *v, const json_t *content,
                       json_t *obj, struct crv_err *err) {
  (void)content;
  if (!v->source_key) return true;
  const char *cites = crv_arena_printf(rq->arena, "%s@%" PRId64, v->source_key, v->source_version);
  return (cites && crv_json_set_text(obj, "cites", cites)) || crv_no_memory(err);
}

const struct crv_record_type crv_offer_record = {
    .agg = CRV_AGG_OFFER,
    .noun = "offer",
    .key_name = "key",
    .version_name = "version",
    .base = "/v1/offers",
    .versions = "versions",
    .show = show_cites,
};

static bool cite(struct crv_wtx *tx, struct crv_record_put *p, struct crv_err *err) {
  return crv_source_settle(tx, p->ctx, p->rq->who.name, p->rq->arena, &p->put, err);
}

bool crv_h_offer_put(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_record_put p = {.type = &crv_offer_record, .rq = rq, .before = cite};
  struct crv_offer *offer;
  struct crv_offer_source source;
  const json_t *body;
  if (!crv_req_key(rq, 0, &p.put.key, err) ||
      !(body = crv_record_body(rq, &crv_offer_record, err)) ||
      !crv_offer_decode(body, "", false, rq->arena, &offer, err) ||
      !crv_record_same_key(&crv_offer_record, offer->key, p.put.key, err))
    return false;
  offer->key = NULL;
  p.put.canonical = crv_record_canonical(&crv_offer_spec, offer, rq->arena, err);
  if (!p.put.canonical || !crv_source_prepare(offer, p.put.key, rq->arena, &source, err))
    return false;
  p.ctx = &source;
  return crv_record_put(&p, rs, err);
}

bool crv_h_offer_get(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *key;
  struct crv_opt_int as_of;
  int64_t version = 0;
  if (!crv_req_key(rq, 0, &key, err) || !crv_req_param_time(rq, "as_of", &as_of, err)) return false;
  if (as_of.set && !crv_offer_in_force(rq, key, as_of.v, &version, err)) return false;
  return crv_record_get(rq, rs, &crv_offer_record, key, version, err);
}

bool crv_h_offer_delete(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *key;
  return crv_req_key(rq, 0, &key, err) && crv_record_delete(rq, rs, &crv_offer_record, key, err);
}

bool crv_h_offer_versions(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *key;
  return crv_req_key(rq, 0, &key, err) && crv_record_versions(rq, rs, &crv_offer_record, key, err);
}

bool crv_h_offer_version(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *key;
  int64_t n;
  return crv_req_key(rq, 0, &key, err) && crv_req_number(rq, 1, &n, err) &&
         crv_record_get(rq, rs, &crv_offer_record, key, n, err);
}
