/* Prepared statements and the sticky query: every SQL text stands in a static table at the top of
   the file that binds it, and is prepared when a connection opens, so that a statement that does
   not fit the schema stops the start. Bind, step and column errors all surface in crv_q_end.
   Must not know: what the rows mean, transactions, threads (a connection has one user at a time).
 */
#ifndef CRV_DB_STMT_H
#define CRV_DB_STMT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/units.h"

enum crv_stmt_mode {
  CRV_READ = 1, /* every connection; must be read-only */
  CRV_WRITE,    /* the writer only; must not be read-only */
  CRV_CONTROL,  /* begin, commit and savepoints of the writer */
};

struct crv_stmt_def {
  unsigned id;
  enum crv_stmt_mode mode;
  const char *sql; /* one statement */
};

struct crv_stmt_table {
  const char *name;
  const struct crv_stmt_def *defs;
  unsigned n;
};

enum crv_set {
  CRV_SET_GROUP,
  CRV_SET_POOL,
  CRV_SET_LEDGER,
  CRV_SET_VERIFY,
  CRV_SET_SHEET,
  CRV_SET_OFFER,
  CRV_SET_PIECE,
  CRV_SET_CONTENT,
  CRV_SET_DECISION,
  CRV_SET_TOKEN,
  CRV_SET_IDEM,
  CRV_SET_COUNT
};
enum { CRV_SET_ROOM = 16 }; /* statements in one table at most */

extern const struct crv_stmt_table crv_group_stmts, crv_pool_stmts, crv_ledger_stmts,
    crv_verify_stmts, crv_sheet_stmts, crv_offer_stmts, crv_piece_stmts, crv_content_stmts,
    crv_decision_stmts, crv_token_stmts, crv_idem_stmts;

/* One connection with its statements. */
struct crv_db {
  sqlite3 *h;
  sqlite3_stmt *st[CRV_SET_COUNT][CRV_SET_ROOM];
  bool writer;
  unsigned live;       /* queries not ended yet */
  int fault;           /* first result code since the transaction began that spoils all of it */
  int64_t busy_errors; /* SQLITE_BUSY seen; atomic */
};

/* Prepares every statement of the connection's mode. False with INTERNAL naming table and id. */
bool crv_db_prepare(struct crv_db *db, struct crv_err *err);
/* Finalizes the statements and closes; a closed or zeroed db is allowed. */
void crv_db_close(struct crv_db *db);
/* Sets err from an SQLite result code: FULL and READONLY -> READ_ONLY, BUSY -> OVERLOADED,
   NOMEM -> OUT_OF_MEMORY, else INTERNAL. SQLite's own words go to err->log. Returns false. */
bool crv_db_fail(struct crv_db *db, int rc, const char *what, struct crv_err *err);

/* Runs a statement without parameters and rows, such as COMMIT; returns SQLite's result code. */
int crv_db_control(struct crv_db *db, enum crv_set set, unsigned id);

struct crv_q {
  struct crv_db *db;
  sqlite3_stmt *st;
  enum crv_set set;
  unsigned id;
  uint64_t unbound; /* bits of the parameters not bound yet */
  int rc;           /* first error, sticky; SQLITE_OK without */
  const char *why;  /* our own fault: static text; NULL without */
  bool stepped, ended;
};

struct crv_q crv_q_open(struct crv_db *db, enum crv_set set, unsigned id);
void crv_q_int(struct crv_q *q, int i, int64_t v);
void crv_q_bool(struct crv_q *q, int i, bool v);
void crv_q_opt(struct crv_q *q, int i, struct crv_opt_int v);
void crv_q_null(struct crv_q *q, int i);
/* Texts and bytes are not copied: they must live until crv_q_end. NULL binds NULL. Bad UTF-8 and
   NUL are refused. */
void crv_q_text(struct crv_q *q, int i, const char *s);
void crv_q_text_n(struct crv_q *q, int i, const char *s, size_t len);
void crv_q_blob(struct crv_q *q, int i, const void *p, size_t len);
/* Steps: true when there is a row. False at the end and on any error so far. */
bool crv_q_row(struct crv_q *q);
/* Columns of the row; a wrong type is an error. Texts and bytes live until the next step; NULL
   gives NULL. len may be NULL. */
int64_t crv_q_get_int(struct crv_q *q, int col);
bool crv_q_get_bool(struct crv_q *q, int col); /* anything but 0 and 1 is an error */
struct crv_opt_int crv_q_get_opt(struct crv_q *q, int col);
const char *crv_q_get_text(struct crv_q *q, int col, size_t *len);
const void *crv_q_get_blob(struct crv_q *q, int col, size_t *len);
/* Copies of them in a; with a NULL the row's own memory. */
const char *crv_q_dup_text(struct crv_q *q, int col, struct crv_arena *a, size_t *len);
const void *crv_q_dup_blob(struct crv_q *q, int col, struct crv_arena *a, size_t *len);
/* Ends the query: true when nothing failed. Stopping before the last row is no failure. */
bool crv_q_end(struct crv_q *q, struct crv_err *err);
/* Steps a statement that gives no rows to its end, then ends it. */
bool crv_q_run(struct crv_q *q, struct crv_err *err);
/* The cleanup attribute's: resets whatever is not ended. */
void crv_q_done(struct crv_q *q);

#define _query_ __attribute__((cleanup(crv_q_done)))

#endif
