/* Decisions: POST /v1/decisions, GET /v1/decisions, GET /v1/decisions/{n},
   GET /v1/decisions/{n}/offers/{key}, GET /v1/decisions/head, gates and Idempotency-Key. */
#include <pthread.h>
#include <string.h>

#include "tests/http/http.h"

static const char ask[] = "{\"sheet\":\"support-bot\"}";

static const struct answer *decide(const char *json, int expect) {
  return CRV_CALL(.path = "/v1/decisions", .json = json, .expect = expect);
}

/* POST /v1/decisions */
START_TEST(the_same_question_has_one_decision) {
  example_put();
  const struct answer *first = decide(ask, 201);
  ck_assert_str_eq(header_of(first, "Location"), "/v1/decisions/1");
  for (int i = 0; i < 3; i++) {
    const struct answer *a = decide(ask, 200);
    ck_assert_str_eq(a->body, first->body); /* the same bytes */
    ck_assert_str_eq(header_of(a, "Location"), "/v1/decisions/1");
  }
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/decisions"), "total"), 1);
  const struct answer *a = CRV_CALL(.path = "/v1/decisions/1");
  ck_assert_str_eq(a->body, first->body);
  /* another limit, filter, policy or instant is another question */
  static const char *const others[] = {
      "{\"sheet\":\"support-bot\",\"limit\":1}",
      "{\"sheet\":\"support-bot\",\"offers\":{\"supplier\":\"example-cloud\"}}",
      "{\"sheet\":\"support-bot\",\"policy\":{\"max_age\":{\"protocol_run\":\"7d\"}}}",
      "{\"sheet\":\"support-bot\",\"as_of\":\"2027-01-01T00:00:00Z\"}"};
  for (size_t i = 0; i < 4; i++)
    ck_assert_int_eq(int_at(decide(others[i], 201), "decision"), (long long)i + 2);
  for (size_t i = 0; i < 4; i++)
    ck_assert_int_eq(int_at(decide(others[i], 200), "decision"), (long long)i + 2);
}
END_TEST

START_TEST(what_touches_a_question_makes_a_new_decision) {
  example_put();
  decide(ask, 201);
  /* nothing that it looks at */
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/elsewhere", .expect = 201,
           .json = "{\"kind\":\"quality_evaluation\",\"observed_at\":\"2026-01-01T00:00:00Z\","
                   "\"scope\":{\"model\":{\"name\":\"another\"}},"
                   "\"result\":{\"metric\":\"f1\",\"value\":\"0.5\"}}");
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/another", .expect = 201,
           .json = "{\"task\":\"inference\"}");
  decide(ask, 200);
  example_prove();
  ck_assert_int_eq(int_at(decide(ask, 201), "decision"), 2);
  decide(ask, 200);
  CRV_CALL(.method = "DELETE", .path = "/v1/offers/rtx-4090-3d");
  const struct answer *a = decide(ask, 201);
  ck_assert_int_eq(int_at(a, "catalogue.offers"), 1);
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/support-bot", .expect = 200,
           .json = "{\"task\":\"inference\"}");
  a = decide(ask, 201);
  ck_assert_int_eq(int_at(a, "sheet.revision"), 2);
  ck_assert_int_eq(int_at(a, "decision"), 4);
  /* the old ones read as they were */
  a = CRV_CALL(.path = "/v1/decisions/1");
  ck_assert_int_eq(int_at(a, "catalogue.offers"), 2);
  ck_assert_str_eq(text_at(a, "outcome"), "needs_confirmation");
}
END_TEST

START_TEST(a_bare_sheet_with_a_name_is_stored_with_its_decision) {
  example_put();
  const char *named = text_of("{\"name\":\"ci-sheet\",%s", sheet_json + 1);
  const struct answer *a = decide(named, 201);
  ck_assert_str_eq(text_at(a, "sheet.name"), "ci-sheet");
  ck_assert_int_eq(int_at(a, "sheet.revision"), 1);
  CRV_CALL(.path = "/v1/sheets/ci-sheet", .contains = "\"revision\":1");
  ck_assert_int_eq(int_at(decide(named, 200), "decision"), 1);
  ck_assert_int_eq(int_at(decide(text_of("{\"sheet\":%s}", named), 200), "decision"), 1);
  ck_assert_int_eq(int_at(decide("{\"sheet\":\"ci-sheet\"}", 200), "decision"), 1);
  const char *changed = "{\"name\":\"ci-sheet\",\"task\":\"inference\"}";
  a = decide(changed, 201);
  ck_assert_int_eq(int_at(a, "sheet.revision"), 2);
  CRV_CALL(.path = "/v1/decisions", .json = changed, .as = "procurement", .expect = 200);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/decisions", .json = named, .as = "procurement", .expect = 403),
              403, "forbidden", NULL);
  a = decide(named, 201); /* back to the first content: a third revision, a new decision */
  ck_assert_int_eq(int_at(a, "sheet.revision"), 3);
}
END_TEST

