/* Native offer files: NDJSON and CSV by field path, row by row, with the same checks. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "tests/unit/import_files.h"

static const struct crv_import_params ndjson = {.source = "ndjson"}, csv = {.source = "csv"};

static struct imported lines(const char *text) {
  return import_text(&ndjson, text, strlen(text));
}
static struct imported table(const char *text) {
  return import_text(&csv, text, strlen(text));
}

START_TEST(documents_line_by_line) {
  struct imported i = import_named(&ndjson, "native.ndjson");
  ck_assert_int_eq(i.r.rows, 8); /* the blank line is none */
  ck_assert_uint_eq(n_offers(&i), 2);
  const struct crv_offer *o = offer_of(&i, "ada-1")->offer;
  ck_assert_str_eq(o->supplier, "alpha-cloud");
  ck_assert_int_eq(o->price->amount.v, 810000);
  ck_assert_int_eq(o->device->memory_declared_bytes.v, INT64_C(51527024640));
  ck_assert(!o->key && !o->source);
  ck_assert_uint_eq(o->findings.n, 0);
  import_done(&i);
}
END_TEST

START_TEST(a_bad_line_hides_no_other_and_names_each_field) {
  struct imported i = import_named(&ndjson, "native.ndjson");
  ck_assert_int_eq(i.r.refused, 5); /* fields, cut off, no key, and two that conflict */
  ck_assert_uint_eq(count_findings(&i, "offer_invalid"), 3);
  const struct crv_row_finding *f = finding_of(&i, 3, "offer_invalid");
  ck_assert_str_eq(f->effect, "row refused");
  ck_assert_ptr_nonnull(finding_of(&i, 4, "row_not_json"));
  ck_assert_ptr_nonnull(finding_of(&i, 5, "key_missing"));
  bool amount = false, currency = false, devices = false;
  for (size_t n = 0; n < n_findings(&i); n++) {
    const char *c = crv_list_at(i.r.findings, struct crv_row_finding, n)->column;
    amount = amount || crv_streq(c, "price.amount");
    currency = currency || crv_streq(c, "price.curency");
    devices = devices || crv_streq(c, "lot.devices");
  }
  ck_assert(amount && currency && devices);
  import_done(&i);
}
END_TEST

START_TEST(one_key_twice_is_told) {
  struct imported i = import_named(&ndjson, "native.ndjson");
  ck_assert_ptr_nonnull(finding_of(&i, 6, "key_conflict"));
  ck_assert_ptr_nonnull(finding_of(&i, 7, "key_conflict"));
  ck_assert_ptr_nonnull(finding_of(&i, 8, "duplicate_row")); /* the same with keys in other order */
  ck_assert_str_eq(finding_of(&i, 8, "duplicate_row")->value[1], "row 1");
  import_done(&i);
}
END_TEST

START_TEST(figures_of_documents_are_checked) {
  struct imported i = import_named(&ndjson, "native.ndjson");
  const struct crv_import_offer *o = offer_of(&i, "l40s-1");
  ck_assert_ptr_nonnull(finding_of(&i, 2, "declared_out_of_range"));
  ck_assert_ptr_nonnull(finding_of(&i, 2, "host_ram_as_memory"));
  ck_assert(!o->offer->device->memory_nominal.set);
  ck_assert(!o->offer->device->memory_declared_bytes.set);
  ck_assert(doubted(o, "device.memory_nominal", "declared_out_of_range"));
  import_done(&i);
}
END_TEST

START_TEST(columns_are_field_paths) {
  struct imported i = import_named(&csv, "native.csv");
  ck_assert_int_eq(i.r.rows, 4);
  ck_assert_uint_eq(n_offers(&i), 3);
  const struct crv_offer *o = offer_of(&i, "ada-2x-3d")->offer;
  ck_assert_str_eq(o->device->name, "RTX 6000 Ada");
  ck_assert_int_eq(o->device->memory_nominal.micro, 48 * CRV_MICRO);
  ck_assert_int_eq(o->lot->devices.v, 2);
  ck_assert_int_eq(o->plan->hours.v, 72);
  ck_assert_int_eq(o->plan->interruptible, CRV_FALSE);
  ck_assert_int_eq(o->price->amount.v, 111420000);
  ck_assert_int_eq(o->host->ram_bytes.v, 128 * CRV_GIB);
  ck_assert_uint_eq(o->findings.n, 0);
  const struct crv_offer *blank = offer_of(&i, "l4-1x")->offer;
  ck_assert(!blank->plan && !blank->host);
  import_done(&i);
}
END_TEST

