/* core/evidence/measure_deepspeed and _trainer: the moment on the line before, rounded peaks,
   forecasts, changes that are no totals, and peaks that end with training. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/measure_test.h"

#define PEAK(c, s) \
  (struct want) { \
    c, "peak", .stage = s, .device = -1 \
  }
#define NOW(c, s) \
  (struct want) { \
    c, "instant", .stage = s, .device = -1 \
  }
#define ANY(c) \
  (struct want) { \
    c, .device = -1 \
  }

#define P "[2024-03-05 09:00:00,000] [INFO] [utils.py:802:see_memory_usage] "

static const char lines[] =
    P "After creating fp16 partitions\n" P
      "MA 12.55 GB         Max_MA 14.02 GB         CA 14.61 GB         Max_CA 15 GB \n" P
      "CPU Virtual Memory:  used = 96.40 GB, percent = 19.2%\n" P "Before optimizer step\n"
      "\n" P "MA 20.00 GB         Max_MA 31.50 GB         CA 33.40 GB         Max_CA 33 GB \n" P
      "CPU Virtual Memory:  used = 440.10 GB, percent = 87.5%\n";

START_TEST(the_moment_stands_on_the_line_before) {
  struct measured x = measure_text("deepspeed-log", lines);
  bytes_are(fact_must(&x, NOW("torch.allocated", "After creating fp16 partitions")), gib2(1255));
  bytes_are(fact_must(&x, PEAK("torch.allocated", "After creating fp16 partitions")), gib2(1402));
  bytes_are(fact_must(&x, NOW("torch.reserved", "Before optimizer step")), gib2(3340));
  bytes_are(fact_must(&x, PEAK("torch.allocated", "Before optimizer step")), gib2(3150));
  ck_assert_str_eq(fact_must(&x, PEAK("torch.reserved", "Before optimizer step"))->label, "Max_CA");
  ck_assert(noted(&x, "label_on_line_before") && noted(&x, "first_device_only"));
  ck_assert(noted(&x, "reserved_unused") && noted(&x, "unit_is_binary"));
  measure_done(&x);
}
END_TEST

START_TEST(a_peak_rounded_below_the_current_value_keeps_the_larger) {
  struct measured x = measure_text("deepspeed-log", lines);
  const struct crv_measure_fact *f = fact_must(&x, PEAK("torch.reserved", "Before optimizer step"));
  bytes_are(f, gib2(3340));
  ck_assert_str_eq(f->text, "33");
  ck_assert(f->derived != NULL && noted(&x, "peak_rounded"));
  f = fact_must(&x, PEAK("torch.reserved", "After creating fp16 partitions"));
  bytes_are(f, 15 * CRV_GIB);
  ck_assert(!f->derived);
  measure_done(&x);
}
END_TEST

START_TEST(host_memory_and_its_total) {
  struct measured x = measure_text("deepspeed-log", lines);
  const struct crv_measure_fact *f =
      fact_must(&x, (struct want){"host.used", .device = -1, .line = 7});
  bytes_are(f, gib2(44010));
  f = fact_must(&x, (struct want){"host.total", .device = -1, .line = 7});
  ck_assert_int_ge(f->bytes.v, gib2(50290)); /* 440.10 / 0.875 = 502.97 */
  ck_assert_int_le(f->bytes.v, gib2(50300));
  ck_assert(noted(&x, "host_memory_high"));
  measure_done(&x);
  x = measure_text("deepspeed-log", "CPU Virtual Memory:  used = 10.00 GB, percent = 12.5%\n");
  ck_assert(!noted(&x, "host_memory_high"));
  measure_done(&x);
}
END_TEST

START_TEST(bare_lines_and_a_rank) {
  struct measured x =
      measure_text("deepspeed", "[3] mp: after forward\n"
                                "[3] mp: MA 1.00 GB | Max_MA 2.00 GB | CA 2.50 GB | "
                                "Max_CA 2.75 GB | NV 3.50 GB | CPU Virtual Memory:  used "
                                "= 8.00 GB, percent = 3.1%\n");
  bytes_are(fact_must(&x, PEAK("torch.reserved", "after forward")), gib2(275));
  bytes_are(fact_must(&x, NOW("device.used", "after forward")), gib2(350));
  ck_assert_str_eq(fact_must(&x, PEAK("torch.reserved", "after forward"))->phase, "forward");
  ck_assert(!fact_must(&x, NOW("torch.reserved", "after forward"))->phase);
  ck_assert(phase_in(&x, "forward"));
  measure_done(&x);
  x = measure_text("deepspeed", "MA 100.5 MB         Max_MA 120 MB\n");
  const struct crv_measure_fact *f = fact_must(&x, PEAK("torch.allocated", ""));
  bytes_are(f, mib(120));
  ck_assert(f->rank.set && f->rank.v == 0);
  measure_done(&x);
}
END_TEST