START_TEST(a_sheet_without_a_name_is_kept_with_the_decision) {
  example_put();
  const struct answer *a = decide(sheet_json, 201);
  ck_assert_ptr_null(json_path(a->json, "sheet.name"));
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/sheets"), "total"), 1);
  ck_assert_int_eq(int_at(decide(sheet_json, 200), "decision"), 1);
  CRV_CALL(.path = "/v1/decisions/1/offers/rtx-4090-3d", .contains = "\"memory.peak\"");
}
END_TEST

START_TEST(a_dry_run_stores_nothing) {
  example_put();
  const struct answer *a = CRV_CALL(.path = "/v1/decisions?dry_run=1", .json = ask);
  ck_assert(json_is_null(json_path(a->json, "decision")));
  ck_assert(json_is_null(json_path(a->json, "digest")));
  ck_assert_uint_eq(count_at(a, "preselection"), 2);
  ck_assert_str_eq(header_of(a, "Location"), "");
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/decisions"), "total"), 0);
  CRV_CALL(.path = "/v1/decisions?dry_run=1&format=text", .json = ask, .contains = "not stored");
  const char *named = text_of("{\"name\":\"dry\",%s", sheet_json + 1);
  CRV_CALL(.path = "/v1/decisions?dry_run=1", .json = named);
  CRV_CALL(.path = "/v1/sheets/dry", .expect = 404);
}
END_TEST

START_TEST(limit_counts_rows_over_both_lists) {
  example_put();
  example_prove();
  const struct answer *a = decide("{\"sheet\":\"support-bot\",\"limit\":1}", 201);
  ck_assert_uint_eq(count_at(a, "retained"), 1);
  ck_assert_uint_eq(count_at(a, "preselection"), 0);
  ck_assert_int_eq(int_at(a, "counts.to_confirm"), 1);
  a = CRV_CALL(.path = "/v1/decisions/1?format=text",
               .contains = "Retained 1 of 2; 1 to confirm; 0 excluded; 1 rows shown; decision 1");
}
END_TEST

static const struct {
  const char *json;
  const char *slug, *pointer;
} bad[] = {
    {"{}", "invalid-fields", "/sheet"},
    {"{\"sheet\":\"nobody\"}", "invalid-fields", "/sheet"},
    {"{\"sheet\":\"No Key\"}", "invalid-fields", "/sheet"},
    {"{\"sheet\":7}", "invalid-fields", "/sheet"},
    {"{\"sheet\":{\"task\":\"inference\",\"concurency\":1}}", "invalid-fields",
     "/sheet/concurency"},
    {"{\"sheet\":\"support-bot\",\"limit\":0}", "invalid-fields", "/limit"},
    {"{\"sheet\":\"support-bot\",\"limit\":1001}", "invalid-fields", "/limit"},
    {"{\"sheet\":\"support-bot\",\"as_of\":\"yesterday\"}", "invalid-fields", "/as_of"},
    {"{\"sheet\":\"support-bot\",\"offers\":{\"colour\":\"red\"}}", "invalid-fields",
     "/offers/colour"},
    {"{\"sheet\":\"support-bot\",\"policy\":{\"max_age\":{\"rumour\":\"7d\"}}}", "invalid-fields",
     "/policy/max_age/rumour"},
    {"{\"sheet\":\"support-bot\",\"gates\":1}", "invalid-fields", "/gates"},
};

START_TEST(bad_questions_are_refused) {
  example_put();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CRV_PROBLEM(decide(bad[i].json, 422), 422, bad[i].slug, bad[i].pointer);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/decisions"), "total"), 0);
}
END_TEST

/* -- gates ---------------------------------------------------------------------------------- */

