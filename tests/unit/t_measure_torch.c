/* core/evidence/measure_torch: memory_summary in both spellings, peaks in trainers' words, decimal
   and binary units told apart, and what stays unknown. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/measure_test.h"

#define PEAK(c, d) \
  (struct want) { \
    c, "peak", .device = d \
  }
#define NOW(c, d) \
  (struct want) { \
    c, "instant", .device = d \
  }

#define SUMMARY(id, ooms, unit) \
  "|===========================================================================|\n" \
  "|                  PyTorch CUDA memory summary, device ID " id "                 |\n" \
  "|---------------------------------------------------------------------------|\n" \
  "|            CUDA OOMs: " ooms "            |        cudaMalloc retries: " ooms "         |\n" \
  "|===========================================================================|\n" \
  "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n" \
  "|---------------------------------------------------------------------------|\n" \
  "| Allocated memory      |    2048 " unit " |    9000 " unit " |   99000 " unit \
  " |   97000 " unit " |\n" \
  "|       from large pool |    2040 " unit " |    8990 " unit " |   98000 " unit \
  " |   96000 " unit " |\n" \
  "| Active memory         |    2049 " unit " |    9001 " unit " |   99000 " unit \
  " |   97000 " unit " |\n" \
  "| Requested memory      |    2000 " unit " |    8800 " unit " |   99000 " unit \
  " |   97000 " unit " |\n" \
  "| GPU reserved memory   |    4096 " unit " |   11000 " unit " |   12000 " unit \
  " |    7904 " unit " |\n" \
  "| Non-releasable memory |  140288 KB |     512 " unit " |    9000 " unit " |    8863 " unit \
  " |\n" \
  "| Allocations           |     123    |     456    |    7890    |    7767    |\n"

START_TEST(the_summary_is_binary_whatever_it_calls_the_unit) {
  static const char *const texts[] = {SUMMARY("3", "0", "MB"), SUMMARY("3", "0", "MiB")};
  for (size_t i = 0; i < 2; i++) {
    struct measured x = measure_text("torch", texts[i]);
    bytes_are(fact_must(&x, PEAK("torch.allocated", 3)), mib(9000));
    bytes_are(fact_must(&x, NOW("torch.allocated", 3)), mib(2048));
    bytes_are(fact_must(&x, PEAK("torch.active", 3)), mib(9001));
    bytes_are(fact_must(&x, PEAK("torch.requested", 3)), mib(8800));
    bytes_are(fact_must(&x, PEAK("torch.reserved", 3)), mib(11000));
    bytes_are(fact_must(&x, NOW("torch.non_releasable", 3)), mib(137));
    ck_assert_str_eq(fact_must(&x, PEAK("torch.allocated", 3))->means, "MiB");
    ck_assert_int_eq(fact_must(&x, PEAK("torch.allocated", 3))->step_bytes.v, mib(1));
    ck_assert(noted(&x, "unit_is_binary")); /* the KB of the last row, too */
    measure_done(&x);
  }
}
END_TEST

START_TEST(traffic_is_no_peak) {
  struct measured x = measure_text("torch", SUMMARY("0", "0", "MB"));
  for (size_t i = 0; i < x.m.facts.n; i++) {
    const struct crv_measure_fact *f = crv_list_at(x.m.facts, struct crv_measure_fact, i);
    ck_assert(!f->bytes.set || f->bytes.v <= mib(11000));
  }
  ck_assert(noted(&x, "cumulative_not_read") && noted(&x, "reserved_unused"));
  measure_done(&x);
}
END_TEST

START_TEST(every_device_has_its_summary_and_a_refused_allocation_is_a_failure) {
  struct measured x = measure_text("torch", SUMMARY("0", "0", "MB") SUMMARY("1", "2", "MB"));
  fact_must(&x, PEAK("torch.reserved", 0));
  fact_must(&x, PEAK("torch.reserved", 1));
  value_is(fact_must(&x, (struct want){"torch.ooms", .device = 1}), "2");
  ck_assert(noted(&x, "allocation_retries") && noted(&x, "failure_in_log"));
  ck_assert_int_eq(x.m.failure_line, 18);
  measure_done(&x);
}
END_TEST

