/* POST /v1/imports: files become offers whole or not at all, and the report tells row by row. */
#include <stdlib.h>
#include <string.h>

#include "tests/http/http.h"

static const struct answer *import(const char *query, const char *file, int expect) {
  size_t len;
  const char *data = file_of(text_of("tests/data/catalogues/%s", file), &len);
  return CRV_CALL(.path = text_of("/v1/imports?%s", query), .body = data, .len = len,
                  .type = "text/csv", .expect = expect);
}

static const char rows_before[] =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"
    "a,L40S,1,16,64.0,1.50,eu,\"{'Gpus': [{'Name': 'L40S', 'Count': 1.0, 'MemoryInfo': "
    "{'SizeInMiB': 46068}}], 'TotalGpuMemoryInMiB': 46068}\",\n"
    "b,L40S,1,16,64.0,1.60,eu,\"{'Gpus': [{'Name': 'L40S', 'Count': 1.0, 'MemoryInfo': "
    "{'SizeInMiB': 46068}}], 'TotalGpuMemoryInMiB': 46068}\",\n"
    "c,,0,4,16.0,0.10,eu,,\n";
static const char rows_after[] =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"
    "a,L40S,1,16,64.0,1.75,eu,\"{'Gpus': [{'Name': 'L40S', 'Count': 1.0, 'MemoryInfo': "
    "{'SizeInMiB': 46068}}], 'TotalGpuMemoryInMiB': 46068}\",\n";

static const struct answer *post(const char *query, const char *body, int expect) {
  return CRV_CALL(.path = text_of("/v1/imports?%s", query), .body = body, .type = "text/csv",
                  .expect = expect);
}

#define SKY "source=skypilot&profile=lambda&currency=USD"

START_TEST(a_file_becomes_offers_that_cite_it) {
  const struct answer *a = post(SKY, rows_before, 200);
  ck_assert_str_eq(text_at(a, "source"), "skypilot");
  ck_assert(json_is_false(json_path(a->json, "dry_run")));
  ck_assert_int_eq(int_at(a, "rows"), 3);
  ck_assert_int_eq(int_at(a, "skipped"), 1);
  ck_assert_int_eq(int_at(a, "offers.created"), 2);
  ck_assert_int_eq(int_at(a, "offers.refused"), 0);
  ck_assert_str_eq(text_at(a, "evidence"), "import.skypilot.lambda@1");
  a = CRV_CALL(.path = "/v1/evidence/import.skypilot.lambda");
  ck_assert_str_eq(text_at(a, "kind"), "catalogue_import");
  ck_assert_str_eq(text_at(a, "result.origin"), "third_party");
  ck_assert_int_eq(int_at(a, "result.rows"), 3);
  ck_assert_uint_eq(strlen(text_at(a, "content.sha256")), 64);
  ck_assert_str_ne(text_at(a, "observed_at"), "");
  CRV_CALL(.path = "/v1/evidence/import.skypilot.lambda/content", .contains = "\na,L40S,1,16");
  a = CRV_CALL(.path = "/v1/offers");
  ck_assert_int_eq(int_at(a, "total"), 2);
  ck_assert_str_eq(text_at(a, "items[0].cites"), "import.skypilot.lambda@1");
  ck_assert_str_eq(text_at(a, "items[0].price.amount"), "1.5");
  ck_assert_str_eq(text_at(a, "items[0].device.model"), "nvidia/l40s");
}
END_TEST

START_TEST(the_same_file_twice_changes_nothing) {
  post(SKY, rows_before, 200);
  const struct answer *head = CRV_CALL(.path = "/v1/decisions/head");
  const struct answer *a = post(SKY, rows_before, 200);
  ck_assert_int_eq(int_at(a, "offers.created"), 0);
  ck_assert_int_eq(int_at(a, "offers.versioned"), 0);
  ck_assert_int_eq(int_at(a, "offers.unchanged"), 2);
  ck_assert(json_is_true(json_path(a->json, "same_file")));
  ck_assert_str_eq(CRV_CALL(.path = "/v1/decisions/head")->body, head->body);
}
END_TEST