START_TEST(a_gate_that_is_not_met_is_409_and_stored) {
  example_put();
  const struct answer *a =
      CRV_CALL(.path = "/v1/decisions?gate=retained", .json = ask, .expect = 409);
  CRV_PROBLEM(a, 409, "gate-not-met", NULL);
  ck_assert_int_eq(int_at(a, "decision"), 1);
  ck_assert_str_eq(text_at(a, "outcome"), "needs_confirmation");
  ck_assert(strncmp(text_at(a, "headline"), "Nothing is proven yet", 21) == 0);
  ck_assert_uint_gt(count_at(a, "actions"), 0);
  CRV_CALL(.path = "/v1/decisions/1");
  /* again: the same decision, found */
  ck_assert_int_eq(
      int_at(CRV_CALL(.path = "/v1/decisions?gate=retained", .json = ask, .expect = 409),
             "decision"),
      1);
  a = CRV_CALL(.path = "/v1/decisions?gate=retained&format=junit", .json = ask, .expect = 409,
               .contains = "<skipped message=");
  ck_assert_str_eq(header_of(a, "Content-Type"), "application/xml; charset=utf-8");
  CRV_CALL(.path = "/v1/decisions?gate=retained&format=text", .json = ask, .expect = 409,
           .contains = "Retained 0 of 2");
  CRV_CALL(.path = "/v1/decisions?gate=retained&dry_run=1", .json = ask, .expect = 409,
           .contains = "\"decision\":null");
  CRV_PROBLEM(CRV_CALL(.path = "/v1/decisions?gate=luck", .json = ask, .expect = 400,
                       .contains = "no-worse"),
              400, "bad-parameter", NULL);
}
END_TEST

START_TEST(gates_are_met_as_they_say) {
  example_put();
  static const struct {
    const char *gate;
    int before, after;
  } rows[] = {{"retained", 409, 200},
              {"preselection", 200, 200},
              {"workload", 409, 200},
              {"current", 200, 200},
              {"no-worse", 200, 200}};
  decide(ask, 201);
  for (size_t i = 0; i < 5; i++)
    CRV_CALL(.path = text_of("/v1/decisions?gate=%s", rows[i].gate), .json = ask,
             .expect = rows[i].before);
  example_prove();
  decide(ask, 201);
  for (size_t i = 0; i < 5; i++)
    CRV_CALL(.path = text_of("/v1/decisions?gate=%s", rows[i].gate), .json = ask,
             .expect = rows[i].after);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/run-6000-ada",
           .json =
               text_of("%.*s,\"retracted\":\"a mistake\"}", (int)strlen(run_json) - 1, run_json));
  CRV_CALL(.path = "/v1/decisions?gate=no-worse", .json = ask, .expect = 409);
  CRV_CALL(.method = "DELETE", .path = "/v1/offers/rtx-4090-3d");
  CRV_CALL(.path = "/v1/decisions?gate=current", .json = ask, .expect = 409);
  CRV_CALL(.method = "DELETE", .path = "/v1/offers/rtx-6000-ada-3d");
  CRV_CALL(.path = "/v1/decisions?gate=preselection", .json = ask, .expect = 409);
  const struct answer *a = decide(ask, 200);
  ck_assert_str_eq(text_at(a, "outcome"), "none");
}
END_TEST

/* -- Idempotency-Key ------------------------------------------------------------------------ */

START_TEST(a_retry_gets_the_first_answer) {
  example_put();
  const struct answer *a = CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201,
                                    .header = {"Idempotency-Key: p1-j1"});
  ck_assert_str_eq(header_of(a, "Idempotency-Replayed"), "");
  example_prove(); /* meanwhile the answer would be another */
  const struct answer *b = CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201,
                                    .header = {"Idempotency-Key: \"p1-j1\""});
  ck_assert_str_eq(header_of(b, "Idempotency-Replayed"), "true");
  ck_assert_str_eq(header_of(b, "Location"), "/v1/decisions/1");
  ck_assert_str_eq(b->body, a->body);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"support-bot\",\"limit\":3}",
                       .expect = 422, .header = {"Idempotency-Key: p1-j1"}),
              422, "idempotency-key-reused", NULL);
  /* token, path and query are part of the key */
  CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201, .as = "ci",
           .header = {"Idempotency-Key: p1-j1"});
  a = CRV_CALL(.path = "/v1/decisions?gate=retained", .json = ask, .expect = 200,
               .header = {"Idempotency-Key: p1-j1"});
  ck_assert_str_eq(header_of(a, "Idempotency-Replayed"), "");
  a = CRV_CALL(.path = "/v1/decisions?gate=retained", .json = ask, .expect = 200,
               .header = {"Idempotency-Key: p1-j1"});
  ck_assert_str_eq(header_of(a, "Idempotency-Replayed"), "true");
  service_restart(true); /* it is in the database */
  a = CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 201,
               .header = {"Idempotency-Key: p1-j1"});
  ck_assert_str_eq(a->body, b->body);
}
END_TEST

