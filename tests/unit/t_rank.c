/* core/decide/rank: one order whatever the order of insertion, unknown after known, what decided.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/decidetest.h"

static struct crv_arena *arena;

static void setup(void) {
  arena = crv_arena_new(0);
}
static void teardown(void) {
  crv_arena_free(arena);
}

#define NO INT64_MIN
static struct crv_opt_int opt(int64_t v) {
  return (struct crv_opt_int){v == NO ? 0 : v, v != NO};
}

static struct crv_row *row(const char *key, const char *supplier, int64_t cost, int64_t margin,
                           int64_t schedule, uint64_t preferences) {
  struct crv_row *r = dt_new_row(arena, key, supplier);
  r->cost.amount = opt(cost);
  r->cost.currency = "USD";
  r->margin_bytes = opt(margin);
  r->schedule = opt(schedule);
  r->preferences = preferences;
  return r;
}

/* Every neighbour differs by a later key than the one before. */
static size_t eight(struct crv_row **rows) {
  size_t n = 0;
  rows[n++] = row("z", "s", 10, 5, NO, 0);
  rows[n++] = row("k", "s", 20, 9, NO, 0);
  rows[n++] = row("j", "s", 20, 8, 100, 0);
  rows[n++] = row("i", "s", 20, 8, 200, 0);
  rows[n++] = row("h", "s", 20, 8, NO, 2);
  rows[n++] = row("g", "s", 20, 8, NO, 1);
  rows[n++] = row("f", "t", 20, 8, NO, 1);
  rows[n++] = row("g2", "t", 20, 8, NO, 1);
  rows[n++] = row("a", "s", NO, NO, NO, 3);
  return n;
}

static const enum crv_key decided[] = {CRV_KEY_COST,     CRV_KEY_MARGIN,     CRV_KEY_SCHEDULE,
                                       CRV_KEY_SCHEDULE, CRV_KEY_PREFERENCE, CRV_KEY_SUPPLIER,
                                       CRV_KEY_OFFER,    CRV_KEY_COST,       CRV_KEY_NONE};
static const int64_t differences[] = {10, 1, 100, NO, NO, NO, NO, NO, NO};

START_TEST(every_permutation_gives_one_order) {
  struct crv_row *sorted[9], *rows[9];
  size_t n = eight(sorted);
  unsigned state = 7;
  for (int round = 0; round < 500; round++) {
    memcpy(rows, sorted, sizeof rows);
    for (size_t i = n - 1; i > 0; i--) {
      state = state * 1103515245u + 12345u;
      size_t j = (state >> 16) % (i + 1);
      struct crv_row *t = rows[i];
      rows[i] = rows[j];
      rows[j] = t;
    }
    crv_rank(rows, n, true);
    for (size_t i = 0; i < n; i++) {
      ck_assert_str_eq(rows[i]->rec->key, sorted[i]->rec->key);
      ck_assert_int_eq(rows[i]->rank, (int64_t)i + 1);
    }
  }
}
END_TEST

START_TEST(the_deciding_key_and_its_difference_are_those_to_the_next) {
  struct crv_row *rows[9];
  size_t n = eight(rows);
  crv_rank(rows, n, false);
  for (size_t i = 0; i < n; i++) {
    ck_assert_msg(rows[i]->decided_key == decided[i], "%s by %d", rows[i]->rec->key,
                  (int)rows[i]->decided_key);
    ck_assert_int_eq(rows[i]->difference.set, differences[i] != NO);
    if (differences[i] != NO) ck_assert_int_eq(rows[i]->difference.v, differences[i]);
    if (i + 1 < n) ck_assert_str_eq(rows[i]->decided_over, rows[i + 1]->rec->key);
  }
  ck_assert_ptr_null(rows[n - 1]->decided_over);
}
END_TEST

