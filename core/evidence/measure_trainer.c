/* Trainers' own figures: the metrics of transformers' Trainer, Unsloth's statistics, and the memory
   columns of axolotl and ms-swift.
   Trainer (huggingface/transformers, src/transformers/trainer_utils.py, TrainerMemoryTracker):
   bytes of torch.allocated on the first device, as changes over a stage; printed as MB they are
   MiB, cut down. What a stage needed is what stood at its start + alloc_delta + peaked_delta.
   Unsloth's notebooks (unslothai/unsloth): torch's reserved peak / 1024^3, rounded to three places
   and called GB; it ends with training and covers no export.
   axolotl and ms-swift print GiB. Must not know: torch's own tables. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/evidence/measure_internal.h"

#define WANT(c, k, i) \
  { .counter = CRV_MEASURE_##c, .kind = CRV_MEASURE_##k, .item = i }
#define IGNORED \
  { .counter = CRV_MEASURE_NONE }
#define GIB(c, k) \
  { .counter = CRV_MEASURE_TORCH_##c, .kind = CRV_MEASURE_##k, .unit = CRV_MU_GIB }

/* -- transformers
 * ----------------------------------------------------------------------------------- */

static const struct stage_name {
  const char *name, *phases[3];
} stages[] = {
    {"init", {NULL}},
    {"train", {"forward", "backward", "optimizer_step"}},
    {"eval", {"evaluation"}},
    {"test", {"evaluation"}},
    {"predict", {"evaluation"}},
};
enum { STAGES = sizeof stages / sizeof *stages };

/* The metric's name at s: letters, digits, "_". */
static struct crv_mspan name_at(struct crv_mspan s) {
  size_t n = 0;
  while (n < s.len && n < 64 &&
         ((s.s[n] >= 'a' && s.s[n] <= 'z') || (s.s[n] >= '0' && s.s[n] <= '9') || s.s[n] == '_'))
    n++;
  return (struct crv_mspan){s.s, n};
}

/* "train_mem_gpu_peaked_delta": stage, gpu and what. */
struct metric {
  int stage;
  bool gpu, peaked, before;
};

static bool read_metric(struct crv_mspan name, struct metric *ret) {
  *ret = (struct metric){.stage = -1};
  if (crv_mspan_is(name, "before_init_mem_gpu") || crv_mspan_is(name, "before_init_mem_cpu")) {
    ret->before = true;
    ret->stage = 0;
    ret->gpu = crv_mspan_find(name, "gpu") != SIZE_MAX;
    return true;
  }
  for (int i = 0; i < STAGES && ret->stage < 0; i++)
    if (crv_mspan_starts(name, stages[i].name) && name.s[strlen(stages[i].name)] == '_')
      ret->stage = i;
  if (ret->stage < 0) return false;
  struct crv_mspan rest = crv_mspan_from(name, strlen(stages[ret->stage].name) + 1);
  ret->gpu = crv_mspan_starts(rest, "mem_gpu_");
  if (!ret->gpu && !crv_mspan_starts(rest, "mem_cpu_")) return false;
  rest = crv_mspan_from(rest, 8);
  ret->peaked = crv_mspan_is(rest, "peaked_delta");
  return ret->peaked || crv_mspan_is(rest, "alloc_delta");
}

/* The value after a metric's name: past quotes, blanks, "=", ":" and "|". */
static struct crv_mspan value_after(const struct crv_mtext *t, size_t at) {
  size_t most = at + 64 < t->len ? at + 64 : t->len;
  while (at < most && strchr("\"' \t=:|`", t->s[at])) at++;
  return (struct crv_mspan){t->s + at, t->len - at < 64 ? t->len - at : 64};
}

