/* How things end: drains, deadlines, addresses that are refused, and the log line of a request. */
#include <check.h>
#include <jansson.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/wire/wire.h"

static void *drain(void *arg) {
  unsigned *cut = arg;
  *cut = crv_daemon_drain(service.daemon, 20000);
  return NULL;
}

/* A request whose body is still to come: in flight, without keeping a worker busy, which might be
   the one that serves another connection of the test. */
static void open_in_flight(struct client *c) {
  ck_assert(client_open(c, service.port));
  client_text(c, "PUT /v1/items/a HTTP/1.1\r\n" H A J
                 "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  client_read(c, true, &answer);
  ck_assert_int_eq(answer.status, 100);
}

static void finish_in_flight(struct client *c) {
  client_text(c, "{}");
  client_read(c, false, &answer);
  ck_assert_int_eq(answer.status, 201);
  ck_assert_str_eq(header("Connection"), "close");
  ck_assert(client_ended(c));
}

static void drain_start(pthread_t *thread, unsigned *cut) {
  ck_assert_int_eq(pthread_create(thread, NULL, drain, cut), 0);
  while (!crv_daemon_draining(service.daemon)) sched_yield();
}

static void drain_is_clean(pthread_t thread, const unsigned *cut) {
  pthread_join(thread, NULL);
  ck_assert_uint_eq(*cut, 0);
  service.daemon = NULL;
}

START_TEST(drain_with_a_request_in_flight) {
  static struct client kept_open, refused;
  pthread_t thread;
  unsigned cut = 99;
  ck_assert(client_open(&kept_open, service.port));
  client_text(&kept_open, NEXT);
  client_read(&kept_open, false, &answer);
  ck_assert_int_eq(answer.status, 200);
  open_in_flight(&client);
  drain_start(&thread, &cut);
  ck_assert(!client_open(&refused, service.port));
  client_text(&kept_open, NEXT);
  client_read(&kept_open, false, &answer);
  ck_assert_int_eq(answer.status, 503);
  ck_assert_ptr_nonnull(strstr(answer.body, "/problems/draining"));
  ck_assert_str_eq(header("Retry-After"), "5");
  ck_assert(client_ended(&kept_open));
  finish_in_flight(&client);
  drain_is_clean(thread, &cut);
  client_close(&kept_open);
}
END_TEST

START_TEST(drain_waits_for_a_handler) {
  pthread_t thread;
  unsigned cut = 99;
  ck_assert(client_open(&client, service.port));
  client_text(&client, "GET /v1/block HTTP/1.1\r\n" H "\r\n");
  service_wait_blocked(&service, 1);
  drain_start(&thread, &cut);
  service_release(&service);
  client_read(&client, false, &answer);
  ck_assert_int_eq(answer.status, 200);
  ck_assert_str_eq(answer.body, "released");
  drain_is_clean(thread, &cut);
}
END_TEST

START_TEST(drain_counts_what_it_cuts) {
  ck_assert(client_open(&client, service.port));
  client_text(&client, "PUT /v1/items/a HTTP/1.1\r\n" H A J
                       "Expect: 100-continue\r\nContent-Length: 10\r\n\r\n");
  client_read(&client, true, &answer);
  ck_assert_int_eq(answer.status, 100); /* in flight now, and its body never comes */
  ck_assert_uint_eq(crv_daemon_drain(service.daemon, 50), 1);
  service.daemon = NULL;
  ck_assert(client_ended(&client));
}
END_TEST

static bool accepted(unsigned n) {
  char want[64];
  struct crv_buf out;
  crv_buf_init(&out, 0);
  crv_daemon_metrics(service.daemon, &out);
  snprintf(want, sizeof want, "crivo_http_connections_total %u\n", n);
  bool found = strstr(out.data, want) != NULL;
  crv_buf_done(&out);
  return found;
}

START_TEST(first_request_of_a_connection_accepted_before_the_drain) {
  static struct client in_flight;
  pthread_t thread;
  unsigned cut = 99;
  open_in_flight(&in_flight);
  ck_assert(client_open(&client, service.port));
  client_text(&client, "GET /v1/list HTTP/1.1\r\n"); /* the head is not whole yet */
  while (!accepted(2)) sched_yield();
  drain_start(&thread, &cut);
  client_text(&client, H "\r\n");
  client_read(&client, false, &answer);
  ck_assert_int_eq(answer.status, 200);
  ck_assert_str_eq(header("Connection"), "close");
  finish_in_flight(&in_flight);
  drain_is_clean(thread, &cut);
  client_close(&in_flight);
}
END_TEST

static void start_hasty(void) {
  struct crv_daemon_config cfg = {.log_fd = -1, .head_ms = 500, .next_ms = 300, .body_ms = 300};
  service_start(&service, &cfg);
}

START_TEST(late_head_is_cut) {
  static const char *const parts[] = {"", "GET /v1/li", "GET /v1/list HTTP/1.1\r\nX-A: ", NEXT};
  ck_assert(client_open(&client, service.port));
  client_text(&client, parts[_i]);
  if (_i == 3) {
    client_read(&client, false, &answer);
    ck_assert_int_eq(answer.status, 200);
  }
  ck_assert(client_ended(&client));
}
END_TEST

START_TEST(late_body_is_cut) {
  ck_assert(client_open(&client, service.port));
  client_text(&client, "PUT /v1/items/a HTTP/1.1\r\n" H A J "Content-Length: 10\r\n\r\n{");
  ck_assert(client_ended(&client));
}
END_TEST

/* One worker, which a handler keeps busy past the deadline of two other connections: one has sent
   a request, which nobody could read so far, and one has sent nothing. */
START_TEST(request_that_the_service_had_not_read_was_cut_as_late) {
  static struct client blocking, silent;
  struct crv_daemon_config cfg = {.log_fd = -1, .threads = 1, .next_ms = 300};
  service_start(&service, &cfg);
  ck_assert(client_open(&silent, service.port) && client_open(&client, service.port));
  client_text(&client, NEXT);
  client_read(&client, false, &answer);
  client_text(&silent, NEXT);
  client_read(&silent, false, &answer);
  ck_assert(client_open(&blocking, service.port));
  client_text(&blocking, "GET /v1/block HTTP/1.1\r\n" H "\r\n");
  service_wait_blocked(&service, 1);
  client_text(&client, NEXT);
  ck_assert(client_ended(&silent));
  service_release(&service);
  client_read(&client, false, &answer);
  ck_assert_int_eq(answer.status, 200);
  client_close(&blocking);
  client_close(&silent);
  client_close(&client);
  service_stop(&service);
}
END_TEST

static struct crv_daemon *start_at(const char *address, unsigned port, struct crv_err *err) {
  static const struct crv_route none = {.pattern = "/", .id = "none", .method = CRV_M_GET};
  struct crv_app app = {.routes = &none, .n_routes = 1};
  struct crv_daemon_config cfg = {.address = address, .port = port, .log_fd = -1, .threads = 1};
  unsigned got;
  crv_err_init(err);
  return crv_daemon_start(&cfg, &app, &got, err);
}

START_TEST(addresses_that_are_refused) {
  struct crv_err err;
  ck_assert_ptr_null(start_at("0.0.0.0", 0, &err));
  ck_assert_ptr_nonnull(strstr(err.detail, "--behind-proxy"));
  ck_assert_ptr_null(start_at("::", 0, &err));
  ck_assert_ptr_null(start_at("example", 0, &err));
  ck_assert_ptr_null(start_at("127.0.0.1", service.port, &err));
  ck_assert_int_eq(err.code, CRV_CONFLICT);
  ck_assert_ptr_nonnull(strstr(err.detail, "in use"));
}
END_TEST

/* The lines that a service with a log wrote, after a GET of path with a token. */
static void log_of(const char *request, char *out, size_t room) {
  char path[] = "/tmp/crivo-wire-XXXXXX";
  int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  unlink(path);
  struct crv_daemon_config cfg = {.log_fd = fd};
  service_start(&service, &cfg);
  ask(service.port, request, false, &answer);
  service_stop(&service);
  ssize_t n = pread(fd, out, room - 1, 0);
  ck_assert_int_ge(n, 0);
  out[n] = '\0';
  close(fd);
}

START_TEST(one_log_line_a_request_and_no_secret) {
  static char text[16384];
  log_of("GET /v1/items/a?pad=hush HTTP/1.1\r\n" H A "X-Request-Id: id-1\r\n\r\n", text,
         sizeof text);
  char *line = strstr(text, "\"event\":\"request\"");
  ck_assert_ptr_nonnull(line);
  ck_assert_ptr_null(strstr(line + 1, "\"event\":\"request\""));
  ck_assert_ptr_null(strstr(text, "tok-admin"));
  ck_assert_ptr_null(strstr(text, "hush"));
  json_t *j = json_loadb(text, strcspn(text, "\n"), 0, NULL);
  ck_assert_ptr_nonnull(j);
  ck_assert_str_eq(json_string_value(json_object_get(j, "request_id")), "id-1");
  ck_assert_str_eq(json_string_value(json_object_get(j, "method")), "GET");
  ck_assert_str_eq(json_string_value(json_object_get(j, "route")), "/v1/items/{key}");
  ck_assert_str_eq(json_string_value(json_object_get(j, "path")), "/v1/items/a");
  ck_assert_str_eq(json_string_value(json_object_get(j, "token")), "boss");
  ck_assert_str_eq(json_string_value(json_object_get(j, "remote")), "127.0.0.1");
  ck_assert_int_eq(json_integer_value(json_object_get(j, "status")), 200);
  ck_assert_int_eq(json_integer_value(json_object_get(j, "bytes")), (int)answer.body_len);
  ck_assert(json_is_number(json_object_get(j, "duration_ms")));
  json_decref(j);
}
END_TEST

START_TEST(token_in_a_path_was_logged) {
  static char text[16384];
  log_of("GET /v1/items/crv_12_0123456789abcdef0123456789abcdef_01234567 HTTP/1.1\r\n" H A "\r\n",
         text, sizeof text);
  ck_assert_int_eq(answer.status, 400);
  ck_assert_ptr_nonnull(strstr(answer.body, "token-in-query"));
  ck_assert_ptr_nonnull(strstr(text, "\"path\":\"/v1/items/...\""));
  ck_assert_ptr_null(strstr(text, "0123456789abcdef"));
}
END_TEST

START_TEST(a_foreign_method_was_logged_as_a_fault_of_ours) {
  static char text[16384];
  log_of("BREW /v1/list HTTP/1.1\r\n" H "\r\n", text, sizeof text);
  ck_assert_int_eq(answer.status, 501);
  ck_assert_ptr_nonnull(strstr(text, "\"level\":\"info\""));
  ck_assert_ptr_null(strstr(text, "\"level\":\"error\""));
}
END_TEST

START_TEST(log_line_stays_one_line) {
  static char text[16384];
  log_of("GET /v1/items/%0a\"\\\xff HTTP/1.1\r\n" H "\r\n", text, sizeof text);
  ck_assert_ptr_nonnull(strchr(text, '\n'));
  for (char *s = text; *s; s += strcspn(s, "\n") + 1) {
    json_t *j = json_loadb(s, strcspn(s, "\n"), 0, NULL);
    ck_assert_msg(j != NULL, "%s", s);
    json_decref(j);
  }
}
END_TEST

START_TEST(refusal_of_the_library_is_logged) {
  static char text[16384];
  log_of("PUT /v1/items/a HTTP/1.1\r\n" H A "Content-Length: 0x2\r\n\r\n{}", text, sizeof text);
  ck_assert_int_eq(answer.status, 400);
  ck_assert_ptr_nonnull(strstr(text, "\"status\":400"));
}
END_TEST

START_TEST(fault_of_ours_is_logged_under_the_request_id) {
  static char text[16384];
  log_of("GET /v1/broken HTTP/1.1\r\n" H "X-Request-Id: id-2\r\n\r\n", text, sizeof text);
  ck_assert_ptr_nonnull(strstr(text, "a fault of ours"));
  ck_assert_ptr_nonnull(
      strstr(text, "\"level\":\"error\",\"event\":\"failure\",\"request_id\":\"id-2\""));
  ck_assert_ptr_null(strstr(answer.body, "a fault of ours"));
}
END_TEST

static TCase *endings(void) {
  TCase *t = tcase_create("endings");
  tcase_set_timeout(t, 60);
  tcase_add_checked_fixture(t, wire_start, wire_stop);
  tcase_add_test(t, addresses_that_are_refused);
  tcase_add_test(t, drain_with_a_request_in_flight);
  tcase_add_test(t, drain_waits_for_a_handler);
  tcase_add_test(t, drain_counts_what_it_cuts);
  tcase_add_test(t, first_request_of_a_connection_accepted_before_the_drain);
  return t;
}

static TCase *deadlines(void) {
  TCase *t = tcase_create("deadlines");
  tcase_set_timeout(t, 60);
  tcase_add_checked_fixture(t, start_hasty, wire_stop);
  tcase_add_loop_test(t, late_head_is_cut, 0, 4);
  tcase_add_test(t, late_body_is_cut);
  return t;
}

static TCase *lateness(void) {
  TCase *t = tcase_create("lateness");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, request_that_the_service_had_not_read_was_cut_as_late);
  return t;
}

static TCase *logs(void) {
  TCase *t = tcase_create("logs");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, one_log_line_a_request_and_no_secret);
  tcase_add_test(t, token_in_a_path_was_logged);
  tcase_add_test(t, a_foreign_method_was_logged_as_a_fault_of_ours);
  tcase_add_test(t, log_line_stays_one_line);
  tcase_add_test(t, refusal_of_the_library_is_logged);
  tcase_add_test(t, fault_of_ours_is_logged_under_the_request_id);
  return t;
}

int main(void) {
  Suite *s = suite_create("wire_endings");
  suite_add_tcase(s, endings());
  suite_add_tcase(s, deadlines());
  suite_add_tcase(s, lateness());
  suite_add_tcase(s, logs());
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
