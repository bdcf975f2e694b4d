/* DeepSpeed's memory lines: see_memory_usage (MA, Max_MA, CA, Max_CA and the host), the throughput
   timer, and the estimates of model states. deepspeedai/DeepSpeed, deepspeed/runtime/utils.py,
   deepspeed/utils/timer.py, deepspeed/runtime/zero/stage3.py: everything is divided by 2^30 and
   called GB. MA is torch.allocated, CA torch.reserved ("cached"). The peaks are reset at every such
   line. Max_CA is rounded to a whole number and may fall below CA. Only rank 0 prints.
   Must not know: other trainers. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/evidence/measure_internal.h"

#define WANT(c, k, i) \
  { .counter = CRV_MEASURE_##c, .kind = CRV_MEASURE_##k, .item = i }
#define IGNORED \
  { .counter = CRV_MEASURE_NONE }

/* What was read of one see_memory_usage: its figures come in one line, its moment before them. */
static struct crv_opt_int found(const struct crv_mrun *run, enum crv_measure_counter c,
                                enum crv_measure_kind k) {
  struct crv_opt_int none = {0, false};
  for (size_t i = crv_mfacts_n(run); i > 0; i--) {
    const struct crv_measure_fact *f = crv_mfact_at(run, i - 1);
    if (f->line + 2 < run->line) break; /* a broken line is still one message */
    if (f->counter == c && f->kind == k) return f->bytes;
  }
  return none;
}

/* The message of a log line: what follows its last "] " or, in a rank's line, "mp: ". */
static struct crv_mspan message_of(struct crv_mspan line) {
  size_t at;
  while ((at = crv_mspan_find(line, "] ")) != SIZE_MAX) line = crv_mspan_from(line, at + 2);
  if (crv_mspan_starts(line, "mp: ")) line = crv_mspan_from(line, 4);
  return crv_mtrim(line);
}

/* The moment: the line before, unless that holds figures itself. */
static void take_stage(struct crv_mrun *run, size_t at, char *out, size_t room) {
  struct crv_mspan before = message_of(crv_mline_before(&run->text, at));
  size_t n = before.len < room - 1 ? before.len : room - 1;
  out[0] = '\0';
  if (crv_mspan_find(before, "MA ") != SIZE_MAX ||
      crv_mspan_find(before, "CPU Virtual") != SIZE_MAX)
    return;
  memcpy(out, before.s, n);
  out[n] = '\0';
  if (n) crv_mnote(run, CRV_MN_LABEL_BEFORE);
}

/* The phase that a peak belongs to: the peaks are reset at every such line, so that "after" one its
   peak is that phase's. NULL: the words do not say. */
static const char *phase_of(const char *stage) {
  static const struct {
    const char *word, *phase;
  } words[] = {
      {"optimizer step", "optimizer_step"},
      {"optimizer.step", "optimizer_step"},
      {"forward", "forward"},
      {"fwd", "forward"},
      {"backward", "backward"},
      {"bwd", "backward"},
      {"initializ", "loading"},
      {"loading", "loading"},
      {"creating", "loading"},
      {"partition", "loading"},
  };
  struct crv_mspan s = {stage, strlen(stage)};
  if (crv_mspan_find_nocase(s, "after") != 0) return NULL;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (crv_mspan_find_nocase(s, words[i].word) != SIZE_MAX) return words[i].phase;
  return NULL;
}

/* MA, Max_MA, CA, Max_CA: the rule's want says which. */
static void usage(struct crv_mrun *run, const struct crv_mrule *rule, const struct crv_mmatch *m) {
  char stage[160];
  const struct crv_mwant *want = &rule->want[0];
  take_stage(run, m->at, stage, sizeof stage);
  struct crv_measure_fact f = crv_mfact(run, want->counter, want->kind, NULL);
  f.stage = stage[0] ? stage : NULL;
  if (want->kind == CRV_MEASURE_PEAK) f.phase = phase_of(stage);
  if (f.phase) crv_mphase(run, f.phase);
  f.label = want->item;
  if (!f.rank.set) f.rank = (struct crv_opt_int){0, true};
  crv_mfact_figure(run, &f, &m->cap[0].f, CRV_MU_BINARY);
  struct crv_opt_int now = found(run, want->counter, CRV_MEASURE_INSTANT);
  if (want->kind == CRV_MEASURE_PEAK && now.set && f.bytes.set && now.v > f.bytes.v) {
    f.bytes = now;
    f.derived = "rounded below the current value: that one is kept";
    crv_mnote(run, CRV_MN_ROUNDED_PEAK);
  }
  if (want->counter == CRV_MEASURE_TORCH_RESERVED && want->kind == CRV_MEASURE_INSTANT) {
    struct crv_opt_int used = found(run, CRV_MEASURE_TORCH_ALLOCATED, CRV_MEASURE_INSTANT);
    char text[32];
    if (used.set && f.bytes.set && f.bytes.v - used.v >= CRV_GIB)
      crv_mnote_say(run, CRV_MN_RESERVED_UNUSED, "%s is cached and not allocated%s%.80s.",
                    crv_bytes_gib(f.bytes.v - used.v, text, sizeof text), stage[0] ? " at: " : "",
                    stage);
  }
  crv_mfact_add(run, &f);
  crv_mnote(run, CRV_MN_FIRST_DEVICE_ONLY);
}