static void memory_metric(struct crv_mrun *run, const struct crv_mrule *rule,
                          const struct crv_mmatch *m) {
  struct crv_mspan rest = {run->text.s + m->at, run->text.len - m->at};
  struct crv_mspan name = name_at(rest);
  struct metric k;
  struct crv_mfigure fig;
  char label[65] = "";
  (void)rule;
  run->recognised--;
  if (!read_metric(name, &k)) return;
  struct crv_mspan value = value_after(&run->text, m->at + name.len);
  size_t took = crv_mfigure_read(value, &fig);
  if (took == 0) return;
  run->recognised++;
  run->skip = (size_t)(value.s - run->text.s) + took;
  memcpy(label, name.s, name.len);
  struct crv_measure_fact f =
      crv_mfact(run, k.gpu ? CRV_MEASURE_TORCH_ALLOCATED : CRV_MEASURE_HOST_USED,
                k.before ? CRV_MEASURE_INSTANT : CRV_MEASURE_DELTA,
                k.before   ? "before"
                : k.peaked ? "peaked_delta"
                           : "alloc_delta");
  f.stage = k.before ? "before init" : stages[k.stage].name;
  f.label = label;
  f.host = !k.gpu;
  if (k.gpu) f.device = (struct crv_opt_int){0, true};
  crv_mfact_figure(run, &f, &fig, CRV_MU_BYTES);
  crv_mfact_add(run, &f);
  crv_mnote(run, CRV_MN_DELTA);
  crv_mnote(run, CRV_MN_FIRST_DEVICE_ONLY);
}

static const struct crv_measure_fact *delta_of(const struct crv_mrun *run, const char *stage,
                                               const char *item) {
  const struct crv_measure_fact *last = NULL;
  for (size_t i = 0; i < crv_mfacts_n(run); i++) {
    const struct crv_measure_fact *f = crv_mfact_at(run, i);
    if (f->counter == CRV_MEASURE_TORCH_ALLOCATED && f->item && f->stage &&
        !strcmp(f->item, item) && !strcmp(f->stage, stage) && f->bytes.set)
      last = f;
  }
  return last;
}

/* What a stage needed: start + alloc_delta + peaked_delta. The start is what was there before the
   Trainer and what the stages before left; without that, a bound from below. */
static bool stage_peak(struct crv_mrun *run, int stage, int64_t *start, bool *whole) {
  char how[160];
  const struct crv_measure_fact *kept = delta_of(run, stages[stage].name, "alloc_delta");
  const struct crv_measure_fact *more = delta_of(run, stages[stage].name, "peaked_delta");
  int64_t need, after;
  if (!kept || !more || !crv_add(*start, kept->bytes.v, &after) ||
      !crv_add(after, more->bytes.v, &need))
    return false;
  struct crv_measure_fact f =
      crv_mfact(run, CRV_MEASURE_TORCH_ALLOCATED, *whole ? CRV_MEASURE_PEAK : CRV_MEASURE_DELTA,
                "needed by the stage");
  snprintf(how, sizeof how, "%s %s_mem_gpu_alloc_delta + %s_mem_gpu_peaked_delta",
           *whole ? "what stood before +" : "without what stood before it:", stages[stage].name,
           stages[stage].name);
  f.line = more->line;
  f.stage = stages[stage].name;
  f.device = (struct crv_opt_int){0, true};
  f.bytes = (struct crv_opt_int){need, true};
  f.means = "bytes";
  f.derived = how;
  if (stages[stage].phases[0] && !stages[stage].phases[1]) f.phase = stages[stage].phases[0];
  if (stage == 0) f.phase = "loading";
  crv_mfact_add(run, &f);
  *start = after;
  return true;
}

static void stage_peaks(struct crv_mrun *run) {
  const struct crv_measure_fact *before = delta_of(run, "before init", "before");
  int64_t start = before ? before->bytes.v : 0;
  bool whole = before != NULL, any = false;
  for (int i = 0; i < STAGES; i++) {
    if (!stage_peak(run, i, &start, &whole)) continue;
    any = true;
    if (i == 0) crv_mphase(run, "loading");
    for (int p = 0; p < 3 && stages[i].phases[p]; p++) crv_mphase(run, stages[i].phases[p]);
  }
  if (any) crv_mnote(run, CRV_MN_ONLY_ALLOCATED);
}

/* -- Unsloth
 * ------------------------------------------------------------------------------------------ */

