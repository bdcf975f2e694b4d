/* The worked example end to end, to the digit, in JSON and in text, without and with the pieces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/http/http.h"

/* After every record of this run, whenever it runs. */
static const char as_of[] = "{\"sheet\":\"support-bot\",\"as_of\":\"2098-06-01T00:00:00Z\"}";

/* GET /v1/budget: no token, no sheet. */
START_TEST(budget_comes_out_to_the_digit) {
  static const struct {
    const char *query;
    long long weights, envelope;
    const char *text;
  } rows[] = {
      {"params=7e9&bits=16&reserve=6GiB", 14000000000, 20442450944,
       "floor 13.04 GiB, reserve 6.00 GiB, envelope 19.04 GiB"},
      {"params=7e9&bits=32&reserve=6GiB", 28000000000, 34442450944,
       "floor 26.08 GiB, reserve 6.00 GiB, envelope 32.08 GiB"},
      {"params=7e9&bits=8&reserve=6GiB", 7000000000, 13442450944,
       "floor 6.52 GiB, reserve 6.00 GiB, envelope 12.52 GiB"},
      {"params=7e9&bits=4&reserve=6GiB", 3500000000, 9942450944,
       "floor 3.26 GiB, reserve 6.00 GiB, envelope 9.26 GiB"},
  };
  const struct answer *a = CRV_CALL(.path = text_of("/v1/budget?%s", rows[_i].query), .as = "");
  ck_assert_int_eq(int_at(a, "weights_bytes"), rows[_i].weights);
  ck_assert_int_eq(int_at(a, "floor_bytes"), rows[_i].weights);
  ck_assert_int_eq(int_at(a, "envelope_bytes"), rows[_i].envelope);
  ck_assert_int_eq(int_at(a, "reserve_bytes"), 6442450944);
  ck_assert(json_is_false(json_path(a->json, "complete")));
  a = CRV_CALL(.path = text_of("/v1/budget?%s&format=text", rows[_i].query), .as = "",
               .contains = rows[_i].text);
  ck_assert_uint_le(widest_line(a->body), 100);
  ck_assert(strstr(a->body, "Real 4-bit formats carry extra data") != NULL);
}
END_TEST

START_TEST(nothing_is_proven_without_runs) {
  example_put();
  const struct answer *a = CRV_CALL(.path = "/v1/decisions", .json = as_of, .expect = 201);
  ck_assert_int_eq(int_at(a, "decision"), 1);
  ck_assert_str_eq(text_at(a, "outcome"), "needs_confirmation");
  ck_assert_int_eq(int_at(a, "counts.retained"), 0);
  ck_assert_int_eq(int_at(a, "counts.to_confirm"), 2);
  ck_assert_int_eq(int_at(a, "counts.excluded"), 0);
  ck_assert_int_eq(int_at(a, "budget.envelope_bytes"), 20442450944);
  ck_assert_str_eq(text_at(a, "preselection[0].offer"), "rtx-4090-3d");
  ck_assert_str_eq(text_at(a, "preselection[0].outlook"), "fits_on_paper");
  ck_assert_str_eq(text_at(a, "preselection[0].cost.amount"), "47.14");
  ck_assert_int_eq(int_at(a, "preselection[0].margin_bytes"), 3557549056);
  ck_assert_str_eq(text_at(a, "preselection[0].margin_from.capacity"), "nominal_decimal");
  ck_assert_str_eq(text_at(a, "preselection[0].decided_by.key"), "cost");
  ck_assert_str_eq(text_at(a, "preselection[0].decided_by.difference"), "8.57");
  ck_assert_str_eq(text_at(a, "preselection[0].decided_by.over"), "rtx-6000-ada-3d");
  ck_assert_str_eq(text_at(a, "preselection[1].offer"), "rtx-6000-ada-3d");
  ck_assert_str_eq(text_at(a, "preselection[1].cost.amount"), "55.71");
  ck_assert_int_eq(int_at(a, "preselection[1].margin_bytes"), 27557549056);
  ck_assert_str_eq(text_at(a, "preselection[1].outlook"), "fits_on_paper");
}
END_TEST

START_TEST(three_pieces_retain_the_dearer_card) {
  example_put();
  CRV_CALL(.path = "/v1/decisions", .json = as_of, .expect = 201);
  example_prove();
  const struct answer *a = CRV_CALL(.path = "/v1/decisions", .json = as_of, .expect = 201);
  ck_assert_int_eq(int_at(a, "decision"), 2);
  ck_assert_str_eq(text_at(a, "outcome"), "retained");
  ck_assert_uint_eq(count_at(a, "retained"), 1);
  ck_assert_str_eq(text_at(a, "retained[0].offer"), "rtx-6000-ada-3d");
  ck_assert_int_eq(int_at(a, "retained[0].demand_bytes"), 22978075034);
  ck_assert_str_eq(text_at(a, "retained[0].margin_from.demand"), "measured_peak");
  ck_assert_int_eq(int_at(a, "retained[0].margin_bytes"), 48000000000 - 22978075034);
  ck_assert_uint_eq(count_at(a, "preselection"), 1);
  ck_assert_str_eq(text_at(a, "preselection[0].offer"), "rtx-4090-3d");
  ck_assert_str_eq(text_at(a, "preselection[0].status"), "to_confirm");
  for (size_t i = 0; i < count_at(a, "retained[0].criteria"); i++)
    ck_assert_str_eq(text_at(a, text_of("retained[0].criteria[%zu].verdict", i)), "admissible");
}
END_TEST

