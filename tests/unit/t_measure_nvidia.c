/* core/evidence/measure_nvidia*: the table in its layouts, CSV in any order of columns, samples in
   time, MIG, processes, -q and -L; one reading is never a peak. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/measure_test.h"

#define USED(d) \
  (struct want) { \
    "device.used", NULL, "", .device = d \
  }
#define TOTAL(d) \
  (struct want) { \
    "device.total", "stated", "", .device = d \
  }

static const char old_table[] =
    "+-----------------------------------------------------------------------------+\n"
    "| NVIDIA-SMI 440.33.01    Driver Version: 440.33.01    CUDA Version: 10.2     |\n"
    "|-------------------------------+----------------------+----------------------+\n"
    "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
    "| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n"
    "|===============================+======================+======================|\n"
    "|   0  Tesla V100-SXM2...  On   | 00000000:1A:00.0 Off |                    0 |\n"
    "| N/A   41C    P0    56W / 300W |  31100MiB / 32510MiB |     97%      Default |\n"
    "+-------------------------------+----------------------+----------------------+\n"
    "|   1  TITAN Xp            Off  | 00000000:1B:00.0  On |                  N/A |\n"
    "| 29%   34C    P2    64W / 250W |    512MiB / 12196MiB |      0%      Default |\n"
    "+-------------------------------+----------------------+----------------------+\n"
    "\n"
    "+-----------------------------------------------------------------------------+\n"
    "| Processes:                                                       GPU Memory |\n"
    "|  GPU       PID   Type   Process name                             Usage      |\n"
    "|=============================================================================|\n"
    "|    0      4711      C   python                                     31089MiB |\n"
    "|    1      1234      G   /usr/lib/xorg/Xorg                            39MiB |\n"
    "|    1      1300    C+G   game.exe                                        N/A |\n";

START_TEST(the_old_table_gives_instants_by_device) {
  struct measured x = measure_text("nvidia-smi", old_table);
  bytes_are(fact_must(&x, USED(0)), mib(31100));
  bytes_are(fact_must(&x, USED(1)), mib(512));
  bytes_are(fact_must(&x, TOTAL(0)), mib(32510));
  ck_assert_uint_eq(count_facts(&x, (struct want){"device.used", "instant", .device = -1}), 2);
  ck_assert(noted(&x, "instant_not_peak") && noted(&x, "all_processes"));
  ck_assert_str_eq(x.m.driver, "440.33.01");
  ck_assert_str_eq(x.m.cuda, "10.2");
  measure_done(&x);
}
END_TEST

START_TEST(a_cut_name_identifies_nothing_and_a_whole_one_does) {
  struct measured x = measure_text("nvidia-smi", old_table);
  ck_assert_str_eq(device_of(&x, 0)->name, "Tesla V100-SXM2...");
  ck_assert(device_of(&x, 0)->name_cut && !device_of(&x, 0)->model);
  ck_assert(noted(&x, "name_cut") && noted(&x, "devices_unequal"));
  ck_assert_str_eq(device_of(&x, 1)->name, "TITAN Xp");
  ck_assert(!device_of(&x, 1)->name_cut);
  ck_assert_int_eq(device_of(&x, 0)->ecc, CRV_TRUE);
  ck_assert_int_eq(device_of(&x, 1)->ecc, CRV_UNSET);
  measure_done(&x);
}
END_TEST

START_TEST(processes_are_narrower_than_their_device) {
  struct measured x = measure_text("nvidia-smi", old_table);
  const struct crv_measure_fact *f =
      fact_must(&x, (struct want){"process.used", "instant", .device = 0});
  bytes_are(f, mib(31089));
  ck_assert_uint_eq(count_facts(&x, (struct want){"process.used", "instant", .device = 1}), 2);
  f = fact_must(&x, (struct want){"process.used", .device = 1, .line = 20});
  no_bytes(f);
  ck_assert_str_eq(f->text, "N/A");
  measure_done(&x);
}
END_TEST

static const char new_table[] =
    "Wed Sep  3 21:53:38 2025       \n"
    "+-----------------------------------------------------------------------------------------+\n"
    "| NVIDIA-SMI 610.57.04              KMD Version: 610.57.04     CUDA UMD Version: 13.3     |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:07:00.0 Off |                  Off |\n"
    "| N/A   34C    P0             63W / 700W  |   70437MiB /  81559MiB |      0%      Default |\n"
    "|                                         |                        |             Disabled |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "|   1  NVIDIA H100 80GB HBM3          On  |   00000000:08:00.0 Off |                    0 |\n"
    "| N/A   34C    P0             63W / 700W  |     437MiB /  81559MiB |      0%      Default |\n"
    "|                                         |                        |              Enabled |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "| MIG devices:                                                                            |\n"
    "|  1    2   0   0  |              21MiB / 40192MiB    | 60      0 |  3   0    3    0    3 |\n"
    "|                  |               0MiB / 65535MiB    |           |                       |\n"
    "| Processes:                                                                              |\n"
    "|    0   N/A  N/A      1234      C   python3                                    70430MiB |\n"
    "|    1    2    0      5678      C   python3                                        12MiB |\n";

START_TEST(the_new_table_has_a_third_line) {
  struct measured x = measure_text("nvidia-smi", new_table);
  ck_assert_str_eq(x.m.driver, "610.57.04");
  ck_assert_str_eq(x.m.cuda, "13.3");
  ck_assert_str_eq(device_of(&x, 0)->model, "nvidia/h100-sxm");
  ck_assert_int_eq(device_of(&x, 0)->mig, CRV_FALSE);
  ck_assert_int_eq(device_of(&x, 0)->ecc, CRV_FALSE);
  ck_assert_int_eq(device_of(&x, 1)->mig, CRV_TRUE);
  ck_assert_int_eq(device_of(&x, 1)->ecc, CRV_TRUE);
  bytes_are(fact_must(&x, USED(0)), mib(70437));
  bytes_are(fact_must(&x, (struct want){"process.used", .device = 0}), mib(70430));
  bytes_are(fact_must(&x, (struct want){"process.used", .device = 1}), mib(12));
  measure_done(&x);
}
END_TEST

START_TEST(an_instance_is_not_its_card) {
  struct measured x = measure_text("nvidia-smi", new_table);
  struct want w = {"device.used", "instant", "mig 2/0/0", .device = 1};
  bytes_are(fact_must(&x, w), mib(21));
  bytes_are(fact_must(&x, (struct want){"device.total", NULL, "mig 2/0/0", .device = 1}),
            mib(40192));
  bytes_are(fact_must(&x, TOTAL(1)), mib(81559));
  ck_assert(noted(&x, "mig_enabled"));
  measure_done(&x);
}
END_TEST

#define BLOCK(time, used) \
  time "\n| NVIDIA-SMI 550.54.15    Driver Version: 550.54.15    CUDA Version: 12.4 |\n" \
       "|   0  NVIDIA L4    Off  | 00000000:00:03.0 Off |   0 |\n" \
       "| N/A  51C  P0  32W / 72W | " used "MiB / 23034MiB |  0%  Default |\n"

START_TEST(a_table_that_comes_again_is_a_sampled_peak) {
  struct measured x =
      measure_text("nvidia-smi",
                   BLOCK("Mon Feb  3 10:11:12 2025", "4") BLOCK("Mon Feb  3 10:11:17 2025", "20311")
                       BLOCK("Mon Feb  3 10:11:22 2025", "19000"));
  const struct crv_measure_fact *f = fact_must(&x, USED(0));
  bytes_are(f, mib(20311));
  ck_assert_int_eq(f->kind, CRV_MEASURE_SAMPLED);
  ck_assert_int_eq(f->interval_ms.v, 5000);
  ck_assert_int_eq(f->samples.v, 3);
  ck_assert(noted(&x, "sampled_peak") && !noted(&x, "instant_not_peak"));
  measure_done(&x);
}
END_TEST

START_TEST(the_interval_is_the_longest_gap) {
  struct measured x = measure_text("nvidia-smi", BLOCK("Mon Feb  3 10:11:12 2025", "4")
                                                     BLOCK("Mon Feb  3 10:11:13 2025", "5")
                                                         BLOCK("Mon Feb  3 10:13:13 2025", "6"));
  ck_assert_int_eq(fact_must(&x, USED(0))->interval_ms.v, 120000);
  ck_assert(noted(&x, "samples_uneven"));
  measure_done(&x);
}
END_TEST

START_TEST(tables_without_times_state_no_interval) {
  struct measured x = measure_text("nvidia-smi", BLOCK("", "4") BLOCK("", "9000"));
  const struct crv_measure_fact *f = fact_must(&x, USED(0));
  ck_assert(f->kind == CRV_MEASURE_SAMPLED && f->samples.v == 2 && !f->interval_ms.set);
  ck_assert(noted(&x, "interval_unknown"));
  measure_done(&x);
  x = measure_text("nvidia-smi", "$ nvidia-smi -l 2\n" BLOCK("", "4") BLOCK("", "9000"));
  ck_assert_int_eq(fact_must(&x, USED(0))->interval_ms.v, 2000);
  measure_done(&x);
}
END_TEST

START_TEST(rows_filtered_from_the_table_name_no_device) {
  struct measured x = measure_text(
      "nvidia-smi", "| N/A   34C    P0    63W / 400W |    437MiB /  81920MiB |   0%  |\n");
  const struct crv_measure_fact *f =
      fact_must(&x, (struct want){"device.used", "instant", .device = -2});
  bytes_are(f, mib(437));
  ck_assert(noted(&x, "rows_without_identity"));
  measure_done(&x);
}
END_TEST

static const struct {
  const char *what, *csv;
} units[] = {
    {"units in both", "index, memory.used [MiB], memory.total [MiB]\n0, 3777 MiB, 24564 MiB\n"},
    {"nounits", "index, memory.used [MiB], memory.total [MiB]\n0, 3777, 24564\n"},
    {"other order", "memory.total [MiB], utilization.gpu [%], index, memory.used [MiB]\n"
                    "24564 MiB, 12 %, 0, 3777 MiB\n"},
    {"noheader with its command",
     "# nvidia-smi --query-gpu=index,memory.total,memory.used --format=csv,noheader,nounits\n"
     "0, 24564, 3777\n"},
    {"carriage returns",
     "index, memory.used [MiB], memory.total [MiB]\r\n0, 3777 MiB, 24564 MiB\r\n"},
    {"by uuid", "uuid, memory.used [MiB], memory.total [MiB]\nGPU-1, 3777 MiB, 24564 MiB\n"},
    {"the only row",
     "name, memory.used [MiB], memory.total [MiB]\nNVIDIA X, 3777 MiB, 24564 MiB\n"},
};

START_TEST(csv_in_every_shape_says_the_same) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    struct measured x = measure_text("nvidia-smi", units[i].csv);
    const struct crv_measure_fact *f = fact_of(&x, USED(0));
    ck_assert_msg(f != NULL && f->kind == CRV_MEASURE_INSTANT, "%s", units[i].what);
    bytes_are(f, mib(3777));
    bytes_are(fact_must(&x, TOTAL(0)), mib(24564));
    ck_assert_int_eq(device_of(&x, 0)->total_bytes.v, mib(24564));
    measure_done(&x);
  }
}
END_TEST

START_TEST(what_is_not_available_stays_so) {
  struct measured x = measure_text("nvidia-smi", "index, memory.used [MiB], memory.total [MiB]\n"
                                                 "0, [N/A], [Not Supported]\n"
                                                 "1, 5 MiB, 8192 MiB\n");
  no_bytes(fact_must(&x, USED(0)));
  ck_assert_str_eq(fact_must(&x, USED(0))->text, "[N/A]");
  no_bytes(fact_must(&x, TOTAL(0)));
  ck_assert(!device_of(&x, 0)->total_bytes.set);
  bytes_are(fact_must(&x, USED(1)), mib(5));
  measure_done(&x);
}
END_TEST

static const char series[] = "timestamp, index, memory.used [MiB], memory.free [MiB]\n"
                             "2024/05/01 08:00:00.000, 0, 10 MiB, 900 MiB\n"
                             "2024/05/01 08:00:00.003, 1, 20 MiB, 880 MiB\n"
                             "2024/05/01 08:00:01.000, 0, 700 MiB, 210 MiB\n"
                             "2024/05/01 08:00:01.004, 1, 21 MiB, 879 MiB\n"
                             "timestamp, index, memory.used [MiB], memory.free [MiB]\n"
                             "2024/05/01 08:00:02.000, 0, 300 MiB, 610 MiB\n"
                             "2024/05/01 08:00:02.004, 1, 22 MiB, 878 MiB\n";

START_TEST(a_csv_in_time_is_a_sampled_peak_by_device) {
  struct measured x = measure_text("nvidia-smi", series);
  const struct crv_measure_fact *f = fact_must(&x, USED(0));
  bytes_are(f, mib(700));
  ck_assert(f->kind == CRV_MEASURE_SAMPLED && f->samples.v == 3 && f->interval_ms.v == 1000);
  ck_assert_int_eq(f->line, 4);
  f = fact_must(&x, USED(1));
  bytes_are(f, mib(22));
  ck_assert_int_eq(f->interval_ms.v, 1001);
  bytes_are(fact_must(&x, (struct want){"device.free", "sampled", .device = 0}), mib(210));
  measure_done(&x);
}
END_TEST

START_TEST(rows_with_times_and_no_index_fall_into_passes) {
  struct measured x = measure_text("nvidia-smi", "timestamp, memory.used [MiB]\n"
                                                 "2024/05/01 08:00:00.000, 10 MiB\n"
                                                 "2024/05/01 08:00:01.000, 30 MiB\n"
                                                 "2024/05/01 08:00:02.000, 20 MiB\n");
  ck_assert_uint_eq(count_facts(&x, (struct want){"device.used", "sampled", .device = -1}), 1);
  bytes_are(fact_must(&x, USED(0)), mib(30));
  ck_assert(noted(&x, "device_by_order"));
  measure_done(&x);
  x = measure_text("nvidia-smi", "timestamp, memory.used [MiB]\n"
                                 "2024/05/01 08:00:00.000, 10 MiB\n"
                                 "2024/05/01 08:00:00.002, 99 MiB\n"
                                 "2024/05/01 08:00:01.000, 30 MiB\n"
                                 "2024/05/01 08:00:01.002, 98 MiB\n");
  bytes_are(fact_must(&x, USED(0)), mib(30));
  bytes_are(fact_must(&x, USED(1)), mib(99));
  measure_done(&x);
}
END_TEST

START_TEST(rows_that_cannot_be_told_apart_are_of_no_device) {
  struct measured x = measure_text("nvidia-smi", "memory.used [MiB], memory.total [MiB]\n"
                                                 "10 MiB, 24564 MiB\n30 MiB, 24564 MiB\n");
  ck_assert_uint_eq(count_facts(&x, (struct want){"device.used", "instant", .device = -2}), 2);
  ck_assert_uint_eq(count_facts(&x, (struct want){"device.used", "sampled", .device = -1}), 0);
  ck_assert(noted(&x, "rows_without_identity"));
  measure_done(&x);
  x = measure_text("nvidia-smi", "timestamp, memory.used [MiB]\n" /* passes of one and of two */
                                 "2024/05/01 08:00:00.000, 10 MiB\n"
                                 "2024/05/01 08:00:01.000, 30 MiB\n"
                                 "2024/05/01 08:00:01.002, 98 MiB\n"
                                 "2024/05/01 08:00:02.000, 30 MiB\n");
  ck_assert_uint_eq(count_facts(&x, (struct want){"device.used", "sampled", .device = -1}), 0);
  ck_assert(noted(&x, "rows_without_identity"));
  measure_done(&x);
}
END_TEST

