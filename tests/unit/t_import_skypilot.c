/* The SkyPilot importer: what each provider's figures mean; on own files of every encoding, and on
   the public ones where they lie beside the project. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "tests/unit/import_files.h"

/* -- profiles ---------------------------------------------------------------------------------- */

START_TEST(vast_pools_are_divided_and_declared) {
  struct imported i = sky_file("vast", "sky_vast.csv");
  ck_assert_int_eq(i.r.rows, 6);
  ck_assert_uint_eq(n_offers(&i), 6);
  const struct crv_import_offer *h = offer_of(&i, "vast-2x-h100-sxm-16-32768-us-na-od");
  declared_is(h, 81559);
  amount_is(h, 3610000, "3.61");
  const struct crv_offer *o = h->offer;
  ck_assert_str_eq(o->supplier, "vast");
  ck_assert_str_eq(o->supplier_ref, "2x-H100_SXM-16-32768");
  ck_assert_str_eq(o->region, ", US, NA");
  ck_assert_str_eq(o->device->name, "H100");
  ck_assert_int_eq(o->lot->devices.v, 2);
  ck_assert_int_eq(o->host->vcpus.v, 16);
  ck_assert_int_eq(o->host->ram_bytes.v, 32 * CRV_GIB);
  ck_assert_str_eq(o->price->currency, "USD");
  ck_assert_int_eq(o->price->basis, CRV_PRICE_PER_LOT);
  ck_assert_int_eq(o->price->per, CRV_PRICE_PER_HOUR);
  ck_assert_int_eq(o->plan->interruptible, CRV_FALSE);
  ck_assert(!o->plan->hours.set && !o->plan->minimum_hours.set && !o->plan->renewal);
  ck_assert(!o->source && !o->price->tax && !o->host->disk_bytes.set);
  declared_is(offer_of(&i, "vast-3x-l40s-16-32768-vora-pt-eu-od"), 46068);
  /* 0.00 says that there is no spot price: neither an offer nor a finding */
  ck_assert_uint_eq(count_findings(&i, "price_zero"), 0);
  import_done(&i);
}
END_TEST

START_TEST(a_pool_that_does_not_divide_is_no_figure) {
  struct imported i = sky_file("vast", "sky_vast.csv");
  const struct crv_row_finding *f = finding_of(&i, 6, "pool_not_divisible");
  ck_assert_ptr_nonnull(f);
  ck_assert_str_eq(f->column, "GpuInfo");
  ck_assert_str_eq(f->value[0], "138205 MiB");
  ck_assert_str_eq(f->value[1], "3 devices");
  ck_assert(memory_unknown(offer_of(&i, "vast-3x-l40s-16-32768-porto-pt-eu-od")));
  import_done(&i);
}
END_TEST

START_TEST(one_type_with_two_memories_stays_apart) {
  struct imported i = sky_file("vast", "sky_vast.csv");
  const struct crv_import_offer *a =
      offer_of(&i, "vast-1x-rtx-4090-16-32768-lisboa-pt-eu-24564-mib-od");
  const struct crv_import_offer *b =
      offer_of(&i, "vast-1x-rtx-4090-16-32768-lisboa-pt-eu-49140-mib-od");
  offer_of(&i, "vast-1x-rtx-4090-16-32768-s-o-paulo-br-sa-od");
  ck_assert_str_eq(a->offer->supplier_ref, b->offer->supplier_ref);
  for (int64_t row = 1; row <= 3; row++) {
    const struct crv_row_finding *f = finding_of(&i, row, "memory_ambiguous");
    ck_assert_ptr_nonnull(f);
    ck_assert_str_eq(f->column, "GpuInfo");
    ck_assert_str_eq(f->value[0], "24564 MiB");
    ck_assert_str_eq(f->value[1], "49140 MiB");
    ck_assert_str_eq(f->effect, "device memory left unknown");
  }
  ck_assert(memory_unknown(a) && memory_unknown(b));
  ck_assert(doubted(a, "device.memory_nominal", "memory_ambiguous"));
  ck_assert(doubted(b, "device.memory_nominal", "declared_out_of_range"));
  ck_assert(!doubted(a, "device.memory_nominal", "declared_out_of_range"));
  ck_assert_uint_eq(count_findings(&i, "identity_conflict"), 0);
  import_done(&i);
}
END_TEST

