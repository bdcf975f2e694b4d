/* core/decide/headline: the sentence above every shortlist, singular and plural right. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/decidetest.h"

static struct crv_arena *arena;
static struct crv_eval ev;

static void setup(void) {
  arena = crv_arena_new(0);
  memset(&ev, 0, sizeof ev);
  ev.a = arena;
}
static void teardown(void) {
  crv_arena_free(arena);
}

static struct crv_row **open_rows(size_t fits, size_t open, size_t exceeds) {
  size_t n = fits + open + exceeds;
  struct crv_row **rows = crv_new_array(arena, n + 1, struct crv_row *);
  for (size_t i = 0; i < n; i++) {
    rows[i] = dt_new_row(arena, "k", "s");
    rows[i]->outlook = i < fits          ? CRV_FITS_ON_PAPER
                       : i < fits + open ? CRV_OPEN
                                         : CRV_EXCEEDS_ON_PAPER;
  }
  return rows;
}

static const struct {
  size_t fits, open, exceeds, excluded;
  int64_t actions, offers;
  const char *headline;
} nothing_proven[] = {
    {22, 5, 10, 3, 2, 9,
     "Nothing is proven yet: 22 fit on paper, 5 are open, 13 cannot; 2 actions would retain 9."},
    {2, 0, 0, 39, 2, 2,
     "Nothing is proven yet: 2 fit on paper, 0 are open, 39 cannot; 2 actions would retain 2."},
    {1, 1, 1, 0, 1, 1,
     "Nothing is proven yet: 1 fits on paper, 1 is open, 1 cannot; 1 action would retain 1."},
    {0, 3, 0, 0, 0, 0, "Nothing is proven yet: 0 fit on paper, 3 are open, 0 cannot."},
};

START_TEST(nothing_proven_counts_the_outlooks) {
  for (size_t i = 0; i < sizeof nothing_proven / sizeof *nothing_proven; i++) {
    struct crv_shortlist s = {0};
    s.n_preselection = nothing_proven[i].fits + nothing_proven[i].open + nothing_proven[i].exceeds;
    s.preselection =
        open_rows(nothing_proven[i].fits, nothing_proven[i].open, nothing_proven[i].exceeds);
    s.n_excluded = nothing_proven[i].excluded;
    s.n_offers = s.n_preselection + s.n_excluded;
    s.unlock_actions = nothing_proven[i].actions;
    s.unlock_offers = nothing_proven[i].offers;
    crv_headline_make(&s, &ev);
    ck_assert_str_eq(s.headline, nothing_proven[i].headline);
  }
}
END_TEST

START_TEST(retained_names_the_proof_its_margin_and_until_when) {
  struct crv_piece_rec run = {.key = "run-812", .ref = "run-812@1"};
  struct crv_row *row = dt_new_row(arena, "k", "s");
  struct crv_shortlist s = {
      .retained = &row, .n_retained = 1, .n_preselection = 9, .n_excluded = 31};
  row->demand_run = &run;
  row->margin_bytes = dt_some(INT64_C(25) << 30);
  s.holds_until = dt_some(INT64_C(1811635200000));
  crv_headline_make(&s, &ev);
  ck_assert_str_eq(s.headline, "Proved by run-812, margin 25.0 GiB, holds until 30 May 2027: "
                               "1 retained, 9 to confirm, 31 excluded.");
  row->margin_bytes = dt_some(-(INT64_C(3) << 29));
  s.holds_until.set = false;
  crv_headline_make(&s, &ev);
  ck_assert_str_eq(s.headline,
                   "Proved by run-812, margin -1.5 GiB: 1 retained, 9 to confirm, 31 excluded.");
  row->margin_bytes.set = false;
  row->demand_run = NULL;
  crv_headline_make(&s, &ev);
  ck_assert_str_eq(s.headline, "k is retained: 1 retained, 9 to confirm, 31 excluded.");
}
END_TEST

START_TEST(tenths_of_a_gib_are_rounded_half_up) {
  static const struct {
    int64_t bytes;
    const char *part;
  } t[] = {{53687091, "margin 0.0 GiB"},
           {53687092, "margin 0.1 GiB"},
           {INT64_MAX, "margin 8589934592.0 GiB"},
           {0, "margin 0.0 GiB"}};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    struct crv_row *row = dt_new_row(arena, "k", "s");
    struct crv_shortlist s = {.retained = &row, .n_retained = 1};
    row->margin_bytes = dt_some(t[i].bytes);
    crv_headline_make(&s, &ev);
    ck_assert_msg(strstr(s.headline, t[i].part) != NULL, "%s", s.headline);
  }
}
END_TEST

START_TEST(none_left_names_what_excludes_most) {
  struct crv_shortlist s = {.n_excluded = 41, .n_offers = 41};
  s.excluded_by[CRV_CRIT_FLOOR] = 11;
  s.excluded_by[CRV_CRIT_COST_CEILING] = 30;
  crv_headline_make(&s, &ev);
  ck_assert_str_eq(s.headline,
                   "No offer can carry it: 41 excluded, 30 of them first by cost.ceiling.");
  memset(&s, 0, sizeof s);
  crv_headline_make(&s, &ev);
  ck_assert_str_eq(s.headline, "No offer was considered: none in force passes the filter.");
}
END_TEST

int main(void) {
  Suite *s = suite_create("headline");
  TCase *t = tcase_create("headline");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, nothing_proven_counts_the_outlooks);
  tcase_add_test(t, retained_names_the_proof_its_margin_and_until_when);
  tcase_add_test(t, tenths_of_a_gib_are_rounded_half_up);
  tcase_add_test(t, none_left_names_what_excludes_most);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
