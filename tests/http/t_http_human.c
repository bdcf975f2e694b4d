/* Addresses for people: GET /, GET /s/{sheet}, GET /o/{offer}, GET /d/{n}. */
#include <string.h>

#include "tests/http/http.h"

START_TEST(home_is_help_for_curl_and_a_page_for_browsers) {
  const struct answer *a = CRV_CALL(.path = "/", .as = "", .contains = "/v1/budget?params=7e9");
  size_t lines = 0;
  for (const char *s = a->body; *s; s++) lines += *s == '\n';
  ck_assert_uint_eq(lines, 15);
  ck_assert_uint_le(widest_line(a->body), 100);
  ck_assert_str_eq(header_of(a, "Content-Type"), "text/plain; charset=utf-8");
  a = CRV_CALL(.path = "/", .as = "", .contains = "<!doctype html>",
               .header = {
                   "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"});
  ck_assert_str_eq(header_of(a, "Content-Type"), "text/html; charset=utf-8");
  CRV_CALL(.path = "/", .as = "", .expect = 406, .header = {"Accept: application/json"});
}
END_TEST

START_TEST(a_sheet_as_a_page) {
  example_put();
  CRV_CALL(.path = "/s/support-bot", .expect = 404, .contains = "POST /v1/decisions");
  CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"support-bot\"}", .expect = 201);
  const struct answer *a = CRV_CALL(.path = "/s/support-bot", .as = "reader");
  ck_assert_uint_le(widest_line(a->body), 100);
  ck_assert(strstr(a->body, "\nDemand  support-bot r1: inference, example/seven-b@4f1c2a9, bf16") !=
            NULL);
  ck_assert(strstr(a->body,
                   "\nBudget  floor 13.04 GiB, reserve 6.00 GiB, envelope 19.04 GiB; unknown: ") !=
            NULL);
  CRV_CALL(.path = "/s/support-bot", .header = {"Accept: text/html"}, .contains = "<pre>Nothing");
  CRV_CALL(.path = "/s/support-bot?format=csv", .contains = "rank,offer,version");
  CRV_CALL(.path = "/s/support-bot?format=md", .contains = "| 1 | rtx-4090-3d |");
  CRV_CALL(.path = "/s/support-bot", .as = "", .expect = 401, .contains = "What helps: ");
  CRV_CALL(.path = "/s/support-bot", .expect = 304,
           .header = {text_of("If-None-Match: %s", header_of(a, "ETag"))});
}
END_TEST

START_TEST(why_tells_every_criterion) {
  example_put();
  example_prove();
  CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"support-bot\"}", .expect = 201);
  const struct answer *a = CRV_CALL(.path = "/s/support-bot?why=rtx-4090-3d");
  static const char *const ids[] = {"software.architecture",
                                    "software.runtime",
                                    "memory.floor",
                                    "memory.peak",
                                    "device.slice",
                                    "length.executed",
                                    "concurrency.executed",
                                    "quality (exact_match)",
                                    "plan.duration",
                                    "plan.interruptible",
                                    "cost.known",
                                    "cost.ceiling"};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
    ck_assert_msg(strstr(a->body, text_of("\n%s ", ids[i])) != NULL, "no %s in %s", ids[i],
                  a->body);
  ck_assert(strstr(a->body, "quality-bf16@1") != NULL);
  ck_assert(strstr(a->body, "to settle   Run the load at 8192 tokens") != NULL);
  ck_assert(strstr(a->body, "plan: 47.14 × 1 = 47.14 USD") != NULL);
  ck_assert_uint_le(widest_line(a->body), 100);
  CRV_CALL(.path = "/s/support-bot?why=none", .expect = 404);
  CRV_CALL(.path = "/s/support-bot?why=rtx-40", .contains = "rtx-4090-3d@1: to_confirm");
  CRV_CALL(.path = "/s/support-bot?why=rtx-", .expect = 404,
           .contains = "2 offers begin with rtx-: ");
  CRV_CALL(.path = "/v1/decisions/1/offers/rtx-40", .expect = 404);
  CRV_CALL(.path = "/d/1?why=rtx-6000-ada-3d",
           .contains = "proved with runtime transformers 5.17.0");
}
END_TEST

START_TEST(offers_and_decisions_as_pages) {
  example_put();
  CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"support-bot\"}", .expect = 201);
  const struct answer *a =
      CRV_CALL(.path = "/o/rtx-4090-3d", .contains = "device.memory_nominal        24 GB");
  ck_assert(strstr(a->body, "example-price-list@1") != NULL);
  CRV_CALL(.path = "/o/none", .expect = 404);
  CRV_CALL(.path = "/d/1", .contains = "decision 1\n");
  CRV_CALL(.path = "/d/1", .header = {"Accept: text/html"}, .contains = "decision 1\n</pre>");
  CRV_CALL(.path = "/d/2", .expect = 404);
  CRV_CALL(.path = "/d/x", .expect = 404);
}
END_TEST

START_TEST(lines_as_they_are_pasted) {
  /* the calculator in the meeting, Basic with the token as password */
  const struct answer *a = CRV_CALL(.path = "/v1/budget?params=7e9&bits=16&reserve=6GiB", .as = "");
  ck_assert_int_eq(int_at(a, "envelope_bytes"), 20442450944);
  example_put();
  const char *named = text_of("{\"name\":\"ci\",%s", sheet_json + 1);
  CRV_CALL(.path = "/v1/decisions?gate=retained", .json = named, .as = "ci", .expect = 409,
           .header = {"Idempotency-Key: 7-8"});
  CRV_CALL(.path = "/v1/sheets/ci/shortlist?format=junit", .as = "ci", .contains = "<testsuites");
}
END_TEST

int main(void) {
  Suite *s = suite_create("http human");
  TCase *t = tcase_create("human");
  tcase_set_timeout(t, 60);
  tcase_add_checked_fixture(t, fresh_start, fresh_stop);
  tcase_add_test(t, home_is_help_for_curl_and_a_page_for_browsers);
  tcase_add_test(t, a_sheet_as_a_page);
  tcase_add_test(t, why_tells_every_criterion);
  tcase_add_test(t, offers_and_decisions_as_pages);
  tcase_add_test(t, lines_as_they_are_pasted);
  suite_add_tcase(s, t);
  return suite_run(s, true);
}
