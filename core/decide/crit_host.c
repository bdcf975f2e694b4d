/* host.ram, host.vcpus, host.disk, interconnect: attested against the need; an offer's own words
   can only exclude. Must not know: device memory, prices. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

static const char *need_text(struct crv_eval *ev, struct crv_fact need) {
  char text[64];
  if (need.type == CRV_FACT_BYTES)
    return crv_arena_printf(ev->a, "at least %s", crv_bytes_gib(need.i, text, sizeof text));
  return crv_arena_printf(ev->a, "at least %lld", (long long)need.i);
}

void crv_crit_at_least(struct crv_case *c, enum crv_criterion id, const char *path,
                       struct crv_fact need) {
  struct crv_attest at = crv_attest(c, path, 0);
  struct crv_finding *f = crv_find(c, id, CRV_TO_CONFIRM, CRV_REASON_VALUE_UNKNOWN);
  crv_demanded(f, need);
  if (at.value.set) {
    struct crv_fact seen = need;
    seen.i = at.value.i;
    crv_observed(f, seen);
  }
  crv_attest_settle(c, f, &at, path, need_text(c->ev, need), at.value.set && at.value.i >= need.i,
                    CRV_REASON_FALLS_SHORT);
}

/* An itemised need with an item unknown has no total: the owner must say. */
static void amount_finding(struct crv_case *c, enum crv_criterion id, const char *path,
                           const struct crv_amount *need, const char *field) {
  if (need->bytes.set) {
    crv_crit_at_least(c, id, path, crv_f_bytes("bytes", need->bytes.v));
    return;
  }
  struct crv_finding *f = crv_find(c, id, CRV_TO_CONFIRM, CRV_REASON_FIELD_MISSING);
  struct crv_fact p[] = {crv_f_text("field", field),
                         crv_f_text("why", "an item of it has no bytes, so the need has no total")};
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_SHEET_FIELD, p, 2, "sheet"));
}

/* One memory serves host and device: memory.peak holds both demands against it, once. */
static void unified_finding(struct crv_case *c, const struct crv_amount *need) {
  const struct crv_finding *peak = NULL;
  struct crv_finding *f = crv_find(c, CRV_CRIT_HOST_RAM, CRV_TO_CONFIRM, CRV_REASON_NO_EVIDENCE);
  for (size_t i = 0; i < c->row->n_findings; i++)
    if (c->row->findings[i].criterion == CRV_CRIT_PEAK) peak = &c->row->findings[i];
  crv_demanded(f, crv_f_bytes("bytes", need->bytes.v));
  crv_observed(f, crv_f_text("held_in", "unified memory, with the device's demand"));
  if (!peak) return;
  f->verdict = peak->verdict;
  f->reason = peak->reason;
  f->expired = peak->expired;
  for (size_t i = 0; i < peak->n_cited; i++) crv_find_cite(f, peak->cited[i]);
  for (size_t i = 0; i < peak->n_conditions; i++) crv_find_condition(f, peak->conditions[i]);
}

static bool given(const struct crv_amount *a) {
  return a->bytes.set || a->items.n;
}

static bool accepted(const struct crv_list *kinds, const char *kind) {
  for (size_t i = 0; i < kinds->n; i++)
    if (crv_streq(*crv_list_at(*kinds, const char *, i), kind)) return true;
  return false;
}

static const char *kinds_text(struct crv_eval *ev, const struct crv_list *kinds) {
  const char *t = kinds->n ? *crv_list_at(*kinds, const char *, 0) : "";
  for (size_t i = 1; t && i < kinds->n; i++)
    t = crv_arena_printf(ev->a, "%s or %s", t, *crv_list_at(*kinds, const char *, i));
  return t;
}

static void interconnect_finding(struct crv_case *c, const struct crv_list *kinds) {
  struct crv_attest at = crv_attest(c, "lot.interconnect.kind", 0);
  struct crv_finding *f =
      crv_find(c, CRV_CRIT_INTERCONNECT, CRV_TO_CONFIRM, CRV_REASON_VALUE_UNKNOWN);
  const char *want = kinds_text(c->ev, kinds);
  crv_demanded(f, crv_f_text("kind", want));
  if (at.value.set) crv_observed(f, crv_f_text("kind", at.value.text));
  crv_attest_settle(c, f, &at, "lot.interconnect.kind", want,
                    at.value.set && accepted(kinds, at.value.text), CRV_REASON_CONTRADICTED);
}

void crv_crit_host(struct crv_case *c) {
  const struct crv_sheet *s = c->ev->q->sheet;
  const struct crv_host_need *h = s->host;
  bool unified = crv_case_memory_kind(c) == CRV_MEM_UNIFIED;
  if (h && given(&h->ram) && unified && h->ram.bytes.set)
    unified_finding(c, &h->ram);
  else if (h && given(&h->ram))
    amount_finding(c, CRV_CRIT_HOST_RAM, "host.ram_bytes", &h->ram, "host.ram");
  if (h && h->vcpus.set)
    crv_crit_at_least(c, CRV_CRIT_HOST_VCPUS, "host.vcpus", crv_f_int("vcpus", h->vcpus.v));
  if (h && given(&h->disk))
    amount_finding(c, CRV_CRIT_HOST_DISK, "host.disk_bytes", &h->disk, "host.disk");
  if (s->interconnect.n) interconnect_finding(c, &s->interconnect);
}
