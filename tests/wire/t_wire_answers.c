/* What goes right on the wire: headers, HEAD, OPTIONS, bodies in pieces, pipelining, conditions,
   negotiation, credentials. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/wire/wire.h"

START_TEST(every_answer_has_the_common_headers) {
  static const char *const requests[] = {NEXT, "GET /none HTTP/1.1\r\n" H "\r\n",
                                         "OPTIONS /v1/list HTTP/1.1\r\n" H "\r\n",
                                         "DELETE /v1/items/a HTTP/1.1\r\n" H A "\r\n"};
  static const char *const names[] = {"X-Request-Id",  "X-Content-Type-Options",
                                      "Server-Timing", "Cache-Control",
                                      "Date",          "Content-Security-Policy"};
  ask(service.port, requests[_i], false, &answer);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    ck_assert_msg(answer_header_count(&answer, names[i]) == 1, "%s in %s", names[i], answer.head);
  ck_assert_uint_le(answer_header_count(&answer, "Content-Type"), 1);
  ck_assert_uint_le(answer_header_count(&answer, "Content-Length"), 1);
  ck_assert_int_eq(strncmp(header("Server-Timing"), "parse;dur=", 10), 0);
  ck_assert_str_eq(header("X-Content-Type-Options"), "nosniff");
}
END_TEST

START_TEST(request_id_is_the_clients_when_plain) {
  ask(service.port, "GET /v1/list HTTP/1.1\r\n" H "X-Request-Id: ci.7_a-b\r\n\r\n", false, &answer);
  ck_assert_str_eq(header("X-Request-Id"), "ci.7_a-b");
  ask(service.port, "GET /v1/list HTTP/1.1\r\n" H "X-Request-Id: a b\r\n\r\n", false, &answer);
  ck_assert_str_ne(header("X-Request-Id"), "a b");
  ck_assert_uint_ge(strlen(header("X-Request-Id")), 16);
  char request[256];
  snprintf(request, sizeof request, "GET /v1/list HTTP/1.1\r\n" H "X-Request-Id: %065d\r\n\r\n", 1);
  ask(service.port, request, false, &answer);
  ck_assert_uint_lt(strlen(header("X-Request-Id")), 65);
}
END_TEST

START_TEST(head_is_get_without_the_body) {
  char get_length[32], get_etag[32];
  ask(service.port, NEXT, false, &answer);
  snprintf(get_length, sizeof get_length, "%s", header("Content-Length"));
  snprintf(get_etag, sizeof get_etag, "%s", header("ETag"));
  ck_assert(client_open(&client, service.port));
  client_text(&client, "HEAD /v1/list HTTP/1.1\r\n" H "\r\n" NEXT);
  client_read(&client, true, &answer);
  ck_assert_int_eq(answer.status, 200);
  ck_assert_str_eq(header("Content-Length"), get_length);
  ck_assert_str_eq(header("ETag"), get_etag);
  ck_assert_str_eq(header("Content-Type"), "application/json");
  client_read(&client, false, &answer);
  ck_assert_int_eq(answer.status, 200);
  ck_assert_str_eq(answer.body, "{\"items\":[]}");
  ask(service.port, "HEAD /v1/none HTTP/1.1\r\n" H "\r\n", true, &answer);
  ck_assert_int_eq(answer.status, 404);
}
END_TEST

START_TEST(options_and_allow) {
  ask(service.port, "OPTIONS /v1/items/a HTTP/1.1\r\n" H "\r\n", false, &answer);
  ck_assert_int_eq(answer.status, 204);
  ck_assert_str_eq(header("Allow"), "GET, HEAD, PUT, DELETE, OPTIONS");
  ck_assert_str_eq(header("Content-Type"), "");
  ask(service.port, "OPTIONS /v1/none HTTP/1.1\r\n" H "\r\n", false, &answer);
  ck_assert_int_eq(answer.status, 404);
  ask(service.port, "POST /v1/items/a HTTP/1.1\r\n" H "Content-Length: 2\r\n\r\n{}", false,
      &answer);
  ck_assert_int_eq(answer.status, 405);
  ck_assert_str_eq(header("Allow"), "GET, HEAD, PUT, DELETE, OPTIONS");
  ask(service.port, "HEAD /v1/items HTTP/1.1\r\n" H "\r\n", true, &answer);
  ck_assert_int_eq(answer.status, 405);
  ck_assert_str_eq(header("Allow"), "POST, OPTIONS");
}
END_TEST

START_TEST(slow_body_byte_by_byte) {
  static const char request[] =
      "PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: 13\r\n\r\n{\"a\": [1, 2]}";
  ck_assert(client_open(&client, service.port));
  for (size_t i = 0; i < sizeof request - 1; i++) client_send(&client, request + i, 1);
  client_read(&client, false, &answer);
  ck_assert_int_eq(answer.status, 201);
  ck_assert_ptr_nonnull(strstr(answer.body, "\"bytes\":13"));
}
END_TEST

START_TEST(chunked_body_in_many_pieces) {
  ck_assert(client_open(&client, service.port));
  client_text(&client, "PUT /v1/items/a HTTP/1.1\r\n" H A J "Transfer-Encoding: chunked\r\n\r\n"
                       "1\r\n{\r\n4\r\n\"a\":\r\n3;x=y\r\n12}\r\n0\r\nX-T: 1\r\n\r\n" NEXT);
  client_read(&client, false, &answer);
  ck_assert_int_eq(answer.status, 201);
  ck_assert_ptr_nonnull(strstr(answer.body, "\"bytes\":8"));
  client_read(&client, false, &answer);
  ck_assert_int_eq(answer.status, 200);
}
END_TEST

START_TEST(pipelined_requests_are_answered_in_order) {
  ck_assert(client_open(&client, service.port));
  client_text(&client, NEXT "GET /v1/items/one HTTP/1.1\r\n" H A "\r\n"
                            "PUT /v1/items/two HTTP/1.1\r\n" H A J "Content-Length: 2\r\n\r\n{}"
                            "GET /v1/none HTTP/1.1\r\n" H "\r\n" NEXT);
  static const int expect[] = {200, 200, 201, 404, 200};
  for (size_t i = 0; i < 5; i++) {
    client_read(&client, false, &answer);
    ck_assert_int_eq(answer.status, expect[i]);
    if (i == 1) ck_assert_ptr_nonnull(strstr(answer.body, "\"one\""));
    if (i == 2) ck_assert_ptr_nonnull(strstr(answer.body, "\"two\""));
  }
}
END_TEST

START_TEST(expect_is_answered_with_continue) {
  ck_assert(client_open(&client, service.port));
  client_text(&client, "PUT /v1/items/a HTTP/1.1\r\n" H A J
                       "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  client_read(&client, true, &answer);
  ck_assert_int_eq(answer.status, 100);
  client_text(&client, "{}");
  client_read(&client, false, &answer);
  ck_assert_int_eq(answer.status, 201);
}
END_TEST

START_TEST(not_modified) {
  ask(service.port, "GET /v1/list HTTP/1.1\r\n" H "If-None-Match: W/\"x\", \"json-1\"\r\n\r\n",
      false, &answer);
  ck_assert_int_eq(answer.status, 304);
  ck_assert_str_eq(header("ETag"), "\"json-1\"");
  ck_assert_str_eq(header("Vary"), "Accept");
  ck_assert_str_ne(header("Cache-Control"), "");
  ck_assert_str_eq(header("Content-Length"), "0"); /* some clients would wait for more */
  ck_assert(client_open(&client, service.port));
  client_text(&client, "GET /v1/list HTTP/1.1\r\n" H "If-None-Match: *\r\n\r\n" NEXT);
  client_read(&client, false, &answer);
  ck_assert_int_eq(answer.status, 304);
  client_read(&client, false, &answer);
  ck_assert_int_eq(answer.status, 200);
  ask(service.port,
      "GET /v1/list HTTP/1.1\r\n" H "Accept: text/csv\r\nIf-None-Match: \"json-1\"\r\n\r\n", false,
      &answer);
  ck_assert_int_eq(answer.status, 200);
  ck_assert_str_eq(header("ETag"), "\"csv-1\"");
  ask(service.port, "HEAD /v1/list HTTP/1.1\r\n" H "If-None-Match: \"json-1\"\r\n\r\n", true,
      &answer);
  ck_assert_int_eq(answer.status, 304);
  ask(service.port, "GET /v1/list HTTP/1.1\r\n" H "If-Match: \"old\"\r\n\r\n", false, &answer);
  ck_assert_int_eq(answer.status, 412);
  ck_assert_ptr_nonnull(strstr(answer.body, "json-1"));
}
END_TEST

