/* One answer as a handler fills it. Only reply.c turns an error code into a status and a problem
   document (RFC 9457). A GET answer with an etag that If-None-Match names goes out as 304. */
#ifndef CRV_SERVER_REPLY_H
#define CRV_SERVER_REPLY_H

#include <jansson.h>

#include "core/base/buf.h"
#include "server/req.h"

struct crv_header {
  const char *name, *value;
};

enum { CRV_MAX_HEADERS = 16 };

struct crv_resp {
  int status;               /* 0: 200 */
  const char *content_type; /* NULL: from rq->format */
  char *body;               /* malloc'ed, owned by the response; NULL: none */
  size_t body_len;
  const char *static_body;                    /* or bytes that live for the process (assets) */
  const char *etag;                           /* with quotes, in the arena or static; NULL: none */
  struct crv_header headers[CRV_MAX_HEADERS]; /* values in the arena or static */
  size_t n_headers;
  bool vary; /* representation depends on Accept: set by the negotiation */
};

void crv_resp_init(struct crv_resp *rs);
void crv_resp_done(struct crv_resp *rs);
/* False when there are too many headers or the value holds control characters. */
bool crv_resp_header(struct crv_resp *rs, const char *name, const char *value);
/* Takes j; compact, or indented with rq->pretty; sets application/json. OUT_OF_MEMORY possible. */
bool crv_resp_json_steal(struct crv_req *rq, struct crv_resp *rs, int status, json_t *j,
                         struct crv_err *err);
/* Takes the buffer's bytes as the body. */
bool crv_resp_buf(struct crv_resp *rs, int status, const char *content_type, struct crv_buf *b,
                  struct crv_err *err);
/* Copies text. */
bool crv_resp_text(struct crv_resp *rs, int status, const char *content_type, const char *text,
                   struct crv_err *err);
/* The problem document of err: status, body (application/problem+json, or text/plain when
   rq->format is text or Accept asks for it), headers such as Retry-After and WWW-Authenticate. rq
   may be NULL. A body may be extended before sending: see crv_problem_json. */
void crv_resp_problem(const struct crv_req *rq, struct crv_resp *rs, const struct crv_err *err);
/* The problem document as JSON, to which a handler adds members (gate-not-met adds `decision`). */
json_t *crv_problem_json(const struct crv_req *rq, const struct crv_err *err);

/* "application/json" and so on for one format bit; NULL for CRV_F_OTHER. */
const char *crv_format_type(enum crv_format f);

#endif
