/* llama.cpp's load log (also as ollama and its forks carry it): buffers by backend, the KV cache's
   cells, what was left to the host, the memory breakdown at exit, what the fitting forecasts, and
   speeds. ggml-org/llama.cpp, src/llama-model.cpp, src/llama-kv-cache.cpp, src/llama-context.cpp,
   common/fit.cpp: bytes / 1024 / 1024. recommendedMaxWorkingSetSize alone is decimal
   (ggml/src/ggml-metal: / 1e6). Buffers are what the engine allocates, no reading of the device:
   the driver's context and libraries are not in them; CUDA_Host and CPU are host memory.
   Must not know: other engines. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/evidence/measure_llama.h"

#define WANT(c, k, i) \
  { .counter = CRV_MEASURE_##c, .kind = CRV_MEASURE_##k, .item = i }
#define SAID(i) WANT(ENGINE_DECLARED, STATED, i)
#define FORESEEN(i) WANT(ENGINE_DECLARED, FORECAST, i)
#define COUNTED(c, i) WANT(c, STATED, i)
#define SETTING(i) \
  { .as = CRV_MA_SETTING, .item = i }
#define IGNORED \
  { .counter = CRV_MEASURE_NONE }
#define WORKING_SET \
  { \
    .counter = CRV_MEASURE_DEVICE_TOTAL, .kind = CRV_MEASURE_STATED, .item = "working-set limit", \
    .unit = CRV_MU_DECIMAL \
  }

/* -- places ---------------------------------------------------------------------------------------
 */

struct crv_mplace crv_mplace_of(struct crv_mspan label) {
  struct crv_mplace p = {.host = false};
  size_t n = label.len < sizeof p.label - 1 ? label.len : sizeof p.label - 1, digits = 0;
  memcpy(p.label, label.s, n);
  p.label[n] = '\0';
  p.host = crv_mspan_starts(label, "CPU") || crv_mspan_find(label, "Host") != SIZE_MAX ||
           crv_mspan_find(label, "BLAS") != SIZE_MAX;
  if (p.host) return p;
  size_t at = 0;
  while (at < n && !(label.s[at] >= '0' && label.s[at] <= '9')) at++;
  while (at + digits < n && label.s[at + digits] >= '0' && label.s[at + digits] <= '9') digits++;
  p.device.set = digits <= 4 && crv_mint((struct crv_mspan){label.s + at, digits}, &p.device.v);
  /* "Metal" and "CUDA" alone: one device. */
  if (digits == 0 && (crv_mspan_is(label, "Metal") || crv_mspan_is(label, "CUDA")))
    p.device = (struct crv_opt_int){0, true};
  return p;
}

struct crv_measure_fact crv_mbuffer(struct crv_mrun *run, struct crv_mplace *p, const char *item,
                                    enum crv_measure_kind kind) {
  struct crv_measure_fact f = crv_mfact(run, CRV_MEASURE_ENGINE_DECLARED, kind, item);
  f.device = p->device;
  f.host = p->host;
  f.device_label = p->label[0] ? p->label : NULL;
  if (p->host) crv_mnote(run, CRV_MN_HOST_BUFFERS);
  return f;
}

static struct crv_mspan word_before(struct crv_mspan *s) {
  *s = crv_mtrim(*s);
  size_t from = s->len;
  while (from > 0 && s->s[from - 1] != ' ') from--;
  struct crv_mspan word = crv_mspan_from(*s, from);
  s->len = from;
  return word;
}

static const struct part {
  const char *word, *item, *phase;
} parts[] = {
    {"model", "weights", "loading"}, {"KV", "kv_cache", NULL},   {"RS", "recurrent_state", NULL},
    {"compute", "compute", NULL},    {"output", "output", NULL}, {"", "weights", "loading"},
};

