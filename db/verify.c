/* Checks the whole ledger: the sequence has no gap, each digest is chained to the one before, each
   stored row still has the content that its ledger row was made for, no stored row is without one.
   Must not know: what the rows mean beyond their digests. */
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "db/internal.h"

enum { ALL, ORPHAN };
#define UNLISTED(T, KIND, K, V) \
  "SELECT '" KIND "' AS kind, v." K " AS key, v." V " AS version, v.seq AS seq FROM " T " v " \
  "WHERE NOT EXISTS (SELECT 1 FROM ledger l WHERE l.seq = v.seq AND l.kind = '" KIND "')"
static const struct crv_stmt_def stmts[] = {
    {ALL, CRV_READ,
     "SELECT seq, kind, key, version, content_digest, recorded_at, recorded_by, digest "
     "FROM ledger ORDER BY seq"},
    {ORPHAN, CRV_READ,
     "SELECT kind, key, version, seq FROM (" UNLISTED("sheet_revision", "sheet", "name", "revision") " UNION ALL " UNLISTED(
         "offer_version", "offer", "key",
         "version") " UNION ALL " UNLISTED("piece_version", "piece", "key",
                                           "version") " UNION ALL " UNLISTED("piece_content",
                                                                             "content", "key",
                                                                             "version") " UNION "
                                                                                        "ALL "
                                                                                        "SELECT "
                                                                                        "'decision'"
                                                                                        ", "
                                                                                        "CAST(d."
                                                                                        "number AS "
                                                                                        "TEXT), 1, "
                                                                                        "d.seq "
                                                                                        "FROM "
                                                                                        "decision "
                                                                                        "d "
                                                                                        "WHERE NOT "
                                                                                        "EXISTS "
                                                                                        "(SELECT 1 "
                                                                                        "FROM "
                                                                                        "ledger l "
                                                                                        "WHERE "
                                                                                        "l.seq = "
                                                                                        "d.seq AND "
                                                                                        "l.kind = "
                                                                                        "'decision'"
                                                                                        ")"
                                                                                        ") ORDER "
                                                                                        "BY seq "
                                                                                        "LIMIT 1"},
};
const struct crv_stmt_table crv_verify_stmts = {"verify", stmts, sizeof stmts / sizeof *stmts};

struct walk {
  struct crv_rtx *tx;
  struct crv_err *err;
  int64_t size;
  char previous[CRV_SHA256_HEX];
  int64_t orphan; /* sequence number of the first row without a ledger row; INT64_MAX: none */
};

/* Always false: the record at seq is the first bad one. */
static bool bad(struct walk *w, const struct crv_ledger_row *row, const char *why) {
  return crv_fail(w->err, CRV_CONFLICT, "Record %lld (%s %.128s version %lld): %s.",
                  (long long)row->seq, row->kind, row->key, (long long)row->version, why);
}

/* Errors of reading one row: absent or unreadable means damaged, the rest passes on. */
static bool lost(struct walk *w, const struct crv_ledger_row *row) {
  enum crv_code code = w->err->code;
  if (code == CRV_NOT_FOUND) return bad(w, row, "the record itself is missing");
  if (code == CRV_INTERNAL) return bad(w, row, "the record itself cannot be read");
  return false;
}

static bool hashes_to(const void *p, size_t len, const char *want) {
  char hex[CRV_SHA256_HEX];
  return crv_streq(crv_sha256_hex(p, len, hex), want);
}

static bool check_version(struct walk *w, const struct crv_ledger_row *row, enum crv_aggregate agg,
                          struct crv_arena *a) {
  struct crv_version v;
  char content[CRV_SHA256_HEX];
  if (!crv_version_by_seq(w->tx, agg, row->seq, a, &v, w->err)) return lost(w, row);
  if (!crv_streq(v.key, row->key) || v.version != row->version)
    return bad(w, row, "the record has another key or version");
  const char *text = v.canonical ? v.canonical : "";
  if (!hashes_to(text, v.canonical_len, v.digest) || v.withdrawn != !v.canonical)
    return bad(w, row, "the record's content was changed");
  if (v.raw ? !hashes_to(v.raw, v.raw_len, v.raw_digest) : v.raw_digest != NULL)
    return bad(w, row, "the record's raw bytes were changed");
  if (!crv_version_content(&v, content, w->err)) return false;
  return strcmp(content, row->content_digest) == 0 ||
         bad(w, row, "the record is not the one that was entered");
}

