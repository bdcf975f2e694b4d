/* The service about itself: GET /healthz, GET /readyz, GET /version, GET /metrics, GET
   /openapi.json, GET /docs, GET /problems/{slug}, and the closed lists; the process from start to
   end. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/http/http.h"

START_TEST(health_readiness_version) {
  CRV_CALL(.path = "/healthz", .as = "", .contains = "\"status\":\"ok\"");
  CRV_CALL(.path = "/readyz", .as = "", .contains = "\"status\":\"ready\"");
  CRV_CALL(.path = "/readyz?format=text", .as = "", .contains = "store: ok\n");
  const struct answer *a = CRV_CALL(.path = "/version", .as = "");
  ck_assert_str_eq(text_at(a, "name"), "crivo");
  ck_assert_int_eq(int_at(a, "limits.json_bytes"), 1 << 20);
  ck_assert_int_eq(int_at(a, "limits.import_bytes"), 64 << 20);
  ck_assert_int_eq(int_at(a, "limits.content_bytes"), 8 << 20);
  a = CRV_CALL(.method = "HEAD", .path = "/healthz", .as = "");
  ck_assert_uint_eq(a->len, 0);
}
END_TEST

START_TEST(metrics_are_prometheus_text) {
  CRV_CALL(.path = "/v1/sheets");
  const struct answer *a = CRV_CALL(.path = "/metrics");
  ck_assert_str_eq(header_of(a, "Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  static const char *const names[] = {"crivo_http_requests_total", "crivo_store_commits_total",
                                      "crivo_ledger_position", "crivo_store_read_only 0"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    ck_assert_msg(strstr(a->body, names[i]) != NULL, "no %s in %s", names[i], a->body);
  for (const char *line = a->body; *line; line += strcspn(line, "\n") + 1)
    ck_assert_msg(line[0] == '#' || strncmp(line, "crivo_", 6) == 0, "%.80s", line);
}
END_TEST

START_TEST(openapi_describes_what_is_there) {
  const struct answer *a = CRV_CALL(.path = "/openapi.json", .as = "");
  ck_assert_str_eq(text_at(a, "openapi"), "3.1.0");
  ck_assert_str_eq(header_of(a, "Content-Type"), "application/json");
  CRV_CALL(.path = "/openapi.json", .as = "", .expect = 304,
           .header = {text_of("If-None-Match: %s", header_of(a, "ETag"))});
  const json_t *schemas = json_path(a->json, "components.schemas");
  static const char *const names[] = {"Sheet", "Offer", "Piece", "Decision", "Budget", "Problem"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    ck_assert_ptr_nonnull(json_object_get(schemas, names[i]));
  ck_assert_ptr_nonnull(json_path(a->json, "components.schemas.Offer.properties.supplier"));
}
END_TEST

/* Every $ref leads somewhere. */
static void check_refs(const json_t *j, const json_t *schemas) {
  static const char base[] = "#/components/schemas/";
  const char *name, *ref = json_string_value(json_object_get(j, "$ref"));
  json_t *v;
  size_t i;
  if (ref) {
    ck_assert_msg(strncmp(ref, base, strlen(base)) == 0, "%s", ref);
    ck_assert_msg(json_object_get(schemas, ref + strlen(base)) != NULL, "%s", ref);
  }
  json_object_foreach((json_t *)(uintptr_t)j, name, v) check_refs(v, schemas);
  json_array_foreach(j, i, v) check_refs(v, schemas);
}

START_TEST(openapi_has_no_dangling_reference) {
  const struct answer *a = CRV_CALL(.path = "/openapi.json", .as = "");
  check_refs(a->json, json_path(a->json, "components.schemas"));
}
END_TEST

START_TEST(docs_and_problems) {
  CRV_CALL(.path = "/docs", .as = "", .contains = "PUT /v1/sheets/{name}");
  CRV_CALL(.path = "/docs", .as = "", .header = {"Accept: text/html"}, .contains = "<pre>");
  const struct answer *a =
      CRV_CALL(.path = "/problems/gate-not-met", .as = "", .contains = "status 409");
  ck_assert_str_eq(header_of(a, "Content-Type"), "text/plain; charset=utf-8");
  CRV_CALL(.path = "/problems/conflict", .as = "", .expect = 406,
           .header = {"Accept: application/json"});
  CRV_CALL(.path = "/problems/bad-day", .as = "", .expect = 404);
}
END_TEST

