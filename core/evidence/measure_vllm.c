/* vLLM's start-up log, V0 and V1: the budget that the engine makes of the device, the pool that it
   fills by policy, and what it says of itself. Everything is engine.declared: the profile run is
   the engine's own arithmetic over torch's counters, no reading of the device. vllm-project/vllm,
   vllm/worker/worker.py (V0: total x fraction - weights - non-torch - activations = KV, and it may
   be negative), vllm/v1/worker/gpu_worker.py and vllm/v1/core/kv_cache_utils.py (V1). Bytes are
   divided by 2^30 throughout; older releases call that GB. Must not know: other engines. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/evidence/measure_internal.h"

#define WANT(c, k, i) \
  { .counter = CRV_MEASURE_##c, .kind = CRV_MEASURE_##k, .item = i }
#define SAID(i) WANT(ENGINE_DECLARED, STATED, i)
#define LOADED(i) \
  { \
    .counter = CRV_MEASURE_ENGINE_DECLARED, .kind = CRV_MEASURE_STATED, .item = i, \
    .phase = "loading" \
  }
#define FORESEEN(i) WANT(ENGINE_DECLARED, FORECAST, i)
#define POOL(i) WANT(ENGINE_POOL, STATED, i)
#define TOTAL WANT(DEVICE_TOTAL, STATED, "as the engine prints it")
#define COUNTED(c, i) WANT(c, STATED, i)
#define SEEN(c) WANT(c, INSTANT, NULL)
#define FRACTION \
  { .as = CRV_MA_SETTING, .item = "gpu_memory_utilization" }
#define VERSION \
  { .as = CRV_MA_ENGINE, .item = "vllm" }
#define IGNORED \
  { .counter = CRV_MEASURE_NONE }

/* "# GPU blocks: 1381, # CPU blocks: 2048": a word before says whose. */
static void blocks(struct crv_mrun *run, const struct crv_mrule *rule, const struct crv_mmatch *m) {
  struct crv_mspan whose = {"CPU", 3};
  struct crv_measure_fact f = crv_mfact(run, CRV_MEASURE_POOL_BLOCKS, CRV_MEASURE_STATED, NULL);
  (void)rule;
  if (m->n > 1) whose = (struct crv_mspan){run->text.s + m->cap[0].at, m->cap[0].len};
  f.host = crv_mspan_is(whose, "CPU");
  f.item = f.host ? "host" : "device";
  crv_mfact_figure(run, &f, &m->cap[m->n - 1].f, CRV_MU_BINARY);
  crv_mfact_add(run, &f);
}

/* "(78.5/79.1 GiB)": the first number has the second one's unit. */
static void free_on_device(struct crv_mrun *run, const struct crv_mrule *rule,
                           const struct crv_mmatch *m) {
  struct crv_mfigure fig = m->cap[0].f;
  (void)rule;
  memcpy(fig.unit, m->cap[1].f.unit, sizeof fig.unit);
  for (int i = 0; i < 2; i++) {
    struct crv_measure_fact f = crv_mfact(
        run, i ? CRV_MEASURE_DEVICE_TOTAL : CRV_MEASURE_DEVICE_FREE,
        i ? CRV_MEASURE_STATED : CRV_MEASURE_INSTANT, i ? "as the engine prints it" : "at start");
    crv_mfact_figure(run, &f, i ? &m->cap[1].f : &fig, CRV_MU_BINARY);
    if (i == 0 && f.bytes.set) crv_msmallest(&run->ret->free_at_start_bytes, f.bytes.v);
    crv_mfact_add(run, &f);
  }
}

/* "10.47 GiB for consumed memory (weights + non-torch), 0.79 GiB for peak activation, ..." */
static void usage_for(struct crv_mrun *run, const struct crv_mrule *rule,
                      const struct crv_mmatch *m) {
  static const struct {
    const char *word, *item;
  } items[] = {
      {"weight", "weights"},      {"consumed", "weights and non_torch"}, {"peak", "activations"},
      {"non-torch", "non_torch"}, {"CUDAGraph", "cuda_graphs"},
  };
  char text[16];
  size_t n = 0;
  for (size_t i = m->cap[1].at; i < run->text.len && n < sizeof text - 1; i++)
    if (run->text.s[i] != '\n') text[n++] = run->text.s[i]; /* it may be broken over lines */
  struct crv_mspan word = {text, n};
  (void)rule;
  run->recognised--;
  for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
    if (!crv_mspan_starts(word, items[i].word) || !m->cap[0].f.unit[0]) continue;
    struct crv_measure_fact f =
        crv_mfact(run, CRV_MEASURE_ENGINE_DECLARED, CRV_MEASURE_STATED, items[i].item);
    f.label = "Actual usage";
    crv_mfact_figure(run, &f, &m->cap[0].f, CRV_MU_BINARY);
    crv_mfact_add(run, &f);
    run->recognised++;
    return;
  }
}

