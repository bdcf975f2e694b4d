/* Published reports, where a folder of them is at hand (CRV_SHARED, or ../shared beside the tree):
   the phase, the sense of the cause, the figures, the flags and the advice that each expects.
   Without the folder there is nothing to do. */
#define _GNU_SOURCE /* strcasestr */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "tests/unit/diagnosetest.h"

enum { MAX_CASES = 200, TOLERANCE = 6 << 20 };
static char *files[MAX_CASES];
static size_t n_files;

static void find_files(void) {
  char folder[4096], path[4600];
  const char *shared = getenv("CRV_SHARED"), *top = getenv("top_srcdir");
  if (shared)
    snprintf(folder, sizeof folder, "%s/cases", shared);
  else
    snprintf(folder, sizeof folder, "%s/../shared/cases", top ? top : ".");
  DIR *d = opendir(folder);
  if (!d) return;
  for (struct dirent *e; (e = readdir(d)) && n_files < MAX_CASES;) {
    size_t len = strlen(e->d_name);
    if (strncmp(e->d_name, "oom-", 4) != 0 || len < 6 || strcmp(e->d_name + len - 5, ".json") != 0)
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    files[n_files++] = strdup(path);
  }
  closedir(d);
}

/* -- expectations
 * ----------------------------------------------------------------------------------
 */

/* What a word of the expected cause means in our list. */
static const struct {
  const char *word, *codes;
} senses[] = {
    {"host_ram", "host_memory"},
    {"fraction_below", "kv_cache_shortage"},
    {"concurrency_multiplies", "kv_cache_shortage"},
    {"kv_cache", "kv_cache_shortage"},
    {"concurrency", "engine_setting kv_cache_shortage"},
    {"elsewhere", "external_use"},
    {"outside", "external_use"},
    {"several_model_copies", "several_copies"},
    {"fp32_master", "static_shortage"},
    {"gradients_of_a_full", "static_shortage"},
    {"weights_do_not_fit", "static_shortage"},
    {"32bit", "format_not_as_intended"},
    {"16bit_copy", "export_copy"},
    {"merged_16bit", "export_copy"},
    {"logits", "activation_peak"},
    {"activations", "activation_peak"},
    {"program_needs", "program_too_large"},
};

static void check_cause(const json_t *got, const char *want) {
  const char *code = json_string_value(json_object_get(json_object_get(got, "cause"), "code"));
  for (size_t i = 0; i < sizeof senses / sizeof *senses; i++) {
    if (!strstr(want, senses[i].word)) continue;
    ck_assert_msg(strstr(senses[i].codes, code) != NULL, "%s instead of %s", code, want);
    return;
  }
}

static double number_of(const json_t *v) {
  return json_is_integer(v) ? (double)json_integer_value(v) : json_real_value(v);
}

static bool near(const json_t *bytes, double want) {
  double gap = (double)json_integer_value(bytes) - want;
  return json_is_integer(bytes) && gap <= TOLERANCE && gap >= -TOLERANCE;
}

/* Some figure of that name (of that device, unless -1) has these bytes. */
static bool has_bytes(const json_t *got, const char *name, int64_t device, double want) {
  size_t i;
  const json_t *f;
  json_array_foreach(json_object_get(got, "figures"), i, f) {
    const json_t *at = json_object_get(f, "device");
    if (strcmp(json_string_value(json_object_get(f, "name")), name) != 0) continue;
    if (device >= 0 && json_integer_value(at) != device) continue;
    if (near(json_object_get(f, "bytes"), want)) return true;
  }
  return false;
}

static bool is_unknown(const json_t *got, const char *name) {
  size_t i;
  const json_t *f;
  json_array_foreach(json_object_get(got, "figures"), i, f) {
    if (!strcmp(json_string_value(json_object_get(f, "name")), name) &&
        !json_is_null(json_object_get(f, "bytes")))
      return false;
  }
  return true;
}

static void check_values(const json_t *got, const json_t *values, double unit, int64_t device) {
  const char *name;
  json_t *v;
  json_object_foreach((json_t *)(uintptr_t)values, name, v) {
    if (!strcmp(name, "gpu_index")) continue;
    if (json_is_null(v))
      ck_assert_msg(is_unknown(got, name), "%s must stay unknown", name);
    else
      ck_assert_msg(has_bytes(got, name, device, number_of(v) * unit), "%s of device %d", name,
                    (int)device);
  }
}

static void check_all_values(const json_t *got, const json_t *want) {
  size_t i;
  const json_t *gpu;
  check_values(got, json_object_get(want, "values_mib"), 1048576.0, -1);
  check_values(got, json_object_get(want, "values_gib"), 1073741824.0, -1);
  check_values(got, json_object_get(want, "values_gb_as_printed"), 1073741824.0, -1);
  json_array_foreach(json_object_get(want, "per_gpu_values_mib"), i, gpu)
      check_values(got, gpu, 1048576.0, json_integer_value(json_object_get(gpu, "gpu_index")));
}

static const struct {
  const char *theirs, *ours;
  double unit;
} derived[] = {
    {"parallel_slots", "parallel_slots", 1},
    {"kv_bytes_per_token", "kv_bytes_per_token", 1},
    {"kv_mib_for_one_slot", "kv_for_one_slot", 1048576.0},
    {"tokens_implied", "tokens_implied", 1},
    {"not_in_this_allocator", "not_in_this_allocator", 1048576.0},
    {"minimum_device_gib", "minimum_device", 1073741824.0},
};

