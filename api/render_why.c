/* Every criterion of one offer with its pieces and conditions, and the budget, as text. */
#include <inttypes.h>
#include <string.h>

#include "api/answer.h"
#include "api/render.h"

enum { LABEL = 12, INDENT = 4 };

/* "    label       text", wrapped under the text. */
static void labelled(struct crv_buf *out, const char *label, struct crv_buf *text) {
  if (text->failed)
    out->failed = true;
  else if (text->len) {
    crv_buf_printf(out, "%*s%-*s", INDENT, "", LABEL, label);
    crv_text_wrap(out, text->data, INDENT + LABEL, INDENT + LABEL, CRV_TEXT_COLUMNS);
  }
  crv_buf_done(text);
  crv_buf_init(text, 0);
}

static void members(const json_t *obj, struct crv_buf *b) {
  const char *name;
  json_t *v;
  bool first = true;
  json_object_foreach((json_t *)(uintptr_t)obj, name, v) {
    crv_buf_printf(b, "%s%s ", first ? "" : "; ", name);
    crv_value_words(name, v, b);
    first = false;
  }
}

static void asides(const json_t *criterion, struct crv_buf *b) {
  size_t i;
  json_t *v;
  json_array_foreach(json_object_get(criterion, "set_aside"), i, v) {
    const char *dimension = crv_json_text(v, "dimension");
    crv_buf_printf(b, "%s%s (%s%s%s)", i ? ", " : "", crv_json_text(v, "evidence"),
                   crv_json_text(v, "why"), dimension ? ": " : "", dimension ? dimension : "");
  }
  int64_t more = crv_json_int(criterion, "more_set_aside", 0);
  if (more) crv_buf_printf(b, " and %" PRId64 " more", more);
}

static void criterion_text(const json_t *row, const json_t *c, struct crv_buf *out) {
  struct crv_buf b;
  const char *subject = crv_json_text(c, "subject"), *reason = crv_json_text(c, "reason");
  crv_buf_init(&b, 0);
  crv_buf_printf(&b, "%s%s%s%s", crv_json_text(c, "criterion"), subject ? " (" : "",
                 subject ? subject : "", subject ? ")" : "");
  if (b.failed)
    out->failed = true;
  else
    crv_buf_printf(out, "\n%-32s %-12s %s\n", b.data, crv_json_text(c, "verdict"),
                   reason ? reason : "");
  crv_buf_done(&b);
  crv_buf_init(&b, 0);
  if (json_is_object(json_object_get(c, "demanded"))) members(json_object_get(c, "demanded"), &b);
  labelled(out, "demanded", &b);
  if (json_is_object(json_object_get(c, "observed"))) members(json_object_get(c, "observed"), &b);
  if (b.len && json_is_true(json_object_get(c, "expired"))) crv_buf_str(&b, " (expired)");
  labelled(out, "observed", &b);
  crv_value_words("", json_object_get(c, "evidence"), &b);
  labelled(out, "evidence", &b);
  asides(c, &b);
  labelled(out, "set aside", &b);
  crv_condition_texts(row, c, &b);
  labelled(out, "to settle", &b);
  if (json_is_true(json_object_get(c, "resolvable")) && crv_json_text(c, "verdict") &&
      strcmp(crv_json_text(c, "verdict"), "excluded") == 0)
    crv_buf_str(&b, "another quote could change this");
  labelled(out, "", &b);
  crv_buf_done(&b);
}

static void row_head(const struct crv_render *r, const json_t *row, struct crv_buf *out) {
  char cost[CRV_CELL], margin[CRV_CELL];
  struct crv_buf b;
  const char *device = crv_json_text(row, "device");
  const char *strategy = crv_json_text(row, "strategy");
  crv_buf_init(&b, 0);
  crv_buf_printf(&b, "%s@%" PRId64 ": %s, %s (%s). %" PRId64 " × %s%s%s, cost %s, margin %s.",
                 crv_json_text(row, "offer"), crv_json_int(row, "version", 0),
                 crv_json_text(row, "status"), crv_json_text(row, "outlook"),
                 crv_json_text(row, "outlook_from") ? crv_json_text(row, "outlook_from") : "-",
                 crv_json_int(row, "devices", 0), device ? device : "an unknown device",
                 strategy ? " " : "", strategy ? strategy : "", crv_cost_of(row, cost),
                 crv_gib_of(json_object_get(row, "margin_bytes"), margin));
  if (b.failed)
    out->failed = true;
  else
    crv_text_wrap(out, b.data, 0, 2, CRV_TEXT_COLUMNS);
  crv_buf_done(&b);
  crv_buf_init(&b, 0);
  crv_stale_line(r->decision, &b);
  if (b.failed)
    out->failed = true;
  else if (b.len)
    crv_text_wrap(out, b.data, 0, 2, CRV_TEXT_COLUMNS);
  crv_buf_done(&b);
}

static void cost_items(const json_t *row, struct crv_buf *out) {
  const json_t *list = crv_json_at(row, "cost.items");
  const char *currency = crv_json_text(row, "cost.original_currency");
  size_t i;
  json_t *v;
  if (!currency) currency = crv_json_text(row, "cost.currency");
  json_array_foreach(list, i, v) {
    const char *unit = crv_json_text(v, "unit"), *amount = crv_json_text(v, "amount");
    crv_buf_printf(out, "%*s%s: %s × %" PRId64 " = %s %s\n", INDENT, "", crv_json_text(v, "item"),
                   unit ? unit : "unknown", crv_json_int(v, "times", 0),
                   amount ? amount : "unknown", currency ? currency : "");
  }
}