static const struct crv_mrule rules[] = {
    {"Loading model weights took $", {LOADED("weights")}, NULL},
    {"Model loading took $", {LOADED("weights")}, NULL},
    {"total_gpu_memory ($) x gpu_memory_utilization (#) = $",
     {TOTAL, FRACTION, SAID("allowed")},
     NULL},
    {"model weights take $", {SAID("weights")}, NULL},
    {"non_torch_memory takes $", {SAID("non_torch")}, NULL},
    {"PyTorch activation peak memory takes $", {SAID("activations")}, NULL},
    {"the rest of the memory reserved for KV Cache is $", {POOL("kv_cache")}, NULL},
    /* 0.6: one line of name=value */
    {"total_gpu_memory=$", {TOTAL}, NULL},
    {"initial_memory_usage=$", {SAID("initial")}, NULL},
    {"peak_torch_memory=$", {SAID("torch_peak")}, NULL},
    {"memory_usage_post_profile=$", {SAID("after_profile")}, NULL},
    {"non_torch_memory=$", {SAID("non_torch")}, NULL},
    {"kv_cache_size=$", {POOL("kv_cache")}, NULL},
    {"\\# GPU blocks: #", {COUNTED(POOL_BLOCKS, "device")}, NULL},
    {"\\# cuda blocks: #", {COUNTED(POOL_BLOCKS, "device")}, NULL},
    {"\\# CPU blocks: #", {IGNORED}, blocks},
    {"\\# & blocks: #", {IGNORED}, blocks},
    {"Maximum concurrency for # tokens per request: #x",
     {COUNTED(CONTEXT_TOKENS, NULL), COUNTED(CONCURRENCY, NULL)},
     NULL},
    {"GPU KV cache size: # tokens", {COUNTED(POOL_TOKENS, NULL)}, NULL},
    {"Available KV cache memory: $", {POOL("kv_cache")}, NULL},
    {"Current kv cache memory in use is $", {POOL("kv_cache in use")}, NULL},
    {"reserved $ memory for KV Cache", {POOL("kv_cache")}, NULL},
    {"Free memory on device (#/$) on startup", {IGNORED}, free_on_device},
    {"Free memory on device~(#/$) on startup", {IGNORED}, free_on_device},
    {"Desired GPU memory utilization is (#, $)", {FRACTION, SAID("allowed")}, NULL},
    {"$ for &", {IGNORED}, usage_for},
    {"Graph capturing finished in # secs, took $", {IGNORED, SAID("cuda_graphs")}, NULL},
    {"CUDA graph pool memory: $ (actual), $ (estimated)",
     {SAID("cuda_graphs"), FORESEEN("cuda_graphs")},
     NULL},
    {"Total non KV cache memory: $", {SAID("all but kv_cache")}, NULL},
    {"torch peak memory increase: $", {SAID("activations")}, NULL},
    {"non-torch forward increase memory: $", {SAID("non_torch")}, NULL},
    {"weights memory: $", {SAID("weights")}, NULL},
    {"Sleep mode freed $ memory, $ memory is still in use",
     {SAID("freed by sleep"), SAID("asleep")},
     NULL},
    /* what it says when the pool is too small */
    {"number of tokens that can be stored in KV cache (#)", {COUNTED(POOL_TOKENS, NULL)}, NULL},
    {"max seq len (#)", {COUNTED(CONTEXT_TOKENS, NULL)}, NULL},
    {"$ KV cache is needed", {FORESEEN("kv_cache needed for one request")}, NULL},
    {"available KV cache memory ($)", {POOL("kv_cache")}, NULL},
    {"estimated maximum model length is #",
     {COUNTED(CONTEXT_TOKENS, "largest that would fit")},
     NULL},
    /* while it serves */
    {"Avg prompt throughput: # tokens/s", {SEEN(SPEED_PROMPT)}, NULL},
    {"Avg generation throughput: # tokens/s", {SEEN(SPEED_GENERATION)}, NULL},
    {"Running: # reqs", {SEEN(RUNNING)}, NULL},
    {"GPU KV cache usage: #%", {SEEN(POOL_USED)}, NULL},
    /* itself */
    {"LLM engine (v&) with config", {VERSION}, NULL},
    {"vLLM API server version &", {VERSION}, NULL},
};

static const char *const settings[] = {
    "gpu_memory_utilization",
    "max_model_len",
    "max_seq_len",
    "max_num_seqs",
    "max_num_batched_tokens",
    "tensor_parallel_size",
    "pipeline_parallel_size",
    "data_parallel_size",
    "kv_cache_dtype",
    "quantization",
    "dtype",
    "enforce_eager",
    "block_size",
    "cpu_offload_gb",
    "swap_space",
    "enable_prefix_caching",
    "enable_chunked_prefill",
    "num_gpu_blocks_override",
    "kv_cache_memory_bytes",
};