START_TEST(the_timer_and_the_estimates) {
  struct measured x = measure_text(
      "deepspeed-log",
      "[Rank 0] [INFO] epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=20.1, "
      "CurrSamplesPerSec=21.5, MemAllocated=1.52GB, MaxMemAllocated=4.47GB\n"
      "Estimated memory needed for params, optim states and gradients for a:\n"
      "HW: Setup with 1 node, 4 GPUs per node.\n"
      "  per CPU  |  per GPU |   Options\n"
      "  169.44GB |   0.49GB | offload_param=cpu , offload_optimizer=cpu , zero_init=1\n"
      "    2.93GB |  28.73GB | offload_param=none, offload_optimizer=none, zero_init=1\n");
  bytes_are(fact_must(&x, PEAK("torch.allocated", "")), gib2(447));
  value_is(fact_must(&x, ANY("speed.training")), "21.5");
  struct want w = {"torch.allocated", "forecast", .device = -1, .line = 6};
  bytes_are(fact_must(&x, w), gib2(2873));
  ck_assert_str_eq(fact_must(&x, w)->stage,
                   "offload_param=none, offload_optimizer=none, zero_init=1");
  w = (struct want){"host.used", "forecast", .device = -1, .line = 5};
  bytes_are(fact_must(&x, w), gib2(16944));
  ck_assert(noted(&x, "forecast"));
  measure_done(&x);
}
END_TEST

static const char metrics[] = "***** train metrics *****\n"
                              "  before_init_mem_cpu        =     1343MB\n"
                              "  before_init_mem_gpu        =      500MB\n"
                              "  epoch                      =        3.0\n"
                              "  init_mem_gpu_alloc_delta   =      230MB\n"
                              "  init_mem_gpu_peaked_delta  =       20MB\n"
                              "  train_mem_cpu_alloc_delta  =     1345MB\n"
                              "  train_mem_gpu_alloc_delta  =      693MB\n"
                              "  train_mem_gpu_peaked_delta =     7000MB\n"
                              "  train_runtime              = 0:02:35.20\n"
                              "  train_samples_per_second   =      2.242\n"
                              "***** eval metrics *****\n"
                              "  eval_mem_gpu_alloc_delta   =     -100MB\n"
                              "  eval_mem_gpu_peaked_delta  =      313MB\n"
                              "  eval_runtime               =     12.6088\n";

START_TEST(what_a_stage_needed_is_its_start_and_its_changes) {
  struct measured x = measure_text("trainer", metrics);
  struct want needed = {"torch.allocated", "peak", "needed by the stage", "train", .device = 0};
  bytes_are(fact_must(&x, needed), mib(500 + 230 + 693 + 7000));
  needed.stage = "init";
  bytes_are(fact_must(&x, needed), mib(500 + 230 + 20));
  needed.stage = "eval";
  bytes_are(fact_must(&x, needed), mib(500 + 230 + 693 - 100 + 313));
  ck_assert_str_eq(fact_must(&x, needed)->phase, "evaluation");
  struct crv_result r = result_of(&x, CRV_KIND_PROTOCOL_RUN);
  ck_assert_int_eq(peak_in(&r, CRV_COUNTER_TORCH_ALLOCATED, 0)->kind, CRV_PEAK_PEAK);
  ck_assert(phase_in(&x, "backward") && phase_in(&x, "evaluation"));
  ck_assert(noted(&x, "first_device_only") && noted(&x, "only_allocated"));
  measure_done(&x);
}
END_TEST

START_TEST(changes_keep_their_sign_and_are_no_totals) {
  struct measured x = measure_text("trainer", metrics);
  struct want w = {"torch.allocated", "delta", "alloc_delta", "eval", .device = 0};
  bytes_are(fact_must(&x, w), -mib(100));
  w = (struct want){"host.used", "delta", "alloc_delta", "train", .device = -2};
  bytes_are(fact_must(&x, w), mib(1345));
  value_is(fact_must(&x, ANY("duration")), "12.6088"); /* "0:02:35.20" is none */
  ck_assert_uint_eq(count_facts(&x, ANY("duration")), 1);
  value_is(fact_must(&x, ANY("speed.training")), "2.242");
  ck_assert(noted(&x, "delta_not_total"));
  measure_done(&x);
}
END_TEST