/* "used = 200.68 GB, percent = 79.8%": the total follows, to the rounding of the percentage. */
static void host(struct crv_mrun *run, const struct crv_mrule *rule, const struct crv_mmatch *m) {
  struct crv_measure_fact f = crv_mfact(run, CRV_MEASURE_HOST_USED, CRV_MEASURE_INSTANT, NULL);
  struct crv_measure_fact share = crv_mfact(run, CRV_MEASURE_HOST_SHARE, CRV_MEASURE_INSTANT, NULL);
  struct crv_measure_fact total = crv_mfact(run, CRV_MEASURE_HOST_TOTAL, CRV_MEASURE_STATED, NULL);
  (void)rule;
  crv_mfact_figure(run, &f, &m->cap[0].f, CRV_MU_BINARY);
  crv_mfact_figure(run, &share, &m->cap[1].f, CRV_MU_BINARY);
  share.means = "percent";
  crv_mfact_add(run, &f);
  crv_mfact_add(run, &share);
  if (!f.bytes.set || !share.micro.set || share.micro.v <= 0) return;
  total.bytes.set =
      crv_muldiv(f.bytes.v, 100 * INT64_C(1000000), share.micro.v, false, &total.bytes.v);
  total.means = "GiB";
  total.derived = "used / percent, as exact as the percentage is printed";
  crv_mfact_add(run, &total);
  if (share.micro.v >= 75 * CRV_MICRO)
    crv_mnote_say(run, CRV_MN_HOST_HIGH, "%s %% of the host's memory is in use.",
                  m->cap[1].f.n.text);
}

/* "  70.00GB |   0.25GB | offload_param=cpu , ..." */
static void estimate(struct crv_mrun *run, const struct crv_mrule *rule,
                     const struct crv_mmatch *m) {
  struct crv_mspan line = crv_mline_at(&run->text, m->at);
  struct crv_mspan options = crv_mspan_from(line, (size_t)(run->text.s + m->cap[1].at - line.s));
  size_t bar = crv_mspan_find(options, "|");
  char stage[160] = "";
  (void)rule;
  options = crv_mtrim(crv_mspan_from(options, bar == SIZE_MAX ? options.len : bar + 1));
  memcpy(stage, options.s, options.len < sizeof stage - 1 ? options.len : sizeof stage - 1);
  for (int i = 0; i < 2; i++) {
    struct crv_measure_fact f = crv_mfact(
        run, i ? CRV_MEASURE_TORCH_ALLOCATED : CRV_MEASURE_HOST_USED, CRV_MEASURE_FORECAST,
        i ? "parameters, gradients and optimizer, per device"
          : "parameters and optimizer, per host");
    f.stage = stage;
    f.host = i == 0;
    crv_mfact_figure(run, &f, &m->cap[i].f, CRV_MU_BINARY);
    crv_mfact_add(run, &f);
  }
  crv_mnote(run, CRV_MN_FORECAST);
}

static const struct crv_mrule rules[] = {
    {"MA $", {WANT(TORCH_ALLOCATED, INSTANT, "MA")}, usage},
    {"Max_MA $", {WANT(TORCH_ALLOCATED, PEAK, "Max_MA")}, usage},
    {"CA $", {WANT(TORCH_RESERVED, INSTANT, "CA")}, usage},
    {"Max_CA $", {WANT(TORCH_RESERVED, PEAK, "Max_CA")}, usage},
    {"NV $ |", {WANT(DEVICE_USED, INSTANT, "NV")}, usage},
    {"CPU Virtual Memory: used = $, percent = #%", {IGNORED}, host},
    {"MaxMemAllocated=$", {WANT(TORCH_ALLOCATED, PEAK, NULL)}, NULL},
    {"MemAllocated=$", {WANT(TORCH_ALLOCATED, INSTANT, NULL)}, NULL},
    {"CurrSamplesPerSec=#", {WANT(SPEED_TRAINING, INSTANT, "samples/s")}, NULL},
    {"$ | $ | offload_", {IGNORED}, estimate},
};

void crv_measure_deepspeed(struct crv_mrun *run) {
  size_t before = run->recognised;
  crv_mrules_run(run, rules, sizeof rules / sizeof *rules);
  if (run->recognised > before && !run->ret->engine)
    crv_mengine(run, "deepspeed", (struct crv_mspan){"", 0});
}