START_TEST(only_what_was_done_is_remembered) {
  example_put();
  CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"later\"}", .expect = 422,
           .header = {"Idempotency-Key: k1"});
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/later", .json = sheet_json, .expect = 201);
  CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"later\"}", .expect = 201,
           .header = {"Idempotency-Key: k1"});
  const struct answer *a = CRV_CALL(.path = "/v1/decisions?gate=retained", .json = ask,
                                    .expect = 409, .header = {"Idempotency-Key: k2"});
  const struct answer *b = CRV_CALL(.path = "/v1/decisions?gate=retained", .json = ask,
                                    .expect = 409, .header = {"Idempotency-Key: k2"});
  ck_assert_str_eq(header_of(b, "Idempotency-Replayed"), "true");
  ck_assert_str_eq(b->body, a->body);
  ck_assert_str_eq(header_of(b, "Content-Type"), "application/problem+json");
  for (int i = 0; i < 2; i++) /* a dry run writes nothing, not even the key */
    ck_assert_str_eq(header_of(CRV_CALL(.path = "/v1/decisions?dry_run=1", .json = ask,
                                        .header = {"Idempotency-Key: k3"}),
                               "Idempotency-Replayed"),
                     "");
  CRV_PROBLEM(CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = 400,
                       .header = {"Idempotency-Key: a b"}),
              400, "bad-parameter", NULL);
}
END_TEST

enum { CLIENTS = 8 };

static void *client(void *ctx) {
  const char *key = ctx;
  for (int i = 0; i < 200; i++) { /* 503 in-progress says to come back */
    const struct answer *a =
        CRV_CALL(.path = "/v1/decisions", .json = ask, .expect = -1, .header = {key});
    if (a->status != 503) return (void *)(uintptr_t)a;
    ck_assert_str_eq(header_of(a, "Retry-After"), "1");
  }
  return NULL;
}

static void at_once(const char *header, const struct answer **answers) {
  pthread_t threads[CLIENTS];
  for (int i = 0; i < CLIENTS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, client, (void *)(uintptr_t)header), 0);
  for (int i = 0; i < CLIENTS; i++) {
    void *a;
    pthread_join(threads[i], &a);
    answers[i] = a;
    ck_assert_ptr_nonnull(a);
  }
}

START_TEST(one_key_at_once_makes_one_decision) {
  const struct answer *answers[CLIENTS];
  int created = 0;
  example_put();
  at_once("Idempotency-Key: together", answers);
  for (int i = 0; i < CLIENTS; i++) {
    ck_assert_int_eq(answers[i]->status, 201);
    ck_assert_str_eq(answers[i]->body, answers[0]->body);
    created += strstr(answers[i]->headers, "Idempotency-Replayed: true") == NULL;
  }
  ck_assert_int_eq(created, 1);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/decisions"), "total"), 1);
}
END_TEST

START_TEST(one_question_at_once_makes_one_decision) {
  const struct answer *answers[CLIENTS];
  example_put();
  at_once("X-Nothing: here", answers);
  for (int i = 0; i < CLIENTS; i++) ck_assert_int_eq(int_at(answers[i], "decision"), 1);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/decisions"), "total"), 1);
}
END_TEST

/* -- reading -------------------------------------------------------------------------------- */

