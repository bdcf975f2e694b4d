/* Sheets over HTTP: PUT, GET and DELETE /v1/sheets/{name}, its revisions, and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "tests/http/http.h"

/* A sheet that says only its task and how many sequences. */
static const char *small(int concurrency) {
  return text_of("{\"task\":\"inference\",\"concurrency\":%d}", concurrency);
}

static const struct answer *put(const char *name, const char *json, int expect) {
  return CRV_CALL(.method = "PUT", .path = text_of("/v1/sheets/%s", name), .json = json,
                  .expect = expect);
}

/* PUT /v1/sheets/{name} */
START_TEST(put_creates_then_revises_then_keeps) {
  const struct answer *a = put("steps", small(1), 201);
  ck_assert_str_eq(header_of(a, "Location"), "/v1/sheets/steps");
  ck_assert_str_eq(header_of(a, "Content-Location"), "/v1/sheets/steps/revisions/1");
  ck_assert_str_eq(header_of(a, "Revision-Created"), "true");
  ck_assert_int_eq(int_at(a, "revision"), 1);
  const char *first = text_of("%s", header_of(a, "ETag"));
  a = put("steps", small(2), 200);
  ck_assert_int_eq(int_at(a, "revision"), 2);
  ck_assert_str_ne(header_of(a, "ETag"), first);
  const char *second = text_of("%s", header_of(a, "ETag"));
  a = put("steps", "{ \"concurrency\" : 2,\n \"task\" : \"inference\" }", 200);
  ck_assert_str_eq(header_of(a, "Revision-Created"), "false");
  ck_assert_int_eq(int_at(a, "revision"), 2);
  ck_assert_str_eq(header_of(a, "ETag"), second);
}
END_TEST

START_TEST(what_get_gives_can_be_put_back) {
  put("round", sheet_json, 201);
  const struct answer *a = CRV_CALL(.path = "/v1/sheets/round");
  ck_assert_str_eq(text_at(a, "name"), "round");
  ck_assert_str_eq(text_at(a, "task"), "inference");
  ck_assert_str_eq(text_at(a, "model.name"), "example/seven-b");
  ck_assert_str_eq(text_at(a, "recorded_by"), "admin");
  ck_assert_uint_eq(strlen(text_at(a, "digest")), 64);
  a = put("round", a->body, 200);
  ck_assert_str_eq(header_of(a, "Revision-Created"), "false");
}
END_TEST

START_TEST(what_the_sheet_lacks_is_told) {
  const struct answer *a = put("lacking", small(1), 201);
  ck_assert_uint_gt(count_at(a, "missing"), 0);
  ck_assert(strstr(a->body, "\"field\":\"model.revision\"") != NULL);
  put("whole", sheet_json, 201);
  a = CRV_CALL(.path = "/v1/sheets/whole");
  ck_assert_uint_eq(count_at(a, "missing"), 0);
}
END_TEST

START_TEST(conditions_hold_inside_the_write) {
  const struct answer *a = put("cond", small(1), 201);
  const char *tag = text_of("%s", header_of(a, "ETag"));
  a = CRV_CALL(.method = "PUT", .path = "/v1/sheets/cond", .json = small(2), .expect = 412,
               .header = {"If-None-Match: *"});
  CRV_PROBLEM(a, 412, "precondition-failed", NULL);
  ck_assert(strstr(text_at(a, "detail"), tag) != NULL);
  a = CRV_CALL(.method = "PUT", .path = "/v1/sheets/cond", .json = small(2), .expect = 412,
               .header = {"If-Match: \"00000000000000000000000000000000\""});
  CRV_PROBLEM(a, 412, "precondition-failed", NULL);
  a = CRV_CALL(.method = "PUT", .path = "/v1/sheets/cond", .json = small(2),
               .header = {text_of("If-Match: %s", tag)});
  ck_assert_int_eq(int_at(a, "revision"), 2);
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/never", .json = small(2), .expect = 412,
           .header = {"If-Match: *"});
  CRV_CALL(.path = "/v1/sheets/never", .expect = 404);
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/anew", .json = small(2), .expect = 201,
           .header = {"If-None-Match: *"});
}
END_TEST

