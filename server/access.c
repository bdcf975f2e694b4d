/* libmicrohttpd's access callback: the order of head, body and end of one request. Each path queues
   exactly one answer. A refusal with a body still to come is queued on the first call, which ends
   the connection; without a body it waits for the last call, so that the connection can be kept. */
#include <string.h>

#include "server/internal.h"

/* After this much of a refused body the connection is cut without an answer. */
static const size_t discard_limit = (size_t)64 << 20;

static enum MHD_Result refuse(struct crv_exchange *x, const char *allow,
                              const struct crv_err *err) {
  return crv_send_problem(x, allow, err);
}

static enum MHD_Result answer_options(struct crv_exchange *x, const char *allow) {
  struct crv_resp rs;
  crv_resp_init(&rs);
  rs.status = 204;
  crv_resp_header(&rs, "Allow", allow);
  return crv_send(x, &rs);
}

static void deadline(struct crv_exchange *x, int64_t us) {
  if (x->peer) atomic_store_explicit(&x->peer->deadline_us, us, memory_order_relaxed);
}

static void deadline_body(struct crv_exchange *x) {
  int64_t seconds = (int64_t)(x->body.len + x->discarded) / 1024;
  deadline(x, x->start_us + x->d->cfg.body_ms * INT64_C(1000) + seconds * 1000000);
}

static enum MHD_Result head_arrived(struct crv_exchange *x, const char *method,
                                    const char *version) {
  struct crv_err err;
  const char *allow = NULL;
  crv_err_init(&err);
  x->phase = CRV_PHASE_BODY;
  x->in_flight = true;
  atomic_fetch_add(&x->d->metrics.in_flight, 1);
  if (x->peer) atomic_store(&x->peer->fresh, false);
  deadline(x, 0);
  if (!crv_check_framing(x, method, version, &err)) {
    x->close = true;
    return refuse(x, NULL, &err);
  }
  if (!x->framing.chunked && x->framing.length == 0) return MHD_YES;
  x->close = true; /* for an answer before the body; taken back when the body is wanted */
  if (!crv_check_head(x, &allow, &err)) return refuse(x, allow, &err);
  if (allow) return answer_options(x, allow);
  x->close = false;
  x->checked = true;
  crv_buf_init(&x->body, x->limit);
  deadline_body(x);
  return MHD_YES;
}

static enum MHD_Result body_arrived(struct crv_exchange *x, const char *data, size_t len) {
  if (x->phase == CRV_PHASE_BODY && len > x->limit - x->body.len) {
    x->phase = CRV_PHASE_DISCARD;
    x->discarded = x->body.len;
    crv_buf_done(&x->body);
    crv_buf_init(&x->body, 0);
  }
  if (x->phase == CRV_PHASE_BODY) {
    crv_buf_add(&x->body, data, len);
  } else {
    x->discarded += len;
  }
  deadline_body(x);
  return x->discarded > discard_limit ? MHD_NO : MHD_YES;
}

/* GET answers that the client has already, and conditions that no handler looked at. */
static bool condition_apply(struct crv_exchange *x, struct crv_resp *rs, struct crv_err *err) {
  if (x->rq.method != CRV_M_GET || !rs->etag || (rs->status != 0 && rs->status != 200)) return true;
  enum crv_cond cond = crv_req_condition(&x->rq, rs->etag);
  if (cond == CRV_COND_FAILED)
    return crv_fail(err, CRV_PRECONDITION_FAILED, "The current tag is %s.", rs->etag);
  if (cond == CRV_COND_NOT_MODIFIED) rs->status = 304;
  return true;
}

static bool run(struct crv_exchange *x, struct crv_resp *rs, struct crv_err *err) {
  if (!crv_check_body(x, err)) return false;
  return x->d->app.dispatch(&x->rq, rs, err) && condition_apply(x, rs, err);
}

static enum MHD_Result request_complete(struct crv_exchange *x) {
  struct crv_err err;
  struct crv_resp rs;
  const char *allow = NULL;
  crv_err_init(&err);
  deadline(x, 0);
  if (!x->checked && !crv_check_head(x, &allow, &err)) return refuse(x, allow, &err);
  if (allow) return answer_options(x, allow);
  if (x->phase == CRV_PHASE_DISCARD) {
    x->close = true;
    crv_fail(&err, CRV_TOO_LARGE, "The body is larger than the %zu bytes taken here.", x->limit);
    return refuse(x, NULL, &err);
  }
  crv_resp_init(&rs);
  rs.vary = (x->rq.route->formats & (x->rq.route->formats - 1)) != 0;
  if (run(x, &rs, &err)) return crv_send(x, &rs);
  crv_resp_done(&rs);
  return refuse(x, NULL, &err);
}

enum MHD_Result crv_access(void *daemon, struct MHD_Connection *conn, const char *url,
                           const char *method, const char *version, const char *data,
                           size_t *data_size, void **con_cls) {
  struct crv_daemon *d = daemon;
  struct crv_exchange *x = *con_cls;
  (void)url; /* cut and decoded by the library: the raw target is used instead */
  if (!x) return MHD_queue_response(conn, MHD_HTTP_SERVICE_UNAVAILABLE, d->no_memory);
  if (x->phase == CRV_PHASE_HEAD) return head_arrived(x, method, version);
  if (*data_size > 0) {
    size_t len = *data_size;
    *data_size = 0;
    return x->phase == CRV_PHASE_ANSWERED ? MHD_YES : body_arrived(x, data, len);
  }
  return x->phase == CRV_PHASE_ANSWERED ? MHD_NO : request_complete(x);
}
