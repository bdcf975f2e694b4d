/* Decisions: numbered without gaps, appended once, results compressed. A decision's digest is that
   of its ledger row, which is chained to the row before.
   Must not know: what a result says. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "db/internal.h"

enum { RESULT_MOST = 64 << 20 };

#define COLUMNS \
  "SELECT d.number, d.seq, d.sheet_name, d.sheet_revision, d.sheet_digest, d.sheet_json, " \
  "d.question_digest, d.question_json, d.as_of_given, d.as_of, d.decided_at, d.holds_until, " \
  "d.catalogue_position, d.evidence_position, d.rules, d.outcome, d.headline, d.n_retained, " \
  "d.n_to_confirm, d.n_excluded, l.recorded_by, d.result_digest, d.matrix_digest, l.digest, " \
  "p.digest, d.result_size, d.result FROM decision d CROSS JOIN ledger l ON l.seq = d.seq " \
  "LEFT JOIN ledger p ON p.seq = l.seq - 1 "
#define OTHERS "d.number <= ?1 AND (?2 IS NULL OR d.outcome = ?2) "

enum {
  BY_NUMBER,
  BY_SEQ,
  BY_QUESTION,
  BY_SHEET,
  LIST,
  LIST_SHEET,
  COUNT,
  COUNT_SHEET,
  LAST,
  INSERT
};
static const struct crv_stmt_def stmts[] = {
    {BY_NUMBER, CRV_READ, COLUMNS "WHERE d.number = ?1"},
    {BY_SEQ, CRV_READ, COLUMNS "WHERE d.seq = ?1"},
    {BY_QUESTION, CRV_READ, COLUMNS "WHERE d.question_digest = ?1 ORDER BY d.number DESC LIMIT 1"},
    {BY_SHEET, CRV_READ,
     COLUMNS "WHERE d.sheet_name = ?1 AND d.number < ?2 ORDER BY d.number DESC LIMIT 1"},
    {LIST, CRV_READ,
     COLUMNS "WHERE " OTHERS "AND ?3 IS NULL AND d.number < ?4 ORDER BY d.number DESC LIMIT ?5"},
    {LIST_SHEET, CRV_READ,
     COLUMNS "WHERE " OTHERS "AND d.sheet_name = ?3 AND d.number < ?4 "
             "ORDER BY d.number DESC LIMIT ?5"},
    {COUNT, CRV_READ, "SELECT count(*) FROM decision d WHERE " OTHERS "AND ?3 IS NULL"},
    {COUNT_SHEET, CRV_READ,
     "SELECT count(*) FROM decision d WHERE " OTHERS "AND d.sheet_name = ?3"},
    {LAST, CRV_READ, "SELECT max(number) FROM decision"},
    {INSERT, CRV_WRITE,
     "INSERT INTO decision (number, seq, sheet_name, sheet_revision, sheet_digest, sheet_json, "
     "question_digest, question_json, as_of_given, as_of, decided_at, holds_until, "
     "catalogue_position, evidence_position, rules, outcome, headline, n_retained, n_to_confirm, "
     "n_excluded, result_digest, matrix_digest, result_size, result) VALUES (?1, ?2, ?3, ?4, ?5, "
     "?6, "
     "?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)"},
};
const struct crv_stmt_table crv_decision_stmts = {"decision", stmts, sizeof stmts / sizeof *stmts};

static bool no_memory(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

/* -- packing ------------------------------------------------------------------------------- */

bool crv_decision_pack(struct crv_decision_row *d, struct crv_arena *a, struct crv_err *err) {
  if (d->result_len == 0 || d->result_len > RESULT_MOST)
    return crv_bug(err, "a result of %zu bytes", d->result_len);
  uLongf room = compressBound(d->result_len);
  Bytef *out = crv_arena_alloc(a, room);
  char *sha = crv_arena_alloc(a, CRV_SHA256_HEX);
  if (!out || !sha) return no_memory(err);
  int rc = compress2(out, &room, (const Bytef *)d->result, d->result_len, Z_BEST_SPEED);
  if (rc != Z_OK) return no_memory(err);
  d->packed = out;
  d->packed_len = room;
  d->result_sha = crv_sha256_hex(d->result, d->result_len, sha);
  return true;
}

