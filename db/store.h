/* What the rest of Crivo may ask of storage, by intent. No SQL and no sqlite3 type shows here.
   Writes run on the one writer thread, many in one transaction (group commit); crv_store_write
   returns only after COMMIT. Reads run on read-only connections inside one snapshot.
   Every append-only row has a row in one ledger: a sequence number (the position), the digest of
   its content and a digest chained over the previous row's. */
#ifndef CRV_DB_STORE_H
#define CRV_DB_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/base/units.h"

struct crv_store;
struct crv_wtx; /* a write in progress: only inside crv_store_write */
struct crv_rtx; /* a read snapshot: only inside crv_store_read */

struct crv_store_config {
  const char *dir;  /* state folder; made 0700 when it does not exist; holds crivo.db */
  unsigned readers; /* read-only connections, 0: 16 */
  unsigned queue;   /* most writes waiting, 0: 4096; beyond: OVERLOADED */
  int64_t (*clock_ms)(void *ctx);
  void *clock_ctx;
};

/* Opens, locks (a second process: CONFLICT), migrates, checks (unreadable, foreign or newer file:
   INTERNAL with a detail fit for stderr), starts the writer. *ret_exit gets the exit code that main
   should use on failure (65 data, 73 cannot create, 75 locked, 77 no permission -> 73). */
struct crv_store *crv_store_open(const struct crv_store_config *cfg, int *ret_exit,
                                 struct crv_err *err);
/* Ends the writer after what is queued (later writes: DRAINING), waits for their callers,
   checkpoints, closes; no read may be running. NULL allowed. */
void crv_store_close(struct crv_store *st);

/* Runs fn on the writer thread inside a savepoint of a group transaction; true after COMMIT. fn
   must touch only the tx and its ctx, be short, and may not be assumed to run once (a failed group
   is retried one by one). fn false: rolled back, err is fn's. READ_ONLY, OVERLOADED,
   OUTCOME_UNKNOWN (I/O error while committing), OUT_OF_MEMORY are the store's own. */
typedef bool crv_write_fn(struct crv_wtx *tx, void *ctx, struct crv_err *err);
bool crv_store_write(struct crv_store *st, crv_write_fn *fn, void *ctx, struct crv_err *err);
/* Runs fn on the calling thread with one consistent snapshot. */
typedef bool crv_read_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err);
bool crv_store_read(struct crv_store *st, crv_read_fn *fn, void *ctx, struct crv_err *err);

/* Highest committed ledger sequence; an atomic, cheap. */
int64_t crv_store_position(struct crv_store *st);
/* Can it write now? *ret_why: static text when not. */
bool crv_store_writable(struct crv_store *st, const char **ret_why);
/* Write time that the row being written carries (one clock reading per write). */
int64_t crv_wtx_now(struct crv_wtx *tx);
/* A write may also read what it must decide on: its own snapshot as a read. */
struct crv_rtx *crv_wtx_read(struct crv_wtx *tx);

/* -- sheets, offers, pieces: named, versioned, append-only --------------------------------- */

enum crv_aggregate { CRV_AGG_SHEET = 1, CRV_AGG_OFFER, CRV_AGG_PIECE };

struct crv_version { /* one stored row; texts in the arena given */
  const char *key;
  int64_t version;
  int64_t seq;
  int64_t recorded_at;     /* ms */
  const char *recorded_by; /* token name */
  bool withdrawn;          /* canonical is then NULL */
  const char *canonical;   /* canonical JSON */
  size_t canonical_len;
  const char *digest; /* sha256 hex of canonical */
  const char *raw;    /* the request's bytes */
  size_t raw_len;
  const char *raw_digest;
  const char *kind;       /* pieces: kind name */
  const char *source_key; /* offers: the piece cited or recorded with it */
  int64_t source_version;
};
enum crv_put_outcome { CRV_PUT_CREATED = 1, CRV_PUT_REVISED, CRV_PUT_UNCHANGED };
struct crv_put {
  enum crv_aggregate agg;
  const char *key;
  const char *canonical;
  size_t canonical_len;
  const char *raw;
  size_t raw_len;
  const char *who;        /* token name */
  const char *kind;       /* pieces */
  const char *source_key; /* offers */
  int64_t source_version;
  /* Precondition, checked inside the write. if_match / if_none_match: raw header values or NULL.
     The current tag is crv_version_etag of the newest version (none: nothing stored). */
  const char *if_match, *if_none_match;
  bool allow_unchanged; /* equal canonical (and source for offers): no new row */
  /* out */
  enum crv_put_outcome outcome;
  struct crv_version now; /* the newest version afterwards; canonical and raw not filled */
};
/* Appends the next version; tombstoned keys come back with CREATED. PRECONDITION_FAILED (detail
   names the current tag). a holds the out texts. */
