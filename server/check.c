/* The steps between a request's head and its handler, in their order: framing, drain, path, method,
   query, token, role, format, idempotency key, media type, declared length; then, with the body
   there, its JSON. Must not know: what a handler does. */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "core/base/json.h"
#include "server/auth.h"
#include "server/internal.h"
#include "server/negotiate.h"
#include "server/query.h"

struct gather {
  struct crv_field *at;
  size_t n, room;
};

static enum MHD_Result gather_field(void *ctx, enum MHD_ValueKind kind, const char *name,
                                    size_t name_len, const char *value, size_t value_len) {
  struct gather *g = ctx;
  (void)kind;
  if (g->n == g->room) return MHD_NO;
  g->at[g->n++] = (struct crv_field){name, value ? value : "", name_len, value ? value_len : 0};
  return MHD_YES;
}

static bool request_id_ok(const char *s) {
  size_t len = strlen(s);
  return len >= 1 && len <= 64 &&
         strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == len;
}

/* Unique over processes by a random prefix drawn once, within one by a counter. */
static const char *request_id_make(struct crv_arena *arena) {
  static _Atomic uint64_t prefix, count;
  uint64_t drawn = atomic_load(&prefix), none = 0;
  if (drawn == 0) {
    if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn) drawn = (uint64_t)crv_mono_us();
    drawn |= 1;
    if (!atomic_compare_exchange_strong(&prefix, &none, drawn)) drawn = none;
  }
  return crv_arena_printf(arena, "%016llx-%llx", (unsigned long long)drawn,
                          (unsigned long long)atomic_fetch_add(&count, 1));
}

bool crv_check_framing(struct crv_exchange *x, const char *method, const char *version,
                       struct crv_err *err) {
  struct crv_req *rq = &x->rq;
  struct gather g = {0};
  const char *id = rq->header(rq, "X-Request-Id");
  x->sent_method = crv_method_parse(method);
  rq->head = x->sent_method == CRV_M_HEAD;
  rq->method = rq->head ? CRV_M_GET : x->sent_method;
  rq->request_id =
      id && request_id_ok(id) ? crv_arena_strdup(rq->arena, id) : request_id_make(rq->arena);
  int n = MHD_get_connection_values_n(x->conn, MHD_HEADER_KIND, NULL, NULL);
  g.room = n > 0 ? (size_t)n : 0;
  g.at = crv_new_array(rq->arena, g.room, struct crv_field);
  if (!g.at || !rq->request_id) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the head.");
  MHD_get_connection_values_n(x->conn, MHD_HEADER_KIND, gather_field, &g);
  struct crv_head head = {method, version, x->raw_target, g.at, g.n};
  return crv_framing_check(&head, &x->framing, err);
}

/* "GET, HEAD, PUT, OPTIONS" of a match's bits. */
static const char *allow_text(unsigned allowed, struct crv_arena *arena) {
  static const enum crv_method order[] = {CRV_M_GET, CRV_M_HEAD, CRV_M_PUT, CRV_M_POST,
                                          CRV_M_DELETE};
  char text[64];
  size_t n = 0;
  if (allowed & 1u << CRV_M_GET) allowed |= 1u << CRV_M_HEAD;
  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    if (allowed & 1u << order[i])
      n += (size_t)snprintf(text + n, sizeof text - n, "%s, ", crv_method_name(order[i]));
  snprintf(text + n, sizeof text - n, "OPTIONS");
  return crv_arena_strdup(arena, text);
}

/* Path and method. *ret_allow is set where no row serves the method. */
static bool find_route(struct crv_exchange *x, const char **ret_allow, struct crv_err *err) {
  struct crv_req *rq = &x->rq;
  const struct crv_app *app = &x->d->app;
  struct crv_match match;
  if (!crv_route_match(app->routes, app->n_routes, x->sent_method, rq->target, rq->arena, &match,
                       err))
    return false;
  rq->route = match.route;
  memcpy(rq->capture, match.capture, sizeof rq->capture);
  if (match.route) return true;
  *ret_allow = allow_text(match.allowed, rq->arena);
  if (!*ret_allow) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the answer.");
  if (x->sent_method == CRV_M_OPTIONS) return true;
  return crv_fail(err, CRV_METHOD_NOT_ALLOWED, "This address takes: %s.", *ret_allow);
}

/* Parameters; and the format as far as it can be told, so that a refusal of the token already has
   the form that was asked for. */
