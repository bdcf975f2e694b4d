/* The public cases of measurements, when they lie beside the project ($CRV_SHARED/cases, else next
   to $top_srcdir): each is read and gives the figures that its `expected` states, within the
   tolerance of figures printed with two decimals (6 MiB). Without them there is nothing to do. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "tests/unit/measure_test.h"

enum { TOLERANCE_MIB = 6 };

/* -- expected figures -----------------------------------------------------------------------------
 */

static const json_t *at(const json_t *j, const char *key) {
  const json_t *v = json_object_get(j, key);
  ck_assert_msg(v != NULL, "the case states no %s", key);
  return v;
}

/* A number of the case, decimal micro. */
static int64_t number(const json_t *j) {
  int64_t micro;
  struct crv_unit_err ue;
  if (json_is_integer(j)) return json_integer_value(j) * CRV_MICRO;
  const char *text = json_string_value(j);
  ck_assert(text && text[0] == CRV_JSON_NUM);
  ck_assert(crv_decimal_parse(text + 1, strlen(text + 1), &micro, &ue));
  return micro;
}

static void near_bytes(const struct crv_measure_fact *f, const json_t *want, int64_t factor) {
  int64_t bytes;
  if (json_is_null(want)) {
    no_bytes(f);
    return;
  }
  ck_assert(crv_bytes_scale(number(want), factor, CRV_ROUND_DOWN, &bytes));
  ck_assert_msg(f->bytes.set, "%s has no bytes", f->text);
  ck_assert_int_ge(f->bytes.v, bytes - TOLERANCE_MIB * CRV_MIB);
  ck_assert_int_le(f->bytes.v, bytes + TOLERANCE_MIB * CRV_MIB);
}

static void near_gib(const struct measured *x, struct want w, const json_t *want) {
  near_bytes(fact_must(x, w), want, CRV_GIB);
}

static void near_mib(const struct measured *x, struct want w, const json_t *want) {
  near_bytes(fact_must(x, w), want, CRV_MIB);
}

static void same_value(const struct measured *x, struct want w, const json_t *want) {
  const struct crv_measure_fact *f = fact_must(x, w);
  ck_assert(f->micro.set);
  ck_assert_int_eq(f->micro.v, number(want));
}

/* -- the cases
 * -------------------------------------------------------------------------------------- */

static void deepspeed(const struct measured *x, const json_t *e) {
  size_t i;
  json_t *r;
  json_array_foreach((json_t *)(uintptr_t)at(e, "records"), i, r) {
    const char *s = json_string_value(at(r, "label"));
    near_gib(x, (struct want){"torch.allocated", "instant", .stage = s, .device = -1},
             at(r, "torch_allocated_gib"));
    near_gib(x, (struct want){"torch.allocated", "peak", .stage = s, .device = -1},
             at(r, "torch_allocated_peak_gib"));
    near_gib(x, (struct want){"torch.reserved", "instant", .stage = s, .device = -1},
             at(r, "torch_reserved_gib"));
    struct want peak = {"torch.reserved", "peak", .stage = s, .device = -1};
    near_gib(x, peak, at(r, "torch_reserved_gib")); /* the larger of both is kept */
    ck_assert_int_eq(number(at(r, "torch_reserved_peak_gib_rounded")),
                     strtol(fact_must(x, peak)->text, NULL, 10) * CRV_MICRO);
    if (json_object_get(r, "host_used_gib"))
      near_gib(x, (struct want){"host.used", .device = -1}, at(r, "host_used_gib"));
    if (json_object_get(r, "host_percent"))
      same_value(x, (struct want){"host.share", .device = -1}, at(r, "host_percent"));
  }
  int64_t total = fact_must(x, (struct want){"host.total", .device = -1})->bytes.v;
  int64_t want = number(at(at(e, "derived"), "host_total_gib"));
  ck_assert(llabs(total / (CRV_GIB / 1000) - want / 1000) < 60);
  ck_assert(noted(x, "peak_rounded") && noted(x, "label_on_line_before"));
  ck_assert(noted(x, "reserved_unused") && noted(x, "host_memory_high"));
}

static void llama_bench(const struct measured *x, const json_t *e) {
  size_t i;
  json_t *r;
  json_array_foreach((json_t *)(uintptr_t)at(e, "records"), i, r) {
    char test[32];
    snprintf(test, sizeof test, "pp%d", (int)json_integer_value(at(r, "tokens")));
    ck_assert_str_eq(json_string_value(at(r, "test")), "prompt");
    const struct crv_measure_fact *f =
        fact_must(x, (struct want){"speed.prompt", .stage = test, .device = -1});
    ck_assert_int_eq(f->micro.v, number(at(r, "tokens_per_s")));
    ck_assert_int_eq(f->spread.v, number(at(r, "spread")));
  }
  near_gib(x, (struct want){"model.file", .device = -1}, at(e, "model_file_gib"));
  int64_t params = fact_must(x, (struct want){"model.parameters", .device = -1})->micro.v;
  ck_assert_int_eq(params / 1000000000, number(at(e, "params_billion")));
  ck_assert(json_is_null(at(e, "gpu_memory")) && noted(x, "no_memory_measured"));
  ck_assert(!fact_of(x, (struct want){"device.used", .device = -1}));
  ck_assert(noted(x, "file_size"));
}

