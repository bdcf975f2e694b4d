/* What libmicrohttpd lets through must end in one clean refusal, and a good request on a new
   connection must work afterwards. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "tests/wire/wire.h"

#define BYTES(s) s, sizeof(s) - 1

enum { OWN, LIBRARY }; /* whose answer: the library's have a body in HTML */

static const struct raw {
  const char *what, *bytes;
  size_t len;
  int status;
  int whose;
} bad[] = {
    {"length and chunked",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: 5\r\n"
           "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" NEXT),
     400, OWN},
    {"chunked and length",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Transfer-Encoding: chunked\r\n"
           "Content-Length: 40\r\n\r\n2\r\n{}\r\n0\r\n\r\n" NEXT),
     400, OWN},
    {"two lengths",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: 2\r\n"
           "Content-Length: 40\r\n\r\n{}" NEXT),
     400, OWN},
    {"two equal lengths",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: 2\r\n"
           "Content-Length: 2\r\n\r\n{}" NEXT),
     400, OWN},
    {"two hosts", BYTES("GET /v1/list HTTP/1.1\r\n" H "Host: i\r\n\r\n" NEXT), 400, OWN},
    {"no host", BYTES("GET /v1/list HTTP/1.1\r\n\r\n" NEXT), 400, OWN},
    {"host with a path", BYTES("GET /v1/list HTTP/1.1\r\nHost: h/x\r\n\r\n" NEXT), 400, OWN},
    {"blank before the colon",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J
           "Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
     400, OWN},
    {"length with blank before the colon",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length : 2\r\n\r\n{}"), 400, OWN},
    {"name with a blank", BYTES("GET /v1/list HTTP/1.1\r\n" H "X Y: 1\r\n\r\n" NEXT), 400, OWN},
    {"xchunked",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Transfer-Encoding: xchunked\r\n\r\n"
           "2\r\n{}\r\n0\r\n\r\n"),
     501, OWN},
    {"gzip, chunked",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J
           "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
     501, OWN},
    {"chunked, identity",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J
           "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
     501, OWN},
    {"two codings",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Transfer-Encoding: chunked\r\n"
           "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n"),
     400, OWN},
    {"coding on GET", BYTES("GET /v1/list HTTP/1.1\r\n" H "Transfer-Encoding: xchunked\r\n\r\n"),
     501, OWN},
    {"coding with HTTP/1.0",
     BYTES("PUT /v1/items/a HTTP/1.0\r\n" H A J
           "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
     400, OWN},
    {"bare CR in a value", BYTES("GET /v1/list HTTP/1.1\r\n" H "X-A: a\rb\r\n\r\n"), 400, OWN},
    {"control in a value", BYTES("GET /v1/list HTTP/1.1\r\n" H "X-A: a\001b\r\n\r\n"), 400, OWN},
    {"absolute form", BYTES("GET http://h/v1/list HTTP/1.1\r\n" H "\r\n" NEXT), 400, OWN},
    {"no slash", BYTES("GET v1/list HTTP/1.1\r\n" H "\r\n" NEXT), 400, OWN},
    {"authority form", BYTES("CONNECT h:80 HTTP/1.1\r\n" H "\r\n" NEXT), 501, OWN},
    {"asterisk", BYTES("OPTIONS * HTTP/1.1\r\n" H "\r\n" NEXT), 400, OWN},
    {"trace", BYTES("TRACE /v1/list HTTP/1.1\r\n" H "\r\n" NEXT), 501, OWN},
    {"lower-case method", BYTES("get /v1/list HTTP/1.1\r\n" H "\r\n" NEXT), 501, OWN},
    {"unknown method", BYTES("FROB /v1/list HTTP/1.1\r\n" H "\r\n" NEXT), 501, OWN},
    {"blank in the path", BYTES("GET /v1/list x HTTP/1.1\r\n" H "\r\n" NEXT), 400, OWN},
    {"two blanks behind the path", BYTES("GET /v1/list  HTTP/1.1\r\n" H "\r\n" NEXT), 400, OWN},
    {"tab in the path", BYTES("GET /v1/li\tst HTTP/1.1\r\n" H "\r\n" NEXT), 400, OWN},
    {"fragment", BYTES("GET /v1/list#x HTTP/1.1\r\n" H "\r\n" NEXT), 400, OWN},
    {"content encoding",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Encoding: gzip\r\n"
           "Content-Length: 2\r\n\r\n{}"),
     415, OWN},
    {"two authorizations", BYTES("GET /v1/items/a HTTP/1.1\r\n" H A A "\r\n" NEXT), 400, OWN},
    {"declared 2^63",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: 9223372036854775808\r\n\r\n{}"),
     413, OWN},
    {"declared a little too much",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: 5001\r\n\r\n{}"), 413, OWN},
    {"length beyond 64 bits",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: 18446744073709551617\r\n\r\n{}"),
     413, LIBRARY},
    {"signed length", BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: +2\r\n\r\n{}"),
     400, LIBRARY},
    {"hexadecimal length",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: 0x2\r\n\r\n{}"), 400, LIBRARY},
    {"negative length", BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: -2\r\n\r\n{}"),
     400, LIBRARY},
    {"length list", BYTES("PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: 2, 2\r\n\r\n{}"),
     400, LIBRARY},
    {"version 2.0", BYTES("GET /v1/list HTTP/2.0\r\n" H "\r\n"), 505, LIBRARY},
    {"get with a body that is not taken",
     BYTES("GET /v1/list HTTP/1.1\r\n" H "Content-Length: 39\r\n\r\n" NEXT), 413, OWN},
    {"delete with a chunked body that is not taken",
     BYTES("DELETE /v1/items/a HTTP/1.1\r\n" H A
           "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" NEXT),
     413, OWN},
    {"refused put before its body",
     BYTES("PUT /v1/items/a HTTP/1.1\r\n" H J "Content-Length: 39\r\n\r\n" NEXT), 401, OWN},
    {"refused delete before its body",
     BYTES("DELETE /v1/items/a HTTP/1.1\r\n" H "Content-Length: 39\r\n\r\n" NEXT), 401, OWN},
};

START_TEST(bad_request_gets_one_clean_answer) {
  const struct raw *r = &bad[_i];
  ck_assert(client_open(&client, service.port));
  client_send(&client, r->bytes, r->len);
  client_read(&client, false, &answer);
  ck_assert_msg(answer.status == r->status, "%s: %d", r->what, answer.status);
  if (r->whose == OWN) {
    ck_assert_msg(strcmp(header("Content-Type"), "application/problem+json") == 0, "%s", r->what);
    ck_assert_msg(strcasecmp(header("Connection"), "close") == 0, "%s", r->what);
    ck_assert_str_ne(header("X-Request-Id"), "");
    ck_assert_msg(client_ended(&client), "%s: something follows: %s", r->what, client.at);
  }
  ck_assert_uint_eq(service_handled(&service), 0);
  client_close(&client);
  good_request_works();
}
END_TEST

/* Refusals after which the connection goes on. */
static const struct {
  const char *what, *request;
  int status;
  const char *in_body;
} kept[] = {
    {"nul in the path", "GET /v1/items/abc%00def HTTP/1.1\r\n" H A "\r\n", 400, "bad-path"},
    {"encoded slash", "GET /v1/items/a%2Fb HTTP/1.1\r\n" H A "\r\n", 400, "bad-path"},
    {"encoded dots", "GET /v1/%2e%2e/list HTTP/1.1\r\n" H "\r\n", 400, "bad-path"},
    {"dots", "GET /v1/./list HTTP/1.1\r\n" H "\r\n", 400, "bad-path"},
    {"bad escape", "GET /v1/items/%zz HTTP/1.1\r\n" H "\r\n", 400, "bad-path"},
    {"no utf-8", "GET /v1/items/%ff HTTP/1.1\r\n" H "\r\n", 400, "bad-path"},
    {"double slash", "GET //v1/list HTTP/1.1\r\n" H "\r\n", 404, "not-found"},
    {"trailing slash", "GET /v1/list/ HTTP/1.1\r\n" H "\r\n", 404, "not-found"},
    {"path parameter", "GET /v1/list;x HTTP/1.1\r\n" H "\r\n", 404, "not-found"},
    {"unknown path", "GET /v2 HTTP/1.1\r\n" H "\r\n", 404, "not-found"},
    {"wrong method", "DELETE /v1/list HTTP/1.1\r\n" H "\r\n", 405, "GET, HEAD, OPTIONS"},
    {"put without a body", "PUT /v1/items/a HTTP/1.1\r\n" H A "Content-Length: 0\r\n\r\n", 400,
     "malformed-json"},
    {"no token", "GET /v1/items/a HTTP/1.1\r\n" H "\r\n", 401, "unauthenticated"},
    {"wrong token", "GET /v1/items/a HTTP/1.1\r\n" H "Authorization: Bearer no\r\n\r\n", 401,
     "not known"},
    {"wrong scheme", "GET /v1/items/a HTTP/1.1\r\n" H "Authorization: Digest x\r\n\r\n", 401,
     "Bearer"},
    {"wrong role", "DELETE /v1/items/a HTTP/1.1\r\n" H "Authorization: Bearer tok-reader\r\n\r\n",
     403, "takes: admin"},
    {"unknown parameter", "GET /v1/list?limti=1 HTTP/1.1\r\n" H "\r\n", 400,
     "did you mean 'limit'"},
    {"parameter twice", "GET /v1/list?limit=1&limit=1 HTTP/1.1\r\n" H "\r\n", 400, "bad-parameter"},
    {"nul in a parameter", "GET /v1/list?limit=1%00 HTTP/1.1\r\n" H "\r\n", 400, "bad-parameter"},
    {"token in the query", "GET /v1/items/a?token=tok-admin HTTP/1.1\r\n" H "\r\n", 400,
     "token-in-query"},
    {"bad pretty", "GET /v1/list?pretty=maybe HTTP/1.1\r\n" H "\r\n", 400, "pretty"},
    {"format that is not there", "GET /v1/list?format=junit HTTP/1.1\r\n" H "\r\n", 406,
     "json (application/json), text (text/plain), csv (text/csv)"},
    {"accept that is not there", "GET /v1/list HTTP/1.1\r\n" H "Accept: image/png\r\n\r\n", 406,
     "text/csv"},
    {"our own fault", "GET /v1/broken HTTP/1.1\r\n" H "\r\n", 500, "internal"},
};

START_TEST(refusal_keeps_the_connection) {
  ck_assert(client_open(&client, service.port));
  client_text(&client, kept[_i].request);
  client_read(&client, false, &answer);
  ck_assert_msg(answer.status == kept[_i].status, "%s: %d", kept[_i].what, answer.status);
  ck_assert_msg(strstr(answer.body, kept[_i].in_body) != NULL, "%s: %s", kept[_i].what,
                answer.body);
  ck_assert_str_eq(header("Content-Type"), "application/problem+json");
  ck_assert_str_eq(header("Cache-Control"), "no-store");
  ck_assert_ptr_null(strstr(answer.body, "tok-"));
  client_text(&client, NEXT);
  client_read(&client, false, &answer);
  ck_assert_msg(answer.status == 200, "%s: then %d", kept[_i].what, answer.status);
}
END_TEST

/* A refusal of the media type, before the body. */
static const struct {
  const char *line, *type, *in_body;
  int status;
} media[] = {
    {"PUT /v1/items/a", "application/x-www-form-urlencoded", "use --json @file", 415},
    {"PUT /v1/items/a", "multipart/form-data; boundary=x", "--json @file", 415},
    {"PUT /v1/items/a", "text/plain", "application/json", 415},
    {"PUT /v1/items/a", "application/json; charset=utf-16", "UTF-8", 415},
    {"PUT /v1/items/a", NULL, "no Content-Type", 415},
    {"PUT /v1/items/a", "application/json", "", 201},
    {"PUT /v1/items/a", "Application/JSON; charset=\"UTF-8\"", "", 201},
    {"POST /v1/imports", "application/x-www-form-urlencoded", "text/csv", 415},
    {"POST /v1/imports", NULL, "--data-binary", 415},
    {"POST /v1/imports", "text/csv; charset=utf-8", "text/csv", 200},
    {"POST /v1/imports", "application/x-ndjson", "ndjson", 200},
    {"PUT /v1/files/a", "application/pdf", "application/pdf", 201},
    {"PUT /v1/files/a", NULL, "\"type\":null", 201},
};

START_TEST(media_type) {
  char request[512];
  const char *type = media[_i].type;
  snprintf(request, sizeof request, "%s HTTP/1.1\r\n" H A "%s%s%sContent-Length: 2\r\n\r\n{}",
           media[_i].line, type ? "Content-Type: " : "", type ? type : "", type ? "\r\n" : "");
  ask(service.port, request, false, &answer);
  ck_assert_msg(answer.status == media[_i].status, "%s: %d", type, answer.status);
  ck_assert_msg(strstr(answer.body, media[_i].in_body) != NULL, "%s", answer.body);
}
END_TEST

static void put_file(size_t len, bool chunked) {
  static char body[300000];
  char head[256];
  memset(body, 'b', len);
  ck_assert(client_open(&client, service.port));
  if (chunked)
    snprintf(head, sizeof head,
             "PUT /v1/files/a HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n%zx\r\n", len);
  else
    snprintf(head, sizeof head, "PUT /v1/files/a HTTP/1.1\r\n" H "Content-Length: %zu\r\n\r\n",
             len);
  client_text(&client, head);
  client_send(&client, body, len);
  if (chunked) client_text(&client, "\r\n0\r\n\r\n");
  client_read(&client, false, &answer);
}

START_TEST(body_limit_is_exact) {
  static const struct {
    size_t len;
    bool chunked;
    int status;
  } cases[] = {{199999, false, 201}, {200000, false, 201}, {200001, false, 413},
               {200000, true, 201},  {200001, true, 413},  {250000, true, 413}};
  put_file(cases[_i].len, cases[_i].chunked);
  ck_assert_int_eq(answer.status, cases[_i].status);
  if (cases[_i].status == 201) {
    char want[32];
    snprintf(want, sizeof want, "\"bytes\":%zu,", cases[_i].len);
    ck_assert_ptr_nonnull(strstr(answer.body, want));
    client_text(&client, NEXT);
    client_read(&client, false, &answer);
    ck_assert_int_eq(answer.status, 200);
  } else {
    ck_assert_str_eq(header("Content-Type"), "application/problem+json");
    ck_assert(client_ended(&client));
    ck_assert_uint_eq(service_handled(&service), 0);
  }
  client_close(&client);
  good_request_works();
}
END_TEST

START_TEST(limits_of_json_and_of_a_route) {
  char request[256];
  snprintf(request, sizeof request,
           "POST /v1/items HTTP/1.1\r\n" H A J "Content-Length: 100\r\n\r\n{\"a\":\"%092d\"}", 1);
  ask(service.port, request, false, &answer);
  ck_assert_int_eq(answer.status, 200);
  ask(service.port, "POST /v1/items HTTP/1.1\r\n" H A J "Content-Length: 101\r\n\r\n", false,
      &answer);
  ck_assert_int_eq(answer.status, 413);
  ck_assert_ptr_nonnull(strstr(answer.body, "at most 100"));
}
END_TEST

START_TEST(malformed_json_names_line_and_column) {
  ask(service.port, "PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: 9\r\n\r\n{\n\"a\":1,}",
      false, &answer);
  ck_assert_int_eq(answer.status, 400);
  ck_assert_ptr_nonnull(strstr(answer.body, "malformed-json"));
  ck_assert_ptr_nonnull(strstr(answer.body, "ine 2"));
}
END_TEST

START_TEST(expect_is_refused_before_the_body) {
  static const char *const heads[] = {"PUT /v1/items/a HTTP/1.1\r\n" H J
                                      "Expect: 100-continue\r\nContent-Length: 10\r\n\r\n",
                                      "PUT /v1/items/a HTTP/1.1\r\n" H A J
                                      "Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n"};
  ck_assert(client_open(&client, service.port));
  client_text(&client, heads[_i]);
  client_read(&client, false, &answer);
  ck_assert_int_eq(answer.status, _i == 0 ? 401 : 413);
  ck_assert(client_ended(&client));
}
END_TEST

START_TEST(large_heads) {
  static char request[200000];
  static const struct {
    const char *before, *after;
    size_t fill;
    int status;
    const char *type;
  } cases[] = {
      {"GET /v1/list?limit=", " HTTP/1.1\r\n" H "\r\n", 4077, 200, "application/json"},
      {"GET /v1/list?limit=", " HTTP/1.1\r\n" H "\r\n", 4084, 414, "application/problem+json"},
      {"GET /", " HTTP/1.1\r\n" H "\r\n", 20000, 414, "application/problem+json"},
      {"GET /v1/list HTTP/1.1\r\n" H "X-A: ", "\r\n\r\n", 16000, 200, "application/json"},
      {"GET /v1/list HTTP/1.1\r\n" H "X-A: ", "\r\n\r\n", 16400, 431, "application/problem+json"},
      {"GET /v1/list HTTP/1.1\r\n" H "X-A: ", "\r\n\r\n", 120000, 431, ""}, /* the library's own */
  };
  size_t n = strlen(cases[_i].before);
  memcpy(request, cases[_i].before, n);
  memset(request + n, 'a', cases[_i].fill);
  memcpy(request + n + cases[_i].fill, cases[_i].after, strlen(cases[_i].after) + 1);
  ask(service.port, request, false, &answer);
  ck_assert_int_eq(answer.status, cases[_i].status);
  ck_assert_str_eq(header("Content-Type"), cases[_i].type);
  good_request_works();
}
END_TEST

START_TEST(too_many_fields) {
  static char request[4096];
  size_t n = (size_t)snprintf(request, sizeof request, "GET /v1/list HTTP/1.1\r\n" H);
  for (int i = 0; i < 100; i++)
    n += (size_t)snprintf(request + n, sizeof request - n, "X-%d: 1\r\n", i);
  snprintf(request + n, sizeof request - n, "\r\n");
  ask(service.port, request, false, &answer);
  ck_assert_int_eq(answer.status, 431);
  good_request_works();
}
END_TEST

START_TEST(no_http_at_all) {
  static const struct raw junk[] = {
      {"tls", BYTES("\026\003\001\002\000\001\000\001\374\003\003"), 0, 0},
      {"ssh", BYTES("SSH-2.0-OpenSSH_9.2\r\n\r\n"), 0, 0},
      {"http/2", BYTES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 0, 0},
      {"blank lines", BYTES("\r\n\r\n\r\n"), 0, 0},
      {"line only", BYTES("GET /v1/list\r\n\r\n"), 0, 0},
  };
  ck_assert(client_open(&client, service.port));
  client_send(&client, junk[_i].bytes, junk[_i].len);
  shutdown(client.fd, SHUT_WR);
  client_read(&client, false, &answer);
  ck_assert_msg(answer.status == 0 || answer.status >= 400, "%s: %d", junk[_i].what, answer.status);
  client_close(&client);
  good_request_works();
}
END_TEST

/* Far beyond the limit the service stops reading, so that nobody can keep it busy for nothing. */
START_TEST(endless_chunked_body_is_cut) {
  static char chunk[65536 + 16];
  size_t n = (size_t)snprintf(chunk, sizeof chunk, "10000\r\n"), sent = 0;
  memset(chunk + n, 'b', 65536);
  memcpy(chunk + n + 65536, "\r\n", 2);
  n += 65536 + 2;
  ck_assert(client_open(&client, service.port));
  client_text(&client, "PUT /v1/files/a HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n");
  while (sent < (size_t)128 << 20 && send(client.fd, chunk, n, MSG_NOSIGNAL) == (ssize_t)n)
    sent += n;
  ck_assert_uint_lt(sent, (size_t)128 << 20);
  client_close(&client);
  good_request_works();
}
END_TEST

START_TEST(client_that_leaves_in_the_body) {
  ck_assert(client_open(&client, service.port));
  client_text(&client, "PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: 1000\r\n\r\n{\"a\":");
  client_close(&client);
  good_request_works();
  ck_assert_uint_eq(service_handled(&service), 0);
}
END_TEST

#define N(table) (int)(sizeof table / sizeof *table)

static TCase *refusals(void) {
  TCase *t = tcase_create("refusals");
  tcase_set_timeout(t, 60);
  tcase_add_checked_fixture(t, wire_start, wire_stop);
  tcase_add_loop_test(t, bad_request_gets_one_clean_answer, 0, N(bad));
  tcase_add_loop_test(t, refusal_keeps_the_connection, 0, N(kept));
  tcase_add_loop_test(t, media_type, 0, N(media));
  tcase_add_loop_test(t, body_limit_is_exact, 0, 6);
  tcase_add_loop_test(t, expect_is_refused_before_the_body, 0, 2);
  tcase_add_loop_test(t, large_heads, 0, 6);
  tcase_add_loop_test(t, no_http_at_all, 0, 5);
  tcase_add_test(t, too_many_fields);
  tcase_add_test(t, limits_of_json_and_of_a_route);
  tcase_add_test(t, malformed_json_names_line_and_column);
  tcase_add_test(t, client_that_leaves_in_the_body);
  tcase_add_test(t, endless_chunked_body_is_cut);
  return t;
}

int main(void) {
  Suite *s = suite_create("wire");
  suite_add_tcase(s, refusals());
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
