/* CI asks every night. While nothing comes in that touches the question, it is answered by one
   decision, to the byte; what touches it makes the decision stale, says why, and the next night
   makes a new one. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/http/http.h"

enum { NIGHTS = 50 };

/* -- questions -----------------------------------------------------------------------------------
 */

static const char by_name[] = "{\"sheet\":\"support-bot\",\"offers\":{\"key_prefix\":\"rtx-\"}}";

/* The sheet in the body, with its name or without. */
static const char *inline_sheet(bool named) {
  return text_of("{\"sheet\":{%s%s,\"offers\":{\"key_prefix\":\"rtx-\"}}",
                 named ? "\"name\":\"support-bot\"," : "", sheet_json + 1);
}

static const char *question(int form) {
  return form == 0 ? by_name : inline_sheet(form == 1);
}

static const struct answer *ask(const char *body, int expect) {
  return CRV_CALL(.path = "/v1/decisions", .json = body, .as = "ci", .expect = expect);
}

/* -- a night's other work ------------------------------------------------------------------------
 */

static void put(const char *path, const char *json) {
  const struct answer *a = CRV_CALL(.method = "PUT", .path = path, .json = json, .expect = -1);
  ck_assert_msg(a->status == 201 || a->status == 200, "%s: %d %s", path, a->status, a->body);
}

/* Another model's run and evaluation, another card's report, an offer that the question doesn't ask
   for, a preference, a sheet of someone else with its decision: none of it touches. */
static void unrelated(int night) {
  put(text_of("/v1/evidence/other-run-%d", night),
      text_of(
          "{\"kind\":\"protocol_run\",\"observed_at\":\"2026-11-30\",\"scope\":{\"device\":"
          "\"nvidia/t4\",\"devices\":1,\"strategy\":\"single\",\"model\":{\"name\":\"other/m%d\","
          "\"revision\":\"1\"},\"precision\":{\"weights\":\"fp16\"},\"length\":64,"
          "\"concurrency\":1},\"result\":{\"outcome\":\"passed\",\"truncated\":false,"
          "\"errors\":0,\"phases\":[\"loading\",\"generation\"]}}",
          night));
  put("/v1/evidence/other-quality",
      text_of(
          "{\"kind\":\"quality_evaluation\",\"observed_at\":\"2026-11-30\",\"scope\":{\"model\":{"
          "\"name\":\"other/m%d\","
          "\"revision\":\"1\"},\"precision\":{\"weights\":\"fp16\"}},\"result\":{\"metric\":\"m\","
          "\"dataset\":\"d\",\"dataset_revision\":\"1\",\"value\":\"0.5\"}}",
          night));
  put(text_of("/v1/evidence/report-%d", night),
      "{\"kind\":\"device_report\",\"observed_at\":\"2026-11-30\",\"scope\":{\"device\":\"nvidia/"
      "l40s\"},"
      "\"result\":{\"declared_bytes\":48305799168}}");
  put("/v1/offers/lab-t4",
      text_of("{\"supplier\":\"lab\",\"device\":{\"name\":\"T4\",\"memory_nominal\":\"16 GB\"},"
              "\"lot\":{\"devices\":1},\"price\":{\"amount\":\"0.%d\",\"currency\":\"USD\","
              "\"basis\":\"per_lot\",\"per\":\"hour\"},\"source\":{\"evidence\":"
              "\"example-price-list@1\"}}",
              night + 10));
  put("/v1/evidence/wish",
      text_of("{\"kind\":\"order_preference\",\"scope\":{\"offer\":\"lab-t4\"},"
              "\"result\":{\"text\":\"image %d\"}}",
              night));
  put("/v1/sheets/other", text_of("{\"task\":\"inference\",\"concurrency\":%d}", night + 1));
  CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"other\"}", .expect = -1);
}

static const char *status_now(void) {
  return text_of(
      "%s", header_of(CRV_CALL(.path = "/v1/sheets/support-bot/shortlist"), "Decision-Status"));
}

static long long decisions_on(const char *sheet) {
  return int_at(CRV_CALL(.path = text_of("/v1/decisions?sheet=%s&limit=1", sheet)), "total");
}

static void setup(void) {
  fresh_start();
  example_put();
}

/* -- nothing moves -------------------------------------------------------------------------------
 */

