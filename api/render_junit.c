/* A decision as JUnit XML: a suite for each offer, a case for each criterion. Excluded is a
   failure, to_confirm is skipped with what would settle it. */
#include <inttypes.h>
#include <string.h>

#include "api/answer.h"
#include "api/render.h"

struct tally {
  size_t tests, failures, skipped;
};

static bool is(const json_t *c, const char *verdict) {
  const char *have = crv_json_text(c, "verdict");
  return have && strcmp(have, verdict) == 0;
}

static void count_row(const json_t *row, struct tally *t) {
  size_t i;
  json_t *c;
  json_array_foreach(json_object_get(row, "criteria"), i, c) {
    t->tests++;
    t->failures += is(c, "excluded");
    t->skipped += is(c, "to_confirm");
  }
}

static void attribute(struct crv_buf *out, const char *name, const char *value) {
  crv_buf_printf(out, " %s=\"", name);
  crv_xml_text(out, value ? value : "");
  crv_buf_char(out, '"');
}

static void totals(struct crv_buf *out, const struct tally *t) {
  crv_buf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"", t->tests,
                 t->failures, t->skipped);
}

/* What the verdict rests on, as the element's message. */
static void message(const json_t *row, const json_t *c, struct crv_buf *out) {
  struct crv_buf b;
  crv_buf_init(&b, 0);
  crv_buf_str(&b, crv_json_text(c, "reason") ? crv_json_text(c, "reason") : "");
  if (json_array_size(json_object_get(c, "conditions"))) crv_buf_str(&b, ": ");
  crv_condition_texts(row, c, &b);
  if (b.failed)
    out->failed = true;
  else
    attribute(out, "message", b.data);
  crv_buf_done(&b);
}

static void test_case(const json_t *row, const json_t *c, struct crv_buf *out) {
  const char *subject = crv_json_text(c, "subject");
  crv_buf_str(out, "    <testcase");
  attribute(out, "classname", crv_json_text(row, "offer"));
  crv_buf_str(out, " name=\"");
  crv_xml_text(out, crv_json_text(c, "criterion"));
  if (subject) {
    crv_buf_str(out, " (");
    crv_xml_text(out, subject);
    crv_buf_char(out, ')');
  }
  if (!is(c, "excluded") && !is(c, "to_confirm")) {
    crv_buf_str(out, "\"/>\n");
    return;
  }
  crv_buf_printf(out, "\"><%s", is(c, "excluded") ? "failure" : "skipped");
  if (is(c, "excluded")) attribute(out, "type", "excluded");
  message(row, c, out);
  crv_buf_str(out, "/></testcase>\n");
}

static void suite(const json_t *decision, const json_t *row, struct crv_buf *out) {
  struct tally t = {0};
  size_t i;
  json_t *c;
  count_row(row, &t);
  crv_buf_str(out, "  <testsuite");
  attribute(out, "name", crv_json_text(row, "offer"));
  totals(out, &t);
  attribute(out, "timestamp", crv_json_text(decision, "as_of"));
  crv_buf_str(out, ">\n");
  json_array_foreach(json_object_get(row, "criteria"), i, c) {
    test_case(row, c, out);
  }
  crv_buf_str(out, "  </testsuite>\n");
}

static void each(const struct crv_render *r,
                 void (*row_fn)(const struct crv_render *, const json_t *, void *), void *ctx) {
  const json_t *lists[] = {json_object_get(r->decision, "retained"),
                           json_object_get(r->decision, "preselection"), r->excluded};
  size_t k;
  json_t *row;
  for (size_t i = 0; i < 3; i++) {
    json_array_foreach(lists[i], k, row) {
      row_fn(r, row, ctx);
    }
  }
}

static void tally_row(const struct crv_render *r, const json_t *row, void *ctx) {
  (void)r;
  count_row(row, ctx);
}

static void suite_row(const struct crv_render *r, const json_t *row, void *ctx) {
  suite(r->decision, row, ctx);
}

void crv_render_junit(const struct crv_render *r, struct crv_buf *out) {
  struct tally all = {0};
  const char *name = crv_json_text(r->decision, "sheet.name");
  each(r, tally_row, &all);
  crv_buf_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
  attribute(out, "name", name ? name : "crivo");
  totals(out, &all);
  crv_buf_str(out, ">\n");
  each(r, suite_row, out);
  crv_buf_str(out, "</testsuites>\n");
}
