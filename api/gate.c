/* Gates over a decision that was made or found. */
#include "api/gate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/answer.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"

bool crv_gate_read(struct crv_req *rq, struct crv_gate_asked *ret, struct crv_err *err) {
  const char *name = crv_req_param(rq, "gate");
  char names[128] = "";
  *ret = (struct crv_gate_asked){CRV_GATE_NONE, name};
  if (!name) return true;
  for (const struct crv_enum_name *n = crv_gate_names; n->name; n++) {
    size_t used = strlen(names);
    if (strcmp(n->name, name) == 0) {
      ret->gate = (enum crv_gate)n->value;
      return true;
    }
    snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", n->name);
  }
  return crv_fail(err, CRV_BAD_PARAMETER, "The parameter 'gate' takes one of: %s.", names);
}

bool crv_gate_needs_run(const struct crv_gate_asked *g) {
  return g->gate == CRV_GATE_WORKLOAD || g->gate == CRV_GATE_CURRENT;
}

/* Better is smaller. */
static int rank_of(const char *outcome) {
  for (int o = CRV_RETAINED; o <= CRV_NOTHING; o++)
    if (crv_streq(outcome, crv_outcome_name((enum crv_outcome_kind)o))) return o;
  return CRV_NOTHING + 1;
}

static bool no_worse(struct crv_rtx *tx, const struct crv_decision_row *d, struct crv_arena *a,
                     bool *ret_met, struct crv_err *err) {
  struct crv_decision_row before;
  *ret_met = true;
  if (!d->sheet_name) return true;
  if (crv_rd_decision_by_sheet(tx, d->sheet_name, d->number, a, &before, err)) {
    *ret_met = rank_of(d->outcome) <= rank_of(before.outcome);
    return true;
  }
  if (err->code != CRV_NOT_FOUND) return false;
  crv_err_init(err);
  return true;
}

bool crv_gate_check(struct crv_rtx *tx, const struct crv_gate_asked *g,
                    const struct crv_decision_row *d, const struct crv_evaluation *run,
                    struct crv_arena *a, bool *ret_met, struct crv_err *err) {
  *ret_met = true;
  switch (g->gate) {
  case CRV_GATE_NONE:
    return true;
  case CRV_GATE_RETAINED:
    *ret_met = d->n_retained > 0;
    return true;
  case CRV_GATE_PRESELECTION:
    *ret_met = d->n_retained + d->n_to_confirm > 0;
    return true;
  case CRV_GATE_NO_WORSE:
    return no_worse(tx, d, a, ret_met, err);
  case CRV_GATE_WORKLOAD:
  case CRV_GATE_CURRENT:
  default:
    break;
  }
  if (!run) return crv_bug(err, "gate %d without an evaluation", (int)g->gate);
  *ret_met = crv_gate_met(&run->s, g->gate);
  return true;
}

static bool problem_set(json_t *j, const struct crv_gate_asked *g, const struct crv_decision_row *d,
                        const json_t *result) {
  json_t *actions = json_object_get(result, "actions");
  json_t *counts = json_object_get(result, "counts");
  json_t *number = d->number ? json_integer(d->number) : json_null();
  return crv_json_set_text(j, "gate", g->name) && crv_json_set_steal(j, "decision", number) &&
         crv_json_set_text(j, "outcome", d->outcome) &&
         crv_json_set_text(j, "headline", d->headline) &&
         (!counts || json_object_set(j, "counts", counts) == 0) &&
         (!actions || json_object_set(j, "actions", actions) == 0);
}

static bool refuse_json(struct crv_req *rq, struct crv_resp *rs, const struct crv_gate_asked *g,
                        const struct crv_show *show, const struct crv_err *why,
                        struct crv_err *err) {
  _json_ json_t *parsed = NULL;
  const json_t *result = show->result;
  if (!result) {
    parsed = crv_json_parse_stored(show->row->result, show->row->result_len, err);
    if (!parsed) return false;
    result = parsed;
  }
  _json_ json_t *j = crv_problem_json(rq, why);
  if (!j || !problem_set(j, g, show->row, result)) return crv_no_memory(err);
  if (!crv_resp_json_steal(rq, rs, 409, crv_steal(&j), err)) return false;
  rs->content_type = "application/problem+json";
  return true;
}

/* The problem in words, then the page that a text without a gate would have been. */
static bool refuse_text(struct crv_req *rq, struct crv_resp *rs, const struct crv_show *show,
                        const struct crv_err *why, struct crv_err *err) {
  struct crv_resp problem;
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  crv_resp_init(&problem);
  crv_resp_problem(rq, &problem, why);
  if (problem.body) crv_buf_add(&b, problem.body, problem.body_len);
  crv_resp_done(&problem);
  crv_buf_char(&b, '\n');
  if (!crv_show_decision(rq, rs, 409, show, err)) return false;
  crv_buf_add(&b, rs->body, rs->body_len);
  return crv_answer_buf(rq, rs, 409, &b, err);
}

bool crv_gate_refuse(struct crv_req *rq, struct crv_resp *rs, const struct crv_gate_asked *g,
                     const struct crv_show *show, struct crv_err *err) {
  struct crv_err *why = crv_new(rq->arena, struct crv_err);
  if (!why) return crv_no_memory(err);
  crv_fail(why, CRV_GATE_NOT_MET, "The gate %s is not met. %s", g->name, show->row->headline);
  if (rq->format == CRV_F_JSON) return refuse_json(rq, rs, g, show, why, err);
  if (rq->format == CRV_F_TEXT) return refuse_text(rq, rs, show, why, err);
  return crv_show_decision(rq, rs, 409, show, err);
}
