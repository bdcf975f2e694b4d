/* What tests need that kill the service or call it from several threads: a service of their own,
   and clients that share nothing. What is called here never fails the test by itself: a broken
   connection is an answer with status 0. */
#ifndef CRV_TESTS_HTTP_CLIENT_H
#define CRV_TESTS_HTTP_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct crivod {
  pid_t pid;
  unsigned port;
  char dir[128], token[128]; /* state folder; token of the first start */
};

/* Makes an empty state folder, starts crivod ($CRIVOD) on it and reads its token; the program ends
   when that fails. crivod_start starts it again and waits for its port, thirty seconds at most. */
void crivod_begin(struct crivod *d);
void crivod_start(struct crivod *d);
/* Sends the signal and waits for the end, thirty seconds at most: the exit status, 128 + its number
   when a signal ended it. */
int crivod_end(struct crivod *d, int sig);
/* "crivod verify" on the state of a stopped service: its exit status, its words into out. */
int crivod_verify(const struct crivod *d, char *out, size_t room);
void crivod_remove(const struct crivod *d);

struct got {
  int status; /* 0: the connection broke, or none was made, before the whole answer was here */
  char *body, *headers;
  size_t len;
};
void got_free(struct got *g);
/* The header's value; false when absent. */
bool got_header(const struct got *g, const char *name, char *out, size_t room);
/* The body as JSON, to be freed by the caller; NULL when it is none. */
json_t *got_json(const struct got *g);

struct client {
  void *curl;
  unsigned port;
  char token[128];
  bool fresh; /* a connection of its own for each call */
};
/* Once before the first thread. */
void client_global(void);
void client_open(struct client *c, unsigned port, const char *token);
void client_close(struct client *c);
/* body may be NULL; header is one whole line or NULL. The answer is the caller's. */
struct got client_send(struct client *c, const char *method, const char *path, const char *header,
                       const char *body);

/* What keeps the text from being one well-formed XML document (elements, attributes, entities; no
   DTD); NULL when nothing does. */
const char *xml_fault(const char *text);

/* Numbers from a seed, for tests that tell the seed when they fail. Not 0. */
uint64_t next_random(uint64_t *state);

#endif
