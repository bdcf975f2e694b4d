/* A SkyPilot row -> its offers. Each is made as an offer document and decoded by the offer's own
   field table, so that an import stores nothing that a PUT would refuse.
   The price is per hour and lot, pay as you go: the plan states no hours, no minimum, no renewal.
   The file says nothing of tax, disk, interconnect or delivery, so neither does the offer.
   Must not know: other rows, keys. */
#include <jansson.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/catalogue/import_sky.h"

static bool add_models(json_t *device, const struct sky_models *m) {
  if (m->n == 1) return crv_json_set_text(device, "model", m->at[0]->model);
  if (!m->n) return true;
  json_t *list = json_array();
  for (size_t i = 0; list && i < m->n; i++)
    if (json_array_append_new(list, json_string(m->at[i]->model))) return json_decref(list), false;
  return crv_json_set_steal(device, "candidates", list);
}

static json_t *make_device(const struct sky_row *r) {
  _json_ json_t *d = json_object();
  if (!crv_json_set_text(d, "name", r->accelerator) || !add_models(d, &r->models)) return NULL;
  if (!r->memory_ok) return crv_steal(&d);
  bool ok = r->nominal ? crv_json_set_text(d, "memory_nominal", r->nominal)
                       : crv_json_set_int(d, "memory_declared_bytes", r->per_device.v);
  return ok ? crv_steal(&d) : NULL;
}

static json_t *make_price(const struct crv_import_params *p, const struct sky_price *price) {
  _json_ json_t *j = json_object();
  if (price->amount.set && !crv_json_set_decimal(j, "amount", price->amount.v)) return NULL;
  bool ok = crv_json_set_text(j, "currency", p->currency) &&
            crv_json_set_text(j, "basis", "per_lot") && crv_json_set_text(j, "per", "hour") &&
            crv_json_set_text(j, "raw", price->raw);
  return ok ? crv_steal(&j) : NULL;
}

static bool add_opt(json_t *j, const char *name, struct crv_opt_int v) {
  return !v.set || crv_json_set_int(j, name, v.v);
}

/* {name: v} for one optional integer, or an empty object when it isn't set. */
static json_t *make_ints(const char *n0, struct crv_opt_int v0, const char *n1,
                         struct crv_opt_int v1) {
  _json_ json_t *j = json_object();
  return add_opt(j, n0, v0) && add_opt(j, n1, v1) ? crv_steal(&j) : NULL;
}

static json_t *make_plan(unsigned plan) {
  _json_ json_t *j = json_object();
  return crv_json_set_bool(j, "interruptible", plan == CRV_PLAN_SPOT) ? crv_steal(&j) : NULL;
}

static const char *text_or_null(const char *s) {
  return s && *s ? s : NULL;
}

static bool fill(json_t *j, const struct crv_import_params *p, const char *supplier,
                 const struct sky_row *r, unsigned plan) {
  struct crv_opt_int none = {0, false};
  bool ok = crv_json_set_text(j, "supplier", supplier) &&
            crv_json_set_text(j, "supplier_ref", r->instance) &&
            crv_json_set_text(j, "region", text_or_null(r->region)) &&
            crv_json_set_steal(j, "device", make_device(r)) &&
            crv_json_set_steal(j, "plan", make_plan(plan)) &&
            crv_json_set_steal(j, "price", make_price(p, &r->price[plan]));
  if (ok && r->devices.set)
    ok = crv_json_set_steal(j, "lot", make_ints("devices", r->devices, "", none));
  if (ok && (r->vcpus.set || r->ram.set))
    ok = crv_json_set_steal(j, "host", make_ints("vcpus", r->vcpus, "ram_bytes", r->ram));
  return ok;
}

/* The first field that the offer's table refuses, as a finding of the row. */
static bool refused(struct crv_irun *run, struct sky_row *r, const struct crv_err *why,
                    struct crv_err *err) {
  if (why->code == CRV_OUT_OF_MEMORY) return crv_import_oom(err);
  const struct crv_field_err *f = &why->at[0];
  run->ret->refused += r->base.n_offers == 0;
  crv_ifind(&r->base.findings, CRV_IC_OFFER_INVALID, why->n ? f->ptr : NULL,
            why->n ? f->detail : why->detail, NULL);
  return !r->base.findings.failed || crv_import_oom(err);
}

static bool make_offer(struct crv_irun *run, const char *supplier, struct sky_row *r, unsigned plan,
                       bool *ret_ok, struct crv_err *why) {
  _json_ json_t *j = json_object();
  struct crv_offer *offer = NULL;
  if (!j || !fill(j, run->p, supplier, r, plan)) return crv_import_oom(why);
  *ret_ok = crv_import_decode(j, run->a, &offer, why);
  if (!*ret_ok) return true;
  r->base.offers[r->base.n_offers] =
      (struct crv_import_offer){.row = r->base.findings.row, .offer = offer};
  r->base.plan[r->base.n_offers++] = plan;
  return true;
}

bool crv_sky_make_offers(struct crv_irun *run, const char *supplier, struct sky_row *r,
                         struct crv_err *err) {
  crv_sky_keep_fitting(r);
  for (unsigned plan = 0; plan < CRV_PLANS; plan++) {
    struct crv_err why;
    bool ok = false;
    if (!r->price[plan].present) continue;
    crv_err_init(&why);
    if (!make_offer(run, supplier, r, plan, &ok, &why)) return crv_import_oom(err);
    if (!ok) return refused(run, r, &why, err);
  }
  return crv_irow_attach(run->a, &r->base) || crv_import_oom(err);
}