START_TEST(decisions_are_listed_and_read) {
  example_put();
  for (int i = 1; i <= 5; i++) decide(text_of("{\"sheet\":\"support-bot\",\"limit\":%d}", i), 201);
  decide(sheet_json, 201);
  const struct answer *a = CRV_CALL(.path = "/v1/decisions?sheet=support-bot&limit=2");
  ck_assert_int_eq(int_at(a, "total"), 5);
  ck_assert_int_eq(int_at(a, "items[0].decision"), 5);
  const char *cursor = text_at(a, "next_cursor");
  decide("{\"sheet\":\"support-bot\",\"limit\":9}", 201);
  a = CRV_CALL(.path = text_of("/v1/decisions?sheet=support-bot&limit=9&cursor=%s", cursor));
  ck_assert_uint_eq(count_at(a, "items"), 3);
  ck_assert_int_eq(int_at(a, "items[0].decision"), 3);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/decisions?outcome=retained"), "total"), 0);
  CRV_CALL(.path = "/v1/decisions?outcome=good", .expect = 400);
  CRV_CALL(.path = "/v1/decisions?format=csv", .contains = "\r\n6,,,needs_confirmation,0,2,0,");
  CRV_CALL(.path = "/v1/decisions/8", .expect = 404);
  CRV_CALL(.path = "/v1/decisions/x", .expect = 404);
}
END_TEST

START_TEST(a_decision_in_every_format) {
  example_put();
  example_prove();
  decide(ask, 201);
  const struct answer *a = CRV_CALL(.path = "/v1/decisions/1");
  ck_assert(strstr(header_of(a, "Cache-Control"), "immutable") != NULL);
  CRV_CALL(.path = "/v1/decisions/1", .expect = 304,
           .header = {text_of("If-None-Match: %s", header_of(a, "ETag"))});
  json_t *pretty =
      CRV_CALL(.path = "/v1/decisions/1?pretty=1", .contains = "\n  \"decision\": 1")->json;
  ck_assert(json_equal(pretty, a->json));
  CRV_CALL(.path = "/v1/decisions/1?format=csv",
           .contains = "1,rtx-6000-ada-3d,1,admissible,fits_on_paper,example-cloud,eu-central,");
  a = CRV_CALL(.path = "/v1/decisions/1?format=md", .contains = "| 1 | rtx-6000-ada-3d |");
  ck_assert(strncmp(a->body, "**Proved by run-6000-ada", 24) == 0);
  a = CRV_CALL(.path = "/v1/decisions/1", .header = {"Accept: application/xml"},
               .contains = "<testcase classname=\"rtx-6000-ada-3d\" name=\"memory.peak\"/>");
  ck_assert(strstr(a->body, "tests=\"24\" failures=\"0\" errors=\"0\" skipped=\"5\"") != NULL);
  CRV_CALL(.path = "/v1/decisions/1?format=html", .expect = 406);
}
END_TEST

START_TEST(excluded_offers_are_failures_in_junit) {
  example_put();
  CRV_CALL(.method = "PUT", .path = "/v1/offers/tiny", .expect = 201,
           .json = "{\"supplier\":\"example-cloud\",\"device\":{\"name\":\"T4\","
                   "\"model\":\"nvidia/t4\",\"memory_nominal\":\"8 GB\"},\"lot\":{\"devices\":1},"
                   "\"source\":{\"evidence\":\"example-price-list@1\"}}");
  const struct answer *a = decide(ask, 201);
  ck_assert_int_eq(int_at(a, "counts.excluded"), 1);
  a = CRV_CALL(.path = "/v1/decisions/1?format=junit", .contains = "<testsuite name=\"tiny\"");
  ck_assert(strstr(a->body,
                   "classname=\"tiny\" name=\"memory.floor\"><failure type=\"excluded\"") != NULL);
}
END_TEST

START_TEST(one_row_in_full_is_computed_again_and_checked) {
  example_put();
  example_prove();
  decide(ask, 201);
  const struct answer *d = CRV_CALL(.path = "/v1/decisions/1");
  CRV_CALL(.method = "PUT", .path = "/v1/offers/rtx-6000-ada-3d", .expect = 200,
           .json = "{\"supplier\":\"x\",\"device\":{\"name\":\"T4\"}}");
  const struct answer *a = CRV_CALL(.path = "/v1/decisions/1/offers/rtx-6000-ada-3d");
  ck_assert_int_eq(int_at(a, "decision"), 1);
  ck_assert_str_eq(text_at(a, "supplier"), "example-cloud"); /* as it was */
  ck_assert_str_eq(text_at(a, "matrix_digest"), text_at(d, "matrix_digest"));
  ck_assert_ptr_nonnull(json_path(a->json, "criteria[0].demanded"));
  ck_assert_ptr_nonnull(json_path(a->json, "criteria[0].observed"));
  a = CRV_CALL(.path = "/v1/decisions/1/offers/rtx-6000-ada-3d?format=text",
               .contains = "run-6000-ada@1");
  ck_assert_uint_le(widest_line(a->body), 100);
  CRV_CALL(.path = "/v1/decisions/1/offers/none", .expect = 404);
  CRV_CALL(.path = "/v1/decisions/9/offers/rtx-6000-ada-3d", .expect = 404);
}
END_TEST

