/* The import checks on offers that come as documents: the same figures, the same findings as for
   any price file. A figure that a check leaves unknown is taken out of the offer, and the finding
   says so.
   Must not know: how the document was written. */
#include <stddef.h>

#include "core/base/text.h"
#include "core/catalogue/import_native.h"

static const struct crv_jfield checks_fields[] = {
    {.name = "price_per_device",
     .type = CRV_JT_DECIMAL,
     .flags = CRV_JF_POSITIVE,
     .offset = offsetof(struct crv_native_checks, price_per_device),
     .doc = "Price of one device as the list states it, in the price's currency and period."},
    {.name = "memory_total",
     .type = CRV_JT_BYTES,
     .flags = CRV_JF_ROUND_DOWN,
     .offset = offsetof(struct crv_native_checks, memory_total),
     .doc = "Device memory of the whole lot as the list states it, with its unit."},
    {.name = NULL},
};
const struct crv_jspec crv_native_checks_spec = {.name = "ImportChecks",
                                                 .size = sizeof(struct crv_native_checks),
                                                 .fields = checks_fields,
                                                 .extras_offset = SIZE_MAX};

static struct crv_opt_int devices_of(const struct crv_offer *o) {
  return o->lot ? o->lot->devices : (struct crv_opt_int){0, false};
}

static void check_price(struct crv_ifindings *fs, struct crv_offer *o,
                        const struct crv_native_checks *checks) {
  struct crv_price *p = o->price;
  struct crv_opt_int n = devices_of(o), none = {0, false};
  if (!p || !p->amount.set) return;
  /* a price per device is never compared with the number of devices */
  bool per_lot = p->basis != CRV_PRICE_PER_DEVICE;
  if (!crv_check_price(fs, "price.amount", p->amount.v, per_lot ? n : none)) p->amount = none;
  if (!p->currency) crv_ifind(fs, CRV_IC_CURRENCY_MISSING, "price.currency", NULL, NULL);
  if (!checks->price_per_device.set || !p->amount.set) return;
  int64_t of = per_lot ? n.v : 1;
  if (!per_lot || n.set)
    crv_check_price_product(fs, "check.price_per_device", checks->price_per_device.v, of,
                            p->amount.v);
}

/* The nominal sizes to compare with: the offer's own figure, else its model's or candidates'. */
static size_t nominals(const struct crv_device *d, int64_t *gb, size_t room) {
  size_t n = 0;
  if (d->model) {
    const struct crv_device_model *m = crv_device_model(d->model);
    if (m && m->nominal_gb) gb[n++] = m->nominal_gb;
    return n;
  }
  for (size_t i = 0; i < d->candidates.n && n < room; i++) {
    const struct crv_device_model *m =
        crv_device_model(*crv_list_at(d->candidates, const char *, i));
    if (m && m->nominal_gb) gb[n++] = m->nominal_gb;
  }
  return n;
}

/* A nominal figure as n x 2^30, whatever the unit's name: "24 GB" and "24 GiB" are the same card.
 */
static bool nominal_bytes(const struct crv_nominal *n, int64_t *ret) {
  if (!n->set) return false;
  int64_t unit = n->unit ? crv_unit_factor(n->unit) : 0;
  bool binary = unit && unit % 1024 == 0;
  return crv_bytes_scale(n->micro, binary ? unit : CRV_GIB, CRV_ROUND_DOWN, ret);
}

static bool declared_fits(struct crv_ifindings *fs, const struct crv_device *d) {
  int64_t own, gb[8];
  if (!d->memory_declared_bytes.set) return true;
  int64_t bytes = d->memory_declared_bytes.v;
  if (nominal_bytes(&d->memory_nominal, &own) && own % CRV_GIB == 0) {
    int64_t n = own / CRV_GIB;
    return crv_check_declared(fs, "device.memory_declared_bytes", bytes, &n, 1);
  }
  return crv_check_declared(fs, "device.memory_declared_bytes", bytes, gb,
                            nominals(d, gb, sizeof gb / sizeof *gb));
}

/* Each check of one figure of device memory, so that every finding is there. */
static bool figure_holds(struct crv_ifindings *fs, const struct crv_offer *o, const char *column,
                         int64_t bytes, struct crv_opt_int total) {
  char shown[32];
  struct crv_opt_int n = devices_of(o);
  bool ok = crv_check_unit(fs, column, bytes, crv_mib_text(bytes, shown, sizeof shown));
  if (ok && total.set && n.set)
    ok = crv_check_total(fs, "check.memory_total", n.v, bytes, total.v, false, NULL);
  if (o->host && o->host->ram_bytes.set)
    ok = crv_check_host_ram(fs, column, o->host->ram_bytes.v, bytes, n.set ? n.v : 1) && ok;
  return ok;
}

/* A total written in the nominal's decimal unit is compared in that unit. */
static bool exact_nominal(const struct crv_nominal *n, int64_t *ret) {
  int64_t unit = n->set && n->unit ? crv_unit_factor(n->unit) : 0;
  return unit && crv_bytes_scale(n->micro, unit, CRV_ROUND_DOWN, ret);
}

static void check_memory(struct crv_ifindings *fs, struct crv_offer *o,
                         const struct crv_native_checks *checks) {
  struct crv_device *d = o->device;
  struct crv_opt_int none = {0, false}, total = checks->memory_total;
  int64_t nominal;
  bool ok = true;
  if (!d) return;
  if (exact_nominal(&d->memory_nominal, &nominal)) {
    ok = figure_holds(fs, o, "device.memory_nominal", nominal, total);
    total = none;
  }
  if (d->memory_declared_bytes.set)
    ok = figure_holds(fs, o, "device.memory_declared_bytes", d->memory_declared_bytes.v, total) &&
         ok;
  if (declared_fits(fs, d) && ok) return;
  d->memory_nominal = (struct crv_nominal){.set = false};
  d->memory_declared_bytes = none;
}

void crv_native_check(struct crv_ifindings *fs, struct crv_offer *o,
                      const struct crv_native_checks *checks) {
  check_price(fs, o, checks);
  check_memory(fs, o, checks);
}
