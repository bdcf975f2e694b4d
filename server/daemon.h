/* The HTTP process: listening, access, drain. Wired by main with a table of routes and callbacks;
   knows nothing about offers, sheets or SQL. */
#ifndef CRV_SERVER_DAEMON_H
#define CRV_SERVER_DAEMON_H

#include "server/reply.h"

struct crv_app {
  void *ctx; /* becomes rq->app */
  const struct crv_route *routes;
  size_t n_routes;
  /* Checks a token's text. False with UNAUTHENTICATED; names live as long as arena. */
  bool (*authenticate)(void *ctx, const char *token, int64_t now_ms, struct crv_arena *arena,
                       struct crv_principal *ret, struct crv_err *err);
  /* Runs the route's handler (idempotency, modes): fills rs on true, err on false. */
  bool (*dispatch)(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err);
  /* Adds this process's metrics in Prometheus text, or NULL. */
  void (*metrics)(void *ctx, struct crv_buf *out);
  int64_t (*clock_ms)(void *ctx); /* wall clock; injected in tests */
};

struct crv_daemon_config {
  const char *address;                            /* "127.0.0.1" or "::1" */
  unsigned port;                                  /* 0: a free one */
  unsigned threads;                               /* 0: 16 */
  unsigned connections;                           /* 0: 4096 */
  size_t json_limit, import_limit, content_limit; /* 0: 1 MiB, 64 MiB, 8 MiB */
  bool behind_proxy;                              /* allow an address beyond loopback */
  int log_fd;                                     /* JSON lines; -1: none */
  unsigned head_ms;                               /* from accept to a whole head, 0: 10000 */
  unsigned next_ms; /* from an answer to the next whole head, 0: 30000 */
  unsigned body_ms; /* for a body, beside one second a KiB, 0: 30000 */
};

struct crv_daemon;

/* Is it an address, and one for listening? False with err (detail is fit for stderr); nothing is
   opened. */
bool crv_daemon_may_listen(const char *address, unsigned port, bool behind_proxy,
                           struct crv_err *err);
/* Starts listening. NULL with err (detail is fit for stderr); sets *ret_port. */
struct crv_daemon *crv_daemon_start(const struct crv_daemon_config *cfg, const struct crv_app *app,
                                    unsigned *ret_port, struct crv_err *err);
/* Stops accepting; answers what was accepted before, and 503 to later requests on connections that
   are kept alive; waits at most timeout_ms for requests in flight, then stops. Returns the number
   of requests that were cut (0: clean). Frees d. */
unsigned crv_daemon_drain(struct crv_daemon *d, unsigned timeout_ms);
/* Counters for /metrics as Prometheus text, those of app->metrics included. */
void crv_daemon_metrics(struct crv_daemon *d, struct crv_buf *out);
bool crv_daemon_draining(const struct crv_daemon *d);

#endif
