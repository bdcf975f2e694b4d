/* What tests share that send what must be refused: the addresses that take JSON, and the checks
   that the answer is a problem and that nothing was stored. */
#ifndef CRV_TESTS_HTTP_HOSTILE_H
#define CRV_TESTS_HTTP_HOSTILE_H

#include "tests/http/http.h"

enum at { SHEET, OFFER, PIECE, DECIDE, BUDGET, TOKEN, ROUTES };
struct hostile_route {
  const char *method, *path;
  const char *base; /* a body that is accepted */
};
extern const struct hostile_route routes[ROUTES];

/* Sends the bytes as application/json; len 0: to the NUL. */
const struct answer *hostile_send(enum at at, const char *body, size_t len);

/* Keeps how many records there are; the others fail when that has changed since, and name what was
   sent: _in_ledger looks at the chain's head, _all at every list and at the service's health too.
 */
void still_remember(void);
void still_in_ledger(const char *what);
void still_all(const char *what);

/* A problem of that status and slug whose errors have a code and a detail each and one of them the
   pointer (NULL: any), and that shows nothing of the inside. what names the case. */
void check_refused(const struct answer *a, int status, const char *slug, const char *pointer,
                   const char *what);

/* Suite around: the worked example is there. */
int hostile_run(Suite *s, TCase *tc);

#endif
