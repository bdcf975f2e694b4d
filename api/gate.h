/* ?gate=: what a build asks of a decision. A gate that is not met is 409, with the decision stored
   all the same. */
#ifndef CRV_API_GATE_H
#define CRV_API_GATE_H

#include "api/show.h"

struct crv_gate_asked {
  enum crv_gate gate; /* CRV_GATE_NONE: none was asked */
  const char *name;
};
/* Reads ?gate=. BAD_PARAMETER naming the gates. */
bool crv_gate_read(struct crv_req *rq, struct crv_gate_asked *ret, struct crv_err *err);
/* Does the gate need the whole matrix, beyond a stored decision's counts? */
bool crv_gate_needs_run(const struct crv_gate_asked *g);
/* tx: for the decision before this one. run may be NULL unless crv_gate_needs_run. */
bool crv_gate_check(struct crv_rtx *tx, const struct crv_gate_asked *g,
                    const struct crv_decision_row *d, const struct crv_evaluation *run,
                    struct crv_arena *a, bool *ret_met, struct crv_err *err);
/* The answer of a gate that is not met: the problem with decision, outcome, headline and actions,
   or the decision itself in JUnit, CSV and Markdown; status 409. */
bool crv_gate_refuse(struct crv_req *rq, struct crv_resp *rs, const struct crv_gate_asked *g,
                     const struct crv_show *show, struct crv_err *err);

#endif