START_TEST(the_chain_grows_and_links) {
  const struct answer *before = CRV_CALL(.path = "/v1/decisions/head");
  ck_assert_int_eq(int_at(before, "size"), 0);
  example_put();
  const struct answer *a = CRV_CALL(.path = "/v1/decisions/head");
  ck_assert_int_eq(int_at(a, "size"), 4);
  const struct answer *first = decide(ask, 201);
  ck_assert_str_eq(text_at(first, "previous_digest"), text_at(a, "digest"));
  a = CRV_CALL(.path = "/v1/decisions/head");
  ck_assert_int_eq(int_at(a, "size"), 5);
  ck_assert_str_eq(text_at(first, "digest"), text_at(a, "digest"));
  char out[512];
  const char *verify[] = {"verify", "--state", service_dir(), NULL};
  service_end(true);
  ck_assert_int_eq(crivod_run(verify, out, sizeof out), 0);
  ck_assert(strstr(out, text_of("5 records, digest %s", text_at(a, "digest"))) != NULL);
  service_again();
}
END_TEST

START_TEST(the_order_of_insertion_changes_nothing) {
  example_put();
  const char *first = text_at(decide(ask, 201), "result_digest");
  fresh_stop();
  fresh_start();
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/support-bot", .json = sheet_json, .expect = 201);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/example-price-list", .json = price_list_json,
           .expect = 201);
  CRV_CALL(.method = "PUT", .path = "/v1/offers/rtx-6000-ada-3d", .json = offer_6000_json,
           .expect = 201);
  CRV_CALL(.method = "PUT", .path = "/v1/offers/rtx-4090-3d", .json = offer_4090_json,
           .expect = 201);
  ck_assert_str_eq(text_at(decide(ask, 201), "result_digest"), first);
}
END_TEST

static TCase *tcase(Suite *s, const char *name) {
  TCase *t = tcase_create(name);
  tcase_set_timeout(t, 60);
  tcase_add_checked_fixture(t, fresh_start, fresh_stop);
  suite_add_tcase(s, t);
  return t;
}

int main(void) {
  Suite *s = suite_create("http decisions");
  TCase *t = tcase(s, "asking");
  tcase_add_test(t, the_same_question_has_one_decision);
  tcase_add_test(t, what_touches_a_question_makes_a_new_decision);
  tcase_add_test(t, a_bare_sheet_with_a_name_is_stored_with_its_decision);
  tcase_add_test(t, a_sheet_without_a_name_is_kept_with_the_decision);
  tcase_add_test(t, a_dry_run_stores_nothing);
  tcase_add_test(t, limit_counts_rows_over_both_lists);
  tcase_add_test(t, bad_questions_are_refused);
  t = tcase(s, "gates");
  tcase_add_test(t, a_gate_that_is_not_met_is_409_and_stored);
  tcase_add_test(t, gates_are_met_as_they_say);
  t = tcase(s, "idempotency");
  tcase_add_test(t, a_retry_gets_the_first_answer);
  tcase_add_test(t, only_what_was_done_is_remembered);
  tcase_add_test(t, one_key_at_once_makes_one_decision);
  tcase_add_test(t, one_question_at_once_makes_one_decision);
  t = tcase(s, "reading");
  tcase_add_test(t, decisions_are_listed_and_read);
  tcase_add_test(t, a_decision_in_every_format);
  tcase_add_test(t, excluded_offers_are_failures_in_junit);
  tcase_add_test(t, one_row_in_full_is_computed_again_and_checked);
  tcase_add_test(t, the_chain_grows_and_links);
  tcase_add_test(t, the_order_of_insertion_changes_nothing);
  return suite_run(s, true);
}