START_TEST(a_newer_file_versions_reports_missing_and_withdraws) {
  post(SKY, rows_before, 200);
  const struct answer *a = post(SKY, rows_after, 200);
  ck_assert_int_eq(int_at(a, "offers.versioned"), 1);
  ck_assert_int_eq(int_at(a, "missing_count"), 1);
  ck_assert_int_eq(int_at(a, "withdrawn"), 0);
  const char *missing = text_at(a, "missing[0]");
  CRV_CALL(.path = text_of("/v1/offers/%s", missing)); /* still there */
  a = post(SKY "&withdraw_missing=1", rows_after, 200);
  ck_assert_int_eq(int_at(a, "withdrawn"), 1);
  CRV_CALL(.path = text_of("/v1/offers/%s", missing), .expect = 410);
  a = post(SKY "&withdraw_missing=1", rows_after, 200);
  ck_assert_int_eq(int_at(a, "missing_count"), 0);
  a = post(SKY, rows_before, 200); /* it comes back as the next version */
  ck_assert_int_eq(int_at(a, "offers.created"), 1);
  ck_assert_int_eq(int_at(CRV_CALL(.path = text_of("/v1/offers/%s", missing)), "version"), 3);
  /* offers of another source are none of this file's business */
  CRV_CALL(.method = "PUT", .path = "/v1/offers/by-hand", .expect = 201,
           .json = "{\"supplier\":\"s\",\"device\":{\"name\":\"T4\"}}");
  a = post(SKY "&withdraw_missing=1", rows_after, 200);
  ck_assert_int_eq(int_at(a, "withdrawn"), 1);
  CRV_CALL(.path = "/v1/offers/by-hand");
}
END_TEST

START_TEST(unchanged_offers_cite_the_newer_file) {
  post(SKY "&observed_at=2026-11-01", rows_before, 200);
  const struct answer *a = post(SKY "&observed_at=2026-12-01", rows_before, 200);
  ck_assert_int_eq(int_at(a, "offers.unchanged"), 2);
  ck_assert_int_eq(int_at(a, "offers.confirmed"), 2);
  ck_assert_str_eq(text_at(a, "evidence"), "import.skypilot.lambda@2");
  a = CRV_CALL(.path = "/v1/offers");
  ck_assert_str_eq(text_at(a, "items[0].cites"), "import.skypilot.lambda@2");
}
END_TEST

START_TEST(a_dry_run_reports_and_stores_nothing) {
  const struct answer *a = post(SKY "&dry_run=1", rows_before, 200);
  ck_assert(json_is_true(json_path(a->json, "dry_run")));
  ck_assert_int_eq(int_at(a, "offers.created"), 2);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/offers"), "total"), 0);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/evidence"), "total"), 0);
}
END_TEST

/* Host RAM written as device memory is caught; the corrected file makes new versions, and a
   decision made before reads as it was. */
START_TEST(a_corrected_catalogue_and_an_old_decision) {
  const char *query = "source=skypilot&profile=nebius&currency=USD";
  const struct answer *a = import(query, "sky_nebius_host_ram.csv", 200);
  long long created = int_at(a, "offers.created");
  ck_assert_int_gt(created, 0);
  ck_assert(strstr(a->body, "\"code\":\"host_ram_as_memory\"") != NULL);
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/support-bot", .json = sheet_json, .expect = 201);
  const struct answer *d =
      CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"support-bot\"}", .expect = 201);
  a = import(query, "sky_nebius.csv", 200);
  ck_assert_int_gt(int_at(a, "offers.versioned"), 0);
  ck_assert_int_eq(int_at(a, "offers.created"), 0);
  ck_assert_int_eq(int_at(a, "missing_count"), 0);
  CRV_CALL(.path = "/v1/sheets/support-bot/shortlist", .contains = "\"offer_versioned\"");
  ck_assert_str_eq(CRV_CALL(.path = "/v1/decisions/1")->body, d->body);
  const char *offer = text_at(d, "preselection[0].offer");
  if (offer[0])
    CRV_CALL(.path = text_of("/v1/decisions/1/offers/%s", offer),
             .contains = text_at(d, "matrix_digest"));
  a = CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"support-bot\"}", .expect = 201);
  ck_assert_str_ne(text_at(a, "matrix_digest"), text_at(d, "matrix_digest"));
}
END_TEST

