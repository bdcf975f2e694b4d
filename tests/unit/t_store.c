/* The store through its own header: versions, tombstones, preconditions, content, what the schema
   holds against. */
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "tests/unit/storetest.h"

static struct st_place p;
static void setup(void) {
  st_begin(&p);
  st_open(&p);
}
static void teardown(void) {
  st_end(&p);
}

/* -- versions ------------------------------------------------------------------------------ */

static const enum crv_aggregate all[] = {CRV_AGG_SHEET, CRV_AGG_OFFER, CRV_AGG_PIECE};

START_TEST(version_reads_back_as_it_was_put) {
  enum crv_aggregate agg = all[_i];
  struct crv_put put = {.agg = agg,
                        .key = "k",
                        .canonical = "{\"a\":1}",
                        .raw = "{ \"a\" : 1 }",
                        .raw_len = 11,
                        .who = "ana"};
  struct crv_version v;
  char sha[CRV_SHA256_HEX];
  ck_assert(st_put_as(&p, &put));
  ck_assert_int_eq(put.outcome, CRV_PUT_CREATED);
  ck_assert_int_eq(put.now.version, 1);
  ck_assert_ptr_null(put.now.canonical);
  ck_assert(st_version(&p, agg, "k", 1, 0, &v));
  ck_assert_str_eq(v.canonical, "{\"a\":1}");
  ck_assert_uint_eq(v.canonical_len, 7);
  ck_assert_str_eq(v.digest, crv_sha256_hex("{\"a\":1}", 7, sha));
  ck_assert_str_eq(v.digest, put.now.digest);
  ck_assert_mem_eq(v.raw, "{ \"a\" : 1 }", 11);
  ck_assert_str_eq(v.raw_digest, crv_sha256_hex("{ \"a\" : 1 }", 11, sha));
  ck_assert_str_eq(v.recorded_by, "ana");
  ck_assert_int_eq(v.recorded_at, p.now);
  ck_assert_int_eq(v.seq, crv_store_position(p.store));
  ck_assert(!v.withdrawn);
  ck_assert(crv_streq(v.kind, agg == CRV_AGG_PIECE ? "protocol_run" : NULL));
}
END_TEST

START_TEST(newest_is_as_of_a_position) {
  struct crv_version a = st_put(&p, all[_i], "k", "{\"n\":1}");
  struct crv_version b = st_put(&p, all[_i], "k", "{\"n\":2}");
  struct crv_version v;
  st_put(&p, all[_i], "other", "{}");
  ck_assert(st_version(&p, all[_i], "k", 0, 0, &v));
  ck_assert_int_eq(v.version, 2);
  ck_assert(st_version(&p, all[_i], "k", 0, b.seq, &v));
  ck_assert_int_eq(v.version, 2);
  ck_assert(st_version(&p, all[_i], "k", 0, a.seq, &v));
  ck_assert_int_eq(v.version, 1);
  ck_assert(!st_version(&p, all[_i], "other", 0, b.seq, &v));
  ck_assert_int_eq(p.err->code, CRV_NOT_FOUND);
  ck_assert(!st_version(&p, all[_i], "k", 3, 0, &v));
  ck_assert_int_eq(p.err->code, CRV_NOT_FOUND);
}
END_TEST

START_TEST(equal_content_is_no_new_version_when_that_is_allowed) {
  struct crv_put put = {.agg = CRV_AGG_SHEET, .key = "k", .canonical = "{\"a\":1}"};
  ck_assert(st_put_as(&p, &put));
  put.allow_unchanged = true;
  ck_assert(st_put_as(&p, &put));
  ck_assert_int_eq(put.outcome, CRV_PUT_UNCHANGED);
  ck_assert_int_eq(put.now.version, 1);
  ck_assert_int_eq(crv_store_position(p.store), 1);
  put.allow_unchanged = false;
  ck_assert(st_put_as(&p, &put));
  ck_assert_int_eq(put.outcome, CRV_PUT_REVISED);
  ck_assert_int_eq(put.now.version, 2);
}
END_TEST

