/* GET /v1/sheets/{name}/shortlist: the newest stored decision of a sheet, and whether it still is
   the answer. Nothing is evaluated or written. */
#include <inttypes.h>

#include "api/answer.h"
#include "api/handlers.h"
#include "api/shortlist.h"

/* From number, status and what passed, so that a 304 never hides staleness. */
static bool tag(struct crv_req *rq, struct crv_resp *rs, const struct crv_show *show,
                struct crv_err *err) {
  const char *seed = crv_arena_printf(rq->arena, "%" PRId64 " %s %u", show->row->number,
                                      show->row->digest, show->standing.stale);
  return seed ? crv_answer_tag(rq, rs, seed, err) : crv_no_memory(err);
}

bool crv_shortlist_show(struct crv_req *rq, struct crv_resp *rs, const char *sheet, const char *why,
                        struct crv_err *err) {
  struct crv_decision_row *row = crv_new(rq->arena, struct crv_decision_row);
  struct crv_asked *asked = crv_new(rq->arena, struct crv_asked);
  struct crv_evaluation *run = crv_new(rq->arena, struct crv_evaluation);
  struct crv_show show = {.row = row, .standing = {.told = true}};
  if (!row || !asked || !run) return crv_no_memory(err);
  if (!crv_decision_newest(rq, sheet, row, asked, err) ||
      !crv_decision_stale(rq, row, asked, true, &show.standing.stale, err))
    return false;
  show.sheet = asked->sheet;
  if (why || rq->format == CRV_F_JUNIT) {
    if (!crv_evaluate_again(rq, row, asked, run, err)) return false;
    show.run = run;
  }
  bool ok =
      why ? crv_show_row(rq, rs, &show, why, err) : crv_show_decision(rq, rs, 200, &show, err);
  return ok && tag(rq, rs, &show, err) &&
         crv_answer_header(rs, "Decision-Status", show.standing.stale ? "stale" : "current", err) &&
         (!show.standing.stale ||
          crv_answer_header(rs, "Decision-Stale-Because",
                            crv_stale_text(show.standing.stale, rq->arena), err));
}

bool crv_h_shortlist(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *name;
  return crv_req_key(rq, 0, &name, err) && crv_shortlist_show(rq, rs, name, NULL, err);
}