bool crv_tx_put(struct crv_wtx *tx, struct crv_put *put, struct crv_arena *a, struct crv_err *err);
/* Appends a tombstone (sheets, offers). NOT_FOUND, WITHDRAWN, PRECONDITION_FAILED. */
bool crv_tx_withdraw(struct crv_wtx *tx, enum crv_aggregate agg, const char *key, const char *who,
                     const char *if_match, struct crv_arena *a, struct crv_version *ret,
                     struct crv_err *err);
/* Strong tag of a version: "\"" + first 32 hex of sha256(key, version, digest) + "\"". */
char *crv_version_etag(const char *key, int64_t version, const char *digest, struct crv_arena *a);

/* version 0: the newest with seq <= position (position 0: no bound). NOT_FOUND. */
bool crv_rd_version(struct crv_rtx *tx, enum crv_aggregate agg, const char *key, int64_t version,
                    int64_t position, struct crv_arena *a, struct crv_version *ret,
                    struct crv_err *err);
/* Every version with after < seq <= upto, in seq order, canonical included, raw not. The row lives
   during the call only. row false stops with its err. */
typedef bool crv_row_fn(const struct crv_version *v, void *ctx, struct crv_err *err);
bool crv_rd_versions_after(struct crv_rtx *tx, enum crv_aggregate agg, int64_t after, int64_t upto,
                           crv_row_fn *row, void *ctx, struct crv_err *err);
/* Versions of one key, newest first, from version < before (0: all), at most limit. */
bool crv_rd_history(struct crv_rtx *tx, enum crv_aggregate agg, const char *key, int64_t before,
                    unsigned limit, crv_row_fn *row, void *ctx, struct crv_err *err);
/* Newest version of each key as of a position, keys > after_key bytewise ascending, at most limit;
   withdrawn ones only when asked. Also the total without the cursor. */
struct crv_page {
  int64_t position;      /* pinned: seq <= position */
  const char *after_key; /* NULL: from the start */
  unsigned limit;
  bool withdrawn;     /* show tombstones too */
  const char *prefix; /* key prefix or NULL */
  const char *kind;   /* pieces: only this kind, or NULL */
  int64_t total;      /* out */
};
bool crv_rd_page(struct crv_rtx *tx, enum crv_aggregate agg, struct crv_page *page, crv_row_fn *row,
                 void *ctx, struct crv_err *err);

/* -- documents of pieces ------------------------------------------------------------------- */

struct crv_content {
  const char *key;
  int64_t version;
  const char *sha256, *media_type;
  const void *bytes; /* NULL when erased */
  size_t len;
};
/* Attaches content to one version, once. CONFLICT when it has other content already (same bytes:
 * ok). */
bool crv_tx_content_put(struct crv_wtx *tx, const struct crv_content *c, const char *who,
                        struct crv_err *err);
bool crv_rd_content(struct crv_rtx *tx, const char *key, int64_t version, struct crv_arena *a,
                    struct crv_content *ret, struct crv_err *err);

/* -- decisions ----------------------------------------------------------------------------- */

struct crv_decision_row {
  int64_t number;         /* 1.. without gaps; out when stored */
  int64_t seq;            /* ledger position; out */
  const char *sheet_name; /* NULL: an inline sheet without a name */
  int64_t sheet_revision; /* 0 without a name */
  const char *sheet_digest;
  const char *sheet_json;      /* canonical, for inline sheets without a name; else NULL */
  const char *question_digest; /* sheet identity, filter, limit, policy, explicit as_of */
  const char *question_json;   /* canonical */
  bool as_of_given;
  int64_t as_of, decided_at;
  struct crv_opt_int holds_until;
  int64_t catalogue_position, evidence_position;
  const char *rules; /* "1" */
  const char *outcome, *headline;
  int64_t n_retained, n_to_confirm, n_excluded;
  const char *who;
  const char *result; /* the result JSON, compact (stored compressed) */
  size_t result_len;
  const char *result_digest, *matrix_digest;
  const char *digest, *previous_digest; /* out: chained */
  /* Filled by crv_decision_pack; NULL: the write packs by itself. */
  const void *packed;
  size_t packed_len;
  const char *result_sha; /* SHA-256 of result */
};
/* Compresses and hashes the result on the calling thread, so that the writer need not; in a.
   OUT_OF_MEMORY. */
bool crv_decision_pack(struct crv_decision_row *d, struct crv_arena *a, struct crv_err *err);
/* Appends a decision; fills number, seq, digest, previous_digest (in a). */
bool crv_tx_decision_put(struct crv_wtx *tx, struct crv_decision_row *d, struct crv_arena *a,
                         struct crv_err *err);
