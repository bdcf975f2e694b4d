/* The rows of a decision as CSV, one line an offer shown. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/answer.h"
#include "api/listing.h"
#include "api/render.h"

static const char *const paths[] = {
    "rank",
    "offer",
    "version",
    "status",
    "outlook",
    "supplier",
    "region",
    "device_name",
    "device",
    "devices",
    "strategy",
    "cost.amount",
    "cost.currency",
    "cost.lots",
    "cost.periods",
    "capacity_lower_bytes",
    "capacity_upper_bytes",
    "demand_bytes",
    "margin_bytes",
    "margin_from.capacity",
    "margin_from.demand",
    "schedule",
    "open_points",
    "decided_by.key",
    "decided_by.difference",
    "decided_by.unit",
};
enum { N_PATHS = sizeof paths / sizeof *paths };

static void heading(struct crv_buf *out) {
  char name[64];
  for (size_t i = 0; i < N_PATHS; i++) {
    snprintf(name, sizeof name, "%s", paths[i]);
    for (char *s = name; *s; s++)
      if (*s == '.') *s = '_';
    crv_csv_cell(out, name, i == 0, true);
  }
  crv_csv_cell(out, "decision", false, true);
  crv_csv_cell(out, "conditions", false, true);
  crv_csv_end(out);
}

static void line(const struct crv_render *r, const json_t *row, struct crv_buf *out) {
  char text[2048];
  struct crv_buf b;
  for (size_t i = 0; i < N_PATHS; i++)
    crv_csv_cell(out, crv_item_text(row, paths[i], text, sizeof text), i == 0, r->raw);
  crv_csv_cell(out, crv_item_text(r->decision, "decision", text, sizeof text), false, r->raw);
  crv_buf_init(&b, 0);
  crv_condition_texts(row, NULL, &b);
  crv_csv_cell(out, b.data, false, r->raw);
  if (b.failed) out->failed = true;
  crv_buf_done(&b);
  crv_csv_end(out);
}

void crv_render_csv(const struct crv_render *r, struct crv_buf *out) {
  static const char *const lists[] = {"retained", "preselection"};
  size_t k;
  json_t *row;
  heading(out);
  for (size_t i = 0; i < 2; i++) {
    json_array_foreach(json_object_get(r->decision, lists[i]), k, row) {
      line(r, row, out);
    }
  }
}
