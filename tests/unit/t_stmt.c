/* The sticky query and a connection's settings, on the real schema. */
#include <stdio.h>
#include <string.h>

#include "db/conn.h"
#include "db/internal.h"
#include "db/migrate.h"
#include "tests/unit/storetest.h"

static struct st_place p;
static struct crv_db w, r;

static void setup(void) {
  char path[300];
  int rc;
  st_begin(&p);
  st_open(&p);
  st_token(&p, "ana");
  st_token(&p, "rui");
  st_close(&p);
  snprintf(path, sizeof path, "%s/crivo.db", p.dir);
  ck_assert_msg(crv_conn_open(&w, path, true, &rc, p.err), "%s", p.err->log);
  ck_assert_msg(crv_db_prepare(&w, p.err), "%s", p.err->log);
  ck_assert_msg(crv_conn_open(&r, path, false, &rc, p.err), "%s", p.err->log);
  ck_assert_msg(crv_db_prepare(&r, p.err), "%s", p.err->log);
  crv_err_init(p.err);
}
static void teardown(void) {
  crv_db_close(&r);
  crv_db_close(&w);
  st_end(&p);
}

enum { TOKEN_BY_ID, TOKEN_ALL, TOKEN_INSERT }; /* as db/token.c numbers them */

static void fails_as(struct crv_q *q, enum crv_code code) {
  ck_assert(!crv_q_row(q));
  ck_assert(!crv_q_end(q, p.err));
  ck_assert_int_eq(p.err->code, code);
  ck_assert_str_ne(p.err->log, "");
  ck_assert_uint_eq(w.live, 0);
}

START_TEST(rows_come_and_the_end_is_no_error) {
  _query_ struct crv_q q = crv_q_open(&r, CRV_SET_TOKEN, TOKEN_ALL);
  int n = 0;
  while (crv_q_row(&q)) ck_assert_int_eq(crv_q_get_int(&q, 0), ++n);
  ck_assert_int_eq(n, 2);
  ck_assert(!crv_q_row(&q));
  ck_assert(crv_q_end(&q, p.err));
  ck_assert_int_eq(p.err->code, CRV_OK);
}
END_TEST

START_TEST(an_unbound_parameter_is_an_error_and_not_null) {
  _query_ struct crv_q q = crv_q_open(&w, CRV_SET_TOKEN, TOKEN_BY_ID);
  fails_as(&q, CRV_INTERNAL);
}
END_TEST

START_TEST(a_parameter_out_of_range_is_an_error) {
  _query_ struct crv_q q = crv_q_open(&w, CRV_SET_TOKEN, TOKEN_BY_ID);
  crv_q_int(&q, 1, 1);
  crv_q_int(&q, 2, 1);
  fails_as(&q, CRV_INTERNAL);
}
END_TEST

START_TEST(bad_text_is_not_bound) {
  static const struct {
    const char *s;
    size_t len;
  } bad[] = {{"\xff", 1}, {"a\0b", 3}, {"\xed\xa0\x80", 3}, {"\xc0\x80", 2}};
  _query_ struct crv_q q = crv_q_open(&w, CRV_SET_SHEET, 0);
  crv_q_text_n(&q, 1, bad[_i].s, bad[_i].len);
  crv_q_int(&q, 2, 1);
  fails_as(&q, CRV_INTERNAL);
}
END_TEST

START_TEST(a_column_of_another_type_is_an_error_later) {
  _query_ struct crv_q q = crv_q_open(&w, CRV_SET_TOKEN, TOKEN_ALL);
  ck_assert(crv_q_row(&q));
  if (_i == 0) crv_q_get_int(&q, 1);
  if (_i == 1) crv_q_get_text(&q, 0, NULL);
  if (_i == 2) crv_q_get_blob(&q, 1, NULL);
  if (_i == 3) crv_q_get_int(&q, 5); /* NULL where a number must be */
  fails_as(&q, CRV_INTERNAL);
}
END_TEST

START_TEST(absent_values_are_null) {
  _query_ struct crv_q q = crv_q_open(&w, CRV_SET_TOKEN, TOKEN_ALL);
  size_t len = 7;
  ck_assert(crv_q_row(&q));
  ck_assert(!crv_q_get_opt(&q, 5).set);
  ck_assert_ptr_null(crv_q_get_text(&q, 5, &len));
  ck_assert_uint_eq(len, 0);
  ck_assert_ptr_null(crv_q_dup_text(&q, 5, p.arena, NULL));
  ck_assert(crv_q_end(&q, p.err));
}
END_TEST

