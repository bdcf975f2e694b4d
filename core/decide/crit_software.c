/* software.architecture, software.runtime, software.driver, service.managed.
   A run in scope, at any magnitude, shows that architecture and runtime carry the load's formats;
   documentation may show the same, or the contrary. A driver is proved only on its own machine.
   Must not know: memory, prices. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

static const struct crv_software *wanted(const struct crv_case *c) {
  static const struct crv_software nothing;
  return c->ev->q->sheet->software ? c->ev->q->sheet->software : &nothing;
}

static const char *architecture_of(const struct crv_case *c) {
  if (c->offer->device && c->offer->device->architecture) return c->offer->device->architecture;
  return c->model ? c->model->architecture : NULL;
}

/* A list of what is (un)supported names the load when it names a format, the engine or the model.
 */
static bool list_names(const struct crv_list *list, const struct crv_sheet *s) {
  for (size_t i = 0; i < list->n; i++) {
    const char *t = *crv_list_at(*list, const char *, i);
    if (!strcmp(t, "*")) return true;
    if (s->precision &&
        (crv_streq(t, s->precision->weights) || crv_streq(t, s->precision->kv_cache) ||
         crv_streq(t, s->precision->compute)))
      return true;
    if (s->model && crv_streq(t, s->model->name)) return true;
    if (s->execution && crv_streq(t, s->execution->engine)) return true;
    if (s->adaptation && crv_streq(t, s->adaptation->method)) return true;
  }
  return false;
}

static bool run_covers(const struct crv_case *c, const struct crv_indexed *ix) {
  const struct crv_piece *p = ix->rec->piece;
  bool omitted = false;
  return p->kind == CRV_KIND_PROTOCOL_RUN && p->result->outcome == CRV_OUTCOME_PASSED &&
         !crv_scope_mismatch(CRV_DIMS_MEMORY, p, &c->demand, &omitted);
}

static bool document_covers(const struct crv_case *c, const struct crv_piece *p) {
  bool omitted = false;
  return p->kind == CRV_KIND_VENDOR_DOCUMENTATION &&
         !crv_scope_mismatch(CRV_DIMS_ARCHITECTURE, p, &c->demand, &omitted);
}

struct support {
  const struct crv_indexed *yes, *no, *expired;
};

static void look(const struct crv_case *c, const struct crv_indexed *ix, struct support *s) {
  const struct crv_piece *p = ix->rec->piece;
  const struct crv_sheet *sheet = c->ev->q->sheet;
  bool yes =
      run_covers(c, ix) || (document_covers(c, p) && list_names(&p->result->supports, sheet));
  bool no = document_covers(c, p) && list_names(&p->result->unsupported, sheet);
  if (ix->standing == CRV_STANDS_EXPIRED && yes && !s->expired) s->expired = ix;
  if (ix->standing != CRV_STANDS) return;
  if (yes && !s->yes) s->yes = ix;
  if (no && !s->no) s->no = ix;
}

static void asides(struct crv_case *c, struct crv_finding *f) {
  crv_runs_asides(f, crv_runs(c, CRV_DIMS_MEMORY));
}

static void support_finding(struct crv_case *c, enum crv_criterion id, const char *what) {
  struct support s = {NULL, NULL, NULL};
  for (size_t i = 0; i < c->n_pieces; i++) look(c, c->pieces[i], &s);
  const struct crv_runs *runs = crv_runs(c, CRV_DIMS_MEMORY);
  if (runs->n_unsupported && !s.no) s.no = runs->unsupported[0];
  struct crv_finding *f = crv_find(c, id, CRV_TO_CONFIRM, CRV_REASON_NO_EVIDENCE);
  crv_demanded(f, crv_f_text(what, id == CRV_CRIT_ARCHITECTURE ? wanted(c)->architecture
                                                               : wanted(c)->runtime));
  crv_observed(f, crv_f_text("architecture", architecture_of(c)));
  if (s.yes && s.no) {
    crv_find_conflict(c, f, s.yes->rec, s.no->rec, what);
  } else if (s.no) {
    f->verdict = CRV_EXCLUDED;
    f->reason = CRV_REASON_UNSUPPORTED;
    crv_find_cite(f, s.no->rec);
  } else if (s.yes) {
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_SATISFIED;
    crv_find_cite(f, s.yes->rec);
    f->n_pins = crv_scope_pins(s.yes->rec->piece, &c->demand, f->pins);
  } else if (s.expired || !c->demand.device) {
    crv_runs_to_confirm(c, f, runs);
    if (s.expired) {
      f->reason = CRV_REASON_EXPIRED;
      f->expired = true;
      crv_find_cite(f, s.expired->rec);
    }
  } else {
    crv_runs_to_confirm(c, f, runs);
  }
  asides(c, f);
}