/* "CUDA0 KV" -> the part and the place's word; older releases name the place alone. */
static struct crv_mspan read_words(struct crv_mspan before, const struct part **ret) {
  struct crv_mspan word = word_before(&before);
  for (*ret = parts; *(*ret)->word; (*ret)++)
    if (crv_mspan_is(word, (*ret)->word)) return word_before(&before);
  return word;
}

/* Does the word look like a backend's device? Asked only of words that a line break parted. */
static bool is_place(struct crv_mspan word) {
  static const char *const backends[] = {"CPU",  "CUDA", "ROCm", "Vulkan", "Metal", "MTL",
                                         "SYCL", "HTP",  "CANN", "OpenCL", "RPC",   "MUSA"};
  for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
    if (crv_mspan_starts(word, backends[i])) return true;
  return false;
}

/* The words before a match in the line before too, the break read as a blank or as nothing. */
static struct crv_mspan over_break(const struct crv_mrun *run, size_t to, bool blank, char *out,
                                   size_t room) {
  size_t from = to > room - 1 ? to - (room - 1) : 0, n = 0;
  for (size_t i = from; i < to; i++) {
    char c = run->text.s[i];
    if (c != '\n' && c != '\r')
      out[n++] = c;
    else if (blank)
      out[n++] = ' ';
  }
  return (struct crv_mspan){out, n};
}

/* "CUDA0 KV buffer size = 1536.00 MiB": the words before say where and what. */
static void buffer(struct crv_mrun *run, const struct crv_mrule *rule, const struct crv_mmatch *m) {
  struct crv_mspan line = crv_mline_at(&run->text, m->at);
  const struct part *part;
  char text[96];
  struct crv_mspan word =
      read_words((struct crv_mspan){line.s, (size_t)(run->text.s + m->at - line.s)}, &part);
  (void)rule;
  for (int blank = 1; blank >= 0 && !is_place(word); blank--) {
    const struct part *other;
    struct crv_mspan found = read_words(over_break(run, m->at, blank, text, sizeof text), &other);
    if (!is_place(found)) continue;
    word = found;
    part = other;
    crv_mnote(run, CRV_MN_WRAPPED);
  }
  if (word.len == 0 || word.s[word.len - 1] == ':') return; /* a total, not a place's */
  struct crv_mplace place = crv_mplace_of(word);
  struct crv_measure_fact f = crv_mbuffer(run, &place, part->item, CRV_MEASURE_STATED);
  f.phase = part->phase;
  crv_mfact_figure(run, &f, &m->cap[0].f, CRV_MU_BINARY);
  crv_mfact_add(run, &f);
}

/* -- devices --------------------------------------------------------------------------------------
 */

/* "Device 0: NVIDIA GeForce RTX 3090 Ti, compute capability 8.6, VMM: yes" */
static void device_line(struct crv_mrun *run, const struct crv_mrule *rule,
                        const struct crv_mmatch *m) {
  struct crv_mspan line = crv_mline_at(&run->text, m->at);
  struct crv_mspan rest = crv_mspan_from(line, (size_t)(run->text.s + m->end - line.s));
  size_t comma = crv_mspan_find(rest, ","), cc = crv_mspan_find(rest, "compute capability ");
  int64_t index;
  (void)rule;
  if (comma == SIZE_MAX || !crv_mnumber_micro(&m->cap[0].f.n, &index)) return;
  struct crv_measure_device *d = crv_mdevice(run, index / CRV_MICRO);
  crv_mdevice_name(run, d, (struct crv_mspan){rest.s, comma});
  if (!d || d->compute_capability || cc == SIZE_MAX) return;
  struct crv_mspan value = crv_mspan_from(rest, cc + 19);
  value.len = value.len < 3 ? value.len : 3;
  value = crv_mtrim(value);
  if (value.len && value.s[0] >= '0' && value.s[0] <= '9')
    d->compute_capability = crv_mcopy(run->a, value, 8);
}

