/* The watchdog over connections. A connection is unlinked under the lock before libmicrohttpd
   closes its descriptor, so shutdown() never reaches a descriptor that was given to someone else.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* POLLRDHUP */
#endif
#include "server/watch.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

static int64_t mono_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

/* Has the client sent something that was not read so far? Then the service is late, not the client,
   and what it sent whole would be carried out without an answer. */
static bool unread(int fd) {
  int n = 0;
  return ioctl(fd, FIONREAD, &n) == 0 && n > 0;
}

static void cut_late(struct crv_watch *w) {
  int64_t now = mono_us();
  for (struct crv_peer *p = w->first; p; p = p->next) {
    int64_t deadline = atomic_load_explicit(&p->deadline_us, memory_order_relaxed);
    if (deadline == 0 || now < deadline || unread(p->fd)) continue;
    atomic_store_explicit(&p->deadline_us, 0, memory_order_relaxed);
    shutdown(p->fd, SHUT_RDWR);
  }
}

/* With edge-triggered polling libmicrohttpd 0.9.75 misses the end of a stream that came together
   with the last bytes, and would keep such a connection until its time-out. Shutting the reading
   side, which has ended anyway, makes it look again. */
static void nudge(struct pollfd *at, unsigned n) {
  if (n == 0 || poll(at, n, 0) <= 0) return;
  for (unsigned i = 0; i < n; i++)
    if ((at[i].revents & POLLRDHUP) && !unread(at[i].fd)) shutdown(at[i].fd, SHUT_RD);
}

/* Connections that are waited for and whose client has stopped sending. */
static void find_gone(struct crv_watch *w) {
  struct pollfd at[64];
  unsigned n = 0;
  for (struct crv_peer *p = w->first; p; p = p->next) {
    if (atomic_load_explicit(&p->deadline_us, memory_order_relaxed) == 0) continue;
    at[n++] = (struct pollfd){.fd = p->fd, .events = POLLRDHUP};
    if (n < sizeof at / sizeof *at) continue;
    nudge(at, n);
    n = 0;
  }
  nudge(at, n);
}

static void *run(void *arg) {
  struct crv_watch *w = arg;
  struct timespec until;
  pthread_mutex_lock(&w->lock);
  while (!w->stop) {
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(w->tick_ms % 1000) * 1000000;
    until.tv_sec += w->tick_ms / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_cond_timedwait(&w->wake, &w->lock, &until) == 0) continue;
    cut_late(w);
    find_gone(w);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

static bool wake_init(pthread_cond_t *wake) {
  pthread_condattr_t attr;
  if (pthread_condattr_init(&attr) != 0) return false;
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  bool ok = pthread_cond_init(wake, &attr) == 0;
  pthread_condattr_destroy(&attr);
  return ok;
}

bool crv_watch_start(struct crv_watch *w, unsigned tick_ms) {
  *w = (struct crv_watch){.tick_ms = tick_ms};
  if (pthread_mutex_init(&w->lock, NULL) != 0) return false;
  if (!wake_init(&w->wake)) return false;
  w->running = pthread_create(&w->thread, NULL, run, w) == 0;
  return w->running;
}

void crv_watch_stop(struct crv_watch *w) {
  if (!w->running) return;
  pthread_mutex_lock(&w->lock);
  w->stop = true;
  pthread_cond_signal(&w->wake);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  w->running = false;
  pthread_cond_destroy(&w->wake);
  pthread_mutex_destroy(&w->lock);
}

void crv_watch_add(struct crv_watch *w, struct crv_peer *p) {
  pthread_mutex_lock(&w->lock);
  p->prev = NULL;
  p->next = w->first;
  if (w->first) w->first->prev = p;
  w->first = p;
  pthread_mutex_unlock(&w->lock);
}

void crv_watch_remove(struct crv_watch *w, struct crv_peer *p) {
  pthread_mutex_lock(&w->lock);
  if (p->prev)
    p->prev->next = p->next;
  else
    w->first = p->next;
  if (p->next) p->next->prev = p->prev;
  pthread_mutex_unlock(&w->lock);
}

bool crv_watch_fresh(struct crv_watch *w, int64_t since_us) {
  bool found = false;
  pthread_mutex_lock(&w->lock);
  for (struct crv_peer *p = w->first; p && !found; p = p->next)
    found = atomic_load(&p->fresh) && p->accepted_us > since_us;
  pthread_mutex_unlock(&w->lock);
  return found;
}