START_TEST(a_price_list_that_contradicts_itself) {
  struct imported i = import_named(&csv, "native.csv");
  const struct crv_import_offer *o = offer_of(&i, "ada-2x-7d");
  const struct crv_row_finding *f = finding_of(&i, 2, "price_product_mismatch");
  ck_assert_ptr_nonnull(f);
  ck_assert_str_eq(f->value[0], "240");
  ck_assert_str_eq(f->value[1], "2 x 130");
  ck_assert_int_eq(o->offer->price->amount.v, 240000000); /* kept, not attested */
  ck_assert(doubted(o, "price.amount", "price_product_mismatch"));
  ck_assert_ptr_nonnull(finding_of(&i, 2, "total_mismatch"));
  ck_assert(!o->offer->device->memory_nominal.set);
  import_done(&i);
}
END_TEST

START_TEST(a_price_of_zero_becomes_unknown_with_its_text) {
  struct imported i = import_named(&csv, "native.csv");
  const struct crv_import_offer *o = offer_of(&i, "l4-1x");
  ck_assert_ptr_nonnull(finding_of(&i, 3, "price_zero"));
  ck_assert(!o->offer->price->amount.set);
  ck_assert_str_eq(o->offer->price->raw, "0");
  ck_assert(doubted(o, "price.amount", "price_zero"));
  import_done(&i);
}
END_TEST

START_TEST(an_amount_without_unit_refuses_its_row) {
  struct imported i = import_named(&csv, "native.csv");
  const struct crv_row_finding *f = finding_of(&i, 4, "offer_invalid");
  ck_assert_ptr_nonnull(f);
  ck_assert_str_eq(f->column, "host.ram");
  ck_assert_ptr_nonnull(strstr(f->value[0], "GiB"));
  ck_assert_int_eq(i.r.refused, 1);
  import_done(&i);
}
END_TEST

static const struct {
  const char *header, *says, *hint;
} headers[] = {
    {"supplier,device.name\n", "key", NULL},
    {"key,price.amout\n", "price.amout", "price.amount"},
    {"key,amount\n", "amount", "price.amount"},
    {"key,hosts.ram\n", "hosts.ram", "host.ram"},
    {"key,zebra\n", "zebra", NULL},
    {"key,price.extras\n", "price.extras", "NDJSON"},
    {"key,price\n", "price", "NDJSON"},
    {"key,device,device.model\n", "device", NULL},
    {"key,check.memory_totl\n", "check.memory_totl", "check.memory_total"},
    {"key,key\n", "key", NULL},
};

START_TEST(an_unknown_column_refuses_the_file_with_the_nearest_name) {
  for (size_t n = 0; n < sizeof headers / sizeof *headers; n++) {
    struct imported i = table(headers[n].header);
    ck_assert_msg(!i.ok, "%s", headers[n].header);
    ck_assert_int_eq(i.err.code, CRV_INVALID_FIELDS);
    ck_assert_msg(strstr(i.err.at[0].detail, headers[n].says) != NULL, "%s", i.err.at[0].detail);
    if (headers[n].hint)
      ck_assert_msg(strstr(i.err.at[0].hint, headers[n].hint) != NULL, "%s: %s", headers[n].header,
                    i.err.at[0].hint);
    import_done(&i);
  }
}
END_TEST

START_TEST(all_unknown_columns_are_told_at_once) {
  struct imported i = table("key,price.amout,regoin\n");
  ck_assert(!i.ok);
  ck_assert_uint_eq(i.err.n, 2);
  import_done(&i);
}
END_TEST

START_TEST(a_short_device_and_columns_of_ones_own) {
  struct imported i = table("key,supplier,device,x-ticket\nk1,a,RTX 6000 Ada,T-7\n");
  ck_assert(i.ok);
  ck_assert_str_eq(offer_of(&i, "k1")->offer->device->name, "RTX 6000 Ada");
  ck_assert_uint_eq(offer_of(&i, "k1")->offer->extras.n, 1);
  import_done(&i);
}
END_TEST

START_TEST(the_request_fills_what_the_rows_leave_out) {
  const struct crv_import_params p = {
      .source = "csv", .supplier = "beta", .currency = "EUR", .key_prefix = "beta"};
  const char *text = "key,supplier,device.name,price.amount,price.currency\n"
                     "k1,,L4,0.5,\nk2,alpha,L4,0.6,USD\n";
  struct imported i = import_text(&p, text, strlen(text));
  ck_assert(i.ok);
  const struct crv_offer *a = offer_of(&i, "beta-k1")->offer, *b = offer_of(&i, "beta-k2")->offer;
  ck_assert_str_eq(a->supplier, "beta");
  ck_assert_str_eq(a->price->currency, "EUR");
  ck_assert_str_eq(b->supplier, "alpha");
  ck_assert_str_eq(b->price->currency, "USD");
  import_done(&i);
}
END_TEST

START_TEST(a_price_without_currency_is_found) {
  struct imported i = table("key,supplier,device.name,price.amount\nk1,a,L4,0.5\n");
  ck_assert_ptr_nonnull(finding_of(&i, 1, "currency_missing"));
  ck_assert(doubted(offer_of(&i, "k1"), "price.currency", "currency_missing"));
  import_done(&i);
}
END_TEST

