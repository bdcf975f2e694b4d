/* The ledger: the chain is what its definition says, and whatever anybody changes, deletes, inserts
   or reorders behind the store's back is found and the first bad record named. Each case happens in
   a transaction that is rolled back after the check. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/conn.h"
#include "db/internal.h"
#include "tests/unit/storetest.h"

static struct st_place p;
static struct crv_db w;

static void open_behind(void) {
  static const char *const unlock[] = {"ledger",        "sheet_revision", "offer_version",
                                       "piece_version", "piece_content",  "decision"};
  char path[300], sql[200];
  int rc;
  snprintf(path, sizeof path, "%s/crivo.db", p.dir);
  ck_assert(crv_conn_open(&w, path, true, &rc, p.err));
  for (size_t i = 0; i < sizeof unlock / sizeof *unlock; i++) {
    snprintf(sql, sizeof sql, "DROP TRIGGER %s_kept; DROP TRIGGER %s_not_deleted", unlock[i],
             unlock[i]);
    st_exec(w.h, sql);
  }
  st_exec(w.h, "PRAGMA foreign_keys = OFF");
  st_exec(w.h, "PRAGMA ignore_check_constraints = ON");
  ck_assert_msg(crv_db_prepare(&w, p.err), "%s", p.err->log);
}

static void setup(void) {
  st_begin(&p);
  st_open(&p);
  st_fill(&p);
  st_close(&p);
  open_behind();
}
static void teardown(void) {
  crv_db_close(&w);
  st_end(&p);
}

static bool verify(int64_t known, struct crv_ledger_head *ret) {
  struct crv_rtx tx = {.db = &w, .known = known};
  crv_err_init(p.err);
  return crv_rd_ledger_verify(&tx, ret, p.err);
}

/* The number that the detail names, 0 when there is none. */
static int64_t named(void) {
  if (strncmp(p.err->detail, "Record ", 7) != 0) return 0;
  return strtoll(p.err->detail + 7, NULL, 10);
}

static void must_find(int64_t seq, const char *did) {
  struct crv_ledger_head head;
  ck_assert_msg(!verify(0, &head), "not found: %s", did);
  ck_assert_int_eq(p.err->code, CRV_CONFLICT);
  ck_assert_msg(named() == seq, "%s: %s, and not record %lld", did, p.err->detail, (long long)seq);
}

START_TEST(an_untouched_ledger_verifies) {
  struct crv_ledger_head head, again;
  ck_assert_msg(verify(ST_FILLED, &head), "%s", p.err->detail);
  ck_assert_int_eq(head.size, ST_FILLED);
  struct crv_rtx tx = {.db = &w};
  ck_assert(crv_rd_ledger_head(&tx, &again, p.err));
  ck_assert_int_eq(again.size, head.size);
  ck_assert_str_eq(again.digest, head.digest);
}
END_TEST

START_TEST(an_empty_ledger_verifies) {
  struct st_place q;
  struct crv_ledger_head head;
  st_begin(&q);
  st_open(&q);
  ck_assert(st_verify(&q, &head));
  ck_assert_int_eq(head.size, 0);
  ck_assert_str_eq(head.digest, crv_ledger_genesis);
  st_end(&q);
}
END_TEST

/* The definition, put together here once more by hand. */
START_TEST(the_chain_is_as_defined) {
  char text[500], hex[CRV_SHA256_HEX];
  struct crv_ledger_row row = {.seq = 12,
                               .kind = "offer",
                               .key = "card",
                               .version = 3,
                               .content_digest = "c0ffee",
                               .recorded_at = 1790000000000,
                               .recorded_by = "ana"};
  snprintf(text, sizeof text, "%s\n12\noffer\ncard\n3\nc0ffee\n1790000000000\nana",
           crv_ledger_genesis);
  char want[CRV_SHA256_HEX];
  crv_sha256_hex(text, strlen(text), want);
  ck_assert_str_eq(crv_ledger_chain(crv_ledger_genesis, &row, hex), want);
}
END_TEST

/* -- every column of every row ------------------------------------------------------------- */

static const char *const tables[] = {"ledger",        "sheet_revision", "offer_version",
                                     "piece_version", "piece_content",  "decision"};

