/* Whole catalogues through the interface: what each file's report counts and finds, a corrected
   file over a wrong one with a decision in between, files that shrink, and what a device report
   makes of two cards with one nominal figure. The public files are read when they are there; files
   of the same shapes are in tests/data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/http/http.h"

/* -- files ------------------------------------------------------------------------------------- */

/* The path of a file of tests/data, or of the public ones; NULL when those are not here. */
static const char *path_of(const char *file, bool public) {
  const char *top = getenv("top_srcdir"), *shared = getenv("CRV_SHARED");
  if (!public) return text_of("%s/tests/data/catalogues/%s", top ? top : ".", file);
  const char *dir = shared ? shared : text_of("%s/../shared", top ? top : ".");
  const char *path = text_of("%s/catalogues/%s", dir, file);
  return access(path, R_OK) == 0 ? path : NULL;
}

static const char *whole(const char *path) {
  static char text[1 << 20];
  FILE *f = fopen(path, "rb");
  ck_assert_msg(f != NULL, "cannot read %s", path);
  size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = '\0';
  return text_of("%s", text);
}

static const struct answer *import(const char *query, const char *text) {
  return CRV_CALL(.path = text_of("/v1/imports?%s", query), .body = text, .type = "text/csv");
}

static const char *sky(const char *profile) {
  return text_of("source=skypilot&profile=%s&currency=USD", profile);
}

static size_t found(const struct answer *a, const char *code) {
  size_t n = 0;
  for (size_t i = 0; i < count_at(a, "findings"); i++)
    n += strcmp(text_at(a, text_of("findings[%zu].code", i)), code) == 0;
  return n;
}

static void counts(const struct answer *a, long long created, long long versioned,
                   long long unchanged) {
  if (int_at(a, "offers.created") != created || int_at(a, "offers.versioned") != versioned ||
      int_at(a, "offers.unchanged") != unchanged)
    ck_abort_msg("not %lld, %lld, %lld: %.400s", created, versioned, unchanged, a->body);
}

static const char *head_now(void) {
  return CRV_CALL(.path = "/v1/decisions/head")->body;
}

/* -- reports ----------------------------------------------------------------------------------- */

static const struct {
  const char *file, *profile;
  bool public;
  long long rows, skipped, offers;
  struct {
    const char *code;
    size_t n;
  } codes[4];
} files[] = {
    {"skypilot_v7_nebius_vms.csv",
     "nebius",
     true,
     61,
     40,
     29,
     {{"host_ram_as_memory", 21}, {"declared_out_of_range", 21}}},
    {"skypilot_v8_nebius_vms.csv", "nebius", true, 61, 40, 29, {{NULL, 0}}},
    {"skypilot_v8_verda_vms.csv", "verda", true, 33, 11, 33, {{NULL, 0}}},
    {"skypilot_v8_vast_vms.csv",
     "vast",
     true,
     67,
     0,
     67,
     {{"memory_ambiguous", 3}, {"declared_out_of_range", 1}, {"device_name_conflict", 3}}},
    {"sky_nebius_host_ram.csv",
     "nebius",
     false,
     3,
     1,
     3,
     {{"host_ram_as_memory", 2}, {"declared_out_of_range", 2}}},
    {"sky_nebius.csv", "nebius", false, 3, 1, 3, {{NULL, 0}}},
    {"sky_verda.csv", "verda", false, 5, 1, 6, {{NULL, 0}}},
    {"sky_vast.csv",
     "vast",
     false,
     6,
     0,
     6,
     {{"memory_ambiguous", 3}, {"declared_out_of_range", 2}, {"pool_not_divisible", 1}}},
    {"sky_lambda.csv", "lambda", false, 3, 1, 2, {{"total_mismatch", 1}}},
    {"sky_runpod.csv",
     "runpod",
     false,
     2,
     0,
     4,
     {{"memory_impossible_unit", 2}, {"price_equals_spot", 2}}},
    {"sky_primeintellect.csv",
     "primeintellect",
     false,
     3,
     0,
     3,
     {{"total_mismatch", 2}, {"price_precision", 1}}},
    {"sky_mithril.csv",
     "mithril",
     false,
     1,
     0,
     2,
     {{"price_equals_devices", 2}, {"price_equals_spot", 1}}},
};
enum { FILES = sizeof files / sizeof *files };