static const struct crv_measure_fact *last_of(const struct crv_mrun *run,
                                              enum crv_measure_counter c, const char *item) {
  for (size_t i = crv_mfacts_n(run); i > 0; i--) {
    const struct crv_measure_fact *f = crv_mfact_at(run, i - 1);
    bool same = item ? f->item && !strcmp(f->item, item) : !f->item;
    if (f->counter == c && same && f->line > 0) return f;
  }
  return NULL;
}

static void derived_fact(struct crv_mrun *run, enum crv_measure_counter c, const char *item,
                         int64_t bytes, const char *how, const struct crv_measure_fact *from) {
  struct crv_measure_fact f = crv_mfact(run, c, CRV_MEASURE_STATED, item);
  f.line = from->line;
  f.bytes = (struct crv_opt_int){bytes, true};
  f.means = "GiB";
  f.derived = how;
  crv_mfact_add(run, &f);
}

/* The device's size from the percentage, and what stood before training. */
static void unsloth_derived(struct crv_mrun *run) {
  struct crv_measure_fact *peak = NULL, *share = NULL;
  const struct crv_measure_fact *percent = last_of(run, CRV_MEASURE_MEMORY_SHARE, "of peak");
  for (size_t i = 0; i < crv_mfacts_n(run); i++) {
    struct crv_measure_fact *f = crv_mfact_at(run, i);
    if (f->counter != CRV_MEASURE_TORCH_RESERVED || f->source != run->source || !f->bytes.set)
      continue;
    if (f->kind == CRV_MEASURE_PEAK && f->label && !strncmp(f->label, "Peak", 4)) peak = f;
    if (f->kind == CRV_MEASURE_DELTA) share = f;
  }
  if (!peak) return;
  peak->stage = "training, up to its end";
  if (share) share->stage = peak->stage;
  struct crv_measure_fact p = *peak, s = {.line = 0};
  if (share) s = *share;
  int64_t micro = percent ? percent->micro.v : 0, total;
  crv_mnote(run, CRV_MN_PHASE_LIMITED);
  crv_mphase(run, "loading");
  crv_mphase(run, "forward");
  crv_mphase(run, "backward");
  crv_mphase(run, "optimizer_step");
  if (micro > 0 && crv_muldiv(p.bytes.v, 100 * INT64_C(1000000), micro, false, &total))
    derived_fact(run, CRV_MEASURE_DEVICE_TOTAL, "as torch sees it", total,
                 "peak / percent, as exact as both are printed", &p);
  if (share)
    derived_fact(run, CRV_MEASURE_TORCH_RESERVED, "before training", p.bytes.v - s.bytes.v,
                 "peak - peak for training", &s);
}

/* "GPU = Tesla T4. Max memory = 14.748 GB.", "GPU: Tesla T4. Max memory: 14.748 GB." */
static void unsloth_device(struct crv_mrun *run, const struct crv_mrule *rule,
                           const struct crv_mmatch *m) {
  struct crv_mspan name = {run->text.s + m->at + 5, m->cap[0].at - m->at - 5};
  size_t end = crv_mspan_find(name, "Max memory");
  (void)rule;
  if (end != SIZE_MAX) name.len = end;
  name = crv_mtrim(name);
  if (name.len && name.s[name.len - 1] == '.') name.len--;
  size_t gpus = crv_mspan_find(name, ". Num GPUs");
  if (gpus != SIZE_MAX) name.len = gpus;
  crv_mdevice_name(run, crv_mdevice(run, 0), name);
  struct crv_measure_fact f =
      crv_mfact(run, CRV_MEASURE_DEVICE_TOTAL, CRV_MEASURE_STATED, "as torch sees it");
  f.device = (struct crv_opt_int){0, true};
  crv_mfact_figure(run, &f, &m->cap[0].f, CRV_MU_BINARY);
  crv_mfact_add(run, &f);
}