/* -- what the figures say together ----------------------------------------------------------------
 */

/* The smallest (over ranks) of one figure that is not negative when several differ; its fact. */
static const struct crv_measure_fact *pick(struct crv_mrun *run, enum crv_measure_counter c,
                                           const char *item, bool *differ) {
  const struct crv_measure_fact *best = NULL;
  for (size_t i = 0; i < crv_mfacts_n(run); i++) {
    const struct crv_measure_fact *f = crv_mfact_at(run, i);
    if (f->counter != c || f->host || (item && (!f->item || strcmp(f->item, item) != 0))) continue;
    if (f->source != run->source || f->kind == CRV_MEASURE_FORECAST) continue;
    int64_t v = f->bytes.set ? f->bytes.v : f->micro.v;
    if (!f->bytes.set && !f->micro.set) continue;
    int64_t b = best ? (best->bytes.set ? best->bytes.v : best->micro.v) : v;
    if (best && v != b) *differ = true;
    if (!best || v < b) best = f;
  }
  return best;
}

/* Does blocks x size / context, rounded to two places as printed, give the concurrency? */
static bool agrees(int64_t tokens, int64_t context, int64_t concurrency_micro) {
  int64_t hundredths;
  return context > 0 && crv_muldiv_half(tokens, 100, context, &hundredths) &&
         hundredths * (CRV_MICRO / 100) == concurrency_micro;
}

static struct crv_opt_int stated_block_size(const struct crv_mrun *run) {
  struct crv_opt_int none = {0, false};
  return crv_msetting_int(run, "block_size", &none.v) ? (struct crv_opt_int){none.v, true} : none;
}

static void add_tokens(struct crv_mrun *run, const struct crv_measure_fact *blocks_fact,
                       int64_t size, int64_t tokens, bool stated) {
  char how[160];
  struct crv_measure_fact f = crv_mfact(run, CRV_MEASURE_POOL_TOKENS, CRV_MEASURE_STATED, NULL);
  snprintf(how, sizeof how, "blocks x %" PRId64 ", %s", size,
           stated ? "the block size that the text states"
                  : "the block size with which blocks and context give the concurrency printed");
  f.line = blocks_fact->line;
  f.derived = how;
  if (!crv_mul(tokens, CRV_MICRO, &f.micro.v)) return;
  f.micro.set = true;
  crv_mfact_add(run, &f);
}

/* Tokens of the pool from its blocks: by the stated block size, or by the one of those that vLLM
   takes with which the text's concurrency comes out. */
static void tokens_of_blocks(struct crv_mrun *run) {
  static const int64_t sizes[] = {16, 32, 64, 128, 8, 1, 256};
  bool differ = false;
  const struct crv_measure_fact *b = pick(run, CRV_MEASURE_POOL_BLOCKS, "device", &differ);
  const struct crv_measure_fact *n = pick(run, CRV_MEASURE_CONTEXT_TOKENS, NULL, &differ);
  const struct crv_measure_fact *c = pick(run, CRV_MEASURE_CONCURRENCY, NULL, &differ);
  struct crv_opt_int size = stated_block_size(run);
  int64_t tokens;
  if (!b || pick(run, CRV_MEASURE_POOL_TOKENS, NULL, &differ)) return;
  if (size.set && size.v > 0 && crv_mul(b->micro.v / CRV_MICRO, size.v, &tokens)) {
    add_tokens(run, b, size.v, tokens, true);
    return;
  }
  for (size_t i = 0; n && c && b->micro.v > 0 && i < sizeof sizes / sizeof *sizes; i++)
    if (crv_mul(b->micro.v / CRV_MICRO, sizes[i], &tokens) &&
        agrees(tokens, n->micro.v / CRV_MICRO, c->micro.v)) {
      add_tokens(run, b, sizes[i], tokens, false);
      return;
    }
  if (b->micro.v > 0) crv_mnote(run, CRV_MN_BLOCK_SIZE);
}

