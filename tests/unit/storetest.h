/* What the tests of the store share: a folder of their own, a clock that they set, a store in it,
   short ways to write and read, and a second connection that goes behind the store's back. */
#ifndef TESTS_UNIT_STORETEST_H
#define TESTS_UNIT_STORETEST_H

#include <check.h>
#include <sqlite3.h>

#include "db/store.h"

/* A new folder under $TMPDIR; removed with everything in it by st_end. */
struct st_place {
  char dir[256];
  struct crv_store *store;
  struct crv_arena *arena; /* for whatever a test reads */
  struct crv_err *err;
  int64_t now; /* atomic */
  unsigned queue;
};
void st_begin(struct st_place *p);
void st_end(struct st_place *p);
/* Opens the store, or fails the test. */
void st_open(struct st_place *p);
/* Tries to: the exit code, 0 when it opened. */
int st_try_open(struct st_place *p);
void st_close(struct st_place *p);
int64_t st_clock(void *place);

/* A sheet, offer or piece; canonical is also what raw is. Fails the test when it is refused. */
struct crv_version st_put(struct st_place *p, enum crv_aggregate agg, const char *key,
                          const char *canonical);
/* As it is given, without judging; the error is in p->err. */
bool st_put_as(struct st_place *p, struct crv_put *put);
bool st_withdraw(struct st_place *p, enum crv_aggregate agg, const char *key);
/* The decision of a sheet (NULL: an inline one) with a result; fills its out fields. */
struct crv_decision_row st_decision(const char *sheet, int64_t revision, const char *result);
bool st_decide(struct st_place *p, struct crv_decision_row *d);
bool st_version(struct st_place *p, enum crv_aggregate agg, const char *key, int64_t version,
                int64_t position, struct crv_version *ret);
bool st_attach(struct st_place *p, const char *key, int64_t version, const char *bytes);
bool st_verify(struct st_place *p, struct crv_ledger_head *ret);
int64_t st_token(struct st_place *p, const char *name);
/* A little of everything: nine ledger records, in this order: piece, content, sheet, sheet, offer
   that cites the piece, offer withdrawn, decision of the sheet, decision inline, piece. */
void st_fill(struct st_place *p);
enum { ST_FILLED = 9 };

/* A second connection to the file. */
sqlite3 *st_raw(struct st_place *p);
/* Runs it, or fails the test. */
void st_exec(sqlite3 *h, const char *sql);
int64_t st_number(sqlite3 *h, const char *sql);

/* What every main of these tests does: runs the one case, gives its exit code. */
int st_main(const char *name, void (*add)(TCase *tc), int timeout_s);

#endif
