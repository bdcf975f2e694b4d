/* Rows by hand and a small world; see decidetest.h. */
#include "tests/unit/decidetest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"

json_t *dt_json(const char *text) {
  struct crv_err err;
  _free_ char *copy = strdup(text);
  for (char *p = copy; p && *p; p++)
    if (*p == '\'') *p = '"';
  crv_err_init(&err);
  json_t *j = copy ? crv_json_parse_stored(copy, strlen(copy), &err) : NULL;
  if (j) return j;
  fprintf(stderr, "%s: %s\n", text, err.detail);
  abort();
}

json_t *dt_base(void) {
  return dt_json(
      "{'as_of':'2026-12-01T00:00:00Z',"
      " 'sheet':{'task':'inference',"
      "  'model':{'name':'m/seven','revision':'r1','parameters':7000000000},"
      "  'precision':{'weights':'bf16','kv_cache':'bf16'},"
      "  'length':{'prompt':6144,'generated':2048},'concurrency':8,"
      "  'quality_waived':'a draft assistant','placement':{'devices':1,'strategy':'single'},"
      "  'campaign':{'hours':168,'currency':'USD'}},"
      " 'offers':{'a':{'supplier':'s','supplier_ref':'x','region':'eu',"
      "  'device':{'name':'RTX 6000 Ada','model':'nvidia/rtx-6000-ada','memory_nominal':'48 GB'},"
      "  'lot':{'devices':1},"
      "  'plan':{'hours':72,'renewal':'same_price','interruptible':false},"
      "  'price':{'amount':'47.14','currency':'USD','basis':'per_lot','per':'plan'},"
      "  'source':{'evidence':'list@1'}}},"
      " 'evidence':{'list':{'kind':'commercial_sheet','observed_at':'2026-11-28T00:00:00Z',"
      "   'valid_until':'2027-01-01T00:00:00Z','scope':{'supplier':'s'},'result':{}},"
      "  'run':{'kind':'protocol_run','observed_at':'2026-11-29T00:00:00Z',"
      "   'valid_until':'2027-05-30T00:00:00Z',"
      "   'scope':{'device':'nvidia/rtx-6000-ada','devices':1,'strategy':'single',"
      "    'model':{'name':'m/seven','revision':'r1'},"
      "    'precision':{'weights':'bf16','kv_cache':'bf16'},'length':8192,'concurrency':8,"
      "    'runtime':'transformers 5.17.0','driver':'580.159'},"
      "   'result':{'outcome':'passed','truncated':false,'errors':0,"
      "    'phases':['loading','generation'],"
      "    'peaks':[{'counter':'device.used','kind':'peak','bytes':'20 GiB'}]}}}}");
}

void dt_make(struct world *w, const json_t *doc) {
  if (world_make(w, doc, 0)) return;
  fprintf(stderr, "no world: %s %s %s\n", w->err.detail, w->err.n ? w->err.at[0].ptr : "",
          w->err.n ? w->err.at[0].detail : "");
  abort();
}

void dt_world(struct world *w, const char *patch) {
  _json_ json_t *base = dt_base();
  _json_ json_t *change = dt_json(patch ? patch : "{}");
  _json_ json_t *doc = world_patched(base, change);
  dt_make(w, doc);
}

const struct crv_row *dt_row(const struct world *w, const char *offer) {
  const char *list;
  const struct crv_row *row = world_row(w, offer, &list);
  if (!row) {
    fprintf(stderr, "no row of %s\n", offer);
    abort();
  }
  return row;
}

const struct crv_finding *dt_finding(const struct world *w, const char *offer,
                                     const char *criterion) {
  const struct crv_finding *f = world_finding(dt_row(w, offer), criterion, NULL);
  if (!f) {
    fprintf(stderr, "no finding %s of %s\n", criterion, offer);
    abort();
  }
  return f;
}

struct crv_row *dt_new_row(struct crv_arena *a, const char *key, const char *supplier) {
  struct crv_row *row = crv_new(a, struct crv_row);
  struct crv_offer_rec *rec = crv_new(a, struct crv_offer_rec);
  struct crv_offer *offer = crv_new(a, struct crv_offer);
  if (!row || !rec || !offer) abort();
  offer->supplier = supplier;
  rec->key = key;
  rec->version = 1;
  rec->offer = offer;
  row->rec = rec;
  row->status = CRV_TO_CONFIRM;
  return row;
}

struct crv_opt_int dt_some(int64_t v) {
  return (struct crv_opt_int){v, true};
}
