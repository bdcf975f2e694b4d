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

/* The table's row is a fact about the model; what the offer says of itself comes after it. */
static const char *table_architecture(const struct crv_case *c) {
  return c->model && *c->model->architecture ? c->model->architecture : NULL;
}

static const char *architecture_of(const struct crv_case *c) {
  const char *known = table_architecture(c);
  if (known) return known;
  return c->offer->device ? c->offer->device->architecture : NULL;
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

static bool mismatch(const struct crv_case *c, const struct crv_piece *p, enum crv_dim_set set) {
  bool omitted = false;
  return crv_scope_mismatch(set, p, &c->demand, &omitted) != NULL;
}

/* A passing run of this load at any magnitude. */
static bool run_shows(const struct crv_case *c, const struct crv_piece *p) {
  return p->kind == CRV_KIND_PROTOCOL_RUN && p->result->outcome == CRV_OUTCOME_PASSED &&
         !mismatch(c, p, CRV_DIMS_MEMORY);
}

static bool document_covers(const struct crv_case *c, const struct crv_piece *p) {
  return p->kind == CRV_KIND_VENDOR_DOCUMENTATION && p->result &&
         !mismatch(c, p, CRV_DIMS_ARCHITECTURE);
}

/* What this machine says is installed on it. */
static bool report_shows(const struct crv_case *c, const struct crv_piece *p) {
  const char *rule = wanted(c)->runtime;
  const struct crv_offer *facts = p->result ? p->result->facts : NULL;
  return p->kind == CRV_KIND_DEVICE_REPORT && rule && facts && facts->software &&
         facts->software->runtime && crv_software_is(rule, facts->software->runtime) &&
         !mismatch(c, p, CRV_DIMS_SUPPLIER);
}

struct support {
  struct crv_hits yes, no;
  const struct crv_indexed *expired;
};

static void look(const struct crv_case *c, enum crv_criterion id, const struct crv_indexed *ix,
                 struct support *s) {
  const struct crv_piece *p = ix->rec->piece;
  const struct crv_sheet *sheet = c->ev->q->sheet;
  bool document = document_covers(c, p);
  bool yes = run_shows(c, p) || (document && list_names(&p->result->supports, sheet));
  bool no = document && list_names(&p->result->unsupported, sheet);
  if (id == CRV_CRIT_RUNTIME && (yes || no) && mismatch(c, p, CRV_DIMS_RUNTIME)) yes = no = false;
  if (id == CRV_CRIT_RUNTIME && report_shows(c, p)) yes = true;
  if (ix->standing == CRV_STANDS_EXPIRED && yes && !s->expired) s->expired = ix;
  if (ix->standing != CRV_STANDS) return;
  if (yes) s->yes.at[s->yes.n++] = ix;
  if (no) s->no.at[s->no.n++] = ix;
}

/* A run of this load on another runtime than the one that is named. */
static void runtime_asides(struct crv_case *c, struct crv_finding *f) {
  if (f->criterion != CRV_CRIT_RUNTIME || !wanted(c)->runtime) return;
  for (size_t i = 0; i < c->n_pieces; i++) {
    const struct crv_indexed *ix = c->pieces[i];
    if (ix->standing != CRV_STANDS || !run_shows(c, ix->rec->piece) ||
        !mismatch(c, ix->rec->piece, CRV_DIMS_RUNTIME))
      continue;
    crv_find_aside(f, ix->rec, CRV_ASIDE_OUT_OF_SCOPE, "runtime");
    if (f->reason == CRV_REASON_NO_EVIDENCE) f->reason = CRV_REASON_OUT_OF_SCOPE;
  }
}

/* Against a failed run only a piece of its settings stands; documents have none. */
static const struct crv_indexed *denied(const struct crv_case *c, const struct crv_indexed *yes,
                                        const struct crv_hits *no) {
  for (size_t i = 0; i < no->n; i++) {
    const struct crv_indexed *ix = no->at[i];
    bool runs = yes->rec->piece->kind == CRV_KIND_PROTOCOL_RUN &&
                ix->rec->piece->kind != CRV_KIND_VENDOR_DOCUMENTATION;
    if (!runs || crv_same_settings(c, yes->rec->piece, ix->rec->piece)) return ix;
  }
  return NULL;
}

static void supported(struct crv_case *c, struct crv_finding *f, const struct support *s,
                      const char *what) {
  const struct crv_indexed *yes = s->yes.at[0];
  for (size_t i = s->yes.n; i-- > 0;)
    if (!denied(c, s->yes.at[i], &s->no)) yes = s->yes.at[i];
  const struct crv_indexed *no = denied(c, yes, &s->no);
  if (no) {
    crv_find_conflict(c, f, yes->rec, no->rec, what);
    return;
  }
  f->verdict = CRV_ADMISSIBLE;
  f->reason = CRV_REASON_SATISFIED;
  crv_find_cite(f, yes->rec);
  f->n_pins = crv_scope_pins(yes->rec->piece, &c->demand, f->pins);
}

static void unsupported(struct crv_finding *f, const struct crv_hits *no) {
  f->verdict = CRV_EXCLUDED;
  f->reason = CRV_REASON_UNSUPPORTED;
  for (size_t i = 0; i < no->n; i++) crv_find_cite(f, no->at[i]->rec);
}

static bool support_room(struct crv_case *c, const struct crv_runs *runs, struct support *s) {
  memset(s, 0, sizeof *s);
  s->yes.at = crv_new_array(c->ev->a, c->n_pieces + 1, const struct crv_indexed *);
  s->no.at =
      crv_new_array(c->ev->a, c->n_pieces + runs->unsupported.n + 1, const struct crv_indexed *);
  if (!s->yes.at || !s->no.at) c->ev->failed = true;
  return !c->ev->failed;
}

static void support_finding(struct crv_case *c, enum crv_criterion id, const char *what) {
  struct support s;
  const struct crv_runs *runs = crv_runs(c, CRV_DIMS_MEMORY);
  struct crv_finding *f = crv_find(c, id, CRV_TO_CONFIRM, CRV_REASON_NO_EVIDENCE);
  if (!support_room(c, runs, &s)) return;
  for (size_t i = 0; i < c->n_pieces; i++) look(c, id, c->pieces[i], &s);
  for (size_t i = 0; i < runs->unsupported.n; i++) s.no.at[s.no.n++] = runs->unsupported.at[i];
  crv_demanded(f, crv_f_text(what, id == CRV_CRIT_ARCHITECTURE ? wanted(c)->architecture
                                                               : wanted(c)->runtime));
  crv_observed(f, crv_f_text("architecture", architecture_of(c)));
  if (s.yes.n) {
    supported(c, f, &s, what);
  } else if (s.no.n) {
    unsupported(f, &s.no);
  } else {
    crv_runs_to_confirm(c, f, runs);
    if (s.expired) {
      f->reason = CRV_REASON_EXPIRED;
      f->expired = true;
      crv_find_cite(f, s.expired->rec);
    }
  }
  runtime_asides(c, f);
  crv_runs_asides(f, runs);
}

static void exclude(struct crv_finding *f, enum crv_reason r, bool resolvable) {
  f->verdict = CRV_EXCLUDED;
  f->reason = r;
  f->resolvable = resolvable;
  f->n_conditions = 0;
}

/* The device is not in the table: the architecture is what a document or the offer says. */
static void stated_architecture(struct crv_case *c, struct crv_finding *f, const char *want) {
  struct crv_attest at = crv_attest(c, "device.architecture", 0);
  bool own_words = at.how == CRV_ATTEST_UNATTESTED || at.how == CRV_ATTEST_EXPIRED;
  bool same = at.value.set && crv_architecture_is(want, at.value.text);
  if (at.value.set && !same && (at.how == CRV_ATTESTED || own_words)) {
    exclude(f, own_words ? CRV_REASON_FALLS_SHORT : CRV_REASON_CONTRADICTED, true);
    crv_find_cite(f, at.piece);
  } else if (same && at.how == CRV_ATTESTED) {
    crv_find_cite(f, at.piece);
  } else {
    enum crv_reason before = f->reason;
    bool open = f->verdict == CRV_TO_CONFIRM;
    crv_attest_to_confirm(c, f, &at, "device.architecture", want);
    if (open) f->reason = before;
  }
}

/* The sheet may name the architecture itself. */
static void architecture_finding(struct crv_case *c) {
  const char *want = wanted(c)->architecture, *known = table_architecture(c);
  support_finding(c, CRV_CRIT_ARCHITECTURE, "architecture");
  if (c->ev->failed || !want) return;
  struct crv_finding *f = &c->row->findings[c->row->n_findings - 1];
  if (f->verdict == CRV_EXCLUDED || (known && crv_architecture_is(want, known))) return;
  if (known)
    exclude(f, CRV_REASON_CONTRADICTED, false);
  else
    stated_architecture(c, f, want);
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
  bool differs = at.value.set && (at.value.i != 0) != want;
  bool own_words = at.how == CRV_ATTEST_UNATTESTED || at.how == CRV_ATTEST_EXPIRED;
  if (differs && (at.how == CRV_ATTESTED || own_words)) {
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
