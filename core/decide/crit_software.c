/* software.driver and service.managed; and the family's order. A driver is proved only on its own
   machine. Must not know: memory, prices. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

const struct crv_software *crv_wanted_software(const struct crv_case *c) {
  static const struct crv_software nothing;
  return c->ev->q->sheet->software ? c->ev->q->sheet->software : &nothing;
}

/* -- driver
 * ------------------------------------------------------------------------------------------ */

static const char *driver_of(const struct crv_case *c, const struct crv_indexed *ix) {
  const struct crv_piece *p = ix->rec->piece;
  bool omitted = false;
  if (p->kind != CRV_KIND_DEVICE_REPORT && p->kind != CRV_KIND_PROTOCOL_RUN) return NULL;
  if (crv_scope_mismatch(CRV_DIMS_SUPPLIER, p, &c->demand, &omitted)) return NULL;
  return p->result->driver ? p->result->driver : p->scope->driver;
}

/* What the pieces on this machine say; the first of each by key. */
struct drivers {
  const struct crv_indexed *yes, *no, *expired;
};

static void keep_first(const struct crv_indexed **at, const struct crv_indexed *ix) {
  if (!*at || ix < *at) *at = ix; /* pieces stand in memory by key */
}

static void take_drivers(const struct crv_case *c, const struct crv_hits *list, struct drivers *d) {
  const char *rule = crv_wanted_software(c)->driver;
  for (size_t i = 0; i < list->n; i++) {
    const struct crv_indexed *ix = list->at[i];
    const char *have = driver_of(c, ix);
    if (have && ix->standing == CRV_STANDS)
      keep_first(crv_version_matches(have, rule) ? &d->yes : &d->no, ix);
    else if (have && ix->standing == CRV_STANDS_EXPIRED)
      keep_first(&d->expired, ix);
  }
}

static void show_driver(const struct crv_case *c, struct crv_finding *f,
                        const struct crv_indexed *ix) {
  crv_find_cite(f, ix->rec);
  crv_observed(f, crv_f_text("driver", driver_of(c, ix)));
}

static void driver_ask(struct crv_case *c, struct crv_finding *f) {
  struct crv_fact p[] = {
      crv_f_text("supplier", c->offer->supplier),
      crv_f_text("supplier_ref", c->offer->supplier_ref ? c->offer->supplier_ref : c->rec->key),
      crv_f_text("rule", crv_wanted_software(c)->driver),
  };
  if (!p[0].text) p[0] = crv_f_text("supplier", "the supplier");
  crv_find_condition(
      f, crv_cond(c->ev, CRV_COND_DRIVER, p, 3, crv_pair(c->ev, "device_report", c->rec->key)));
}

static void driver_finding(struct crv_case *c) {
  struct drivers d = {NULL, NULL, NULL};
  struct crv_finding *f = crv_find(c, CRV_CRIT_DRIVER, CRV_TO_CONFIRM, CRV_REASON_NO_EVIDENCE);
  crv_demanded(f, crv_f_text("driver", crv_wanted_software(c)->driver));
  take_drivers(c, &c->about->named, &d);
  take_drivers(c, &c->group->machines, &d);
  if (d.yes && d.no) {
    crv_find_conflict(c, f, d.yes->rec, d.no->rec, "the driver");
  } else if (d.yes || d.no) {
    f->verdict = d.yes ? CRV_ADMISSIBLE : CRV_EXCLUDED;
    f->reason = d.yes ? CRV_REASON_SATISFIED : CRV_REASON_CONTRADICTED;
    f->resolvable = !d.yes;
    show_driver(c, f, d.yes ? d.yes : d.no);
  } else {
    if (d.expired) {
      f->reason = CRV_REASON_EXPIRED;
      f->expired = true;
      show_driver(c, f, d.expired);
    }
    driver_ask(c, f);
  }
  crv_runs_asides(f, crv_runs(c, CRV_DIMS_MEMORY));
}

/* -- managed service
 * ---------------------------------------------------------------------------------- */

static void managed_finding(struct crv_case *c) {
  bool want = c->ev->q->sheet->service_managed == CRV_TRUE;
  struct crv_attest at = crv_attest(c, "service.managed", 0);
  struct crv_finding *f = crv_find(c, CRV_CRIT_MANAGED, CRV_TO_CONFIRM, CRV_REASON_VALUE_UNKNOWN);
  crv_demanded(f, crv_f_bool("managed", want));
  if (at.value.set) crv_observed(f, crv_f_bool("managed", at.value.i != 0));
  crv_attest_settle(c, f, &at, "service.managed", want ? "managed" : "not managed",
                    at.value.set && (at.value.i != 0) == want, CRV_REASON_CONTRADICTED);
}

void crv_crit_software(struct crv_case *c) {
  const struct crv_sheet *s = c->ev->q->sheet;
  bool on = s->software || crv_task_has_model(s->task);
  if (on) crv_crit_support(c);
  if (crv_wanted_software(c)->driver) driver_finding(c);
  if (s->service_managed) managed_finding(c);
}