START_TEST(nebius_host_ram_written_as_memory_is_caught) {
  struct imported i = sky_file("nebius", "sky_nebius_host_ram.csv");
  ck_assert_int_eq(i.r.rows, 3);
  ck_assert_int_eq(i.r.skipped, 1);
  ck_assert_uint_eq(n_offers(&i), 3);
  for (int64_t row = 2; row <= 3; row++) {
    ck_assert_ptr_nonnull(finding_of(&i, row, "host_ram_as_memory"));
    ck_assert_ptr_nonnull(finding_of(&i, row, "declared_out_of_range"));
  }
  const struct crv_row_finding *f = finding_of(&i, 2, "host_ram_as_memory");
  ck_assert_str_eq(f->value[0], "192000 MiB");
  ck_assert_str_eq(f->value[1], "1536000 MiB of host RAM");
  for (size_t n = 0; n < n_offers(&i); n++) {
    ck_assert(memory_unknown(offer_at(&i, n)));
    ck_assert(doubted(offer_at(&i, n), "device.memory_nominal", "host_ram_as_memory"));
  }
  import_done(&i);
}
END_TEST

START_TEST(nebius_corrected_has_the_same_keys_and_no_finding) {
  struct imported i = sky_file("nebius", "sky_nebius.csv");
  struct imported wrong = sky_file("nebius", "sky_nebius_host_ram.csv");
  ck_assert_uint_eq(n_findings(&i), 0);
  ck_assert_uint_eq(n_offers(&i), n_offers(&wrong));
  for (size_t n = 0; n < n_offers(&i); n++)
    ck_assert_str_eq(offer_at(&i, n)->key, offer_at(&wrong, n)->key);
  const struct crv_import_offer *od =
      offer_of(&i, "nebius-gpu-h100-sxm-8gpu-128vcpu-1500gb-eu-south1-od");
  const struct crv_import_offer *spot =
      offer_of(&i, "nebius-gpu-h100-sxm-8gpu-128vcpu-1500gb-eu-south1-spot");
  nominal_is(od, 80, "GiB");
  nominal_is(spot, 80, "GiB");
  amount_is(od, 22400000, "22.40");
  amount_is(spot, 9600000, "9.60");
  ck_assert_int_eq(od->offer->plan->interruptible, CRV_FALSE);
  ck_assert_int_eq(spot->offer->plan->interruptible, CRV_TRUE);
  nominal_is(offer_of(&i, "nebius-gpu-l40s-a-1gpu-8vcpu-40gb-eu-south1-od"), 48, "GiB");
  import_done(&i);
  import_done(&wrong);
}
END_TEST

START_TEST(verda_figures_are_nominal_only_where_the_vendor_says_so) {
  struct imported i = sky_file("verda", "sky_verda.csv");
  ck_assert_uint_eq(n_findings(&i), 0);
  ck_assert_int_eq(i.r.skipped, 1);
  ck_assert_uint_eq(n_offers(&i), 6);
  declared_is(offer_of(&i, "verda-1b300-20v-osl-01-od"), 268288);
  declared_is(offer_of(&i, "verda-2b300-40v-osl-01-spot"), 268800);
  nominal_is(offer_of(&i, "verda-1a100-20v-osl-01-spot"), 80, "GiB");
  nominal_is(offer_of(&i, "verda-1v100-6v-osl-01-od"), 16, "GiB");
  amount_is(offer_of(&i, "verda-1v100-6v-osl-01-od"), 140200, "0.1402");
  ck_assert_int_eq(offer_of(&i, "verda-1v100-6v-osl-01-od")->offer->host->ram_bytes.v,
                   22 * CRV_GIB + CRV_GIB / 2);
  import_done(&i);
}
END_TEST

