/* What the files of the HTTP process share: the daemon, a connection, one exchange (a request and
   its answer), and the steps between them. Not for handlers. */
#ifndef CRV_SERVER_INTERNAL_H
#define CRV_SERVER_INTERNAL_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "core/base/buf.h"
#include "server/daemon.h"
#include "server/framing.h"
#include "server/metrics.h"
#include "server/watch.h"

enum { CRV_ARENA_CAP = 8 << 20 };

struct crv_daemon {
  struct crv_daemon_config cfg;
  struct crv_app app;
  struct MHD_Daemon *mhd;
  int listen_fd;
  atomic_bool draining;
  struct MHD_Response *no_memory; /* the answer that needs no memory */
  struct crv_metrics metrics;
  struct crv_watch watch;
  pthread_mutex_t idle_lock;
  pthread_cond_t idle; /* signalled when the last request in flight is done */
};

enum crv_phase {
  CRV_PHASE_HEAD,     /* the head is being read */
  CRV_PHASE_BODY,     /* accepted; the body is being read */
  CRV_PHASE_DISCARD,  /* refused in the body: the rest is read and dropped */
  CRV_PHASE_ANSWERED, /* an answer is queued */
};

struct crv_exchange {
  struct crv_req rq; /* rq.header_ctx is conn */
  struct crv_daemon *d;
  struct MHD_Connection *conn;
  struct crv_peer *peer;
  enum crv_phase phase;
  bool in_flight;
  bool checked;                /* crv_check_head has passed */
  bool close;                  /* the connection ends with this answer */
  bool first;                  /* of its connection */
  enum crv_method sent_method; /* as sent: HEAD stays HEAD */
  const char *raw_target;      /* path and query as sent */
  struct crv_framing framing;
  struct crv_buf body;
  size_t limit, discarded;
  json_t *json;
  int status;
  size_t bytes;
  int64_t start_us;
};

static inline int64_t crv_mono_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

/* exchange.c: libmicrohttpd's callbacks for the life of one request. */
void *crv_exchange_new(void *daemon, const char *target, struct MHD_Connection *conn);
void crv_exchange_done(void *daemon, struct MHD_Connection *conn, void **con_cls,
                       enum MHD_RequestTerminationCode how);

/* access.c: libmicrohttpd's access callback. */
enum MHD_Result crv_access(void *daemon, struct MHD_Connection *conn, const char *url,
                           const char *method, const char *version, const char *data,
                           size_t *data_size, void **con_cls);

/* check.c: every step from the head to the handler. crv_check_framing comes first; after its false
   the connection must end. */
bool crv_check_framing(struct crv_exchange *x, const char *method, const char *version,
                       struct crv_err *err);
/* False with err set; *ret_allow is then the Allow header of the answer, or NULL. True with
 *ret_allow set: the request was OPTIONS, and that is the answer. */
bool crv_check_head(struct crv_exchange *x, const char **ret_allow, struct crv_err *err);
/* After the last byte of the body. */
bool crv_check_body(struct crv_exchange *x, struct crv_err *err);

/* media.c: Content-Type against what the route takes; sets rq->body_type. */
bool crv_media_check(struct crv_req *rq, bool has_body, struct crv_err *err);
/* Idempotency-Key's syntax; sets rq->idempotency_key for POST. */
bool crv_idempotency_check(struct crv_req *rq, struct crv_err *err);

/* send.c: queues rs, or the problem of err, as the one answer; takes rs's body. allow may be NULL.
 */
enum MHD_Result crv_send(struct crv_exchange *x, struct crv_resp *rs);
enum MHD_Result crv_send_problem(struct crv_exchange *x, const char *allow,
                                 const struct crv_err *err);

#endif