START_TEST(every_source_and_profile_imports) {
  static const struct {
    const char *query, *file;
  } rows[] = {
      {"source=skypilot&profile=vast&currency=USD", "sky_vast.csv"},
      {"source=skypilot&profile=verda&currency=USD", "sky_verda.csv"},
      {"source=skypilot&profile=lambda&currency=USD", "sky_lambda.csv"},
      {"source=skypilot&profile=runpod&currency=USD", "sky_runpod.csv"},
      {"source=skypilot&profile=primeintellect&currency=USD", "sky_primeintellect.csv"},
      {"source=csv&origin=supplier&supplier=alpha-cloud", "native.csv"},
      {"source=ndjson", "native.ndjson"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct answer *a = import(rows[i].query, rows[i].file, 200);
    ck_assert_int_gt(int_at(a, "offers.created"), 0);
    long long total = int_at(a, "offers.created");
    a = import(rows[i].query, rows[i].file, 200);
    ck_assert_int_eq(int_at(a, "offers.unchanged"), total);
  }
  CRV_CALL(.path = "/v1/evidence/import.csv.alpha-cloud", .contains = "\"origin\":\"supplier\"");
}
END_TEST

START_TEST(two_offers_with_one_type_stay_two) {
  import("source=skypilot&profile=vast&currency=USD", "sky_vast.csv", 200);
  const struct answer *a = CRV_CALL(.path = "/v1/offers?format=csv&prefix=vast");
  size_t n = 0;
  for (const char *s = a->body; (s = strstr(s, "1x-RTX_4090-16-32768")); s++) n++;
  ck_assert_uint_ge(n, 2);
}
END_TEST

START_TEST(the_report_in_text_and_csv) {
  size_t len;
  const char *data = file_of("tests/data/catalogues/sky_nebius_host_ram.csv", &len);
  const struct answer *a =
      CRV_CALL(.path =
                   "/v1/imports?source=skypilot&profile=nebius&currency=USD&dry_run=1&format=text",
               .body = data, .len = len, .type = "text/csv", .contains = "host_ram_as_memory");
  ck_assert_uint_le(widest_line(a->body), 100);
  ck_assert(strncmp(a->body, "Dry run: ", 9) == 0);
  a = CRV_CALL(.path =
                   "/v1/imports?source=skypilot&profile=nebius&currency=USD&dry_run=1&format=csv",
               .body = data, .len = len, .type = "text/csv");
  ck_assert(strncmp(a->body, "row,column,code,values,effect,field\r\n", 37) == 0);
}
END_TEST

START_TEST(a_retry_imports_once) {
  const struct answer *a = CRV_CALL(.path = "/v1/imports?" SKY, .body = rows_before,
                                    .type = "text/csv", .header = {"Idempotency-Key: i1"});
  const struct answer *b = CRV_CALL(.path = "/v1/imports?" SKY, .body = rows_before,
                                    .type = "text/csv", .header = {"Idempotency-Key: i1"});
  ck_assert_str_eq(header_of(b, "Idempotency-Replayed"), "true");
  ck_assert_str_eq(b->body, a->body);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/imports?" SKY, .body = rows_after, .type = "text/csv",
                       .expect = 422, .header = {"Idempotency-Key: i1"}),
              422, "idempotency-key-reused", NULL);
}
END_TEST

START_TEST(one_bad_row_does_not_hide_the_others) {
  const struct answer *a =
      CRV_CALL(.path = "/v1/imports?source=ndjson&withdraw_missing=1",
               .type = "application/x-ndjson",
               .body = "{\"key\":\"good\",\"supplier\":\"s\",\"device\":{\"name\":\"T4\"}}\n"
                       "not json\n"
                       "{\"key\":\"late\",\"supplier\":\"s\",\"device\":{\"name\":\"T4\"}}\n");
  ck_assert_int_eq(int_at(a, "offers.created"), 2);
  ck_assert_int_eq(int_at(a, "offers.refused"), 1);
  ck_assert_str_eq(text_at(a, "findings[0].code"), "row_not_json");
  ck_assert_int_eq(int_at(a, "findings[0].row"), 2);
  CRV_CALL(.path = "/v1/offers/late");
  /* a refused row may be one that seems missing: nothing is taken away then */
  a = CRV_CALL(.path = "/v1/imports?source=ndjson&withdraw_missing=1",
               .type = "application/x-ndjson",
               .body = "{\"key\":\"good\",\"supplier\":\"s\",\"device\":{\"name\":\"T4\"}}\n{\n");
  ck_assert_int_eq(int_at(a, "missing_count"), 1);
  ck_assert_int_eq(int_at(a, "withdrawn"), 0);
  ck_assert_str_ne(text_at(a, "withdrawal_withheld"), "");
  CRV_CALL(.path = "/v1/offers/late");
}
END_TEST