static void llamacpp(const struct measured *x, const json_t *e) {
  static const char *const parts[][2] = {{"weights", "weights_mib"},
                                         {"kv_cache", "kv_mib"},
                                         {"compute", "compute_mib"},
                                         {"sum of its buffers", "sum_mib"}};
  size_t i;
  json_t *g;
  json_array_foreach((json_t *)(uintptr_t)at(e, "per_gpu"), i, g) {
    for (size_t p = 0; p < 4; p++) {
      struct want w = {"engine.declared", "stated", parts[p][0],
                       .device = json_integer_value(at(g, "gpu"))};
      const json_t *want = at(g, parts[p][1]);
      if (json_is_null(want) && p == 2)
        ck_assert(!fact_of(x, w));
      else
        near_mib(x, w, want);
    }
  }
  const json_t *host = at(e, "host");
  near_mib(x, (struct want){"engine.declared", NULL, "weights", .device = -2},
           at(host, "weights_mib"));
  near_mib(x, (struct want){"engine.declared", NULL, "output", .device = -2},
           at(host, "output_mib"));
  near_mib(x, (struct want){"engine.declared", NULL, "kv_cache, all devices", .device = -1},
           at(e, "kv_total_mib"));
  same_value(x, (struct want){"context.tokens", .device = -1}, at(e, "n_ctx"));
  ck_assert(noted(x, "sum_incomplete") && noted(x, "engine_declared") &&
            noted(x, "pool_consistent"));
  ck_assert(noted(x, "devices_unequal"));
}

static void memory_summary(const struct measured *x, const json_t *e) {
  const json_t *v = at(e, "values");
  int64_t gpu = json_integer_value(at(e, "gpu"));
  near_mib(x, (struct want){"torch.allocated", "peak", .device = gpu},
           at(v, "torch_allocated_peak_mib"));
  near_mib(x, (struct want){"torch.allocated", "instant", .device = gpu},
           at(v, "torch_allocated_current_mib"));
  near_mib(x, (struct want){"torch.reserved", "peak", .device = gpu},
           at(v, "torch_reserved_peak_mib"));
  near_mib(x, (struct want){"torch.reserved", "instant", .device = gpu},
           at(v, "torch_reserved_current_mib"));
  same_value(x, (struct want){"torch.ooms", .device = gpu}, at(v, "ooms"));
  same_value(x, (struct want){"torch.retries", .device = gpu}, at(v, "retries"));
  ck_assert(noted(x, "unit_is_binary") && noted(x, "reserved_unused") &&
            noted(x, "cumulative_not_read"));
}

static void nvidia_smi(const struct measured *x, const json_t *e) {
  size_t i;
  json_t *g;
  ck_assert_str_eq(json_string_value(at(e, "kind_of_value")), "instant_sample_not_peak");
  json_array_foreach((json_t *)(uintptr_t)at(e, "per_gpu"), i, g) {
    int64_t gpu = json_integer_value(at(g, "gpu"));
    near_mib(x, (struct want){"device.used", "instant", .device = gpu}, at(g, "used_mib"));
    near_mib(x, (struct want){"device.total", "stated", .device = gpu}, at(g, "total_mib"));
    ck_assert(device_of(x, gpu)->name_cut && !device_of(x, gpu)->model);
  }
  ck_assert_uint_eq(x->m.devices.n, i);
  ck_assert(!fact_of(x, (struct want){NULL, "peak", .device = -1}));
  ck_assert(noted(x, "instant_not_peak") && noted(x, "all_processes") && noted(x, "name_cut"));
  struct crv_result r = result_of(x, CRV_KIND_PROTOCOL_RUN);
  for (i = 0; i < r.peaks.n; i++)
    ck_assert_int_eq(crv_list_at(r.peaks, struct crv_peak, i)->kind, CRV_PEAK_INSTANT);
}

static void unsloth(const struct measured *x, const json_t *e) {
  const json_t *v = at(e, "values"), *d = at(e, "derived");
  near_gib(x, (struct want){"torch.reserved", "peak", .device = -1},
           at(v, "torch_reserved_peak_gib"));
  near_gib(x, (struct want){"torch.reserved", "delta", .device = -1}, at(v, "training_share_gib"));
  same_value(x, (struct want){"duration", .device = -1}, at(v, "duration_s"));
  near_gib(x, (struct want){"device.total", .device = -1}, at(d, "device_total_gib"));
  near_gib(x, (struct want){"torch.reserved", "stated", "before training", .device = -1},
           at(d, "before_training_gib"));
  ck_assert(noted(x, "phase_limited") && !phase_in(x, "checkpoint_export"));
}