START_TEST(metrics_of_json_are_bytes) {
  static const char *const texts[] = {
      "{\"train_mem_gpu_alloc_delta\": 3330195456, \"train_mem_gpu_peaked_delta\": 8287144960}",
      "{'train_mem_gpu_alloc_delta': 3330195456, 'train_mem_gpu_peaked_delta': 8287144960}",
      "| train_mem_gpu_alloc_delta | 3330195456 |\n| train_mem_gpu_peaked_delta | 8287144960 |\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct measured x = measure_text("transformers", texts[i]);
    bytes_are(fact_must(&x, (struct want){"torch.allocated", "delta", "peaked_delta", .device = 0}),
              8287144960);
    /* What stood before is not known: no peak. */
    ck_assert(!fact_of(&x, PEAK("torch.allocated", NULL)));
    bytes_are(fact_must(&x, (struct want){"torch.allocated", "delta", "needed by the stage",
                                          .device = 0}),
              11617340416);
    measure_done(&x);
  }
}
END_TEST

static const char unsloth[] = "GPU = Tesla T4. Max memory = 14.748 GB.\n"
                              "5.984 GB of memory reserved.\n"
                              "441.1204 seconds used for training.\n"
                              "7.35 minutes used for training.\n"
                              "Peak reserved memory = 8.982 GB.\n"
                              "Peak reserved memory for training = 2.998 GB.\n"
                              "Peak reserved memory % of max memory = 60.903 %.\n"
                              "Peak reserved memory for training % of max memory = 20.328 %.\n";

START_TEST(unsloth_ends_with_training) {
  struct measured x = measure_text("unsloth", unsloth);
  const struct crv_measure_fact *f = fact_must(&x, PEAK("torch.reserved", NULL));
  bytes_are(f, 9644349064); /* 8.982 x 2^30, up */
  ck_assert_str_eq(f->stage, "training, up to its end");
  ck_assert_uint_eq(count_facts(&x, PEAK("torch.reserved", NULL)), 1);
  fact_must(&x, (struct want){"torch.reserved", "delta", "training's share", .device = -1});
  value_is(fact_must(&x, ANY("duration")), "441.1204");
  f = fact_must(&x, (struct want){"device.total", NULL, "as torch sees it", .device = -2});
  ck_assert_int_ge(f->bytes.v, gib2(1474)); /* 8.982 / 0.60903 = 14.748 */
  ck_assert_int_le(f->bytes.v, gib2(1476));
  ck_assert_str_eq(device_of(&x, 0)->name, "Tesla T4");
  ck_assert(noted(&x, "phase_limited") && phase_in(&x, "optimizer_step"));
  ck_assert(!phase_in(&x, "checkpoint_export"));
  measure_done(&x);
}
END_TEST

START_TEST(unsloth_banner_and_columns_of_others) {
  struct measured x = measure_text(
      "unsloth",
      "   \\\\   /|    NVIDIA L4. Num GPUs = 1. Max memory: 21.964 GB. Platform: Linux.\n"
      "   \\\\   /|    GPU: NVIDIA L4. Max memory: 21.964 GB. Platform = Linux.\n"
      "Peak reserved memory = 7.9 GB.\n");
  ck_assert_str_eq(device_of(&x, 0)->name, "NVIDIA L4");
  measure_done(&x);
  x = measure_text("trainer", "{'loss': 0.1, 'memory/max_mem_active(gib)': 8.71, "
                              "'memory/device_mem_reserved(gib)': 10.2}\n"
                              "{'loss': 1.2, 'memory(GiB)': 14.77, 'train_speed(iter/s)': 0.3}\n");
  bytes_are(fact_must(&x, PEAK("torch.active", NULL)), gib2(871));
  bytes_are(fact_must(&x, NOW("torch.reserved", NULL)), gib2(1020));
  bytes_are(fact_must(&x, PEAK("torch.reserved", NULL)), gib2(1477));
  measure_done(&x);
}
END_TEST

int main(void) {
  Suite *s = suite_create("measure_trainers");
  TCase *tc = tcase_create("core");
  tcase_add_test(tc, the_moment_stands_on_the_line_before);
  tcase_add_test(tc, a_peak_rounded_below_the_current_value_keeps_the_larger);
  tcase_add_test(tc, host_memory_and_its_total);
  tcase_add_test(tc, bare_lines_and_a_rank);
  tcase_add_test(tc, the_timer_and_the_estimates);
  tcase_add_test(tc, what_a_stage_needed_is_its_start_and_its_changes);
  tcase_add_test(tc, changes_keep_their_sign_and_are_no_totals);
  tcase_add_test(tc, metrics_of_json_are_bytes);
  tcase_add_test(tc, unsloth_ends_with_training);
  tcase_add_test(tc, unsloth_banner_and_columns_of_others);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
