/* Starting, draining and stopping the HTTP process, and libmicrohttpd's callbacks for connections.
   The listening socket is made here, so that a failure can be named and the drain can refuse new
   connections at once. Must not know: what is served. */
#define _GNU_SOURCE /* dup3 */
#include "server/daemon.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/internal.h"
#include "server/log.h"

enum { THREADS = 16, CONNECTIONS = 4096, BACKLOG = 1024, MEMORY = 65536 };
enum { HEAD_MS = 10000, NEXT_MS = 30000, BODY_MS = 30000, UNREAD_MS = 30000 };
/* The library counts a connection as idle also while its worker is busy with others and the next
   request waits unread. So the watchdog and the kernel set the deadlines; this is the last resort.
 */
enum { IDLE_SECONDS = 300 };
enum { FRESH_US = 500000 }; /* how long a drain waits for the first head of a new connection */

struct address {
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } at;
  socklen_t len;
  bool loopback;
};

static bool address_parse(const char *text, unsigned port, struct address *ret,
                          struct crv_err *err) {
  *ret = (struct address){0};
  if (strcmp(text, "localhost") == 0) text = "127.0.0.1";
  if (port > 65535) return crv_fail(err, CRV_BAD_PARAMETER, "%u is not a port.", port);
  if (inet_pton(AF_INET, text, &ret->at.v4.sin_addr) == 1) {
    ret->at.v4.sin_family = AF_INET;
    ret->at.v4.sin_port = htons((uint16_t)port);
    ret->len = sizeof ret->at.v4;
    ret->loopback = ntohl(ret->at.v4.sin_addr.s_addr) >> 24 == 127;
    return true;
  }
  if (inet_pton(AF_INET6, text, &ret->at.v6.sin6_addr) != 1)
    return crv_fail(err, CRV_BAD_PARAMETER, "'%s' is not an IPv4 or IPv6 address.", text);
  ret->at.v6.sin6_family = AF_INET6;
  ret->at.v6.sin6_port = htons((uint16_t)port);
  ret->len = sizeof ret->at.v6;
  ret->loopback = IN6_IS_ADDR_LOOPBACK(&ret->at.v6.sin6_addr);
  return true;
}

static bool listen_on(const struct address *a, int *ret_fd) {
  int on = 1, fd = socket(a->at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  *ret_fd = fd;
  return fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
         bind(fd, &a->at.any, a->len) == 0 && listen(fd, BACKLOG) == 0;
}

static bool port_of(int fd, unsigned *ret_port) {
  struct address a;
  a.len = sizeof a.at;
  if (getsockname(fd, &a.at.any, &a.len) != 0) return false;
  *ret_port = ntohs(a.at.any.sa_family == AF_INET ? a.at.v4.sin_port : a.at.v6.sin6_port);
  return true;
}

static bool address_allowed(const char *address, unsigned port, bool behind_proxy,
                            struct address *ret, struct crv_err *err) {
  if (!address_parse(address, port, ret, err)) return false;
  if (ret->loopback || behind_proxy) return true;
  return crv_fail(err, CRV_BAD_PARAMETER,
                  "%s is reachable from other machines: the service listens there only with "
                  "--behind-proxy, behind a proxy that ends TLS.",
                  address);
}

bool crv_daemon_may_listen(const char *address, unsigned port, bool behind_proxy,
                           struct crv_err *err) {
  struct address a;
  return address_allowed(address, port, behind_proxy, &a, err);
}

static bool listener_open(struct crv_daemon *d, unsigned *ret_port, struct crv_err *err) {
  struct address a;
  const struct crv_daemon_config *cfg = &d->cfg;
  if (!address_allowed(cfg->address, cfg->port, cfg->behind_proxy, &a, err)) return false;
  if (!listen_on(&a, &d->listen_fd) || !port_of(d->listen_fd, ret_port))
    return crv_fail(err, CRV_CONFLICT, "Cannot listen on %s port %u: %s.", cfg->address, cfg->port,
                    strerror(errno));
  return true;
}

static void remote_text(struct MHD_Connection *conn, char *out) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(conn, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  out[0] = '\0';
  if (!info || !info->client_addr) return;
  const void *addr = info->client_addr;
  const struct sockaddr_in *v4 = addr;
  const struct sockaddr_in6 *v6 = addr;
  if (v4->sin_family == AF_INET) inet_ntop(AF_INET, &v4->sin_addr, out, CRV_REMOTE_TEXT);
  if (v6->sin6_family == AF_INET6) inet_ntop(AF_INET6, &v6->sin6_addr, out, CRV_REMOTE_TEXT);
}

/* A client that does not read its answer. */
static void limit_unread(int fd) {
  unsigned ms = UNREAD_MS;
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
}

static void connection_start(struct crv_daemon *d, struct MHD_Connection *conn, void **socket_ctx) {
  struct crv_peer *p = calloc(1, sizeof *p);
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(conn, MHD_CONNECTION_INFO_CONNECTION_FD);
  atomic_fetch_add(&d->metrics.connections, 1);
  atomic_fetch_add(&d->metrics.connections_total, 1);
  *socket_ctx = p;
  if (!p || !info) {
    free(p);
    *socket_ctx = NULL;
    return;
  }
  p->fd = info->connect_fd;
  limit_unread(p->fd);
  p->accepted_us = crv_mono_us();
  atomic_store(&p->fresh, true);
  atomic_store(&p->deadline_us, p->accepted_us + d->cfg.head_ms * INT64_C(1000));
  remote_text(conn, p->remote);
  crv_watch_add(&d->watch, p);
}

static void connection_change(void *daemon, struct MHD_Connection *conn, void **socket_ctx,
                              enum MHD_ConnectionNotificationCode what) {
  struct crv_daemon *d = daemon;
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    connection_start(d, conn, socket_ctx);
    return;
  }
  atomic_fetch_sub(&d->metrics.connections, 1);
  if (*socket_ctx) crv_watch_remove(&d->watch, *socket_ctx);
  free(*socket_ctx);
  *socket_ctx = NULL;
}