START_TEST(lambda_total_repeats_one_device) {
  struct imported i = sky_file("lambda", "sky_lambda.csv");
  const struct crv_row_finding *f = finding_of(&i, 2, "total_mismatch");
  ck_assert_ptr_nonnull(f);
  ck_assert_str_eq(f->value[0], "49152 MiB");
  ck_assert_str_eq(f->value[1], "4 x 49152 MiB");
  ck_assert_uint_eq(n_findings(&i), 1); /* a lot of one is consistent */
  const struct crv_import_offer *four = offer_of(&i, "lambda-gpu-4x-a6000-eu-west-9-od");
  nominal_is(four, 48, "GiB");
  ck_assert(doubted(four, "device.memory_nominal", "total_mismatch"));
  ck_assert_int_eq(four->offer->lot->devices.v, 4);
  ck_assert_uint_eq(offer_of(&i, "lambda-gpu-1x-a6000-eu-west-9-od")->offer->findings.n, 0);
  import_done(&i);
}
END_TEST

START_TEST(runpod_gb_under_a_mib_name) {
  struct imported i = sky_file("runpod", "sky_runpod.csv");
  ck_assert_uint_eq(n_offers(&i), 4);
  const struct crv_import_offer *o = offer_of(&i, "runpod-2x-a100-80gb-secure-pt-eu-pt-1-od");
  nominal_is(o, 80, "GB");
  ck_assert_str_eq(o->offer->region, "PT/EU-PT-1");
  const struct crv_row_finding *f = finding_of(&i, 1, "memory_impossible_unit");
  ck_assert_ptr_nonnull(f);
  ck_assert_str_eq(f->value[0], "80 MiB");
  ck_assert_str_eq(f->value[1], "80 GB");
  ck_assert(doubted(o, "device.memory_nominal", "memory_impossible_unit"));
  ck_assert_uint_eq(count_findings(&i, "price_equals_spot"), 2);
  ck_assert_uint_eq(count_findings(&i, "total_mismatch"), 0);
  ck_assert(!doubted(o, "price.amount", "price_equals_spot")); /* information only */
  import_done(&i);
}
END_TEST

START_TEST(primeintellect_pool_counted_twice) {
  struct imported i = sky_file("primeintellect", "sky_primeintellect.csv");
  const struct crv_import_offer *o =
      offer_of(&i, "primeintellect-alphacloud-8xh100-80gb-200-1400-pt-porto-1-od");
  nominal_is(o, 80, "GiB");
  const struct crv_row_finding *f = finding_of(&i, 1, "total_mismatch");
  ck_assert_str_eq(f->value[0], "5242880 MiB");
  ck_assert_str_eq(f->value[1], "8 x 81920 MiB");
  ck_assert_str_eq(o->offer->supplier_ref, "alphacloud__8xH100_80GB__200__1400");
  /* a price of more than six decimals is kept as text alone */
  const struct crv_import_offer *p =
      offer_of(&i, "primeintellect-betacloud-4xa100-80gb-100-400-pt-porto-2-od");
  ck_assert(!p->offer->price->amount.set);
  ck_assert_str_eq(p->offer->price->raw, "5.7712999999999992");
  ck_assert_ptr_nonnull(finding_of(&i, 2, "price_precision"));
  ck_assert(doubted(p, "price.amount", "price_precision"));
  amount_is(offer_of(&i, "primeintellect-betacloud-1xa100-80gb-20-110-spot-pt-porto-2-spot"),
            550000, "0.55");
  import_done(&i);
}
END_TEST

START_TEST(a_price_equal_to_the_device_count_is_doubted) {
  struct imported i = sky_file("mithril", "sky_mithril.csv");
  ck_assert_uint_eq(count_findings(&i, "price_equals_devices"), 2);
  ck_assert_uint_eq(n_offers(&i), 2);
  for (size_t n = 0; n < 2; n++) {
    amount_is(offer_at(&i, n), 4000000, "4.0");
    ck_assert(doubted(offer_at(&i, n), "price.amount", "price_equals_devices"));
    ck_assert_uint_eq(offer_at(&i, n)->offer->findings.n, 1); /* its own plan's alone */
  }
  import_done(&i);
}
END_TEST

