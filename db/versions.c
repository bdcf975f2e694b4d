/* Sheets, offers and pieces: named, versioned, append-only. The three tables have one shape for
   reading; each has its own statements, all literals.
   Must not know: what the canonical JSON says. */
#include <string.h>

#include "core/base/text.h"
#include "db/internal.h"

enum { NEWEST, EXACT, BY_SEQ, AFTER, HISTORY, PAGE, COUNT, INSERT };

/* T: table. K, V: its key and version columns. X: kind, source_key and source_version. F: what a
   filter by kind (?6) asks. A newest version is one whose successor is not there yet: versions of a
   key have no gap. The + keeps the planner on the index by key. */
/* clang-format off */
#define COLUMNS(K, V, X) \
  "v." K ", v." V ", v.seq, l.recorded_at, l.recorded_by, v.withdrawn, v.digest, v.raw_digest, " \
  X ", v.canonical"
#define FROM(T) " FROM " T " v CROSS JOIN ledger l ON l.seq = v.seq "
#define ROWS(T, K, V, X) "SELECT " COLUMNS(K, V, X) FROM(T)
#define WHOLE(T, K, V, X) "SELECT " COLUMNS(K, V, X) ", v.raw" FROM(T)
#define PAGED(T, K, V, F) \
  "+v.seq <= ?2 AND NOT EXISTS (SELECT 1 FROM " T " n WHERE n." K " = v." K \
  " AND n." V " = v." V " + 1 AND +n.seq <= ?2) AND v." K " >= ?3 AND v." K " < ?4" \
  " AND (?5 OR v.withdrawn = 0) AND " F
#define READS(T, K, V, X, F) \
  {NEWEST, CRV_READ, \
   WHOLE(T, K, V, X) "WHERE v." K " = ?1 AND +v.seq <= ?2 ORDER BY v." V " DESC LIMIT 1"}, \
  {EXACT, CRV_READ, WHOLE(T, K, V, X) "WHERE v." K " = ?1 AND v." V " = ?2"}, \
  {BY_SEQ, CRV_READ, WHOLE(T, K, V, X) "WHERE v.seq = ?1"}, \
  {AFTER, CRV_READ, ROWS(T, K, V, X) "WHERE v.seq > ?1 AND v.seq <= ?2 ORDER BY v.seq"}, \
  {HISTORY, CRV_READ, \
   ROWS(T, K, V, X) "WHERE v." K " = ?1 AND v." V " < ?2 ORDER BY v." V " DESC LIMIT ?3"}, \
  {PAGE, CRV_READ, \
   ROWS(T, K, V, X) "WHERE v." K " > ?1 AND " PAGED(T, K, V, F) " ORDER BY v." K " LIMIT ?7"}, \
  {COUNT, CRV_READ, "SELECT count(*) FROM " T " v WHERE ?1 IS NULL AND " PAGED(T, K, V, F)}
/* clang-format on */

