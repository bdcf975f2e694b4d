/* The capacity of one device of a case: exact from device reports in scope, else the interval of
   the attested nominal figure; an offer's own declared bytes can only exclude. Must not know:
   demands. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

static bool report_in_scope(const struct crv_case *c, const struct crv_piece *p) {
  const struct crv_scope *s = p->scope;
  if (p->kind != CRV_KIND_DEVICE_REPORT || !p->result || !p->result->declared_bytes.set || !s)
    return false;
  if (s->device && strcmp(s->device, "*") != 0 && !crv_streq(s->device, c->demand.device))
    return false;
  if (s->offer) return !strcmp(s->offer, c->rec->key);
  if (s->supplier && strcmp(s->supplier, "*") != 0 && !crv_streq(s->supplier, c->offer->supplier))
    return false;
  if (s->supplier_ref && strcmp(s->supplier_ref, "*") != 0)
    return crv_streq(s->supplier_ref, c->offer->supplier_ref);
  return s->device != NULL;
}

/* Widens the interval by one report; tells whether it moved the lower or the upper limit. */
static void widen(struct crv_capacity *cap, int64_t bytes, bool *ret_lower, bool *ret_upper) {
  *ret_lower = !cap->lower.set || bytes < cap->lower.v;
  *ret_upper = !cap->upper.set || bytes > cap->upper.v;
  if (*ret_lower) cap->lower = cap->decimal = (struct crv_opt_int){bytes, true};
  if (*ret_upper) cap->upper = (struct crv_opt_int){bytes, true};
  cap->from = CRV_CAP_REPORTED;
}

static void take_reports(struct crv_case *c, const struct crv_hits *list) {
  bool lower, upper;
  for (size_t i = 0; i < list->n; i++) {
    const struct crv_indexed *ix = list->at[i];
    bool stands = ix->standing == CRV_STANDS, expired = ix->standing == CRV_STANDS_EXPIRED;
    if ((!stands && !expired) || !report_in_scope(c, ix->rec->piece)) continue;
    int64_t bytes = ix->rec->piece->result->declared_bytes.v;
    widen(stands ? &c->capacity : &c->capacity_expired, bytes, &lower, &upper);
    if (expired && !c->expired_report) c->expired_report = ix->rec;
    if (stands && lower) c->capacity_piece = ix->rec;
    if (stands && upper) c->capacity_other = ix->rec;
  }
}

static bool from_reports(struct crv_case *c) {
  take_reports(c, &c->group->reports);
  take_reports(c, &c->about->extra);
  return c->capacity.lower.set;
}

enum crv_memory_kind crv_case_memory_kind(const struct crv_case *c) {
  const struct crv_device *d = c->offer->device;
  if (c->demand.device && strchr(c->demand.device, '@')) return CRV_MEM_SLICE;
  if (c->model && c->model->memory_kind != CRV_MEM_DEDICATED) return c->model->memory_kind;
  return d && d->memory_kind ? d->memory_kind : CRV_MEM_DEDICATED;
}

bool crv_case_total(const struct crv_case *c, int64_t figure, int64_t *ret) {
  const struct crv_sheet *s = c->ev->q->sheet;
  int64_t headroom = s->headroom && s->headroom->bytes.set ? s->headroom->bytes.v : 0;
  if (!crv_add(figure, headroom, ret)) return false;
  bool host = s->host && s->host->ram.bytes.set && crv_case_memory_kind(c) == CRV_MEM_UNIFIED;
  return !host || crv_add(*ret, s->host->ram.bytes.v, ret);
}

static void from_nominal(struct crv_case *c) {
  const struct crv_device *d = c->offer->device;
  if (!d || !d->memory_nominal.set || !crv_capacity_nominal(&d->memory_nominal, &c->capacity))
    return;
  struct crv_attest at = crv_attest(c, "device.memory_nominal", 0);
  c->capacity_piece = at.piece;
  if (at.how == CRV_ATTESTED) return;
  c->capacity_unattested = true;
  c->capacity.lower.set = false;
  /* a doubted or disputed figure excludes nothing either */
  if (at.how == CRV_ATTEST_FINDING || at.how == CRV_ATTEST_CONFLICT) c->capacity.upper.set = false;
}

/* What the offer declares of itself can exclude, unless it is doubted or disputed. */
static void from_declared(struct crv_case *c) {
  const struct crv_device *d = c->offer->device;
  if (!d || !d->memory_declared_bytes.set) return;
  enum crv_attested how = crv_attest(c, "device.memory_declared_bytes", 0).how;
  if (how == CRV_ATTEST_FINDING || how == CRV_ATTEST_CONFLICT) return;
  int64_t declared = d->memory_declared_bytes.v;
  if (!c->capacity.upper.set || declared < c->capacity.upper.v) {
    c->capacity.upper = (struct crv_opt_int){declared, true};
    c->capacity_own_words = true;
  }
  if (c->capacity.lower.set && declared < c->capacity.lower.v)
    c->capacity.lower = (struct crv_opt_int){declared, true};
}

void crv_case_capacity(struct crv_case *c) {
  enum crv_memory_kind kind = crv_case_memory_kind(c);
  if (kind == CRV_MEM_SHARED) return; /* nothing is reserved, whatever the device declares */
  if (from_reports(c)) return;
  if (kind == CRV_MEM_UNIFIED) return; /* only a report gives the working-set limit */
  from_nominal(c);
  from_declared(c);
}