/* Counted by hand from each file: rows, rows without a GPU, one offer for each price over zero, and
   each doubt with its column and both values. */
START_TEST(reports_count_and_find) {
  const char *path = path_of(files[_i].file, files[_i].public);
  if (!path) return;
  const char *text = whole(path), *query = sky(files[_i].profile);
  const char *empty = head_now();
  const struct answer *dry = import(text_of("%s&dry_run=1", query), text);
  counts(dry, files[_i].offers, 0, 0);
  ck_assert_str_eq(head_now(), empty);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/offers?limit=1"), "total"), 0);
  const struct answer *a = import(query, text);
  ck_assert_int_eq(int_at(a, "rows"), files[_i].rows);
  ck_assert_int_eq(int_at(a, "skipped"), files[_i].skipped);
  ck_assert_int_eq(int_at(a, "offers.refused"), 0);
  counts(a, files[_i].offers, 0, 0);
  size_t expected = 0;
  for (size_t i = 0; i < 4 && files[_i].codes[i].code; i++) {
    ck_assert_msg(found(a, files[_i].codes[i].code) == files[_i].codes[i].n, "%s: %s",
                  files[_i].codes[i].code, a->body);
    expected += files[_i].codes[i].n;
  }
  ck_assert_msg(count_at(a, "findings") == expected, "%s", a->body);
  for (size_t i = 0; i < expected; i++) {
    ck_assert_int_gt(int_at(a, text_of("findings[%zu].row", i)), 0);
    ck_assert_str_ne(text_at(a, text_of("findings[%zu].column", i)), "");
    ck_assert_str_ne(text_at(a, text_of("findings[%zu].effect", i)), "");
    ck_assert_uint_ge(count_at(a, text_of("findings[%zu].values", i)), 1);
  }
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/offers?limit=1"), "total"), files[_i].offers);
  const char *full = head_now();
  counts(import(query, text), 0, 0, files[_i].offers);
  ck_assert_str_eq(head_now(), full);
}
END_TEST

/* A cell that an open finding touches proves nothing: its offer has no memory, or no price. */
START_TEST(a_doubted_cell_is_left_unknown) {
  import(sky("nebius"), whole(path_of("sky_nebius_host_ram.csv", false)));
  import(sky("mithril"), whole(path_of("sky_mithril.csv", false)));
  const struct answer *a = CRV_CALL(.path = "/v1/offers?prefix=nebius");
  for (size_t i = 0; i < count_at(a, "items"); i++) {
    ck_assert_ptr_null(json_path(a->json, text_of("items[%zu].device.memory_nominal", i)));
    ck_assert_ptr_null(json_path(a->json, text_of("items[%zu].device.memory_declared_bytes", i)));
    ck_assert_str_eq(text_at(a, text_of("items[%zu].findings[0].field", i)),
                     "device.memory_nominal");
    ck_assert_str_ne(text_at(a, text_of("items[%zu].price.amount", i)), "");
  }
  a = CRV_CALL(.path = "/v1/offers?prefix=mithril");
  ck_assert_str_eq(text_at(a, "items[0].findings[0].field"), "price.amount");
}
END_TEST

/* -- a wrong file, a decision, the right file ---------------------------------------------------
 */

static const struct {
  const char *wrong, *right;
  bool public;
  long long offers;
} pairs[] = {
    {"skypilot_v7_nebius_vms.csv", "skypilot_v8_nebius_vms.csv", true, 29},
    {"sky_nebius_host_ram.csv", "sky_nebius.csv", false, 3},
};

struct kept_rows {
  const char *key[64], *row[64];
  size_t n;
};