/* A loop must not take an error for the last row. */
START_TEST(an_error_between_rows_is_no_end) {
  _query_ struct crv_q q = crv_q_open(&w, CRV_SET_TOKEN, TOKEN_ALL);
  ck_assert(crv_q_row(&q));
  sqlite3_interrupt(w.h);
  fails_as(&q, CRV_INTERNAL);
}
END_TEST

START_TEST(a_running_statement_is_not_started_again) {
  _query_ struct crv_q q = crv_q_open(&w, CRV_SET_TOKEN, TOKEN_ALL);
  ck_assert(crv_q_row(&q));
  {
    _query_ struct crv_q again = crv_q_open(&w, CRV_SET_TOKEN, TOKEN_ALL);
    ck_assert(!crv_q_row(&again));
    ck_assert(!crv_q_end(&again, p.err));
    ck_assert_int_eq(p.err->code, CRV_INTERNAL);
  }
  ck_assert(crv_q_row(&q));
  ck_assert_int_eq(crv_q_get_int(&q, 0), 2);
  ck_assert(crv_q_end(&q, p.err));
}
END_TEST

START_TEST(leaving_the_scope_resets) {
  {
    _query_ struct crv_q q = crv_q_open(&r, CRV_SET_TOKEN, TOKEN_ALL);
    ck_assert(crv_q_row(&q));
    ck_assert_uint_eq(r.live, 1);
  }
  ck_assert_uint_eq(r.live, 0);
  ck_assert(!sqlite3_stmt_busy(r.st[CRV_SET_TOKEN][TOKEN_ALL]));
}
END_TEST

START_TEST(a_full_arena_is_out_of_memory_and_spoils_nothing) {
  struct crv_arena *small = crv_arena_new(1);
  _query_ struct crv_q q = crv_q_open(&w, CRV_SET_TOKEN, TOKEN_ALL);
  ck_assert(crv_q_row(&q));
  ck_assert_ptr_null(crv_q_dup_text(&q, 3, small, NULL));
  ck_assert(!crv_q_end(&q, p.err));
  ck_assert_int_eq(p.err->code, CRV_OUT_OF_MEMORY);
  ck_assert_int_eq(w.fault, SQLITE_OK);
  crv_arena_free(small);
}
END_TEST

