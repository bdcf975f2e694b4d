/* core/catalogue/checks: each import check holds where it should, and its finding has both values;
   and the keys that offers get. */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/catalogue/import_internal.h"

static struct crv_arena *arena;

static void setup(void) {
  arena = crv_arena_new(0);
}
static void teardown(void) {
  arena = crv_arena_free(arena);
}

static struct crv_ifindings none(void) {
  return (struct crv_ifindings){.a = arena, .row = 7};
}

static void is_finding(const struct crv_ifindings *fs, const char *code, const char *v0,
                       const char *v1, const char *field) {
  ck_assert_ptr_nonnull(fs->first);
  const struct crv_row_finding *f = &fs->first->f;
  ck_assert_str_eq(f->code, code);
  ck_assert_str_eq(f->column, "Col");
  ck_assert_int_eq(f->row, 7);
  ck_assert_msg(crv_streq(f->value[0], v0), "%s: %s", code, f->value[0]);
  ck_assert_msg(crv_streq(f->value[1], v1), "%s: %s", code, f->value[1]);
  ck_assert_msg(crv_streq(f->field, field), "%s: %s", code, f->field);
  ck_assert_msg(f->effect && *f->effect, "%s has no effect", code);
}

static const struct {
  int64_t mib, nominal;
  bool fits;
} ratios[] = {
    {46068, 48, true},                        /* L40S */
    {49140, 48, true},                        /* RTX 6000 Ada */
    {15360, 16, true},                        /* T4 */
    {268288, 288, true},                      /* B300 */
    {81920, 80, true},   {73728, 80, true},   /* 0.90 exactly */
    {73727, 80, false},  {83558, 80, true},   /* just under 1.02 */
    {83559, 80, false},  {204800, 80, false}, /* host RAM */
    {49140, 24, false},  {80, 80, false},     {INT64_C(8796093022207), 80, false},
};

START_TEST(declared_memory_lies_within_the_nominal) {
  for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
    struct crv_ifindings fs = none();
    int64_t bytes = ratios[i].mib * CRV_MIB;
    bool fits = crv_check_declared(&fs, "Col", bytes, &ratios[i].nominal, 1);
    ck_assert_msg(fits == ratios[i].fits, "%" PRId64 " MiB of %" PRId64 " GB", ratios[i].mib,
                  ratios[i].nominal);
    ck_assert(fits == (fs.first == NULL));
  }
}
END_TEST

START_TEST(declared_memory_may_fit_one_of_several_models) {
  struct crv_ifindings fs = none();
  const int64_t h100[] = {80, 94};
  ck_assert(crv_check_declared(&fs, "Col", 95830 * CRV_MIB, h100, 2));
  ck_assert(crv_check_declared(&fs, "Col", 81559 * CRV_MIB, h100, 2));
  ck_assert(crv_check_declared(&fs, "Col", 1 * CRV_MIB, h100, 0)); /* nothing known */
  ck_assert_ptr_null(fs.first);
  ck_assert(!crv_check_declared(&fs, "Col", 204800 * CRV_MIB, h100, 2));
  is_finding(&fs, "declared_out_of_range", "204800 MiB", "80 GB or 94 GB", "device.memory_nominal");
}
END_TEST

START_TEST(total_is_devices_times_one) {
  struct crv_ifindings fs = none();
  ck_assert(crv_check_total(&fs, "Col", 8, 81920 * CRV_MIB, 655360 * CRV_MIB, false, NULL));
  ck_assert_ptr_null(fs.first);
  ck_assert(!crv_check_total(&fs, "Col", 8, 81920 * CRV_MIB, 5242880 * CRV_MIB, false, NULL));
  is_finding(&fs, "total_mismatch", "5242880 MiB", "8 x 81920 MiB", "device.memory_nominal");
  ck_assert_ptr_nonnull(strstr(fs.first->f.effect, "unknown"));
  fs = none();
  ck_assert(!crv_check_total(&fs, "Col", 8, 81920 * CRV_MIB, 81920 * CRV_MIB, true,
                             "device.memory_declared_bytes"));
  is_finding(&fs, "total_mismatch", "81920 MiB", "8 x 81920 MiB", "device.memory_declared_bytes");
  ck_assert_ptr_nonnull(strstr(fs.first->f.effect, "kept"));
  fs = none();
  ck_assert(!crv_check_total(&fs, "Col", 9000000000000000, 9000000000000000, 1, false, NULL));
}
END_TEST