static const struct crv_stmt_def sheets[] = {
    READS("sheet_revision", "name", "revision", "NULL, NULL, NULL", "?6 IS NULL"),
    {INSERT, CRV_WRITE,
     "INSERT INTO sheet_revision (seq, name, revision, withdrawn, digest, raw_digest, canonical, "
     "raw) "
     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"},
};
static const struct crv_stmt_def offers[] = {
    READS("offer_version", "key", "version", "NULL, v.source_key, v.source_version", "?6 IS NULL"),
    {INSERT, CRV_WRITE,
     "INSERT INTO offer_version (seq, key, version, withdrawn, digest, raw_digest, canonical, raw, "
     "source_key, source_version) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"},
};
static const struct crv_stmt_def pieces[] = {
    READS("piece_version", "key", "version", "v.kind, NULL, NULL", "(?6 IS NULL OR v.kind = ?6)"),
    {INSERT, CRV_WRITE,
     "INSERT INTO piece_version (seq, key, version, withdrawn, digest, raw_digest, canonical, raw, "
     "kind) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"},
};
const struct crv_stmt_table crv_sheet_stmts = {"sheet", sheets, sizeof sheets / sizeof *sheets};
const struct crv_stmt_table crv_offer_stmts = {"offer", offers, sizeof offers / sizeof *offers};
const struct crv_stmt_table crv_piece_stmts = {"piece", pieces, sizeof pieces / sizeof *pieces};

static const struct {
  enum crv_set set;
  const char *kind; /* in the ledger */
  const char *noun;
} aggs[] = {
    [CRV_AGG_SHEET] = {CRV_SET_SHEET, "sheet", "sheet"},
    [CRV_AGG_OFFER] = {CRV_SET_OFFER, "offer", "offer"},
    [CRV_AGG_PIECE] = {CRV_SET_PIECE, "piece", "piece"},
};

static struct crv_q open_q(struct crv_rtx *tx, enum crv_aggregate agg, unsigned id) {
  return crv_q_open(tx->db, aggs[agg].set, id);
}

/* The row's columns; texts in a, or in the row itself without one. bodies: canonical and raw. */
static void take(struct crv_q *q, struct crv_arena *a, bool canonical, bool raw,
                 struct crv_version *v) {
  *v = (struct crv_version){0};
  v->key = crv_q_dup_text(q, 0, a, NULL);
  v->version = crv_q_get_int(q, 1);
  v->seq = crv_q_get_int(q, 2);
  v->recorded_at = crv_q_get_int(q, 3);
  v->recorded_by = crv_q_dup_text(q, 4, a, NULL);
  v->withdrawn = crv_q_get_bool(q, 5);
  v->digest = crv_q_dup_text(q, 6, a, NULL);
  v->raw_digest = crv_q_dup_text(q, 7, a, NULL);
  v->kind = crv_q_dup_text(q, 8, a, NULL);
  v->source_key = crv_q_dup_text(q, 9, a, NULL);
  v->source_version = crv_q_get_opt(q, 10).v;
  if (canonical) v->canonical = crv_q_dup_text(q, 11, a, &v->canonical_len);
  if (raw) v->raw = crv_q_dup_blob(q, 12, a, &v->raw_len);
}

static int64_t or_all(int64_t bound) {
  return bound == 0 ? INT64_MAX : bound;
}

/* -- reading ------------------------------------------------------------------------------- */

static bool one(struct crv_q *q, struct crv_arena *a, bool bodies, bool *ret_found,
                struct crv_version *ret, struct crv_err *err) {
  *ret_found = crv_q_row(q);
  if (*ret_found) take(q, a, bodies, bodies, ret);
  return crv_q_end(q, err);
}

static bool newest(struct crv_rtx *tx, enum crv_aggregate agg, const char *key, int64_t position,
                   struct crv_arena *a, bool bodies, bool *ret_found, struct crv_version *ret,
                   struct crv_err *err) {
  _query_ struct crv_q q = open_q(tx, agg, NEWEST);
  crv_q_text(&q, 1, key);
  crv_q_int(&q, 2, or_all(position));
  return one(&q, a, bodies, ret_found, ret, err);
}

static bool not_found(enum crv_aggregate agg, const char *key, int64_t version,
                      struct crv_err *err) {
  if (version == 0)
    return crv_fail(err, CRV_NOT_FOUND, "There is no %s %.128s.", aggs[agg].noun, key);
  return crv_fail(err, CRV_NOT_FOUND, "There is no version %lld of %s %.128s.", (long long)version,
                  aggs[agg].noun, key);
}

bool crv_rd_version(struct crv_rtx *tx, enum crv_aggregate agg, const char *key, int64_t version,
                    int64_t position, struct crv_arena *a, struct crv_version *ret,
                    struct crv_err *err) {
  bool found;
  if (version == 0) {
    if (!newest(tx, agg, key, position, a, true, &found, ret, err)) return false;
  } else {
    _query_ struct crv_q q = open_q(tx, agg, EXACT);
    crv_q_text(&q, 1, key);
    crv_q_int(&q, 2, version);
    if (!one(&q, a, true, &found, ret, err)) return false;
  }
  return found || not_found(agg, key, version, err);
}

bool crv_version_by_seq(struct crv_rtx *tx, enum crv_aggregate agg, int64_t seq,
                        struct crv_arena *a, struct crv_version *ret, struct crv_err *err) {
  bool found;
  _query_ struct crv_q q = open_q(tx, agg, BY_SEQ);
  crv_q_int(&q, 1, seq);
  if (!one(&q, a, true, &found, ret, err)) return false;
  return found || crv_fail(err, CRV_NOT_FOUND, "There is no such record.");
}

/* Hands every row to the caller's function; its failure ends the query without another error. */
static bool each(struct crv_q *q, crv_row_fn *row, void *ctx, struct crv_err *err) {
  struct crv_version v;
  while (crv_q_row(q)) {
    take(q, NULL, true, false, &v);
    if (q->why || q->rc != SQLITE_OK) break;
    if (!row(&v, ctx, err)) return false;
  }
  return crv_q_end(q, err);
}

bool crv_rd_versions_after(struct crv_rtx *tx, enum crv_aggregate agg, int64_t after, int64_t upto,
                           crv_row_fn *row, void *ctx, struct crv_err *err) {
  _query_ struct crv_q q = open_q(tx, agg, AFTER);
  crv_q_int(&q, 1, after);
  crv_q_int(&q, 2, upto);
  return each(&q, row, ctx, err);
}

bool crv_rd_history(struct crv_rtx *tx, enum crv_aggregate agg, const char *key, int64_t before,
                    unsigned limit, crv_row_fn *row, void *ctx, struct crv_err *err) {
  _query_ struct crv_q q = open_q(tx, agg, HISTORY);
  crv_q_text(&q, 1, key);
  crv_q_int(&q, 2, or_all(before));
  crv_q_int(&q, 3, limit);
  return each(&q, row, ctx, err);
}

/* Keys are [a-z0-9._-]: every key with a prefix sorts before the prefix followed by '~'. */
static bool bind_page(struct crv_q *q, const struct crv_page *page, struct crv_arena *a,
                      struct crv_err *err) {
  const char *prefix = page->prefix ? page->prefix : "";
  const char *end = crv_arena_printf(a, "%s~", prefix);
  if (!end) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  crv_q_int(q, 2, or_all(page->position));
  crv_q_text(q, 3, prefix);
  crv_q_text(q, 4, end);
  crv_q_bool(q, 5, page->withdrawn);
  crv_q_text(q, 6, page->kind);
  return true;
}

bool crv_rd_page(struct crv_rtx *tx, enum crv_aggregate agg, struct crv_page *page, crv_row_fn *row,
                 void *ctx, struct crv_err *err) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  if (!a) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  _query_ struct crv_q count = open_q(tx, agg, COUNT);
  crv_q_null(&count, 1);
  if (!bind_page(&count, page, a, err)) return false;
  page->total = crv_q_row(&count) ? crv_q_get_int(&count, 0) : 0;
  if (!crv_q_end(&count, err)) return false;
  _query_ struct crv_q q = open_q(tx, agg, PAGE);
  crv_q_text(&q, 1, page->after_key ? page->after_key : "");
  crv_q_int(&q, 7, page->limit);
  return bind_page(&q, page, a, err) && each(&q, row, ctx, err);
}

