/* core/evidence/measure_result, measure_json and the dispatch: an instant is never a peak, a
   forecast is never recorded, a device report turns totals into declared bytes, every source is
   known, and no bytes break a reading. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "tests/unit/measure_test.h"

#define ROWS(b, c) \
  "timestamp, index, name, memory.total [MiB], memory.used [MiB], driver_version, compute_cap\n" \
  "2024/05/01 08:00:00.000, 0, NVIDIA L4, 23034 MiB, 10 MiB, 550.54, 8.9\n" b c
#define ROW(t, d, total, used) \
  "2024/05/01 08:00:" t ".000, " d ", NVIDIA L4, " total " MiB, " used " MiB, 550.54, 8.9\n"

START_TEST(one_reading_is_recorded_as_an_instant) {
  struct measured x = measure_text("nvidia-smi", ROWS("", ""));
  struct crv_result r = result_of(&x, CRV_KIND_PROTOCOL_RUN);
  ck_assert_uint_eq(r.peaks.n, 1);
  ck_assert_int_eq(peak_in(&r, CRV_COUNTER_DEVICE_USED, 0)->kind, CRV_PEAK_INSTANT);
  measure_done(&x);
}
END_TEST

START_TEST(a_series_is_recorded_as_a_sampled_peak) {
  struct measured x = measure_text(
      "nvidia-smi", ROWS(ROW("01", "0", "23034", "900"), ROW("02", "0", "23034", "800")));
  struct crv_result r = result_of(&x, CRV_KIND_PROTOCOL_RUN);
  const struct crv_peak *p = peak_in(&r, CRV_COUNTER_DEVICE_USED, 0);
  ck_assert(p->kind == CRV_PEAK_SAMPLED && p->samples.v == 3 && p->interval_ms.v == 1000);
  ck_assert_int_eq(p->bytes.v, mib(900));
  ck_assert_int_eq(r.declared_bytes.v, mib(23034));
  ck_assert(r.outcome == 0 && r.truncated == CRV_UNSET && !r.errors.set);
  measure_done(&x);
}
END_TEST

START_TEST(samples_without_an_interval_wait_for_one) {
  struct measured x = measure_text("nvidia-smi", "index, memory.used [MiB]\n0, 5 MiB\n0, 9 MiB\n");
  struct crv_result r = result_of(&x, CRV_KIND_PROTOCOL_RUN);
  ck_assert_int_eq(peak_in(&r, CRV_COUNTER_DEVICE_USED, 0)->kind, CRV_PEAK_INSTANT);
  r = result_ask(&x, (struct crv_measure_ask){CRV_KIND_PROTOCOL_RUN, .interval_ms = {500, true}});
  const struct crv_peak *p = peak_in(&r, CRV_COUNTER_DEVICE_USED, 0);
  ck_assert(p->kind == CRV_PEAK_SAMPLED && p->interval_ms.v == 500 && p->samples.v == 2);
  ck_assert_int_eq(p->bytes.v, mib(9));
  measure_done(&x);
}
END_TEST

START_TEST(forecasts_stated_sizes_and_changes_stay_out) {
  struct measured x = measure_text(
      "log", "  per CPU  |  per GPU |   Options\n  70.00GB |  25.00GB | offload_param=cpu\n"
             "load_tensors: CUDA0 model buffer size = 9000.00 MiB\n"
             "train_mem_gpu_peaked_delta = 7000MB\n"
             "max memory reserved: 3.00 GiB\n");
  struct crv_result r = result_of(&x, CRV_KIND_PROTOCOL_RUN);
  ck_assert_uint_eq(r.peaks.n, 1);
  ck_assert_int_eq(peak_in(&r, CRV_COUNTER_TORCH_RESERVED, -1)->bytes.v, 3 * CRV_GIB);
  measure_done(&x);
}
END_TEST

START_TEST(a_pool_goes_with_the_measured_use) {
  struct measured x = measure_text(
      "log",
      "INFO Available KV cache memory: 5.31 GiB\nINFO GPU KV cache size: 43,472 tokens\n"
      "INFO Free memory on device (22.00/22.04 GiB) on startup. Desired GPU memory utilization is "
      "(0.9, 19.84 GiB).\n" ROWS(ROW("01", "0", "23034", "20500"), ""));
  struct crv_result r = result_of(&x, CRV_KIND_PROTOCOL_RUN);
  ck_assert(r.pool != NULL);
  ck_assert_int_eq(r.pool->bytes.v, gib2(531));
  ck_assert_int_eq(r.pool->tokens.v, 43472);
  ck_assert_int_eq(peak_in(&r, CRV_COUNTER_DEVICE_USED, 0)->bytes.v, mib(20500));
  ck_assert_int_eq(r.free_at_start_bytes.v, gib2(2200));
  ck_assert_uint_eq(r.settings.n, 1);
  ck_assert_uint_eq(r.peaks.n, 1);
  measure_done(&x);
}
END_TEST

START_TEST(half_a_pool_is_none) {
  struct measured x = measure_text("vllm-log", "GPU KV cache size: 43,472 tokens\n");
  struct crv_measure_ask ask = {.kind = CRV_KIND_PROTOCOL_RUN};
  struct crv_result r;
  ck_assert(!crv_measure_result(&x.m, &ask, x.arena, &r, &x.err));
  ck_assert_str_eq(x.err.at[0].code, "nothing_to_record");
  measure_done(&x);
}
END_TEST

START_TEST(the_largest_of_several_peaks_of_one_counter) {
  struct measured x = measure_text("torch", "[rank1] max memory reserved: 3.00 GiB\n"
                                            "[rank1] max memory reserved: 5.00 GiB\n"
                                            "[rank0] max memory reserved: 4.00 GiB\n");
  struct crv_result r = result_of(&x, CRV_KIND_PROTOCOL_RUN);
  ck_assert_uint_eq(r.peaks.n, 2);
  ck_assert_int_eq(peak_in(&r, CRV_COUNTER_TORCH_RESERVED, 1)->bytes.v, 5 * CRV_GIB);
  ck_assert_int_eq(peak_in(&r, CRV_COUNTER_TORCH_RESERVED, 0)->bytes.v, 4 * CRV_GIB);
  measure_done(&x);
}
END_TEST

START_TEST(speed_and_duration_of_a_run) {
  struct measured x =
      measure_text("llama-bench", "| model | test | t/s |\n| --- | --- | --- |\n"
                                  "| m | pp512 | 900.00 |\n| m | tg128 | 51.25 ± 0.1 |\n");
  struct crv_result r = result_of(&x, CRV_KIND_PROTOCOL_RUN);
  ck_assert_int_eq(r.throughput.v, 51250000);
  ck_assert_str_eq(r.throughput_unit, "tokens/s");
  measure_done(&x);
  x = measure_text("unsloth",
                   "441.1204 seconds used for training.\nPeak reserved memory = 8.982 GB.\n");
  r = result_of(&x, CRV_KIND_PROTOCOL_RUN);
  ck_assert_int_eq(r.duration_s.v, 442);
  ck_assert_uint_eq(r.phases.n, 4);
  measure_done(&x);
}
END_TEST

START_TEST(a_report_states_what_the_devices_declare) {
  struct measured x = measure_text(
      "nvidia-smi", ROWS(ROW("00", "1", "23034", "900"), ROW("00", "2", "23034", "1")));
  struct crv_result r = result_of(&x, CRV_KIND_DEVICE_REPORT);
  ck_assert_int_eq(r.declared_bytes.v, mib(23034));
  ck_assert_str_eq(r.driver, "550.54");
  ck_assert_str_eq(r.compute_capability, "8.9");
  ck_assert_uint_eq(r.peaks.n, 0);
  measure_done(&x);
}
END_TEST

START_TEST(devices_that_differ_need_one_named) {
  struct measured x = measure_text("nvidia-smi", ROWS(ROW("00", "1", "24564", "900"), ""));
  struct crv_measure_ask ask = {.kind = CRV_KIND_DEVICE_REPORT};
  struct crv_result r;
  ck_assert(!crv_measure_result(&x.m, &ask, x.arena, &r, &x.err));
  ck_assert_str_eq(x.err.at[0].code, "devices_differ");
  ask.device = (struct crv_opt_int){1, true};
  r = result_ask(&x, ask);
  ck_assert_int_eq(r.declared_bytes.v, mib(24564));
  crv_err_init(&x.err);
  ask.device.v = 7;
  ck_assert(!crv_measure_result(&x.m, &ask, x.arena, &r, &x.err));
  ck_assert_str_eq(x.err.at[0].code, "not_found");
  measure_done(&x);
}
END_TEST

START_TEST(rows_of_unknown_devices_may_still_declare) {
  struct measured x =
      measure_text("nvidia-smi", "name, memory.total [MiB], memory.used [MiB]\n"
                                 "NVIDIA L4, 23034 MiB, 3 MiB\nNVIDIA L4, 23034 MiB, 9 MiB\n");
  ck_assert_int_eq(result_of(&x, CRV_KIND_DEVICE_REPORT).declared_bytes.v, mib(23034));
  measure_done(&x);
}
END_TEST

START_TEST(a_rounded_total_declares_nothing) {
  struct measured x =
      measure_text("vllm-log", "Free memory on device (22.00/22.04 GiB) on startup.\n");
  struct crv_measure_ask ask = {.kind = CRV_KIND_DEVICE_REPORT};
  struct crv_result r;
  ck_assert(!crv_measure_result(&x.m, &ask, x.arena, &r, &x.err));
  measure_done(&x);
}
END_TEST

START_TEST(other_kinds_are_refused) {
  struct measured x = measure_text("nvidia-smi", ROWS("", ""));
  struct crv_measure_ask ask = {.kind = CRV_KIND_QUALITY_EVALUATION};
  struct crv_result r;
  ck_assert(!crv_measure_result(&x.m, &ask, x.arena, &r, &x.err));
  ck_assert_int_eq(x.err.code, CRV_BAD_PARAMETER);
  measure_done(&x);
}
END_TEST

START_TEST(every_source_and_alias_is_known) {
  for (size_t i = 0; i < crv_n_measure_sources; i++) {
    const struct crv_measure_source *s = &crv_measure_sources[i];
    ck_assert_ptr_eq(crv_measure_source(s->name), s);
    struct measured x = measure_bytes(s->name, "nothing of the kind", 19);
    ck_assert(!x.ok && x.err.code == CRV_INVALID_FIELDS);
    measure_done(&x);
  }
  ck_assert_str_eq(crv_measure_source("vllm")->name, "vllm-log");
  ck_assert_str_eq(crv_measure_source("llama.cpp")->name, "llamacpp-log");
  ck_assert(!crv_measure_source("vll") && !crv_measure_source("") && !crv_measure_source(NULL));
  struct measured x = measure_bytes("no-such", "x", 1);
  ck_assert_int_eq(x.err.code, CRV_BAD_PARAMETER);
  ck_assert(strstr(x.err.detail, "nvidia-smi") && strstr(x.err.detail, "deepspeed-log"));
  measure_done(&x);
}
END_TEST

START_TEST(the_answer_says_null_where_nothing_is_known) {
  struct measured x =
      measure_text("nvidia-smi", "index, name, memory.used [MiB]\n0, GeForce RTX 30..., [N/A]\n");
  _json_ json_t *j = crv_measure_json(&x.m);
  ck_assert(j != NULL);
  const json_t *f = json_array_get(json_object_get(j, "facts"), 0);
  ck_assert(json_is_null(json_object_get(f, "bytes")));
  ck_assert_str_eq(json_string_value(json_object_get(f, "text")), "[N/A]");
  ck_assert_str_eq(json_string_value(json_object_get(f, "counter")), "device.used");
  const json_t *d = json_array_get(json_object_get(j, "devices"), 0);
  ck_assert(json_is_true(json_object_get(d, "name_cut")) &&
            json_is_null(json_object_get(d, "model")));
  ck_assert(json_is_null(json_object_get(j, "pool")));
  _free_ char *text = crv_json_canonical(j);
  ck_assert(text != NULL); /* it would refuse a real */
  measure_done(&x);
}
END_TEST

