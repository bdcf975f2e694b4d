/* A decision as an answer in the format that was asked for.
   Must not know: how it is made or found. */
#ifndef CRV_API_SHOW_H
#define CRV_API_SHOW_H

#include "api/decision.h"
#include "api/evaluate.h"

/* What an answer needs beside the record. */
struct crv_show {
  const struct crv_decision_row *row;
  const struct crv_sheet *sheet;
  struct crv_standing_now standing;
  const json_t *result;             /* parsed; NULL: parsed from the row when a format needs it */
  const struct crv_evaluation *run; /* JUnit shows its excluded rows; NULL: only the rows shown */
};
/* Fills body and content type with that status. */
bool crv_show_decision(struct crv_req *rq, struct crv_resp *rs, int status,
                       const struct crv_show *show, struct crv_err *err);
/* Every criterion of the offer, as text or (format JSON) as the full row. NOT_FOUND when the
   decision did not consider it. */
bool crv_show_row(struct crv_req *rq, struct crv_resp *rs, const struct crv_show *show,
                  const char *offer, struct crv_err *err);
/* The text in a page of HTML for browsers. */
bool crv_show_html(struct crv_req *rq, struct crv_resp *rs, const char *title, const char *text,
                   struct crv_err *err);

#endif