/* Paths and queries stay as they were sent. */
static size_t unescape_nothing(void *ctx, struct MHD_Connection *conn, char *s) {
  (void)ctx;
  (void)conn;
  return strlen(s);
}

__attribute__((format(printf, 2, 0))) static void library_log(void *ctx, const char *fmt,
                                                              va_list ap) {
  char text[512];
  (void)ctx;
  vsnprintf(text, sizeof text, fmt, ap);
  text[strcspn(text, "\n")] = '\0';
  crv_log("warn", "libmicrohttpd", "text", text, NULL);
}

static void raise_descriptors(unsigned connections) {
  struct rlimit r;
  rlim_t want = connections + 512;
  if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= want) return;
  r.rlim_cur = r.rlim_max == RLIM_INFINITY || r.rlim_max > want ? want : r.rlim_max;
  setrlimit(RLIMIT_NOFILE, &r);
}

static bool library_start(struct crv_daemon *d) {
  sigset_t all, before;
  unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* its threads inherit: signals stay with main */
  d->mhd = MHD_start_daemon(
      flags, 0, NULL, NULL, crv_access, d, MHD_OPTION_EXTERNAL_LOGGER, library_log, NULL,
      MHD_OPTION_LISTEN_SOCKET, d->listen_fd, MHD_OPTION_THREAD_POOL_SIZE, d->cfg.threads,
      MHD_OPTION_CONNECTION_LIMIT, d->cfg.connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      (size_t)MEMORY, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
      MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_UNESCAPE_CALLBACK, unescape_nothing, NULL,
      MHD_OPTION_URI_LOG_CALLBACK, crv_exchange_new, d, MHD_OPTION_NOTIFY_COMPLETED,
      crv_exchange_done, d, MHD_OPTION_NOTIFY_CONNECTION, connection_change, d, MHD_OPTION_END);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return d->mhd != NULL;
}

static bool no_memory_make(struct crv_daemon *d) {
  static char body[] = "{\"type\":\"/problems/out-of-memory\",\"title\":\"The service is out of "
                       "memory.\",\"status\":503,\"code\":\"out-of-memory\",\"errors\":[]}";
  d->no_memory = MHD_create_response_from_buffer(sizeof body - 1, body, MHD_RESPMEM_PERSISTENT);
  return d->no_memory &&
         MHD_add_response_header(d->no_memory, "Content-Type", "application/problem+json") &&
         MHD_add_response_header(d->no_memory, "X-Content-Type-Options", "nosniff") &&
         MHD_add_response_header(d->no_memory, "Retry-After", "1") &&
         MHD_add_response_header(d->no_memory, "Connection", "close");
}