static const struct {
  const char *text, *counter;
  int64_t bytes; /* -1: unknown */
  const char *note;
} peaks[] = {
    {"GPU peak memory allocation: 15.25 GB", "torch.allocated", 15250000000, "unit_is_decimal"},
    {"\tGPU peak memory reserved: 5.12 GiB", "torch.reserved", 5497558139, NULL},
    {"INFO:x: GPU peak memory active: 1.5GB", "torch.active", 1500000000, "unit_is_decimal"},
    {"Step 3 | loss:1.6 peak_memory_reserved:19.4 x", "torch.reserved", -1, "unit_missing"},
    {"Max CUDA memory allocated was 12 GB", "torch.allocated", 12884901888, "unit_is_binary"},
    {"Max CUDA memory reserved was 15 GB", "torch.reserved", 16106127360, "unit_is_binary"},
    {"Peak active CUDA memory was 13 GB", "torch.active", 13958643712, "unit_is_binary"},
    {"[05/11 10:00] max_mem: 4877M", "torch.allocated", 5113905152, "unit_is_binary"},
    {"Epoch: [0] time: 0.3 data: 0.1 max mem: 15866", "torch.allocated", 16636706816, NULL},
    {"torch.cuda.max_memory_allocated(): 8123456789", "torch.allocated", 8123456789, NULL},
    {"max_memory_reserved = 4877", "torch.reserved", -1, "unit_missing"},
    {"Peak Memory Allocated: 8.52 GB", "torch.allocated", 9148280341, "unit_read_as_binary"},
    {"- **Max Reserved:  10.00 GB**", "torch.reserved", 10737418240, "unit_read_as_binary"},
    {"'max_memory_allocated_gib': 2.5", "torch.allocated", 2684354560, NULL},
    {"Peak memory reserved (MB): 512", "torch.reserved", 536870912, "unit_read_as_binary"},
    {"[step 1] memory: 12.50GiB(13.2%)  tps: 1,234", "torch.reserved", 13421772800, NULL},
};

START_TEST(peaks_in_trainers_words) {
  for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
    struct measured x = measure_text("torch", peaks[i].text);
    const struct crv_measure_fact *f = fact_of(&x, PEAK(peaks[i].counter, -1));
    ck_assert_msg(f != NULL, "%s", peaks[i].text);
    ck_assert_msg(f->bytes.set == (peaks[i].bytes >= 0), "%s", peaks[i].text);
    if (f->bytes.set) bytes_are(f, peaks[i].bytes);
    if (peaks[i].note) ck_assert_msg(noted(&x, peaks[i].note), "%s", peaks[i].text);
    ck_assert_uint_eq(count_facts(&x, (struct want){NULL, "instant", .device = -1}), 0);
    measure_done(&x);
  }
}
END_TEST

START_TEST(a_summary_behind_a_loggers_head) {
  struct measured x = measure_text(
      "torch", "[rank1]: |   PyTorch CUDA memory summary, device ID 1   |\n"
               "[rank1]: |   CUDA OOMs: 0    |   cudaMalloc retries: 3   |\n"
               "[rank1]: | Allocated memory      |   15223 MiB |   19876 MiB |    1234 GiB |\n");
  bytes_are(fact_must(&x, PEAK("torch.allocated", 1)), mib(19876));
  value_is(fact_must(&x, (struct want){"torch.retries", .device = 1}), "3");
  ck_assert_int_eq(x.m.failure_line, 0);
  measure_done(&x);
}
END_TEST

