/* Documents of pieces: bytes with their SHA-256, attached once to one version. An administrator may
   erase the bytes; the row, its digest and its ledger record stay.
   Must not know: what the documents say. */
#include <string.h>

#include "core/base/text.h"
#include "db/internal.h"

enum { OF_VERSION, BY_SEQ, PIECE, INSERT };
static const struct crv_stmt_def stmts[] = {
    {OF_VERSION, CRV_READ,
     "SELECT key, version, sha256, media_type, size, bytes FROM piece_content "
     "WHERE key = ?1 AND version = ?2"},
    {BY_SEQ, CRV_READ,
     "SELECT key, version, sha256, media_type, size, bytes FROM piece_content WHERE seq = ?1"},
    {PIECE, CRV_READ, "SELECT 1 FROM piece_version WHERE key = ?1 AND version = ?2"},
    {INSERT, CRV_WRITE,
     "INSERT INTO piece_content (seq, key, version, sha256, media_type, size, bytes) "
     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"},
};
const struct crv_stmt_table crv_content_stmts = {"content", stmts, sizeof stmts / sizeof *stmts};

static bool take(struct crv_q *q, struct crv_arena *a, struct crv_content *ret, bool *ret_found,
                 struct crv_err *err) {
  *ret_found = crv_q_row(q);
  if (*ret_found) {
    size_t held;
    ret->key = crv_q_dup_text(q, 0, a, NULL);
    ret->version = crv_q_get_int(q, 1);
    ret->sha256 = crv_q_dup_text(q, 2, a, NULL);
    ret->media_type = crv_q_dup_text(q, 3, a, NULL);
    ret->len = (size_t)crv_q_get_int(q, 4);
    ret->bytes = crv_q_dup_blob(q, 5, a, &held);
    if (ret->bytes && held != ret->len) q->why = "a document has another size than its row says";
  }
  return crv_q_end(q, err);
}

bool crv_rd_content(struct crv_rtx *tx, const char *key, int64_t version, struct crv_arena *a,
                    struct crv_content *ret, struct crv_err *err) {
  bool found;
  _query_ struct crv_q q = crv_q_open(tx->db, CRV_SET_CONTENT, OF_VERSION);
  crv_q_text(&q, 1, key);
  crv_q_int(&q, 2, version);
  if (!take(&q, a, ret, &found, err)) return false;
  return found ||
         crv_fail(err, CRV_NOT_FOUND, "%.128s@%lld has no content.", key, (long long)version);
}

bool crv_content_by_seq(struct crv_rtx *tx, int64_t seq, struct crv_arena *a,
                        struct crv_content *ret, struct crv_err *err) {
  bool found;
  _query_ struct crv_q q = crv_q_open(tx->db, CRV_SET_CONTENT, BY_SEQ);
  crv_q_int(&q, 1, seq);
  if (!take(&q, a, ret, &found, err)) return false;
  return found || crv_fail(err, CRV_NOT_FOUND, "There is no such record.");
}

/* What is attached already: its digest and type in a; found false without. */
static bool attached(struct crv_wtx *tx, const struct crv_content *c, bool *ret_found,
                     bool *ret_same, struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->read.db, CRV_SET_CONTENT, OF_VERSION);
  crv_q_text(&q, 1, c->key);
  crv_q_int(&q, 2, c->version);
  *ret_found = crv_q_row(&q);
  if (*ret_found) *ret_same = crv_streq(crv_q_get_text(&q, 2, NULL), c->sha256);
  return crv_q_end(&q, err);
}

static bool piece_there(struct crv_wtx *tx, const struct crv_content *c, struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->read.db, CRV_SET_CONTENT, PIECE);
  crv_q_text(&q, 1, c->key);
  crv_q_int(&q, 2, c->version);
  bool found = crv_q_row(&q);
  if (!crv_q_end(&q, err)) return false;
  return found || crv_fail(err, CRV_NOT_FOUND, "There is no piece %.128s@%lld.", c->key,
                           (long long)c->version);
}

static bool insert(struct crv_wtx *tx, const struct crv_content *c, int64_t seq,
                   struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->read.db, CRV_SET_CONTENT, INSERT);
  crv_q_int(&q, 1, seq);
  crv_q_text(&q, 2, c->key);
  crv_q_int(&q, 3, c->version);
  crv_q_text(&q, 4, c->sha256);
  crv_q_text(&q, 5, c->media_type);
  crv_q_int(&q, 6, (int64_t)c->len);
  crv_q_blob(&q, 7, c->bytes ? c->bytes : "", c->len);
  return crv_q_run(&q, err);
}

bool crv_tx_content_put(struct crv_wtx *tx, const struct crv_content *c, const char *who,
                        struct crv_err *err) {
  bool found, same = false;
  char digest[CRV_SHA256_HEX];
  if (!c->bytes && c->len) return crv_bug(err, "content without bytes");
  if (!piece_there(tx, c, err) || !attached(tx, c, &found, &same, err)) return false;
  if (found && same) return true;
  if (found)
    return crv_fail(err, CRV_CONFLICT, "%.128s@%lld has other content already; make a new version.",
                    c->key, (long long)c->version);
  if (!crv_content_content(c, digest, err)) return false;
  struct crv_ledger_row row = {.kind = "content",
                               .key = c->key,
                               .version = c->version,
                               .content_digest = digest,
                               .recorded_by = who};
  return crv_ledger_append(tx, &row, err) && insert(tx, c, row.seq, err);
}
