/* Migrations: step by step equals at once, a failed one leaves nothing, what is not ours is
   refused; and embed.awk, which makes the list. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/migrate.h"
#include "tests/unit/storetest.h"

static struct st_place p;
static sqlite3 *h;

static sqlite3 *open_file(const char *name) {
  char path[300];
  sqlite3 *ret;
  snprintf(path, sizeof path, "%s/%s", p.dir, name);
  ck_assert_int_eq(sqlite3_open(path, &ret), SQLITE_OK);
  return ret;
}

static void setup(void) {
  st_begin(&p);
  h = open_file("a.db");
}
static void teardown(void) {
  sqlite3_close(h);
  st_end(&p);
}

static const struct crv_migration three[] = {
    {1, "0001_initial",
     "PRAGMA application_id = 1129469489;"
     "CREATE TABLE schema_migration (version INTEGER PRIMARY KEY, name TEXT, sha256 TEXT, "
     "applied_at INTEGER) STRICT; CREATE TABLE t (a INTEGER) STRICT;",
     "PRAGMA user_version = 1;"},
    {2, "0002_more", "ALTER TABLE t ADD COLUMN b TEXT; INSERT INTO t VALUES (1, 'x');",
     "PRAGMA user_version = 2;"},
    {3, "0003_index", "CREATE INDEX t_by_b ON t (b);", "PRAGMA user_version = 3;"},
};

static bool migrate(sqlite3 *db, const struct crv_migration *list, size_t n) {
  int rc;
  crv_err_init(p.err);
  return crv_migrate(db, list, n, 77, &rc, p.err);
}

/* Every object's SQL, in order of names, as one text. */
static char *schema(sqlite3 *db) {
  sqlite3_stmt *st;
  char *text = NULL;
  ck_assert_int_eq(sqlite3_prepare_v2(db,
                                      "SELECT group_concat(name || ':' || coalesce(sql, ''), x'0a')"
                                      " FROM (SELECT * FROM sqlite_schema ORDER BY name)",
                                      -1, &st, NULL),
                   SQLITE_OK);
  ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
  text = crv_arena_strdup(p.arena, (const char *)sqlite3_column_text(st, 0));
  sqlite3_finalize(st);
  return text;
}

START_TEST(step_by_step_is_as_at_once) {
  sqlite3 *b = open_file("b.db");
  ck_assert_msg(migrate(h, three, 3), "%s %s", p.err->detail, p.err->log);
  for (size_t n = 1; n <= 3; n++) {
    ck_assert(migrate(b, three, n));
    ck_assert_int_eq(st_number(b, "PRAGMA user_version"), (int64_t)n);
  }
  ck_assert_str_eq(schema(h), schema(b));
  ck_assert_int_eq(st_number(b, "SELECT count(*) FROM schema_migration WHERE applied_at = 77"), 3);
  ck_assert_int_eq(st_number(b, "SELECT a FROM t WHERE b = 'x'"), 1);
  ck_assert(migrate(b, three, 3));
  ck_assert_int_eq(st_number(b, "SELECT count(*) FROM t"), 1);
  sqlite3_close(b);
}
END_TEST

