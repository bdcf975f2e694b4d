/* A stored decision as an answer, and whether it still is the answer.
   Must not know: how it is evaluated. */
#ifndef CRV_API_DECISION_H
#define CRV_API_DECISION_H

#include <jansson.h>

#include "api/question.h"
#include "server/reply.h"

/* Whether a decision is still the answer, as told with it. */
struct crv_standing_now {
  bool told;      /* false: the answer doesn't say (a decision by its number) */
  unsigned stale; /* enum crv_stale bits; 0: current */
};

/* The answer: the stored result between the record's own members, always the same bytes for one
   record. d->number 0: a dry run, nothing stored. */
bool crv_decision_text(const struct crv_decision_row *d, const struct crv_standing_now *st,
                       struct crv_buf *out, struct crv_err *err);
/* The same as a new object over the parsed result (borrowed); NULL: out of memory. */
json_t *crv_decision_json(const struct crv_decision_row *d, const struct crv_standing_now *st,
                          const json_t *result);

/* Reads a decision by number (result included); in the request's arena. */
bool crv_decision_read(struct crv_req *rq, int64_t number, struct crv_decision_row *ret,
                       struct crv_asked *ret_asked, struct crv_err *err);
/* The newest decision of a sheet, with its question. NOT_FOUND with a hint. */
bool crv_decision_newest(struct crv_req *rq, const char *sheet, struct crv_decision_row *ret,
                         struct crv_asked *ret_asked, struct crv_err *err);
/* Is it still the answer at rq->now_ms? by_time: boundaries that passed count too. */
bool crv_decision_stale(struct crv_req *rq, const struct crv_decision_row *d,
                        const struct crv_asked *asked, bool by_time, unsigned *ret,
                        struct crv_err *err);
/* "sheet_revised, evidence_added" of bits, in the arena; "" when none. */
const char *crv_stale_text(unsigned bits, struct crv_arena *a);

#endif