START_TEST(samples_without_figures_are_counted_as_a_gap) {
  struct measured x = measure_text("nvidia-smi", "timestamp, index, memory.used [MiB]\n"
                                                 "2024/05/01 08:00:00.000, 0, 10 MiB\n"
                                                 "2024/05/01 08:00:01.000, 0, 30 MiB\n"
                                                 "2024/05/01 08:00:09.000, 0, [N/A]\n");
  const struct crv_measure_fact *f = fact_must(&x, USED(0));
  ck_assert(f->samples.v == 2 && f->interval_ms.v == 8000);
  ck_assert(noted(&x, "samples_missing"));
  measure_done(&x);
}
END_TEST

START_TEST(times_that_go_back_make_no_interval) {
  struct measured x = measure_text("nvidia-smi", "timestamp, index, memory.used [MiB]\n"
                                                 "2024/05/01 08:00:05.000, 0, 10 MiB\n"
                                                 "2024/05/01 08:00:01.000, 0, 30 MiB\n");
  ck_assert(!fact_must(&x, USED(0))->interval_ms.set);
  ck_assert(noted(&x, "samples_unordered"));
  measure_done(&x);
}
END_TEST

START_TEST(apps_are_processes_of_the_device_with_their_uuid) {
  struct measured x = measure_text("nvidia-smi", "index, uuid, memory.used [MiB]\n"
                                                 "0, GPU-a, 900 MiB\n1, GPU-b, 50 MiB\n"
                                                 "gpu_uuid, pid, name, used_gpu_memory [MiB]\n"
                                                 "GPU-b, 77, python, 40 MiB\n"
                                                 "GPU-x, 78, python, [N/A]\n");
  bytes_are(fact_must(&x, (struct want){"process.used", "instant", .device = 1}), mib(40));
  no_bytes(fact_must(&x, (struct want){"process.used", "instant", .device = -2}));
  ck_assert_str_eq(device_of(&x, 1)->uuid, "GPU-b");
  measure_done(&x);
}
END_TEST