START_TEST(the_real_list_applies_and_is_known_again) {
  ck_assert_msg(migrate(h, crv_migrations, crv_migration_count), "%s %s", p.err->detail,
                p.err->log);
  ck_assert_int_eq(st_number(h, "PRAGMA user_version"), (int64_t)crv_migration_count);
  ck_assert_int_eq(st_number(h, "PRAGMA application_id"), CRV_APPLICATION_ID);
  ck_assert(migrate(h, crv_migrations, crv_migration_count));
  ck_assert_int_eq(st_number(h, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}
END_TEST

START_TEST(a_failed_migration_leaves_the_one_before) {
  struct crv_migration list[3];
  memcpy(list, three, sizeof list);
  list[1].sql = "CREATE TABLE half (a INTEGER) STRICT; INSERT INTO nowhere VALUES (1);";
  ck_assert(!migrate(h, list, 3));
  ck_assert_int_eq(p.err->code, CRV_INTERNAL);
  ck_assert_ptr_nonnull(strstr(p.err->log, "0002_more"));
  ck_assert_int_eq(st_number(h, "PRAGMA user_version"), 1);
  ck_assert_int_eq(st_number(h, "SELECT count(*) FROM schema_migration"), 1);
  ck_assert_int_eq(st_number(h, "SELECT count(*) FROM sqlite_schema WHERE name = 'half'"), 0);
  ck_assert(migrate(h, three, 3));
}
END_TEST

static const struct {
  const char *sql; /* what somebody did to a database with all three */
  const char *says;
} refusals[] = {
    {"UPDATE schema_migration SET sha256 = replace(sha256, substr(sha256, 1, 1), 'z') "
     "WHERE version = 2",
     "0002_more"},
    {"UPDATE schema_migration SET name = '0001_first' WHERE version = 1", "0001_initial"},
    {"DELETE FROM schema_migration WHERE version = 3", "does not fit"},
    {"DELETE FROM schema_migration WHERE version = 1", "0001_initial"},
    {"INSERT INTO schema_migration VALUES (4, 'x', 'x', 1)", "does not fit"},
    {"PRAGMA user_version = 4", "newer"},
    {"PRAGMA user_version = -1", "newer"},
    {"PRAGMA application_id = 5", "another program"},
    {"PRAGMA application_id = 0", "another program"},
};

START_TEST(what_is_not_ours_is_refused) {
  ck_assert(migrate(h, three, 3));
  st_exec(h, refusals[_i].sql);
  char *before = schema(h);
  ck_assert(!migrate(h, three, 3));
  ck_assert_int_eq(p.err->code, CRV_CONFLICT);
  ck_assert_msg(strstr(p.err->detail, refusals[_i].says) != NULL, "%s", p.err->detail);
  ck_assert_str_eq(before, schema(h));
}
END_TEST

START_TEST(a_migration_edited_after_it_was_applied_is_refused) {
  struct crv_migration list[3];
  memcpy(list, three, sizeof list);
  ck_assert(migrate(h, three, 2));
  list[0].sql = "PRAGMA application_id = 1129469489; -- edited";
  ck_assert(!migrate(h, list, 3));
  ck_assert_int_eq(p.err->code, CRV_CONFLICT);
  ck_assert_int_eq(st_number(h, "PRAGMA user_version"), 2);
}
END_TEST

START_TEST(a_list_with_a_gap_is_refused) {
  struct crv_migration list[] = {three[0], three[2]};
  ck_assert(!migrate(h, list, 2));
  ck_assert_int_eq(st_number(h, "SELECT count(*) FROM sqlite_schema"), 0);
}
END_TEST

/* -- embed.awk ----------------------------------------------------------------------------- */

static char *in_tree(const char *path) {
  const char *top = getenv("top_srcdir");
  return crv_arena_printf(p.arena, "%s/%s", top ? top : ".", path);
}

static char *slurp(const char *path) {
  static char text[200000];
  int fd = open(path, O_RDONLY);
  ck_assert_msg(fd >= 0, "%s", path);
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  ck_assert_int_ge(n, 0);
  text[n] = '\0';
  return crv_arena_strdup(p.arena, text);
}

/* Runs embed.awk in p.dir over the names; its exit code, and its output in *ret_out. */
static int embed(const char *const *names, char **ret_out) {
  const char *awk = getenv("AWK");
  char *argv[8] = {0}, *out = crv_arena_printf(p.arena, "%s/out.c", p.dir);
  char *script = realpath(in_tree("migrations/embed.awk"), NULL);
  int n = 0, status;
  argv[n++] = crv_arena_strdup(p.arena, awk && *awk ? awk : "awk");
  argv[n++] = crv_arena_strdup(p.arena, "-f");
  argv[n++] = script;
  for (; *names; names++) argv[n++] = crv_arena_strdup(p.arena, *names);
  pid_t pid = fork();
  if (pid == 0) {
    int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), nothing = open("/dev/null", O_WRONLY);
    if (fd < 0 || chdir(p.dir) != 0 || dup2(fd, 1) < 0 || dup2(nothing, 2) < 0) _exit(90);
    execvp(argv[0], argv);
    _exit(91);
  }
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  ck_assert(WIFEXITED(status));
  free(script);
  *ret_out = slurp(out);
  return WEXITSTATUS(status);
}

static void make(const char *name, const char *text) {
  char *path = crv_arena_printf(p.arena, "%s/%s", p.dir, name);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
}

static const struct {
  const char *names[4];
  bool goes;
} lists[] = {
    {{"0001_a.sql"}, true},
    {{"0001_a.sql", "0002_b.sql", "0003_c.sql"}, true},
    {{"0001_a.sql", "0003_c.sql"}, false},
    {{"0002_b.sql"}, false},
    {{"0001_a.sql", "0001_a.sql"}, false},
    {{"0002_b.sql", "0001_a.sql"}, false},
    {{"0001_a.sql", "0002_empty.sql"}, false},
    {{"1_a.sql"}, false},
    {{"0001_A.sql"}, false},
    {{NULL}, false},
};

START_TEST(embedding_fails_on_a_gap) {
  static const char *const files[] = {"0001_a.sql", "0002_b.sql", "0003_c.sql", "1_a.sql",
                                      "0001_A.sql"};
  char *out;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) make(files[i], "SELECT 1;\n");
  make("0002_empty.sql", "");
  ck_assert_int_eq(embed(lists[_i].names, &out) == 0, lists[_i].goes);
}
END_TEST

START_TEST(embedding_keeps_every_character) {
  static const char *const names[] = {"0001_a.sql", NULL};
  char *out;
  make("0001_a.sql", "SELECT 'a\\n' || \"b\" || 'c\\\\d ?\?= \t%d';\n");
  ck_assert_int_eq(embed(names, &out), 0);
  ck_assert_ptr_nonnull(
      strstr(out, "\"SELECT 'a\\\\n' || \\\"b\\\" || 'c\\\\\\\\d \\?\\?= \\t%d';\\n\""));
}
END_TEST

START_TEST(what_is_embedded_is_the_file) {
  ck_assert_uint_ge(crv_migration_count, 1);
  for (size_t i = 0; i < crv_migration_count; i++) {
    char *name = crv_arena_printf(p.arena, "migrations/%s.sql", crv_migrations[i].name);
    ck_assert_str_eq(slurp(in_tree(name)), crv_migrations[i].sql);
    ck_assert_int_eq(crv_migrations[i].version, (int)i + 1);
  }
}
END_TEST

static void add(TCase *tc) {
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, step_by_step_is_as_at_once);
  tcase_add_test(tc, the_real_list_applies_and_is_known_again);
  tcase_add_test(tc, a_failed_migration_leaves_the_one_before);
  tcase_add_loop_test(tc, what_is_not_ours_is_refused, 0, sizeof refusals / sizeof *refusals);
  tcase_add_test(tc, a_migration_edited_after_it_was_applied_is_refused);
  tcase_add_test(tc, a_list_with_a_gap_is_refused);
  tcase_add_loop_test(tc, embedding_fails_on_a_gap, 0, sizeof lists / sizeof *lists);
  tcase_add_test(tc, embedding_keeps_every_character);
  tcase_add_test(tc, what_is_embedded_is_the_file);
}

int main(void) {
  return st_main("migrate", add, 60);
}
