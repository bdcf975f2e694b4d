/* GET /v1/offers: filters and orders over the newest versions, or over those in force at a time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/answer.h"
#include "api/catalogue.h"
#include "api/handlers.h"
#include "api/listing.h"
#include "api/source.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"

static const struct crv_column columns[] = {
    {"OFFER", "key", CRV_COL_KEY},
    {"VER", "version", CRV_COL_NUMBER},
    {"SUPPLIER", "supplier", CRV_COL_TEXT},
    {"REF", "supplier_ref", CRV_COL_CSV},
    {"REGION", "region", CRV_COL_TEXT},
    {"DEVICE", "device.name", CRV_COL_CSV},
    {"MODEL", "device.model", CRV_COL_TEXT},
    {"CANDIDATES", "device.candidates", CRV_COL_CSV},
    {"N", "lot.devices", CRV_COL_NUMBER},
    {"MEMORY", "device.memory_nominal", CRV_COL_CSV},
    {"HOURS", "plan.hours", CRV_COL_NUMBER},
    {"MONTHS", "plan.months", CRV_COL_CSV},
    {"SPOT", "plan.interruptible", CRV_COL_CSV},
    {"PRICE", "price.amount", CRV_COL_NUMBER},
    {"CUR", "price.currency", CRV_COL_TEXT},
    {"BASIS", "price.basis", CRV_COL_CSV},
    {"PER", "price.per", CRV_COL_TEXT},
    {"RAM", "host.ram_bytes", CRV_COL_CSV},
    {"VCPUS", "host.vcpus", CRV_COL_CSV},
    {"DISK", "host.disk_bytes", CRV_COL_CSV},
    {"CITES", "cites", CRV_COL_CSV},
    {"RECORDED", "recorded_at", CRV_COL_CSV},
};

bool crv_offer_in_force(struct crv_req *rq, const char *key, int64_t at, int64_t *ret_version,
                        struct crv_err *err) {
  struct crv_view view;
  const struct crv_offer_rec **recs;
  size_t n;
  struct crv_arena *a = crv_big_arena(rq, err);
  if (!a || !crv_world_view(crv_api_of(rq)->world, rq->arena, &view, err) ||
      !crv_catalogue_in_force(view.offers, view.position, at, a, &recs, &n, err))
    return false;
  for (size_t i = 0; i < n; i++) {
    if (strcmp(recs[i]->key, key) != 0) continue;
    *ret_version = recs[i]->version;
    return true;
  }
  return crv_fail(err, CRV_NOT_FOUND, "No version of offer %s is in force at that time.", key);
}

/* -- filter and order ---------------------------------------------------------------------- */

static bool filter_read(struct crv_req *rq, struct crv_filter *ret, struct crv_err *err) {
  struct crv_unit_err ue;
  const char *memory = crv_req_param(rq, "min_memory");
  *ret = (struct crv_filter){.device = crv_req_param(rq, "device"),
                             .supplier = crv_req_param(rq, "supplier"),
                             .region = crv_req_param(rq, "region"),
                             .currency = crv_req_param(rq, "currency"),
                             .key_prefix = crv_req_param(rq, "prefix")};
  if (!memory) return true;
  ret->min_memory_bytes.set = true;
  return crv_bytes_parse(memory, strlen(memory), CRV_ROUND_UP, &ret->min_memory_bytes.v, &ue) ||
         crv_fail(err, CRV_BAD_PARAMETER, "The parameter 'min_memory': %s", ue.detail);
}

static int by_supplier(const void *a, const void *b) {
  const struct crv_offer_rec *const *x = a, *const *y = b;
  int order = crv_strorder((*x)->offer ? (*x)->offer->supplier : NULL,
                           (*y)->offer ? (*y)->offer->supplier : NULL);
  return order ? order : strcmp((*x)->key, (*y)->key);
}

static int by_newest(const void *a, const void *b) {
  const struct crv_offer_rec *const *x = a, *const *y = b;
  return (*x)->seq < (*y)->seq ? 1 : ((*x)->seq > (*y)->seq ? -1 : 0);
}

static int64_t price_of(const struct crv_offer_rec *r) {
  const struct crv_price *p = r->offer ? r->offer->price : NULL;
  return p && p->amount.set ? p->amount.v : INT64_MAX;
}

static int by_price(const void *a, const void *b) {
  const struct crv_offer_rec *const *x = a, *const *y = b;
  int64_t p = price_of(*x), q = price_of(*y);
  return p < q ? -1 : (p > q ? 1 : strcmp((*x)->key, (*y)->key));
}