START_TEST(memory_stats_are_bytes) {
  static const char *const texts[] = {
      "OrderedDict([('allocated_bytes.all.peak', 5368709120), ('reserved_bytes.all.peak', "
      "6442450944)])",
      "{\"allocated_bytes.all.peak\": 5368709120,\n \"reserved_bytes.all.peak\": 6442450944}",
      "allocated_bytes.all.peak = 5368709120\nreserved_bytes.all.peak: 6442450944\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct measured x = measure_text("torch", texts[i]);
    bytes_are(fact_must(&x, PEAK("torch.allocated", -1)), 5 * CRV_GIB);
    bytes_are(fact_must(&x, PEAK("torch.reserved", -1)), 6 * CRV_GIB);
    measure_done(&x);
  }
}
END_TEST

START_TEST(several_figures_of_one_line) {
  struct measured x = measure_text(
      "torch",
      "[Rank 2] (after 4 iterations) memory (MB) | allocated: 9124.5 | max allocated: 18248.25 "
      "| reserved: 20182.0 | max reserved: 20182.0\n");
  const struct crv_measure_fact *f = fact_must(&x, PEAK("torch.allocated", -1));
  bytes_are(f, 18248 * CRV_MIB + CRV_MIB / 4);
  ck_assert(f->rank.set && f->rank.v == 2);
  bytes_are(fact_must(&x, NOW("torch.reserved", -1)), mib(20182));
  bytes_are(fact_must(&x, PEAK("torch.reserved", -1)), mib(20182));
  ck_assert_uint_eq(x.m.facts.n, 4);
  measure_done(&x);
}
END_TEST

START_TEST(a_peak_without_its_counter_is_not_taken) {
  struct measured x =
      measure_text("torch", "Peak GPU memory: 11.2 GB\nmax memory reserved: 1 GiB\n");
  ck_assert(noted(&x, "counter_unknown"));
  ck_assert_uint_eq(x.m.facts.n, 1);
  measure_done(&x);
}
END_TEST

START_TEST(a_current_value_is_an_instant) {
  struct measured x = measure_text("torch", "GPU 1: Memory allocated: 3.00 GiB\n");
  bytes_are(fact_must(&x, NOW("torch.allocated", -1)), 3 * CRV_GIB);
  ck_assert(!fact_of(&x, PEAK("torch.allocated", -1)));
  measure_done(&x);
}
END_TEST

START_TEST(the_same_line_again_is_counted_and_the_largest_is_kept) {
  char text[4096] = "";
  for (int i = 0; i < 40; i++) {
    char line[64];
    snprintf(line, sizeof line, "max mem: %d\nmax mem: 100\n", 1000 + (i * 7) % 40);
    strncat(text, line, sizeof text - strlen(text) - 1);
  }
  struct measured x = measure_text("torch", text);
  int64_t largest = 0;
  ck_assert_uint_eq(count_facts(&x, PEAK("torch.allocated", -1)), 8);
  for (size_t i = 0; i < x.m.facts.n; i++) {
    const struct crv_measure_fact *f = crv_list_at(x.m.facts, struct crv_measure_fact, i);
    if (f->bytes.v > largest) largest = f->bytes.v;
    if (f->bytes.v == mib(100)) ck_assert_int_eq(f->repeats, 40);
  }
  ck_assert_int_eq(largest, mib(1039));
  ck_assert(x.m.more_facts > 0 && noted(&x, "not_all_kept"));
  measure_done(&x);
}
END_TEST

int main(void) {
  Suite *s = suite_create("measure_torch");
  TCase *tc = tcase_create("core");
  tcase_add_test(tc, the_summary_is_binary_whatever_it_calls_the_unit);
  tcase_add_test(tc, traffic_is_no_peak);
  tcase_add_test(tc, every_device_has_its_summary_and_a_refused_allocation_is_a_failure);
  tcase_add_test(tc, peaks_in_trainers_words);
  tcase_add_test(tc, a_summary_behind_a_loggers_head);
  tcase_add_test(tc, memory_stats_are_bytes);
  tcase_add_test(tc, several_figures_of_one_line);
  tcase_add_test(tc, a_peak_without_its_counter_is_not_taken);
  tcase_add_test(tc, a_current_value_is_an_instant);
  tcase_add_test(tc, the_same_line_again_is_counted_and_the_largest_is_kept);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
