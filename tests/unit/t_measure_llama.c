/* core/evidence/measure_llamacpp, _breakdown, _ollama, _llama_bench: buffers by place, sums that
   are whole or unknown, forecasts apart from what was taken, and speeds. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/measure_test.h"

#define BUF(item, d) \
  (struct want) { \
    "engine.declared", "stated", item, .device = d \
  }
#define EXPECTED(item, d) \
  (struct want) { \
    "engine.declared", "forecast", item, .device = d \
  }
#define COUNT(c) \
  (struct want) { \
    c, .device = -1 \
  }

static const char load[] = "build: 5432 (abc1234) with cc\n"
                           "  Device 0: NVIDIA GeForce RTX 3060, compute capability 8.6, VMM: yes\n"
                           "  Device 1: NVIDIA GeForce RTX 3060, compute capability 8.6, VMM: yes\n"
                           "llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce "
                           "RTX 3060) - 11907 MiB free\n"
                           "llama_model_load_from_file_impl: using device CUDA1 (NVIDIA GeForce "
                           "RTX 3060) (0000:02:00.0) - 11800 "
                           "MiB free\n"
                           "print_info: file size   = 13.29 GiB (8.50 BPW)\n"
                           "load_tensors: offloaded 41/41 layers to GPU\n"
                           "load_tensors:   CPU_Mapped model buffer size =   664.06 MiB\n"
                           "load_tensors:        CUDA0 model buffer size =  6500.25 MiB\n"
                           "load_tensors:        CUDA1 model buffer size =  6444.50 MiB\n"
                           "llama_context: n_ctx         = 16384\n"
                           "llama_context: n_ctx_per_seq = 4096\n"
                           "llama_context:  CUDA_Host  output buffer size =     2.00 MiB\n"
                           "llama_kv_cache_unified:      CUDA0 KV buffer size =  1344.00 MiB\n"
                           "llama_kv_cache_unified:      CUDA1 KV buffer size =  1216.00 MiB\n"
                           "llama_kv_cache_unified: size = 2560.00 MiB ( 16384 cells,  40 layers,  "
                           "4/4 seqs), K (f16): 1280.00 MiB\n"
                           "llama_context:      CUDA0 compute buffer size =  1100.00 MiB\n"
                           "llama_context:      CUDA1 compute buffer size =   900.50 MiB\n"
                           "llama_context:  CUDA_Host compute buffer size =    72.01 MiB\n";

START_TEST(buffers_by_device_and_host) {
  struct measured x = measure_text("llamacpp-log", load);
  bytes_are(fact_must(&x, BUF("weights", 0)), mib(6500) + CRV_MIB / 4);
  bytes_are(fact_must(&x, BUF("kv_cache", 1)), mib(1216));
  bytes_are(fact_must(&x, BUF("compute", 0)), mib(1100));
  bytes_are(fact_must(&x, BUF("sum of its buffers", 0)), mib(8944) + CRV_MIB / 4);
  bytes_are(fact_must(&x, BUF("sum of its buffers", 1)), mib(8561));
  const struct crv_measure_fact *f = fact_must(&x, BUF("output", -1));
  ck_assert(f->host && !f->device.set);
  ck_assert_str_eq(f->device_label, "CUDA_Host");
  ck_assert(
      fact_must(&x, (struct want){"engine.declared", NULL, "weights", .line = 8, .device = -1})
          ->host);
  ck_assert(noted(&x, "host_buffers") && noted(&x, "engine_declared") &&
            noted(&x, "pool_consistent"));
  ck_assert(!noted(&x, "sum_incomplete") && !noted(&x, "devices_unequal"));
  measure_done(&x);
}
END_TEST

START_TEST(devices_slots_and_pool) {
  struct measured x = measure_text("llamacpp-log", load);
  ck_assert_str_eq(device_of(&x, 1)->name, "NVIDIA GeForce RTX 3060");
  ck_assert_str_eq(device_of(&x, 0)->compute_capability, "8.6");
  bytes_are(fact_must(&x, (struct want){"device.free", "instant", .device = 1}), mib(11800));
  ck_assert_int_eq(x.m.free_at_start_bytes.v, mib(11800));
  value_is(fact_must(&x, (struct want){"concurrency", NULL, "sequences", .device = -1}), "4");
  ck_assert_int_eq(x.m.pool.bytes.v, mib(1216)); /* the smaller share of the two */
  ck_assert_int_eq(x.m.pool.tokens.v, 16384);
  bytes_are(fact_must(&x, COUNT("model.file")), gib2(1329));
  ck_assert_int_eq(x.m.spilled, CRV_UNSET);
  ck_assert(phase_in(&x, "loading"));
  measure_done(&x);
}
END_TEST

