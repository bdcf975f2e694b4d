/* One request as a handler sees it: no libmicrohttpd, no socket, so that a unit test can make one.
 */
#ifndef CRV_SERVER_REQ_H
#define CRV_SERVER_REQ_H

#include <jansson.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "server/route.h"

struct crv_principal {
  int64_t token_id; /* 0: no token was sent */
  const char *name; /* of the token */
  unsigned role;    /* one CRV_ROLE_* bit, 0 without a token */
};

struct crv_param {
  const char *name, *value; /* decoded; value "" when there was no '=' */
};

struct crv_req {
  void *app; /* whatever main wired: api's context */
  struct crv_arena *arena;
  enum crv_method method; /* GET for a HEAD request */
  bool head;
  const char *target; /* raw path, as sent */
  const char *query;  /* raw query or "" */
  const struct crv_route *route;
  const char *capture[CRV_MAX_CAPTURES];
  const struct crv_param *params;
  size_t n_params;
  const char *body;
  size_t body_len;
  const char *body_type;  /* media type without parameters, lower case, or NULL */
  const json_t *json;     /* CRV_BODY_JSON: the parsed object, owned by the request */
  enum crv_format format; /* negotiated: one bit of the route's formats */
  bool pretty;
  struct crv_principal who;
  const char *request_id;
  const char *idempotency_key; /* unquoted, checked; NULL without */
  int64_t now_ms;              /* wall clock at the first byte of the head */
  /* Request header by name, case-insensitive, first value; NULL when absent. */
  const char *(*header)(const struct crv_req *rq, const char *name);
  void *header_ctx;
  int64_t us_parse, us_evaluate, us_store; /* microseconds, for Server-Timing */
};

/* A query parameter's value, NULL when absent. */
const char *crv_req_param(const struct crv_req *rq, const char *name);
/* "1", "true", "yes" or empty value -> true; "0", "false", "no" -> false; else BAD_PARAMETER. */
bool crv_req_param_bool(const struct crv_req *rq, const char *name, bool dflt, bool *ret,
                        struct crv_err *err);
/* An integer parameter within min..max; absent gives dflt; else BAD_PARAMETER naming the range. */
bool crv_req_param_int(const struct crv_req *rq, const char *name, int64_t min, int64_t max,
                       int64_t dflt, int64_t *ret, struct crv_err *err);
/* A captured segment as a key (crv_key_ok) or NOT_FOUND. */
bool crv_req_key(const struct crv_req *rq, unsigned i, const char **ret, struct crv_err *err);
/* A captured segment as a number 1..CRV_INT_MAX without leading zero, or NOT_FOUND. */
bool crv_req_number(const struct crv_req *rq, unsigned i, int64_t *ret, struct crv_err *err);

/* If-Match / If-None-Match. etag is the current one with quotes, NULL when nothing is stored.
   Strong compare for If-Match, weak for If-None-Match; lists and "*". */
enum crv_cond { CRV_COND_GO, CRV_COND_FAILED /* 412 */, CRV_COND_NOT_MODIFIED /* 304 */ };
enum crv_cond crv_req_condition(const struct crv_req *rq, const char *etag);
/* Does a header value (a list of entity tags, or "*") name etag? */
bool crv_etag_list_has(const char *list, const char *etag, bool weak);

#endif
