/* The SkyPilot importer on rows of any provider: each cell's finding, identity, order, requests
   that cannot be read, noise. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "tests/unit/import_files.h"

#define HEAD \
  "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Region,Price,SpotPrice\n"
#define INFO(n, size, total) \
  "\"{'Gpus': [{'Name': 'L40S', 'Count': " n ", 'MemoryInfo': {'SizeInMiB': " size \
  "}}], 'TotalGpuMemoryInMiB': " total "}\""
#define GOOD INFO("1", "49152", "49152")

static struct imported rows(const char *text) {
  struct imported i = import_sky("nebius", text, strlen(text));
  ck_assert_msg(i.ok, "%s", i.err.at[0].detail);
  return i;
}

static const struct {
  const char *row, *code, *column;
  const char *field; /* whose attestation it removes, NULL: none */
  size_t offers;
} cells[] = {
    {"a,L40S,1,8,64," GOOD ",r,0.9,", NULL, NULL, NULL, 1},
    {"a,L40S,0,8,64," GOOD ",r,0.9,", "count_unreadable", "AcceleratorCount", "lot.devices", 1},
    {"a,L40S,0.5,8,64," GOOD ",r,0.9,", "count_unreadable", "AcceleratorCount", "lot.devices", 1},
    {"a,L40S,,8,64," GOOD ",r,0.9,", "count_unreadable", "AcceleratorCount", "lot.devices", 1},
    {"a,L40S,-1,8,64," GOOD ",r,0.9,", "count_unreadable", "AcceleratorCount", "lot.devices", 1},
    {"a,L40S,2,8,64," INFO("1", "49152", "98304") ",r,0.9,", "count_mismatch", "GpuInfo",
     "lot.devices", 1},
    {"a,L40S,1,0.5,64," GOOD ",r,0.9,", "vcpus_unreadable", "vCPUs", "host.vcpus", 1},
    {"a,L40S,1,0,64," GOOD ",r,0.9,", "vcpus_unreadable", "vCPUs", "host.vcpus", 1},
    {"a,L40S,1,8,lots," GOOD ",r,0.9,", "host_ram_unreadable", "MemoryGiB", "host.ram_bytes", 1},
    {"a,L40S,1,8,0," GOOD ",r,0.9,", "host_ram_unreadable", "MemoryGiB", "host.ram_bytes", 1},
    {"a,L40S,1,8,64,,r,0.9,", "gpuinfo_missing", "GpuInfo", NULL, 1},
    {"a,L40S,1,8,64,48 GB,r,0.9,", "gpuinfo_unreadable", "GpuInfo", "device.memory_nominal", 1},
    {"a,L40S,1,8,64,\"{'Gpus': []}\",r,0.9,", "gpuinfo_unreadable", "GpuInfo",
     "device.memory_nominal", 1},
    {"a,L40S,1,8,64," INFO("1", "None", "1") ",r,0.9,", "gpuinfo_unreadable", "GpuInfo",
     "device.memory_nominal", 1},
    {"a,L40S,1,8,64," INFO("1", "-49152", "1") ",r,0.9,", "gpuinfo_unreadable", "GpuInfo",
     "device.memory_nominal", 1},
    {"a,L40S,1,8,64," INFO("1", "48", "48") ",r,0.9,", "memory_impossible_unit", "GpuInfo",
     "device.memory_nominal", 1},
    {"a,L40S,1,8,64," INFO("1", "24576", "24576") ",r,0.9,", "declared_out_of_range", "GpuInfo",
     "device.memory_nominal", 1},
    {"a,L40S,1,8,48," GOOD ",r,0.9,", "host_ram_as_memory", "GpuInfo", "device.memory_nominal", 1},
    {"a,L40S,1,8,64," INFO("1", "49152", "98304") ",r,0.9,", "total_mismatch", "GpuInfo",
     "device.memory_nominal", 1},
    {"a,L40S,1,8,64," GOOD ",r,0,", "price_zero", "Price", "price.amount", 1},
    {"a,L40S,1,8,64," GOOD ",r,0.00,0.5", "price_zero", "Price", "price.amount", 2},
    {"a,L40S,1,8,64," GOOD ",r,0.9,0.00", "price_zero", "SpotPrice", NULL, 1},
    {"a,L40S,1,8,64," GOOD ",r,1.0,", "price_equals_devices", "Price", "price.amount", 1},
    {"a,L40S,1,8,64," GOOD ",r,\"0,9\",", "price_unreadable", "Price", "price.amount", 1},
    {"a,L40S,1,8,64," GOOD ",r,-0.9,", "price_unreadable", "Price", "price.amount", 1},
    {"a,L40S,1,8,64," GOOD ",r,$0.9,", "price_unreadable", "Price", "price.amount", 1},
    {"a,L40S,1,8,64," GOOD ",r,nan,", "price_unreadable", "Price", "price.amount", 1},
    {"a,L40S,1,8,64," GOOD ",r,0.1234567,", "price_precision", "Price", "price.amount", 1},
    {"a,L40S,1,8,64," GOOD ",r,,", "price_missing", "Price", "price.amount", 1},
    {"a,L40S,1,8,64," GOOD ",r,0.9,0.9", "price_equals_spot", "SpotPrice", NULL, 2},
    {"a,,1,8,64," GOOD ",r,0.9,", "accelerator_missing", "AcceleratorName", NULL, 0},
    {",L40S,1,8,64," GOOD ",r,0.9,", "key_missing", "InstanceType", NULL, 0},
    {"a,L40S,1,8,64,0.9", "cell_count", NULL, NULL, 0},
    {"a,L40S,1,8,64," GOOD ",\"r\n2\",0.9,", "offer_invalid", "/region", NULL, 0},
};