START_TEST(the_long_form_and_the_list) {
  struct measured x = measure_text(
      "nvidia-smi",
      "==============NVSMI LOG==============\n"
      "Driver Version                            : 550.90.07\n"
      "GPU 00000000:01:00.0\n    Product Name     : NVIDIA L40S\n"
      "    MIG Mode\n        Current      : Disabled\n"
      "    FB Memory Usage\n        Total      : 46068 MiB\n"
      "        Used     : 1200 MiB\n"
      "    BAR1 Memory Usage\n        Total      : 65536 MiB\n        Used    : 4 MiB\n"
      "    ECC Mode\n        Current       : Enabled\n        Pending    : Disabled\n");
  bytes_are(fact_must(&x, USED(0)), mib(1200));
  ck_assert_int_eq(device_of(&x, 0)->total_bytes.v, mib(46068));
  ck_assert_int_eq(device_of(&x, 0)->ecc, CRV_TRUE);
  ck_assert_int_eq(device_of(&x, 0)->mig, CRV_FALSE);
  ck_assert_uint_eq(count_facts(&x, (struct want){.device = -1}), 2);
  measure_done(&x);
  x = measure_text("nvidia-smi",
                   "GPU 0: NVIDIA A10G (UUID: GPU-5f)\nGPU 1: NVIDIA A10G (UUID: GPU-6f)\n");
  ck_assert_str_eq(device_of(&x, 1)->name, "NVIDIA A10G");
  ck_assert_str_eq(device_of(&x, 1)->uuid, "GPU-6f");
  measure_done(&x);
}
END_TEST