START_TEST(a_sum_that_lacks_a_buffer_is_unknown) {
  struct measured x =
      measure_text("llamacpp-log", "load_tensors: CUDA0 model buffer size = 100.00 MiB\n"
                                   "load_tensors: CUDA1 model buffer size = 100.00 MiB\n"
                                   "sched_reserve: CUDA1 compute buffer size = 10.00 MiB\n");
  no_bytes(fact_must(&x, BUF("sum of its buffers", 0)));
  bytes_are(fact_must(&x, BUF("sum of its buffers", 1)), mib(110));
  ck_assert(noted(&x, "sum_incomplete"));
  measure_done(&x);
}
END_TEST

START_TEST(layers_left_to_the_host_are_a_spill) {
  struct measured x =
      measure_text("llamacpp-log", "llm_load_tensors: offloaded 20/33 layers to GPU\n");
  ck_assert_int_eq(x.m.spilled, CRV_TRUE);
  ck_assert_str_eq(setting_of(&x, "layers_offloaded"), "20");
  ck_assert(noted(&x, "spilled"));
  measure_done(&x);
}
END_TEST

START_TEST(two_models_in_one_log_make_no_pool) {
  struct measured x =
      measure_text("llamacpp-log", "load_tensors: CUDA0 model buffer size = 100.00 MiB\n"
                                   "llama_kv_cache: CUDA0 KV buffer size = 64.00 MiB\n"
                                   "llama_context: n_ctx = 2048\n"
                                   "load_tensors: CUDA0 model buffer size = 300.00 MiB\n");
  ck_assert(!x.m.pool.bytes.set && noted(&x, "repeated"));
  measure_done(&x);
}
END_TEST

START_TEST(the_limit_of_unified_memory_is_decimal) {
  struct measured x =
      measure_text("llama.cpp", "ggml_metal_init: recommendedMaxWorkingSetSize  = 22906.50 MB\n"
                                "load_tensors: MTL0_Mapped model buffer size = 4096.00 MiB\n");
  bytes_are(fact_must(&x, (struct want){"device.total", NULL, "working-set limit", .device = -1}),
            22906500000);
  bytes_are(fact_must(&x, BUF("weights", 0)), mib(4096));
  ck_assert(noted(&x, "unit_is_decimal"));
  measure_done(&x);
}
END_TEST

START_TEST(the_oldest_lines) {
  struct measured x =
      measure_text("llamacpp-log",
                   "llm_load_tensors: VRAM used           = 3577.56 MB\n"
                   "llama_new_context_with_model: kv self size  = 2048.00 MB\n"
                   "llama_new_context_with_model: compute buffer total size = 282.00 MB\n"
                   "llama_new_context_with_model: total VRAM used: 5869.50 MB (model: 3577.50 MB, "
                   "context: 2292.00 MB)\n");
  bytes_are(fact_must(&x, BUF("kv_cache, all devices", -1)), mib(2048));
  bytes_are(fact_must(&x, BUF("weights and kv_cache", -1)), mib(5869) + CRV_MIB / 2);
  bytes_are(fact_must(&x, BUF("compute", -1)), mib(282));
  ck_assert(noted(&x, "unit_is_binary"));
  measure_done(&x);
}
END_TEST