/* GET /v1/sheets/{name} */
START_TEST(get_answers_304_head_and_pretty) {
  const struct answer *a = put("tagged", small(1), 201);
  const char *tag = text_of("%s", header_of(a, "ETag"));
  a = CRV_CALL(.path = "/v1/sheets/tagged");
  ck_assert_str_eq(header_of(a, "ETag"), tag);
  ck_assert_str_eq(header_of(a, "Content-Location"), "/v1/sheets/tagged/revisions/1");
  const char *length = text_of("%s", header_of(a, "Content-Length"));
  a = CRV_CALL(.path = "/v1/sheets/tagged", .header = {text_of("If-None-Match: %s", tag)},
               .expect = 304);
  ck_assert_uint_eq(a->len, 0);
  ck_assert_str_eq(header_of(a, "ETag"), tag);
  CRV_CALL(.path = "/v1/sheets/tagged", .expect = 304,
           .header = {text_of("If-None-Match: \"x\", W/%s", tag)});
  CRV_CALL(.path = "/v1/sheets/tagged", .header = {"If-None-Match: *"}, .expect = 304);
  a = CRV_CALL(.method = "HEAD", .path = "/v1/sheets/tagged");
  ck_assert_uint_eq(a->len, 0);
  ck_assert_str_eq(header_of(a, "ETag"), tag);
  ck_assert_str_eq(header_of(a, "Content-Length"), length);
  a = CRV_CALL(.path = "/v1/sheets/tagged?pretty=1", .contains = "{\n  \"name\": \"tagged\"",
               .header = {text_of("If-None-Match: %s", tag)});
  ck_assert_str_ne(header_of(a, "ETag"), tag);
}
END_TEST

/* DELETE /v1/sheets/{name}, GET /v1/sheets/{name}/revisions, GET /v1/sheets/{name}/revisions/{n} */
START_TEST(withdrawal_is_a_revision) {
  put("gone", small(1), 201);
  const struct answer *a =
      CRV_CALL(.method = "DELETE", .path = "/v1/sheets/gone", .contains = "\"withdrawn\":true");
  ck_assert_int_eq(int_at(a, "revision"), 2);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/sheets/gone", .expect = 410), 410, "withdrawn", NULL);
  CRV_PROBLEM(CRV_CALL(.method = "DELETE", .path = "/v1/sheets/gone", .expect = 410), 410,
              "withdrawn", NULL);
  CRV_PROBLEM(CRV_CALL(.method = "DELETE", .path = "/v1/sheets/nobody", .expect = 404), 404,
              "not-found", NULL);
  a = CRV_CALL(.path = "/v1/sheets/gone/revisions/1");
  ck_assert_int_eq(int_at(a, "concurrency"), 1);
  ck_assert(strstr(header_of(a, "Cache-Control"), "immutable") != NULL);
  CRV_CALL(.path = "/v1/sheets/gone/revisions/2", .contains = "\"withdrawn\":true");
  a = put("gone", small(3), 201);
  ck_assert_int_eq(int_at(a, "revision"), 3);
  CRV_CALL(.path = "/v1/sheets/gone", .contains = "\"concurrency\":3");
  a = CRV_CALL(.path = "/v1/sheets/gone/revisions?limit=2");
  ck_assert_uint_eq(count_at(a, "items"), 2);
  ck_assert_int_eq(int_at(a, "items[0].revision"), 3);
  ck_assert_int_eq(int_at(a, "total"), 3);
  a = CRV_CALL(.path = text_of("/v1/sheets/gone/revisions?limit=2&cursor=%s",
                               text_at(a, "next_cursor")));
  ck_assert_uint_eq(count_at(a, "items"), 1);
  ck_assert_int_eq(int_at(a, "items[0].revision"), 1);
  ck_assert(json_is_null(json_path(a->json, "next_cursor")));
  CRV_CALL(.path = "/v1/sheets/gone/revisions/4", .expect = 404);
  CRV_CALL(.path = "/v1/sheets/gone/revisions/0", .expect = 404);
  CRV_CALL(.path = "/v1/sheets/gone/revisions/01", .expect = 404);
  CRV_CALL(.path = "/v1/sheets/nobody/revisions", .expect = 404);
}
END_TEST