START_TEST(negotiated_formats) {
  ask(service.port, "GET /v1/list HTTP/1.1\r\n" H "Accept: text/plain\r\n\r\n", false, &answer);
  ck_assert_str_eq(answer.body, "items\n");
  ck_assert_str_eq(header("Content-Type"), "text/plain; charset=utf-8");
  ck_assert_str_eq(header("Vary"), "Accept");
  ask(service.port, "GET /v1/list?format=csv HTTP/1.1\r\n" H "Accept: text/plain\r\n\r\n", false,
      &answer);
  ck_assert_str_eq(answer.body, "item\r\n");
  ask(service.port, "GET /v1/list?pretty HTTP/1.1\r\n" H "\r\n", false, &answer);
  ck_assert_str_eq(answer.body, "{\n  \"items\": []\n}\n");
  ask(service.port, "GET /v1/list?limti=1 HTTP/1.1\r\n" H "Accept: text/plain\r\n\r\n", false,
      &answer);
  ck_assert_str_eq(header("Content-Type"), "text/plain; charset=utf-8");
  ck_assert_ptr_nonnull(strstr(answer.body, "did you mean 'limit'?"));
}
END_TEST

START_TEST(page_keeps_its_own_headers) {
  ask(service.port, "GET /page HTTP/1.1\r\n" H "Accept: image/png\r\n\r\n", false, &answer);
  ck_assert_int_eq(answer.status, 200);
  ck_assert_str_eq(answer.body, "<p>page</p>");
  ck_assert_str_eq(header("Content-Type"), "text/html; charset=utf-8");
  ck_assert_str_eq(header("Cache-Control"), "public, max-age=60");
  ck_assert_uint_eq(answer_header_count(&answer, "Cache-Control"), 1);
  ck_assert_ptr_nonnull(strstr(header("Content-Security-Policy"), "default-src 'self'"));
}
END_TEST