static void keep_rows(struct kept_rows *k, long long decision) {
  const struct answer *a = CRV_CALL(.path = "/v1/offers?limit=1000");
  k->n = count_at(a, "items");
  ck_assert_uint_le(k->n, 64);
  for (size_t i = 0; i < k->n; i++) {
    k->key[i] = text_at(a, text_of("items[%zu].key", i));
    k->row[i] =
        CRV_CALL(.path = text_of("/v1/decisions/%lld/offers/%s", decision, k->key[i]))->body;
  }
}

/* Every criterion of every offer, computed again from the versions that the decision saw. */
static void check_rows(const struct kept_rows *k, long long decision) {
  for (size_t i = 0; i < k->n; i++)
    ck_assert_str_eq(
        CRV_CALL(.path = text_of("/v1/decisions/%lld/offers/%s", decision, k->key[i]))->body,
        k->row[i]);
}

START_TEST(a_correction_leaves_the_decision_before_it) {
  struct kept_rows rows;
  const char *wrong = path_of(pairs[_i].wrong, pairs[_i].public);
  const char *right = path_of(pairs[_i].right, pairs[_i].public);
  if (!wrong || !right) return;
  long long n = pairs[_i].offers;
  counts(import(sky("nebius"), whole(wrong)), n, 0, 0);
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/support-bot", .json = sheet_json, .expect = 201);
  const char *ask = "{\"sheet\":\"support-bot\"}";
  const struct answer *d = CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  ck_assert_int_eq(int_at(d, "catalogue.offers"), n);
  keep_rows(&rows, 1);
  const char *text = CRV_CALL(.path = "/v1/decisions/1?format=text")->body;

  const struct answer *a = import(sky("nebius"), whole(right));
  counts(a, 0, n, 0);
  ck_assert_int_eq(int_at(a, "missing_count"), 0);
  ck_assert_str_eq(text_at(a, "evidence"), "import.skypilot.nebius@2");
  ck_assert_str_eq(CRV_CALL(.path = "/v1/decisions/1")->body, d->body);
  ck_assert_str_eq(CRV_CALL(.path = "/v1/decisions/1?format=text")->body, text);
  check_rows(&rows, 1);
  for (size_t i = 0; i < rows.n; i++) {
    const char *base = text_of("/v1/offers/%s", rows.key[i]);
    ck_assert_int_eq(int_at(CRV_CALL(.path = base), "version"), 2);
    CRV_CALL(.path = text_of("%s/versions/1", base), .contains = "import.skypilot.nebius@1");
  }
  a = CRV_CALL(.path = "/v1/sheets/support-bot/shortlist", .contains = "\"offer_versioned\"");
  ck_assert_str_eq(header_of(a, "Decision-Status"), "stale");
  a = CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  ck_assert_int_eq(int_at(a, "decision"), 2);
  ck_assert_str_ne(text_at(a, "matrix_digest"), text_at(d, "matrix_digest"));
  ck_assert_int_gt(int_at(a, "outlook.fits_on_paper"), int_at(d, "outlook.fits_on_paper"));
  service_restart(true);
  ck_assert_str_eq(CRV_CALL(.path = "/v1/decisions/1")->body, d->body);
  check_rows(&rows, 1);
}
END_TEST

/* -- files that shrink ----------------------------------------------------------------------------
 */

/* The file without the lines that hold the text. */
static const char *without(const char *text, const char *what) {
  const char *made = "";
  while (*text) {
    size_t len = strcspn(text, "\n") + 1;
    const char *line = text_of("%.*s", (int)len, text);
    if (!strstr(line, what)) made = text_of("%s%s", made, line);
    text += strlen(line);
  }
  return made;
}