/* A value that differs, of the same type: what stands before and after the column's name. */
static void mutation(const char *type, const char **before, const char **after) {
  bool number = strcmp(type, "INTEGER") == 0, text = strcmp(type, "TEXT") == 0;
  *before = text || number ? "coalesce(" : "CAST(coalesce(";
  *after = number ? ", 0) + 1000" : text ? ", '') || 'x'" : ", x'') || 'x' AS BLOB)";
}

/* Changes one column of the row of a sequence number; what that should be named as in *ret_seq. */
static void change(const char *table, const char *column, const char *type, int64_t seq) {
  const char *before, *after;
  mutation(type, &before, &after);
  char *sql = crv_arena_printf(p.arena, "UPDATE %s SET %s = %s%s%s WHERE seq = %lld", table, column,
                               before, column, after, (long long)seq);
  st_exec(w.h, "BEGIN");
  st_exec(w.h, sql);
  ck_assert_int_eq(sqlite3_changes(w.h), 1);
  must_find(seq, sql);
  st_exec(w.h, "ROLLBACK");
}

START_TEST(any_changed_column_of_any_row_is_found) {
  const char *table = tables[_i];
  char *columns =
      crv_arena_printf(p.arena, "SELECT name, type FROM pragma_table_info('%s')", table);
  char *rows = crv_arena_printf(p.arena, "SELECT seq FROM %s", table);
  char name[40][40], type[40][10];
  int64_t seqs[20];
  int n = 0, m = 0;
  sqlite3_stmt *st;
  ck_assert_int_eq(sqlite3_prepare_v2(w.h, columns, -1, &st, NULL), SQLITE_OK);
  for (; sqlite3_step(st) == SQLITE_ROW; n++) {
    snprintf(name[n], sizeof name[n], "%s", (const char *)sqlite3_column_text(st, 0));
    snprintf(type[n], sizeof type[n], "%s", (const char *)sqlite3_column_text(st, 1));
  }
  sqlite3_finalize(st);
  ck_assert_int_eq(sqlite3_prepare_v2(w.h, rows, -1, &st, NULL), SQLITE_OK);
  for (; sqlite3_step(st) == SQLITE_ROW; m++) seqs[m] = sqlite3_column_int64(st, 0);
  sqlite3_finalize(st);
  ck_assert_int_gt(n * m, 0);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) change(table, name[i], type[i], seqs[j]);
}
END_TEST

START_TEST(any_deleted_row_is_found) {
  for (int64_t seq = 1; seq <= ST_FILLED; seq++) {
    char *sql =
        crv_arena_printf(p.arena, "DELETE FROM %s WHERE seq = %lld", tables[_i], (long long)seq);
    st_exec(w.h, "BEGIN");
    st_exec(w.h, sql);
    if (sqlite3_changes(w.h)) must_find(seq, sql);
    st_exec(w.h, "ROLLBACK");
  }
}
END_TEST