/* "using device CUDA0 (NVIDIA GeForce RTX 4090) (0000:01:00.0) - 22996 MiB free" */
static void using_device(struct crv_mrun *run, const struct crv_mrule *rule,
                         const struct crv_mmatch *m) {
  struct crv_mspan line = crv_mline_at(&run->text, m->at);
  struct crv_mspan rest = crv_mspan_from(line, (size_t)(run->text.s + m->end - line.s));
  size_t close = crv_mspan_find(rest, ")"), dash = crv_mspan_find(rest, ") - ");
  struct crv_mplace p =
      crv_mplace_of((struct crv_mspan){run->text.s + m->cap[0].at, m->cap[0].len});
  struct crv_mfigure fig;
  (void)rule;
  if (close == SIZE_MAX || dash == SIZE_MAX) return;
  if (p.device.set)
    crv_mdevice_name(run, crv_mdevice(run, p.device.v), (struct crv_mspan){rest.s, close});
  if (!crv_mfigure_read(crv_mspan_from(rest, dash + 4), &fig)) return;
  struct crv_measure_fact f =
      crv_mfact(run, CRV_MEASURE_DEVICE_FREE, CRV_MEASURE_INSTANT, "at start");
  f.device = p.device;
  f.device_label = p.label;
  crv_mfact_figure(run, &f, &fig, CRV_MU_MIB);
  if (f.bytes.set) crv_msmallest(&run->ret->free_at_start_bytes, f.bytes.v);
  crv_mfact_add(run, &f);
}

static void offloaded(struct crv_mrun *run, const struct crv_mrule *rule,
                      const struct crv_mmatch *m) {
  const struct crv_mnumber *on = &m->cap[0].f.n, *of = &m->cap[1].f.n;
  (void)rule;
  crv_msetting(run, "layers_offloaded", (struct crv_mspan){on->text, strlen(on->text)});
  crv_msetting(run, "layers", (struct crv_mspan){of->text, strlen(of->text)});
  if (on->mantissa >= of->mantissa) return;
  run->ret->spilled = CRV_TRUE;
  crv_mnote_say(run, CRV_MN_SPILLED, "%s of %s layers are on the device; the rest is on the host.",
                on->text, of->text);
}

static void host_total(struct crv_mrun *run, const struct crv_mrule *rule,
                       const struct crv_mmatch *m) {
  struct crv_mplace p = {.host = true, .label = "CPU"};
  struct crv_measure_fact f = crv_mbuffer(run, &p, "weights", CRV_MEASURE_STATED);
  (void)rule;
  crv_mfact_figure(run, &f, &m->cap[0].f, CRV_MU_BINARY);
  crv_mfact_add(run, &f);
}