START_TEST(eighty_mib_is_no_devices_memory) {
  struct crv_ifindings fs = none();
  ck_assert(crv_check_unit(&fs, "Col", CRV_GIB, "1024 MiB"));
  ck_assert(crv_check_unit(&fs, "Col", 288 * CRV_GIB, "288 GiB"));
  ck_assert_ptr_null(fs.first);
  ck_assert(!crv_check_unit(&fs, "Col", 80 * CRV_MIB, "80 MiB"));
  is_finding(&fs, "memory_impossible_unit", "80 MiB", NULL, "device.memory_nominal");
  ck_assert(!crv_check_unit(&fs, "Col", 81920 * CRV_GIB, "81920 GiB"));
}
END_TEST

START_TEST(host_ram_written_as_device_memory) {
  struct crv_ifindings fs = none();
  ck_assert(crv_check_host_ram(&fs, "Col", 1600 * CRV_GIB, 80 * CRV_GIB, 8));
  ck_assert_ptr_null(fs.first);
  ck_assert(!crv_check_host_ram(&fs, "Col", 1600 * CRV_GIB, 200 * CRV_GIB, 8)); /* the total */
  is_finding(&fs, "host_ram_as_memory", "204800 MiB", "1638400 MiB of host RAM",
             "device.memory_nominal");
  fs = none();
  ck_assert(!crv_check_host_ram(&fs, "Col", 200 * CRV_GIB, 200 * CRV_GIB, 8)); /* one device */
}
END_TEST

START_TEST(a_price_of_zero_is_no_price) {
  struct crv_ifindings fs = none();
  struct crv_opt_int two = {2, true};
  ck_assert(crv_check_price(&fs, "Col", 1, two));
  ck_assert(crv_check_price(&fs, "Col", 1999999, two));
  ck_assert_ptr_null(fs.first);
  ck_assert(!crv_check_price(&fs, "Col", 0, two));
  is_finding(&fs, "price_zero", "0", NULL, "price.amount");
}
END_TEST

START_TEST(a_price_equal_to_the_device_count_is_doubted_and_kept) {
  struct crv_ifindings fs = none();
  ck_assert(crv_check_price(&fs, "Col", 8000000, (struct crv_opt_int){8, true}));
  is_finding(&fs, "price_equals_devices", "8", "8 devices", "price.amount");
  fs = none();
  ck_assert(crv_check_price(&fs, "Col", 8000000, (struct crv_opt_int){8, false}));
  ck_assert_ptr_null(fs.first);
}
END_TEST

START_TEST(lot_price_is_devices_times_one_price) {
  struct crv_ifindings fs = none();
  ck_assert(crv_check_price_product(&fs, "Col", 55710000, 2, 111420000));
  ck_assert_ptr_null(fs.first);
  ck_assert(!crv_check_price_product(&fs, "Col", 290000, 8, 2890000));
  is_finding(&fs, "price_product_mismatch", "2.89", "8 x 0.29", "price.amount");
}
END_TEST

START_TEST(every_code_is_told_once) {
  ck_assert_uint_eq(crv_n_import_codes, CRV_IC_COUNT);
  for (size_t i = 0; i < crv_n_import_codes; i++) {
    const struct crv_import_code *c = &crv_import_codes[i];
    ck_assert(*c->code && *c->effect && *c->doc && c->doc[strlen(c->doc) - 1] == '.');
    for (size_t k = 0; k < i; k++) ck_assert_str_ne(c->code, crv_import_codes[k].code);
  }
}
END_TEST

START_TEST(a_findings_values_are_short_and_plain) {
  struct crv_ifindings fs = none();
  char text[1000];
  memset(text, 'x', sizeof text);
  memcpy(text, "a\nb\x7F\xC2\x85\xC3\xA9", 8);
  text[sizeof text - 1] = '\0';
  crv_ifind(&fs, CRV_IC_PRICE_UNREADABLE, "Col", text, "");
  const char *v = fs.first->f.value[0];
  ck_assert_uint_lt(strlen(v), 200);
  ck_assert(!strncmp(v, "a b   \xC3\xA9x", 8));
  ck_assert_str_eq(v + strlen(v) - 3, "...");
  ck_assert_str_eq(fs.first->f.value[1], "blank");
}
END_TEST

/* -- keys
 * ------------------------------------------------------------------------------------------ */