START_TEST(absent_keys_are_told_and_withdrawn_on_demand) {
  const char *text = whole(path_of("sky_verda.csv", false)), *query = sky("verda");
  const char *fewer = without(text, "1A100.20V");
  struct kept_rows rows;
  counts(import(query, text), 6, 0, 0);
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/support-bot", .json = sheet_json, .expect = 201);
  const struct answer *d =
      CRV_CALL(.path = "/v1/decisions", .expect = 201, .json = "{\"sheet\":\"support-bot\"}");
  keep_rows(&rows, 1);
  const struct answer *a = import(query, fewer);
  ck_assert_int_eq(int_at(a, "missing_count"), 2);
  ck_assert_int_eq(int_at(a, "withdrawn"), 0);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/offers"), "total"), 6);
  const char *gone[] = {text_at(a, "missing[0]"), text_at(a, "missing[1]")};
  const char *before = head_now();
  a = import(text_of("%s&withdraw_missing=1&dry_run=1", query), fewer);
  ck_assert_int_eq(int_at(a, "missing_count"), 2);
  ck_assert_str_eq(head_now(), before);
  a = import(text_of("%s&withdraw_missing=1", query), fewer);
  ck_assert_int_eq(int_at(a, "withdrawn"), 2);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/offers"), "total"), 4);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/offers?withdrawn=1"), "total"), 6);
  for (size_t i = 0; i < 2; i++) {
    CRV_CALL(.path = text_of("/v1/offers/%s", gone[i]), .expect = 410);
    CRV_CALL(.path = text_of("/v1/offers/%s/versions/1", gone[i]), .contains = "1A100.20V");
  }
  check_rows(&rows, 1);
  ck_assert_str_eq(CRV_CALL(.path = "/v1/decisions/1")->body, d->body);
  a = CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"support-bot\"}", .expect = 201);
  ck_assert_int_eq(int_at(a, "catalogue.offers"), 4);
  counts(import(query, text), 2, 0, 4);
}
END_TEST

START_TEST(a_bad_row_hides_no_other) {
  const struct answer *a =
      CRV_CALL(.path = "/v1/imports?source=ndjson", .type = "application/x-ndjson",
               .body = whole(path_of("native.ndjson", false)));
  ck_assert_int_eq(int_at(a, "rows"), 8);
  ck_assert_int_eq(int_at(a, "offers.refused"), 5);
  ck_assert_int_eq(int_at(a, "offers.created"), 2);
  CRV_CALL(.path = "/v1/offers/ada-1");
  CRV_CALL(.path = "/v1/offers/l40s-1");
  CRV_CALL(.path = "/v1/offers/broken-1", .expect = 404);
  CRV_CALL(.path = "/v1/offers/t4-1", .expect = 404); /* two rows with one key differ: neither */
  const char *good = whole(path_of("sky_nebius.csv", false));
  a = import(sky("nebius"), text_of("%s\"open,,,\n", good)); /* the last row has no end */
  ck_assert_int_eq(int_at(a, "offers.created"), 3);
  ck_assert_int_eq(int_at(a, "offers.refused"), 1);
  ck_assert_uint_ge(count_at(a, "findings"), 1);
}
END_TEST

START_TEST(a_file_without_currency_needs_one) {
  const char *text = whole(path_of("sky_nebius.csv", false));
  const struct answer *a = CRV_CALL(.path = "/v1/imports?source=skypilot&profile=nebius",
                                    .body = text, .type = "text/csv", .expect = -1);
  CRV_PROBLEM(a, 400, "bad-parameter", NULL);
  ck_assert_ptr_nonnull(strstr(text_at(a, "detail"), "currency"));
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/offers"), "total"), 0);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/evidence"), "total"), 0);
}
END_TEST

/* One type and one price, two figures of memory: two offers, and none of the figures is believed.
 */
START_TEST(one_type_with_two_memories_stays_two) {
  import(sky("vast"), whole(path_of("sky_vast.csv", false)));
  const char *real = path_of("skypilot_v8_vast_vms.csv", true);
  const struct answer *a = CRV_CALL(.path = "/v1/offers?limit=1000");
  for (int round = 0; round < 2; round++) {
    size_t n = 0;
    for (size_t i = 0; i < count_at(a, "items"); i++) {
      if (!strstr(text_at(a, text_of("items[%zu].supplier_ref", i)), "1x-RTX_4090-")) continue;
      ck_assert_ptr_null(json_path(a->json, text_of("items[%zu].device.memory_declared_bytes", i)));
      n++;
    }
    ck_assert_uint_ge(n, 2);
    if (!real) return;
    import(text_of("%s&key=real&key_prefix=real-", sky("vast")), whole(real));
    a = CRV_CALL(.path = "/v1/offers?limit=1000&prefix=real-");
  }
}
END_TEST