static const struct crv_mrule rules[] = {
    {"buffer size = $", {IGNORED}, buffer},
    {"!kv self size = $, K (&): $, V (&): $", {SAID("kv_cache, all devices")}, NULL},
    {"!kv self size = $", {SAID("kv_cache, all devices")}, NULL},
    {"llama_kv_cache~: size = $ ( # cells",
     {SAID("kv_cache, all devices"), COUNTED(POOL_TOKENS, NULL)},
     NULL},
    {"kv_size = #", {COUNTED(POOL_TOKENS, NULL)}, NULL},
    {"n_ctx = #", {COUNTED(CONTEXT_TOKENS, NULL)}, NULL},
    {"n_ctx_per_seq = #", {COUNTED(CONTEXT_TOKENS, "per sequence")}, NULL},
    {"n_ctx_seq = #", {COUNTED(CONTEXT_TOKENS, "per sequence")}, NULL},
    {"n_ctx_per_seq (#)", {COUNTED(CONTEXT_TOKENS, "per sequence")}, NULL},
    {"n_seq_max = #", {COUNTED(CONCURRENCY, "sequences")}, NULL},
    {"n_slots = #", {COUNTED(CONCURRENCY, "sequences")}, NULL},
    {"n_parallel = #", {COUNTED(CONCURRENCY, "sequences")}, NULL},
    {"n_batch = #", {SETTING("n_batch")}, NULL},
    {"n_ubatch = #", {SETTING("n_ubatch")}, NULL},
    {"flash_attn = &", {SETTING("flash_attn")}, NULL},
    {"type_k = '&', type_v = '&'", {SETTING("type_k"), SETTING("type_v")}, NULL},
    {"offloaded #/# layers to GPU", {IGNORED}, offloaded},
    {"Device #: ", {IGNORED}, device_line},
    {"using device & (", {IGNORED}, using_device},
    {"recommendedMaxWorkingSetSize = $", {WORKING_SET}, NULL},
    {"total VRAM used: $ (model: $, context: $)",
     {SAID("weights and kv_cache"), SAID("weights"), SAID("kv_cache")},
     NULL},
    {"VRAM used: $", {SAID("weights")}, NULL},
    {"VRAM kv self = $", {SAID("kv_cache")}, NULL},
    {"VRAM scratch buffer: $", {SAID("compute")}, NULL},
    {"compute buffer total size = $", {SAID("compute")}, NULL},
    {"mem required = $", {IGNORED}, host_total},
    {"projected to use $ of device memory vs. $ of free device memory",
     {FORESEEN("all devices"), WANT(DEVICE_FREE, INSTANT, "all devices")},
     NULL},
    {"model size = $", {WANT(MODEL_FILE, STATED, NULL)}, NULL},
    {"file size = $", {WANT(MODEL_FILE, STATED, NULL)}, NULL},
    {"prompt eval time = # ms / # tokens ( # ms per token, # tokens per second",
     {IGNORED, IGNORED, IGNORED, COUNTED(SPEED_PROMPT, NULL)},
     NULL},
    {"eval time = # ms / # runs ( # ms per token, # tokens per second",
     {IGNORED, IGNORED, IGNORED, COUNTED(SPEED_GENERATION, NULL)},
     NULL},
    {"eval time = # ms / # tokens ( # ms per token, # tokens per second",
     {IGNORED, IGNORED, IGNORED, COUNTED(SPEED_GENERATION, NULL)},
     NULL},
    {"build: # (", {IGNORED}, NULL},
};

/* -- together -------------------------------------------------------------------------------------
 */

enum { PLACES = 16 };
struct sums {
  int64_t kv[PLACES], all[PLACES]; /* by device */
  int n_weights[PLACES];
  int64_t last[PLACES]; /* line of the last buffer */
  bool compute[PLACES];
  bool reloaded; /* another model, or other settings, in the same log */
  int64_t cells, context, each, kv_total, kv_stated;
};

static void add_buffer(struct sums *s, const struct crv_measure_fact *f) {
  int64_t d = f->device.v;
  bool kv = strcmp(f->item, "kv_cache") == 0;
  if (!strcmp(f->item, "kv_cache, all devices")) s->kv_stated += f->bytes.v;
  if (kv) s->kv_total += f->bytes.v;
  if (f->host || !f->device.set || d >= PLACES) return;
  if (kv) s->kv[d] += f->bytes.v;
  if (!strcmp(f->item, "weights") && ++s->n_weights[d] > 1) s->reloaded = true;
  s->compute[d] |= !strcmp(f->item, "compute");
  s->all[d] += f->bytes.v;
  s->last[d] = f->line;
}

static void add_up(const struct crv_mrun *run, size_t from, struct sums *s) {
  for (size_t i = from; i < crv_mfacts_n(run); i++) {
    const struct crv_measure_fact *f = crv_mfact_at(run, i);
    int64_t whole = f->micro.v / CRV_MICRO;
    if (f->kind == CRV_MEASURE_FORECAST) continue;
    if (f->counter == CRV_MEASURE_POOL_TOKENS && whole > s->cells) s->cells = whole;
    if (f->counter == CRV_MEASURE_CONTEXT_TOKENS) *(f->item ? &s->each : &s->context) = whole;
    if (f->counter == CRV_MEASURE_ENGINE_DECLARED && f->item && f->bytes.set) add_buffer(s, f);
  }
}