/* Everything, result included. NOT_FOUND. */
bool crv_rd_decision(struct crv_rtx *tx, int64_t number, struct crv_arena *a,
                     struct crv_decision_row *ret, struct crv_err *err);
/* Newest decision of a question, or of a sheet name; NOT_FOUND. */
bool crv_rd_decision_by_question(struct crv_rtx *tx, const char *question_digest,
                                 struct crv_arena *a, struct crv_decision_row *ret,
                                 struct crv_err *err);
bool crv_rd_decision_by_sheet(struct crv_rtx *tx, const char *sheet_name, int64_t before_number,
                              struct crv_arena *a, struct crv_decision_row *ret,
                              struct crv_err *err);
typedef bool crv_decision_fn(const struct crv_decision_row *d, void *ctx, struct crv_err *err);
/* Newest first, number < before (0: all) and <= pinned (0: no bound), sheet_name or outcome NULL:
   any; without results. */
bool crv_rd_decisions(struct crv_rtx *tx, int64_t pinned, int64_t before, const char *sheet_name,
                      const char *outcome, unsigned limit, int64_t *ret_total, crv_decision_fn *row,
                      void *ctx, struct crv_err *err);

/* -- ledger -------------------------------------------------------------------------------- */

struct crv_ledger_head {
  int64_t size; /* rows = highest sequence */
  char digest[CRV_SHA256_HEX];
};
bool crv_rd_ledger_head(struct crv_rtx *tx, struct crv_ledger_head *ret, struct crv_err *err);
/* Walks the whole chain: sequence without gap, each digest right, each row's content digest equal
   to its table's row. False with CONFLICT whose detail names the first bad record; else true. */
bool crv_rd_ledger_verify(struct crv_rtx *tx, struct crv_ledger_head *ret, struct crv_err *err);

/* -- tokens -------------------------------------------------------------------------------- */

struct crv_token_row {
  int64_t id;
  const char *name, *role;
  const char *hash; /* sha256 hex of the secret; never shown */
  int64_t created_at;
  struct crv_opt_int expires_at, revoked_at, last_used_at;
};
bool crv_tx_token_put(struct crv_wtx *tx, struct crv_token_row *t,
                      struct crv_err *err);                                    /* id out */
bool crv_tx_token_revoke(struct crv_wtx *tx, int64_t id, struct crv_err *err); /* NOT_FOUND */
bool crv_rd_token(struct crv_rtx *tx, int64_t id, struct crv_arena *a, struct crv_token_row *ret,
                  struct crv_err *err);
typedef bool crv_token_fn(const struct crv_token_row *t, void *ctx, struct crv_err *err);
bool crv_rd_tokens(struct crv_rtx *tx, crv_token_fn *row, void *ctx, struct crv_err *err);
/* Notes that a token was used; written in batches by the writer, never waits, may be dropped. */
void crv_store_token_used(struct crv_store *st, int64_t id, int64_t at_ms);

/* -- idempotency --------------------------------------------------------------------------- */

struct crv_idem {
  int64_t token_id;
  const char *scope; /* method + path + sorted query */
  const char *key;
  const char *fingerprint; /* sha256 of the body */
  /* the remembered answer */
  int status;
  const char *content_type;
  const char *location; /* or NULL */
  const void *body;
  size_t body_len;
  int64_t created_at;
};
/* Looks in a read or a write; NOT_FOUND when there is none younger than 7 days;
   IDEMPOTENCY_MISMATCH when the fingerprint differs. */
bool crv_rd_idem(struct crv_rtx *tx, const struct crv_idem *want, int64_t now_ms,
                 struct crv_arena *a, struct crv_idem *ret, struct crv_err *err);
/* token_id must be a stored token. CONFLICT when the key has a young answer already. */
bool crv_tx_idem_put(struct crv_wtx *tx, const struct crv_idem *i, struct crv_err *err);
/* Keys in flight, in memory: false with IN_PROGRESS when it is taken. */
bool crv_store_idem_begin(struct crv_store *st, const struct crv_idem *i, struct crv_err *err);
void crv_store_idem_end(struct crv_store *st, const struct crv_idem *i);

/* -- figures for /metrics and /readyz ------------------------------------------------------- */

struct crv_store_stats {
  int64_t commits, writes, queue_depth, wal_bytes, db_bytes, busy_errors;
  bool read_only;
  const char *why; /* static text when read_only */
};
void crv_store_stats(struct crv_store *st, struct crv_store_stats *ret);
/* The SQLite in use has the known WAL-reset fault (3.7.0..3.51.2 but 3.44.6, 3.50.7): a warning
   line for the log, or NULL. */
const char *crv_store_warning(void);

#endif