START_TEST(each_cell_has_its_finding) {
  for (size_t n = 0; n < sizeof cells / sizeof *cells; n++) {
    char text[1024];
    snprintf(text, sizeof text, HEAD "%s\nz,L40S,1,8,64," GOOD ",r,0.8,\n", cells[n].row);
    struct imported i = rows(text);
    ck_assert_msg(n_offers(&i) == cells[n].offers + 1, "%s: %zu offers", cells[n].row,
                  n_offers(&i));
    ck_assert_int_eq(i.r.refused, cells[n].offers == 0);
    if (!cells[n].code) {
      ck_assert_uint_eq(n_findings(&i), 0);
    } else {
      const struct crv_row_finding *f = finding_of(&i, 1, cells[n].code);
      _free_ char *dump = import_dump(&i, true);
      ck_assert_msg(f && n_findings(&i) == 1, "%s:\n%s", cells[n].row, dump);
      ck_assert_msg(crv_streq(f->column, cells[n].column), "%s: %s", cells[n].row, f->column);
      ck_assert_msg(crv_streq(f->field, cells[n].field), "%s: %s", cells[n].row, f->field);
    }
    import_done(&i);
  }
}
END_TEST

START_TEST(a_price_in_doubt_touches_its_own_plan_alone) {
  struct imported i = rows(HEAD "a,L40S,1,8,64," GOOD ",r,0,0.5\n");
  ck_assert_uint_eq(offer_of(&i, "nebius-a-r-od")->offer->findings.n, 1);
  ck_assert(!offer_of(&i, "nebius-a-r-od")->offer->price->amount.set);
  ck_assert_uint_eq(offer_of(&i, "nebius-a-r-spot")->offer->findings.n, 0);
  amount_is(offer_of(&i, "nebius-a-r-spot"), 500000, "0.5");
  import_done(&i);
}
END_TEST

START_TEST(a_wrong_memory_leaves_the_device_named) {
  struct imported i = rows(HEAD "a,L40S,1,8,64," INFO("1", "65536", "65536") ",r,0.9,\n");
  const struct crv_device *d = offer_at(&i, 0)->offer->device;
  ck_assert_str_eq(d->model, "nvidia/l40s");
  ck_assert(memory_unknown(offer_at(&i, 0)));
  import_done(&i);
}
END_TEST

