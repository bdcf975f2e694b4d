/* length.executed, concurrency.executed, microbatch.executed, scene.executed: a run in scope
   executed the demanded dimensions, jointly. Must not know: memory figures. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

static void executed_facts(struct crv_finding *f, const struct crv_piece *p) {
  struct crv_executed x;
  crv_piece_executed(p, &x);
  if (x.length.set) crv_observed(f, crv_f_int("length", x.length.v));
  if (x.concurrency.set) crv_observed(f, crv_f_int("concurrency", x.concurrency.v));
  if (x.microbatch.set) crv_observed(f, crv_f_int("microbatch", x.microbatch.v));
  if (x.rank.set) crv_observed(f, crv_f_int("rank", x.rank.v));
  if (x.jobs.set) crv_observed(f, crv_f_int("jobs", x.jobs.v));
  if (p->scope->input) crv_observed(f, crv_f_text("input", p->scope->input));
}

/* The sheet demands nothing here yet: its owner is asked what the sheet's own finding asks. */
static void not_demanded(struct crv_case *c, struct crv_finding *f, const char *field) {
  const struct crv_eval *ev = c->ev;
  f->reason = CRV_REASON_FIELD_MISSING;
  for (size_t i = 0; i < ev->n_missing; i++) {
    const struct crv_missing *m = &ev->missing[i];
    if (strncmp(m->field, field, strlen(field)) != 0) continue;
    struct crv_fact p[] = {crv_f_text("field", m->field), crv_f_text("why", m->why)};
    crv_find_condition(f, crv_cond(c->ev, CRV_COND_SHEET_FIELD, p, 2, "sheet"));
  }
}

static void passed(struct crv_case *c, struct crv_finding *f, const struct crv_runs *r,
                   const struct crv_piece_rec *proof) {
  f->verdict = CRV_ADMISSIBLE;
  f->reason = CRV_REASON_SATISFIED;
  crv_find_cite(f, proof);
  for (size_t i = 0; i < r->pass.n; i++)
    if (!c->base->against[i]) crv_find_cite(f, r->pass.at[i]->rec);
  executed_facts(f, proof->piece);
  f->n_pins = crv_scope_pins(proof->piece, &c->demand, f->pins);
}

static const struct crv_indexed *unopposed(const struct crv_case *c, const struct crv_runs *r) {
  for (size_t i = 0; i < r->pass.n; i++)
    if (!c->base->against[i]) return r->pass.at[i];
  return NULL;
}

static void executed_finding(struct crv_case *c, enum crv_criterion id, struct crv_fact demanded) {
  const struct crv_runs *r = crv_runs(c, CRV_DIMS_MEMORY);
  struct crv_finding *f = crv_find(c, id, CRV_TO_CONFIRM, CRV_REASON_NO_EVIDENCE);
  if (c->ev->failed) return;
  const struct crv_indexed *proof = unopposed(c, r);
  crv_demanded(f, demanded);
  if (proof) {
    passed(c, f, r, proof->rec);
  } else if (r->pass.n) {
    crv_find_conflict(c, f, r->pass.at[0]->rec, c->base->against[0]->rec, "whether the load fits");
  } else if (r->oom.n) {
    f->verdict = CRV_EXCLUDED;
    f->reason = CRV_REASON_OUT_OF_MEMORY;
    for (size_t i = 0; i < r->oom.n; i++) crv_find_cite(f, r->oom.at[i]->rec);
  } else {
    crv_runs_to_confirm(c, f, r);
  }
  crv_runs_asides(f, r);
}

static void one(struct crv_case *c, enum crv_criterion id, struct crv_fact demanded,
                const char *field) {
  if (demanded.type != CRV_FACT_NULL) {
    executed_finding(c, id, demanded);
    return;
  }
  struct crv_finding *f = crv_find(c, id, CRV_TO_CONFIRM, CRV_REASON_FIELD_MISSING);
  not_demanded(c, f, field);
  if (f->n_conditions == 0) crv_find_condition(f, crv_run_condition(c));
}

void crv_crit_executed(struct crv_case *c) {
  const struct crv_sheet *s = c->ev->q->sheet;
  bool model = crv_task_has_model(s->task);
  if (model)
    one(c, CRV_CRIT_LENGTH, crv_f_opt("length", CRV_FACT_INT, c->demand.length),
        s->task == CRV_TASK_INFERENCE ? "length" : "sequence");
  if (s->task == CRV_TASK_INFERENCE)
    one(c, CRV_CRIT_CONCURRENCY, crv_f_opt("concurrency", CRV_FACT_INT, c->demand.concurrency),
        "concurrency");
  if (s->task == CRV_TASK_ADAPTATION || s->task == CRV_TASK_TRAINING)
    one(c, CRV_CRIT_MICROBATCH, crv_f_opt("microbatch", CRV_FACT_INT, c->demand.microbatch),
        "microbatch");
  if (!model)
    one(c, CRV_CRIT_SCENE, crv_f_text("input", s->scene ? s->scene->largest_input : NULL), "scene");
}
