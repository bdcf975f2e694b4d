/* Measurements -> facts: the table of sources and one reading.
   Must not know: a source's format, where records are kept. */
#include "core/evidence/measure.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "core/evidence/measure_internal.h"

static void read_any(struct crv_mrun *run);

const struct crv_measure_source crv_measure_sources[] = {
    {"nvidia-smi", "nvidia-smi-csv nvidia-smi-table",
     "nvidia-smi's table, --query-gpu and --query-compute-apps as CSV, -q and -L; repeated in time "
     "they "
     "are samples."},
    {"torch", "torch-memory-summary torch-log torchtune torchtitan",
     "torch.cuda.memory_summary, and the allocated, reserved and active peaks that scripts print."},
    {"vllm-log", "vllm",
     "vLLM's start-up log, V0 and V1: weights, activations, pool, concurrency."},
    {"llamacpp-log", "llama.cpp-log llama.cpp llamacpp llama-cpp-log",
     "llama.cpp's load log, its memory breakdown and what its fitting projects."},
    {"ollama-log", "ollama ollama-ps",
     "ollama's log with the runner's lines in it, and ollama ps."},
    {"llama-bench", "llama-bench-md",
     "llama-bench's Markdown table: documented speeds, no memory."},
    {"deepspeed-log", "deepspeed",
     "DeepSpeed's MA, Max_MA, CA, Max_CA and host lines, its timer and its estimates."},
    {"trainer", "transformers transformers-metrics trainer-metrics axolotl ms-swift",
     "transformers Trainer metrics, and the memory columns of axolotl and ms-swift."},
    {"unsloth", "unsloth-stats", "Unsloth's statistics after training."},
    {"log", "any", "Any of the others, together in one text."},
};
const size_t crv_n_measure_sources = sizeof crv_measure_sources / sizeof *crv_measure_sources;

static const struct {
  const char *source;
  crv_mreader *read;
} readers[] = {
    {"nvidia-smi", crv_measure_nvidia_smi},   {"torch", crv_measure_torch},
    {"vllm-log", crv_measure_vllm},           {"llamacpp-log", crv_measure_llamacpp},
    {"ollama-log", crv_measure_llamacpp},     {"llama-bench", crv_measure_llama_bench},
    {"deepspeed-log", crv_measure_deepspeed}, {"trainer", crv_measure_trainer},
    {"unsloth", crv_measure_trainer},         {"log", read_any},
};
enum { READERS = sizeof readers / sizeof *readers };

static void read_any(struct crv_mrun *run) {
  static const char *const twins[] = {"ollama-log", "unsloth",
                                      "log"}; /* read by another's reader */
  for (size_t i = 0; i < READERS && !run->failed; i++) {
    bool twin = false;
    for (size_t k = 0; k < sizeof twins / sizeof *twins; k++)
      twin |= strcmp(readers[i].source, twins[k]) == 0;
    if (twin) continue;
    run->source = readers[i].source;
    run->stage = NULL;
    readers[i].read(run);
  }
}

static bool in_list(const char *list, const char *name) {
  size_t len = strlen(name);
  while (*list) {
    size_t n = strcspn(list, " ");
    if (n == len && strncmp(list, name, n) == 0) return true;
    list += n;
    list += strspn(list, " ");
  }
  return false;
}

const struct crv_measure_source *crv_measure_source(const char *name) {
  for (size_t i = 0; name && *name && i < crv_n_measure_sources; i++) {
    const struct crv_measure_source *s = &crv_measure_sources[i];
    if (strcmp(s->name, name) == 0 || in_list(s->aliases, name)) return s;
  }
  return NULL;
}

const struct crv_enum_name crv_measure_counter_names[] = {
#define X(NAME, name, unit, peak, doc) {CRV_MEASURE_##NAME, name},
#include "core/evidence/measure_counters.def"
#undef X
    {0, NULL},
};

const struct crv_enum_name crv_measure_kind_names[] = {
    {CRV_MEASURE_PEAK, "peak"},
    {CRV_MEASURE_SAMPLED, "sampled"},
    {CRV_MEASURE_INSTANT, "instant"},
    {CRV_MEASURE_FORECAST, "forecast"},
    {CRV_MEASURE_STATED, "stated"},
    {CRV_MEASURE_DELTA, "delta"},
    {0, NULL},
};

/* -- memory running out, in any tool's words --------------------------------------------------- */

static void failure(struct crv_mrun *run, const struct crv_mrule *rule,
                    const struct crv_mmatch *m) {
  (void)rule, (void)m;
  run->recognised--;
  if (!run->ret->failure_line) run->ret->failure_line = run->line;
}

static const struct crv_mrule failures[] = {
    {"!out of memory", {{.counter = CRV_MEASURE_NONE}}, failure},
    {"OutOfMemoryError", {{.counter = CRV_MEASURE_NONE}}, failure},
    {"RESOURCE_EXHAUSTED", {{.counter = CRV_MEASURE_NONE}}, failure},
    {"No available memory for the cache blocks", {{.counter = CRV_MEASURE_NONE}}, failure},
    {"is larger than the maximum number of tokens that can be stored in KV cache",
     {{.counter = CRV_MEASURE_NONE}},
     failure},
    {"KV cache is needed, which is larger than the available",
     {{.counter = CRV_MEASURE_NONE}},
     failure},
    {"leave no GPU memory", {{.counter = CRV_MEASURE_NONE}}, failure},
};

static void find_failure(struct crv_mrun *run) {
  crv_mrules_run(run, failures, sizeof failures / sizeof *failures);
  run->line = run->ret->failure_line;
  if (run->line) crv_mnote(run, CRV_MN_FAILURE);
}

/* -- one reading --------------------------------------------------------------------------------
 */

static int64_t count_lines(const struct crv_mtext *t) {
  int64_t n = t->len && t->s[t->len - 1] != '\n';
  for (size_t i = 0; i < t->len; i++) n += t->s[i] == '\n';
  return n;
}

static bool no_memory(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

static bool unknown_source(const char *source, struct crv_err *err) {
  char names[400];
  size_t at = 0;
  for (size_t i = 0; i < crv_n_measure_sources; i++)
    at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "",
                           crv_measure_sources[i].name);
  return crv_fail(err, CRV_BAD_PARAMETER, "`source` %s is not known; measurements: %s.",
                  source ? "" : "(none)", names);
}

static bool nothing(const struct crv_measure_source *s, struct crv_err *err) {
  return crv_fail_field(err, "", "nothing_recognised", s->doc,
                        "Nothing in the text is a figure of the source %s.", s->name);
}

bool crv_measure_read(const char *source, const char *data, size_t len, struct crv_arena *a,
                      struct crv_measure *ret, struct crv_err *err) {
  const struct crv_measure_source *s = crv_measure_source(source);
  struct crv_mrun run = {.a = a, .ret = ret};
  *ret = (struct crv_measure){.lines = 0};
  if (!s) return unknown_source(source, err);
  _free_ char *clean = crv_mtext_clean(data, len, &run.text.len);
  if (!clean || !crv_mrun_init(&run)) return no_memory(err);
  run.text.s = clean;
  run.text.width = crv_mtext_width(clean, run.text.len);
  run.source = ret->source = s->name;
  ret->lines = count_lines(&run.text);
  for (size_t i = 0; i < READERS; i++)
    if (strcmp(readers[i].source, s->name) == 0) readers[i].read(&run);
  if (run.recognised == 0 && !run.failed) return nothing(s, err);
  find_failure(&run);
  crv_mrun_finish(&run);
  return run.failed ? no_memory(err) : true;
}