static struct crv_ikey key(const char *instance, const char *region, const char *variant,
                           struct crv_import_offer *o) {
  return (struct crv_ikey){.prefix = "Alpha Cloud",
                           .instance = instance,
                           .region = region,
                           .variant = variant,
                           .plan = "od",
                           .offer = o};
}

START_TEST(keys_are_slugs) {
  static const struct {
    const char *instance, *region, *variant, *key;
  } want[] = {
      {"1x-RTX_4090-32-65536", "Germany, DE, EU", NULL,
       "alpha-cloud-1x-rtx-4090-32-65536-germany-de-eu-od"},
      {"1B300.30V", "FIN-03", NULL, "alpha-cloud-1b300-30v-fin-03-od"},
      {"x", ", US, NA", NULL, "alpha-cloud-x-us-na-od"},
      {"x", "", NULL, "alpha-cloud-x-od"},
      {"x", NULL, "24564 MiB ", "alpha-cloud-x-24564-mib-od"},
      {"x", "Bács", NULL, "alpha-cloud-x-b-cs-od"},
  };
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    struct crv_import_offer o = {.key = NULL};
    struct crv_ikey k = key(want[i].instance, want[i].region, want[i].variant, &o);
    struct crv_err err;
    crv_err_init(&err);
    ck_assert(crv_ikeys_assign(&k, 1, arena, &err));
    ck_assert_str_eq(o.key, want[i].key);
  }
}
END_TEST

START_TEST(identities_with_one_slug_get_different_keys_in_any_order) {
  struct crv_import_offer o[3] = {{.key = NULL}}, p[3] = {{.key = NULL}};
  struct crv_ikey k[3] = {key("a.b", "r", NULL, &o[0]), key("a-b", "r", NULL, &o[1]),
                          key("c", "r", NULL, &o[2])};
  struct crv_ikey l[3] = {key("c", "r", NULL, &p[2]), key("a-b", "r", NULL, &p[1]),
                          key("a.b", "r", NULL, &p[0])};
  struct crv_err err;
  crv_err_init(&err);
  ck_assert(crv_ikeys_assign(k, 3, arena, &err) && crv_ikeys_assign(l, 3, arena, &err));
  ck_assert_str_ne(o[0].key, o[1].key);
  ck_assert(!strncmp(o[0].key, "alpha-cloud-a-b-r-od-", 21));
  ck_assert_str_eq(o[2].key, "alpha-cloud-c-r-od");
  for (int i = 0; i < 3; i++) ck_assert_str_eq(o[i].key, p[i].key);
}
END_TEST

START_TEST(long_identities_get_keys_of_128_bytes) {
  char a[300], b[300];
  struct crv_import_offer o[2] = {{.key = NULL}};
  memset(a, 'a', sizeof a);
  memset(b, 'a', sizeof b);
  a[299] = b[299] = '\0';
  b[298] = 'b';
  struct crv_ikey k[2] = {key(a, "r", NULL, &o[0]), key(b, "r", NULL, &o[1])};
  struct crv_err err;
  crv_err_init(&err);
  ck_assert(crv_ikeys_assign(k, 2, arena, &err));
  ck_assert_str_ne(o[0].key, o[1].key);
  for (int i = 0; i < 2; i++) ck_assert(crv_key_ok(o[i].key, strlen(o[i].key)));
}
END_TEST

int main(void) {
  Suite *s = suite_create("import_checks");
  TCase *t = tcase_create("import_checks");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, declared_memory_lies_within_the_nominal);
  tcase_add_test(t, declared_memory_may_fit_one_of_several_models);
  tcase_add_test(t, total_is_devices_times_one);
  tcase_add_test(t, eighty_mib_is_no_devices_memory);
  tcase_add_test(t, host_ram_written_as_device_memory);
  tcase_add_test(t, a_price_of_zero_is_no_price);
  tcase_add_test(t, a_price_equal_to_the_device_count_is_doubted_and_kept);
  tcase_add_test(t, lot_price_is_devices_times_one_price);
  tcase_add_test(t, every_code_is_told_once);
  tcase_add_test(t, a_findings_values_are_short_and_plain);
  tcase_add_test(t, keys_are_slugs);
  tcase_add_test(t, identities_with_one_slug_get_different_keys_in_any_order);
  tcase_add_test(t, long_identities_get_keys_of_128_bytes);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