/* The sheet may name the architecture itself; the device's is a fact of the model's table row. */
static void architecture_finding(struct crv_case *c) {
  const char *want = wanted(c)->architecture, *have = architecture_of(c);
  support_finding(c, CRV_CRIT_ARCHITECTURE, "architecture");
  struct crv_finding *f = &c->row->findings[c->row->n_findings - 1];
  if (c->ev->failed || !want || !have || !strcmp(want, have)) return;
  f->verdict = CRV_EXCLUDED;
  f->reason = CRV_REASON_CONTRADICTED;
  f->n_conditions = 0;
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

static void driver_ask(struct crv_case *c, struct crv_finding *f) {
  struct crv_fact p[] = {
      crv_f_text("supplier", c->offer->supplier),
      crv_f_text("supplier_ref", c->offer->supplier_ref ? c->offer->supplier_ref : c->rec->key),
      crv_f_text("rule", wanted(c)->driver),
  };
  if (!p[0].text) p[0] = crv_f_text("supplier", "the supplier");
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_DRIVER, p, 3,
                                 crv_arena_printf(c->ev->a, "device_report %s", c->rec->key)));
}

static void driver_finding(struct crv_case *c) {
  const char *rule = wanted(c)->driver;
  const struct crv_indexed *yes = NULL, *no = NULL;
  struct crv_finding *f = crv_find(c, CRV_CRIT_DRIVER, CRV_TO_CONFIRM, CRV_REASON_NO_EVIDENCE);
  crv_demanded(f, crv_f_text("driver", rule));
  for (size_t i = 0; i < c->n_pieces; i++) {
    const struct crv_indexed *ix = c->pieces[i];
    const char *have = driver_of(c, ix);
    if (!have) continue;
    if (ix->standing == CRV_STANDS_EXPIRED) {
      f->reason = CRV_REASON_EXPIRED;
      f->expired = true;
      crv_find_cite(f, ix->rec);
    }
    if (ix->standing != CRV_STANDS) continue;
    crv_observed(f, crv_f_text("driver", have));
    if (crv_version_matches(have, rule))
      yes = yes ? yes : ix;
    else
      no = no ? no : ix;
  }
  if (yes && no) {
    crv_find_conflict(c, f, yes->rec, no->rec, "the driver");
  } else if (yes || no) {
    f->verdict = yes ? CRV_ADMISSIBLE : CRV_EXCLUDED;
    f->reason = yes ? CRV_REASON_SATISFIED : CRV_REASON_CONTRADICTED;
    f->resolvable = !yes;
    f->expired = false;
    crv_find_cite(f, yes ? yes->rec : no->rec);
  } else {
    driver_ask(c, f);
  }
  asides(c, f);
}

/* -- managed service
 * ---------------------------------------------------------------------------------- */

static void managed_finding(struct crv_case *c) {
  bool want = c->ev->q->sheet->service_managed == CRV_TRUE;
  struct crv_attest at = crv_attest(c, "service.managed", 0);
  struct crv_finding *f = crv_find(c, CRV_CRIT_MANAGED, CRV_TO_CONFIRM, CRV_REASON_VALUE_UNKNOWN);
  crv_demanded(f, crv_f_bool("managed", want));
  if (at.value.set) crv_observed(f, crv_f_bool("managed", at.value.i != 0));
  bool differs = at.value.set && (at.value.i != 0) != want;
  if (differs && (at.how == CRV_ATTESTED || at.how == CRV_ATTEST_UNATTESTED)) {
    f->verdict = CRV_EXCLUDED;
    f->reason = at.how == CRV_ATTESTED ? CRV_REASON_CONTRADICTED : CRV_REASON_FALLS_SHORT;
    f->resolvable = true;
    crv_find_cite(f, at.piece);
  } else if (at.how == CRV_ATTESTED) {
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_SATISFIED;
    crv_find_cite(f, at.piece);
  } else {
    crv_attest_to_confirm(c, f, &at, "service.managed", want ? "managed" : "not managed");
  }
}

void crv_crit_software(struct crv_case *c) {
  const struct crv_sheet *s = c->ev->q->sheet;
  bool on = s->software || crv_task_has_model(s->task);
  if (on) architecture_finding(c);
  if (on) support_finding(c, CRV_CRIT_RUNTIME, "runtime");
  if (wanted(c)->driver) driver_finding(c);
  if (s->service_managed) managed_finding(c);
}
