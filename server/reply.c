/* Answers: bodies, headers and problem documents (RFC 9457). The only place that turns an error
   code into an HTTP status. Must not know: libmicrohttpd. */
#include "server/reply.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "server/negotiate.h"
#include "server/problem.h"

void crv_resp_init(struct crv_resp *rs) {
  *rs = (struct crv_resp){0};
}

void crv_resp_done(struct crv_resp *rs) {
  free(rs->body);
  crv_resp_init(rs);
}

static bool header_value_ok(const char *s) {
  for (; *s; s++)
    if (((unsigned char)*s < 0x20 && *s != '\t') || *s == 0x7f) return false;
  return true;
}

bool crv_resp_header(struct crv_resp *rs, const char *name, const char *value) {
  if (rs->n_headers == CRV_MAX_HEADERS || !value[0] || !header_value_ok(value)) return false;
  rs->headers[rs->n_headers++] = (struct crv_header){name, value};
  return true;
}

static void body_set(struct crv_resp *rs, int status, const char *type, char *body, size_t len) {
  free(rs->body);
  rs->status = status;
  rs->content_type = type;
  rs->body = body;
  rs->body_len = len;
  rs->static_body = NULL;
}

bool crv_resp_buf(struct crv_resp *rs, int status, const char *content_type, struct crv_buf *b,
                  struct crv_err *err) {
  size_t len = 0;
  if (b->failed) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the answer.");
  char *body = b->len > 0 ? crv_buf_take(b, &len) : calloc(1, 1);
  if (!body) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the answer.");
  body_set(rs, status, content_type, body, len);
  return true;
}

bool crv_resp_text(struct crv_resp *rs, int status, const char *content_type, const char *text,
                   struct crv_err *err) {
  char *body = strdup(text);
  if (!body) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the answer.");
  body_set(rs, status, content_type, body, strlen(body));
  return true;
}

static int dump_part(const char *p, size_t len, void *ctx) {
  crv_buf_add(ctx, p, len);
  return 0;
}

/* The text of j into b; the buffer's sticky error tells of failure. */
static void dump(const json_t *j, bool pretty, struct crv_buf *b) {
  size_t flags = pretty ? JSON_INDENT(2) : JSON_COMPACT;
  if (!j || json_dump_callback(j, dump_part, b, flags) != 0) b->failed = true;
  if (pretty) crv_buf_char(b, '\n');
}

bool crv_resp_json_steal(struct crv_req *rq, struct crv_resp *rs, int status, json_t *j,
                         struct crv_err *err) {
  _json_ json_t *owned = j;
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  dump(owned, rq->pretty, &b);
  if (b.failed) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the answer.");
  return crv_resp_buf(rs, status, "application/json", &b, err);
}

static const char *retry_after(enum crv_code code) {
  switch ((int)code) {
  case CRV_TOO_MANY_REQUESTS:
  case CRV_OVERLOADED:
  case CRV_IN_PROGRESS:
  case CRV_OUT_OF_MEMORY:
    return "1";
  case CRV_STARTING:
    return "2";
  case CRV_DRAINING:
  case CRV_OUTCOME_UNKNOWN:
    return "5";
  case CRV_READ_ONLY:
    return "30";
  default:
    return NULL;
  }
}

static bool wants_text(const struct crv_req *rq) {
  if (!rq) return false;
  if (rq->format == CRV_F_TEXT || rq->format == CRV_F_HTML) return true;
  return rq->header && crv_accept_prefers_text(rq->header(rq, "Accept")) &&
         !crv_req_param(rq, "format");
}

/* What is left to say when there is no memory for a document. */
static void problem_bare(struct crv_resp *rs) {
  static const char body[] = "{\"type\":\"/problems/out-of-memory\","
                             "\"title\":\"The service is out of memory.\",\"status\":503,"
                             "\"code\":\"out-of-memory\",\"errors\":[]}";
  rs->status = 503;
  rs->content_type = "application/problem+json";
  rs->static_body = body;
  rs->body_len = sizeof body - 1;
}

void crv_resp_problem(const struct crv_req *rq, struct crv_resp *rs, const struct crv_err *err) {
  const struct crv_code_info *info = crv_code_info(err->code);
  const char *wait = retry_after(err->code);
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  bool text = wants_text(rq);
  crv_resp_done(rs);
  if (text) {
    crv_problem_text(rq, err, &b);
  } else {
    _json_ json_t *j = crv_problem_json(rq, err);
    dump(j, rq && rq->pretty, &b);
  }
  rs->body = crv_buf_take(&b, &rs->body_len);
  rs->status = info->status;
  rs->vary = true;
  rs->content_type = text ? "text/plain; charset=utf-8" : "application/problem+json";
  if (!rs->body) problem_bare(rs);
  if (wait) crv_resp_header(rs, "Retry-After", wait);
  if (rs->status == 401) {
    crv_resp_header(rs, "WWW-Authenticate", "Bearer realm=\"crivo\"");
    crv_resp_header(rs, "WWW-Authenticate", "Basic realm=\"crivo\", charset=\"UTF-8\"");
  }
}