static const struct {
  const char *source, *text;
} breakable[] = {
    {"vllm-log",
     "INFO worker.py:267] the current vLLM instance can use total_gpu_memory (23.58GiB) x "
     "gpu_memory_utilization (0.90) = 21.22GiB\nINFO worker.py:267] model weights take 14.99GiB; "
     "non_torch_memory takes 0.06GiB; PyTorch activation peak memory takes 1.25GiB; the rest of "
     "the "
     "memory reserved for KV Cache is 4.92GiB.\nINFO executor_base.py:111] # cuda blocks: 2687, # "
     "CPU "
     "blocks: 2184\nINFO executor_base.py:116] Maximum concurrency for 4096 tokens per request: "
     "10.50x\n"},
    {"vllm-log",
     "Free memory on device (15.28/15.51 GiB) on startup. Desired GPU memory utilization is (0.92, "
     "14.27 "
     "GiB). Actual usage is 10.47 GiB for consumed memory (weights + non-torch), 0.79 GiB for peak "
     "activation, and 0.04 GiB for CUDAGraph memory. Current kv cache memory in use is 3.01 "
     "GiB.\n"},
    {"deepspeed-log",
     "[2024-03-05 09:00:00,000] [INFO] [utils.py:802:see_memory_usage] Before step\n"
     "[2024-03-05 09:00:00,001] [INFO] [utils.py:803:see_memory_usage] MA 20.00 GB         Max_MA "
     "31.50 "
     "GB         CA 33.40 GB         Max_CA 33 GB \n"},
    {"unsloth", "441.1204 seconds used for training.\nPeak reserved memory = 8.982 GB.\nPeak "
                "reserved memory for "
                "training = 2.998 GB.\nPeak reserved memory % of max memory = 60.903 %.\n"},
    {"llamacpp-log",
     "llm_load_tensors:      CUDA0 buffer size =  5434.38 MiB\nllama_kv_cache_init:      CUDA0 KV "
     "buffer "
     "size =  1536.00 MiB\nllama_new_context_with_model:  CUDA_Host  output buffer size =     1.95 "
     "MiB\n"
     "llama_new_context_with_model:      CUDA0 compute buffer size =   672.01 MiB\n"},
};