START_TEST(speeds_of_a_run) {
  struct measured x =
      measure_text("llamacpp-log", "llama_perf_context_print: prompt eval time =      80.76 ms /   "
                                   " 11 tokens (    7.34 ms per token,   "
                                   "136.21 tokens per second)\n"
                                   "llama_perf_context_print:        eval time =    9210.59 ms /   "
                                   "475 runs   (   19.39 ms per token,    "
                                   "51.57 tokens per second)\n");
  value_is(fact_must(&x, COUNT("speed.prompt")), "136.21");
  value_is(fact_must(&x, COUNT("speed.generation")), "51.57");
  ck_assert_uint_eq(count_facts(&x, COUNT("speed.prompt")), 1);
  ck_assert(phase_in(&x, "generation"));
  measure_done(&x);
}
END_TEST

#define TABLE \
  "llama_memory_breakdown_print: | memory breakdown [MiB] | total   free     self   model   " \
  "context   " \
  "compute    unaccounted |\n"

START_TEST(the_breakdown_at_exit) {
  struct measured x =
      measure_text("llamacpp-log", TABLE "llama_memory_breakdown_print: |   - CUDA0 (RTX 5090)   | "
                                         "32606 = 1057 + (29365 = 28609 +     397 +  "
                                         "   358) +        2183 |\n"
                                         "llama_memory_breakdown_print: |   - Vulkan1 (RX 7900 "
                                         "XTX) | 24560 = 24104 + (7461 = 6861 + 77 + 522) "
                                         "+ -7005 |\n"
                                         "llama_memory_breakdown_print: |   - Host               | "
                                         "                30956 = 30940 +       0 +   "
                                         "   16                |\n");
  bytes_are(fact_must(&x, BUF("weights", 0)), mib(28609));
  bytes_are(fact_must(&x, BUF("kv_cache", 0)), mib(397));
  bytes_are(fact_must(&x, BUF("unaccounted", 0)), mib(2183));
  bytes_are(fact_must(&x, BUF("unaccounted", 1)), -mib(7005));
  bytes_are(fact_must(&x, (struct want){"device.total", "stated", .device = 0}), mib(32606));
  const struct crv_measure_fact *f =
      fact_must(&x, (struct want){"device.used", "instant", .device = 0});
  bytes_are(f, mib(31549));
  ck_assert(f->derived != NULL);
  f = fact_must(&x, (struct want){"engine.declared", NULL, "weights", .device = -2});
  ck_assert(f->host);
  bytes_are(f, mib(30940));
  ck_assert_str_eq(device_of(&x, 1)->name, "RX 7900 XTX");
  measure_done(&x);
}
END_TEST

START_TEST(what_wrapped_around_is_impossible) {
  struct measured x =
      measure_text("llamacpp-log", TABLE
                   "x: |   - CUDA0 (RTX 5060 Ti) | 15841 = 15630 + (15302 = 14736 + 72 + 493) + "
                   "17592186029324 |\n");
  const struct crv_measure_fact *f = fact_must(&x, BUF("unaccounted", 0));
  no_bytes(f);
  ck_assert_str_eq(f->text, "17592186029324");
  ck_assert(noted(&x, "figure_impossible"));
  measure_done(&x);
}
END_TEST

START_TEST(what_the_fitting_projects_is_a_forecast) {
  struct measured x = measure_text(
      "llamacpp-log",
      "common_params_fit_impl: projected to use 40000 MiB of device memory vs. 30000 MiB of free "
      "device "
      "memory\n"
      "common_params_fit_impl:   - CUDA0 (NVIDIA L4): 41 layers (14 overflowing),  15302 MiB used, "
      "   328 MiB "
      "free\n"
      "common_params_fit_impl:   - CUDA1 (NVIDIA L4):  24117 total,  20903 used,   2870 free vs. "
      "target of 1024\n" TABLE
      "common: |   - CUDA0 (NVIDIA L4) | 23034 = 22000 + (15302 = 14736 + 72 + 493) + 10 |\n"
      "load_tensors: CUDA0 model buffer size = 14736.00 MiB\n");
  bytes_are(fact_must(&x, EXPECTED("all devices", -1)), mib(40000));
  bytes_are(fact_must(&x, EXPECTED("all buffers", 0)), mib(15302));
  bytes_are(fact_must(&x, EXPECTED("all buffers", 1)), mib(20903));
  bytes_are(fact_must(&x, EXPECTED("weights", 0)), mib(14736));
  bytes_are(fact_must(&x, BUF("weights", 0)), mib(14736));
  ck_assert(!fact_of(&x, (struct want){"device.used", .device = -1}));
  ck_assert_int_eq(x.m.spilled, CRV_TRUE);
  ck_assert(noted(&x, "forecast"));
  measure_done(&x);
}
END_TEST

