/* From an answer to libmicrohttpd's response: the headers that every answer carries, then the one
   queue call. Must not know: how the answer came about. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/internal.h"
#include "server/log.h"

static const char csp_other[] = "default-src 'none'; frame-ancestors 'none'";
static const char csp_html[] =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

static bool has(const struct crv_resp *rs, const char *name) {
  for (size_t i = 0; i < rs->n_headers; i++)
    if (strcasecmp(rs->headers[i].name, name) == 0) return true;
  return false;
}

static bool put(struct MHD_Response *r, const char *name, const char *value) {
  return MHD_add_response_header(r, name, value) == MHD_YES;
}

/* Where the handler said nothing else. */
static bool put_default(struct MHD_Response *r, const struct crv_resp *rs, const char *name,
                        const char *value) {
  return has(rs, name) || put(r, name, value);
}

static bool put_timing(struct MHD_Response *r, const struct crv_req *rq) {
  char text[160];
  const int64_t us[3] = {rq->us_parse, rq->us_evaluate, rq->us_store};
  snprintf(text, sizeof text,
           "parse;dur=%lld.%03lld, evaluate;dur=%lld.%03lld, store;dur=%lld.%03lld",
           (long long)(us[0] / 1000), (long long)(us[0] % 1000), (long long)(us[1] / 1000),
           (long long)(us[1] % 1000), (long long)(us[2] / 1000), (long long)(us[2] % 1000));
  return put(r, "Server-Timing", text);
}

static bool put_headers(struct MHD_Response *r, const struct crv_exchange *x,
                        const struct crv_resp *rs, const char *type) {
  bool html = type && strncmp(type, "text/html", 9) == 0;
  const char *cache = rs->status >= 400 ? "no-store" : "private, no-cache";
  for (size_t i = 0; i < rs->n_headers; i++)
    if (!put(r, rs->headers[i].name, rs->headers[i].value)) return false;
  if (type && rs->status != 304 && !put(r, "Content-Type", type)) return false;
  if (rs->etag && !put(r, "ETag", rs->etag)) return false;
  if (rs->vary && !put_default(r, rs, "Vary", "Accept")) return false;
  if (x->rq.request_id && !put(r, "X-Request-Id", x->rq.request_id)) return false;
  if ((x->close || crv_daemon_draining(x->d)) && !put(r, "Connection", "close")) return false;
  return put(r, "X-Content-Type-Options", "nosniff") && put_timing(r, &x->rq) &&
         put_default(r, rs, "Cache-Control", cache) &&
         put_default(r, rs, "Referrer-Policy", "no-referrer") &&
         put_default(r, rs, "Content-Security-Policy", html ? csp_html : csp_other);
}

/* The response with its body; takes rs->body. NULL when out of memory. A 304 goes out with
   Content-Length 0: the library always sends one, caches pass over it (RFC 9111 3.2), and some
   clients would wait for as many bytes as a larger one names. */
static struct MHD_Response *make(struct crv_resp *rs) {
  static char nothing[1];
  char *body = rs->body;
  bool bodyless = rs->status == 204 || rs->status == 304;
  rs->body = NULL;
  if (body && !bodyless) {
    struct MHD_Response *r =
        MHD_create_response_from_buffer(rs->body_len, body, MHD_RESPMEM_MUST_FREE);
    if (!r) free(body);
    return r;
  }
  free(body);
  if (!rs->static_body || bodyless)
    return MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_PERSISTENT);
  union {
    const char *from;
    void *to; /* the library never writes to a persistent body */
  } bytes = {rs->static_body};
  return MHD_create_response_from_buffer(rs->body_len, bytes.to, MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result queue(struct crv_exchange *x, unsigned status, struct MHD_Response *r) {
  x->phase = CRV_PHASE_ANSWERED;
  x->status = (int)status;
  return MHD_queue_response(x->conn, status, r);
}

enum MHD_Result crv_send(struct crv_exchange *x, struct crv_resp *rs) {
  if (rs->status == 0) rs->status = 200;
  const char *type = rs->content_type ? rs->content_type : crv_format_type(x->rq.format);
  if (!rs->body && !rs->static_body) type = NULL;
  size_t bytes = type && !x->rq.head && rs->status != 304 ? rs->body_len : 0;
  struct MHD_Response *r = make(rs);
  if (!r || !put_headers(r, x, rs, type)) {
    crv_log("error", "answer_not_built", "request_id", x->rq.request_id, NULL);
    if (r) MHD_destroy_response(r);
    return queue(x, MHD_HTTP_SERVICE_UNAVAILABLE, x->d->no_memory);
  }
  x->bytes = bytes;
  enum MHD_Result done = queue(x, (unsigned)rs->status, r);
  MHD_destroy_response(r);
  return done;
}

enum MHD_Result crv_send_problem(struct crv_exchange *x, const char *allow,
                                 const struct crv_err *err) {
  struct crv_resp rs;
  crv_resp_init(&rs);
  crv_resp_problem(&x->rq, &rs, err);
  if (allow) crv_resp_header(&rs, "Allow", allow);
  if (err->log[0] || rs.status == 500)
    crv_log("error", "failure", "request_id", x->rq.request_id ? x->rq.request_id : "", "code",
            crv_code_info(err->code)->slug, "detail", err->log, NULL);
  return crv_send(x, &rs);
}
