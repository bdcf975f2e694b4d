/* The cause, apart from the phase: rules in order, the first that holds. What the figures prove
   comes before what the sheet's budget says, that before what a phase usually means; a static
   shortage comes before any advice on microbatches. Thresholds stand at the top. Must not know:
   advice. */
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/diagnose_internal.h"

static const struct {
  const char *cause, *detail;
  enum crv_cause draft;
  const char *says;
} causes[CRV_DC_COUNT] = {
#define X(ID, cause, detail, draft, says) [CRV_DC_##ID] = {cause, detail, CRV_CAUSE_##draft, says},
#include "core/evidence/causes.def"
#undef X
};

bool crv_diag_cause_row(size_t i, const char **cause, const char **detail) {
  if (i >= CRV_DC_COUNT) return false;
  *cause = causes[i].cause;
  *detail = causes[i].detail;
  return true;
}

const char *crv_dx_cause_says(size_t i) {
  return i < CRV_DC_COUNT ? causes[i].says : NULL;
}

/* -- what is known -------------------------------------------------------------------------------
 */

static bool marked(const struct crv_dx *d, enum crv_dx_effect e) {
  return d->mark[e].set;
}

static bool has_request(const struct crv_dx *d) {
  return crv_dx_figure(d, CRV_DF_REQUESTED) != NULL;
}

static bool device_failed(const struct crv_dx *d) {
  return marked(d, CRV_DE_DEVICE) || (has_request(d) && !marked(d, CRV_DE_HOST));
}

static bool any_failure(const struct crv_dx *d) {
  return device_failed(d) || marked(d, CRV_DE_WEAK) || marked(d, CRV_DE_BUDGET) ||
         marked(d, CRV_DE_KILLED) || marked(d, CRV_DE_HOST) || marked(d, CRV_DE_ELSE);
}

static enum crv_dx_phase phase(const struct crv_dx *d) {
  return crv_dx_phase_of(d);
}

static bool subphase(const struct crv_dx *d, const char *s) {
  return crv_streq(d->ret->subphase, s);
}

static bool more(struct crv_opt_int a, struct crv_opt_int b) {
  return a.set && b.set && a.v > b.v;
}

static struct crv_opt_int device(const struct crv_dx *d) {
  return d->job.capacity;
}

/* Sizes read from a name are compared with a margin of 2 %. */
static bool beyond_device(const struct crv_dx *d, struct crv_opt_int v) {
  struct crv_opt_int c = device(d);
  return v.set && c.set && v.v - (d->job.nominal ? v.v / 50 : 0) > c.v;
}

static bool is_engine(const struct crv_dx *d, const char *a, const char *b) {
  return crv_streq(d->ret->engine, a) || crv_streq(d->ret->engine, b);
}

/* What is held outside counts as the cause from an eighth of the device on, 1.5 GiB at least; on
   small devices from a quarter. A driver's own context stays below. */
static int64_t outside_from(int64_t capacity) {
  int64_t least = CRV_GIB * 3 / 2 < capacity / 4 ? CRV_GIB * 3 / 2 : capacity / 4;
  return capacity / 8 > least ? capacity / 8 : least;
}

static bool is_outside(const struct crv_dx *d) {
  struct crv_opt_int total = crv_dx_bytes(d, CRV_DF_CAPACITY);
  struct crv_opt_int rest = crv_dx_derived(d, "not_in_this_process");
  if (!rest.set) rest = crv_dx_derived(d, "not_in_this_allocator");
  return total.set && rest.set && rest.v >= outside_from(total.v);
}

/* -- rules
 * -----------------------------------------------------------------------------------------
 */

static bool nothing(const struct crv_dx *d) {
  return !any_failure(d);
}

static bool something_else(const struct crv_dx *d) {
  return marked(d, CRV_DE_ELSE) && !device_failed(d) && !marked(d, CRV_DE_KILLED) &&
         !marked(d, CRV_DE_HOST) && !marked(d, CRV_DE_BUDGET);
}

static bool is_kernel(const struct crv_dx *d) {
  return something_else(d) && d->trait[CRV_DT_KERNEL_RESOURCES];
}
static bool is_disk(const struct crv_dx *d) {
  return something_else(d) && d->trait[CRV_DT_DISK_FULL];
}
static bool is_unsupported(const struct crv_dx *d) {
  return something_else(d) && d->trait[CRV_DT_UNSUPPORTED];
}
static bool is_index(const struct crv_dx *d) {
  return something_else(d) && d->trait[CRV_DT_INDEX_LIMIT];
}

