/* A decision as Markdown, for issues and minutes. */
#include <inttypes.h>
#include <stdio.h>

#include "api/answer.h"
#include "api/render.h"

static void table(const json_t *rows, const char *title, struct crv_buf *out) {
  _table_ struct crv_table t = {0};
  size_t i;
  json_t *row;
  if (json_array_size(rows) == 0) return;
  crv_table_init(&t, crv_row_columns, crv_n_row_columns);
  json_array_foreach(rows, i, row) {
    crv_row_cells(&t, row);
  }
  crv_buf_printf(out, "\n## %s\n\n", title);
  crv_table_md(&t, out);
}

/* What a shared part makes of j, if anything, as one line after label. */
static void line(void (*part)(const json_t *, struct crv_buf *), const json_t *j, const char *label,
                 struct crv_buf *out) {
  struct crv_buf b;
  crv_buf_init(&b, 0);
  part(j, &b);
  if (b.failed)
    out->failed = true;
  else if (b.len) {
    crv_buf_str(out, label);
    crv_md_text(out, b.data);
    crv_buf_char(out, '\n');
  }
  crv_buf_done(&b);
}

static void demand(const struct crv_render *r, struct crv_buf *out) {
  struct crv_buf b;
  crv_buf_init(&b, 0);
  crv_demand_line(r, &b);
  if (b.failed)
    out->failed = true;
  else if (b.len) {
    crv_buf_str(out, "\nDemand: ");
    crv_md_text(out, b.data);
    crv_buf_char(out, '\n');
  }
  crv_buf_done(&b);
}

static void excluded(const json_t *decision, struct crv_buf *out) {
  const json_t *by = crv_json_at(decision, "excluded.by_criterion");
  size_t i;
  json_t *v;
  if (json_array_size(by) == 0) return;
  crv_buf_str(out, "\n## Excluded\n\n");
  json_array_foreach(by, i, v) {
    crv_buf_printf(out, "- %" PRId64 " by ", crv_json_int(v, "count", 0));
    crv_md_text(out, crv_json_text(v, "criterion"));
    crv_buf_char(out, '\n');
  }
}

static void actions(const json_t *decision, struct crv_buf *out) {
  const json_t *list = json_object_get(decision, "actions");
  size_t i;
  json_t *v;
  if (json_array_size(list) == 0) return;
  crv_buf_str(out, "\n## What would settle it\n\n");
  json_array_foreach(list, i, v) {
    char number[24];
    snprintf(number, sizeof number, "%zu. ", i + 1);
    line(crv_action_line, v, number, out);
  }
}

void crv_render_md(const struct crv_render *r, struct crv_buf *out) {
  const json_t *d = r->decision;
  const char *headline = crv_json_text(d, "headline");
  crv_buf_str(out, "**");
  crv_md_text(out, headline ? headline : "");
  crv_buf_str(out, "**\n");
  line(crv_stale_line, d, "\n", out);
  demand(r, out);
  line(crv_budget_line, json_object_get(d, "budget"), "\nBudget: ", out);
  table(json_object_get(d, "retained"), "Retained", out);
  table(json_object_get(d, "preselection"), "To confirm", out);
  excluded(d, out);
  actions(d, out);
  line(crv_footer_line, d, "\n", out);
}