static void check_concurrency(struct crv_mrun *run) {
  bool differ = false;
  const struct crv_measure_fact *t = pick(run, CRV_MEASURE_POOL_TOKENS, NULL, &differ);
  const struct crv_measure_fact *n = pick(run, CRV_MEASURE_CONTEXT_TOKENS, NULL, &differ);
  const struct crv_measure_fact *c = pick(run, CRV_MEASURE_CONCURRENCY, NULL, &differ);
  char shown[32];
  if (!t || !n || !c || differ) return;
  int64_t tokens = t->micro.v / CRV_MICRO, context = n->micro.v / CRV_MICRO, low, high;
  crv_decimal_text(c->micro.v, shown, sizeof shown);
  /* V1 states tokens in whole blocks: half a hundredth to either side. */
  bool near = crv_muldiv(c->micro.v - 5000, context, CRV_MICRO, false, &low) &&
              crv_muldiv(c->micro.v + 5000, context, CRV_MICRO, true, &high) && tokens >= low &&
              tokens <= high;
  run->line = t->line;
  crv_mnote_say(run, near ? CRV_MN_POOL_CHECK : CRV_MN_POOL_MISMATCH,
                near ? "%" PRId64 " tokens over %" PRId64 " of context are the %s printed."
                     : "%" PRId64 " tokens over %" PRId64
                       " of context are not the %s printed: attention is not uniform, or the "
                       "lines are of different starts.",
                tokens, context, shown);
}

/* V0: allowed - weights - non-torch - activations = KV, to the rounding of five figures. */
static void check_budget(struct crv_mrun *run) {
  bool differ = false;
  const struct crv_measure_fact *part[] = {
      pick(run, CRV_MEASURE_ENGINE_DECLARED, "allowed", &differ),
      pick(run, CRV_MEASURE_ENGINE_DECLARED, "non_torch", &differ),
      pick(run, CRV_MEASURE_ENGINE_DECLARED, "activations", &differ),
      pick(run, CRV_MEASURE_ENGINE_POOL, "kv_cache", &differ),
  };
  const struct crv_measure_fact *weights = NULL;
  for (size_t i = 0; i < crv_mfacts_n(run); i++) {
    const struct crv_measure_fact *f = crv_mfact_at(run, i);
    if (f->item && !strcmp(f->item, "weights") && f->label &&
        !strcmp(f->label, "model weights take"))
      weights = f;
  }
  if (!part[0] || !part[1] || !part[2] || !part[3] || !weights || differ) return;
  int64_t left = part[0]->bytes.v - weights->bytes.v - part[1]->bytes.v - part[2]->bytes.v;
  int64_t off = left - part[3]->bytes.v, most = 3 * part[3]->step_bytes.v;
  run->line = part[3]->line;
  if (off > most || off < -most) crv_mnote(run, CRV_MN_BUDGET_MISMATCH);
}

/* The pool of one device: the smallest bytes and tokens of the ranks, when there is any. */
static void fill_pool(struct crv_mrun *run) {
  bool differ = false;
  const struct crv_measure_fact *bytes =
      pick(run, CRV_MEASURE_ENGINE_POOL, "kv_cache in use", &differ);
  if (!bytes) bytes = pick(run, CRV_MEASURE_ENGINE_POOL, "kv_cache", &differ);
  const struct crv_measure_fact *tokens = pick(run, CRV_MEASURE_POOL_TOKENS, NULL, &differ);
  if (differ) crv_mnote(run, CRV_MN_RANKS_DIFFER);
  if (bytes && bytes->bytes.v > 0) run->ret->pool.bytes = bytes->bytes;
  if (tokens && tokens->micro.v >= CRV_MICRO)
    run->ret->pool.tokens = (struct crv_opt_int){tokens->micro.v / CRV_MICRO, true};
  if (bytes && bytes->bytes.v <= 0) {
    run->line = bytes->line;
    crv_mnote(run, CRV_MN_POOL_EMPTY);
  }
}

/* Did it generate while the log was written? */
static bool shows_serving(const struct crv_mrun *run) {
  for (size_t i = 0; i < crv_mfacts_n(run); i++) {
    const struct crv_measure_fact *f = crv_mfact_at(run, i);
    if (f->counter == CRV_MEASURE_SPEED_GENERATION && f->micro.set && f->micro.v > 0) return true;
  }
  return false;
}

void crv_measure_vllm(struct crv_mrun *run) {
  size_t before = crv_mfacts_n(run);
  struct crv_mnumber offload;
  struct crv_mspan value;
  crv_mrules_run(run, rules, sizeof rules / sizeof *rules);
  crv_msettings_find(run, settings, sizeof settings / sizeof *settings);
  if (crv_mfacts_n(run) == before) return;
  tokens_of_blocks(run);
  check_concurrency(run);
  check_budget(run);
  fill_pool(run);
  run->line = 0;
  crv_mnote(run, CRV_MN_DECLARED);
  if (!run->ret->engine) crv_mengine(run, "vllm", (struct crv_mspan){"", 0});
  crv_mphase(run, "loading");
  if (shows_serving(run)) crv_mphase(run, "generation");
  value = crv_msetting_of(run, "cpu_offload_gb");
  if (value.len && crv_mnumber_read(value, &offload) && offload.mantissa > 0) {
    run->ret->spilled = CRV_TRUE;
    crv_mnote(run, CRV_MN_SPILLED);
  }
}