START_TEST(the_page_says_the_same) {
  example_put();
  const struct answer *a =
      CRV_CALL(.path = "/v1/decisions?format=text", .json = as_of, .expect = 201);
  ck_assert_str_eq(header_of(a, "Content-Type"), "text/plain; charset=utf-8");
  ck_assert(strncmp(a->body, "Nothing is proven yet: 2 fit on paper, 0 are open, 0 cannot", 59) ==
            0);
  ck_assert(strstr(a->body, "floor 13.04 GiB, reserve 6.00 GiB, envelope 19.04 GiB") != NULL);
  ck_assert(strstr(a->body, "47.14 USD") != NULL && strstr(a->body, "55.71 USD") != NULL);
  ck_assert(strstr(a->body, "3.31 GiB") != NULL && strstr(a->body, "25.66 GiB") != NULL);
  ck_assert(strstr(a->body, "TO CONFIRM") != NULL && strstr(a->body, "RETAINED") == NULL);
  ck_assert_uint_le(widest_line(a->body), 100);
  static const char end[] = "Retained 0 of 2; 2 to confirm; 0 excluded; 2 rows shown; decision 1\n";
  ck_assert_str_eq(a->body + a->len - strlen(end), end);
  example_prove();
  CRV_CALL(.path = "/v1/decisions", .json = as_of, .expect = 201);
  a = CRV_CALL(.path = "/s/support-bot");
  ck_assert(strncmp(a->body, "Proved by run-6000-ada, margin 23.3 GiB", 39) == 0);
  ck_assert(strstr(a->body, "\nRETAINED\n") != NULL);
  ck_assert(strstr(a->body,
                   "Retained 1 of 2; 1 to confirm; 0 excluded; 2 rows shown; decision 2") != NULL);
}
END_TEST

/* An order preference and a stock declaration change no verdict, and say why they don't count. */
START_TEST(preference_and_stock_are_set_aside) {
  example_put();
  const struct answer *before = CRV_CALL(.path = "/v1/decisions", .json = as_of, .expect = 201);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/order-note", .expect = 201,
           .json = "{\"kind\":\"order_preference\",\"observed_at\":\"2026-11-29T10:00:00Z\","
                   "\"scope\":{\"offer\":\"rtx-4090-3d\"},\"result\":{\"text\":\"CUDA 13\"}}");
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/stock-note", .expect = 201,
           .json = "{\"kind\":\"stock_declaration\",\"observed_at\":\"2026-11-29T10:00:00Z\","
                   "\"scope\":{\"offer\":\"rtx-4090-3d\"},\"result\":{\"text\":\"12 in stock\"}}");
  const struct answer *a =
      CRV_CALL(.path = "/v1/decisions?dry_run=1", .json = as_of, .expect = 200);
  ck_assert_str_eq(text_at(a, "matrix_digest"), text_at(before, "matrix_digest"));
  a = CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"support-bot\"}", .expect = 201);
  a = CRV_CALL(.path = "/v1/decisions/2/offers/rtx-4090-3d", .contains = "order-note@1");
  ck_assert(strstr(a->body, "wrong_kind") != NULL);
}
END_TEST

/* -- golden files --------------------------------------------------------------------------- */

/* The answer's bytes against tests/golden; with CRIVO_GOLDEN=write they are written there instead.
 */
static void golden(const char *path, const char *name) {
  const char *file = text_of("tests/golden/%s", name);
  const struct answer *a = CRV_CALL(.path = path);
  const char *how = getenv("CRIVO_GOLDEN");
  if (how && strcmp(how, "write") == 0) {
    FILE *f = fopen(text_of("%s/%s", getenv("top_srcdir"), file), "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(a->body, 1, a->len, f), a->len);
    fclose(f);
    return;
  }
  size_t len;
  const char *want = file_of(file, &len);
  ck_assert_msg(len == a->len && memcmp(want, a->body, len) == 0,
                "%s is another (CRIVO_GOLDEN=write makes it anew):\n%s", file, a->body);
}

START_TEST(pages_are_as_kept) {
  example_put();
  CRV_CALL(.path = "/v1/decisions", .json = as_of, .expect = 201);
  golden("/d/1", "example-open.txt");
  golden("/d/1?format=md", "example-open.md");
  example_prove();
  CRV_CALL(.path = "/v1/decisions", .json = as_of, .expect = 201);
  golden("/d/2", "example-proved.txt");
  golden("/d/2?format=csv", "example-proved.csv");
  golden("/d/2?why=rtx-6000-ada-3d", "example-why-6000.txt");
  golden("/d/2?why=rtx-4090-3d", "example-why-4090.txt");
  golden("/v1/decisions/2?format=junit", "example-proved.xml");
  golden("/v1/budget?params=7e9&bits=4&reserve=6GiB&format=text", "example-budget.txt");
}
END_TEST

int main(void) {
  Suite *s = suite_create("http example");
  TCase *t = tcase_create("example");
  tcase_set_timeout(t, 60);
  tcase_add_checked_fixture(t, fresh_start, fresh_stop);
  tcase_add_loop_test(t, budget_comes_out_to_the_digit, 0, 4);
  tcase_add_test(t, nothing_is_proven_without_runs);
  tcase_add_test(t, three_pieces_retain_the_dearer_card);
  tcase_add_test(t, the_page_says_the_same);
  tcase_add_test(t, preference_and_stock_are_set_aside);
  tcase_add_test(t, pages_are_as_kept);
  suite_add_tcase(s, t);
  return suite_run(s, true);
}