/* As a terminal of that width breaks it. */
static void break_lines(const char *text, size_t width, char *out) {
  size_t column = 0;
  for (; *text; text++) {
    if (*text != '\n' && column == width) {
      *out++ = '\n';
      column = 0;
    }
    column = *text == '\n' ? 0 : column + 1;
    *out++ = *text;
  }
  *out = '\0';
}

static bool has_twin(const struct measured *x, const struct crv_measure_fact *f) {
  for (size_t i = 0; i < x->m.facts.n; i++) {
    const struct crv_measure_fact *g = crv_list_at(x->m.facts, struct crv_measure_fact, i);
    bool item = f->item ? g->item && !strcmp(f->item, g->item) : !g->item;
    if (item && g->counter == f->counter && g->kind == f->kind && g->host == f->host &&
        g->bytes.set == f->bytes.set && g->bytes.v == f->bytes.v && g->micro.v == f->micro.v &&
        g->device.set == f->device.set && g->device.v == f->device.v)
      return true;
  }
  return false;
}

START_TEST(a_text_broken_at_any_width_says_the_same) {
  char text[2048];
  for (size_t b = 0; b < sizeof breakable / sizeof *breakable; b++) {
    struct measured whole = measure_text(breakable[b].source, breakable[b].text);
    for (size_t width = 33; width < 110; width++) {
      break_lines(breakable[b].text, width, text);
      struct measured x = measure_text(breakable[b].source, text);
      for (size_t i = 0; i < whole.m.facts.n; i++)
        ck_assert_msg(has_twin(&x, crv_list_at(whole.m.facts, struct crv_measure_fact, i)),
                      "text %zu, width %zu, fact %zu", b, width, i);
      ck_assert_uint_eq(x.m.facts.n, whole.m.facts.n);
      measure_done(&x);
    }
    measure_done(&whole);
  }
}
END_TEST

