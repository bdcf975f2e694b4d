/* Deadlines of connections: a thread that shuts down a socket whose head or body does not arrive in
   time. libmicrohttpd's own time-out counts inactivity only, so a byte a second would hold a
   connection for ever. */
#ifndef CRV_SERVER_WATCH_H
#define CRV_SERVER_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CRV_REMOTE_TEXT = 46 };

/* One TCP connection. */
struct crv_peer {
  struct crv_peer *next, *prev;
  int fd;
  _Atomic int64_t deadline_us; /* on the monotonic clock; 0: none */
  atomic_bool fresh;           /* accepted, and no request head seen so far */
  int64_t accepted_us;
  char remote[CRV_REMOTE_TEXT];
};

struct crv_watch {
  pthread_t thread;
  bool running;
  pthread_mutex_t lock; /* guards the list and stop; a listed descriptor is open */
  pthread_cond_t wake;
  struct crv_peer *first;
  bool stop;
  unsigned tick_ms;
};

/* Starts the thread, which looks every tick_ms. False when it cannot be started. */
bool crv_watch_start(struct crv_watch *w, unsigned tick_ms);
void crv_watch_stop(struct crv_watch *w);
/* Takes up a connection; p is the caller's and must stay until crv_watch_remove. */
void crv_watch_add(struct crv_watch *w, struct crv_peer *p);
void crv_watch_remove(struct crv_watch *w, struct crv_peer *p);
/* Was a connection accepted after since_us that has not sent a head so far? */
bool crv_watch_fresh(struct crv_watch *w, int64_t since_us);

#endif
