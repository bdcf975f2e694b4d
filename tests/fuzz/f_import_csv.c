/* Any bytes as a price file: as bare CSV, as SkyPilot under each profile, as native CSV and NDJSON.
   Rows are numbered without gaps, every row is an offer, a finding, skipped or repeated, keys are
   keys, and what is stored can be read again. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "core/catalogue/import_internal.h"
#include "tests/fuzz/fuzz.h"

struct seen {
  int64_t last;
  size_t width;
};

static bool on_header(void *ctx, const struct crv_csv_row *row, struct crv_err *err) {
  struct seen *s = ctx;
  (void)err;
  s->width = row->n;
  MUST(row->row == 0 && row->n > 0 && row->n <= CRV_CSV_CELLS);
  return true;
}

static bool on_row(void *ctx, const struct crv_csv_row *row, struct crv_err *err) {
  struct seen *s = ctx;
  (void)err;
  MUST(row->row == ++s->last && row->n == s->width);
  for (size_t i = 0; i < row->n; i++) MUST(crv_utf8_ok(row->cells[i], strlen(row->cells[i])));
  return true;
}

static bool on_bad(void *ctx, int64_t row, enum crv_icode code, const char *v0, const char *v1,
                   struct crv_err *err) {
  struct seen *s = ctx;
  (void)v1, (void)err;
  MUST(row == ++s->last && code <= CRV_IC_ROW_TOO_LONG && v0);
  return true;
}

static void check_reader(const char *s, size_t len) {
  struct seen seen = {0, 0};
  const struct crv_csv_handler h = {&seen, on_header, on_row, on_bad};
  struct crv_err err;
  crv_err_init(&err);
  if (!crv_csv_read(s, len, &h, &err)) MUST(err.code == CRV_INVALID_FIELDS);
}

static void check_offer(const struct crv_import_offer *o, struct crv_arena *a) {
  struct crv_err err;
  struct crv_offer *again;
  crv_err_init(&err);
  MUST(o->key && crv_key_ok(o->key, strlen(o->key)));
  _json_ json_t *j = crv_jspec_encode(&crv_offer_spec, o->offer);
  MUST(j && crv_offer_decode(j, "", false, a, &again, &err));
}

static void check_import(const struct crv_import_params *p, const char *s, size_t len) {
  struct crv_import_result r;
  struct crv_err err;
  _arena_ struct crv_arena *a = crv_arena_new(0);
  crv_err_init(&err);
  if (!crv_import_read(p, s, len, a, &r, &err)) {
    MUST(err.code == CRV_INVALID_FIELDS && err.n > 0);
    return;
  }
  MUST(r.refused + r.skipped <= r.rows && r.findings.n <= CRV_IMPORT_FINDINGS);
  for (size_t i = 0; i < r.offers.n; i++) {
    const struct crv_import_offer *o = crv_list_at(r.offers, struct crv_import_offer, i);
    MUST(o->row >= 1 && o->row <= r.rows);
    check_offer(o, a);
  }
  for (size_t i = 0; i < r.findings.n; i++) {
    const struct crv_row_finding *f = crv_list_at(r.findings, struct crv_row_finding, i);
    MUST(f->code && f->effect && f->row >= 0 && f->row <= r.rows);
    for (int v = 0; v < 2; v++) MUST(!f->value[v] || crv_utf8_ok(f->value[v], strlen(f->value[v])));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const profiles[] = {"vast",   "nebius",         "verda",  "lambda",
                                         "runpod", "primeintellect", "mithril"};
  const char *s = size ? (const char *)data : "";
  check_reader(s, size);
  for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
    check_import(&(struct crv_import_params){.source = "skypilot",
                                             .profile = profiles[i],
                                             .currency = "USD"},
                 s, size);
  check_import(&(struct crv_import_params){.source = "csv"}, s, size);
  check_import(&(struct crv_import_params){.source = "ndjson"}, s, size);
  return 0;
}