static bool unpack(const void *packed, size_t packed_len, int64_t size, struct crv_arena *a,
                   struct crv_decision_row *d, struct crv_err *err) {
  if (size <= 0 || size > RESULT_MOST) return crv_bug(err, "decision: a result of a wrong size");
  uLongf len = (uLongf)size;
  uLong taken = packed_len;
  char *out = crv_arena_alloc(a, (size_t)size + 1);
  if (!out) return no_memory(err);
  int rc = uncompress2((Bytef *)out, &len, packed, &taken);
  if (rc == Z_MEM_ERROR) return no_memory(err);
  if (rc != Z_OK || len != (uLongf)size || taken != packed_len)
    return crv_bug(err, "decision %lld: the result cannot be unpacked (%d)", (long long)d->number,
                   rc);
  d->result = out;
  d->result_len = len;
  return true;
}

/* -- reading ------------------------------------------------------------------------------- */

static void take_sheet(struct crv_q *q, struct crv_arena *a, struct crv_decision_row *d) {
  d->number = crv_q_get_int(q, 0);
  d->seq = crv_q_get_int(q, 1);
  d->sheet_name = crv_q_dup_text(q, 2, a, NULL);
  d->sheet_revision = crv_q_get_opt(q, 3).v;
  d->sheet_digest = crv_q_dup_text(q, 4, a, NULL);
  d->sheet_json = crv_q_dup_text(q, 5, a, NULL);
  d->question_digest = crv_q_dup_text(q, 6, a, NULL);
  d->question_json = crv_q_dup_text(q, 7, a, NULL);
  d->as_of_given = crv_q_get_bool(q, 8);
  d->as_of = crv_q_get_int(q, 9);
  d->decided_at = crv_q_get_int(q, 10);
  d->holds_until = crv_q_get_opt(q, 11);
}

static void take(struct crv_q *q, struct crv_arena *a, struct crv_decision_row *d) {
  *d = (struct crv_decision_row){0};
  take_sheet(q, a, d);
  d->catalogue_position = crv_q_get_int(q, 12);
  d->evidence_position = crv_q_get_int(q, 13);
  d->rules = crv_q_dup_text(q, 14, a, NULL);
  d->outcome = crv_q_dup_text(q, 15, a, NULL);
  d->headline = crv_q_dup_text(q, 16, a, NULL);
  d->n_retained = crv_q_get_int(q, 17);
  d->n_to_confirm = crv_q_get_int(q, 18);
  d->n_excluded = crv_q_get_int(q, 19);
  d->who = crv_q_dup_text(q, 20, a, NULL);
  d->result_digest = crv_q_dup_text(q, 21, a, NULL);
  d->matrix_digest = crv_q_dup_text(q, 22, a, NULL);
  d->digest = crv_q_dup_text(q, 23, a, NULL);
  d->previous_digest = crv_q_dup_text(q, 24, a, NULL);
  if (!d->previous_digest) d->previous_digest = crv_ledger_genesis;
}

static bool one(struct crv_q *q, struct crv_arena *a, struct crv_decision_row *ret,
                struct crv_err *err) {
  size_t len;
  bool found = crv_q_row(q), ok = true;
  if (found) {
    take(q, a, ret);
    const void *packed = crv_q_get_blob(q, 26, &len);
    int64_t size = crv_q_get_int(q, 25);
    ok = !packed || unpack(packed, len, size, a, ret, err);
  }
  if (!ok || !crv_q_end(q, err)) return false;
  return found || crv_fail(err, CRV_NOT_FOUND, "There is no such decision.");
}

bool crv_rd_decision(struct crv_rtx *tx, int64_t number, struct crv_arena *a,
                     struct crv_decision_row *ret, struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->db, CRV_SET_DECISION, BY_NUMBER);
  crv_q_int(&q, 1, number);
  return one(&q, a, ret, err);
}

bool crv_decision_by_seq(struct crv_rtx *tx, int64_t seq, struct crv_arena *a,
                         struct crv_decision_row *ret, struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->db, CRV_SET_DECISION, BY_SEQ);
  crv_q_int(&q, 1, seq);
  return one(&q, a, ret, err);
}

bool crv_rd_decision_by_question(struct crv_rtx *tx, const char *question_digest,
                                 struct crv_arena *a, struct crv_decision_row *ret,
                                 struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->db, CRV_SET_DECISION, BY_QUESTION);
  crv_q_text(&q, 1, question_digest);
  return one(&q, a, ret, err);
}

static int64_t or_all(int64_t bound) {
  return bound == 0 ? INT64_MAX : bound;
}

bool crv_rd_decision_by_sheet(struct crv_rtx *tx, const char *sheet_name, int64_t before_number,
                              struct crv_arena *a, struct crv_decision_row *ret,
                              struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->db, CRV_SET_DECISION, BY_SHEET);
  crv_q_text(&q, 1, sheet_name);
  crv_q_int(&q, 2, or_all(before_number));
  return one(&q, a, ret, err);
}