static bool check_content(struct walk *w, const struct crv_ledger_row *row, struct crv_arena *a) {
  struct crv_content c = {0};
  char content[CRV_SHA256_HEX];
  if (!crv_content_by_seq(w->tx, row->seq, a, &c, w->err)) return lost(w, row);
  if (!crv_streq(c.key, row->key) || c.version != row->version)
    return bad(w, row, "the content belongs to another record");
  if (c.bytes && !hashes_to(c.bytes, c.len, c.sha256))
    return bad(w, row, "the content's bytes were changed");
  if (!crv_content_content(&c, content, w->err)) return false;
  return strcmp(content, row->content_digest) == 0 ||
         bad(w, row, "the content is not the one that was entered");
}

static bool check_decision(struct walk *w, const struct crv_ledger_row *row, struct crv_arena *a) {
  struct crv_decision_row d;
  char key[24], sha[CRV_SHA256_HEX], content[CRV_SHA256_HEX];
  if (!crv_decision_by_seq(w->tx, row->seq, a, &d, w->err)) return lost(w, row);
  snprintf(key, sizeof key, "%lld", (long long)d.number);
  if (!crv_streq(key, row->key) || row->version != 1)
    return bad(w, row, "the decision has another number");
  crv_sha256_hex(d.result, d.result_len, sha);
  if (!crv_decision_content(&d, sha, content, w->err)) return false;
  return strcmp(content, row->content_digest) == 0 ||
         bad(w, row, "the decision is not the one that was entered");
}

static bool check_record(struct walk *w, const struct crv_ledger_row *row) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  if (!a) return crv_fail(w->err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  if (strcmp(row->kind, "sheet") == 0) return check_version(w, row, CRV_AGG_SHEET, a);
  if (strcmp(row->kind, "offer") == 0) return check_version(w, row, CRV_AGG_OFFER, a);
  if (strcmp(row->kind, "piece") == 0) return check_version(w, row, CRV_AGG_PIECE, a);
  if (strcmp(row->kind, "content") == 0) return check_content(w, row, a);
  if (strcmp(row->kind, "decision") == 0) return check_decision(w, row, a);
  return bad(w, row, "its kind is not known");
}

static bool missing(struct walk *w, int64_t seq) {
  return crv_fail(w->err, CRV_CONFLICT, "Record %lld: it is missing from the ledger.",
                  (long long)seq);
}

static bool check_row(struct walk *w, const struct crv_ledger_row *row) {
  char chained[CRV_SHA256_HEX];
  if (row->seq != w->size + 1) return missing(w, w->size + 1);
  crv_ledger_chain(w->previous, row, chained);
  if (strcmp(chained, row->digest) != 0)
    return bad(w, row, "its digest does not follow from the record before");
  if (!check_record(w, row)) return false;
  snprintf(w->previous, sizeof w->previous, "%s", row->digest);
  w->size = row->seq;
  return true;
}

/* The first stored row without a ledger row: named only when the walk finds nothing before it. */
static bool find_orphan(struct walk *w, struct crv_arena *a, struct crv_ledger_row *ret) {
  _query_ struct crv_q q = crv_q_open(w->tx->db, CRV_SET_VERIFY, ORPHAN);
  w->orphan = INT64_MAX;
  if (crv_q_row(&q)) {
    ret->kind = crv_q_dup_text(&q, 0, a, NULL);
    ret->key = crv_q_dup_text(&q, 1, a, NULL);
    ret->version = crv_q_get_int(&q, 2);
    ret->seq = crv_q_get_int(&q, 3);
    w->orphan = ret->seq;
  }
  return crv_q_end(&q, w->err);
}

bool crv_rd_ledger_verify(struct crv_rtx *tx, struct crv_ledger_head *ret, struct crv_err *err) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct walk w = {.tx = tx, .err = err};
  struct crv_ledger_row row, orphan = {0};
  if (!a) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  snprintf(w.previous, sizeof w.previous, "%s", crv_ledger_genesis);
  if (!find_orphan(&w, a, &orphan)) return false;
  _query_ struct crv_q q = crv_q_open(tx->db, CRV_SET_VERIFY, ALL);
  while (crv_q_row(&q) && crv_ledger_take(&q, &row)) {
    if (row.seq > w.orphan) break;
    if (!check_row(&w, &row)) return false;
  }
  if (!crv_q_end(&q, err)) return false;
  if (w.orphan != INT64_MAX && w.orphan <= w.size + 1)
    return bad(&w, &orphan, "it is missing from the ledger");
  if (w.size < tx->known) return missing(&w, w.size + 1);
  if (w.orphan != INT64_MAX) return bad(&w, &orphan, "it is missing from the ledger");
  ret->size = w.size;
  snprintf(ret->digest, sizeof ret->digest, "%s", w.previous);
  return true;
}