/* GET /v1/reason-codes, GET /v1/kinds, GET /v1/formats */
START_TEST(closed_lists) {
  const struct answer *a = CRV_CALL(.path = "/v1/reason-codes", .as = "");
  ck_assert_uint_gt(count_at(a, "items"), 40);
  ck_assert_int_eq(int_at(a, "total"), (long long)count_at(a, "items"));
  ck_assert_str_eq(text_at(a, "items[0].code"), "satisfied");
  a = CRV_CALL(.path = "/v1/kinds", .as = "");
  ck_assert_uint_eq(count_at(a, "items"), 11);
  ck_assert_str_eq(text_at(a, "items[5].kind"), "protocol_run");
  ck_assert(json_is_true(json_path(a->json, "items[5].ci_may_write")));
  a = CRV_CALL(.path = "/v1/formats", .as = "", .contains = "\"bf16\"");
  CRV_CALL(.path = "/v1/formats?format=csv", .as = "", .contains = "format,bits,exact");
  CRV_CALL(.path = "/v1/kinds?format=ndjson", .as = "", .contains = "}\n{\"kind\":");
  a = CRV_CALL(.path = "/v1/reason-codes?format=text", .as = "", .contains = "CODE");
  ck_assert_uint_le(widest_line(a->body), 100);
  CRV_CALL(.path = "/v1/kinds", .as = "", .expect = 304,
           .header = {text_of("If-None-Match: %s",
                              header_of(CRV_CALL(.path = "/v1/kinds", .as = ""), "ETag"))});
}
END_TEST

START_TEST(every_answer_carries_its_headers) {
  const struct answer *a = CRV_CALL(.path = "/v1/sheets", .header = {"X-Request-Id: mine-1"});
  ck_assert_str_eq(header_of(a, "X-Request-Id"), "mine-1");
  ck_assert_str_eq(header_of(a, "X-Content-Type-Options"), "nosniff");
  ck_assert(strncmp(header_of(a, "Server-Timing"), "parse;dur=", 10) == 0);
  ck_assert_str_eq(header_of(a, "Vary"), "Accept");
  a = CRV_CALL(.path = "/nothing", .expect = 404);
  ck_assert_str_ne(header_of(a, "X-Request-Id"), "");
  ck_assert_str_eq(text_at(a, "request_id"), header_of(a, "X-Request-Id"));
}
END_TEST

/* -- the process ---------------------------------------------------------------------------- */

START_TEST(the_first_token_is_in_its_file_alone) {
  struct stat st;
  ck_assert_int_eq(stat(text_of("%s/admin.token", service_dir()), &st), 0);
  ck_assert_int_eq(st.st_mode & 0777, 0600);
  service_restart(false); /* makes no second one */
  const struct answer *a = CRV_CALL(.path = "/v1/tokens");
  ck_assert_int_eq(int_at(a, "total"), 4);
}
END_TEST

/* Written in batches, at the latest when the service ends. */
START_TEST(last_use_of_a_token_is_noted) {
  CRV_CALL(.path = "/v1/sheets", .as = "reader");
  service_restart(false);
  const struct answer *a = CRV_CALL(.path = "/v1/tokens");
  ck_assert_str_eq(text_at(a, "items[1].role"), "reader");
  ck_assert_str_ne(text_at(a, "items[1].last_used_at"), "");
  ck_assert_str_eq(text_at(a, "items[3].last_used_at"), "");
}
END_TEST

START_TEST(what_was_acknowledged_survives_a_kill) {
  for (int i = 1; i <= 5; i++)
    CRV_CALL(.method = "PUT", .path = "/v1/sheets/kept", .expect = i == 1 ? 201 : 200,
             .json = text_of("{\"task\":\"inference\",\"concurrency\":%d}", i));
  service_restart(true);
  const struct answer *a = CRV_CALL(.path = "/v1/sheets/kept");
  ck_assert_int_eq(int_at(a, "revision"), 5);
  ck_assert_int_eq(int_at(a, "concurrency"), 5);
}
END_TEST