START_TEST(two_names_for_one_device_leave_it_open) {
  static const char text[] =
      HEAD "2x-RTX_4070S_Ti-32-65536,RTX4070,2,8,64,"
           "\"{'Gpus': [{'Name': 'RTX4070', 'Count': 2, 'MemoryInfo': {'SizeInMiB': 32752}}], "
           "'TotalGpuMemoryInMiB': 32752}\",r,0.36,\n";
  struct imported i = import_sky("vast", text, sizeof text - 1);
  const struct crv_import_offer *o = offer_at(&i, 0);
  const struct crv_row_finding *f = finding_of(&i, 1, "device_name_conflict");
  ck_assert_ptr_nonnull(f);
  ck_assert_str_eq(f->value[0], "RTX4070");
  ck_assert_str_eq(f->value[1], "RTX_4070S_Ti");
  ck_assert_ptr_null(o->offer->device->model);
  ck_assert_uint_eq(o->offer->device->candidates.n, 2);
  declared_is(o, 16376);
  import_done(&i);
}
END_TEST

START_TEST(a_second_name_and_the_figure_narrow_the_first) {
  struct imported i = sky_file("vast", "sky_vast.csv");
  const struct crv_import_offer *o = offer_of(&i, "vast-2x-h100-sxm-16-32768-us-na-od");
  ck_assert_str_eq(o->offer->device->name, "H100");
  ck_assert_str_eq(o->offer->device->model, "nvidia/h100-sxm");
  import_done(&i);
  i = sky_file("verda", "sky_verda.csv");
  o = offer_of(&i, "verda-1v100-6v-osl-01-od");
  ck_assert_uint_eq(o->offer->device->candidates.n, 2); /* 16 GB: PCIe or SXM2 */
  import_done(&i);
}
END_TEST

START_TEST(a_repeated_row_is_counted_once) {
  struct imported i = rows(HEAD "a,L40S,1,8,64," GOOD ",r,0.9,\nb,L40S,1,8,64," GOOD ",r,0.9,\n"
                                "a,L40S,1,8,64," GOOD ",r,0.90,\n");
  ck_assert_uint_eq(n_offers(&i), 2);
  ck_assert_int_eq(i.r.refused, 0);
  ck_assert_str_eq(finding_of(&i, 3, "duplicate_row")->value[0], "row 1");
  ck_assert_uint_eq(n_findings(&i), 1);
  import_done(&i);
}
END_TEST

START_TEST(one_identity_with_two_prices_has_none) {
  struct imported i =
      rows(HEAD "a,L40S,1,8,64," GOOD ",r,0.9,0.4\na,L40S,1,8,64," GOOD ",r,0.8,0.4\n");
  ck_assert_uint_eq(n_offers(&i), 2);
  ck_assert(!offer_of(&i, "nebius-a-r-od")->offer->price->amount.set);
  amount_is(offer_of(&i, "nebius-a-r-spot"), 400000, "0.4");
  ck_assert_str_eq(finding_of(&i, 1, "price_conflict")->value[0], "0.9");
  ck_assert_str_eq(finding_of(&i, 1, "price_conflict")->value[1], "0.8");
  ck_assert_str_eq(finding_of(&i, 2, "price_conflict")->value[0], "0.8");
  ck_assert_uint_eq(offer_of(&i, "nebius-a-r-spot")->offer->findings.n, 0);
  import_done(&i);
}
END_TEST

START_TEST(one_identity_with_two_shapes_is_kept_apart) {
  struct imported i = rows(HEAD "a,L40S,1,8,64," GOOD ",r,0.9,\na,L40S,1,16,64," GOOD ",r,0.9,\n");
  ck_assert_uint_eq(n_offers(&i), 2);
  ck_assert_str_ne(offer_at(&i, 0)->key, offer_at(&i, 1)->key);
  ck_assert_uint_eq(count_findings(&i, "identity_conflict"), 2);
  import_done(&i);
}
END_TEST