START_TEST(an_unknown_value_stands_after_every_known_one) {
  struct crv_row *rows[] = {row("a", "s", NO, 99, 1, 9), row("b", "s", 9000, -5, NO, 0)};
  crv_rank(rows, 2, false);
  ck_assert_str_eq(rows[0]->rec->key, "b");
  ck_assert_int_eq(rows[0]->decided_key, CRV_KEY_COST);
  ck_assert(!rows[0]->difference.set);

  struct crv_row *margins[] = {row("a", "s", 1, NO, NO, 0), row("b", "s", 1, -7, NO, 0)};
  crv_rank(margins, 2, false);
  ck_assert_str_eq(margins[0]->rec->key, "b");
}
END_TEST

START_TEST(the_outlook_groups_the_preselection_alone) {
  struct crv_row *rows[] = {row("a", "s", 1, 1, NO, 0), row("b", "s", 2, 1, NO, 0)};
  rows[0]->outlook = CRV_EXCEEDS_ON_PAPER;
  crv_rank(rows, 2, true);
  ck_assert_str_eq(rows[0]->rec->key, "b");
  ck_assert_int_eq(rows[0]->decided_key, CRV_KEY_OUTLOOK);
  crv_rank(rows, 2, false);
  ck_assert_str_eq(rows[0]->rec->key, "a");
}
END_TEST

START_TEST(without_a_campaign_the_cost_does_not_count) {
  struct crv_row *rows[] = {row("a", "s", 1, 1, NO, 0), row("b", "s", 2, 5, NO, 0)};
  rows[0]->cost.no_campaign = rows[1]->cost.no_campaign = true;
  crv_rank(rows, 2, false);
  ck_assert_str_eq(rows[0]->rec->key, "b");
  ck_assert_int_eq(rows[0]->decided_key, CRV_KEY_MARGIN);
}
END_TEST

START_TEST(amounts_of_two_currencies_are_not_compared) {
  struct crv_row *rows[] = {row("a", "s", 1, 1, NO, 0), row("b", "s", 2, 5, NO, 0)};
  rows[0]->cost.currency = "EUR";
  crv_rank(rows, 2, false);
  ck_assert_str_eq(rows[0]->rec->key, "b");
  ck_assert_int_eq(rows[0]->decided_key, CRV_KEY_MARGIN);
}
END_TEST

START_TEST(the_first_preference_outweighs_all_later_ones) {
  struct crv_row *rows[] = {row("a", "s", 1, 1, NO, UINT64_C(0x7fffffffffffffff)),
                            row("b", "s", 1, 1, NO, UINT64_C(1) << 63)};
  crv_rank(rows, 2, false);
  ck_assert_str_eq(rows[0]->rec->key, "b");
}
END_TEST

START_TEST(no_tolerance_one_micro_unit_decides) {
  struct crv_row *rows[] = {row("a", "s", 47140001, 9, NO, 0), row("b", "s", 47140000, 1, NO, 0)};
  crv_rank(rows, 2, false);
  ck_assert_str_eq(rows[0]->rec->key, "b");
  ck_assert_int_eq(rows[0]->difference.v, 1);
}
END_TEST

START_TEST(a_difference_beyond_64_bits_is_left_out) {
  struct crv_row *rows[] = {row("a", "s", 1, INT64_MAX, NO, 0), row("b", "s", 1, -5, NO, 0)};
  crv_rank(rows, 2, false);
  ck_assert_str_eq(rows[0]->rec->key, "a");
  ck_assert(!rows[0]->difference.set);
  crv_rank(NULL, 0, true);
}
END_TEST

int main(void) {
  Suite *s = suite_create("rank");
  TCase *t = tcase_create("rank");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, every_permutation_gives_one_order);
  tcase_add_test(t, the_deciding_key_and_its_difference_are_those_to_the_next);
  tcase_add_test(t, an_unknown_value_stands_after_every_known_one);
  tcase_add_test(t, the_outlook_groups_the_preselection_alone);
  tcase_add_test(t, without_a_campaign_the_cost_does_not_count);
  tcase_add_test(t, amounts_of_two_currencies_are_not_compared);
  tcase_add_test(t, the_first_preference_outweighs_all_later_ones);
  tcase_add_test(t, no_tolerance_one_micro_unit_decides);
  tcase_add_test(t, a_difference_beyond_64_bits_is_left_out);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