START_TEST(tokens_are_made_offline) {
  char out[512], list[1024];
  const char *create[] = {"token", "create",  "night",       "--role",
                          "ci",    "--state", service_dir(), NULL};
  const char *lists[] = {"token", "list", "--state", service_dir(), NULL};
  const char *revoke[] = {"token", "revoke", "5", "--state", service_dir(), NULL};
  service_end(false);
  ck_assert_int_eq(crivod_run(create, out, sizeof out), 0);
  out[strcspn(out, "\n")] = '\0';
  ck_assert_int_eq(crivod_run(lists, list, sizeof list), 0);
  ck_assert(strstr(list, "night") != NULL && strstr(list, out) == NULL);
  service_again();
  CRV_CALL(.path = "/v1/sheets", .as = text_of("%s", out));
  service_end(false);
  ck_assert_int_eq(crivod_run(revoke, list, sizeof list), 0);
  service_again();
  CRV_CALL(.path = "/v1/sheets", .as = text_of("%s", out), .expect = 401);
}
END_TEST

START_TEST(subcommands_and_exit_codes) {
  char out[512];
  const char *version[] = {"version", NULL}, *nonsense[] = {"dance", NULL};
  const char *flag[] = {"serve", "--lissten", "x", NULL};
  const char *locked[] = {"serve", "--listen", "127.0.0.1:0", "--state", service_dir(), NULL};
  const char *config[] = {"config", "--listen", "[::1]:99", "--state", "/tmp/x", NULL};
  const char *taken[] = {"serve",
                         "--listen",
                         text_of("127.0.0.1:%u", service_port()),
                         "--state",
                         text_of("%s/other", service_dir()),
                         NULL};
  const char *nowhere[] = {"serve", "--listen", "127.0.0.1:0", "--state", "/proc/none", NULL};
  const char *import[] = {"import", NULL};
  ck_assert_int_eq(crivod_run(version, out, sizeof out), 0);
  ck_assert(strncmp(out, "crivo ", 6) == 0);
  ck_assert_int_eq(crivod_run(nonsense, out, sizeof out), 64);
  ck_assert_int_eq(crivod_run(flag, out, sizeof out), 64);
  ck_assert_int_eq(crivod_run(locked, out, sizeof out), 75); /* before it listens */
  ck_assert_int_eq(crivod_run(config, out, sizeof out), 0);
  ck_assert(strstr(out, "listen ::1:99\n") != NULL);
  ck_assert_int_eq(crivod_run(taken, out, sizeof out), 69);
  ck_assert_int_eq(crivod_run(nowhere, out, sizeof out), 73);
  ck_assert_int_eq(crivod_run(import, out, sizeof out), 64);
}
END_TEST

START_TEST(an_address_that_is_refused_left_a_folder_and_a_token) {
  char out[512];
  struct stat st;
  const char *dir = text_of("%s/third", service_dir());
  const char *open[] = {"serve", "--listen", "0.0.0.0:0", "--state", dir, NULL};
  ck_assert_int_eq(crivod_run(open, out, sizeof out), 78);
  ck_assert_int_ne(stat(dir, &st), 0);
}
END_TEST

int main(void) {
  Suite *s = suite_create("http meta");
  TCase *t = tcase_create("meta"), *p = tcase_create("process");
  tcase_set_timeout(t, 60);
  tcase_add_unchecked_fixture(t, fresh_start, fresh_stop);
  tcase_add_test(t, health_readiness_version);
  tcase_add_test(t, metrics_are_prometheus_text);
  tcase_add_test(t, openapi_describes_what_is_there);
  tcase_add_test(t, openapi_has_no_dangling_reference);
  tcase_add_test(t, docs_and_problems);
  tcase_add_test(t, closed_lists);
  tcase_add_test(t, every_answer_carries_its_headers);
  suite_add_tcase(s, t);
  tcase_set_timeout(p, 60);
  tcase_add_checked_fixture(p, fresh_start, fresh_stop);
  tcase_add_test(p, the_first_token_is_in_its_file_alone);
  tcase_add_test(p, last_use_of_a_token_is_noted);
  tcase_add_test(p, what_was_acknowledged_survives_a_kill);
  tcase_add_test(p, tokens_are_made_offline);
  tcase_add_test(p, subcommands_and_exit_codes);
  tcase_add_test(p, an_address_that_is_refused_left_a_folder_and_a_token);
  suite_add_tcase(s, p);
  return suite_run(s, true);
}