START_TEST(one_decision_for_fifty_nights) {
  const char *body = question(_i);
  const struct answer *first = ask(body, 201);
  for (int night = 0; night < NIGHTS; night++) {
    unrelated(night);
    const struct answer *a = CRV_CALL(.path = "/v1/decisions", .json = body, .as = "ci",
                                      .header = {text_of("Idempotency-Key: night-%d", night)});
    ck_assert_str_eq(a->body, first->body);
    ck_assert_str_eq(header_of(a, "Location"), header_of(first, "Location"));
  }
  ck_assert_str_eq(CRV_CALL(.path = header_of(first, "Location"))->body, first->body);
  if (_i == 2) return; /* a sheet without a name has no page of its own */
  ck_assert_int_eq(decisions_on("support-bot"), 1);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/sheets/support-bot"), "revision"), 1);
  ck_assert_str_eq(status_now(), "current");
}
END_TEST

/* The gate is no part of the question: its refusals name the one decision. */
START_TEST(one_decision_behind_a_gate) {
  static const char *const gates[] = {"retained", "workload"};
  ask(by_name, 201);
  for (int night = 0; night < NIGHTS / 5; night++) {
    unrelated(night);
    for (size_t g = 0; g < 2; g++) {
      const struct answer *a =
          CRV_CALL(.path = text_of("/v1/decisions?gate=%s", gates[g]), .json = by_name, .as = "ci",
                   .header = {text_of("Idempotency-Key: %s-%d", gates[g], night)}, .expect = 409);
      CRV_PROBLEM(a, 409, "gate-not-met", NULL);
      ck_assert_int_eq(int_at(a, "decision"), 1);
    }
  }
  CRV_CALL(.path = "/v1/decisions?gate=preselection", .json = by_name, .as = "ci");
  ck_assert_int_eq(decisions_on("support-bot"), 1);
}
END_TEST

/* A restart, and a retry of the first night's job, change nothing either. */
START_TEST(one_decision_over_restarts) {
  const struct answer *first = CRV_CALL(.path = "/v1/decisions", .json = by_name, .as = "ci",
                                        .header = {"Idempotency-Key: first"}, .expect = 201);
  for (int i = 0; i < 4; i++) {
    service_restart(i % 2 == 0);
    unrelated(i);
    ck_assert_str_eq(ask(by_name, 200)->body, first->body);
    const struct answer *again = CRV_CALL(.path = "/v1/decisions", .json = by_name, .as = "ci",
                                          .header = {"Idempotency-Key: first"}, .expect = 201);
    ck_assert_str_eq(again->body, first->body);
    ck_assert_str_eq(header_of(again, "Idempotency-Replayed"), "true");
  }
  ck_assert_int_eq(decisions_on("support-bot"), 1);
}
END_TEST

/* -- something moves -----------------------------------------------------------------------------
 */

static void put_run(void) {
  put("/v1/evidence/run-6000-ada", run_json);
}
static void put_quality(void) {
  put("/v1/evidence/quality-bf16", quality_json);
}

static void put_cheaper(void) {
  put("/v1/offers/rtx-4090-3d",
      "{\"supplier\":\"example-cloud\",\"supplier_ref\":\"rtx4090-1\",\"region\":\"eu-central\","
      "\"device\":{\"name\":\"RTX 4090\",\"memory_nominal\":\"24 GB\"},\"lot\":{\"devices\":1},"
      "\"plan\":{\"hours\":72,\"interruptible\":false},\"price\":{\"amount\":\"40\",\"currency\":"
      "\"USD\",\"basis\":\"per_lot\",\"per\":\"plan\"},\"source\":{\"evidence\":"
      "\"example-price-list@1\"}}");
}

static void put_third(void) {
  put("/v1/offers/rtx-third", "{\"supplier\":\"other\",\"device\":{\"name\":\"L4\"},"
                              "\"lot\":{\"devices\":1}}");
}

static void withdraw(void) {
  CRV_CALL(.method = "DELETE", .path = "/v1/offers/rtx-4090-3d", .expect = -1);
}

static void revise(void) {
  put("/v1/sheets/support-bot", text_of("{\"microbatch\":1,%s", sheet_json + 1));
}

static void report(void) {
  put("/v1/evidence/report-ada",
      "{\"kind\":\"device_report\",\"observed_at\":\"2026-11-30\",\"scope\":{\"device\":"
      "\"nvidia/rtx-6000-ada\"},\"result\":{\"declared_bytes\":51527024640}}");
}

