/* The insides of struct crv_store, for the files of db/ only. */
#ifndef CRV_DB_INTERNAL_H
#define CRV_DB_INTERNAL_H

#include <pthread.h>

#include "db/stmt.h"
#include "db/store.h"

/* The last ledger row of a transaction: what the next one is chained to. */
struct crv_head {
  int64_t seq; /* 0: nothing stored yet */
  char digest[CRV_SHA256_HEX];
};

struct crv_rtx {
  struct crv_db *db;
  int64_t known; /* the ledger had at least so many rows when the snapshot was taken */
};

struct crv_wtx {
  struct crv_rtx read;
  struct crv_head *head;
  int64_t now;
};

/* -- read-only connections (pool.c) -- */

struct crv_pool {
  pthread_mutex_t mu;
  pthread_cond_t returned;
  struct crv_db *db; /* n of them */
  unsigned *free;    /* a stack of n_free indexes */
  unsigned n, n_free;
};
bool crv_pool_open(struct crv_pool *p, const char *path, unsigned n, int *ret_rc,
                   struct crv_err *err);
void crv_pool_close(struct crv_pool *p);
/* Busy results seen by all of them. */
int64_t crv_pool_busy(const struct crv_pool *p);

/* -- the writer thread (writer.c, group.c, maint.c) -- */

struct crv_job { /* on the stack of the thread that waits for it */
  crv_write_fn *fn;
  void *ctx;
  struct crv_err *err;
  struct crv_job *next;
  pthread_cond_t settled;
  bool tried, ok, done;
};

enum { CRV_TOKEN_BATCH = 256 };

struct crv_writer {
  pthread_t thread;
  bool running;
  /* under mu */
  pthread_mutex_t mu;
  pthread_cond_t wake, left;
  struct crv_job *first, *last;
  unsigned depth, most, callers; /* queued; allowed; in crv_store_write */
  bool stop;
  struct {
    int64_t id, at;
  } used[CRV_TOKEN_BATCH];
  unsigned n_used;
  /* the writer thread's own */
  struct crv_db db;
  struct crv_head head;
  int wal_pages, wal_tried; /* frames in the WAL; how many there were at the last checkpoint */
  bool wal_dirty;           /* something was committed since the last checkpoint */
  int64_t probed_at;        /* monotonic ms */
  int64_t flushed_at;       /* monotonic ms, token batch */
  int64_t purged_at;        /* the store's clock; 0: not yet */
};

struct crv_flight; /* an Idempotency-Key in flight */

struct crv_store {
  char *dir, *path;
  int lock; /* descriptor, -1 without */
  bool opened;
  int64_t (*clock_ms)(void *ctx);
  void *clock_ctx;
  struct crv_pool pool;
  struct crv_writer writer;
  pthread_mutex_t flight_mu;
  struct crv_flight *flight;
  /* atomics */
  int64_t position, commits, writes;
  const char *why; /* static text; NULL: writable */
  bool damaged;    /* read-only for good */
};

int64_t crv_mono_ms(void);

bool crv_writer_start(struct crv_store *st, struct crv_err *err);
/* Refuses new writes, carries out the queued ones, ends the thread, waits until every caller has
   its answer. */
void crv_writer_stop(struct crv_store *st);

/* Runs a list of jobs in one transaction and settles each; those of a failed group one by one. */
void crv_group_run(struct crv_store *st, struct crv_job *jobs);
/* Runs one UPDATE that touches fresh pages; true, and writable again, when it could be committed.
 */
bool crv_group_probe(struct crv_store *st);
/* Runs fn in a transaction of its own on the writer thread; failures are forgotten. */
bool crv_group_own(struct crv_store *st, crv_write_fn *fn, void *ctx);

/* Between groups: checkpoints, token batch, old idempotency rows, the probe of a read-only store.
 */