static const struct {
  const char *sql;
  int64_t seq;
} cases[] = {
    /* inserted */
    {"INSERT INTO ledger SELECT 10, kind, 'new', 1, content_digest, recorded_at, recorded_by, "
     "digest "
     "FROM ledger WHERE seq = 3",
     10},
    {"INSERT INTO sheet_revision SELECT 10, 'new', 1, withdrawn, digest, raw_digest, canonical, "
     "raw "
     "FROM sheet_revision WHERE seq = 3",
     10},
    {"INSERT INTO offer_version SELECT 3, 'new', 1, source_key, source_version, withdrawn, digest, "
     "raw_digest, canonical, raw FROM offer_version WHERE seq = 5",
     3},
    {"INSERT INTO piece_version SELECT -4, 'new', 1, kind, withdrawn, digest, raw_digest, "
     "canonical, "
     "raw FROM piece_version WHERE seq = 1",
     -4},
    {"INSERT INTO ledger SELECT 0, kind, 'new', 1, content_digest, recorded_at, recorded_by, "
     "digest "
     "FROM ledger WHERE seq = 3",
     1},
    /* reordered: two ledger rows, two records, both together */
    {"UPDATE ledger SET seq = 100 WHERE seq = 3; UPDATE ledger SET seq = 3 WHERE seq = 4; "
     "UPDATE ledger SET seq = 4 WHERE seq = 100",
     3},
    {"UPDATE sheet_revision SET seq = 100 WHERE seq = 3; "
     "UPDATE sheet_revision SET seq = 3 WHERE seq = 4; "
     "UPDATE sheet_revision SET seq = 4 WHERE seq = 100",
     3},
    {"UPDATE decision SET number = 9 WHERE number = 1; UPDATE decision SET number = 1 WHERE "
     "number = 2; UPDATE decision SET number = 2 WHERE number = 9",
     7},
    {"UPDATE ledger SET seq = seq + 100 WHERE seq >= 8; UPDATE decision SET seq = 108 WHERE seq = "
     "8; "
     "UPDATE piece_version SET seq = 109 WHERE seq = 9",
     8},
    /* a record and its ledger row deleted together in the middle */
    {"DELETE FROM ledger WHERE seq = 4; DELETE FROM sheet_revision WHERE seq = 4", 4},
    /* content replaced together with its digests, but for the ledger */
    {"UPDATE sheet_revision SET canonical = (SELECT canonical FROM sheet_revision WHERE seq = 3), "
     "digest = (SELECT digest FROM sheet_revision WHERE seq = 3) WHERE seq = 4",
     4},
    {"UPDATE piece_content SET bytes = x'00', size = 1, sha256 = "
     "'6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'",
     2},
    /* the author of a record, and a result exchanged for another that unpacks */
    {"UPDATE ledger SET recorded_by = 'somebody' WHERE seq = 5", 5},
    {"UPDATE decision SET result = (SELECT result FROM decision WHERE number = 2), result_size = "
     "(SELECT result_size FROM decision WHERE number = 2) WHERE number = 1",
     7},
    {"UPDATE decision SET result_size = 1073741824 WHERE number = 1", 7},
};

START_TEST(what_is_inserted_reordered_or_exchanged_is_found) {
  st_exec(w.h, "BEGIN");
  st_exec(w.h, cases[_i].sql);
  must_find(cases[_i].seq, cases[_i].sql);
  st_exec(w.h, "ROLLBACK");
}
END_TEST

START_TEST(the_first_of_several_is_named) {
  st_exec(w.h, "BEGIN");
  st_exec(w.h, "UPDATE decision SET headline = 'x' WHERE number = 2");
  st_exec(w.h, "UPDATE sheet_revision SET raw = x'00' WHERE seq = 3");
  st_exec(w.h, "DELETE FROM ledger WHERE seq = 6");
  must_find(3, "three changes");
  st_exec(w.h, "ROLLBACK");
}
END_TEST

/* The chain alone cannot miss its own end; a running store knows how long it was. */
START_TEST(a_cut_end_is_found_by_a_running_store) {
  struct crv_ledger_head head;
  st_exec(w.h, "DELETE FROM ledger WHERE seq = 9; DELETE FROM piece_version WHERE seq = 9");
  ck_assert(!verify(ST_FILLED, &head));
  ck_assert_int_eq(named(), 9);
}
END_TEST

START_TEST(a_damaged_end_stops_the_start) {
  st_exec(w.h, _i ? "UPDATE ledger SET recorded_by = 'x' WHERE seq = 9"
                  : "DELETE FROM ledger WHERE seq = 8");
  crv_db_close(&w);
  ck_assert_int_eq(st_try_open(&p), 65);
  ck_assert_ptr_nonnull(strstr(p.err->detail, "record 9"));
}
END_TEST

static void add(TCase *tc) {
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, an_untouched_ledger_verifies);
  tcase_add_test(tc, an_empty_ledger_verifies);
  tcase_add_test(tc, the_chain_is_as_defined);
  tcase_add_loop_test(tc, any_changed_column_of_any_row_is_found, 0, 6);
  tcase_add_loop_test(tc, any_deleted_row_is_found, 0, 6);
  tcase_add_loop_test(tc, what_is_inserted_reordered_or_exchanged_is_found, 0,
                      sizeof cases / sizeof *cases);
  tcase_add_test(tc, the_first_of_several_is_named);
  tcase_add_test(tc, a_cut_end_is_found_by_a_running_store);
  tcase_add_loop_test(tc, a_damaged_end_stops_the_start, 0, 2);
}

int main(void) {
  return st_main("ledger", add, 60);
}
