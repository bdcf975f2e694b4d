/* GET /v1/sheets/{name}/shortlist: the newest decision, its status, its tag. */
#include <string.h>
#include <time.h>

#include "tests/http/http.h"

static const char ask[] = "{\"sheet\":\"support-bot\"}";
static const char path[] = "/v1/sheets/support-bot/shortlist";

START_TEST(nothing_decided_is_404_with_a_hint) {
  example_put();
  const struct answer *a = CRV_CALL(.path = path, .expect = 404);
  CRV_PROBLEM(a, 404, "not-found", NULL);
  ck_assert(strstr(text_at(a, "detail"), "POST /v1/decisions") != NULL);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/sheets/none/shortlist", .expect = 404), 404, "not-found", NULL);
}
END_TEST

START_TEST(it_is_the_decision_with_its_status) {
  example_put();
  const struct answer *d = CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  const struct answer *a = CRV_CALL(.path = path);
  ck_assert_str_eq(header_of(a, "Decision-Status"), "current");
  ck_assert_str_eq(text_at(a, "decision_status"), "current");
  ck_assert_uint_eq(count_at(a, "stale_because"), 0);
  json_t *bare = json_deep_copy(a->json);
  json_object_del(bare, "decision_status");
  json_object_del(bare, "stale_because");
  ck_assert(json_equal(bare, d->json));
  json_decref(bare);
  CRV_CALL(.method = "HEAD", .path = path);
}
END_TEST

static void check_stale(const char *why) {
  const struct answer *a = CRV_CALL(.path = path);
  ck_assert_str_eq(header_of(a, "Decision-Status"), "stale");
  ck_assert_str_eq(text_at(a, "decision_status"), "stale");
  ck_assert_msg(strstr(header_of(a, "Decision-Stale-Because"), why) != NULL, "%s", a->headers);
  CRV_CALL(.path = "/s/support-bot", .contains = why);
}

START_TEST(every_reason_for_being_stale) {
  example_put();
  CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  CRV_CALL(.method = "PUT", .path = "/v1/offers/rtx-4090-3d",
           .json = text_of("%.*s,\"note\":\"new\"}", (int)strlen(offer_4090_json) - 1,
                           offer_4090_json));
  check_stale("offer_versioned");
  CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  example_prove();
  check_stale("evidence_added");
  CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/support-bot", .json = "{\"task\":\"inference\"}");
  check_stale("sheet_revised");
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/support-bot", .json = sheet_json);
  check_stale("sheet_revised"); /* the same words, another revision */
}
END_TEST

static const char *soon(int seconds) {
  char text[32];
  time_t at = time(NULL) + seconds;
  struct tm tm;
  gmtime_r(&at, &tm);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
  return text_of("%s", text);
}

/* A piece that expires a moment from now makes the decision stale by itself, and changes its tag.
 */
START_TEST(expiry_makes_it_stale_and_changes_the_tag) {
  example_put();
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/run-6000-ada", .expect = 201,
           .json = text_of("{\"kind\":\"protocol_run\",\"observed_at\":\"2026-11-30T10:00:00Z\","
                           "\"valid_until\":\"%s\",\"scope\":{\"device\":\"nvidia/rtx-6000-ada\","
                           "\"model\":{\"name\":\"example/seven-b\"}},\"result\":{"
                           "\"outcome\":\"passed\",\"truncated\":false,\"errors\":0}}",
                           soon(2)));
  CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  const struct answer *a = CRV_CALL(.path = path);
  const char *match = text_of("If-None-Match: %s", header_of(a, "ETag"));
  int status = 304;
  struct timespec nap = {0, 20000000};
  for (int i = 0; i < 500 && status == 304; i++) {
    status = CRV_CALL(.path = path, .header = {match}, .expect = -1)->status;
    nanosleep(&nap, NULL);
  }
  ck_assert_int_eq(status, 200);
  check_stale("evidence_expired");
  CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  ck_assert_str_eq(header_of(CRV_CALL(.path = path), "Decision-Status"), "current");
}
END_TEST

START_TEST(the_tag_holds_until_something_changes) {
  example_put();
  CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  const char *match = text_of("If-None-Match: %s", header_of(CRV_CALL(.path = path), "ETag"));
  const struct answer *a = CRV_CALL(.path = path, .header = {match}, .expect = 304);
  ck_assert_uint_eq(a->len, 0);
  ck_assert_str_eq(header_of(a, "Decision-Status"), "current");
  CRV_CALL(.path = "/v1/sheets/support-bot/shortlist?format=csv", .header = {match});
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/unrelated", .json = "{\"task\":\"inference\"}",
           .expect = 201);
  CRV_CALL(.path = path, .header = {match}, .expect = 304);
  example_prove();
  CRV_CALL(.path = path, .header = {match}, .expect = 200);
  const char *stale = text_of("If-None-Match: %s", header_of(CRV_CALL(.path = path), "ETag"));
  CRV_CALL(.path = path, .header = {stale}, .expect = 304);
  CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  CRV_CALL(.path = path, .header = {stale}, .expect = 200, .contains = "\"decision\":2");
}
END_TEST

START_TEST(formats_of_a_shortlist) {
  example_put();
  CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201);
  const struct answer *a = CRV_CALL(.path = text_of("%s?format=text", path));
  ck_assert_uint_le(widest_line(a->body), 100);
  static const char heads[] = "#  OFFER            SUPPLIER       REGION      DEVICES";
  ck_assert(strstr(a->body, heads) != NULL);
  ck_assert(strstr(a->body, "COST     MARGIN  SCHEDULE  OPEN\n") != NULL);
  CRV_CALL(.path = text_of("%s?format=junit", path),
           .contains = "<testsuites name=\"support-bot\"");
  CRV_CALL(.path = text_of("%s?format=md", path), .contains = "## To confirm");
  CRV_CALL(.path = path, .header = {"Accept: text/csv"},
           .contains = "\r\n1,rtx-4090-3d,1,to_confirm,");
  CRV_CALL(.path = text_of("%s?format=ndjson", path), .expect = 406);
}
END_TEST

int main(void) {
  Suite *s = suite_create("http shortlist");
  TCase *t = tcase_create("shortlist");
  tcase_set_timeout(t, 60);
  tcase_add_checked_fixture(t, fresh_start, fresh_stop);
  tcase_add_test(t, nothing_decided_is_404_with_a_hint);
  tcase_add_test(t, it_is_the_decision_with_its_status);
  tcase_add_test(t, every_reason_for_being_stale);
  tcase_add_test(t, expiry_makes_it_stale_and_changes_the_tag);
  tcase_add_test(t, the_tag_holds_until_something_changes);
  tcase_add_test(t, formats_of_a_shortlist);
  suite_add_tcase(s, t);
  return suite_run(s, true);
}
