/* Lines and cells that text and Markdown share. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/answer.h"
#include "api/render.h"
#include "core/base/units.h"

const struct crv_column crv_row_columns[] = {
    {"#", "rank", CRV_COL_NUMBER},
    {"OFFER", "offer", CRV_COL_KEY},
    {"SUPPLIER", "supplier", CRV_COL_TEXT},
    {"REGION", "region", CRV_COL_TEXT},
    {"DEVICES", "devices", CRV_COL_TEXT},
    {"COST", "cost", CRV_COL_NUMBER},
    {"MARGIN", "margin_bytes", CRV_COL_NUMBER},
    {"SCHEDULE", "schedule", CRV_COL_NUMBER},
    {"OPEN", "open_points", CRV_COL_NUMBER},
};
const size_t crv_n_row_columns = sizeof crv_row_columns / sizeof *crv_row_columns;

char *crv_gib_of(const json_t *v, char *out) {
  if (json_is_integer(v)) return crv_bytes_gib(json_integer_value(v), out, CRV_CELL);
  snprintf(out, CRV_CELL, "unknown");
  return out;
}

char *crv_cost_of(const json_t *row, char *out) {
  const char *amount = crv_json_text(row, "cost.amount");
  const char *currency = crv_json_text(row, "cost.currency");
  char money[32];
  int64_t micro;
  struct crv_unit_err ue;
  if (amount && crv_decimal_parse(amount, strlen(amount), &micro, &ue))
    snprintf(out, CRV_CELL, "%s %s", crv_money_text(micro, money, sizeof money),
             currency ? currency : "?");
  else
    snprintf(out, CRV_CELL, "unknown");
  return out;
}

static char *devices_of(const json_t *row, char *out) {
  const char *name = crv_json_text(row, "device_name");
  if (!name) name = crv_json_text(row, "device");
  int64_t devices = crv_json_int(row, "devices", 0);
  if (devices == 1)
    snprintf(out, CRV_CELL, "%s", name ? name : "unknown");
  else
    snprintf(out, CRV_CELL, "%" PRId64 " × %s", devices, name ? name : "unknown");
  return out;
}

static char *number_of(const json_t *row, const char *name, char *out) {
  const json_t *v = json_object_get(row, name);
  out[0] = '\0';
  if (json_is_integer(v)) snprintf(out, CRV_CELL, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
  return out;
}

void crv_row_cells(struct crv_table *t, const json_t *row) {
  char text[CRV_CELL];
  const char *schedule = crv_json_text(row, "schedule");
  crv_table_cell(t, number_of(row, "rank", text));
  crv_table_cell(t, crv_json_text(row, "offer"));
  crv_table_cell(t, crv_json_text(row, "supplier"));
  crv_table_cell(t, crv_json_text(row, "region"));
  crv_table_cell(t, devices_of(row, text));
  crv_table_cell(t, crv_cost_of(row, text));
  crv_table_cell(t, crv_gib_of(json_object_get(row, "margin_bytes"), text));
  snprintf(text, sizeof text, "%.10s", schedule ? schedule : "");
  crv_table_cell(t, text);
  crv_table_cell(t, number_of(row, "open_points", text));
}

/* -- the demand ---------------------------------------------------------------------------- */

static void say(struct crv_buf *b, const char *text) {
  if (!text) return;
  if (b->len) crv_buf_str(b, ", ");
  crv_buf_str(b, text);
}

static void say_number(struct crv_buf *b, const char *fmt, struct crv_opt_int v) {
  char text[CRV_CELL];
  if (!v.set) return;
  const char *at = strstr(fmt, "{}");
  snprintf(text, sizeof text, "%.*s%" PRId64 "%s", (int)(at - fmt), fmt, v.v, at + 2);
  say(b, text);
}

static void say_model(const struct crv_sheet *s, struct crv_buf *b) {
  char text[CRV_CELL];
  if (s->model && s->model->name) {
    snprintf(text, sizeof text, "%.120s%s%.100s", s->model->name, s->model->revision ? "@" : "",
             s->model->revision ? s->model->revision : "");
    say(b, text);
  }
  if (s->precision) say(b, s->precision->weights);
  if (s->scene && s->scene->application) {
    snprintf(text, sizeof text, "%.120s%s%.60s", s->scene->application,
             s->scene->version ? " " : "", s->scene->version ? s->scene->version : "");
    say(b, text);
  }
}

static void say_placement(const struct crv_sheet *s, struct crv_buf *b) {
  for (size_t i = 0; i < s->placement.n; i++) {
    const struct crv_placement *p = crv_list_at(s->placement, struct crv_placement, i);
    const char *strategy = crv_enum_text(crv_strategy_names, (int)p->strategy);
    char text[CRV_CELL];
    if (!p->devices.set) continue;
    snprintf(text, sizeof text, "%s%" PRId64 " device%s%s%s", i ? "or " : "", p->devices.v,
             p->devices.v == 1 ? "" : "s", strategy ? " " : "", strategy ? strategy : "");
    say(b, text);
  }
}

static void say_campaign(const struct crv_sheet *s, struct crv_buf *b) {
  const struct crv_campaign *c = s->campaign;
  char text[CRV_CELL], money[32];
  if (!c) return;
  say_number(b, "{} h", c->hours);
  if (c->ceiling.set) {
    snprintf(text, sizeof text, "at most %s %s", crv_money_text(c->ceiling.v, money, sizeof money),
             c->currency ? c->currency : "");
    say(b, text);
  }
  if (!c->start_by.set) return;
  snprintf(text, sizeof text, "start by %.10s", crv_time_text(c->start_by.v, money, sizeof money));
  say(b, text);
}