/* -- writing ------------------------------------------------------------------------------- */

static bool insert(struct crv_wtx *tx, enum crv_aggregate agg, const struct crv_version *v,
                   struct crv_err *err) {
  _query_ struct crv_q q = open_q(&tx->read, agg, INSERT);
  crv_q_int(&q, 1, v->seq);
  crv_q_text(&q, 2, v->key);
  crv_q_int(&q, 3, v->version);
  crv_q_bool(&q, 4, v->withdrawn);
  crv_q_text(&q, 5, v->digest);
  crv_q_text(&q, 6, v->raw_digest);
  crv_q_text_n(&q, 7, v->canonical, v->canonical_len);
  crv_q_blob(&q, 8, v->raw, v->raw_len);
  if (agg == CRV_AGG_PIECE) crv_q_text(&q, 9, v->kind);
  if (agg == CRV_AGG_OFFER) {
    crv_q_text(&q, 9, v->source_key);
    crv_q_opt(&q, 10, (struct crv_opt_int){v->source_version, v->source_key != NULL});
  }
  while (crv_q_row(&q)) continue;
  bool orphan = q.rc == SQLITE_CONSTRAINT_FOREIGNKEY;
  if (crv_q_end(&q, err)) return true;
  if (!orphan) return false;
  return crv_fail(err, CRV_MISSING_REFERENCE, "The cited piece %.128s@%lld is not stored.",
                  v->source_key ? v->source_key : "", (long long)v->source_version);
}

/* Ledger row first, then the version: v gets its seq, time and author. */
static bool append(struct crv_wtx *tx, enum crv_aggregate agg, const char *who,
                   struct crv_version *v, struct crv_err *err) {
  char content[CRV_SHA256_HEX];
  if (!crv_version_content(v, content, err)) return false;
  struct crv_ledger_row row = {.kind = aggs[agg].kind,
                               .key = v->key,
                               .version = v->version,
                               .content_digest = content,
                               .recorded_by = who};
  if (!crv_ledger_append(tx, &row, err)) return false;
  v->seq = row.seq;
  v->recorded_at = row.recorded_at;
  v->recorded_by = who;
  return insert(tx, agg, v, err);
}