static void sort(const struct crv_offer_rec **recs, size_t n, const char *how) {
  if (crv_streq(how, "supplier")) qsort(recs, n, sizeof *recs, by_supplier);
  if (crv_streq(how, "newest")) qsort(recs, n, sizeof *recs, by_newest);
  if (crv_streq(how, "price")) qsort(recs, n, sizeof *recs, by_price);
}

/* -- items --------------------------------------------------------------------------------- */

static json_t *item(const struct crv_offer_rec *r, struct crv_arena *a) {
  _json_ json_t *j = json_object();
  _json_ json_t *offer = r->offer ? crv_jspec_encode(&crv_offer_spec, r->offer) : NULL;
  const char *cites =
      r->source_key ? crv_arena_printf(a, "%s@%" PRId64, r->source_key, r->source_version) : NULL;
  if (!j || (r->offer && !offer) || (r->source_key && !cites) ||
      !crv_json_set_text(j, "key", r->key) || !crv_json_set_int(j, "version", r->version) ||
      (r->withdrawn && !crv_json_set_bool(j, "withdrawn", true)) ||
      (offer && !crv_json_merge(j, offer)) || !crv_json_set_text(j, "cites", cites) ||
      !crv_json_set_time(j, "recorded_at", r->recorded_at) ||
      !crv_json_set_text(j, "digest", r->digest))
    return NULL;
  return crv_steal(&j);
}

struct offers {
  const struct crv_offer_rec **at;
  size_t n;
  struct crv_filter filter;
};

/* Keeps those that pass; tombstones pass only a filter by key. */
static void filter_apply(struct offers *o) {
  size_t n = 0;
  const struct crv_filter *f = &o->filter;
  bool by_facts = f->device || f->supplier || f->region || f->currency || f->min_memory_bytes.set;
  for (size_t i = 0; i < o->n; i++) {
    const struct crv_offer_rec *r = o->at[i];
    bool pass = r->withdrawn ? !by_facts && (!f->key_prefix || strncmp(r->key, f->key_prefix,
                                                                       strlen(f->key_prefix)) == 0)
                             : crv_filter_passes(f, r);
    if (pass) o->at[n++] = r;
  }
  o->n = n;
}

static bool add_items(struct crv_listing *l, const struct offers *o, struct crv_arena *a,
                      struct crv_err *err) {
  size_t i = 0;
  if (l->from.last[0]) {
    while (i < o->n && strcmp(o->at[i]->key, l->from.last) != 0) i++;
    i++;
  }
  for (; i < o->n && !l->full; i++)
    if (!crv_listing_add(l, o->at[i]->key, item(o->at[i], a), err)) return false;
  return true;
}

static bool select_offers(struct crv_req *rq, struct crv_listing *l, const struct crv_view *view,
                          struct crv_arena *a, struct offers *ret, struct crv_err *err) {
  struct crv_opt_int as_of;
  bool withdrawn;
  const char *how;
  if (!crv_req_param_time(rq, "as_of", &as_of, err) || !filter_read(rq, &ret->filter, err) ||
      !crv_req_param_bool(rq, "withdrawn", false, &withdrawn, err) ||
      !crv_req_param_word(rq, "sort", "key supplier price newest", &how, err))
    return false;
  bool ok = as_of.set ? crv_catalogue_in_force(view->offers, l->from.position, as_of.v, a, &ret->at,
                                               &ret->n, err)
                      : crv_newest_offers(view->offers, l->from.position, withdrawn, a, &ret->at,
                                          &ret->n, err);
  if (!ok) return false;
  filter_apply(ret);
  sort(ret->at, ret->n, how);
  l->total = (int64_t)ret->n;
  return true;
}

bool crv_h_offers_list(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_view view;
  struct offers offers = {0};
  struct crv_arena *a = crv_big_arena(rq, err);
  if (!a || !crv_world_view(crv_api_of(rq)->world, rq->arena, &view, err)) return false;
  _listing_ struct crv_listing l = {0};
  if (!crv_listing_begin(&l, rq, columns, sizeof columns / sizeof *columns, view.offers_seq,
                         rq->now_ms, err) ||
      !select_offers(rq, &l, &view, a, &offers, err) || !add_items(&l, &offers, a, err) ||
      !crv_listing_end(&l, rs, err))
    return false;
  const char *seed = crv_arena_printf(rq->arena, "offers %" PRId64, l.from.position);
  return seed ? crv_answer_tag(rq, rs, seed, err) : crv_no_memory(err);
}