START_TEST(credentials) {
  ask(service.port,
      "GET /v1/items/a HTTP/1.1\r\n" H "Authorization: Basic OnRvay1yZWFkZXI=\r\n\r\n", false,
      &answer); /* :tok-reader */
  ck_assert_int_eq(answer.status, 200);
  ck_assert_ptr_nonnull(strstr(answer.body, "\"who\":\"ann\""));
  ask(service.port, "GET /v1/list HTTP/1.1\r\n" H "Authorization: Bearer no\r\n\r\n", false,
      &answer);
  ck_assert_int_eq(answer.status, 200); /* a bad token on a public route is passed over */
  ask(service.port, "GET /v1/items/a HTTP/1.1\r\n" H "\r\n", false, &answer);
  ck_assert_int_eq(answer.status, 401);
  ck_assert_uint_eq(answer_header_count(&answer, "WWW-Authenticate"), 2);
}
END_TEST

START_TEST(idempotency_key) {
  static const struct {
    const char *sent, *seen;
  } cases[] = {{"ci-7", "ci-7"}, {"\"ci-7\"", "ci-7"}, {"a b", NULL},        {"\"a", NULL},
               {"\"\"", NULL},   {"a\"b", NULL},       {"gr\303\274n", NULL}};
  char request[512];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(request, sizeof request,
             "POST /v1/items HTTP/1.1\r\n" H A J
             "Idempotency-Key: %s\r\nContent-Length: 2\r\n\r\n{}",
             cases[i].sent);
    ask(service.port, request, false, &answer);
    ck_assert_msg(answer.status == (cases[i].seen ? 200 : 400), "%s", cases[i].sent);
    if (cases[i].seen) ck_assert_str_eq(service.last_key, cases[i].seen);
  }
  for (int len = 255; len <= 256; len++) {
    snprintf(request, sizeof request,
             "POST /v1/items HTTP/1.1\r\n" H A J
             "Idempotency-Key: %0*d\r\nContent-Length: 2\r\n\r\n{}",
             len, 1);
    ask(service.port, request, false, &answer);
    ck_assert_int_eq(answer.status, len == 255 ? 200 : 400);
  }
}
END_TEST

START_TEST(metrics_count_requests) {
  struct crv_buf out;
  crv_buf_init(&out, 0);
  good_request_works();
  ask(service.port, "GET /v1/list?x=1 HTTP/1.1\r\n" H "\r\n", false, &answer);
  ask(service.port, "GET /none HTTP/1.1\r\n" H "\r\n", false, &answer);
  /* The counters move when a request is complete, which the client cannot see: the same worker
     answers a connection's requests in turn, so a second answer proves the first complete. */
  ck_assert(client_open(&client, service.port));
  client_text(&client, NEXT NEXT);
  client_read(&client, false, &answer);
  client_read(&client, false, &answer);
  crv_daemon_metrics(service.daemon, &out);
  ck_assert_ptr_nonnull(
      strstr(out.data, "crivo_http_requests_total{route=\"list\",class=\"2xx\"}"));
  ck_assert_ptr_nonnull(
      strstr(out.data, "crivo_http_request_duration_seconds_bucket{le=\"+Inf\"}"));
  ck_assert_ptr_nonnull(strstr(out.data, "crivo_http_connections_total 4\n"));
  ck_assert_ptr_nonnull(strstr(out.data, "wire_test 1\n"));
  crv_buf_done(&out);
}
END_TEST

static TCase *answers(void) {
  TCase *t = tcase_create("answers");
  tcase_set_timeout(t, 60);
  tcase_add_checked_fixture(t, wire_start, wire_stop);
  tcase_add_loop_test(t, every_answer_has_the_common_headers, 0, 4);
  tcase_add_test(t, request_id_is_the_clients_when_plain);
  tcase_add_test(t, head_is_get_without_the_body);
  tcase_add_test(t, options_and_allow);
  tcase_add_test(t, slow_body_byte_by_byte);
  tcase_add_test(t, chunked_body_in_many_pieces);
  tcase_add_test(t, pipelined_requests_are_answered_in_order);
  tcase_add_test(t, expect_is_answered_with_continue);
  tcase_add_test(t, not_modified);
  tcase_add_test(t, negotiated_formats);
  tcase_add_test(t, page_keeps_its_own_headers);
  tcase_add_test(t, credentials);
  tcase_add_test(t, idempotency_key);
  tcase_add_test(t, metrics_count_requests);
  return t;
}

int main(void) {
  Suite *s = suite_create("wire_answers");
  suite_add_tcase(s, answers());
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