void crv_maint(struct crv_store *st, bool idle);
/* The last things before the thread ends. */
void crv_maint_last(struct crv_store *st);
/* Old idempotency rows, at most a few hundred a call; false when none was left. (idem.c) */
bool crv_idem_purge(struct crv_wtx *tx, int64_t before_ms, bool *ret_more, struct crv_err *err);
/* Forgets the keys in flight when the store closes. */
void crv_flight_free(struct crv_store *st);
bool crv_token_touch(struct crv_wtx *tx, int64_t id, int64_t at_ms, struct crv_err *err);

/* -- the state folder (open.c, lock.c) -- */

/* Takes dir/crivo.lock for this process: CONFLICT with exit code 75 when another has it. */
bool crv_lock_take(const char *dir, int *ret_fd, int *ret_exit, struct crv_err *err);

/* -- ledger (ledger.c) -- */

struct crv_ledger_row {
  int64_t seq;
  const char *kind, *key;
  int64_t version;
  const char *content_digest;
  int64_t recorded_at;
  const char *recorded_by;
  const char *digest;
};
/* Appends a row: kind, key, version, content_digest and recorded_by are given, the rest is filled;
   digest then points into tx's head. */
bool crv_ledger_append(struct crv_wtx *tx, struct crv_ledger_row *row, struct crv_err *err);
/* The digest of row chained to the one before: SHA-256 over previous, seq, kind, key, version,
   content_digest, recorded_at and recorded_by, each ended by a line feed but the last. */
char *crv_ledger_chain(const char *previous, const struct crv_ledger_row *row, char *out);
/* The row that q stands on: seq, kind, key, version, content_digest, recorded_at, recorded_by,
   digest in that order; texts live until q's next step. False when a column has the wrong type;
   crv_q_end then says so. */
bool crv_ledger_take(struct crv_q *q, struct crv_ledger_row *row);
/* 64 zeros: what the first row is chained to. */
extern const char crv_ledger_genesis[CRV_SHA256_HEX];
/* Loads the newest row and checks that it is chained to its predecessor; CONFLICT when not. */
bool crv_ledger_load(struct crv_db *db, struct crv_head *ret, struct crv_err *err);

/* -- content digests: what a ledger row's content_digest is made from (fields.c) -- */

/* Fields in a form that no two lists share: a text is t<bytes>:<text>, a number i<decimal>, an
   absent one -, each ended by a line feed. */
struct crv_buf;
void crv_fields_text(struct crv_buf *b, const char *s);
void crv_fields_int(struct crv_buf *b, int64_t v);
void crv_fields_opt(struct crv_buf *b, struct crv_opt_int v);
/* SHA-256 of them in hex; OUT_OF_MEMORY when b failed. */
bool crv_fields_digest(const struct crv_buf *b, char *out, struct crv_err *err);

bool crv_version_content(const struct crv_version *v, char *out, struct crv_err *err);
bool crv_content_content(const struct crv_content *c, char *out, struct crv_err *err);
/* result_sha: SHA-256 of the uncompressed result. */
bool crv_decision_content(const struct crv_decision_row *d, const char *result_sha, char *out,
                          struct crv_err *err);

/* Reads one row by ledger sequence for the check of the whole ledger; false with NOT_FOUND. */
bool crv_version_by_seq(struct crv_rtx *tx, enum crv_aggregate agg, int64_t seq,
                        struct crv_arena *a, struct crv_version *ret, struct crv_err *err);
bool crv_content_by_seq(struct crv_rtx *tx, int64_t seq, struct crv_arena *a,
                        struct crv_content *ret, struct crv_err *err);
bool crv_decision_by_seq(struct crv_rtx *tx, int64_t seq, struct crv_arena *a,
                         struct crv_decision_row *ret, struct crv_err *err);

/* -- preconditions (precondition.c) -- */

/* etag NULL: nothing stored or withdrawn. PRECONDITION_FAILED names the current tag. */
bool crv_precondition(const char *etag, bool exists, const char *if_match,
                      const char *if_none_match, struct crv_err *err);

#endif