static bool host(const struct crv_dx *d) {
  return (marked(d, CRV_DE_KILLED) || marked(d, CRV_DE_HOST)) && !device_failed(d) &&
         !marked(d, CRV_DE_BUDGET);
}
static bool is_shm(const struct crv_dx *d) {
  return host(d) && d->trait[CRV_DT_SHM];
}
static bool is_container(const struct crv_dx *d) {
  return host(d) && (d->trait[CRV_DT_MEMCG] || crv_dx_figure(d, CRV_DF_HOST_LIMIT));
}
static bool is_signal(const struct crv_dx *d) {
  return host(d) && !marked(d, CRV_DE_HOST) && !d->trait[CRV_DT_KERNEL_LINE] &&
         !crv_dx_figure(d, CRV_DF_HOST_ANON);
}
static bool is_refused_by_host(const struct crv_dx *d) {
  return host(d) && marked(d, CRV_DE_HOST) && !marked(d, CRV_DE_KILLED);
}

static bool is_invalid(const struct crv_dx *d) {
  const struct crv_dx_figure *f = crv_dx_figure(d, CRV_DF_REQUESTED);
  return d->trait[CRV_DT_INVALID_SIZE] || (f && f->unit && !f->bytes.set);
}

static bool is_buffer(const struct crv_dx *d) {
  return d->trait[CRV_DT_BUFFER_LIMIT] && has_request(d);
}
static bool is_sampler(const struct crv_dx *d) {
  return subphase(d, "sampler_warm_up_at_start");
}
static bool is_busy_at_start(const struct crv_dx *d) {
  return d->trait[CRV_DT_START_CHECK];
}
static bool is_kv_device(const struct crv_dx *d) {
  struct crv_opt_int one = crv_dx_derived(d, "minimum_fraction_for_one_request");
  if (!one.set) one = crv_dx_derived(d, "minimum_fraction_before_any_kv");
  return d->trait[CRV_DT_KV_MESSAGE] && one.set && one.v > CRV_MICRO;
}
static bool is_kv_length(const struct crv_dx *d) {
  bool tokens = d->fact[CRV_DN_CACHE_TOKENS].set && d->fact[CRV_DN_LENGTH_WANTED].set &&
                d->fact[CRV_DN_CACHE_TOKENS].v < d->fact[CRV_DN_LENGTH_WANTED].v;
  return d->trait[CRV_DT_KV_MESSAGE] && (tokens || crv_dx_figure(d, CRV_DF_KV_NEEDED));
}
static bool is_kv_fraction(const struct crv_dx *d) {
  return d->trait[CRV_DT_KV_MESSAGE];
}
static bool is_prefill(const struct crv_dx *d) {
  return d->trait[CRV_DT_PREFILL_MESSAGE];
}
static bool is_dispatch(const struct crv_dx *d) {
  return d->trait[CRV_DT_DISPATCHED] && !device_failed(d);
}

/* XLA states in advance what a program needs; JAX hands out three quarters of the device. */
static bool is_program(const struct crv_dx *d) {
  struct crv_opt_int need = crv_dx_derived(d, "minimum_device"), c = device(d);
  return need.set && (c.set ? need.v > c.v / 4 * 3 : need.v >= CRV_GIB);
}
static bool is_preallocated(const struct crv_dx *d) {
  return crv_dx_derived(d, "minimum_device").set;
}

static bool is_slots(const struct crv_dx *d) {
  struct crv_opt_int n = crv_dx_derived(d, "parallel_slots");
  return phase(d) == CRV_DP_GENERATION && device_failed(d) && n.set && n.v > 1 &&
         (crv_dx_derived(d, "kv_for_one_slot").set || d->fact[CRV_DN_KV_TOKENS].set);
}

/* The matrix that the request equals, in 32 bits, while weights are loaded. A shape that happens to
   fit, of a model that nothing names, decides nothing. */
