/* latency, completion, errors, throughput: what a run on the supplier's own machine measured,
   against the sheet's targets. Another host is another measurement. Must not know: memory, prices.
 */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

/* How a run stands to one target. */
enum stand { MISSING, MEETS, FAILS };

typedef enum stand judge(const struct crv_acceptance *want, const struct crv_result *got,
                         struct crv_finding *f);

static enum stand at_most(struct crv_opt_int want, struct crv_opt_int got) {
  if (!want.set) return MEETS;
  if (!got.set) return MISSING;
  return got.v <= want.v ? MEETS : FAILS;
}

static enum stand at_least(struct crv_opt_int want, struct crv_opt_int got) {
  if (!want.set) return MEETS;
  if (!got.set) return MISSING;
  return got.v >= want.v ? MEETS : FAILS;
}

static enum stand worse(enum stand a, enum stand b) {
  if (a == FAILS || b == FAILS) return FAILS;
  return a == MISSING || b == MISSING ? MISSING : MEETS;
}

static enum stand judge_latency(const struct crv_acceptance *want, const struct crv_result *got,
                                struct crv_finding *f) {
  static const struct crv_latency_result none;
  const struct crv_latency *w = want->latency_ms;
  const struct crv_latency_result *g = got->latency_ms ? got->latency_ms : &none;
  struct {
    const char *name;
    struct crv_opt_int want, got;
  } t[] = {{"p50_ms", w->p50, g->p50},
           {"p90_ms", w->p90, g->p90},
           {"p95_ms", w->p95, g->p95},
           {"p99_ms", w->p99, g->p99},
           {"max_ms", w->max, g->max}};
  enum stand all = MEETS;
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    all = worse(all, at_most(t[i].want, t[i].got));
    if (f && t[i].want.set) crv_observed(f, crv_f_opt(t[i].name, CRV_FACT_INT, t[i].got));
  }
  return all;
}

static enum stand judge_completion(const struct crv_acceptance *want, const struct crv_result *got,
                                   struct crv_finding *f) {
  if (f) crv_observed(f, crv_f_opt("completion", CRV_FACT_DECIMAL, got->completion));
  return at_least(want->completion, got->completion);
}

static enum stand judge_errors(const struct crv_acceptance *want, const struct crv_result *got,
                               struct crv_finding *f) {
  if (f) crv_observed(f, crv_f_opt("errors", CRV_FACT_INT, got->errors));
  return at_most(want->errors, got->errors);
}

static enum stand judge_throughput(const struct crv_acceptance *want, const struct crv_result *got,
                                   struct crv_finding *f) {
  if (f) crv_observed(f, crv_f_opt("throughput", CRV_FACT_DECIMAL, got->throughput));
  if (f) crv_observed(f, crv_f_text("unit", got->throughput_unit));
  if (want->throughput_unit && !crv_streq(want->throughput_unit, got->throughput_unit))
    return MISSING;
  return at_least(want->throughput, got->throughput);
}

static const char *show_ms(struct crv_eval *ev, const char *text, const char *name,
                           struct crv_opt_int v) {
  if (!v.set) return text;
  return crv_arena_printf(ev->a, "%s%s%s ≤ %lld ms", text, *text ? ", " : "", name, (long long)v.v);
}

static const char *make_target(struct crv_eval *ev, enum crv_criterion id,
                               const struct crv_acceptance *w) {
  char figure[40];
  if (id == CRV_CRIT_LATENCY) {
    const char *t = show_ms(ev, "", "p50", w->latency_ms->p50);
    t = show_ms(ev, t ? t : "", "p90", w->latency_ms->p90);
    t = show_ms(ev, t ? t : "", "p95", w->latency_ms->p95);
    t = show_ms(ev, t ? t : "", "p99", w->latency_ms->p99);
    return show_ms(ev, t ? t : "", "max", w->latency_ms->max);
  }
  if (id == CRV_CRIT_ERRORS) return crv_arena_printf(ev->a, "at most %lld", (long long)w->errors.v);
  if (id == CRV_CRIT_COMPLETION)
    return crv_arena_printf(ev->a, "at least %s",
                            crv_decimal_text(w->completion.v, figure, sizeof figure));
  return crv_arena_printf(ev->a, "at least %s %s",
                          crv_decimal_text(w->throughput.v, figure, sizeof figure),
                          w->throughput_unit ? w->throughput_unit : "");
}

static const char *target_text(struct crv_eval *ev, enum crv_criterion id,
                               const struct crv_acceptance *w) {
  if (!ev->targets[id]) ev->targets[id] = make_target(ev, id, w);
  return ev->targets[id];
}

static void ask_run(struct crv_case *c, struct crv_finding *f, enum crv_criterion id) {
  const struct crv_offer *o = c->offer;
  struct crv_fact p[] = {
      crv_f_text("supplier", o->supplier ? o->supplier : "the supplier"),
      crv_f_text("supplier_ref", o->supplier_ref ? o->supplier_ref : c->rec->key),
      crv_f_text("what", crv_criterion_info(id)->id),
      crv_f_text("target", target_text(c->ev, id, c->ev->q->sheet->acceptance)),
  };
  crv_find_condition(
      f, crv_cond(c->ev, CRV_COND_RUN_RATE, p, 4,
                  crv_arena_printf(c->ev->a, "protocol_run at %s %s", p[0].text, p[1].text)));
}

