/* core/evidence/measure_vllm: the budget of V0 with negative remainders, V1's pool and concurrency,
   wrapped and prefixed lines, ranks, blocks with and without their size. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/measure_test.h"

#define SAID(item) \
  (struct want) { \
    "engine.declared", "stated", item, .device = -1 \
  }
#define POOL \
  (struct want) { \
    "engine.pool", "stated", "kv_cache", .device = -1 \
  }
#define COUNT(c) \
  (struct want) { \
    c, .device = -1 \
  }

#define V0(kv) \
  "INFO 03-01 10:00:05 worker.py:267] the current vLLM instance can use total_gpu_memory " \
  "(23.58GiB) " \
  "x gpu_memory_utilization (0.90) = 21.22GiB\n" \
  "INFO 03-01 10:00:05 worker.py:267] model weights take 14.99GiB; non_torch_memory takes " \
  "0.06GiB; " \
  "PyTorch activation peak memory takes 1.25GiB; the rest of the memory reserved for KV Cache " \
  "is " kv "GiB.\n"

START_TEST(v0_budget) {
  struct measured x = measure_text("vllm-log", V0("4.92"));
  bytes_are(fact_must(&x, SAID("weights")), gib2(1499));
  bytes_are(fact_must(&x, SAID("non_torch")), gib2(6));
  bytes_are(fact_must(&x, SAID("activations")), gib2(125));
  bytes_are(fact_must(&x, SAID("allowed")), gib2(2122));
  bytes_are(fact_must(&x, POOL), gib2(492));
  bytes_are(fact_must(&x, COUNT("device.total")), gib2(2358));
  ck_assert_str_eq(setting_of(&x, "gpu_memory_utilization"), "0.90");
  ck_assert_int_eq(x.m.pool.bytes.v, gib2(492));
  ck_assert(!noted(&x, "budget_inconsistent") && noted(&x, "engine_declared"));
  measure_done(&x);
}
END_TEST

START_TEST(a_negative_remainder_stays_negative_and_is_no_pool) {
  struct measured x = measure_text("vllm-log", V0("-3.08"));
  const struct crv_measure_fact *f = fact_must(&x, POOL);
  ck_assert(f->bytes.v < 0);
  ck_assert_int_eq(f->bytes.v, -308 * CRV_GIB / 100); /* toward zero: -3307124817.92 rounds up */
  ck_assert(noted(&x, "figure_negative") && noted(&x, "pool_empty"));
  ck_assert(noted(&x, "budget_inconsistent")); /* 21.22 - 14.99 - 0.06 - 1.25 is 4.92 */
  ck_assert(!x.m.pool.bytes.set);
  measure_done(&x);
}
END_TEST

START_TEST(older_v0_lines) {
  struct measured x = measure_text(
      "vllm",
      "INFO Memory profiling results: total_gpu_memory=79.10GiB initial_memory_usage=15.40GiB "
      "peak_torch_memory=16.90GiB memory_usage_post_profile=15.60GiB non_torch_memory=0.60GiB "
      "kv_cache_size=53.60GiB gpu_memory_utilization=0.90\n");
  bytes_are(fact_must(&x, POOL), gib2(5360));
  bytes_are(fact_must(&x, SAID("torch_peak")), gib2(1690));
  bytes_are(fact_must(&x, SAID("non_torch")), gib2(60));
  ck_assert_str_eq(setting_of(&x, "gpu_memory_utilization"), "0.90");
  measure_done(&x);
}
END_TEST

static const char v1[] =
    "INFO 06-10 11:00:00 [core.py:58] Initializing a V1 LLM engine (v0.9.1) with config: "
    "model='org/m', dtype=torch.bfloat16, max_seq_len=4096, tensor_parallel_size=1, "
    "quantization=None, kv_cache_dtype=auto\n"
    "INFO 06-10 11:00:20 [gpu_model_runner.py:1549] Model loading took 14.2717 GiB and 3.504526 "
    "seconds\n"
    "INFO 06-10 11:00:40 [gpu_worker.py:227] Available KV cache memory: 5.31 GiB\n"
    "INFO 06-10 11:00:40 [kv_cache_utils.py:715] GPU KV cache size: 43,472 tokens\n"
    "INFO 06-10 11:00:40 [kv_cache_utils.py:719] Maximum concurrency for 4,096 tokens per request: "
    "10.61x\n"
    "INFO 06-10 11:01:00 [gpu_model_runner.py:1933] Graph capturing finished in 20 secs, took 0.51 "
    "GiB\n";