START_TEST(prices_equal_to_the_count_are_doubted_per_lot_alone) {
  struct imported i =
      table("key,supplier,device.name,lot.devices,price.amount,price.currency,price.basis\n"
            "k1,a,L4,2,2.00,EUR,per_lot\nk2,a,L4,2,2.00,EUR,per_device\n");
  ck_assert_ptr_nonnull(finding_of(&i, 1, "price_equals_devices"));
  ck_assert_ptr_null(finding_of(&i, 2, "price_equals_devices"));
  import_done(&i);
}
END_TEST

START_TEST(a_source_of_its_own_is_replaced_and_told) {
  struct imported i = lines("{\"key\":\"k\",\"supplier\":\"a\",\"device\":{\"name\":\"L4\"},"
                            "\"source\":{\"evidence\":\"list@2\"}}\n");
  ck_assert(i.ok);
  ck_assert_str_eq(finding_of(&i, 1, "source_replaced")->value[0], "list@2");
  ck_assert(!offer_of(&i, "k")->offer->source);
  import_done(&i);
}
END_TEST

START_TEST(impossible_units_are_found_in_documents) {
  struct imported i = table("key,supplier,device.name,device.memory_nominal\nk1,a,L4,24 MB\n");
  ck_assert_ptr_nonnull(finding_of(&i, 1, "memory_impossible_unit"));
  ck_assert(!offer_of(&i, "k1")->offer->device->memory_nominal.set);
  import_done(&i);
}
END_TEST

START_TEST(keys_must_be_keys) {
  struct imported i = table("key,supplier,device.name\nBad Key,a,L4\n,a,L4\nok,a,L4\n");
  ck_assert_uint_eq(count_findings(&i, "key_missing"), 2);
  ck_assert_uint_eq(n_offers(&i), 1);
  import_done(&i);
}
END_TEST

static const char *const noise[] = {"",   "\n\n",  "\xEF\xBB\xBF", "{",   "null",
                                    "[]", "\"x\"", "\xFF\xFE",     "{}x", "{}"};

START_TEST(noise_is_an_error_or_a_finding) {
  for (size_t n = 0; n < sizeof noise / sizeof *noise; n++) {
    struct imported i = lines(noise[n]);
    ck_assert(!i.ok || (i.r.refused == 1 && n_offers(&i) == 0 && n_findings(&i) >= 1));
    import_done(&i);
  }
}
END_TEST

START_TEST(one_long_line_is_refused_and_the_next_read) {
  struct crv_buf b;
  crv_buf_init(&b, 0);
  crv_buf_str(&b, "{\"note\":\"");
  for (int k = 0; k < 1 << 21; k++) crv_buf_char(&b, 'x');
  crv_buf_str(&b, "\"}\n{\"key\":\"k\",\"supplier\":\"a\",\"device\":{\"name\":\"L4\"}}\n");
  struct imported i = import_text(&ndjson, b.data, b.len);
  ck_assert(i.ok);
  ck_assert_ptr_nonnull(finding_of(&i, 1, "row_too_long"));
  offer_of(&i, "k");
  import_done(&i);
  crv_buf_done(&b);
}
END_TEST

int main(void) {
  Suite *s = suite_create("import_native");
  TCase *t = tcase_create("import_native");
  tcase_add_test(t, documents_line_by_line);
  tcase_add_test(t, a_bad_line_hides_no_other_and_names_each_field);
  tcase_add_test(t, one_key_twice_is_told);
  tcase_add_test(t, figures_of_documents_are_checked);
  tcase_add_test(t, columns_are_field_paths);
  tcase_add_test(t, a_price_list_that_contradicts_itself);
  tcase_add_test(t, a_price_of_zero_becomes_unknown_with_its_text);
  tcase_add_test(t, an_amount_without_unit_refuses_its_row);
  tcase_add_test(t, an_unknown_column_refuses_the_file_with_the_nearest_name);
  tcase_add_test(t, all_unknown_columns_are_told_at_once);
  tcase_add_test(t, a_short_device_and_columns_of_ones_own);
  tcase_add_test(t, the_request_fills_what_the_rows_leave_out);
  tcase_add_test(t, a_price_without_currency_is_found);
  tcase_add_test(t, prices_equal_to_the_count_are_doubted_per_lot_alone);
  tcase_add_test(t, a_source_of_its_own_is_replaced_and_told);
  tcase_add_test(t, impossible_units_are_found_in_documents);
  tcase_add_test(t, keys_must_be_keys);
  tcase_add_test(t, noise_is_an_error_or_a_finding);
  tcase_add_test(t, one_long_line_is_refused_and_the_next_read);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
