/* The ledger: one row for every append-only row, in one sequence, each chained to the one before by
   its digest. The sequence number is what the rest of Crivo calls a position.
   Must not know: what the rows of the other tables hold. */
#include <stdio.h>
#include <string.h>

#include "db/internal.h"

enum { APPEND, LAST_TWO };
static const struct crv_stmt_def stmts[] = {
    {APPEND, CRV_WRITE,
     "INSERT INTO ledger (seq, kind, key, version, content_digest, recorded_at, recorded_by, "
     "digest) "
     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"},
    {LAST_TWO, CRV_READ,
     "SELECT seq, kind, key, version, content_digest, recorded_at, recorded_by, digest "
     "FROM ledger ORDER BY seq DESC LIMIT 2"},
};
const struct crv_stmt_table crv_ledger_stmts = {"ledger", stmts, sizeof stmts / sizeof *stmts};

const char crv_ledger_genesis[CRV_SHA256_HEX] =
    "0000000000000000000000000000000000000000000000000000000000000000";

char *crv_ledger_chain(const char *previous, const struct crv_ledger_row *row, char *out) {
  char seq[24], version[24], at[24];
  snprintf(seq, sizeof seq, "%lld", (long long)row->seq);
  snprintf(version, sizeof version, "%lld", (long long)row->version);
  snprintf(at, sizeof at, "%lld", (long long)row->recorded_at);
  const char *texts[] = {
      previous, seq, row->kind, row->key, version, row->content_digest, at, row->recorded_by};
  enum { N = sizeof texts / sizeof *texts };
  struct crv_bytes parts[2 * N];
  for (size_t i = 0; i < N; i++) {
    parts[2 * i] = (struct crv_bytes){texts[i], strlen(texts[i])};
    parts[2 * i + 1] = (struct crv_bytes){"\n", 1};
  }
  return crv_sha256_hex_parts(parts, 2 * N - 1, out);
}

bool crv_ledger_append(struct crv_wtx *tx, struct crv_ledger_row *row, struct crv_err *err) {
  struct crv_head next;
  if (!crv_add(tx->head->seq, 1, &next.seq)) return crv_bug(err, "the ledger is full");
  row->seq = next.seq;
  row->recorded_at = tx->now;
  crv_ledger_chain(tx->head->digest, row, next.digest);
  _query_ struct crv_q q = crv_q_open(tx->read.db, CRV_SET_LEDGER, APPEND);
  crv_q_int(&q, 1, row->seq);
  crv_q_text(&q, 2, row->kind);
  crv_q_text(&q, 3, row->key);
  crv_q_int(&q, 4, row->version);
  crv_q_text(&q, 5, row->content_digest);
  crv_q_int(&q, 6, row->recorded_at);
  crv_q_text(&q, 7, row->recorded_by);
  crv_q_text(&q, 8, next.digest);
  if (!crv_q_run(&q, err)) return false;
  *tx->head = next;
  row->digest = tx->head->digest;
  return true;
}

bool crv_ledger_take(struct crv_q *q, struct crv_ledger_row *row) {
  row->seq = crv_q_get_int(q, 0);
  row->kind = crv_q_get_text(q, 1, NULL);
  row->key = crv_q_get_text(q, 2, NULL);
  row->version = crv_q_get_int(q, 3);
  row->content_digest = crv_q_get_text(q, 4, NULL);
  row->recorded_at = crv_q_get_int(q, 5);
  row->recorded_by = crv_q_get_text(q, 6, NULL);
  row->digest = crv_q_get_text(q, 7, NULL);
  return !q->why && q->rc == SQLITE_OK;
}

static void copy_digest(char *out, const char *digest) {
  snprintf(out, CRV_SHA256_HEX, "%s", digest ? digest : "");
}

bool crv_ledger_load(struct crv_db *db, struct crv_head *ret, struct crv_err *err) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_ledger_row last = {0}, before = {0};
  char previous[CRV_SHA256_HEX], want[CRV_SHA256_HEX];
  if (!a) return crv_fail(err, CRV_OUT_OF_MEMORY, "out of memory");
  *ret = (struct crv_head){0};
  copy_digest(ret->digest, crv_ledger_genesis);
  copy_digest(previous, crv_ledger_genesis);
  copy_digest(want, crv_ledger_genesis);
  _query_ struct crv_q q = crv_q_open(db, CRV_SET_LEDGER, LAST_TWO);
  bool any = crv_q_row(&q);
  if (any) {
    crv_ledger_take(&q, &last);
    ret->seq = last.seq;
    copy_digest(ret->digest, last.digest);
    last.kind = crv_q_dup_text(&q, 1, a, NULL);
    last.key = crv_q_dup_text(&q, 2, a, NULL);
    last.content_digest = crv_q_dup_text(&q, 4, a, NULL);
    last.recorded_by = crv_q_dup_text(&q, 6, a, NULL);
  }
  if (any && crv_q_row(&q)) {
    crv_ledger_take(&q, &before);
    copy_digest(previous, before.digest);
  }
  if (!crv_q_end(&q, err)) return false;
  if (any) crv_ledger_chain(previous, &last, want);
  if (before.seq == (any ? last.seq - 1 : 0) && strcmp(want, ret->digest) == 0) return true;
  return crv_fail(err, CRV_CONFLICT, "its ledger is damaged at record %lld", (long long)last.seq);
}

bool crv_rd_ledger_head(struct crv_rtx *tx, struct crv_ledger_head *ret, struct crv_err *err) {
  struct crv_ledger_row last = {0};
  _query_ struct crv_q q = crv_q_open(tx->db, CRV_SET_LEDGER, LAST_TWO);
  copy_digest(ret->digest, crv_ledger_genesis);
  if (crv_q_row(&q)) {
    crv_ledger_take(&q, &last);
    copy_digest(ret->digest, last.digest);
  }
  ret->size = last.seq;
  return crv_q_end(&q, err);
}
