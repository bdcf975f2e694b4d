/* The route table as data: what an address is, who may use it, which body, parameters and formats
   it takes. Matching works on the raw path: split at '/', then each segment is decoded strictly.
   Must not know: what any handler does. */
#ifndef CRV_SERVER_ROUTE_H
#define CRV_SERVER_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

struct crv_req;
struct crv_resp;

enum crv_method {
  CRV_M_UNKNOWN = 0,
  CRV_M_GET,
  CRV_M_HEAD,
  CRV_M_PUT,
  CRV_M_POST,
  CRV_M_DELETE,
  CRV_M_OPTIONS,
};

enum crv_role {                    /* bits, so that a route can name several */
                CRV_ROLE_NONE = 0, /* no token needed */
                CRV_ROLE_READER = 1,
                CRV_ROLE_CI = 2,
                CRV_ROLE_PROCUREMENT = 4,
                CRV_ROLE_ADMIN = 8,
                CRV_ROLE_ANY = 15,
};

enum crv_format { /* bits */
                  CRV_F_JSON = 1,
                  CRV_F_TEXT = 2,
                  CRV_F_CSV = 4,
                  CRV_F_MD = 8,
                  CRV_F_NDJSON = 16,
                  CRV_F_JUNIT = 32,
                  CRV_F_HTML = 64,
                  CRV_F_OTHER = 128, /* the handler sets its own content type (assets, documents) */
};

enum crv_body {
  CRV_BODY_NONE = 0,
  CRV_BODY_JSON,    /* application/json, parsed into rq->json */
  CRV_BODY_IMPORT,  /* application/x-ndjson, text/csv, text/plain, application/octet-stream,
                       application/json: raw bytes */
  CRV_BODY_CONTENT, /* any media type, raw bytes, its type kept in rq->body_type */
};

/* Returns true with rs filled, or false with err set. */
typedef bool crv_handler(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err);

struct crv_route {
  enum crv_method method; /* HEAD is served by the GET row, OPTIONS by the server */
  const char *pattern;    /* "/v1/offers/{key}/versions/{n}" */
  crv_handler *handler;
  unsigned roles; /* CRV_ROLE_* bits; CRV_ROLE_NONE: public */
  enum crv_body body;
  size_t limit;        /* body bytes, 0: the default of its kind */
  const char *params;  /* known query parameters, separated by spaces; "" for none. format and
                          pretty are known everywhere */
  unsigned formats;    /* CRV_F_* bits; the lowest set bit is what a wildcard Accept gets */
  const char *id;      /* OpenAPI operationId, unique */
  const char *summary; /* one line */
};

enum { CRV_MAX_CAPTURES = 4 };

struct crv_match {
  const struct crv_route *route;         /* NULL: no row for this method */
  const char *capture[CRV_MAX_CAPTURES]; /* decoded, in the pattern's order */
  unsigned allowed;                      /* bit (1u << method) of every row of this path */
};

/* Matches a raw path (no query). False with BAD_PATH, URI_TOO_LONG or NOT_FOUND; a path that exists
   under another method is true with route NULL and allowed set. Captures are in arena. */
struct crv_arena;
bool crv_route_match(const struct crv_route *table, size_t n, enum crv_method method,
                     const char *raw_path, struct crv_arena *arena, struct crv_match *ret,
                     struct crv_err *err);
enum crv_method crv_method_parse(const char *name);
const char *crv_method_name(enum crv_method m);
const char *crv_role_name(unsigned role);  /* one bit -> "procurement" */
unsigned crv_role_parse(const char *name); /* 0: unknown */

#endif