void crv_demand_line(const struct crv_render *r, struct crv_buf *out) {
  const struct crv_sheet *s = r->sheet;
  struct crv_buf b;
  if (!s) return;
  crv_buf_init(&b, 0);
  say(&b, crv_enum_text(crv_task_names, (int)s->task));
  say_model(s, &b);
  say_number(&b, "{} tokens", crv_sheet_length(s));
  say_number(&b, "{} concurrent", s->concurrency);
  say_number(&b, "microbatch {}", s->microbatch);
  if (s->adaptation) say(&b, s->adaptation->method);
  say_placement(s, &b);
  say_campaign(s, &b);
  const char *name = crv_json_text(r->decision, "sheet.name");
  int64_t revision = crv_json_int(r->decision, "sheet.revision", 0);
  crv_buf_str(out, name ? name : "inline sheet");
  if (name && revision) crv_buf_printf(out, " r%" PRId64, revision);
  crv_buf_str(out, ": ");
  if (b.failed)
    out->failed = true;
  else
    crv_buf_str(out, b.data ? b.data : "");
  crv_buf_done(&b);
}

/* -- budget, status, footer ---------------------------------------------------------------- */

void crv_budget_line(const json_t *budget, struct crv_buf *out) {
  static const struct {
    const char *title, *name;
  } figures[] = {
      {"floor", "floor_bytes"}, {"reserve", "reserve_bytes"}, {"envelope", "envelope_bytes"}};
  char text[CRV_CELL];
  const json_t *unknown = json_object_get(budget, "unknown");
  size_t i;
  json_t *v;
  if (!budget) return;
  for (i = 0; i < sizeof figures / sizeof *figures; i++)
    crv_buf_printf(out, "%s%s %s", i ? ", " : "", figures[i].title,
                   crv_gib_of(json_object_get(budget, figures[i].name), text));
  if (json_array_size(unknown)) crv_buf_str(out, "; unknown: ");
  json_array_foreach(unknown, i, v) {
    crv_buf_printf(out, "%s%s", i ? ", " : "", json_string_value(v));
  }
}

void crv_stale_line(const json_t *decision, struct crv_buf *out) {
  const char *status = crv_json_text(decision, "decision_status");
  const json_t *why = json_object_get(decision, "stale_because");
  size_t i;
  json_t *v;
  if (!status || strcmp(status, "stale") != 0) return;
  crv_buf_printf(out, "Decision %" PRId64 " is stale: ", crv_json_int(decision, "decision", 0));
  json_array_foreach(why, i, v) {
    crv_buf_printf(out, "%s%s", i ? ", " : "", json_string_value(v));
  }
  crv_buf_str(out, ". POST /v1/decisions asks again.");
}

void crv_action_line(const json_t *action, struct crv_buf *out) {
  int64_t retains = crv_json_int(action, "retains", 0);
  const char *ask = crv_json_text(action, "ask");
  crv_buf_printf(out, "%s (ask the %s", crv_json_text(action, "text"), ask ? ask : "owner");
  if (retains) crv_buf_printf(out, "; would retain %" PRId64, retains);
  crv_buf_char(out, ')');
}

void crv_footer_line(const json_t *d, struct crv_buf *out) {
  int64_t retained = crv_json_int(d, "counts.retained", 0);
  int64_t open = crv_json_int(d, "counts.to_confirm", 0);
  int64_t excluded = crv_json_int(d, "counts.excluded", 0);
  int64_t number = crv_json_int(d, "decision", 0);
  size_t shown = json_array_size(json_object_get(d, "retained")) +
                 json_array_size(json_object_get(d, "preselection"));
  crv_buf_printf(out,
                 "Retained %" PRId64 " of %" PRId64 "; %" PRId64 " to confirm; %" PRId64
                 " excluded; %zu rows shown; ",
                 retained, retained + open + excluded, open, excluded, shown);
  if (number)
    crv_buf_printf(out, "decision %" PRId64, number);
  else
    crv_buf_str(out, "not stored");
}

/* -- conditions and values ----------------------------------------------------------------- */

static const char *condition_text(const json_t *row, const char *id) {
  size_t i;
  json_t *c;
  json_array_foreach(json_object_get(row, "conditions"), i, c) {
    const char *have = crv_json_text(c, "id");
    if (have && id && strcmp(have, id) == 0) return crv_json_text(c, "text");
  }
  return id;
}

void crv_condition_texts(const json_t *row, const json_t *criterion, struct crv_buf *out) {
  const json_t *list = json_object_get(criterion ? criterion : row, "conditions");
  size_t i, n = 0;
  json_t *c;
  json_array_foreach(list, i, c) {
    const char *text =
        criterion ? condition_text(row, json_string_value(c)) : crv_json_text(c, "text");
    if (!text) continue;
    crv_buf_printf(out, "%s%s", n++ ? " | " : "", text);
  }
}

void crv_value_words(const char *name, const json_t *v, struct crv_buf *out) {
  size_t len = strlen(name), i;
  char text[CRV_CELL];
  json_t *one;
  bool bytes = strcmp(name, "bytes") == 0 || (len > 6 && strcmp(name + len - 6, "_bytes") == 0);
  if (json_is_string(v)) crv_buf_str(out, json_string_value(v));
  if (json_is_boolean(v)) crv_buf_str(out, json_is_true(v) ? "yes" : "no");
  if (json_is_null(v)) crv_buf_str(out, "unknown");
  if (json_is_integer(v) && bytes)
    crv_buf_printf(out, "%s (%" JSON_INTEGER_FORMAT " B)", crv_gib_of(v, text),
                   json_integer_value(v));
  else if (json_is_integer(v))
    crv_buf_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
  json_array_foreach(v, i, one) {
    if (i) crv_buf_str(out, ", ");
    if (json_is_string(one)) crv_buf_str(out, json_string_value(one));
  }
}