/* -- the public files, where they lie beside the project
 * --------------------------------------------- */

static bool public_file(const char *profile, const char *name, struct imported *ret) {
  size_t len;
  _free_ char *data = import_public(name, &len);
  if (!data) return false;
  *ret = import_sky(profile, data, len);
  ck_assert_msg(ret->ok, "%s: %s", name, ret->err.at[0].detail);
  return true;
}

START_TEST(public_nebius_v7_and_v8) {
  struct imported v7, v8;
  if (!public_file("nebius", "skypilot_v7_nebius_vms.csv", &v7)) return;
  ck_assert(public_file("nebius", "skypilot_v8_nebius_vms.csv", &v8));
  ck_assert_int_eq(v7.r.rows, 61);
  ck_assert_int_eq(v7.r.skipped, 40);
  ck_assert_uint_eq(n_offers(&v7), 29);
  for (int64_t row = 41; row <= 61; row++) {
    ck_assert_msg(finding_of(&v7, row, "host_ram_as_memory") != NULL, "row %d", (int)row);
    ck_assert_msg(finding_of(&v7, row, "declared_out_of_range") != NULL, "row %d", (int)row);
  }
  ck_assert_uint_eq(n_findings(&v7), 42);
  ck_assert_uint_eq(n_findings(&v8), 0);
  ck_assert_uint_eq(n_offers(&v8), 29);
  for (size_t n = 0; n < 29; n++) {
    const struct crv_import_offer *a = offer_at(&v7, n), *b = offer_at(&v8, n);
    ck_assert_str_eq(a->key, b->key);
    ck_assert(memory_unknown(a) && !memory_unknown(b));
    ck_assert_int_eq(a->offer->price->amount.v, b->offer->price->amount.v);
  }
  import_done(&v7);
  import_done(&v8);
}
END_TEST

START_TEST(public_verda) {
  struct imported i;
  if (!public_file("verda", "skypilot_v8_verda_vms.csv", &i)) return;
  size_t spot = 0;
  ck_assert_int_eq(i.r.rows, 33);
  ck_assert_int_eq(i.r.skipped, 11);
  ck_assert_uint_eq(n_findings(&i), 0);
  ck_assert_uint_eq(n_offers(&i), 33);
  for (size_t n = 0; n < n_offers(&i); n++)
    spot += offer_at(&i, n)->offer->plan->interruptible == CRV_TRUE;
  ck_assert_uint_eq(spot, 16); /* 22 rows, 6 of them without spot; 5 have nothing else */
  declared_is(offer_of(&i, "verda-1b300-30v-fin-03-od"), 268288);
  declared_is(offer_of(&i, "verda-2b300-60v-fin-03-spot"), 268800);
  nominal_is(offer_of(&i, "verda-1rtx6000ada-10v-fin-03-od"), 48, "GiB");
  ck_assert_str_eq(offer_of(&i, "verda-1rtx6000ada-10v-fin-03-od")->offer->device->model,
                   "nvidia/rtx-6000-ada");
  import_done(&i);
}
END_TEST

START_TEST(public_vast) {
  struct imported i;
  if (!public_file("vast", "skypilot_v8_vast_vms.csv", &i)) return;
  ck_assert_int_eq(i.r.rows, 67);
  ck_assert_uint_eq(n_offers(&i), 67);
  ck_assert_uint_eq(count_findings(&i, "memory_ambiguous"), 3);
  for (int64_t row = 21; row <= 23; row++)
    ck_assert_ptr_nonnull(finding_of(&i, row, "memory_ambiguous"));
  ck_assert_ptr_nonnull(finding_of(&i, 22, "declared_out_of_range"));
  ck_assert_uint_eq(count_findings(&i, "device_name_conflict"), 3); /* 4070S Ti, 4060 Ti, 3060 Ti */
  ck_assert_uint_eq(n_findings(&i), 7);
  declared_is(offer_of(&i, "vast-2x-h200-32-65536-michigan-us-na-od"), 143771);
  declared_is(offer_of(&i, "vast-8x-h200-32-65536-france-fr-eu-od"), 143771);
  declared_is(offer_of(&i, "vast-1x-l40s-32-65536-taichung-city-tw-as-od"), 46068);
  declared_is(offer_of(&i, "vast-1x-rtx-6000ada-32-65536-japan-jp-as-od"), 49140);
  ck_assert_uint_eq(count_findings(&i, "price_zero"), 0);
  import_done(&i);
}
END_TEST

