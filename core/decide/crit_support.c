/* software.architecture and software.runtime. A run in scope, at any magnitude, shows that both
   carry the load's formats; documentation may show the same, or the contrary; a machine's report
   shows the runtime that is installed on it. What runs and documents say is the same for every
   offer of the device. Must not know: memory, prices. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

struct crv_support {
  struct crv_hits yes, no;
  struct crv_hits elsewhere; /* runs of this load on another runtime than the named one */
  const struct crv_indexed *expired;
  const struct crv_indexed *best;   /* of yes, one that nothing denies if there is any */
  const struct crv_indexed *denied; /* denies the best; NULL: nothing does */
};

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
  const char *rule = crv_wanted_software(c)->runtime;
  const struct crv_offer *facts = p->result ? p->result->facts : NULL;
  return p->kind == CRV_KIND_DEVICE_REPORT && rule && facts && facts->software &&
         facts->software->runtime && crv_software_is(rule, facts->software->runtime) &&
         !mismatch(c, p, CRV_DIMS_SUPPLIER);
}

/* -- what runs and documents say ------------------------------------------------------------------
 */

static void look(const struct crv_case *c, enum crv_criterion id, const struct crv_indexed *ix,
                 struct crv_support *s) {
  const struct crv_piece *p = ix->rec->piece;
  const struct crv_sheet *sheet = c->ev->q->sheet;
  bool run = run_shows(c, p), document = !run && document_covers(c, p);
  bool yes = run || (document && list_names(&p->result->supports, sheet));
  bool no = document && list_names(&p->result->unsupported, sheet);
  if (id == CRV_CRIT_RUNTIME && (yes || no) && mismatch(c, p, CRV_DIMS_RUNTIME)) {
    if (run && ix->standing == CRV_STANDS) crv_hit(&s->elsewhere, ix);
    return;
  }
  if (ix->standing == CRV_STANDS_EXPIRED && yes && !s->expired) s->expired = ix;
  if (ix->standing != CRV_STANDS) return;
  if (yes) crv_hit(&s->yes, ix);
  if (no) crv_hit(&s->no, ix);
}

/* Against a failed run only a piece of its settings stands; documents have none. */
static const struct crv_indexed *denied(const struct crv_case *c, const struct crv_indexed *yes,
                                        const struct crv_hits *no) {
  for (size_t i = 0; i < no->n; i++) {
    const struct crv_indexed *ix = no->at[i];
    bool runs = yes->rec->piece->kind == CRV_KIND_PROTOCOL_RUN &&
                ix->rec->piece->kind != CRV_KIND_VENDOR_DOCUMENTATION;
    if (!runs || !crv_settings_differ(c, yes, ix)) return ix;
  }
  return NULL;
}

static void choose(const struct crv_case *c, struct crv_support *s) {
  for (size_t i = 0; i < s->yes.n; i++) {
    const struct crv_indexed *no = denied(c, s->yes.at[i], &s->no);
    if (s->best && no) continue;
    s->best = s->yes.at[i];
    s->denied = no;
    if (!no) return;
  }
}

static struct crv_support *make(struct crv_case *c, enum crv_criterion id,
                                const struct crv_hits *unsupported) {
  const struct crv_hits *pieces = &c->group->pieces;
  struct crv_support *s = crv_new(c->ev->a, struct crv_support);
  if (!s || !crv_hits_room(c->ev, &s->yes, pieces->n) ||
      !crv_hits_room(c->ev, &s->no, pieces->n + unsupported->n) ||
      !crv_hits_room(c->ev, &s->elsewhere, pieces->n))
    return NULL;
  for (size_t i = 0; i < pieces->n; i++) look(c, id, pieces->at[i], s);
  for (size_t i = 0; i < unsupported->n; i++) crv_hit(&s->no, unsupported->at[i]);
  choose(c, s);
  return s;
}

bool crv_support_make(struct crv_case *c, struct crv_base *b) {
  b->support[0] = make(c, CRV_CRIT_ARCHITECTURE, &b->runs.unsupported);
  b->support[1] = make(c, CRV_CRIT_RUNTIME, &b->runs.unsupported);
  return b->support[0] && b->support[1];
}

/* -- findings -------------------------------------------------------------------------------------
 */

/* The machine's own report, in date or not. */
static const struct crv_indexed *reported(const struct crv_case *c, enum crv_standing standing) {
  const struct crv_hits *named = &c->about->named;
  for (size_t i = 0; i < named->n; i++)
    if (named->at[i]->standing == standing && report_shows(c, named->at[i]->rec->piece))
      return named->at[i];
  return NULL;
}

static void supported(struct crv_case *c, struct crv_finding *f, const struct crv_indexed *yes,
                      const struct crv_indexed *no, const char *what) {
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

static void open_still(struct crv_case *c, struct crv_finding *f, const struct crv_support *s,
                       const struct crv_indexed *expired) {
  crv_runs_to_confirm(c, f, crv_runs(c, CRV_DIMS_MEMORY));
  if (s->elsewhere.n && f->reason == CRV_REASON_NO_EVIDENCE) f->reason = CRV_REASON_OUT_OF_SCOPE;
  if (!expired) return;
  f->reason = CRV_REASON_EXPIRED;
  f->expired = true;
  crv_find_cite(f, expired->rec);
}

static void support_finding(struct crv_case *c, enum crv_criterion id, const char *what) {
  bool runtime = id == CRV_CRIT_RUNTIME;
  const struct crv_support *s = c->base->support[runtime];
  const struct crv_software *wanted = crv_wanted_software(c);
  struct crv_finding *f = crv_find(c, id, CRV_TO_CONFIRM, CRV_REASON_NO_EVIDENCE);
  const struct crv_indexed *yes = s->best, *no = s->denied;
  if (runtime && (!yes || no) && reported(c, CRV_STANDS)) {
    yes = reported(c, CRV_STANDS);
    no = s->no.n ? s->no.at[0] : NULL;
  }
  crv_demanded(f, crv_f_text(what, runtime ? wanted->runtime : wanted->architecture));
  crv_observed(f, crv_f_text("architecture", architecture_of(c)));
  if (yes)
    supported(c, f, yes, no, what);
  else if (s->no.n)
    unsupported(f, &s->no);
  else
    open_still(c, f, s, s->expired || !runtime ? s->expired : reported(c, CRV_STANDS_EXPIRED));
  for (size_t i = 0; i < s->elsewhere.n; i++)
    crv_find_aside(f, s->elsewhere.at[i]->rec, CRV_ASIDE_OUT_OF_SCOPE, "runtime");
  crv_runs_asides(f, crv_runs(c, CRV_DIMS_MEMORY));
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
  const char *want = crv_wanted_software(c)->architecture, *known = table_architecture(c);
  support_finding(c, CRV_CRIT_ARCHITECTURE, "architecture");
  if (c->ev->failed || !want) return;
  struct crv_finding *f = &c->row->findings[c->row->n_findings - 1];
  if (f->verdict == CRV_EXCLUDED || (known && crv_architecture_is(want, known))) return;
  if (known)
    exclude(f, CRV_REASON_CONTRADICTED, false);
  else
    stated_architecture(c, f, want);
}

void crv_crit_support(struct crv_case *c) {
  architecture_finding(c);
  if (!c->ev->failed) support_finding(c, CRV_CRIT_RUNTIME, "runtime");
}