static bool is_format(const struct crv_dx *d) {
  const struct crv_diag_tensor *t = d->ret->explained.at;
  bool wide = d->ret->explained.n && strstr(t->how, "x 4 bytes") && !strstr(t->how, "parameters") &&
              strcmp(t->basis, "shapes") != 0;
  return phase(d) == CRV_DP_LOADING && !subphase(d, "resume") && wide;
}
static bool is_wider(const struct crv_dx *d) {
  struct crv_opt_int a = crv_dx_bytes(d, CRV_DF_ALLOCATED), w = d->job.weights;
  return phase(d) == CRV_DP_LOADING && !subphase(d, "resume") && d->job.from_sheet && a.set &&
         w.set && a.v > w.v + w.v / 8 + CRV_GIB / 2;
}

static bool is_held_before(const struct crv_dx *d) {
  struct crv_opt_int a = crv_dx_bytes(d, CRV_DF_ALLOCATED), c = device(d);
  const struct crv_dx_number_fact *done = &d->fact[CRV_DN_SHARDS_LOADED];
  return phase(d) == CRV_DP_LOADING && done->set && done->v == 0 && a.set && c.set && a.v > c.v / 2;
}

static bool is_tensor(const struct crv_dx *d) {
  struct crv_opt_int want = crv_dx_bytes(d, CRV_DF_REQUESTED);
  struct crv_opt_int limit = crv_dx_bytes(d, CRV_DF_MAX_ALLOWED);
  return phase(d) != CRV_DP_LOADING && (more(want, device(d)) || more(want, limit));
}

static bool is_weights(const struct crv_dx *d) {
  enum crv_dx_phase p = phase(d);
  return p != CRV_DP_CHECKPOINT_EXPORT && beyond_device(d, d->job.weights);
}
static bool is_whole_model(const struct crv_dx *d) {
  return phase(d) == CRV_DP_LOADING && more(crv_dx_derived(d, "whole_model"), device(d));
}
static bool is_larger_buffer(const struct crv_dx *d) {
  return phase(d) == CRV_DP_LOADING && more(crv_dx_bytes(d, CRV_DF_REQUESTED), device(d));
}

static bool trains(const struct crv_dx *d) {
  enum crv_dx_phase p = phase(d);
  return p == CRV_DP_FORWARD || p == CRV_DP_BACKWARD || p == CRV_DP_OPTIMIZER_STEP ||
         p == CRV_DP_UNDETERMINED;
}
static bool is_master(const struct crv_dx *d) {
  const struct crv_diag_tensor *t = d->ret->explained.at;
  return phase(d) == CRV_DP_OPTIMIZER_STEP && d->ret->explained.n &&
         strstr(t->tensor, "all parameters in 32 bits");
}
static bool is_gradients(const struct crv_dx *d) {
  return trains(d) && d->job.full && beyond_device(d, crv_dx_derived(d, "weights_and_gradients"));
}
static bool is_states(const struct crv_dx *d) {
  return trains(d) && d->job.full && beyond_device(d, crv_dx_derived(d, "static_part"));
}

static bool is_buckets(const struct crv_dx *d) {
  return subphase(d, "wrapping_for_data_parallel");
}
static bool is_kv_floor(const struct crv_dx *d) {
  const struct crv_sheet *s = d->in->sheet;
  return s && s->task == CRV_TASK_INFERENCE && device_failed(d) &&
         beyond_device(d, crv_dx_derived(d, "floor"));
}

static bool is_trials(const struct crv_dx *d) {
  return d->trait[CRV_DT_TRIALS] || d->context_trait[CRV_DT_TRIALS];
}
/* Activations are gone at the optimizer's step: what is allocated beyond the static part is alive
   for another reason. */
static bool is_copies(const struct crv_dx *d) {
  struct crv_opt_int a = crv_dx_bytes(d, CRV_DF_ALLOCATED);
  struct crv_opt_int part = crv_dx_derived(d, "static_part");
  return phase(d) == CRV_DP_OPTIMIZER_STEP && d->job.full && a.set && part.set &&
         a.v / 3 > part.v / 2;
}

