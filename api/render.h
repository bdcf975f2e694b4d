/* A decision in the formats that are not JSON, from its answer's JSON alone.
   Must not know: how a decision is made or kept. */
#ifndef CRV_API_RENDER_H
#define CRV_API_RENDER_H

#include <jansson.h>

#include "api/table.h"
#include "core/sheet/sheet.h"

struct crv_render {
  const json_t *decision;        /* the answer */
  const struct crv_sheet *sheet; /* for the line of the demand; NULL: no line */
  const json_t *excluded;        /* JUnit: excluded rows in full, or NULL */
  bool raw;                      /* CSV without the guard against formulas */
};

/* Each appends to out, whose sticky error tells of memory. */
void crv_render_text(const struct crv_render *r, struct crv_buf *out);
void crv_render_csv(const struct crv_render *r, struct crv_buf *out);
void crv_render_md(const struct crv_render *r, struct crv_buf *out);
void crv_render_junit(const struct crv_render *r, struct crv_buf *out);
/* Every criterion of one full row, for people. */
void crv_render_why(const struct crv_render *r, const json_t *row, struct crv_buf *out);
/* The budget's JSON for people. */
void crv_render_budget(const json_t *budget, struct crv_buf *out);
/* A diagnosis (crv_diagnosis_json) as text. */
void crv_render_diagnosis(const json_t *diagnosis, struct crv_buf *out);

/* -- parts that formats share -------------------------------------------------------------- */

enum { CRV_CELL = 256 };

/* The row tables of people's formats. */
extern const struct crv_column crv_row_columns[];
extern const size_t crv_n_row_columns;
void crv_row_cells(struct crv_table *t, const json_t *row);
/* "19.04 GiB", or "unknown" when v is no integer; CRV_CELL bytes; returns out. */
char *crv_gib_of(const json_t *v, char *out);
/* "47.14 USD", "unknown"; CRV_CELL bytes; returns out. */
char *crv_cost_of(const json_t *row, char *out);
/* The lines below come without a label and without a line end. What the sheet demands: */
void crv_demand_line(const struct crv_render *r, struct crv_buf *out);
/* The budget: floor, reserve, envelope, unknown items. */
void crv_budget_line(const json_t *budget, struct crv_buf *out);
/* "Decision 17 is stale (offer_versioned): ..." or nothing. */
void crv_stale_line(const json_t *decision, struct crv_buf *out);
/* An action, whom to ask, and what it alone would retain. */
void crv_action_line(const json_t *action, struct crv_buf *out);
/* "Retained 3 of 41; 9 to confirm; 29 excluded; 12 rows shown; decision 17". */
void crv_footer_line(const json_t *decision, struct crv_buf *out);
/* The conditions of a criterion as sentences, joined by " | "; of a row when criterion is NULL. */
void crv_condition_texts(const json_t *row, const json_t *criterion, struct crv_buf *out);
/* A member's value for people: "20442450944" under a name in _bytes is "19.04 GiB (20442450944 B)".
 */
void crv_value_words(const char *name, const json_t *v, struct crv_buf *out);

#endif