START_TEST(another_source_is_a_change) {
  st_put(&p, CRV_AGG_PIECE, "list", "{\"n\":1}");
  st_put(&p, CRV_AGG_PIECE, "list", "{\"n\":2}");
  struct crv_put put = {.agg = CRV_AGG_OFFER,
                        .key = "card",
                        .canonical = "{}",
                        .source_key = "list",
                        .source_version = 1,
                        .allow_unchanged = true};
  struct crv_version v;
  ck_assert(st_put_as(&p, &put));
  ck_assert(st_put_as(&p, &put));
  ck_assert_int_eq(put.outcome, CRV_PUT_UNCHANGED);
  put.source_version = 2;
  ck_assert(st_put_as(&p, &put));
  ck_assert_int_eq(put.outcome, CRV_PUT_REVISED);
  ck_assert(st_version(&p, CRV_AGG_OFFER, "card", 0, 0, &v));
  ck_assert_str_eq(v.source_key, "list");
  ck_assert_int_eq(v.source_version, 2);
}
END_TEST

START_TEST(a_cited_piece_must_be_stored) {
  struct crv_put put = {.agg = CRV_AGG_OFFER,
                        .key = "card",
                        .canonical = "{}",
                        .source_key = "list",
                        .source_version = 1};
  ck_assert(!st_put_as(&p, &put));
  ck_assert_int_eq(p.err->code, CRV_MISSING_REFERENCE);
  ck_assert_ptr_nonnull(strstr(p.err->detail, "list@1"));
  ck_assert_int_eq(crv_store_position(p.store), 0);
}
END_TEST

START_TEST(withdrawing_is_a_version_and_a_put_brings_it_back) {
  struct crv_version v;
  if (all[_i] == CRV_AGG_PIECE) {
    ck_assert(!st_withdraw(&p, CRV_AGG_PIECE, "k"));
    return;
  }
  ck_assert(!st_withdraw(&p, all[_i], "k"));
  ck_assert_int_eq(p.err->code, CRV_NOT_FOUND);
  st_put(&p, all[_i], "k", "{\"a\":1}");
  ck_assert(st_withdraw(&p, all[_i], "k"));
  ck_assert(!st_withdraw(&p, all[_i], "k"));
  ck_assert_int_eq(p.err->code, CRV_WITHDRAWN);
  ck_assert(st_version(&p, all[_i], "k", 0, 0, &v));
  ck_assert(v.withdrawn);
  ck_assert_int_eq(v.version, 2);
  ck_assert_ptr_null(v.canonical);
  ck_assert_ptr_null(v.raw);
  ck_assert(st_version(&p, all[_i], "k", 1, 0, &v));
  ck_assert(!v.withdrawn);
  struct crv_put put = {
      .agg = all[_i], .key = "k", .canonical = "{\"a\":1}", .allow_unchanged = true};
  ck_assert(st_put_as(&p, &put));
  ck_assert_int_eq(put.outcome, CRV_PUT_CREATED);
  ck_assert_int_eq(put.now.version, 3);
}
END_TEST

/* -- preconditions ------------------------------------------------------------------------- */

enum stored { NOTHING, LIVE, TOMBSTONE };
static const struct {
  enum stored stored;
  const char *if_match, *if_none_match; /* %s: the newest version's tag */
  bool goes;
} conditions[] = {
    {NOTHING, NULL, "*", true},         {NOTHING, "*", NULL, false},
    {NOTHING, "\"x\"", NULL, false},    {NOTHING, NULL, "\"x\"", true},
    {LIVE, NULL, NULL, true},           {LIVE, "*", NULL, true},
    {LIVE, " * ", NULL, true},          {LIVE, "%s", NULL, true},
    {LIVE, "\"x\" ,%s", NULL, true},    {LIVE, "\"x,y\",\"*\", %s", NULL, true},
    {LIVE, "W/%s", NULL, false},        {LIVE, "\"x\"", NULL, false},
    {LIVE, "\"*\"", NULL, false},       {LIVE, "", NULL, false},
    {LIVE, "bare", NULL, false},        {LIVE, "\"open", NULL, false},
    {LIVE, NULL, "*", false},           {LIVE, NULL, "%s", false},
    {LIVE, NULL, "\"y\", W/%s", false}, {LIVE, NULL, "\"y\"", true},
    {LIVE, "%s", "*", false},           {TOMBSTONE, "*", NULL, false},
    {TOMBSTONE, "%s", NULL, true},      {TOMBSTONE, NULL, "*", true},
    {TOMBSTONE, NULL, "%s", true},
};