static const struct {
  void (*move)(void);
  const char *why;
} moves[] = {
    {put_run, "evidence_added"},    {put_quality, "evidence_added"},
    {report, "evidence_added"},     {put_cheaper, "offer_versioned"},
    {put_third, "offer_versioned"}, {withdraw, "offer_versioned"},
    {revise, "sheet_revised"},
};
enum { MOVES = sizeof moves / sizeof *moves };

START_TEST(what_touches_it_makes_a_new_decision) {
  const struct answer *first = ask(by_name, 201);
  for (int night = 0; night < 3; night++) unrelated(night);
  ck_assert_str_eq(status_now(), "current");
  moves[_i].move();
  const struct answer *a = CRV_CALL(.path = "/v1/sheets/support-bot/shortlist");
  ck_assert_str_eq(header_of(a, "Decision-Status"), "stale");
  ck_assert_str_eq(text_at(a, "decision_status"), "stale");
  ck_assert_uint_eq(count_at(a, "stale_because"), 1);
  ck_assert_str_eq(text_at(a, "stale_because[0]"), moves[_i].why);
  ck_assert_int_eq(int_at(a, "decision"), int_at(first, "decision"));
  a = ask(by_name, 201);
  ck_assert_int_gt(int_at(a, "decision"), int_at(first, "decision"));
  ck_assert_str_eq(status_now(), "current");
  ck_assert_int_eq(decisions_on("support-bot"), 2);
  ck_assert_str_eq(CRV_CALL(.path = header_of(first, "Location"))->body, first->body);
  for (int night = 3; night < 6; night++) {
    unrelated(night);
    ck_assert_str_eq(ask(by_name, 200)->body, a->body);
  }
}
END_TEST

/* A sheet without a name is no less known: what touches it makes its next decision too. */
START_TEST(the_same_without_a_name) {
  const char *body = question(2);
  const struct answer *first = ask(body, 201);
  unrelated(0);
  ck_assert_str_eq(ask(body, 200)->body, first->body);
  put_run();
  const struct answer *a = ask(body, 201);
  ck_assert_int_gt(int_at(a, "decision"), int_at(first, "decision"));
  ck_assert_str_ne(text_at(a, "result_digest"), text_at(first, "result_digest"));
  ck_assert_str_eq(ask(body, 200)->body, a->body);
}
END_TEST

/* A price list that runs out makes the decision stale when its instant has passed, and not before.
 */
START_TEST(a_piece_that_expires) {
  char until[32];
  time_t at = time(NULL) + 3;
  struct tm tm;
  strftime(until, sizeof until, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &tm));
  put("/v1/evidence/short-list",
      text_of("{\"kind\":\"commercial_sheet\",\"observed_at\":\"2026-11-28\",\"valid_until\":"
              "\"%s\",\"scope\":{\"supplier\":\"brief\"},\"result\":{}}",
              until));
  put("/v1/offers/rtx-brief",
      "{\"supplier\":\"brief\",\"device\":{\"name\":\"RTX 4090\"},"
      "\"lot\":{\"devices\":1},\"source\":{\"evidence\":\"short-list@1\"}}");
  const struct answer *first = ask(by_name, -1);
  if (time(NULL) < at - 1) { /* decided in time */
    ck_assert_int_eq(first->status, 201);
    ck_assert_str_eq(text_of("%.19sZ", text_at(first, "holds_until")), until);
  }
  const struct answer *a = CRV_CALL(.path = "/v1/sheets/support-bot/shortlist");
  while (strcmp(header_of(a, "Decision-Status"), "stale") != 0 && time(NULL) < at + 20) {
    usleep(50000);
    a = CRV_CALL(.path = "/v1/sheets/support-bot/shortlist");
  }
  ck_assert_str_eq(text_at(a, "stale_because[0]"), "evidence_expired");
  ck_assert_int_ge(time(NULL), at);
  ck_assert_int_eq(int_at(ask(by_name, 201), "decision"), 2);
}
END_TEST

int main(void) {
  Suite *s = suite_create("CI");
  TCase *tc = tcase_create("CI");
  tcase_add_checked_fixture(tc, setup, fresh_stop);
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, one_decision_for_fifty_nights, 0, 3);
  tcase_add_test(tc, one_decision_behind_a_gate);
  tcase_add_test(tc, one_decision_over_restarts);
  tcase_add_loop_test(tc, what_touches_it_makes_a_new_decision, 0, MOVES);
  tcase_add_test(tc, the_same_without_a_name);
  tcase_add_test(tc, a_piece_that_expires);
  suite_add_tcase(s, tc);
  return suite_run(s, true);
}
