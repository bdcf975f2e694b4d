/* The life of one request: made when the request line is there, freed when libmicrohttpd says that
   the request is complete, whichever way it ended. Must not know: what is checked in between. */
#include <stdlib.h>
#include <string.h>

#include "server/internal.h"
#include "server/log.h"

static const char *header_lookup(const struct crv_req *rq, const char *name) {
  return MHD_lookup_connection_value(rq->header_ctx, MHD_HEADER_KIND, name);
}

static struct crv_peer *peer_of(struct MHD_Connection *conn) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(conn, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/* Path and query apart; false when out of memory. */
static bool target_split(struct crv_exchange *x, const char *target) {
  struct crv_arena *a = x->rq.arena;
  size_t path = strcspn(target, "?");
  x->raw_target = crv_arena_strdup(a, target);
  x->rq.target = crv_arena_strndup(a, target, path);
  x->rq.query = target[path] ? crv_arena_strdup(a, target + path + 1) : "";
  return x->raw_target && x->rq.target && x->rq.query;
}

void *crv_exchange_new(void *daemon, const char *target, struct MHD_Connection *conn) {
  struct crv_daemon *d = daemon;
  struct crv_exchange *x = calloc(1, sizeof *x);
  if (!x) return NULL;
  x->d = d;
  x->conn = conn;
  x->peer = peer_of(conn);
  x->start_us = crv_mono_us();
  x->first = x->peer && atomic_load(&x->peer->fresh);
  x->rq.app = d->app.ctx;
  x->rq.header = header_lookup;
  x->rq.header_ctx = conn;
  x->rq.now_ms = d->app.clock_ms(d->app.ctx);
  x->rq.arena = crv_arena_new(CRV_ARENA_CAP);
  if (x->rq.arena && target_split(x, target)) return x;
  crv_arena_free(x->rq.arena);
  free(x);
  return NULL;
}

static const char *ended(enum MHD_RequestTerminationCode how) {
  switch (how) {
  case MHD_REQUEST_TERMINATED_COMPLETED_OK:
    return NULL;
  case MHD_REQUEST_TERMINATED_TIMEOUT_REACHED:
    return "timeout";
  case MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN:
    return "shutdown";
  case MHD_REQUEST_TERMINATED_CLIENT_ABORT:
    return "client_gone";
  case MHD_REQUEST_TERMINATED_READ_ERROR:
  case MHD_REQUEST_TERMINATED_WITH_ERROR:
  default:
    return "error";
  }
}

/* The library's own refusals (a bad length, a head over its memory) are told as well. */
static void status_of_library(struct crv_exchange *x) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(x->conn, MHD_CONNECTION_INFO_HTTP_STATUS);
  if (info) x->status = (int)info->http_status;
}

static void tell(const struct crv_exchange *x, enum MHD_RequestTerminationCode how) {
  struct crv_metrics *m = &x->d->metrics;
  int64_t us = crv_mono_us() - x->start_us;
  if (how != MHD_REQUEST_TERMINATED_COMPLETED_OK) atomic_fetch_add(&m->cut, 1);
  crv_metrics_count(m, x->rq.route, x->status, x->bytes, us);
  crv_log_request(&(struct crv_log_request){
      .request_id = x->rq.request_id,
      .method = x->in_flight ? crv_method_name(x->sent_method) : NULL,
      .route = x->rq.route ? x->rq.route->pattern : NULL,
      .path = x->rq.target,
      .token = x->rq.who.name,
      .remote = x->peer ? x->peer->remote : NULL,
      .ended = ended(how),
      .status = x->status,
      .bytes = x->bytes,
      .duration_us = us,
  });
}

/* The wait for the last one is in crv_daemon_drain. */
static void leave(struct crv_daemon *d) {
  if (atomic_fetch_sub(&d->metrics.in_flight, 1) != 1) return;
  pthread_mutex_lock(&d->idle_lock);
  pthread_cond_broadcast(&d->idle);
  pthread_mutex_unlock(&d->idle_lock);
}

void crv_exchange_done(void *daemon, struct MHD_Connection *conn, void **con_cls,
                       enum MHD_RequestTerminationCode how) {
  struct crv_daemon *d = daemon;
  struct crv_exchange *x = *con_cls;
  (void)conn;
  *con_cls = NULL;
  if (!x) return;
  bool in_flight = x->in_flight;
  if (x->status == 0) status_of_library(x);
  tell(x, how);
  if (x->peer) atomic_store(&x->peer->deadline_us, crv_mono_us() + d->cfg.next_ms * INT64_C(1000));
  json_decref(x->json);
  crv_buf_done(&x->body);
  crv_arena_free(x->rq.arena);
  free(x);
  if (in_flight) leave(d);
}