START_TEST(v1_pool_and_concurrency) {
  struct measured x = measure_text("vllm-log", v1);
  bytes_are(fact_must(&x, SAID("weights")), 15324121190); /* 14.2717 x 2^30, up */
  ck_assert_str_eq(fact_must(&x, SAID("weights"))->phase, "loading");
  bytes_are(fact_must(&x, POOL), gib2(531));
  value_is(fact_must(&x, COUNT("pool.tokens")), "43472");
  value_is(fact_must(&x, COUNT("context.tokens")), "4096");
  value_is(fact_must(&x, COUNT("concurrency")), "10.61");
  bytes_are(fact_must(&x, SAID("cuda_graphs")), gib2(51));
  ck_assert_str_eq(x.m.engine, "vllm 0.9.1");
  ck_assert_int_eq(x.m.pool.tokens.v, 43472);
  ck_assert_int_eq(x.m.pool.bytes.v, gib2(531));
  ck_assert(noted(&x, "pool_consistent") && !noted(&x, "unit_is_binary"));
  ck_assert_str_eq(setting_of(&x, "kv_cache_dtype"), "auto");
  ck_assert_str_eq(setting_of(&x, "dtype"), "torch.bfloat16");
  ck_assert(phase_in(&x, "loading") && !phase_in(&x, "generation"));
  measure_done(&x);
}
END_TEST

START_TEST(figures_that_do_not_agree_are_said_so) {
  struct measured x =
      measure_text("vllm-log", "GPU KV cache size: 50,000 tokens\n"
                               "Maximum concurrency for 4,096 tokens per request: 9.00x\n");
  ck_assert(noted(&x, "pool_inconsistent") && !noted(&x, "pool_consistent"));
  measure_done(&x);
}
END_TEST

/* As a terminal of 60 columns breaks it. */
START_TEST(the_summary_wrapped_by_a_terminal) {
  struct measured x = measure_text(
      "vllm-log",
      "(EngineCore pid=1) Free memory on device (22.22/23.05 GiB) o\n"
      "n startup. Desired GPU memory utilization is (0.95, 21.9 Gi\n"
      "B). Actual usage is 13.21 GiB for\nconsumed memory (weights + non-torch), 0.92 GiB "
      "for peak activation, and 0.12\nGiB for CUDAGraph memory. Replace\nCurrent kv cache "
      "memory in use is 7.76 GiB.\n");
  bytes_are(fact_must(&x, SAID("weights and non_torch")), gib2(1321));
  bytes_are(fact_must(&x, SAID("activations")), gib2(92));
  bytes_are(fact_must(&x, SAID("cuda_graphs")), gib2(12));
  bytes_are(fact_must(&x, (struct want){"device.free", "instant", .device = -1}), gib2(2222));
  bytes_are(fact_must(&x, COUNT("device.total")), gib2(2305));
  ck_assert_int_eq(x.m.free_at_start_bytes.v, gib2(2222));
  ck_assert_int_eq(x.m.pool.bytes.v, gib2(776));
  ck_assert_str_eq(setting_of(&x, "gpu_memory_utilization"), "0.95");
  ck_assert(noted(&x, "wrapped"));
  measure_done(&x);
}
END_TEST

START_TEST(ranks_keep_their_figures_and_the_smallest_pool_counts) {
  struct measured x = measure_text(
      "vllm-log",
      "\033[1;36m(VllmWorker rank=1 pid=2978)\033[0;0m INFO Available KV cache memory: 4.00 GiB\n"
      "(VllmWorker rank=0 pid=2961) INFO Available KV cache memory: 3.50 GiB\n"
      "(Worker_TP2 pid=9) INFO Available KV cache memory: 4.10 GiB\n"
      "(EngineCore_0 pid=7) INFO GPU KV cache size: 30,000 tokens\n");
  ck_assert_uint_eq(count_facts(&x, POOL), 3);
  const struct crv_measure_fact *f =
      fact_must(&x, (struct want){"engine.pool", .device = -1, .line = 3});
  ck_assert(f->rank.set && f->rank.v == 2);
  ck_assert_int_eq(x.m.pool.bytes.v, gib2(350));
  ck_assert_int_eq(x.m.pool.tokens.v, 30000);
  ck_assert(noted(&x, "ranks_differ"));
  measure_done(&x);
}
END_TEST