START_TEST(readers_have_no_statement_that_writes) {
  _query_ struct crv_q q = crv_q_open(&r, CRV_SET_TOKEN, TOKEN_INSERT);
  ck_assert(!crv_q_row(&q));
  ck_assert(!crv_q_end(&q, p.err));
  ck_assert_int_eq(sqlite3_exec(r.h, "DELETE FROM token", 0, 0, 0) & 0xff, SQLITE_READONLY);
  st_exec(w.h, "UPDATE token SET last_used_at = 5");
  int rc = sqlite3_wal_checkpoint_v2(r.h, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
  ck_assert_int_ne(rc, SQLITE_OK);
}
END_TEST

START_TEST(a_constraint_is_an_error_of_ours_and_its_text_stays_inside) {
  _query_ struct crv_q q = crv_q_open(&w, CRV_SET_TOKEN, TOKEN_INSERT);
  crv_q_text(&q, 1, "x");
  crv_q_text(&q, 2, "emperor");
  crv_q_text(&q, 3, "not hex");
  crv_q_int(&q, 4, 1);
  crv_q_null(&q, 5);
  ck_assert(!crv_q_run(&q, p.err));
  ck_assert_int_eq(p.err->code, CRV_INTERNAL);
  ck_assert_ptr_nonnull(strstr(p.err->log, "CHECK"));
  ck_assert_ptr_null(strstr(p.err->detail, "CHECK"));
  ck_assert_int_eq(w.fault, SQLITE_OK);
}
END_TEST

static const struct {
  int rc;
  enum crv_code code;
  bool spoils;
} codes[] = {
    {SQLITE_FULL, CRV_READ_ONLY, true},
    {SQLITE_READONLY_DBMOVED, CRV_READ_ONLY, true},
    {SQLITE_CANTOPEN, CRV_READ_ONLY, true},
    {SQLITE_BUSY, CRV_OVERLOADED, false},
    {SQLITE_BUSY_SNAPSHOT, CRV_OVERLOADED, false},
    {SQLITE_NOMEM, CRV_OUT_OF_MEMORY, true},
    {SQLITE_IOERR_NOMEM, CRV_INTERNAL, true},
    {SQLITE_IOERR_FSYNC, CRV_INTERNAL, true},
    {SQLITE_CORRUPT, CRV_INTERNAL, true},
    {SQLITE_CONSTRAINT_CHECK, CRV_INTERNAL, false},
    {SQLITE_MISUSE, CRV_INTERNAL, false},
};

START_TEST(result_codes_become_our_codes) {
  ck_assert(!crv_db_fail(&w, codes[_i].rc, "table/3", p.err));
  ck_assert_int_eq(p.err->code, codes[_i].code);
  ck_assert_int_eq(w.fault != SQLITE_OK, codes[_i].spoils);
  ck_assert_ptr_nonnull(strstr(p.err->log, "table/3"));
  ck_assert_ptr_null(strstr(p.err->detail, "table/3"));
  ck_assert_int_eq(w.busy_errors, (codes[_i].rc & 0xff) == SQLITE_BUSY);
}
END_TEST

static const struct {
  const char *sql;
  int64_t writer, reader;
} settings[] = {
    {"SELECT foreign_keys FROM pragma_foreign_keys", 1, 1},
    {"SELECT * FROM pragma_busy_timeout", 2000, 2000},
    {"SELECT * FROM pragma_synchronous", 2, 2},
    {"SELECT journal_mode = 'wal' FROM pragma_journal_mode", 1, 1},
    {"SELECT * FROM pragma_cell_size_check", 1, 1},
    {"SELECT * FROM pragma_recursive_triggers", 1, 1},
    {"SELECT * FROM pragma_query_only", 0, 1},
};

START_TEST(settings_took_on_every_connection) {
  ck_assert_int_eq(st_number(w.h, settings[_i].sql), settings[_i].writer);
  ck_assert_int_eq(st_number(r.h, settings[_i].sql), settings[_i].reader);
}
END_TEST

START_TEST(double_quotes_make_no_text) {
  sqlite3_stmt *st = NULL;
  ck_assert_int_ne(sqlite3_prepare_v2(w.h, "SELECT \"no_such\" FROM token", -1, &st, NULL),
                   SQLITE_OK);
  ck_assert_int_ne(
      sqlite3_exec(w.h, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql=''", 0, 0, 0),
      SQLITE_OK);
  ck_assert_int_ne(sqlite3_exec(w.h, "SELECT load_extension('x')", 0, 0, 0), SQLITE_OK);
  ck_assert_int_ne(sqlite3_exec(w.h, "ATTACH ':memory:' AS x", 0, 0, 0), SQLITE_OK);
}
END_TEST

/* A schema that lacks a column is found when the statements are prepared. */
START_TEST(a_statement_that_does_not_fit_stops_the_start) {
  struct crv_db other;
  char path[300];
  int rc;
  snprintf(path, sizeof path, "%s/crivo.db", p.dir);
  st_exec(w.h, "ALTER TABLE token RENAME COLUMN hash TO secret");
  ck_assert(crv_conn_open(&other, path, true, &rc, p.err));
  ck_assert(!crv_db_prepare(&other, p.err));
  ck_assert_ptr_nonnull(strstr(p.err->log, "token/"));
  crv_db_close(&other);
}
END_TEST

static void add(TCase *tc) {
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, rows_come_and_the_end_is_no_error);
  tcase_add_test(tc, an_unbound_parameter_is_an_error_and_not_null);
  tcase_add_test(tc, a_parameter_out_of_range_is_an_error);
  tcase_add_loop_test(tc, bad_text_is_not_bound, 0, 4);
  tcase_add_loop_test(tc, a_column_of_another_type_is_an_error_later, 0, 4);
  tcase_add_test(tc, absent_values_are_null);
  tcase_add_test(tc, an_error_between_rows_is_no_end);
  tcase_add_test(tc, a_running_statement_is_not_started_again);
  tcase_add_test(tc, leaving_the_scope_resets);
  tcase_add_test(tc, a_full_arena_is_out_of_memory_and_spoils_nothing);
  tcase_add_test(tc, readers_have_no_statement_that_writes);
  tcase_add_test(tc, a_constraint_is_an_error_of_ours_and_its_text_stays_inside);
  tcase_add_loop_test(tc, result_codes_become_our_codes, 0, sizeof codes / sizeof *codes);
  tcase_add_loop_test(tc, settings_took_on_every_connection, 0, sizeof settings / sizeof *settings);
  tcase_add_test(tc, double_quotes_make_no_text);
  tcase_add_test(tc, a_statement_that_does_not_fit_stops_the_start);
}

int main(void) {
  return st_main("stmt", add, 60);
}