START_TEST(other_text_is_refused_with_what_is_read) {
  static const char *const texts[] = {"", "hello\nworld\n", "1, 2, 3\n4, 5, 6\n",
                                      "NVIDIA L4, 23034 MiB, 5 MiB\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct measured x = measure_bytes("nvidia-smi", texts[i], strlen(texts[i]));
    ck_assert_msg(!x.ok, "%s", texts[i]);
    ck_assert_int_eq(x.err.code, CRV_INVALID_FIELDS);
    ck_assert_str_eq(x.err.at[0].code, "nothing_recognised");
    measure_done(&x);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("measure_nvidia");
  TCase *tc = tcase_create("core");
  tcase_add_test(tc, the_old_table_gives_instants_by_device);
  tcase_add_test(tc, a_cut_name_identifies_nothing_and_a_whole_one_does);
  tcase_add_test(tc, processes_are_narrower_than_their_device);
  tcase_add_test(tc, the_new_table_has_a_third_line);
  tcase_add_test(tc, an_instance_is_not_its_card);
  tcase_add_test(tc, a_table_that_comes_again_is_a_sampled_peak);
  tcase_add_test(tc, the_interval_is_the_longest_gap);
  tcase_add_test(tc, tables_without_times_state_no_interval);
  tcase_add_test(tc, rows_filtered_from_the_table_name_no_device);
  tcase_add_test(tc, csv_in_every_shape_says_the_same);
  tcase_add_test(tc, what_is_not_available_stays_so);
  tcase_add_test(tc, a_csv_in_time_is_a_sampled_peak_by_device);
  tcase_add_test(tc, rows_with_times_and_no_index_fall_into_passes);
  tcase_add_test(tc, rows_that_cannot_be_told_apart_are_of_no_device);
  tcase_add_test(tc, samples_without_figures_are_counted_as_a_gap);
  tcase_add_test(tc, times_that_go_back_make_no_interval);
  tcase_add_test(tc, apps_are_processes_of_the_device_with_their_uuid);
  tcase_add_test(tc, the_long_form_and_the_list);
  tcase_add_test(tc, other_text_is_refused_with_what_is_read);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
