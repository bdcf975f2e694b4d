/* A decision as a page of text, at most 100 columns wide: headline, demand, budget, the three
   tables, what to ask, footer. */
#include <inttypes.h>
#include <string.h>

#include "api/answer.h"
#include "api/render.h"

static void wrapped(struct crv_buf *out, const char *text, size_t indent) {
  crv_text_wrap(out, text, 0, indent, CRV_TEXT_COLUMNS);
}

/* A label of eight columns and what one of the shared parts says, wrapped beside it. */
static void labelled(struct crv_buf *out, const char *label, struct crv_buf *line) {
  if (line->failed)
    out->failed = true;
  else if (line->len) {
    crv_buf_printf(out, "%-8s", label);
    crv_text_wrap(out, line->data, 8, 8, CRV_TEXT_COLUMNS);
  }
  crv_buf_done(line);
  crv_buf_init(line, 0);
}

static void head(const struct crv_render *r, struct crv_buf *out) {
  struct crv_buf line;
  const char *headline = crv_json_text(r->decision, "headline");
  wrapped(out, headline ? headline : "", 0);
  crv_buf_init(&line, 0);
  crv_stale_line(r->decision, &line);
  if (line.failed)
    out->failed = true;
  else if (line.len)
    wrapped(out, line.data, 2);
  crv_buf_done(&line);
  crv_buf_init(&line, 0);
  crv_buf_char(out, '\n');
  crv_demand_line(r, &line);
  labelled(out, "Demand", &line);
  crv_budget_line(json_object_get(r->decision, "budget"), &line);
  labelled(out, "Budget", &line);
  crv_buf_done(&line);
}

/* The rows of a list that have the outlook (NULL: all). */
static void table(const json_t *rows, const char *title, const char *outlook, struct crv_buf *out) {
  _table_ struct crv_table t = {0};
  size_t i;
  json_t *row;
  crv_table_init(&t, crv_row_columns, crv_n_row_columns);
  json_array_foreach(rows, i, row) {
    const char *have = crv_json_text(row, "outlook");
    if (!outlook || (have && strcmp(have, outlook) == 0)) crv_row_cells(&t, row);
  }
  if (t.n == 0 && !t.failed) return;
  crv_buf_printf(out, "\n%s\n", title);
  crv_table_text(&t, out);
}

static void excluded(const json_t *decision, struct crv_buf *out) {
  const json_t *by = crv_json_at(decision, "excluded.by_criterion");
  const json_t *nearest = crv_json_at(decision, "excluded.nearest");
  char text[CRV_CELL];
  size_t i;
  json_t *v;
  if (json_array_size(by) == 0) return;
  crv_buf_str(out, "\nEXCLUDED\n");
  json_array_foreach(by, i, v) {
    crv_buf_printf(out, "%5" PRId64 "  by %s\n", crv_json_int(v, "count", 0),
                   crv_json_text(v, "criterion"));
  }
  json_array_foreach(nearest, i, v) {
    const char *missing = crv_json_text(v, "missing"), *currency = crv_json_text(v, "currency");
    struct crv_unit_err ue;
    int64_t micro;
    struct crv_buf line;
    crv_buf_init(&line, 0);
    crv_buf_printf(&line, "nearest: %s, by %s", crv_json_text(v, "offer"),
                   crv_json_text(v, "criterion"));
    if (json_object_get(v, "missing_bytes"))
      crv_buf_printf(&line, ", %s short", crv_gib_of(json_object_get(v, "missing_bytes"), text));
    if (missing && crv_decimal_parse(missing, strlen(missing), &micro, &ue))
      crv_buf_printf(&line, ", %s %s over", crv_money_text(micro, text, sizeof text),
                     currency ? currency : "");
    crv_buf_str(out, "       ");
    if (line.failed)
      out->failed = true;
    else
      crv_text_wrap(out, line.data, 7, 9, CRV_TEXT_COLUMNS);
    crv_buf_done(&line);
  }
}