static void survives(const char *data, size_t len) {
  struct measured x = measure_bytes("log", data, len);
  if (x.ok) {
    _json_ json_t *j = crv_measure_json(&x.m);
    ck_assert(j != NULL);
  } else {
    ck_assert_int_eq(x.err.code, CRV_INVALID_FIELDS);
  }
  measure_done(&x);
}

START_TEST(noise_nuls_and_one_endless_line) {
  size_t len = 10 << 20, line = 1 << 20;
  char *data = malloc(len);
  uint64_t v = 88172645463325252u;
  ck_assert(data != NULL);
  for (size_t i = 0; i < len; i++) {
    v ^= v << 13, v ^= v >> 7, v ^= v << 17;
    data[i] = (char)v;
  }
  survives(data, len);
  memset(data, 0, len);
  survives(data, len);
  static const char piece[] =
      "MA 1.5 GB peak mem allocated: 5 GB | buffer size = 1 MiB, 7 GiB for ";
  for (size_t i = 0; i < line; i++) data[i] = piece[i % (sizeof piece - 1)];
  survives(data, line);
  free(data);
}
END_TEST

int main(void) {
  Suite *s = suite_create("measure_result");
  TCase *tc = tcase_create("core");
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, one_reading_is_recorded_as_an_instant);
  tcase_add_test(tc, a_series_is_recorded_as_a_sampled_peak);
  tcase_add_test(tc, samples_without_an_interval_wait_for_one);
  tcase_add_test(tc, forecasts_stated_sizes_and_changes_stay_out);
  tcase_add_test(tc, a_pool_goes_with_the_measured_use);
  tcase_add_test(tc, half_a_pool_is_none);
  tcase_add_test(tc, the_largest_of_several_peaks_of_one_counter);
  tcase_add_test(tc, speed_and_duration_of_a_run);
  tcase_add_test(tc, a_report_states_what_the_devices_declare);
  tcase_add_test(tc, devices_that_differ_need_one_named);
  tcase_add_test(tc, rows_of_unknown_devices_may_still_declare);
  tcase_add_test(tc, a_rounded_total_declares_nothing);
  tcase_add_test(tc, other_kinds_are_refused);
  tcase_add_test(tc, every_source_and_alias_is_known);
  tcase_add_test(tc, the_answer_says_null_where_nothing_is_known);
  tcase_add_test(tc, a_text_broken_at_any_width_says_the_same);
  tcase_add_test(tc, noise_nuls_and_one_endless_line);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