static void bind_list(struct crv_q *q, int64_t pinned, const char *outcome,
                      const char *sheet_name) {
  crv_q_int(q, 1, or_all(pinned));
  crv_q_text(q, 2, outcome);
  crv_q_text(q, 3, sheet_name);
}

bool crv_rd_decisions(struct crv_rtx *tx, int64_t pinned, int64_t before, const char *sheet_name,
                      const char *outcome, unsigned limit, int64_t *ret_total, crv_decision_fn *row,
                      void *ctx, struct crv_err *err) {
  struct crv_decision_row d;
  _query_ struct crv_q count =
      crv_q_open(tx->db, CRV_SET_DECISION, sheet_name ? COUNT_SHEET : COUNT);
  bind_list(&count, pinned, outcome, sheet_name);
  int64_t total = crv_q_row(&count) ? crv_q_get_int(&count, 0) : 0;
  if (!crv_q_end(&count, err)) return false;
  if (ret_total) *ret_total = total;
  _query_ struct crv_q q = crv_q_open(tx->db, CRV_SET_DECISION, sheet_name ? LIST_SHEET : LIST);
  bind_list(&q, pinned, outcome, sheet_name);
  crv_q_int(&q, 4, or_all(before));
  crv_q_int(&q, 5, limit);
  while (crv_q_row(&q)) {
    take(&q, NULL, &d);
    if (q.why || q.rc != SQLITE_OK) break;
    if (!row(&d, ctx, err)) return false;
  }
  return crv_q_end(&q, err);
}

/* -- writing ------------------------------------------------------------------------------- */

static bool next_number(struct crv_wtx *tx, int64_t *ret, struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->read.db, CRV_SET_DECISION, LAST);
  int64_t last = crv_q_row(&q) ? crv_q_get_opt(&q, 0).v : 0;
  *ret = last + 1;
  return crv_q_end(&q, err);
}

static bool insert(struct crv_wtx *tx, const struct crv_decision_row *d, struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->read.db, CRV_SET_DECISION, INSERT);
  crv_q_int(&q, 1, d->number);
  crv_q_int(&q, 2, d->seq);
  crv_q_text(&q, 3, d->sheet_name);
  crv_q_opt(&q, 4, (struct crv_opt_int){d->sheet_revision, d->sheet_name != NULL});
  crv_q_text(&q, 5, d->sheet_digest);
  crv_q_text(&q, 6, d->sheet_json);
  crv_q_text(&q, 7, d->question_digest);
  crv_q_text(&q, 8, d->question_json);
  crv_q_bool(&q, 9, d->as_of_given);
  crv_q_int(&q, 10, d->as_of);
  crv_q_int(&q, 11, d->decided_at);
  crv_q_opt(&q, 12, d->holds_until);
  crv_q_int(&q, 13, d->catalogue_position);
  crv_q_int(&q, 14, d->evidence_position);
  crv_q_text(&q, 15, d->rules);
  crv_q_text(&q, 16, d->outcome);
  crv_q_text(&q, 17, d->headline);
  crv_q_int(&q, 18, d->n_retained);
  crv_q_int(&q, 19, d->n_to_confirm);
  crv_q_int(&q, 20, d->n_excluded);
  crv_q_text(&q, 21, d->result_digest);
  crv_q_text(&q, 22, d->matrix_digest);
  crv_q_int(&q, 23, (int64_t)d->result_len);
  crv_q_blob(&q, 24, d->packed, d->packed_len);
  return crv_q_run(&q, err);
}

bool crv_tx_decision_put(struct crv_wtx *tx, struct crv_decision_row *d, struct crv_arena *a,
                         struct crv_err *err) {
  char key[24], content[CRV_SHA256_HEX];
  if (!d->sheet_name && d->sheet_revision) return crv_bug(err, "a revision without a sheet name");
  if (!d->packed && !crv_decision_pack(d, a, err)) return false;
  if (!next_number(tx, &d->number, err)) return false;
  if (!crv_decision_content(d, d->result_sha, content, err)) return false;
  snprintf(key, sizeof key, "%lld", (long long)d->number);
  struct crv_ledger_row row = {.kind = "decision",
                               .key = key,
                               .version = 1,
                               .content_digest = content,
                               .recorded_by = d->who};
  d->previous_digest = crv_arena_strdup(a, tx->head->digest);
  if (!d->previous_digest) return no_memory(err);
  if (!crv_ledger_append(tx, &row, err)) return false;
  d->seq = row.seq;
  d->digest = crv_arena_strdup(a, row.digest);
  return d->digest ? insert(tx, d, err) : no_memory(err);
}