/* The most unlocking ones; the JSON has them all. */
static void actions(const json_t *decision, struct crv_buf *out) {
  enum { SHOWN = 5 };
  const json_t *list = json_object_get(decision, "actions");
  size_t i, n = json_array_size(list);
  json_t *v;
  if (n == 0) return;
  crv_buf_str(out, "\nWHAT WOULD SETTLE IT\n");
  json_array_foreach(list, i, v) {
    struct crv_buf line;
    if (i == SHOWN) break;
    crv_buf_init(&line, 0);
    crv_action_line(v, &line);
    crv_buf_printf(out, "%3zu. ", i + 1);
    if (line.failed)
      out->failed = true;
    else
      crv_text_wrap(out, line.data, 5, 5, CRV_TEXT_COLUMNS);
    crv_buf_done(&line);
  }
  if (n > SHOWN) crv_buf_printf(out, "     and %zu more in the JSON\n", n - SHOWN);
}

static void sentences(const json_t *list, const char *title, struct crv_buf *out) {
  size_t i;
  json_t *v;
  if (json_array_size(list) == 0) return;
  crv_buf_printf(out, "\n%s\n", title);
  json_array_foreach(list, i, v) {
    crv_buf_str(out, "  - ");
    crv_text_wrap(out, json_string_value(v) ? json_string_value(v) : "", 4, 4, CRV_TEXT_COLUMNS);
  }
}

/* -- before ordering ------------------------------------------------------------------------ */

static bool row_says(const json_t *row, const char *text) {
  size_t i;
  json_t *v;
  json_array_foreach(json_object_get(row, "before_order"), i, v) {
    if (strcmp(json_string_value(v), text) == 0) return true;
  }
  return false;
}

/* Did a row above say it already? */
static bool said(const json_t *rows, size_t upto, const char *text) {
  for (size_t i = 0; i < upto; i++)
    if (row_says(json_array_get(rows, i), text)) return true;
  return false;
}

/* "text (offers a, b and 2 more)"; without the offers where it holds for every row. */
static void say_for(const json_t *rows, const char *text, struct crv_buf *out) {
  size_t i, n = 0, count = 0;
  json_t *row;
  struct crv_buf line;
  crv_buf_init(&line, 0);
  crv_buf_str(&line, text);
  json_array_foreach(rows, i, row) {
    count += row_says(row, text);
  }
  json_array_foreach(rows, i, row) {
    if (count == json_array_size(rows) || !row_says(row, text) || n == 3) continue;
    crv_buf_printf(&line, "%s%s", n++ ? ", " : " (", crv_json_text(row, "offer"));
  }
  if (count > n && n) crv_buf_printf(&line, " and %zu more", count - n);
  if (n) crv_buf_char(&line, ')');
  crv_buf_str(out, "  - ");
  if (line.failed)
    out->failed = true;
  else
    crv_text_wrap(out, line.data, 4, 4, CRV_TEXT_COLUMNS);
  crv_buf_done(&line);
}

/* What to hold against the delivered machine, each sentence once. */
static void before_order(const json_t *rows, struct crv_buf *out) {
  size_t i, k;
  json_t *row, *v;
  bool first = true;
  json_array_foreach(rows, i, row) {
    json_array_foreach(json_object_get(row, "before_order"), k, v) {
      if (said(rows, i, json_string_value(v))) continue;
      if (first) crv_buf_str(out, "\nBEFORE ORDERING\n");
      first = false;
      say_for(rows, json_string_value(v), out);
    }
  }
}

void crv_render_text(const struct crv_render *r, struct crv_buf *out) {
  const json_t *d = r->decision;
  const json_t *open = json_object_get(d, "preselection");
  head(r, out);
  table(json_object_get(d, "retained"), "RETAINED", NULL, out);
  table(open, "TO CONFIRM, fits on paper", "fits_on_paper", out);
  table(open, "TO CONFIRM, open on paper", "open", out);
  table(open, "TO CONFIRM, exceeds on paper", "exceeds_on_paper", out);
  excluded(d, out);
  before_order(json_object_get(d, "retained"), out);
  actions(d, out);
  sentences(json_object_get(d, "assumptions"), "ASSUMED", out);
  crv_buf_char(out, '\n');
  crv_footer_line(d, out);
  crv_buf_char(out, '\n');
}