static bool read_query(struct crv_req *rq, struct crv_err *err) {
  struct crv_query query;
  struct crv_err ignored;
  enum crv_format format = 0;
  if (!crv_query_parse(rq->route, rq->query, rq->arena, &query, err)) return false;
  rq->params = query.params;
  rq->n_params = query.n;
  crv_err_init(&ignored);
  if (crv_negotiate(rq->route->formats, crv_req_param(rq, "format"), rq->header(rq, "Accept"),
                    &format, &ignored))
    rq->format = format;
  return true;
}

static bool check_token(struct crv_exchange *x, struct crv_err *err) {
  struct crv_req *rq = &x->rq;
  const struct crv_app *app = &x->d->app;
  bool public = rq->route->roles == CRV_ROLE_NONE;
  const char *sent = rq->header(rq, "Authorization");
  const char *token = sent ? crv_auth_token(sent, rq->arena) : NULL;
  struct crv_principal who = {0};
  struct crv_err ignored;
  if (!sent && !public) return crv_fail(err, CRV_UNAUTHENTICATED, "No token was sent.");
  if (!token && !public)
    return crv_fail(err, CRV_UNAUTHENTICATED,
                    "The Authorization header is neither Bearer TOKEN nor Basic with a token.");
  if (!token) return true;
  crv_err_init(&ignored);
  if (app->authenticate(app->ctx, token, rq->now_ms, rq->arena, &who, public ? &ignored : err))
    rq->who = who;
  else if (!public)
    return false;
  return crv_auth_role(rq->route, &rq->who, err);
}

static bool check_query(struct crv_req *rq, struct crv_err *err) {
  struct crv_query query = {rq->params, rq->n_params};
  if (!crv_query_known(rq->route, &query, err)) return false;
  if (!crv_req_param_bool(rq, "pretty", false, &rq->pretty, err)) return false;
  return crv_negotiate(rq->route->formats, crv_req_param(rq, "format"), rq->header(rq, "Accept"),
                       &rq->format, err);
}

static size_t body_limit(const struct crv_exchange *x) {
  const struct crv_route *route = x->rq.route;
  const struct crv_daemon_config *cfg = &x->d->cfg;
  switch (route->body) {
  case CRV_BODY_JSON:
    return route->limit ? route->limit : cfg->json_limit;
  case CRV_BODY_IMPORT:
    return route->limit ? route->limit : cfg->import_limit;
  case CRV_BODY_CONTENT:
    return route->limit ? route->limit : cfg->content_limit;
  case CRV_BODY_NONE:
  default:
    return 0;
  }
}

static bool check_length(struct crv_exchange *x, bool has_body, struct crv_err *err) {
  x->limit = body_limit(x);
  if (has_body && x->rq.route->body == CRV_BODY_NONE)
    return crv_fail(err, CRV_TOO_LARGE, "This address takes no body with %s.",
                    crv_method_name(x->rq.route->method));
  if (x->framing.length > x->limit)
    return crv_fail(err, CRV_TOO_LARGE, "The body has %llu bytes; this address takes at most %zu.",
                    (unsigned long long)x->framing.length, x->limit);
  return true;
}

bool crv_check_head(struct crv_exchange *x, const char **ret_allow, struct crv_err *err) {
  bool has_body = x->framing.chunked || x->framing.length > 0;
  if (crv_daemon_draining(x->d) && !x->first)
    return crv_fail(err, CRV_DRAINING, "The service is stopping and takes no new requests.");
  if (crv_auth_find(x->rq.target))
    return crv_fail(err, CRV_TOKEN_IN_QUERY, "A token stands in the path.");
  if (!find_route(x, ret_allow, err)) return false;
  if (*ret_allow) return true;
  return read_query(&x->rq, err) && check_token(x, err) && check_query(&x->rq, err) &&
         crv_idempotency_check(&x->rq, err) && crv_media_check(&x->rq, has_body, err) &&
         check_length(x, has_body, err);
}

bool crv_check_body(struct crv_exchange *x, struct crv_err *err) {
  struct crv_req *rq = &x->rq;
  if (x->body.failed) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the body.");
  rq->body = x->body.data ? x->body.data : "";
  rq->body_len = x->body.len;
  if (rq->route->body != CRV_BODY_JSON) return true;
  if (rq->body_len == 0)
    return crv_fail(err, CRV_MALFORMED_JSON, "The body is empty: send one JSON object.");
  int64_t start = crv_mono_us();
  x->json = crv_json_parse(rq->body, rq->body_len, err);
  rq->json = x->json;
  rq->us_parse += crv_mono_us() - start;
  return x->json != NULL;
}
