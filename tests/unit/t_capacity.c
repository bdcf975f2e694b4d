/* core/catalogue/capacity: the interval of a nominal figure, against public figures of real cards.
 */
#include <check.h>
#include <stdlib.h>

#include "core/catalogue/offer.h"

static struct crv_capacity capacity(int64_t micro, const char *unit) {
  struct crv_nominal n = {true, micro, unit};
  struct crv_capacity c;
  ck_assert(crv_capacity_nominal(&n, &c));
  ck_assert_int_eq(c.from, CRV_CAP_NOMINAL);
  return c;
}

static const struct {
  int64_t micro;
  const char *unit;
  int64_t lower, upper, decimal;
} readings[] = {
    {24000000, "GB", 23192823398, 25769803776, 24000000000},
    {48000000, "GB", 46385646796, 51539607552, 48000000000},
    {24000000, NULL, 23192823398, 25769803776, 24000000000},
    {24000000, "GiB", 23192823398, 25769803776, 24000000000},
    {24564000000, "MiB", 23181498777, 25757220864, 23988281250},
    {1000000, "TB", 966367641600, 1073741824000, 1000000000000},
    {24500000, "GB", 23676007219, 26306674688, 24500000000},
    {1000000000000, "B", 900000, 1000000, 931322},
};

START_TEST(readings_are_exact) {
  struct crv_capacity c = capacity(readings[_i].micro, readings[_i].unit);
  ck_assert_int_eq(c.lower.v, readings[_i].lower);
  ck_assert_int_eq(c.upper.v, readings[_i].upper);
  ck_assert_int_eq(c.decimal.v, readings[_i].decimal);
}
END_TEST

/* Total memory that the driver shows, MiB, of a card sold as so many GB. */
static const struct {
  const char *card;
  int64_t gb, mib;
} seen[] = {
    {"L40S", 48, 46068},     {"RTX 6000 Ada", 48, 49140}, {"T4", 16, 15360},
    {"B300", 288, 268288},   {"B300", 288, 268800},       {"RTX 4090", 24, 24564},
    {"H100 SXM", 80, 81559}, {"H100 NVL", 94, 95830},     {"H200", 141, 143771},
    {"A40", 48, 46068},      {"B200", 180, 183359},       {"RTX 5090", 32, 32607},
    {"L4", 24, 23030},       {"A100 80 GB", 80, 81920},   {"RTX PRO 6000", 96, 97887},
};

START_TEST(public_figures_lie_inside) {
  struct crv_capacity c = capacity(seen[_i].gb * CRV_MICRO, "GB");
  int64_t bytes = seen[_i].mib * CRV_MIB;
  ck_assert_msg(c.lower.v <= bytes && bytes <= c.upper.v, "%s", seen[_i].card);
}
END_TEST

START_TEST(unknown_stays_unknown) {
  struct crv_capacity c;
  struct crv_nominal none = {.set = false}, zero = {true, 0, "GB"};
  struct crv_nominal huge = {true, INT64_C(9000000000000000000), "PB"};
  ck_assert(!crv_capacity_nominal(&none, &c));
  ck_assert(!c.lower.set && !c.upper.set && !c.decimal.set && c.from == CRV_CAP_UNKNOWN);
  ck_assert(!crv_capacity_nominal(&zero, &c));
  ck_assert(!crv_capacity_nominal(&huge, &c));
  ck_assert(!c.lower.set && !c.upper.set);
}
END_TEST

#define LOOP(tc, test, table) tcase_add_loop_test(tc, test, 0, sizeof table / sizeof *table)

int main(void) {
  Suite *s = suite_create("capacity");
  TCase *tc = tcase_create("capacity");
  LOOP(tc, readings_are_exact, readings);
  LOOP(tc, public_figures_lie_inside, seen);
  tcase_add_test(tc, unknown_stays_unknown);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