/* Passes that meet the target and passes that miss it. */
struct verdicts {
  struct crv_hits yes, no;
};

static bool room(struct crv_case *c, const struct crv_runs *r, struct verdicts *v) {
  size_t n = r->pass.n + r->smaller.n + 1;
  v->yes.at = crv_new_array(c->ev->a, n, const struct crv_indexed *);
  v->no.at = crv_new_array(c->ev->a, n, const struct crv_indexed *);
  if (!v->yes.at || !v->no.at) c->ev->failed = true;
  return !c->ev->failed;
}

/* What is met at a larger load is met at this one. What is missed at a larger load says nothing; at
   a smaller one it is missed here as well, but for a throughput, which a larger load may raise. */
static void judge_all(struct crv_case *c, struct crv_finding *f, const struct crv_runs *r,
                      judge *fn, struct verdicts *v) {
  const struct crv_acceptance *want = c->ev->q->sheet->acceptance;
  for (size_t i = 0; i < r->pass.n; i++) {
    const struct crv_indexed *ix = r->pass.at[i];
    enum stand s = fn(want, ix->rec->piece->result, NULL);
    const char *beyond = crv_scope_magnitudes(ix->rec->piece, &c->demand, true);
    if (s == MEETS)
      v->yes.at[v->yes.n++] = ix;
    else if (s == FAILS && !beyond)
      v->no.at[v->no.n++] = ix;
    else
      crv_find_aside(f, ix->rec, s == FAILS ? CRV_ASIDE_OUT_OF_SCOPE : CRV_ASIDE_NOT_PROOF,
                     s == FAILS ? beyond : crv_reason_info(CRV_REASON_VALUE_UNKNOWN)->code);
  }
  for (size_t i = 0; i < r->smaller.n && f->criterion != CRV_CRIT_THROUGHPUT; i++)
    if (fn(want, r->smaller.at[i]->rec->piece->result, NULL) == FAILS)
      v->no.at[v->no.n++] = r->smaller.at[i];
}

static void met(struct crv_case *c, struct crv_finding *f, judge *fn, const struct crv_indexed *yes,
                const struct crv_hits *no) {
  f->verdict = CRV_ADMISSIBLE;
  f->reason = CRV_REASON_SATISFIED;
  crv_find_cite(f, yes->rec);
  fn(c->ev->q->sheet->acceptance, yes->rec->piece->result, f);
  f->n_pins = crv_scope_pins(yes->rec->piece, &c->demand, f->pins);
  crv_note_failures(c, no);
}

static void missed(struct crv_case *c, struct crv_finding *f, judge *fn,
                   const struct crv_hits *no) {
  f->verdict = CRV_EXCLUDED;
  f->reason = CRV_REASON_THRESHOLD_MISSED;
  for (size_t i = 0; i < no->n; i++) crv_find_cite(f, no->at[i]->rec);
  fn(c->ev->q->sheet->acceptance, no->at[0]->rec->piece->result, f);
}

/* An expired figure keeps its value, marked. */
static void open_still(struct crv_case *c, struct crv_finding *f, const struct crv_runs *r,
                       judge *fn) {
  crv_runs_to_confirm(c, f, r);
  f->n_conditions = 0;
  if (r->expired.n) fn(c->ev->q->sheet->acceptance, r->expired.at[0]->rec->piece->result, f);
  ask_run(c, f, f->criterion);
}

static void judged(struct crv_case *c, enum crv_criterion id, struct crv_fact demanded, judge *fn) {
  const struct crv_runs *r = crv_runs(c, CRV_DIMS_LATENCY);
  struct crv_finding *f = crv_find(c, id, CRV_TO_CONFIRM, CRV_REASON_NO_EVIDENCE);
  struct verdicts v = {{NULL, 0}, {NULL, 0}};
  crv_demanded(f, demanded);
  if (!room(c, r, &v)) return;
  judge_all(c, f, r, fn, &v);
  const struct crv_indexed *yes = crv_unopposed(c, &v.yes, &v.no);
  if (yes)
    met(c, f, fn, yes, &v.no);
  else if (v.yes.n)
    crv_find_conflict(c, f, v.yes.at[0]->rec, crv_opposed(c, v.yes.at[0], &v.no)->rec,
                      crv_criterion_info(id)->id);
  else if (v.no.n)
    missed(c, f, fn, &v.no);
  else
    open_still(c, f, r, fn);
  crv_runs_asides(f, r);
}

void crv_crit_acceptance(struct crv_case *c) {
  const struct crv_acceptance *w = c->ev->q->sheet->acceptance;
  if (!w) return;
  if (w->latency_ms)
    judged(c, CRV_CRIT_LATENCY, crv_f_text("targets", target_text(c->ev, CRV_CRIT_LATENCY, w)),
           judge_latency);
  if (w->completion.set)
    judged(c, CRV_CRIT_COMPLETION, crv_f_dec("at_least", w->completion.v), judge_completion);
  if (w->errors.set) judged(c, CRV_CRIT_ERRORS, crv_f_int("at_most", w->errors.v), judge_errors);
  if (w->throughput.set)
    judged(c, CRV_CRIT_THROUGHPUT, crv_f_dec("at_least", w->throughput.v), judge_throughput);
}