/* Copies what only the caller's memory holds and leaves the bodies out. */
static bool settle(struct crv_version *v, struct crv_arena *a, struct crv_err *err) {
  const char **texts[] = {&v->key,        &v->recorded_by, &v->digest,
                          &v->raw_digest, &v->kind,        &v->source_key};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (!*texts[i]) continue;
    *texts[i] = crv_arena_strdup(a, *texts[i]);
    if (!*texts[i]) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  }
  v->canonical = v->raw = NULL;
  v->canonical_len = v->raw_len = 0;
  return true;
}

static bool allowed(const struct crv_version *was, bool found, const char *if_match,
                    const char *if_none_match, struct crv_arena *a, struct crv_err *err) {
  char *etag = found ? crv_version_etag(was->key, was->version, was->digest, a) : NULL;
  if (found && !etag) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  return crv_precondition(etag, found && !was->withdrawn, if_match, if_none_match, err);
}

static bool same(const struct crv_version *was, const struct crv_version *is) {
  return !was->withdrawn && strcmp(was->digest, is->digest) == 0 &&
         crv_streq(was->kind, is->kind) && crv_streq(was->source_key, is->source_key) &&
         was->source_version == is->source_version;
}

/* The version that put asks for, digests in sha and raw_sha. */
static struct crv_version wanted(enum crv_aggregate agg, const struct crv_put *put, char *sha,
                                 char *raw_sha) {
  bool cites = agg == CRV_AGG_OFFER && put->source_key;
  const char *raw = put->raw ? put->raw : "";
  size_t raw_len = put->raw ? put->raw_len : 0;
  return (struct crv_version){
      .key = put->key,
      .canonical = put->canonical,
      .canonical_len = put->canonical_len,
      .digest = crv_sha256_hex(put->canonical, put->canonical_len, sha),
      .raw = raw,
      .raw_len = raw_len,
      .raw_digest = crv_sha256_hex(raw, raw_len, raw_sha),
      .kind = agg == CRV_AGG_PIECE ? put->kind : NULL,
      .source_key = cites ? put->source_key : NULL,
      .source_version = cites ? put->source_version : 0,
  };
}

bool crv_tx_put(struct crv_wtx *tx, struct crv_put *put, struct crv_arena *a, struct crv_err *err) {
  char sha[CRV_SHA256_HEX], raw_sha[CRV_SHA256_HEX];
  struct crv_version was = {0};
  bool found;
  if (!newest(&tx->read, put->agg, put->key, 0, a, false, &found, &was, err)) return false;
  if (!allowed(&was, found, put->if_match, put->if_none_match, a, err)) return false;
  struct crv_version v = wanted(put->agg, put, sha, raw_sha);
  if (found && put->allow_unchanged && same(&was, &v)) {
    put->outcome = CRV_PUT_UNCHANGED;
    put->now = was;
    return true;
  }
  v.version = was.version + 1;
  if (!append(tx, put->agg, put->who, &v, err) || !settle(&v, a, err)) return false;
  put->outcome = found && !was.withdrawn ? CRV_PUT_REVISED : CRV_PUT_CREATED;
  put->now = v;
  return true;
}

bool crv_tx_withdraw(struct crv_wtx *tx, enum crv_aggregate agg, const char *key, const char *who,
                     const char *if_match, struct crv_arena *a, struct crv_version *ret,
                     struct crv_err *err) {
  char sha[CRV_SHA256_HEX];
  struct crv_version was = {0};
  bool found;
  if (agg == CRV_AGG_PIECE) return crv_bug(err, "a piece is retracted, not withdrawn");
  if (!newest(&tx->read, agg, key, 0, a, false, &found, &was, err)) return false;
  if (!found) return not_found(agg, key, 0, err);
  if (was.withdrawn)
    return crv_fail(err, CRV_WITHDRAWN, "The %s %.128s was withdrawn already.", aggs[agg].noun,
                    key);
  if (!allowed(&was, found, if_match, NULL, a, err)) return false;
  *ret = (struct crv_version){.key = key,
                              .version = was.version + 1,
                              .withdrawn = true,
                              .digest = crv_sha256_hex("", 0, sha)};
  return append(tx, agg, who, ret, err) && settle(ret, a, err);
}
