/* Raw sockets on one side, crv_daemon_start in the same process on the other. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem */
#endif
#include "tests/wire/wire.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static struct service *of(const struct crv_req *rq) {
  return rq->app;
}

static bool h_echo(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct service *s = of(rq);
  pthread_mutex_lock(&s->lock);
  s->handled++;
  snprintf(s->last_key, sizeof s->last_key, "%s", rq->idempotency_key ? rq->idempotency_key : "");
  pthread_mutex_unlock(&s->lock);
  json_t *j = json_pack("{s:s,s:s?,s:i,s:s?,s:s?,s:s}", "method", crv_method_name(rq->method),
                        "key", rq->capture[0], "bytes", (int)rq->body_len, "type", rq->body_type,
                        "who", rq->who.name, "padding", crv_req_param(rq, "pad") ? "x" : "");
  return crv_resp_json_steal(rq, rs, rq->method == CRV_M_PUT ? 201 : 200, j, err);
}

static bool h_list(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  rs->etag = rq->format == CRV_F_CSV ? "\"csv-1\"" : "\"json-1\"";
  if (rq->format == CRV_F_TEXT) return crv_resp_text(rs, 200, NULL, "items\n", err);
  if (rq->format == CRV_F_CSV) return crv_resp_text(rs, 200, NULL, "item\r\n", err);
  return crv_resp_json_steal(rq, rs, 200, json_pack("{s:[]}", "items"), err);
}

static bool h_block(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct service *s = of(rq);
  pthread_mutex_lock(&s->lock);
  s->waiting++;
  pthread_cond_broadcast(&s->changed);
  while (!s->released) pthread_cond_wait(&s->changed, &s->lock);
  pthread_mutex_unlock(&s->lock);
  return crv_resp_text(rs, 200, "text/plain", "released", err);
}

static bool h_asset(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  (void)rq;
  (void)err;
  rs->static_body = "<p>page</p>";
  rs->body_len = strlen(rs->static_body);
  rs->content_type = "text/html; charset=utf-8";
  return crv_resp_header(rs, "Cache-Control", "public, max-age=60");
}

static bool h_gone(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  (void)rq;
  rs->status = 204;
  rs->body_len = 0;
  return rs->body == NULL || crv_bug(err, "a body where none was set");
}

static bool h_broken(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  (void)rq;
  (void)rs;
  return crv_bug(err, "a fault of ours");
}

enum { ADMIN = CRV_ROLE_ADMIN, ANY = CRV_ROLE_ANY };
enum { LIST_FORMATS = CRV_F_JSON | CRV_F_TEXT | CRV_F_CSV };

static const struct crv_route routes[] = {
    {CRV_M_GET, "/v1/list", h_list, 0, CRV_BODY_NONE, 0, "limit", LIST_FORMATS, "list", "The list"},
    {CRV_M_GET, "/v1/items/{key}", h_echo, ANY, CRV_BODY_NONE, 0, "pad", CRV_F_JSON, "item", ""},
    {CRV_M_PUT, "/v1/items/{key}", h_echo, ADMIN, CRV_BODY_JSON, 0, "", CRV_F_JSON, "item_put", ""},
    {CRV_M_DELETE, "/v1/items/{key}", h_gone, ADMIN, CRV_BODY_NONE, 0, "", 0, "item_delete", ""},
    {CRV_M_POST, "/v1/items", h_echo, ADMIN, CRV_BODY_JSON, 100, "", CRV_F_JSON, "item_post", ""},
    {CRV_M_POST, "/v1/imports", h_echo, 0, CRV_BODY_IMPORT, 1000, "", CRV_F_JSON, "import", ""},
    {CRV_M_PUT, "/v1/files/{key}", h_echo, 0, CRV_BODY_CONTENT, 200000, "", CRV_F_JSON, "file", ""},
    {CRV_M_GET, "/v1/block", h_block, 0, CRV_BODY_NONE, 0, "", CRV_F_TEXT, "block", ""},
    {CRV_M_GET, "/page", h_asset, 0, CRV_BODY_NONE, 0, "", CRV_F_OTHER, "page", ""},
    {CRV_M_GET, "/v1/broken", h_broken, 0, CRV_BODY_NONE, 0, "", CRV_F_JSON, "broken", ""},
};

static bool authenticate(void *ctx, const char *token, int64_t now_ms, struct crv_arena *arena,
                         struct crv_principal *ret, struct crv_err *err) {
  (void)ctx;
  (void)now_ms;
  (void)arena;
  if (strcmp(token, "tok-admin") == 0)
    *ret = (struct crv_principal){1, "boss", CRV_ROLE_ADMIN};
  else if (strcmp(token, "tok-reader") == 0)
    *ret = (struct crv_principal){2, "ann", CRV_ROLE_READER};
  else
    return crv_fail(err, CRV_UNAUTHENTICATED, "The token is not known.");
  return true;
}

static bool dispatch(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  return rq->route->handler(rq, rs, err);
}

static int64_t clock_ms(void *ctx) {
  (void)ctx;
  return 1764583200000;
}

static void own_metrics(void *ctx, struct crv_buf *out) {
  (void)ctx;
  crv_buf_str(out, "wire_test 1\n");
}

void service_start(struct service *s, const struct crv_daemon_config *cfg) {
  struct crv_err err;
  struct crv_daemon_config c = {.log_fd = -1};
  struct crv_app app = {.ctx = s,
                        .routes = routes,
                        .n_routes = sizeof routes / sizeof *routes,
                        .authenticate = authenticate,
                        .dispatch = dispatch,
                        .metrics = own_metrics,
                        .clock_ms = clock_ms};
  if (cfg) c = *cfg;
  c.address = "127.0.0.1";
  c.threads = c.threads ? c.threads : 4;
  c.connections = 64;
  c.json_limit = c.json_limit ? c.json_limit : 5000;
  memset(s, 0, sizeof *s);
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  crv_err_init(&err);
  s->daemon = crv_daemon_start(&c, &app, &s->port, &err);
  ck_assert_msg(s->daemon != NULL, "%s", err.detail);
  ck_assert_uint_gt(s->port, 0);
}

