/* Decisions in the store: numbered without gaps, chained, found by question and by sheet, listed as
   of a pinned number, results compressed and whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/storetest.h"

static struct st_place p;
static void setup(void) {
  st_begin(&p);
  st_open(&p);
  st_put(&p, CRV_AGG_SHEET, "bot", "{\"n\":1}");
  st_put(&p, CRV_AGG_SHEET, "tune", "{\"n\":1}");
}
static void teardown(void) {
  st_end(&p);
}

struct find {
  int64_t number, before;
  const char *question, *sheet;
  struct crv_decision_row d;
};
static bool find_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct find *f = ctx;
  if (f->question) return crv_rd_decision_by_question(tx, f->question, p.arena, &f->d, err);
  if (f->sheet) return crv_rd_decision_by_sheet(tx, f->sheet, f->before, p.arena, &f->d, err);
  return crv_rd_decision(tx, f->number, p.arena, &f->d, err);
}
static bool find(struct find *f) {
  crv_err_init(p.err);
  return crv_store_read(p.store, find_fn, f, p.err);
}

#define SAME_TEXT(f) ck_assert_pstr_eq(a->f, b->f)
#define SAME_INT(f) ck_assert_int_eq(a->f, b->f)
static void same(const struct crv_decision_row *a, const struct crv_decision_row *b) {
  SAME_INT(number);
  SAME_INT(seq);
  SAME_TEXT(sheet_name);
  SAME_INT(sheet_revision);
  SAME_TEXT(sheet_digest);
  SAME_TEXT(sheet_json);
  SAME_TEXT(question_digest);
  SAME_TEXT(question_json);
  SAME_INT(as_of_given);
  SAME_INT(as_of);
  SAME_INT(decided_at);
  SAME_INT(holds_until.set);
  SAME_INT(holds_until.v);
  SAME_INT(catalogue_position);
  SAME_INT(evidence_position);
  SAME_TEXT(rules);
  SAME_TEXT(outcome);
  SAME_TEXT(headline);
  SAME_INT(n_retained);
  SAME_INT(n_to_confirm);
  SAME_INT(n_excluded);
  SAME_TEXT(who);
  SAME_TEXT(result_digest);
  SAME_TEXT(matrix_digest);
  SAME_TEXT(digest);
  SAME_TEXT(previous_digest);
  ck_assert_uint_eq(a->result_len, b->result_len);
  ck_assert_mem_eq(a->result, b->result, a->result_len);
}

START_TEST(decision_reads_back_as_it_was_put) {
  struct crv_decision_row d =
      _i ? st_decision("bot", 1, "{\"a\":1}") : st_decision(NULL, 0, "{\"b\":[1,2,3]}");
  if (_i == 2) d.holds_until = (struct crv_opt_int){0};
  if (_i == 2) d.as_of_given = true;
  ck_assert_msg(st_decide(&p, &d), "%s", p.err->log);
  struct find f = {.number = 1};
  ck_assert_msg(find(&f), "%s", p.err->log);
  same(&f.d, &d);
  ck_assert_int_eq(f.d.seq, 3);
}
END_TEST

START_TEST(a_large_result_is_whole_and_small_on_disk) {
  size_t len = 300000;
  char *text = malloc(len + 1);
  ck_assert_ptr_nonnull(text);
  for (size_t i = 0; i < len; i++) text[i] = "{\"offer\":\"rtx-4090\"}"[i % 20];
  text[len] = '\0';
  struct crv_decision_row d = st_decision("bot", 1, text);
  ck_assert(crv_decision_pack(&d, p.arena, p.err));
  ck_assert_uint_lt(d.packed_len, 10000);
  ck_assert(st_decide(&p, &d));
  struct find f = {.number = 1};
  ck_assert(find(&f));
  ck_assert_uint_eq(f.d.result_len, len);
  ck_assert_mem_eq(f.d.result, text, len);
  ck_assert_int_eq(f.d.result[len], 0);
  free(text);
}
END_TEST

START_TEST(numbers_have_no_gap_and_digests_are_chained) {
  struct crv_decision_row d[3];
  char *before = NULL;
  for (int i = 0; i < 3; i++) {
    d[i] = st_decision("bot", i == 1 ? 9 : 1, "{}");
    ck_assert_int_eq(st_decide(&p, &d[i]), i != 1);
    if (i == 1) continue;
    ck_assert_int_eq(d[i].number, i == 0 ? 1 : 2);
    if (before) ck_assert_str_eq(d[i].previous_digest, before);
    before = crv_arena_strdup(p.arena, d[i].digest);
  }
}
END_TEST

static void decide(const char *sheet, int64_t revision, char question, const char *outcome) {
  char digest[CRV_SHA256_HEX];
  struct crv_decision_row d = st_decision(sheet, revision, "{}");
  memset(digest, question, 64);
  digest[64] = '\0';
  d.question_digest = digest;
  d.outcome = outcome;
  ck_assert_msg(st_decide(&p, &d), "%s", p.err->log);
}

static void six(void) {
  decide("bot", 1, 'a', "retained");
  decide("tune", 1, 'b', "none");
  decide("bot", 1, 'a', "none");
  decide(NULL, 0, 'c', "retained");
  decide("bot", 1, 'd', "retained");
  decide("tune", 1, 'b', "retained");
}

START_TEST(newest_by_question_and_by_sheet) {
  static const char *const q[] = {
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"};
  six();
  struct find f = {.question = q[0]};
  ck_assert(find(&f));
  ck_assert_int_eq(f.d.number, 3);
  f = (struct find){.question = q[1]};
  ck_assert(!find(&f));
  ck_assert_int_eq(p.err->code, CRV_NOT_FOUND);
  f = (struct find){.sheet = "bot"};
  ck_assert(find(&f));
  ck_assert_int_eq(f.d.number, 5);
  f = (struct find){.sheet = "bot", .before = 5};
  ck_assert(find(&f));
  ck_assert_int_eq(f.d.number, 3);
  f = (struct find){.sheet = "bot", .before = 1};
  ck_assert(!find(&f));
  f = (struct find){.number = 7};
  ck_assert(!find(&f));
  ck_assert_int_eq(p.err->code, CRV_NOT_FOUND);
}
END_TEST

struct list {
  int64_t pinned, before;
  const char *sheet, *outcome;
  unsigned limit;
  const char *want;
  int64_t want_total;
  int64_t total;
  char text[100];
};
static bool collect(const struct crv_decision_row *d, void *ctx, struct crv_err *err) {
  struct list *l = ctx;
  size_t len = strlen(l->text);
  (void)err;
  snprintf(l->text + len, sizeof l->text - len, "%lld ", (long long)d->number);
  ck_assert_ptr_null(d->result);
  return true;
}
static bool list_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct list *l = ctx;
  return crv_rd_decisions(tx, l->pinned, l->before, l->sheet, l->outcome, l->limit, &l->total,
                          collect, l, err);
}

static const struct list lists[] = {
    {.limit = 9, .want = "6 5 4 3 2 1 ", .want_total = 6},
    {.limit = 2, .want = "6 5 ", .want_total = 6},
    {.limit = 2, .before = 5, .want = "4 3 ", .want_total = 6},
    {.limit = 9, .pinned = 4, .want = "4 3 2 1 ", .want_total = 4},
    {.limit = 9, .pinned = 4, .before = 3, .want = "2 1 ", .want_total = 4},
    {.limit = 9, .sheet = "bot", .want = "5 3 1 ", .want_total = 3},
    {.limit = 9, .outcome = "none", .want = "3 2 ", .want_total = 2},
    {.limit = 9, .sheet = "bot", .outcome = "retained", .want = "5 1 ", .want_total = 2},
    {.limit = 1, .sheet = "bot", .before = 5, .want = "3 ", .want_total = 3},
    {.limit = 9, .sheet = "none", .want = "", .want_total = 0},
};

START_TEST(lists_are_newest_first_filtered_and_pinned) {
  struct list l = lists[_i];
  six();
  ck_assert_msg(crv_store_read(p.store, list_fn, &l, p.err), "%s", p.err->log);
  ck_assert_str_eq(l.text, l.want);
  ck_assert_int_eq(l.total, l.want_total);
}
END_TEST

static void add(TCase *tc) {
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_loop_test(tc, decision_reads_back_as_it_was_put, 0, 3);
  tcase_add_test(tc, a_large_result_is_whole_and_small_on_disk);
  tcase_add_test(tc, numbers_have_no_gap_and_digests_are_chained);
  tcase_add_test(tc, newest_by_question_and_by_sheet);
  tcase_add_loop_test(tc, lists_are_newest_first_filtered_and_pinned, 0,
                      sizeof lists / sizeof *lists);
}

int main(void) {
  return st_main("decision", add, 60);
}