static void check_derived(const json_t *got, const json_t *want) {
  const json_t *sets[] = {json_object_get(want, "derived"), json_object_get(want, "derived_mib")};
  for (size_t k = 0; k < 2; k++) {
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) {
      const json_t *v = json_object_get(sets[k], derived[i].theirs);
      if (!v) continue;
      const json_t *ours = dx_named(got, "derived", derived[i].ours);
      ck_assert_msg(ours != NULL, "%s", derived[i].ours);
      double gap = (double)json_integer_value(ours) - number_of(v) * derived[i].unit;
      ck_assert_msg(gap <= TOLERANCE && gap >= -TOLERANCE, "%s", derived[i].ours);
    }
  }
  const char *as = json_string_value(json_object_get(sets[0], "request_explained_as"));
  const char *how = json_string_value(json_object_get(json_object_get(got, "explained_by"), "how"));
  if (as) ck_assert_msg(how && strncmp(as, how, strlen(how)) == 0, "%s: %s", as, how ? how : "-");
}

/* -- advice
 * ----------------------------------------------------------------------------------------
 */

static bool said(const json_t *got, const char *word) {
  const char *says = json_string_value(json_object_get(json_object_get(got, "cause"), "says"));
  return dx_says(got, "try", word) || dx_says(got, "do_not", word) ||
         dx_says(got, "provide", word) || (says && strcasestr(says, word));
}

/* The sense is there when half of its telling words are. */
static void check_sense(const json_t *got, const char *sense) {
  size_t words = 0, found = 0;
  char word[64];
  for (const char *s = sense; *s;) {
    size_t len = strcspn(s, " ,;:()/");
    if (len >= 4 && len < sizeof word) {
      memcpy(word, s, len);
      word[len] = '\0';
      words++;
      found += said(got, word);
    }
    s += len;
    s += strspn(s, " ,;:()/");
  }
  ck_assert_msg(found * 2 >= words, "advice misses the sense of: %s (%d of %d words)", sense,
                (int)found, (int)words);
}

static void check_advice(const json_t *got, const json_t *want) {
  size_t i;
  const json_t *v;
  json_array_foreach(json_object_get(want, "advice_must_include"), i, v)
      check_sense(got, json_string_value(v));
  json_array_foreach(json_object_get(want, "advice_must_not_include"), i, v) {
    const char *s = json_string_value(v);
    ck_assert_msg(!dx_says(got, "try", s), "advised: %s", s);
  }
}

/* -- cases
 * -----------------------------------------------------------------------------------------
 */

/* What the report says of the job, as lines of names and values. */
static char *context_of(const json_t *inputs) {
  _buf_ struct crv_buf b = {0};
  const char *name;
  json_t *v;
  crv_buf_str(&b, "");
  json_object_foreach((json_t *)(uintptr_t)inputs, name, v) {
    if (json_is_string(v)) crv_buf_printf(&b, "%s: %s\n", name, json_string_value(v));
    if (json_is_integer(v)) crv_buf_printf(&b, "%s: %d\n", name, (int)json_integer_value(v));
  }
  crv_buf_char(&b, '\n');
  return crv_buf_take(&b, NULL);
}

START_TEST(published_reports) {
  if ((size_t)_i >= n_files) return;
  json_error_t e;
  _json_ json_t *c = json_load_file(files[_i], 0, &e);
  ck_assert_msg(c != NULL, "%s: %s", files[_i], e.text);
  const json_t *want = json_object_get(c, "expected");
  _free_ char *context = context_of(json_object_get(c, "inputs"));
  _json_ json_t *got = dx_run((struct dx_in){
      .text = json_string_value(json_object_get(c, "artefact")), .context = context});
  ck_assert_str_eq(json_string_value(json_object_get(got, "phase")),
                   json_string_value(json_object_get(want, "phase")));
  check_cause(got, json_string_value(json_object_get(want, "cause")));
  check_all_values(got, want);
  check_derived(got, want);
  check_advice(got, want);
  const json_t *gpu = json_object_get(want, "gpu_index");
  if (gpu) ck_assert(json_equal((json_t *)(uintptr_t)gpu, json_object_get(got, "gpu_index")));
  if (json_is_true(json_object_get(want, "message_truncated")))
    ck_assert(dx_has_flag(got, "message_truncated"));
  if (json_is_false(json_object_get(want, "is_gpu_oom")) ||
      json_is_false(json_object_get(want, "is_cuda_oom")))
    ck_assert(json_is_false(json_object_get(got, "is_gpu_oom")));
  const char *backend = json_string_value(json_object_get(want, "backend"));
  if (backend) ck_assert_str_eq(json_string_value(json_object_get(got, "backend")), backend);
}
END_TEST

int main(void) {
  find_files();
  Suite *s = suite_create("diagnose_cases");
  TCase *t = tcase_create("cases");
  tcase_add_loop_test(t, published_reports, 0, n_files ? (int)n_files : 1);
  suite_add_tcase(s, t);
  int failed = dx_main(s);
  for (size_t i = 0; i < n_files; i++) free(files[i]);
  return failed;
}