static bool is_processes(const struct crv_dx *d) {
  struct crv_opt_int others = crv_dx_derived(d, "other_processes");
  struct crv_opt_int total = crv_dx_bytes(d, CRV_DF_CAPACITY);
  return others.set && total.set && others.v >= outside_from(total.v);
}
static bool is_limit(const struct crv_dx *d) {
  struct crv_opt_int limit = crv_dx_bytes(d, CRV_DF_MAX_ALLOWED);
  struct crv_opt_int total = crv_dx_bytes(d, CRV_DF_CAPACITY);
  return limit.set && total.set && limit.v < total.v / 20 * 19;
}

/* Held and not used: more than the request and an eighth of the device. */
static bool unused(const struct crv_dx *d, int64_t idle) {
  struct crv_opt_int want = crv_dx_bytes(d, CRV_DF_REQUESTED), c = crv_dx_bytes(d, CRV_DF_CAPACITY);
  return want.set && c.set && idle >= want.v && idle >= c.v / 8;
}
static bool is_fragmented(const struct crv_dx *d) {
  struct crv_opt_int idle = crv_dx_bytes(d, CRV_DF_UNALLOCATED);
  return idle.set && unused(d, idle.v);
}
static bool is_fragmented_old(const struct crv_dx *d) {
  struct crv_opt_int r = crv_dx_bytes(d, CRV_DF_RESERVED), a = crv_dx_bytes(d, CRV_DF_ALLOCATED);
  return r.set && a.set && unused(d, r.v - a.v);
}

static bool is_refused(const struct crv_dx *d) {
  struct crv_opt_int want = crv_dx_bytes(d, CRV_DF_REQUESTED), left = crv_dx_bytes(d, CRV_DF_FREE);
  return want.set && left.set && left.v >= want.v && left.v > 0;
}

static bool is_merge(const struct crv_dx *d) {
  return subphase(d, "dequantise_and_merge");
}
static bool is_second_copy(const struct crv_dx *d) {
  return phase(d) == CRV_DP_CHECKPOINT_EXPORT && subphase(d, "merge_adapter");
}
static bool is_gather(const struct crv_dx *d) {
  return subphase(d, "full_state_gathered");
}
static bool is_export(const struct crv_dx *d) {
  return phase(d) == CRV_DP_CHECKPOINT_EXPORT;
}
static bool is_resume(const struct crv_dx *d) {
  return phase(d) == CRV_DP_LOADING && subphase(d, "resume");
}

/* Loading failed while this process held most of the device. */
static bool is_loading(const struct crv_dx *d) {
  struct crv_opt_int a = crv_dx_bytes(d, CRV_DF_ALLOCATED), c = device(d);
  if (phase(d) != CRV_DP_LOADING) return false;
  return subphase(d, "weights_buffer") || (a.set && c.set && a.v > c.v / 3 * 2);
}
static bool is_temporaries(const struct crv_dx *d) {
  return subphase(d, "step_temporaries") || subphase(d, "gradient_clipping");
}
static bool is_step_state(const struct crv_dx *d) {
  return phase(d) == CRV_DP_OPTIMIZER_STEP;
}
static bool is_logits(const struct crv_dx *d) {
  return phase(d) == CRV_DP_FORWARD && d->ret->subphase && strstr(d->ret->subphase, "logits");
}
static bool is_unified(const struct crv_dx *d) {
  return d->trait[CRV_DT_UNIFIED] && phase(d) != CRV_DP_EVALUATION;
}
static bool is_step(const struct crv_dx *d) {
  return phase(d) == CRV_DP_FORWARD || phase(d) == CRV_DP_BACKWARD;
}
static bool is_evaluation(const struct crv_dx *d) {
  return phase(d) == CRV_DP_EVALUATION;
}
static bool is_graphs(const struct crv_dx *d) {
  return subphase(d, "graph_capture_at_start");
}
static bool is_trial_run(const struct crv_dx *d) {
  return subphase(d, "profile_run_at_start");
}
static bool is_engine_full(const struct crv_dx *d) {
  return phase(d) == CRV_DP_GENERATION && is_engine(d, "vllm", "sglang");
}
static bool is_context(const struct crv_dx *d) {
  return phase(d) == CRV_DP_GENERATION && is_engine(d, "llama.cpp", "ollama");
}
static bool is_generation(const struct crv_dx *d) {
  return phase(d) == CRV_DP_GENERATION;
}
static bool is_own_memory(const struct crv_dx *d) {
  struct crv_opt_int a = crv_dx_bytes(d, CRV_DF_ALLOCATED), c = crv_dx_bytes(d, CRV_DF_CAPACITY);
  return a.set && c.set && a.v >= c.v / 5 * 4 && !is_outside(d);
}
static bool has_figures(const struct crv_dx *d) {
  return d->n_msg || d->n_log;
}
static bool always(const struct crv_dx *d) {
  (void)d;
  return true;
}
static bool is_crash(const struct crv_dx *d) {
  return something_else(d);
}