static const struct {
  const char *json;
  int status;
  const char *slug, *pointer;
} bad[] = {
    {"{", 400, "malformed-json", NULL},
    {"[]", 400, "malformed-json", NULL},
    {"{\"task\":\"inference\",\"task\":\"training\"}", 400, "malformed-json", NULL},
    {"{\"task\":NaN}", 400, "malformed-json", NULL},
    {"{\"task\":\"inference\"} x", 400, "malformed-json", NULL},
    {"{\"task\":\"inference\",\"note\":\"a\\u0000b\"}", 400, "malformed-json", NULL},
    {"{\"task\":\"inference\",\"note\":\"\xff\"}", 400, "malformed-json", NULL},
    {"{}", 422, "invalid-fields", "/task"},
    {"{\"task\":\"flying\"}", 422, "invalid-fields", "/task"},
    {"{\"task\":7}", 422, "invalid-fields", "/task"},
    {"{\"task\":\"inference\",\"concurency\":1}", 422, "invalid-fields", "/concurency"},
    {"{\"task\":\"inference\",\"concurrency\":-1}", 422, "invalid-fields", "/concurrency"},
    {"{\"task\":\"inference\",\"concurrency\":1e300}", 422, "invalid-fields", "/concurrency"},
    {"{\"task\":\"inference\",\"concurrency\":9007199254740993}", 422, "invalid-fields",
     "/concurrency"},
    {"{\"task\":\"inference\",\"host\":{\"ram\":\"24G\"}}", 422, "invalid-fields", "/host/ram"},
    {"{\"task\":\"inference\",\"host\":{\"ram\":\"24 gb\"}}", 422, "invalid-fields", "/host/ram"},
    {"{\"task\":\"inference\",\"model\":{\"name\":\"m\",\"config\":{}}}", 422, "invalid-fields",
     "/model/config"},
    {"{\"task\":\"inference\",\"name\":\"another\"}", 422, "invalid-fields", "/name"},
};

START_TEST(bad_sheets_are_refused_and_nothing_is_kept) {
  const struct answer *a = CRV_CALL(.method = "PUT", .path = "/v1/sheets/bad", .json = bad[_i].json,
                                    .expect = bad[_i].status);
  CRV_PROBLEM(a, bad[_i].status, bad[_i].slug, bad[_i].pointer);
  CRV_CALL(.path = "/v1/sheets/bad", .expect = 404);
}
END_TEST

START_TEST(refusals_say_what_is_accepted) {
  const struct answer *a = CRV_CALL(.method = "PUT", .path = "/v1/sheets/hint", .expect = 422,
                                    .json = "{\"task\":\"inference\",\"concurency\":1,"
                                            "\"host\":{\"ram\":\"24G\"}}");
  ck_assert_uint_eq(count_at(a, "errors"), 2); /* all at once */
  ck_assert(strstr(a->body, "concurrency") != NULL);
  ck_assert(strstr(a->body, "24000000000") != NULL && strstr(a->body, "25769803776") != NULL);
  a = CRV_CALL(.method = "PUT", .path = "/v1/sheets/hint", .json = "{\n  \"task\": x }",
               .expect = 400, .contains = "line 2");
  a = CRV_CALL(.method = "PUT", .path = "/v1/sheets/hint", .body = "{}", .expect = 415,
               .type = "application/x-www-form-urlencoded", .contains = "--json");
  CRV_PROBLEM(a, 415, "unsupported-media-type", NULL);
  a = CRV_CALL(.method = "PUT", .path = "/v1/sheets/hint", .json = "{\"task\":1}", .expect = 422,
               .header = {"Accept: text/plain, application/json;q=0.5"}, .contains = "What helps:");
  ck_assert_str_eq(header_of(a, "Content-Type"), "text/plain; charset=utf-8");
}
END_TEST