static char *reversed(const char *name) {
  size_t len, n = 0;
  _free_ char *text = import_file(name, &len);
  char *line[64] = {NULL};
  struct crv_buf b;
  for (char *save = NULL, *l = strtok_r(text, "\n", &save); l && n < 64;
       l = strtok_r(NULL, "\n", &save))
    line[n++] = l;
  crv_buf_init(&b, 0);
  ck_assert(n > 1);
  crv_buf_printf(&b, "%s\n", line[0]);
  while (n > 1) crv_buf_printf(&b, "%s\n", line[--n]);
  return crv_buf_take(&b, NULL);
}

START_TEST(the_order_of_rows_changes_nothing) {
  static const char *const names[][2] = {{"vast", "sky_vast.csv"},
                                         {"nebius", "sky_nebius_host_ram.csv"},
                                         {"verda", "sky_verda.csv"},
                                         {"runpod", "sky_runpod.csv"},
                                         {"mithril", "sky_mithril.csv"}};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    struct imported i = sky_file(names[n][0], names[n][1]);
    _free_ char *back = reversed(names[n][1]);
    struct imported j = import_sky(names[n][0], back, strlen(back));
    ck_assert(j.ok);
    _free_ char *a = import_dump(&i, false), *b = import_dump(&j, false);
    ck_assert_str_eq(a, b);
    import_done(&i);
    import_done(&j);
  }
}
END_TEST

START_TEST(the_request_names_supplier_and_prefix) {
  const struct crv_import_params p = {.source = "skypilot",
                                      .profile = "verda",
                                      .currency = "EUR",
                                      .supplier = "Verda Cloud",
                                      .key_prefix = "v8"};
  struct imported i = import_named(&p, "sky_verda.csv");
  const struct crv_import_offer *o = offer_of(&i, "v8-1v100-6v-osl-01-od");
  ck_assert_str_eq(o->offer->supplier, "Verda Cloud");
  ck_assert_str_eq(o->offer->price->currency, "EUR");
  import_done(&i);
}
END_TEST

START_TEST(unknown_columns_are_told_once) {
  struct imported i = rows("source_file,Arch," HEAD "f,x86,a,L40S,1,8,64," GOOD ",r,0.9,\n"
                           "f,x86,b,L40S,1,8,64," GOOD ",r,0.9,\n");
  ck_assert_uint_eq(n_findings(&i), 1);
  ck_assert_str_eq(finding_of(&i, 0, "column_ignored")->column, "source_file");
  ck_assert_uint_eq(n_offers(&i), 2);
  import_done(&i);
}
END_TEST

static const struct {
  struct crv_import_params p;
  const char *text, *says;
} refusals[] = {
    {{.source = "excel", .currency = "USD"}, HEAD, "skypilot"},
    {{.source = NULL, .currency = "USD"}, HEAD, "skypilot"},
    {{.source = "skypilot", .currency = "USD"}, HEAD, "primeintellect"},
    {{.source = "skypilot", .profile = "aws", .currency = "USD"}, HEAD, "vast"},
    {{.source = "skypilot", .profile = "vast"}, HEAD, "currency"},
    {{.source = "skypilot", .profile = "vast", .currency = "usd"}, HEAD, "ISO 4217"},
    {{.source = "skypilot", .profile = "vast", .currency = "USD", .key_prefix = "A b"},
     HEAD,
     "prefix"},
    {{.source = "skypilot", .profile = "vast", .currency = "USD", .supplier = ""},
     HEAD,
     "supplier"},
    {{.source = "ndjson", .profile = "vast"}, "{}", "profile"},
};

START_TEST(a_request_that_cannot_be_read_says_what_is_accepted) {
  for (size_t n = 0; n < sizeof refusals / sizeof *refusals; n++) {
    struct imported i = import_text(&refusals[n].p, refusals[n].text, strlen(refusals[n].text));
    ck_assert(!i.ok);
    ck_assert_int_eq(i.err.code, CRV_BAD_PARAMETER);
    ck_assert_msg(strstr(i.err.detail, refusals[n].says) != NULL, "%s", i.err.detail);
    import_done(&i);
  }
}
END_TEST