static const char *with_tag(const char *form, const char *etag) {
  const char *at = form ? strstr(form, "%s") : NULL;
  if (!at) return form;
  return crv_arena_printf(p.arena, "%.*s%s%s", (int)(at - form), form, etag ? etag : "", at + 2);
}

START_TEST(preconditions_hold_inside_the_write) {
  struct crv_version v = {0};
  const char *etag = NULL;
  if (conditions[_i].stored != NOTHING) st_put(&p, CRV_AGG_OFFER, "k", "{\"a\":1}");
  if (conditions[_i].stored == TOMBSTONE) ck_assert(st_withdraw(&p, CRV_AGG_OFFER, "k"));
  if (conditions[_i].stored != NOTHING) {
    ck_assert(st_version(&p, CRV_AGG_OFFER, "k", 0, 0, &v));
    etag = crv_version_etag("k", v.version, v.digest, p.arena);
  }
  struct crv_put put = {.agg = CRV_AGG_OFFER,
                        .key = "k",
                        .canonical = "{\"a\":2}",
                        .if_match = with_tag(conditions[_i].if_match, etag),
                        .if_none_match = with_tag(conditions[_i].if_none_match, etag)};
  ck_assert_int_eq(st_put_as(&p, &put), conditions[_i].goes);
  if (conditions[_i].goes) return;
  ck_assert_int_eq(p.err->code, CRV_PRECONDITION_FAILED);
  if (etag) ck_assert_ptr_nonnull(strstr(p.err->detail, etag));
  ck_assert_int_eq(crv_store_position(p.store), v.seq);
}
END_TEST

START_TEST(a_tag_is_strong_short_and_moves_with_the_version) {
  const char *a = crv_version_etag("k", 1, "d", p.arena);
  ck_assert_uint_eq(strlen(a), 34);
  ck_assert(a[0] == '"' && a[33] == '"');
  ck_assert_str_eq(a, crv_version_etag("k", 1, "d", p.arena));
  ck_assert_str_ne(a, crv_version_etag("k", 2, "d", p.arena));
  ck_assert_str_ne(a, crv_version_etag("l", 1, "d", p.arena));
  ck_assert_str_ne(a, crv_version_etag("k", 1, "e", p.arena));
}
END_TEST

START_TEST(what_does_not_fit_the_schema_is_refused) {
  static const struct crv_put bad[] = {
      {.agg = CRV_AGG_SHEET, .key = "Upper", .canonical = "{}"},
      {.agg = CRV_AGG_OFFER, .key = "a/b", .canonical = "{}"},
      {.agg = CRV_AGG_PIECE, .key = "-x", .canonical = "{}"},
      {.agg = CRV_AGG_SHEET, .key = "k", .canonical = "{not json"},
      {.agg = CRV_AGG_SHEET, .key = "k", .canonical = "{\"a\":\"\xff\"}"},
      {.agg = CRV_AGG_SHEET, .key = "k", .canonical = "{}", .who = ""},
  };
  struct crv_put put = bad[_i];
  ck_assert(!st_put_as(&p, &put));
  ck_assert_int_eq(p.err->code, CRV_INTERNAL);
  ck_assert_str_ne(p.err->log, "");
  ck_assert_ptr_null(strstr(p.err->detail, "CHECK"));
  ck_assert_int_eq(crv_store_position(p.store), 0);
  st_put(&p, CRV_AGG_SHEET, "k", "{}");
}
END_TEST

/* -- content ------------------------------------------------------------------------------- */

struct content_ctx {
  struct crv_content c;
  int64_t version;
};
static bool content_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct content_ctx *c = ctx;
  return crv_rd_content(tx, "list", c->version, p.arena, &c->c, err);
}
static bool read_content(struct content_ctx *c) {
  crv_err_init(p.err);
  return crv_store_read(p.store, content_fn, c, p.err);
}

