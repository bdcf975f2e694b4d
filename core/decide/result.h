/* What the parts that follow from the rows share: actions, headline, JSON, staleness. Inside
   core/decide only. */
#ifndef CRV_DECIDE_RESULT_H
#define CRV_DECIDE_RESULT_H

#include "core/decide/eval.h"

/* -- actions.c ------------------------------------------------------------------------------------
 */

enum { CRV_MAX_ACTIONS = 20 };

/* action_text.c: "Run the limit stage on one RTX 4090, any supplier" of conditions that one piece
   settles (n >= 1). NULL: out of memory. */
const char *crv_action_text(struct crv_arena *a, const struct crv_condition *const *conds, size_t n,
                            int64_t points, int64_t offers);

/* -- reach.c: what a question touches -------------------------------------------------------------
 */

struct crv_reach;
/* Over every version that the catalogue knows and that passes the question's filter. NULL: out of
   memory. */
struct crv_reach *crv_reach_new(const struct crv_question *q, const struct crv_catalogue *catalogue,
                                const struct crv_evidence *evidence, struct crv_arena *a);
/* Does some version of the offer pass the filter? */
bool crv_reach_offer(const struct crv_reach *r, const char *key);
/* Would the piece be considered for one of those offers, and can its kind prove a criterion that
   the sheet makes active? Also: a piece that an offer cites, and one that supersedes such a piece.
 */
bool crv_reach_piece(const struct crv_reach *r, const struct crv_piece_rec *rec);
/* Is this very version cited as the source of one of those offers? */
bool crv_reach_cites(const struct crv_reach *r, const struct crv_piece_rec *rec);

/* -- JSON -----------------------------------------------------------------------------------------
 */

json_t *crv_condition_json(const struct crv_condition *c);
/* Is the margin, or what the finding observed, a private piece's figure? It then stays with it. */
bool crv_margin_hidden(const struct crv_row *r);
bool crv_finding_private(const struct crv_finding *f);
/* "key@version" texts; NULL: out of memory. */
json_t *crv_refs_json(const struct crv_piece_rec *const *recs, size_t n);
json_t *crv_texts_json(const struct crv_list *texts);
json_t *crv_cost_json(const struct crv_cost *k);
json_t *crv_decided_json(const struct crv_row *r);
/* Both take over v, also on failure; false when v is NULL or memory ends: a part that could not be
   made never goes missing in silence. */
bool crv_array_add(json_t *array, json_t *v);
bool crv_set_value(json_t *object, const char *key, json_t *v);
/* Rows of the answer under the question's limit: retained first, then preselection. */
struct crv_shown {
  size_t retained, preselection;
};
struct crv_shown crv_shown_rows(const struct crv_shortlist *s);
/* current.c: the configuration in use beside the shown rows. */
bool crv_current_json(const struct crv_shortlist *s, json_t *out);
/* The row of the configuration in use; *ret_named tells whether the sheet names one at all. */
const struct crv_row *crv_current_row(const struct crv_shortlist *s, bool *ret_named);

#endif