START_TEST(every_missing_column_is_named) {
  static const char text[] = "InstanceType,AcceleratorName,Region,SpotPrice\n";
  struct imported i = import_sky("vast", text, sizeof text - 1);
  ck_assert(!i.ok);
  ck_assert_int_eq(i.err.code, CRV_INVALID_FIELDS);
  ck_assert_uint_eq(i.err.n, 5);
  ck_assert_ptr_nonnull(strstr(i.err.at[0].detail, "AcceleratorCount"));
  ck_assert_ptr_nonnull(strstr(i.err.at[4].detail, "Price"));
  import_done(&i);
}
END_TEST

START_TEST(noise_is_refused_and_findings_are_capped) {
  struct crv_buf b;
  crv_buf_init(&b, 0);
  for (int k = 0; k < 1 << 20; k++) crv_buf_str(&b, "\x01\xFE noise,");
  struct imported i = import_sky("vast", b.data, b.len);
  ck_assert(!i.ok);
  import_done(&i);
  b.len = 0;
  crv_buf_str(&b, HEAD);
  for (int k = 0; k < 1 << 20; k++) crv_buf_str(&b, "\xFE\xFFnoise\n");
  crv_buf_str(&b, "a,L40S,1,8,64," GOOD ",r,0,\n");
  i = import_sky("vast", b.data, b.len);
  ck_assert(i.ok);
  ck_assert_int_eq(i.r.refused, 1 << 20);
  ck_assert_uint_eq(n_findings(&i), CRV_IMPORT_FINDINGS);
  ck_assert_int_eq(i.r.more_findings, (1 << 20) - CRV_IMPORT_FINDINGS + 1);
  ck_assert_uint_eq(n_offers(&i), 1);
  ck_assert_uint_lt(crv_arena_used(i.arena), 4 << 20);
  import_done(&i);
  crv_buf_done(&b);
}
END_TEST

START_TEST(an_arena_too_small_is_out_of_memory) {
  size_t len;
  _free_ char *data = import_file("sky_vast.csv", &len);
  const struct crv_import_params p = {.source = "skypilot", .profile = "vast", .currency = "USD"};
  for (size_t cap = 64; cap < 16384; cap += 97) {
    _arena_ struct crv_arena *a = crv_arena_new(cap);
    struct crv_import_result r;
    struct crv_err err;
    crv_err_init(&err);
    if (crv_import_read(&p, data, len, a, &r, &err)) continue;
    ck_assert_msg(err.code == CRV_OUT_OF_MEMORY, "cap %zu: %s %s", cap, err.detail, err.log);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("import_rows");
  TCase *t = tcase_create("import_rows");
  tcase_set_timeout(t, 120);
  tcase_add_test(t, each_cell_has_its_finding);
  tcase_add_test(t, a_price_in_doubt_touches_its_own_plan_alone);
  tcase_add_test(t, a_wrong_memory_leaves_the_device_named);
  tcase_add_test(t, two_names_for_one_device_leave_it_open);
  tcase_add_test(t, a_second_name_and_the_figure_narrow_the_first);
  tcase_add_test(t, a_repeated_row_is_counted_once);
  tcase_add_test(t, one_identity_with_two_prices_has_none);
  tcase_add_test(t, one_identity_with_two_shapes_is_kept_apart);
  tcase_add_test(t, the_order_of_rows_changes_nothing);
  tcase_add_test(t, the_request_names_supplier_and_prefix);
  tcase_add_test(t, unknown_columns_are_told_once);
  tcase_add_test(t, a_request_that_cannot_be_read_says_what_is_accepted);
  tcase_add_test(t, every_missing_column_is_named);
  tcase_add_test(t, noise_is_refused_and_findings_are_capped);
  tcase_add_test(t, an_arena_too_small_is_out_of_memory);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