static const struct {
  bool (*holds)(const struct crv_dx *d);
  enum crv_dx_cause_id id;
  const char *basis;
} rules[] = {
    {nothing, CRV_DC_NOTHING, "none"},
    {is_kernel, CRV_DC_KERNEL, "wording"},
    {is_disk, CRV_DC_DISK, "wording"},
    {is_unsupported, CRV_DC_UNSUPPORTED, "wording"},
    {is_index, CRV_DC_INDEX, "wording"},
    {is_crash, CRV_DC_CRASH, "wording"},
    {is_shm, CRV_DC_SHARED_MEMORY, "wording"},
    {is_container, CRV_DC_CONTAINER, "wording"},
    {is_refused_by_host, CRV_DC_HOST_REFUSED, "wording"},
    {is_signal, CRV_DC_HOST_SIGNAL, "wording"},
    {host, CRV_DC_HOST_RAM, "wording"},
    {is_invalid, CRV_DC_INVALID, "figures"},
    {is_buffer, CRV_DC_BUFFER, "wording"},
    {is_sampler, CRV_DC_SAMPLER, "wording"},
    {is_busy_at_start, CRV_DC_BUSY_AT_START, "wording"},
    {is_kv_device, CRV_DC_KV_DEVICE, "figures"},
    {is_kv_length, CRV_DC_KV_LENGTH, "figures"},
    {is_kv_fraction, CRV_DC_KV_FRACTION, "wording"},
    {is_prefill, CRV_DC_PREFILL, "wording"},
    {is_dispatch, CRV_DC_DISPATCH, "wording"},
    {is_program, CRV_DC_PROGRAM, "figures"},
    {is_preallocated, CRV_DC_PREALLOCATED, "figures"},
    {is_slots, CRV_DC_KV_SLOTS, "figures"},
    {is_merge, CRV_DC_MERGE, "frames"},
    {is_second_copy, CRV_DC_SECOND_COPY, "frames"},
    {is_held_before, CRV_DC_HELD_BEFORE, "figures"},
    {is_format, CRV_DC_FORMAT, "figures"},
    {is_larger_buffer, CRV_DC_WEIGHTS, "figures"},
    {is_weights, CRV_DC_WEIGHTS, "sheet"},
    {is_whole_model, CRV_DC_WEIGHTS, "figures"},
    {is_kv_floor, CRV_DC_KV_FLOOR, "sheet"},
    {is_buckets, CRV_DC_BUCKETS, "frames"},
    {is_tensor, CRV_DC_TENSOR, "figures"},
    {is_wider, CRV_DC_FORMAT_WIDER, "sheet"},
    {is_trials, CRV_DC_COPIES, "wording"},
    {is_master, CRV_DC_MASTER, "sheet"},
    {is_gradients, CRV_DC_GRADIENTS, "sheet"},
    {is_states, CRV_DC_STATES, "sheet"},
    {is_copies, CRV_DC_COPIES, "sheet"},
    {is_processes, CRV_DC_PROCESSES, "figures"},
    {is_limit, CRV_DC_LIMIT, "figures"},
    {is_outside, CRV_DC_OUTSIDE, "figures"},
    {is_fragmented, CRV_DC_FRAGMENTED, "figures"},
    {is_fragmented_old, CRV_DC_FRAGMENTED_OLD, "figures"},
    {is_gather, CRV_DC_GATHER, "frames"},
    {is_export, CRV_DC_EXPORT, "phase"},
    {is_resume, CRV_DC_RESUME, "phase"},
    {is_graphs, CRV_DC_GRAPHS, "phase"},
    {is_refused, CRV_DC_REFUSED, "figures"},
    {is_loading, CRV_DC_WEIGHTS, "figures"},
    {is_temporaries, CRV_DC_STEP_TEMPORARIES, "phase"},
    {is_step_state, CRV_DC_STATES, "phase"},
    {is_logits, CRV_DC_LOGITS, "frames"},
    {is_evaluation, CRV_DC_EVALUATION_PEAK, "phase"},
    {is_unified, CRV_DC_UNIFIED_PEAK, "figures"},
    {is_step, CRV_DC_STEP_PEAK, "phase"},
    {is_trial_run, CRV_DC_TRIAL_RUN, "frames"},
    {is_engine_full, CRV_DC_FRACTION_HIGH, "phase"},
    {is_context, CRV_DC_KV_CONTEXT, "phase"},
    {is_generation, CRV_DC_GENERATION_PEAK, "phase"},
    {is_own_memory, CRV_DC_OWN_MEMORY, "figures"},
    {has_figures, CRV_DC_NOT_ENOUGH, "none"},
    {always, CRV_DC_NO_FIGURES, "none"},
};

