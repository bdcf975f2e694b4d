/* How the store opens and closes: the folder, its lock, files that are not ours. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/storetest.h"

static struct st_place p;
static void setup(void) {
  st_begin(&p);
  st_open(&p);
}
static void teardown(void) {
  st_end(&p);
}

static mode_t mode_of(const char *name) {
  char path[300];
  struct stat is;
  snprintf(path, sizeof path, "%s/%s", p.dir, name);
  ck_assert_int_eq(stat(path, &is), 0);
  return is.st_mode & 0777;
}

START_TEST(files_are_for_their_owner_only) {
  st_close(&p);
  ck_assert_int_eq(rmdir(p.dir) == 0, 0);
  struct st_place q = p;
  snprintf(p.dir + strlen(p.dir), 10, "/inner");
  umask(0);
  st_open(&p);
  st_put(&p, CRV_AGG_SHEET, "k", "{}");
  ck_assert_uint_eq(mode_of("."), 0700);
  ck_assert_uint_eq(mode_of("crivo.db"), 0600);
  ck_assert_uint_eq(mode_of("crivo.db-wal"), 0600);
  ck_assert_uint_eq(mode_of("crivo.lock"), 0600);
  st_close(&p);
  memcpy(p.dir, q.dir, sizeof p.dir);
}
END_TEST

START_TEST(a_second_store_on_the_folder_is_refused) {
  struct st_place q = p;
  ck_assert_int_eq(st_try_open(&q), 75);
  ck_assert_int_eq(q.err->code, CRV_CONFLICT);
  ck_assert_ptr_nonnull(strstr(q.err->detail, p.dir));
  st_close(&p);
  st_open(&p);
}
END_TEST

static void overwrite(const char *name, const char *text, size_t len) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s", p.dir, name);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
  close(fd);
}

START_TEST(what_is_no_database_is_refused) {
  char text[4096];
  st_close(&p);
  memset(text, 'x', sizeof text);
  if (_i == 1) memcpy(text, "SQLite format 3", 16);
  overwrite("crivo.db", text, _i == 2 ? 10 : sizeof text);
  ck_assert_int_eq(st_try_open(&p), 65);
  ck_assert_ptr_nonnull(strstr(p.err->detail, "crivo.db"));
}
END_TEST

START_TEST(a_database_of_another_program_is_left_as_it_is) {
  st_close(&p);
  overwrite("crivo.db", "", 0);
  sqlite3 *h = st_raw(&p);
  st_exec(h, "CREATE TABLE t(a)");
  if (_i == 1) st_exec(h, "PRAGMA application_id = 7");
  sqlite3_close(h);
  ck_assert_int_eq(st_try_open(&p), 65);
  ck_assert_ptr_nonnull(strstr(p.err->detail, "another program"));
  h = st_raw(&p);
  ck_assert_int_eq(st_number(h, "SELECT count(*) FROM sqlite_schema"), 1);
  ck_assert_int_eq(st_number(h, "SELECT journal_mode = 'delete' FROM pragma_journal_mode"), 1);
  sqlite3_close(h);
}
END_TEST

START_TEST(a_newer_schema_is_refused) {
  st_close(&p);
  sqlite3 *h = st_raw(&p);
  st_exec(h, "PRAGMA user_version = 900");
  sqlite3_close(h);
  ck_assert_int_eq(st_try_open(&p), 65);
  ck_assert_ptr_nonnull(strstr(p.err->detail, "newer"));
}
END_TEST

START_TEST(folders_above_that_were_missing_kept_a_new_machine_from_starting) {
  char whole[sizeof p.dir];
  st_close(&p);
  memcpy(whole, p.dir, sizeof whole);
  snprintf(p.dir + strlen(p.dir), 24, "/.local//state/crivo%s", _i ? "/" : "");
  umask(0);
  st_open(&p);
  ck_assert_uint_eq(mode_of("."), 0700);
  ck_assert_uint_eq(mode_of(".."), 0700);
  st_close(&p);
  memcpy(p.dir, whole, sizeof whole);
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_named) {
  st_close(&p);
  char whole[sizeof p.dir];
  memcpy(whole, p.dir, sizeof whole);
  overwrite("file", "x", 1);
  snprintf(p.dir + strlen(p.dir), 10, _i ? "/file/in" : "/file");
  ck_assert_int_eq(st_try_open(&p), 73);
  ck_assert_ptr_nonnull(strstr(p.err->detail, p.dir));
  memcpy(p.dir, whole, sizeof whole);
}
END_TEST

START_TEST(a_symbolic_link_is_not_followed) {
  char path[300];
  st_close(&p);
  snprintf(path, sizeof path, "%s/crivo.db", p.dir);
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(symlink("/dev/null", path), 0);
  ck_assert_int_eq(st_try_open(&p), 73);
  ck_assert_ptr_nonnull(strstr(p.err->detail, "symbolic link"));
}
END_TEST

START_TEST(an_empty_file_is_a_new_database) {
  st_close(&p);
  overwrite("crivo.db", "", 0);
  st_open(&p);
  st_put(&p, CRV_AGG_SHEET, "k", "{}");
}
END_TEST

START_TEST(closing_leaves_one_whole_file) {
  char path[300];
  struct crv_store_stats s;
  st_fill(&p);
  crv_store_stats(p.store, &s);
  ck_assert_int_gt(s.wal_bytes, 0);
  ck_assert_int_gt(s.db_bytes, 0);
  ck_assert_int_ge(s.commits, ST_FILLED);
  ck_assert_int_ge(s.writes, ST_FILLED);
  ck_assert_int_eq(s.queue_depth, 0);
  ck_assert(!s.read_only && !s.why);
  ck_assert(crv_store_writable(p.store, NULL));
  st_close(&p);
  snprintf(path, sizeof path, "%s/crivo.db-wal", p.dir);
  ck_assert_int_ne(access(path, F_OK), 0);
  st_open(&p);
  ck_assert_int_eq(crv_store_position(p.store), ST_FILLED);
}
END_TEST

static void add(TCase *tc) {
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, files_are_for_their_owner_only);
  tcase_add_test(tc, a_second_store_on_the_folder_is_refused);
  tcase_add_loop_test(tc, what_is_no_database_is_refused, 0, 3);
  tcase_add_loop_test(tc, a_database_of_another_program_is_left_as_it_is, 0, 2);
  tcase_add_test(tc, a_newer_schema_is_refused);
  tcase_add_loop_test(tc, folders_above_that_were_missing_kept_a_new_machine_from_starting, 0, 2);
  tcase_add_loop_test(tc, a_folder_that_cannot_be_made_is_named, 0, 2);
  tcase_add_test(tc, a_symbolic_link_is_not_followed);
  tcase_add_test(tc, an_empty_file_is_a_new_database);
  tcase_add_test(tc, closing_leaves_one_whole_file);
}

int main(void) {
  return st_main("open", add, 60);
}