static const char ollama[] =
    "time=2025-01-10T22:05:21Z level=INFO source=types.go:131 msg=\"inference compute\" id=GPU-1 "
    "library=cuda "
    "compute=8.9 driver=12.4 name=\"NVIDIA GeForce RTX 4070\" total=\"11.7 GiB\" available=\"10.9 "
    "GiB\"\n"
    "time=2025-01-10T22:05:21Z level=INFO source=server.go:104 msg=\"system memory\" total=\"31.2 "
    "GiB\" "
    "free=\"21.2 GiB\" free_swap=\"21.3 GiB\"\n"
    "time=2025-01-10T22:05:21Z level=INFO source=memory.go:356 msg=\"offload to cuda\" "
    "layers.requested=-1 "
    "layers.model=41 layers.offload=29 layers.split=\"\" memory.available=\"[6.9 GiB 5.5 GiB]\" "
    "memory.gpu_overhead=\"0 B\" memory.required.full=\"9.6 GiB\" memory.required.partial=\"6.8 "
    "GiB\" "
    "memory.required.kv=\"400.0 MiB\" memory.required.allocations=\"[3.5 GiB 3.3 GiB]\" "
    "memory.weights.total=\"8.2 GiB\" memory.graph.full=\"266.7 MiB\"\n"
    "time=2025-01-10T22:05:30Z level=INFO source=device.go:240 msg=\"model weights\" device=CUDA0 "
    "size=\"4.7 "
    "GiB\"\n"
    "time=2025-01-10T22:05:30Z level=INFO source=device.go:245 msg=\"model weights\" device=CPU "
    "size=\"1.1 "
    "GiB\"\n"
    "time=2025-01-10T22:05:30Z level=INFO source=device.go:251 msg=\"kv cache\" device=CUDA0 "
    "size=\"1.2 GiB\"\n"
    "time=2025-01-10T22:05:30Z level=INFO source=device.go:262 msg=\"compute graph\" device=CUDA0 "
    "size=\"190.5 "
    "MiB\"\n"
    "time=2025-01-10T22:05:30Z level=INFO source=device.go:272 msg=\"total memory\" size=\"8.1 "
    "GiB\"\n";

START_TEST(ollama_forecasts_and_what_it_took) {
  struct measured x = measure_text("ollama-log", ollama);
  bytes_are(fact_must(&x, EXPECTED("all buffers", 0)), gib2(350));
  bytes_are(fact_must(&x, EXPECTED("all buffers", 1)), gib2(330));
  bytes_are(fact_must(&x, EXPECTED("all buffers, wholly on the device", -1)), gib2(960));
  bytes_are(fact_must(&x, EXPECTED("kv_cache", -1)), mib(400));
  bytes_are(fact_must(&x, (struct want){"device.free", "instant", "at start", .device = 1}),
            gib2(550));
  bytes_are(fact_must(&x, BUF("weights", 0)), gib2(470));
  bytes_are(fact_must(&x, BUF("kv_cache", 0)), gib2(120));
  ck_assert(
      fact_must(&x, (struct want){"engine.declared", "stated", "weights", .device = -2})->host);
  bytes_are(fact_must(&x, COUNT("host.total")), gib2(3120));
  ck_assert_str_eq(fact_must(&x, COUNT("device.total"))->device_label, "NVIDIA GeForce RTX 4070");
  ck_assert_int_eq(x.m.spilled, CRV_TRUE);
  ck_assert_str_eq(x.m.engine, "ollama");
  measure_done(&x);
}
END_TEST