/* The buffers of one device together; unknown when one that its load always has is missing, as in a
   log that was cut. */
static void sum_buffers(struct crv_mrun *run, const struct sums *s) {
  for (int d = 0; d < PLACES; d++) {
    if (s->n_weights[d] == 0 && s->kv[d] == 0) continue;
    run->line = s->last[d];
    struct crv_measure_fact f =
        crv_mfact(run, CRV_MEASURE_ENGINE_DECLARED, CRV_MEASURE_STATED, "sum of its buffers");
    f.device = (struct crv_opt_int){d, true};
    f.derived = "weights, cache and compute buffers of this device";
    f.means = "MiB";
    if (s->compute[d] && s->n_weights[d] > 0)
      f.bytes = (struct crv_opt_int){s->all[d], true};
    else
      crv_mnote_say(run, CRV_MN_SUM_INCOMPLETE,
                    "The %s buffer of device %d is not in the text: its sum is incomplete.",
                    s->compute[d] ? "weights" : "compute", d);
    crv_mfact_add(run, &f);
  }
}

static void check_kv(struct crv_mrun *run, const struct sums *s) {
  int64_t off = s->kv_total - s->kv_stated;
  if (s->kv_total == 0 || s->kv_stated == 0) return;
  crv_mnote(run, off > -CRV_MIB && off < CRV_MIB ? CRV_MN_POOL_CHECK : CRV_MN_POOL_MISMATCH);
}

/* Slots that share the cells. */
static void add_slots(struct crv_mrun *run, const struct sums *s) {
  int64_t cells = s->cells ? s->cells : s->context;
  if (s->each <= 0 || cells <= s->each || cells % s->each) return;
  struct crv_measure_fact f =
      crv_mfact(run, CRV_MEASURE_CONCURRENCY, CRV_MEASURE_STATED, "sequences");
  f.derived = "cells of the cache / context of one sequence";
  f.micro.set = crv_mul(cells / s->each, CRV_MICRO, &f.micro.v);
  crv_mfact_add(run, &f);
}

static void fill_pool(struct crv_mrun *run, const struct sums *s) {
  int64_t tokens = s->cells ? s->cells : s->context;
  for (int d = 0; d < PLACES; d++)
    if (s->kv[d] > 0) crv_msmallest(&run->ret->pool.bytes, s->kv[d]);
  if (tokens > 0) run->ret->pool.tokens = (struct crv_opt_int){tokens, true};
}

static void together(struct crv_mrun *run, size_t from) {
  struct sums s = {.cells = 0};
  add_up(run, from, &s);
  run->line = 0;
  if (s.reloaded) {
    crv_mnote(run, CRV_MN_REPEATED);
    return;
  }
  check_kv(run, &s);
  add_slots(run, &s);
  fill_pool(run, &s);
  sum_buffers(run, &s);
}

void crv_measure_llamacpp(struct crv_mrun *run) {
  size_t before = crv_mfacts_n(run);
  crv_mrules_run(run, rules, sizeof rules / sizeof *rules);
  together(run, before);
  crv_measure_breakdown(run);
  crv_measure_ollama(run);
  if (crv_mfacts_n(run) == before) return;
  run->line = 0;
  crv_mnote(run, CRV_MN_DECLARED);
  crv_mphase(run, "loading");
  for (size_t i = before; i < crv_mfacts_n(run); i++)
    if (crv_mfact_at(run, i)->counter == CRV_MEASURE_SPEED_GENERATION)
      crv_mphase(run, "generation");
  if (!run->ret->engine) crv_mengine(run, "llama.cpp", (struct crv_mspan){"", 0});
}