static void pins(const json_t *row, struct crv_buf *out) {
  struct crv_buf b;
  size_t i;
  json_t *v;
  crv_buf_init(&b, 0);
  json_array_foreach(json_object_get(row, "pins"), i, v) {
    crv_buf_printf(&b, "%s%s %s", i ? ", " : "", crv_json_text(v, "name"),
                   crv_json_text(v, "value"));
  }
  labelled(out, "proved with", &b);
  crv_buf_done(&b);
}

void crv_render_why(const struct crv_render *r, const json_t *row, struct crv_buf *out) {
  size_t i;
  json_t *v;
  row_head(r, row, out);
  cost_items(row, out);
  pins(row, out);
  json_array_foreach(json_object_get(row, "criteria"), i, v) {
    criterion_text(row, v, out);
  }
  crv_buf_char(out, '\n');
  crv_footer_line(r->decision, out);
  crv_buf_char(out, '\n');
}

/* -- budget -------------------------------------------------------------------------------- */

static const struct crv_column item_columns[] = {
    {"ITEM", "item", CRV_COL_TEXT},       {"BYTES", "bytes", CRV_COL_NUMBER},
    {"SIZE", "size", CRV_COL_NUMBER},     {"BASIS", "basis", CRV_COL_TEXT},
    {"FORMULA", "formula", CRV_COL_TEXT},
};
static const struct crv_column format_columns[] = {
    {"FORMAT", "format", CRV_COL_TEXT},
    {"WEIGHTS", "weights_bytes", CRV_COL_NUMBER},
    {"ENVELOPE", "envelope_bytes", CRV_COL_NUMBER},
};

static void items_text(const json_t *budget, struct crv_buf *out) {
  _table_ struct crv_table t = {0};
  char text[CRV_CELL];
  size_t i;
  json_t *v;
  crv_table_init(&t, item_columns, sizeof item_columns / sizeof *item_columns);
  json_array_foreach(json_object_get(budget, "items"), i, v) {
    struct crv_buf b;
    crv_buf_init(&b, 0);
    if (json_is_integer(json_object_get(v, "bytes"))) crv_buf_i64(&b, crv_json_int(v, "bytes", 0));
    crv_table_cell(&t, crv_json_text(v, "item"));
    crv_table_cell(&t, b.data);
    crv_table_cell(&t, crv_gib_of(json_object_get(v, "bytes"), text));
    crv_table_cell(&t, crv_json_text(v, "basis"));
    crv_table_cell(&t, crv_json_text(v, "formula"));
    crv_buf_done(&b);
  }
  crv_buf_char(out, '\n');
  crv_table_text(&t, out);
}

static void formats_text(const json_t *budget, struct crv_buf *out) {
  _table_ struct crv_table t = {0};
  char text[CRV_CELL];
  size_t i;
  json_t *v;
  if (json_array_size(json_object_get(budget, "formats")) == 0) return;
  crv_table_init(&t, format_columns, sizeof format_columns / sizeof *format_columns);
  json_array_foreach(json_object_get(budget, "formats"), i, v) {
    crv_table_cell(&t, crv_json_text(v, "format"));
    crv_table_cell(&t, crv_gib_of(json_object_get(v, "weights_bytes"), text));
    crv_table_cell(&t, crv_gib_of(json_object_get(v, "envelope_bytes"), text));
  }
  crv_buf_char(out, '\n');
  crv_table_text(&t, out);
  json_array_foreach(json_object_get(budget, "formats"), i, v) {
    if (!crv_json_text(v, "note")) continue;
    crv_buf_printf(out, "%s: ", crv_json_text(v, "format"));
    crv_text_wrap(out, crv_json_text(v, "note"), strlen(crv_json_text(v, "format")) + 2, 2,
                  CRV_TEXT_COLUMNS);
  }
}

void crv_render_budget(const json_t *budget, struct crv_buf *out) {
  size_t i;
  json_t *v;
  struct crv_buf line;
  crv_buf_init(&line, 0);
  crv_budget_line(budget, &line);
  if (line.failed)
    out->failed = true;
  else {
    crv_buf_str(out, "Budget  ");
    crv_text_wrap(out, line.data ? line.data : "", 8, 8, CRV_TEXT_COLUMNS);
  }
  crv_buf_done(&line);
  items_text(budget, out);
  formats_text(budget, out);
  if (json_array_size(json_object_get(budget, "left_out"))) crv_buf_char(out, '\n');
  json_array_foreach(json_object_get(budget, "left_out"), i, v) {
    crv_text_wrap(out, json_string_value(v) ? json_string_value(v) : "", 0, 2, CRV_TEXT_COLUMNS);
  }
  crv_buf_str(out, json_is_true(json_object_get(budget, "complete"))
                       ? "\nNothing is left out; a planning figure, never a measured peak.\n"
                       : "\nNot complete; a planning figure, never a measured peak.\n");
}