START_TEST(ollama_ps_is_decimal_and_an_estimate) {
  struct measured x = measure_text(
      "ollama", "NAME          ID              SIZE     PROCESSOR          UNTIL\n"
                "llama3:70b    bcfb190ca3a7    42 GB    48%/52% CPU/GPU    4 minutes from now\n"
                "phi3:mini     4f2222927938    6.0 GB   100% GPU           3 minutes from now\n");
  struct want w = {"engine.declared", "forecast", .stage = "llama3:70b", .device = -1};
  bytes_are(fact_must(&x, w), 42000000000);
  ck_assert_int_eq(x.m.spilled, CRV_TRUE);
  ck_assert(noted(&x, "unit_is_decimal"));
  measure_done(&x);
}
END_TEST

static const char bench[] = "| model          |       size |     params | backend    | ngl |       "
                            "   test |                  t/s |\n"
                            "| -------------- | ---------: | ---------: | ---------- | --: | "
                            "------------: | -------------------: |\n"
                            "| llama 8B Q4_0  |   4.33 GiB |     8.03 B | CUDA       |  99 |       "
                            "  pp512 |      3500.12 ± 12.50 |\n"
                            "| llama 8B Q4_0  |   4.33 GiB |     8.03 B | CUDA       |  99 |       "
                            "  tg128 |         99.50 ± 0.25 |\n"
                            "| llama 8B Q4_0  |   4.33 GiB |     8.03 B | CUDA       |  99 | tg32 "
                            "@ d16384 |                80.00 |\n"
                            "| llama 8B Q4_0  |   4.33 GiB |     8.03 B | CUDA       |  99 |   "
                            "pp512+tg128 |        400.00 ± 1.00 |\n"
                            "\nbuild: abc (123)\n";

START_TEST(bench_states_speeds_and_no_memory) {
  struct measured x = measure_text("llama-bench", bench);
  const struct crv_measure_fact *f =
      fact_must(&x, (struct want){"speed.prompt", "stated", .stage = "pp512", .device = -1});
  value_is(f, "3500.12");
  ck_assert(f->spread.set && f->spread.v == 12500000);
  value_is(fact_must(&x, (struct want){"speed.generation", NULL, .stage = "tg128", .device = -1}),
           "99.5");
  f = fact_must(&x,
                (struct want){"speed.generation", NULL, .stage = "tg32 @ d16384", .device = -1});
  ck_assert(!f->spread.set);
  value_is(fact_must(&x, COUNT("speed.combined")), "400");
  bytes_are(fact_must(&x, COUNT("model.file")), gib2(433));
  value_is(fact_must(&x, COUNT("model.parameters")), "8030000000");
  ck_assert(noted(&x, "no_memory_measured") && noted(&x, "file_size"));
  ck_assert_str_eq(setting_of(&x, "ngl"), "99");
  for (size_t i = 0; i < x.m.facts.n; i++) {
    f = crv_list_at(x.m.facts, struct crv_measure_fact, i);
    ck_assert(f->counter != CRV_MEASURE_DEVICE_USED && f->counter != CRV_MEASURE_ENGINE_DECLARED);
  }
  measure_done(&x);
}
END_TEST

int main(void) {
  Suite *s = suite_create("measure_llama");
  TCase *tc = tcase_create("core");
  tcase_add_test(tc, buffers_by_device_and_host);
  tcase_add_test(tc, devices_slots_and_pool);
  tcase_add_test(tc, a_sum_that_lacks_a_buffer_is_unknown);
  tcase_add_test(tc, layers_left_to_the_host_are_a_spill);
  tcase_add_test(tc, two_models_in_one_log_make_no_pool);
  tcase_add_test(tc, the_limit_of_unified_memory_is_decimal);
  tcase_add_test(tc, the_oldest_lines);
  tcase_add_test(tc, speeds_of_a_run);
  tcase_add_test(tc, the_breakdown_at_exit);
  tcase_add_test(tc, what_wrapped_around_is_impossible);
  tcase_add_test(tc, what_the_fitting_projects_is_a_forecast);
  tcase_add_test(tc, ollama_forecasts_and_what_it_took);
  tcase_add_test(tc, ollama_ps_is_decimal_and_an_estimate);
  tcase_add_test(tc, bench_states_speeds_and_no_memory);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