/* -- one nominal figure, two cards --------------------------------------------------------------
 */

static const char two_cards[] =
    "{\"key\":\"l40s\",\"supplier\":\"s\",\"device\":{\"name\":\"L40S\","
    "\"memory_nominal\":\"48 GB\"},\"lot\":{\"devices\":1},\"price\":{\"amount\":\"0.9\","
    "\"currency\":\"USD\",\"basis\":\"per_lot\",\"per\":\"hour\"}}\n"
    "{\"key\":\"ada\",\"supplier\":\"s\",\"device\":{\"name\":\"RTX 6000 Ada\","
    "\"memory_nominal\":\"48 GB\"},\"lot\":{\"devices\":1},\"price\":{\"amount\":\"0.9\","
    "\"currency\":\"USD\",\"basis\":\"per_lot\",\"per\":\"hour\"}}\n";

static void report(const char *device, long long bytes) {
  CRV_CALL(.method = "PUT", .path = text_of("/v1/evidence/report-%s", device), .expect = 201,
           .json = text_of("{\"kind\":\"device_report\",\"observed_at\":\"2026-11-28\","
                           "\"scope\":{\"device\":\"nvidia/%s\"},"
                           "\"result\":{\"declared_bytes\":%lld}}",
                           device, bytes));
}

static void capacity(long long decision, const char *key, long long lower, long long upper) {
  const struct answer *a = CRV_CALL(.path = text_of("/v1/decisions/%lld/offers/%s", decision, key));
  ck_assert_int_eq(int_at(a, "capacity_lower_bytes"), lower);
  ck_assert_int_eq(int_at(a, "capacity_upper_bytes"), upper);
}

START_TEST(a_device_report_tells_two_cards_apart) {
  const long long l40s = 46068LL << 20, ada = 49140LL << 20, upper = 48LL << 30;
  CRV_CALL(.path = "/v1/imports?source=ndjson", .body = two_cards, .type = "application/x-ndjson");
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/support-bot", .json = sheet_json, .expect = 201);
  const char *ask = "{\"sheet\":\"support-bot\"}";
  CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  capacity(1, "l40s", upper * 9 / 10, upper);
  capacity(1, "ada", upper * 9 / 10, upper);
  report("l40s", l40s);
  report("rtx-6000-ada", ada);
  const struct answer *a = CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  capacity(2, "l40s", l40s, l40s);
  capacity(2, "ada", ada, ada);
  ck_assert_str_eq(text_at(a, "preselection[0].offer"), "ada");
  ck_assert_str_eq(text_at(a, "preselection[0].decided_by.key"), "margin");
  ck_assert_int_eq(int_at(a, "preselection[0].margin_bytes"), ada - 20442450944);
  ck_assert_int_eq(int_at(a, "preselection[1].margin_bytes"), l40s - 20442450944);
  capacity(1, "l40s", upper * 9 / 10, upper);
}
END_TEST

int main(void) {
  Suite *s = suite_create("catalogues");
  TCase *tc = tcase_create("catalogues");
  tcase_add_checked_fixture(tc, fresh_start, fresh_stop);
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, reports_count_and_find, 0, FILES);
  tcase_add_test(tc, a_doubted_cell_is_left_unknown);
  tcase_add_loop_test(tc, a_correction_leaves_the_decision_before_it, 0, 2);
  tcase_add_test(tc, absent_keys_are_told_and_withdrawn_on_demand);
  tcase_add_test(tc, a_bad_row_hides_no_other);
  tcase_add_test(tc, a_file_without_currency_needs_one);
  tcase_add_test(tc, one_type_with_two_memories_stays_two);
  tcase_add_test(tc, a_device_report_tells_two_cards_apart);
  suite_add_tcase(s, tc);
  return suite_run(s, true);
}
