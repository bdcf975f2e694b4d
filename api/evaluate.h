/* From a question to a shortlist over the current snapshots, and the record to store of it.
   Must not know: formats, gates. */
#ifndef CRV_API_EVALUATE_H
#define CRV_API_EVALUATE_H

#include <jansson.h>

#include "api/question.h"
#include "api/world.h"

struct crv_evaluation {
  struct crv_arena *arena; /* without a cap; ends with the request */
  struct crv_view view;
  struct crv_question q;
  struct crv_shortlist s;
  const json_t *result;        /* borrowed; ends with the request */
  struct crv_decision_row row; /* what is to be stored, but for revision, number and decided_at */
};

/* Answers the question now: at asked->as_of, else at the last instant that changed something. */
bool crv_evaluate(struct crv_req *rq, const struct crv_asked *asked, struct crv_evaluation *ret,
                  struct crv_err *err);
/* Answers a stored decision's question again from the records of its positions; result and row are
   not filled. CONFLICT when it was made under other rules or its matrix comes out otherwise. */
bool crv_evaluate_again(struct crv_req *rq, const struct crv_decision_row *d,
                        const struct crv_asked *asked, struct crv_evaluation *ret,
                        struct crv_err *err);
/* The row of an offer, or NULL. */
const struct crv_row *crv_evaluation_row(const struct crv_evaluation *e, const char *offer);

#endif