/* "train_runtime", "eval_runtime" and the speeds: a name, then a number. */
static void plain_metric(struct crv_mrun *run, const struct crv_mrule *rule,
                         const struct crv_mmatch *m) {
  struct crv_mspan rest = {run->text.s + m->at, run->text.len - m->at};
  struct crv_mspan name = name_at(rest), value = value_after(&run->text, m->at + name.len);
  struct crv_mfigure fig = {.unit = ""};
  char label[65] = "";
  run->recognised--;
  size_t took = crv_mnumber_read(value, &fig.n);
  if (took == 0 || (took < value.len && value.s[took] == ':')) return; /* "0:01:23.45" */
  run->recognised++;
  memcpy(label, name.s, name.len);
  struct crv_measure_fact f = crv_mfact(run, rule->want[0].counter, rule->want[0].kind, NULL);
  f.label = label;
  f.means = rule->want[0].item;
  crv_mfact_figure(run, &f, &fig, CRV_MU_BINARY);
  crv_mfact_add(run, &f);
}

/* A name that states GiB, then a number: axolotl, ms-swift. */
static void gib_metric(struct crv_mrun *run, const struct crv_mrule *rule,
                       const struct crv_mmatch *m) {
  struct crv_mspan value = value_after(&run->text, m->end);
  struct crv_mfigure fig;
  run->recognised--;
  if (crv_mfigure_read(value, &fig) == 0) return;
  run->recognised++;
  struct crv_measure_fact f = crv_mfact(run, rule->want[0].counter, rule->want[0].kind, NULL);
  f.label = rule->form;
  crv_mfact_figure(run, &f, &fig, CRV_MU_GIB);
  crv_mfact_add(run, &f);
}

static const struct crv_mrule rules[] = {
    {"before_init_mem_", {IGNORED}, memory_metric},
    {"init_mem_", {IGNORED}, memory_metric},
    {"train_mem_", {IGNORED}, memory_metric},
    {"eval_mem_", {IGNORED}, memory_metric},
    {"test_mem_", {IGNORED}, memory_metric},
    {"predict_mem_", {IGNORED}, memory_metric},
    {"train_runtime", {WANT(DURATION, STATED, "seconds")}, plain_metric},
    {"eval_runtime", {WANT(DURATION, STATED, "seconds")}, plain_metric},
    {"train_samples_per_second", {WANT(SPEED_TRAINING, STATED, "samples/s")}, plain_metric},
    {"train_tokens_per_second", {WANT(SPEED_TRAINING, STATED, "tokens/s")}, plain_metric},
    {"# seconds used for training", {WANT(DURATION, STATED, "training")}, NULL},
    {"Peak reserved memory for training % of max memory = # %",
     {WANT(MEMORY_SHARE, STATED, "of peak for training")},
     NULL},
    {"Peak reserved memory % of max memory = # %", {WANT(MEMORY_SHARE, STATED, "of peak")}, NULL},
    {"Peak reserved memory for training = $",
     {WANT(TORCH_RESERVED, DELTA, "training's share")},
     NULL},
    {"Peak reserved memory = $", {WANT(TORCH_RESERVED, PEAK, NULL)}, NULL},
    {"$ of memory reserved", {WANT(TORCH_RESERVED, INSTANT, "before training")}, NULL},
    {"GPU = ~Max memory = $", {IGNORED}, unsloth_device},
    {"GPU: ~Max memory: $", {IGNORED}, unsloth_device},
    {"memory/max_mem_active(gib)", {GIB(ACTIVE, PEAK)}, gib_metric},
    {"memory/max_mem_allocated(gib)", {GIB(ALLOCATED, PEAK)}, gib_metric},
    {"memory/device_mem_reserved(gib)", {GIB(RESERVED, INSTANT)}, gib_metric},
    {"memory/max_active (GiB)", {GIB(ACTIVE, PEAK)}, gib_metric},
    {"memory/max_allocated (GiB)", {GIB(ALLOCATED, PEAK)}, gib_metric},
    {"memory/device_reserved (GiB)", {GIB(RESERVED, INSTANT)}, gib_metric},
    {"memory(GiB)", {GIB(RESERVED, PEAK)}, gib_metric},
};

void crv_measure_trainer(struct crv_mrun *run) {
  crv_mrules_run(run, rules, sizeof rules / sizeof *rules);
  run->line = 0;
  stage_peaks(run);
  unsloth_derived(run);
}