static void defaults(struct crv_daemon_config *cfg) {
  if (cfg->threads == 0) cfg->threads = THREADS;
  if (cfg->connections == 0) cfg->connections = CONNECTIONS;
  if (cfg->connections < cfg->threads) cfg->connections = cfg->threads;
  if (cfg->json_limit == 0) cfg->json_limit = (size_t)1 << 20;
  if (cfg->import_limit == 0) cfg->import_limit = (size_t)64 << 20;
  if (cfg->content_limit == 0) cfg->content_limit = (size_t)8 << 20;
  if (cfg->head_ms == 0) cfg->head_ms = HEAD_MS;
  if (cfg->next_ms == 0) cfg->next_ms = NEXT_MS;
  if (cfg->body_ms == 0) cfg->body_ms = BODY_MS;
}

static void daemon_free(struct crv_daemon *d) {
  crv_watch_stop(&d->watch);
  if (d->no_memory) MHD_destroy_response(d->no_memory);
  if (d->listen_fd >= 0) close(d->listen_fd);
  crv_metrics_done(&d->metrics);
  pthread_cond_destroy(&d->idle);
  pthread_mutex_destroy(&d->idle_lock);
  free(d);
}

static unsigned tick_ms(const struct crv_daemon_config *cfg) {
  unsigned least = cfg->head_ms < cfg->body_ms ? cfg->head_ms : cfg->body_ms;
  if (cfg->next_ms < least) least = cfg->next_ms;
  return least / 10 < 10 ? 10 : least / 10;
}

struct crv_daemon *crv_daemon_start(const struct crv_daemon_config *cfg, const struct crv_app *app,
                                    unsigned *ret_port, struct crv_err *err) {
  struct crv_daemon *d = calloc(1, sizeof *d);
  if (!d) {
    crv_fail(err, CRV_OUT_OF_MEMORY, "No memory to start.");
    return NULL;
  }
  d->cfg = *cfg;
  d->app = *app;
  d->listen_fd = -1;
  defaults(&d->cfg);
  crv_log_open(cfg->log_fd);
  raise_descriptors(d->cfg.connections);
  pthread_mutex_init(&d->idle_lock, NULL);
  pthread_cond_init(&d->idle, NULL);
  bool ok = listener_open(d, ret_port, err);
  if (ok && !(crv_metrics_init(&d->metrics, app->routes, app->n_routes) && no_memory_make(d) &&
              crv_watch_start(&d->watch, tick_ms(&d->cfg)) && library_start(d)))
    ok = crv_fail(err, CRV_OUT_OF_MEMORY, "The HTTP library did not start.");
  if (ok) return d;
  daemon_free(d);
  return NULL;
}

bool crv_daemon_draining(const struct crv_daemon *d) {
  return atomic_load(&d->draining);
}

void crv_daemon_metrics(struct crv_daemon *d, struct crv_buf *out) {
  crv_metrics_text(&d->metrics, out);
  if (d->app.metrics) d->app.metrics(d->app.ctx, out);
}

/* Waits until nothing is in flight and no new connection may still send its first request. */
static void wait_idle(struct crv_daemon *d, unsigned timeout_ms) {
  int64_t now = crv_mono_us(), start = now, end = now + timeout_ms * INT64_C(1000);
  pthread_mutex_lock(&d->idle_lock);
  while (now < end && (atomic_load(&d->metrics.in_flight) > 0 ||
                       (now < start + FRESH_US && crv_watch_fresh(&d->watch, start - FRESH_US)))) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20000000; /* a new connection turning old is not signalled */
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&d->idle, &d->idle_lock, &until);
    now = crv_mono_us();
  }
  pthread_mutex_unlock(&d->idle_lock);
}

/* Closes the listening socket under the library, so that new connections are refused: a descriptor
   that is never readable takes its number. MHD_quiesce_daemon is not for this: it and a polling
   thread may both take the socket out of that thread's epoll set, and the library aborts the
   process on the second removal (0.9.75, and still in its later versions). */
static void listener_close(struct crv_daemon *d) {
  int never = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (never < 0 || dup3(never, d->listen_fd, O_CLOEXEC) < 0) shutdown(d->listen_fd, SHUT_RDWR);
  if (never >= 0) close(never);
}

unsigned crv_daemon_drain(struct crv_daemon *d, unsigned timeout_ms) {
  listener_close(d);
  atomic_store(&d->draining, true);
  wait_idle(d, timeout_ms);
  long cut = atomic_load(&d->metrics.in_flight);
  MHD_stop_daemon(d->mhd); /* closes the listening socket's number too */
  d->listen_fd = -1;
  daemon_free(d);
  return cut > 0 ? (unsigned)cut : 0;
}
