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
  crv_observed(f, crv_f_text("input", p->scope->input));
}

/* Every pass is contradicted by a failure of the same settings. */
static bool all_contradicted(const struct crv_case *c, const struct crv_runs *r) {
  for (size_t i = 0; i < r->n_pass; i++) {
    size_t j = 0;
    while (j < r->n_oom && !crv_same_settings(c, r->pass[i]->rec->piece, r->oom[j]->rec->piece))
      j++;
    if (j == r->n_oom) return false;
  }
  return true;
}

static void executed_finding(struct crv_case *c, enum crv_criterion id, struct crv_fact demanded) {
  const struct crv_runs *r = crv_runs(c, CRV_DIMS_MEMORY);
  struct crv_finding *f = crv_find(c, id, CRV_TO_CONFIRM, CRV_REASON_NO_EVIDENCE);
  crv_demanded(f, demanded);
  if (r->n_pass && all_contradicted(c, r)) {
    crv_find_conflict(c, f, r->pass[0]->rec, r->oom[0]->rec, "whether the load fits");
  } else if (r->n_pass) {
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_SATISFIED;
    for (size_t i = 0; i < r->n_pass; i++) crv_find_cite(f, r->pass[i]->rec);
    executed_facts(f, r->pass[0]->rec->piece);
    f->n_pins = crv_scope_pins(r->pass[0]->rec->piece, &c->demand, f->pins);
  } else if (r->n_oom) {
    f->verdict = CRV_EXCLUDED;
    f->reason = CRV_REASON_OUT_OF_MEMORY;
    for (size_t i = 0; i < r->n_oom; i++) crv_find_cite(f, r->oom[i]->rec);
  } else {
    crv_runs_to_confirm(c, f, r);
    return;
  }
  crv_runs_asides(f, r);
}

void crv_crit_executed(struct crv_case *c) {
  const struct crv_sheet *s = c->ev->q->sheet;
  bool model = crv_task_has_model(s->task);
  if (model)
    executed_finding(c, CRV_CRIT_LENGTH, crv_f_opt("length", CRV_FACT_INT, c->demand.length));
  if (s->task == CRV_TASK_INFERENCE)
    executed_finding(c, CRV_CRIT_CONCURRENCY,
                     crv_f_opt("concurrency", CRV_FACT_INT, c->demand.concurrency));
  if (s->task == CRV_TASK_ADAPTATION || s->task == CRV_TASK_TRAINING)
    executed_finding(c, CRV_CRIT_MICROBATCH,
                     crv_f_opt("microbatch", CRV_FACT_INT, c->demand.microbatch));
  if (!model)
    executed_finding(c, CRV_CRIT_SCENE,
                     crv_f_text("input", s->scene ? s->scene->largest_input : NULL));
}
