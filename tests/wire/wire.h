/* A client that sends raw bytes and reads answers one by one, and a small service to send them to.
   Knows nothing of the real routes. */
#ifndef CRV_TESTS_WIRE_H
#define CRV_TESTS_WIRE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "server/daemon.h"

/* The service. Routes: see routes[] in wire.c. Tokens: "tok-admin", "tok-reader". */
struct service {
  struct crv_daemon *daemon;
  unsigned port;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  unsigned waiting; /* requests that stand in the handler of /v1/block */
  bool released;
  unsigned handled;   /* requests that reached a handler */
  char last_key[300]; /* the Idempotency-Key that a handler saw */
};

/* cfg may be NULL. Ends the test when it does not start. */
void service_start(struct service *s, const struct crv_daemon_config *cfg);
/* Drains when that has not happened. */
void service_stop(struct service *s);
void service_wait_blocked(struct service *s, unsigned n);
void service_release(struct service *s);
unsigned service_handled(struct service *s);

struct client {
  int fd;
  size_t n; /* bytes read and not used so far */
  char at[1 << 18];
};

struct answer {
  int status; /* 0: the connection ended instead */
  char head[8192];
  char body[1 << 17];
  size_t body_len;
};

/* False when the connection is refused. */
bool client_open(struct client *c, unsigned port);
void client_close(struct client *c);
void client_send(struct client *c, const void *bytes, size_t len);
void client_text(struct client *c, const char *text);
/* Reads one answer. bodyless: of a HEAD request. */
void client_read(struct client *c, bool bodyless, struct answer *a);
/* Has the service closed the connection, with nothing more to read? Waits for one or the other. */
bool client_ended(struct client *c);
/* Value of a header in an answer, into out; "" when absent; returns out. */
const char *answer_header(const struct answer *a, const char *name, char *out, size_t room);
/* How often a header's name stands in the head. */
unsigned answer_header_count(const struct answer *a, const char *name);
/* One request on a connection of its own. */
void ask(unsigned port, const char *request, bool bodyless, struct answer *a);

/* What most tests use: one service, one connection, one answer. */
extern struct service service;
extern struct client client;
extern struct answer answer;
void wire_start(void);
void wire_stop(void);
/* A header of answer. */
const char *header(const char *name);
/* Ends the test when a plain request on a new connection does not get its answer. */
void good_request_works(void);

#define H "Host: h\r\n"
#define A "Authorization: Bearer tok-admin\r\n"
#define J "Content-Type: application/json\r\n"
#define NEXT "GET /v1/list HTTP/1.1\r\n" H "\r\n"

#endif