bool crv_dx_cause(struct crv_dx *d) {
  size_t i = 0;
  while (!rules[i].holds(d)) i++;
  d->cause = rules[i].id;
  d->ret->cause = causes[d->cause].cause;
  d->ret->detail = causes[d->cause].detail;
  d->ret->cause_basis = rules[i].basis;
  bool named = crv_streq(rules[i].basis, "sheet") && !d->job.from_sheet;
  if (named) d->ret->cause_basis = "model_name";
  d->ret->cause_says = crv_dx_fill(d, causes[d->cause].says);
  if (!d->ret->cause_says && !d->failed) d->ret->cause_says = causes[d->cause].detail;
  return !d->failed;
}

/* -- what a report may say of it
 * -------------------------------------------------------------------
 */

static bool asks_for(const struct crv_dx *d, const char *name) {
  const struct crv_sheet *s = d->in->sheet;
  for (size_t i = 0; s && i < s->phases.n; i++)
    if (!strcmp(*crv_list_at(s->phases, const char *, i), name)) return true;
  return false;
}

/* Do the figures rule out that something else filled the device? */
static bool fills_device(const struct crv_dx *d) {
  struct crv_opt_int c = crv_dx_bytes(d, CRV_DF_CAPACITY), a = crv_dx_bytes(d, CRV_DF_ALLOCATED);
  struct crv_opt_int own = crv_dx_bytes(d, CRV_DF_PROCESS);
  if (d->cause == CRV_DC_TENSOR || d->cause == CRV_DC_BUFFER || d->cause == CRV_DC_PROGRAM ||
      d->cause == CRV_DC_KV_DEVICE || d->cause == CRV_DC_KV_FLOOR)
    return true;
  if (beyond_device(d, d->job.weights) || beyond_device(d, crv_dx_derived(d, "static_part")))
    return d->job.from_sheet || d->job.capacity_of_text;
  if (d->trait[CRV_DT_UNIFIED]) return a.set;
  return c.set && !is_outside(d) && (own.set || crv_dx_derived(d, "not_in_this_allocator").set);
}

static bool slots_demanded(const struct crv_dx *d) {
  struct crv_opt_int n = crv_dx_derived(d, "parallel_slots");
  const struct crv_dx_job *j = &d->job;
  const struct crv_dx_number_fact *one = &d->fact[CRV_DN_CONTEXT_PER_SEQUENCE];
  return n.set && j->concurrency.set && j->concurrency.v >= n.v && one->set && j->length.set &&
         j->length.v >= one->v;
}

enum crv_cause crv_dx_draft_cause(const struct crv_dx *d) {
  enum crv_cause cause = causes[d->cause].draft;
  enum crv_dx_phase p = phase(d);
  if (d->cause == CRV_DC_KV_SLOTS)
    return slots_demanded(d) ? CRV_CAUSE_OUT_OF_MEMORY : CRV_CAUSE_SETTING;
  if (cause != CRV_CAUSE_OUT_OF_MEMORY) return cause;
  if (p == CRV_DP_CHECKPOINT_EXPORT && !asks_for(d, "checkpoint_export")) return CRV_CAUSE_SETTING;
  if (p == CRV_DP_EVALUATION && !asks_for(d, "evaluation")) return CRV_CAUSE_SETTING;
  return fills_device(d) ? cause : CRV_CAUSE_UNDETERMINED;
}