START_TEST(other_refusals) {
  char *large = malloc((1 << 20) + 2);
  ck_assert_ptr_nonnull(large);
  memset(large, ' ', (1 << 20) + 1);
  large[(1 << 20) + 1] = '\0';
  const struct answer *a =
      CRV_CALL(.method = "PUT", .path = "/v1/sheets/large", .json = large, .expect = 413);
  free(large);
  CRV_PROBLEM(a, 413, "too-large", NULL);
  a = CRV_CALL(.method = "POST", .path = "/v1/sheets/x", .json = "{}", .expect = 405);
  CRV_PROBLEM(a, 405, "method-not-allowed", NULL);
  ck_assert_str_eq(header_of(a, "Allow"), "GET, HEAD, PUT, DELETE, OPTIONS");
  a = CRV_CALL(.method = "OPTIONS", .path = "/v1/sheets/x", .as = "", .expect = 204);
  ck_assert_str_eq(header_of(a, "Allow"), "GET, HEAD, PUT, DELETE, OPTIONS");
  CRV_PROBLEM(CRV_CALL(.path = "/v1/sheets/Upper", .expect = 404), 404, "not-found", NULL);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/sheets/a%2fb", .expect = 400), 400, "bad-path", NULL);
  CRV_CALL(.path = "/v1/sheets/", .expect = 404);
  CRV_CALL(.path = "/v1/sheets/x?format=csv", .expect = 406, .contains = "json");
  CRV_PROBLEM(CRV_CALL(.path = "/v1/sheets/x?prety=1", .expect = 400, .contains = "pretty"), 400,
              "unknown-parameter", NULL);
}
END_TEST

/* GET /v1/sheets/{name}/budget, POST /v1/budget */
START_TEST(budget_of_a_sheet) {
  put("costed", sheet_json, 201);
  const struct answer *a = CRV_CALL(.path = "/v1/sheets/costed/budget");
  ck_assert_int_eq(int_at(a, "envelope_bytes"), 20442450944);
  const char *tag = text_of("%s", header_of(a, "ETag"));
  CRV_CALL(.path = "/v1/sheets/costed/budget", .expect = 304,
           .header = {text_of("If-None-Match: %s", tag)});
  CRV_CALL(.path = "/v1/sheets/costed/budget?format=text", .contains = "envelope 19.04 GiB");
  CRV_CALL(.path = "/v1/sheets/nobody/budget", .expect = 404);
  a = CRV_CALL(.path = "/v1/budget", .json = sheet_json, .as = "reader");
  ck_assert_int_eq(int_at(a, "envelope_bytes"), 20442450944);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/budget", .json = "{\"task\":\"none\"}", .expect = 422), 422,
              "invalid-fields", "/task");
  CRV_CALL(.method = "DELETE", .path = "/v1/sheets/costed");
  CRV_CALL(.path = "/v1/sheets/costed/budget", .expect = 410);
}
END_TEST

/* GET /v1/budget */
START_TEST(budget_parameters) {
  static const char *const wrong[] = {"",
                                      "params=x",
                                      "params=0",
                                      "params=1.5",
                                      "params=-7e9",
                                      "params=7e9&bits=7",
                                      "params=7e9&bits=65",
                                      "params=7e9&weights=bf17",
                                      "params=7e9&weights=bf16&bits=16",
                                      "params=7e9&reserve=6G",
                                      "params=7e9&devices=0",
                                      "params=7e9&strategy=hope"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CRV_PROBLEM(CRV_CALL(.path = text_of("/v1/budget?%s", wrong[i]), .expect = 400, .as = ""), 400,
                "bad-parameter", NULL);
  const struct answer *a =
      CRV_CALL(.path = "/v1/budget?params=70e9&weights=fp8&devices=2&strategy=tensor_parallel",
               .as = "");
  ck_assert_int_eq(int_at(a, "weights_bytes"), 70000000000);
  ck_assert_int_eq(int_at(a, "devices[0].floor_bytes"), 35000000000);
  ck_assert_uint_eq(count_at(a, "devices"), 2);
}
END_TEST

int main(void) {
  Suite *s = suite_create("http sheets");
  TCase *t = tcase_create("sheets");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, put_creates_then_revises_then_keeps);
  tcase_add_test(t, what_get_gives_can_be_put_back);
  tcase_add_test(t, what_the_sheet_lacks_is_told);
  tcase_add_test(t, conditions_hold_inside_the_write);
  tcase_add_test(t, get_answers_304_head_and_pretty);
  tcase_add_test(t, withdrawal_is_a_revision);
  tcase_add_loop_test(t, bad_sheets_are_refused_and_nothing_is_kept, 0, sizeof bad / sizeof *bad);
  tcase_add_test(t, refusals_say_what_is_accepted);
  tcase_add_test(t, other_refusals);
  tcase_add_test(t, budget_of_a_sheet);
  tcase_add_test(t, budget_parameters);
  suite_add_tcase(s, t);
  return suite_run(s, false);
}