void service_stop(struct service *s) {
  if (s->daemon) ck_assert_uint_eq(crv_daemon_drain(s->daemon, 10000), 0);
  s->daemon = NULL;
  pthread_cond_destroy(&s->changed);
  pthread_mutex_destroy(&s->lock);
}

void service_wait_blocked(struct service *s, unsigned n) {
  pthread_mutex_lock(&s->lock);
  while (s->waiting < n) pthread_cond_wait(&s->changed, &s->lock);
  pthread_mutex_unlock(&s->lock);
}

void service_release(struct service *s) {
  pthread_mutex_lock(&s->lock);
  s->released = true;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

unsigned service_handled(struct service *s) {
  pthread_mutex_lock(&s->lock);
  unsigned n = s->handled;
  pthread_mutex_unlock(&s->lock);
  return n;
}

bool client_open(struct client *c, unsigned port) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  struct timeval limit = {.tv_sec = 20}; /* a lost answer fails the test instead of hanging it */
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  c->n = 0;
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ck_assert_int_ge(c->fd, 0);
  setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (connect(c->fd, (struct sockaddr *)&a, sizeof a) == 0) return true;
  close(c->fd);
  c->fd = -1;
  return false;
}

void client_close(struct client *c) {
  if (c->fd >= 0) close(c->fd);
  c->fd = -1;
}

/* A service that has answered already may refuse the rest: that is no fault of the test. */
void client_send(struct client *c, const void *bytes, size_t len) {
  const char *s = bytes;
  while (len > 0) {
    ssize_t n = send(c->fd, s, len, MSG_NOSIGNAL);
    if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) return;
    ck_assert_int_gt(n, 0);
    s += n;
    len -= (size_t)n;
  }
}

void client_text(struct client *c, const char *text) {
  client_send(c, text, strlen(text));
}

/* More bytes into the buffer; false at the end of the connection. */
static bool fill(struct client *c) {
  ck_assert_uint_lt(c->n, sizeof c->at - 1);
  ssize_t n = recv(c->fd, c->at + c->n, sizeof c->at - 1 - c->n, 0);
  if (n < 0) ck_assert_msg(errno == ECONNRESET, "no answer: %s", strerror(errno));
  if (n <= 0) return false;
  c->n += (size_t)n;
  return true;
}

static void use(struct client *c, size_t n) {
  memmove(c->at, c->at + n, c->n - n);
  c->n -= n;
}

static size_t head_length(struct client *c) {
  for (;;) {
    c->at[c->n] = '\0';
    const char *end = memmem(c->at, c->n, "\r\n\r\n", 4);
    if (end) return (size_t)(end - c->at) + 4;
    if (!fill(c)) return 0;
  }
}

const char *answer_header(const struct answer *a, const char *name, char *out, size_t room) {
  size_t len = strlen(name);
  out[0] = '\0';
  for (const char *s = strchr(a->head, '\n'); s; s = strchr(s + 1, '\n')) {
    if (strncasecmp(s + 1, name, len) != 0 || s[1 + len] != ':') continue;
    const char *value = s + 2 + len + strspn(s + 2 + len, " ");
    snprintf(out, room, "%.*s", (int)strcspn(value, "\r\n"), value);
    break;
  }
  return out;
}

unsigned answer_header_count(const struct answer *a, const char *name) {
  unsigned n = 0;
  size_t len = strlen(name);
  for (const char *s = strchr(a->head, '\n'); s; s = strchr(s + 1, '\n'))
    n += strncasecmp(s + 1, name, len) == 0 && s[1 + len] == ':';
  return n;
}

void client_read(struct client *c, bool bodyless, struct answer *a) {
  char length[32];
  size_t head = head_length(c);
  a->status = 0;
  a->body_len = 0;
  a->head[0] = a->body[0] = '\0';
  if (head == 0) return;
  ck_assert_uint_lt(head, sizeof a->head);
  memcpy(a->head, c->at, head);
  a->head[head] = '\0';
  use(c, head);
  ck_assert_int_eq(sscanf(a->head, "HTTP/1.%*c %d", &a->status), 1);
  bool none = bodyless || a->status == 204 || a->status == 304 || a->status < 200;
  a->body_len = none ? 0 : (size_t)atol(answer_header(a, "Content-Length", length, sizeof length));
  ck_assert_uint_lt(a->body_len, sizeof a->body);
  while (c->n < a->body_len) ck_assert_msg(fill(c), "the body was cut");
  memcpy(a->body, c->at, a->body_len);
  a->body[a->body_len] = '\0';
  use(c, a->body_len);
}

bool client_ended(struct client *c) {
  return c->n == 0 && !fill(c);
}

void ask(unsigned port, const char *request, bool bodyless, struct answer *a) {
  static struct client c;
  ck_assert(client_open(&c, port));
  client_text(&c, request);
  client_read(&c, bodyless, a);
  client_close(&c);
}

struct service service;
struct client client;
struct answer answer;

void wire_start(void) {
  service_start(&service, NULL);
}

void wire_stop(void) {
  client_close(&client);
  service_stop(&service);
}

const char *header(const char *name) {
  static char text[512];
  return answer_header(&answer, name, text, sizeof text);
}

void good_request_works(void) {
  ask(service.port, NEXT, false, &answer);
  ck_assert_int_eq(answer.status, 200);
  ck_assert_str_eq(answer.body, "{\"items\":[]}");
}