START_TEST(blocks_become_tokens_only_when_their_size_is_shown) {
  struct measured x = measure_text("vllm-log", "# GPU blocks: 2000, # CPU blocks: 512\n");
  ck_assert(!fact_of(&x, COUNT("pool.tokens")) && noted(&x, "block_size_unknown"));
  value_is(fact_must(&x, (struct want){"pool.blocks", NULL, "host", .device = -1}), "512");
  measure_done(&x);
  x = measure_text("vllm-log", "block_size=32\n# cuda blocks: 2000, # CPU blocks: 512\n");
  value_is(fact_must(&x, COUNT("pool.tokens")), "64000");
  measure_done(&x);
  x = measure_text("vllm-log", "# GPU blocks: 1000\n"
                               "Maximum concurrency for 4096 tokens per request: 31.25x\n");
  value_is(fact_must(&x, COUNT("pool.tokens")), "128000");
  ck_assert(fact_must(&x, COUNT("pool.tokens"))->derived != NULL);
  measure_done(&x);
  x = measure_text("vllm-log", "# GPU blocks: 1000\n"
                               "Maximum concurrency for 4096 tokens per request: 5.00x\n");
  ck_assert(!fact_of(&x, COUNT("pool.tokens")) && noted(&x, "block_size_unknown"));
  measure_done(&x);
}
END_TEST

START_TEST(a_refusal_gives_its_figures_and_is_a_failure) {
  struct measured x = measure_text(
      "vllm-log",
      "ValueError: To serve at least one request with the models's max seq len (32768), (4.00 GiB "
      "KV cache is needed, which is larger than the available KV cache memory (2.50 GiB). Based "
      "on the available memory, the estimated maximum model length is 20480.\n");
  bytes_are(fact_must(&x, (struct want){"engine.declared", "forecast", .device = -1}), 4 * CRV_GIB);
  bytes_are(fact_must(&x, POOL), gib2(250));
  value_is(fact_must(&x, (struct want){"context.tokens", NULL, "", .device = -1}), "32768");
  value_is(
      fact_must(&x, (struct want){"context.tokens", NULL, "largest that would fit", .device = -1}),
      "20480");
  ck_assert_int_eq(x.m.failure_line, 1);
  measure_done(&x);
}
END_TEST

START_TEST(serving_shows_generation_and_offload_is_a_spill) {
  struct measured x = measure_text(
      "vllm-log",
      "INFO [loggers.py:116] Engine 000: Avg prompt throughput: 12.5 tokens/s, Avg generation "
      "throughput: 110.2 tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 4.3%\n"
      "vllm serve m --cpu-offload-gb 10 --max-model-len=8192\n");
  value_is(fact_must(&x, (struct want){"speed.generation", "instant", .device = -1}), "110.2");
  value_is(fact_must(&x, COUNT("running")), "3");
  value_is(fact_must(&x, COUNT("pool.used")), "4.3");
  ck_assert(phase_in(&x, "generation"));
  ck_assert_int_eq(x.m.spilled, CRV_TRUE);
  ck_assert_str_eq(setting_of(&x, "max_model_len"), "8192");
  measure_done(&x);
}
END_TEST

START_TEST(a_setting_stated_twice_keeps_the_first) {
  struct measured x =
      measure_text("vllm-log", "non-default args: {'max_model_len': 4096, "
                               "'gpu_memory_utilization': 0.9}\nmax_model_len=2048 "
                               "gpu_memory_utilization=0.90\nModel loading took 1.0 GiB\n");
  ck_assert_str_eq(setting_of(&x, "max_model_len"), "4096");
  ck_assert(noted(&x, "setting_differs"));
  ck_assert_uint_eq(x.m.settings.n, 2);
  size_t n = 0; /* 0.9 and 0.90 are one value */
  for (size_t i = 0; i < x.m.notes.n; i++)
    n += !strcmp(crv_list_at(x.m.notes, struct crv_measure_note, i)->code, "setting_differs");
  ck_assert_uint_eq(n, 1);
  measure_done(&x);
}
END_TEST

int main(void) {
  Suite *s = suite_create("measure_vllm");
  TCase *tc = tcase_create("core");
  tcase_add_test(tc, v0_budget);
  tcase_add_test(tc, a_negative_remainder_stays_negative_and_is_no_pool);
  tcase_add_test(tc, older_v0_lines);
  tcase_add_test(tc, v1_pool_and_concurrency);
  tcase_add_test(tc, figures_that_do_not_agree_are_said_so);
  tcase_add_test(tc, the_summary_wrapped_by_a_terminal);
  tcase_add_test(tc, ranks_keep_their_figures_and_the_smallest_pool_counts);
  tcase_add_test(tc, blocks_become_tokens_only_when_their_size_is_shown);
  tcase_add_test(tc, a_refusal_gives_its_figures_and_is_a_failure);
  tcase_add_test(tc, serving_shows_generation_and_offload_is_a_spill);
  tcase_add_test(tc, a_setting_stated_twice_keeps_the_first);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