static const struct {
  const char *query, *body, *type;
  int status;
} bad[] = {
    {"", "x", "text/csv", 400},
    {"source=tea", "x", "text/csv", 400},
    {"source=skypilot", "x", "text/csv", 400},
    {"source=skypilot&profile=moon&currency=USD", "x", "text/csv", 400},
    {"source=skypilot&profile=vast", "x", "text/csv", 400},
    {"source=skypilot&profile=vast&currency=usd", "x", "text/csv", 400},
    {"source=csv&key=No+Key", "x", "text/csv", 400},
    {"source=csv&origin=friend", "x", "text/csv", 400},
    {"source=csv&observed_at=soon", "x", "text/csv", 400},
    {"source=csv&dry_run=perhaps", "x", "text/csv", 400},
    {"source=csv", "", "text/csv", 400},
    {"source=csv", "x", "image/png", 415},
    {"source=csv", "x", "application/x-www-form-urlencoded", 415},
};

START_TEST(bad_imports_are_refused) {
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CRV_CALL(.path = text_of("/v1/imports?%s", bad[i].query), .body = bad[i].body,
             .type = bad[i].type, .expect = bad[i].status);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/evidence"), "total"), 0);
}
END_TEST

START_TEST(a_key_of_another_kind_is_refused) {
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/prices", .json = price_list_json, .expect = 201);
  CRV_PROBLEM(post(SKY "&key=prices", rows_before, 409), 409, "conflict", NULL);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/offers"), "total"), 0);
}
END_TEST

START_TEST(an_import_by_the_program_itself) {
  char out[4096];
  const char *file = text_of("%s/tests/data/catalogues/sky_verda.csv", getenv("top_srcdir"));
  const char *args[] = {"import",     file,  "--source", "skypilot",    "--profile", "verda",
                        "--currency", "USD", "--state",  service_dir(), NULL};
  service_end(false);
  ck_assert_int_eq(crivod_run(args, out, sizeof out), 0);
  ck_assert(strstr(out, "\"evidence\": \"import.skypilot.verda@1\"") != NULL);
  service_again();
  ck_assert_int_gt(int_at(CRV_CALL(.path = "/v1/offers"), "total"), 0);
}
END_TEST

int main(void) {
  Suite *s = suite_create("http imports");
  TCase *t = tcase_create("imports");
  tcase_set_timeout(t, 60);
  tcase_add_checked_fixture(t, fresh_start, fresh_stop);
  tcase_add_test(t, a_file_becomes_offers_that_cite_it);
  tcase_add_test(t, the_same_file_twice_changes_nothing);
  tcase_add_test(t, a_newer_file_versions_reports_missing_and_withdraws);
  tcase_add_test(t, unchanged_offers_cite_the_newer_file);
  tcase_add_test(t, a_dry_run_reports_and_stores_nothing);
  tcase_add_test(t, a_corrected_catalogue_and_an_old_decision);
  tcase_add_test(t, every_source_and_profile_imports);
  tcase_add_test(t, two_offers_with_one_type_stay_two);
  tcase_add_test(t, the_report_in_text_and_csv);
  tcase_add_test(t, a_retry_imports_once);
  tcase_add_test(t, one_bad_row_does_not_hide_the_others);
  tcase_add_test(t, bad_imports_are_refused);
  tcase_add_test(t, a_key_of_another_kind_is_refused);
  tcase_add_test(t, an_import_by_the_program_itself);
  suite_add_tcase(s, t);
  return suite_run(s, true);
}