START_TEST(content_attaches_once) {
  struct content_ctx c = {.version = 1};
  ck_assert(!st_attach(&p, "list", 1, "bytes"));
  ck_assert_int_eq(p.err->code, CRV_NOT_FOUND);
  st_put(&p, CRV_AGG_PIECE, "list", "{}");
  ck_assert(!read_content(&c));
  ck_assert_int_eq(p.err->code, CRV_NOT_FOUND);
  ck_assert(st_attach(&p, "list", 1, "bytes"));
  ck_assert(st_attach(&p, "list", 1, "bytes"));
  ck_assert_int_eq(crv_store_position(p.store), 2);
  ck_assert(!st_attach(&p, "list", 1, "other"));
  ck_assert_int_eq(p.err->code, CRV_CONFLICT);
  ck_assert(read_content(&c));
  ck_assert_uint_eq(c.c.len, 5);
  ck_assert_mem_eq(c.c.bytes, "bytes", 5);
  ck_assert_str_eq(c.c.media_type, "text/plain");
}
END_TEST

START_TEST(erased_bytes_leave_the_record_and_the_chain) {
  struct content_ctx c = {.version = 1};
  struct crv_ledger_head head;
  st_fill(&p);
  sqlite3 *h = st_raw(&p);
  st_exec(h, "UPDATE piece_content SET bytes = NULL");
  ck_assert_int_ne(sqlite3_exec(h, "UPDATE piece_content SET bytes = x'00'", 0, 0, 0), SQLITE_OK);
  sqlite3_close(h);
  ck_assert(read_content(&c));
  ck_assert_ptr_null(c.c.bytes);
  ck_assert_uint_eq(c.c.len, strlen("the price list"));
  ck_assert_msg(st_verify(&p, &head), "%s", p.err->detail);
}
END_TEST

START_TEST(append_only_tables_refuse_update_and_delete) {
  static const char *const tables[] = {"ledger",          "sheet_revision", "offer_version",
                                       "piece_version",   "piece_content",  "decision",
                                       "schema_migration"};
  char sql[200];
  st_fill(&p);
  sqlite3 *h = st_raw(&p);
  sqlite3_extended_result_codes(h, 1);
  snprintf(sql, sizeof sql, "UPDATE %s SET rowid = rowid", tables[_i]);
  ck_assert_int_eq(sqlite3_exec(h, sql, 0, 0, 0), SQLITE_CONSTRAINT_TRIGGER);
  snprintf(sql, sizeof sql, "DELETE FROM %s", tables[_i]);
  ck_assert_int_eq(sqlite3_exec(h, sql, 0, 0, 0), SQLITE_CONSTRAINT_TRIGGER);
  sqlite3_close(h);
}
END_TEST

START_TEST(every_table_is_strict_and_deletes_nothing_by_itself) {
  sqlite3 *h = st_raw(&p);
  ck_assert_int_ge(st_number(h, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"), 10);
  ck_assert_int_eq(st_number(h, "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' "
                                "AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'"),
                   0);
  ck_assert_int_eq(st_number(h,
                             "SELECT count(*) FROM sqlite_schema s, "
                             "pragma_foreign_key_list(s.name) f WHERE f.on_delete <> 'RESTRICT'"),
                   0);
  sqlite3_close(h);
}
END_TEST

static void add(TCase *tc) {
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_loop_test(tc, version_reads_back_as_it_was_put, 0, 3);
  tcase_add_loop_test(tc, newest_is_as_of_a_position, 0, 3);
  tcase_add_test(tc, equal_content_is_no_new_version_when_that_is_allowed);
  tcase_add_test(tc, another_source_is_a_change);
  tcase_add_test(tc, a_cited_piece_must_be_stored);
  tcase_add_loop_test(tc, withdrawing_is_a_version_and_a_put_brings_it_back, 0, 3);
  tcase_add_loop_test(tc, preconditions_hold_inside_the_write, 0,
                      sizeof conditions / sizeof *conditions);
  tcase_add_test(tc, a_tag_is_strong_short_and_moves_with_the_version);
  tcase_add_loop_test(tc, what_does_not_fit_the_schema_is_refused, 0, 6);
  tcase_add_test(tc, content_attaches_once);
  tcase_add_test(tc, erased_bytes_leave_the_record_and_the_chain);
  tcase_add_loop_test(tc, append_only_tables_refuse_update_and_delete, 0, 7);
  tcase_add_test(tc, every_table_is_strict_and_deletes_nothing_by_itself);
}

int main(void) {
  return st_main("store", add, 60);
}