/* The excerpt holds rows of four providers: each is read by its own profile. */
static struct imported excerpt(const char *profile, const char *data) {
  char mark[64];
  struct crv_buf b;
  crv_buf_init(&b, 0);
  snprintf(mark, sizeof mark, "catalogs/v8/%s/", profile);
  for (const char *s = data, *end; *s; s = end) {
    end = strchr(s, '\n');
    end = end ? end + 1 : s + strlen(s);
    if (s == data || !strncmp(s, mark, strlen(mark))) crv_buf_add(&b, s, (size_t)(end - s));
  }
  struct imported i = import_sky(profile, b.data, b.len);
  ck_assert(i.ok);
  crv_buf_done(&b);
  ck_assert_uint_eq(count_findings(&i, "column_ignored"), 2);
  return i;
}

START_TEST(public_excerpt) {
  size_t len;
  _free_ char *data = import_public("skypilot_v8_quirk_rows.csv", &len);
  if (!data) return;
  struct imported i = excerpt("lambda", data);
  ck_assert_uint_eq(n_offers(&i), 5);
  ck_assert_int_eq(i.r.skipped, 1);
  ck_assert_uint_eq(count_findings(&i, "total_mismatch"), 4);
  nominal_is(offer_of(&i, "lambda-gpu-8x-v100-us-east-1-od"), 16, "GiB");
  import_done(&i);
  i = excerpt("runpod", data);
  ck_assert_uint_eq(n_offers(&i), 10);
  ck_assert_uint_eq(count_findings(&i, "memory_impossible_unit"), 5);
  ck_assert_uint_eq(count_findings(&i, "price_equals_spot"), 5);
  nominal_is(offer_of(&i, "runpod-2x-a100-80gb-secure-cz-eu-cz-1-od"), 80, "GB");
  import_done(&i);
  i = excerpt("primeintellect", data);
  ck_assert_uint_eq(n_offers(&i), 13);
  ck_assert_uint_eq(count_findings(&i, "price_precision"), 1);
  ck_assert_uint_eq(count_findings(&i, "total_mismatch"), 9);
  nominal_is(offer_at(&i, 0), 80, "GiB");
  import_done(&i);
  i = excerpt("mithril", data);
  ck_assert_uint_eq(n_offers(&i), 8);
  ck_assert_uint_eq(count_findings(&i, "price_equals_devices"), 8);
  import_done(&i);
}
END_TEST

int main(void) {
  Suite *s = suite_create("import_skypilot");
  TCase *t = tcase_create("import_skypilot");
  tcase_set_timeout(t, 120);
  tcase_add_test(t, vast_pools_are_divided_and_declared);
  tcase_add_test(t, a_pool_that_does_not_divide_is_no_figure);
  tcase_add_test(t, one_type_with_two_memories_stays_apart);
  tcase_add_test(t, nebius_host_ram_written_as_memory_is_caught);
  tcase_add_test(t, nebius_corrected_has_the_same_keys_and_no_finding);
  tcase_add_test(t, verda_figures_are_nominal_only_where_the_vendor_says_so);
  tcase_add_test(t, lambda_total_repeats_one_device);
  tcase_add_test(t, runpod_gb_under_a_mib_name);
  tcase_add_test(t, primeintellect_pool_counted_twice);
  tcase_add_test(t, a_price_equal_to_the_device_count_is_doubted);
  tcase_add_test(t, public_nebius_v7_and_v8);
  tcase_add_test(t, public_verda);
  tcase_add_test(t, public_vast);
  tcase_add_test(t, public_excerpt);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