static void vllm_consistent(const struct measured *x, const json_t *e) {
  const json_t *v = at(e, "values");
  near_gib(x, (struct want){"engine.declared", NULL, "weights", .device = -1},
           at(v, "weights_gib"));
  same_value(x, (struct want){"pool.blocks", .device = -1}, at(v, "gpu_blocks"));
  same_value(x, (struct want){"pool.tokens", .device = -1}, at(v, "kv_tokens"));
  same_value(x, (struct want){"concurrency", .device = -1}, at(v, "max_concurrency"));
  same_value(x, (struct want){"context.tokens", .device = -1}, at(v, "concurrency_context"));
  ck_assert(noted(x, "pool_consistent") && noted(x, "unit_is_binary"));
}

static void vllm_negative(const struct measured *x, const json_t *e) {
  const json_t *v = at(e, "values_gib");
  near_gib(x, (struct want){"device.total", .device = -1}, at(v, "total"));
  near_gib(x, (struct want){"engine.declared", NULL, "allowed", .device = -1}, at(v, "allowed"));
  near_gib(x, (struct want){"engine.declared", NULL, "weights", .device = -1}, at(v, "weights"));
  near_gib(x, (struct want){"engine.declared", NULL, "non_torch", .device = -1},
           at(v, "non_torch"));
  near_gib(x, (struct want){"engine.declared", NULL, "activations", .device = -1},
           at(v, "activation_peak"));
  near_gib(x, (struct want){"engine.pool", .device = -1}, at(v, "kv_cache"));
  ck_assert(x->m.failure_line > 0 && !x->m.pool.bytes.set && !noted(x, "budget_inconsistent"));
}

static void ollama_slots(const struct measured *x, const json_t *e) {
  const json_t *v = at(e, "values");
  same_value(x, (struct want){"context.tokens", .device = -1}, at(v, "context_per_sequence"));
  same_value(x, (struct want){"pool.tokens", .device = -1}, at(v, "kv_tokens_total"));
  near_mib(x, (struct want){"engine.declared", NULL, "kv_cache", .device = 0}, at(v, "kv_mib"));
  same_value(x, (struct want){"concurrency", .device = -1}, at(at(e, "derived"), "parallel_slots"));
}

static const struct {
  const char *id, *source;
  void (*check)(const struct measured *x, const json_t *expected);
} cases[] = {
    {"meas-deepspeed-ma", "deepspeed-log", deepspeed},
    {"meas-llama-bench", "llama-bench", llama_bench},
    {"meas-llamacpp-2gpu", "llamacpp-log", llamacpp},
    {"meas-memory-summary", "torch", memory_summary},
    {"meas-nvidia-smi-table", "nvidia-smi", nvidia_smi},
    {"meas-unsloth-stats", "unsloth", unsloth},
    {"meas-vllm-v0-consistent", "vllm-log", vllm_consistent},
    {"oom-vllm-13882", "vllm-log", vllm_negative},
    {"oom-ollama-10735", "ollama-log", ollama_slots},
};

/* -- the walk
 * ----------------------------------------------------------------------------------------- */

static const char *folder(char *out, size_t room) {
  const char *shared = getenv("CRV_SHARED"), *top = getenv("top_srcdir");
  if (shared)
    snprintf(out, room, "%s/cases", shared);
  else
    snprintf(out, room, "%s/../shared/cases", top ? top : ".");
  return out;
}

static json_t *load(const char *path) {
  struct crv_err err;
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  char *data = malloc(1 << 20);
  ck_assert(data != NULL);
  size_t len = fread(data, 1, 1 << 20, f);
  fclose(f);
  crv_err_init(&err);
  json_t *j = crv_json_parse_stored(data, len, &err);
  ck_assert_msg(j != NULL, "%s: %s", path, err.detail);
  free(data);
  return j;
}

/* The text as given, and as one of several readings. */
static void check_case(const json_t *j, const char *source,
                       void (*check)(const struct measured *, const json_t *)) {
  const char *text = json_string_value(at(j, "artefact"));
  struct measured x = measure_bytes(source, text, strlen(text));
  ck_assert_msg(x.ok, "%s: nothing was read", json_string_value(at(j, "id")));
  if (check) check(&x, at(j, "expected"));
  _json_ json_t *shown = crv_measure_json(&x.m);
  ck_assert(shown != NULL);
  measure_done(&x);
}

START_TEST(the_known_cases_come_out_as_expected) {
  char dir[3072], path[4096];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(path, sizeof path, "%s/%s.json", folder(dir, sizeof dir), cases[i].id);
    _json_ json_t *j = load(path);
    if (!j) continue;
    check_case(j, cases[i].source, cases[i].check);
    check_case(j, "log", cases[i].check);
  }
}
END_TEST

START_TEST(every_measurement_case_is_read) {
  char name[3072], path[4096];
  DIR *d = opendir(folder(name, sizeof name));
  for (struct dirent *e; d && (e = readdir(d));) {
    if (strncmp(e->d_name, "meas-", 5) != 0) continue;
    snprintf(path, sizeof path, "%s/%s", name, e->d_name);
    _json_ json_t *j = load(path);
    if (j) check_case(j, "log", NULL);
  }
  if (d) closedir(d);
}
END_TEST

int main(void) {
  Suite *s = suite_create("measure_cases");
  TCase *tc = tcase_create("core");
  tcase_add_test(tc, the_known_cases_come_out_as_expected);
  tcase_add_test(tc, every_measurement_case_is_read);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
