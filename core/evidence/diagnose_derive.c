/* What follows from the figures by arithmetic: what the message leaves unaccounted, slots, cache of
   one slot, the smallest fraction, tokens of a logits request, the size of the whole model. Each
   with how it was computed. Must not know: causes, advice. */
#include <string.h>

#include "core/evidence/diagnose_internal.h"

void crv_dx_add(struct crv_dx *d, const char *name, enum crv_fact_type type, int64_t v,
                const char *how) {
  if (d->n_derived == sizeof d->derived / sizeof *d->derived) return;
  d->derived[d->n_derived++] =
      (struct crv_diag_fact){.fact = {.name = name, .type = type, .i = v}, .how = how};
}

struct crv_opt_int crv_dx_derived(const struct crv_dx *d, const char *name) {
  for (size_t i = 0; i < d->n_derived; i++)
    if (strcmp(d->derived[i].fact.name, name) == 0)
      return (struct crv_opt_int){d->derived[i].fact.i, true};
  return (struct crv_opt_int){0, false};
}

static struct crv_opt_int fact(const struct crv_dx *d, enum crv_dx_fact_id id) {
  return (struct crv_opt_int){d->fact[id].v, d->fact[id].set};
}

/* -- the card
 * --------------------------------------------------------------------------------------
 */

/* What this process's allocator holds, as far as the wording says: by generation. */
static struct crv_opt_int held(const struct crv_dx *d) {
  struct crv_opt_int reserved = crv_dx_bytes(d, CRV_DF_RESERVED);
  struct crv_opt_int more = crv_dx_bytes(d, CRV_DF_CACHED);
  struct crv_opt_int sum = crv_dx_bytes(d, CRV_DF_ALLOCATED);
  if (reserved.set) return reserved;
  if (!more.set) more = crv_dx_bytes(d, CRV_DF_UNALLOCATED);
  if (!sum.set || !more.set) return (struct crv_opt_int){0, false};
  sum.v += more.v;
  return sum;
}

static void outside(struct crv_dx *d) {
  struct crv_opt_int total = crv_dx_bytes(d, CRV_DF_CAPACITY), mine = held(d);
  struct crv_opt_int left = crv_dx_bytes(d, CRV_DF_FREE);
  if (!total.set || !mine.set || !left.set) return;
  int64_t rest = total.v - mine.v - left.v;
  if (rest >= 0)
    crv_dx_add(d, "not_in_this_allocator", CRV_FACT_BYTES, rest,
               "capacity - what this allocator holds - free");
}

static bool says_this_process(const struct crv_dx *d, const struct crv_dx_figure *f) {
  static const char words[] = "thisprocesshas";
  size_t n = sizeof words - 1;
  return f->from >= n && memcmp(d->flat->s + f->from - n, words, n) == 0;
}

struct processes {
  int64_t n, sum;
  struct crv_opt_int said, smallest; /* "this process"; the smallest that can be it */
};

static struct processes count_processes(const struct crv_dx *d) {
  const struct crv_dx_message *m = crv_dx_first(d);
  const struct crv_opt_int mine = held(d);
  struct processes p = {0};
  for (size_t i = 0; m && i < m->n; i++) {
    const struct crv_dx_figure *f = &m->at[i];
    if (f->id != CRV_DF_PROCESS || !f->bytes.set) continue;
    bool may = !mine.set || f->bytes.v + f->half_step >= mine.v;
    p.n++;
    p.sum += f->bytes.v;
    if (says_this_process(d, f)) p.said = f->bytes;
    if (may && (!p.smallest.set || f->bytes.v < p.smallest.v)) p.smallest = f->bytes;
  }
  return p;
}

/* Processes that the message lists; the one that says "this process", else the smallest that can
   hold what the allocator holds, is the own one. */
static void processes(struct crv_dx *d) {
  struct processes p = count_processes(d);
  struct crv_opt_int own = p.said.set ? p.said : p.smallest;
  struct crv_opt_int total = crv_dx_bytes(d, CRV_DF_CAPACITY);
  struct crv_opt_int left = crv_dx_bytes(d, CRV_DF_FREE);
  if (!own.set) return;
  if (total.set && left.set && total.v - left.v >= own.v)
    crv_dx_add(d, "not_in_this_process", CRV_FACT_BYTES, total.v - left.v - own.v,
               "capacity - free - what this process holds");
  if (p.n > 1)
    crv_dx_add(d, "other_processes", CRV_FACT_BYTES, p.sum - own.v,
               "processes of the message without the one that holds this allocator");
}

static void missing(struct crv_dx *d) {
  struct crv_opt_int want = crv_dx_bytes(d, CRV_DF_REQUESTED), left = crv_dx_bytes(d, CRV_DF_FREE);
  struct crv_opt_int a = crv_dx_bytes(d, CRV_DF_ALLOCATED), o = crv_dx_bytes(d, CRV_DF_OTHER);
  if (want.set && left.set && want.v > left.v)
    crv_dx_add(d, "short_by", CRV_FACT_BYTES, want.v - left.v, "requested - free");
  if (want.set && a.set && o.set)
    crv_dx_add(d, "sum_with_request", CRV_FACT_BYTES, a.v + o.v + want.v,
               "allocated + other + requested");
}

/* -- the model
 * -------------------------------------------------------------------------------------
 */

static void sizes(struct crv_dx *d) {
  const struct crv_dx_job *j = &d->job;
  int64_t p = j->parameters.v, bytes;
  const char *basis = j->nominal ? "about: the parameters are read from the model's name" : NULL;
  if (j->like && !j->parameters.set)
    crv_dx_add(
        d, "weights_in_16_bits_if_so", CRV_FACT_BYTES, 2 * j->like->parameters,
        crv_dx_text(d, "parameters x 2 of %s, whose matrix the request equals", j->like->name));
  if (d->has_budget && d->budget.device_floor.set)
    crv_dx_add(d, "floor", CRV_FACT_BYTES, d->budget.device_floor.v,
               "the sheet's budget, one device");
  if (!j->parameters.set || p > CRV_INT_MAX / 16) return;
  crv_dx_add(d, "weights_in_16_bits", CRV_FACT_BYTES, 2 * p, basis ? basis : "parameters x 2");
  crv_dx_add(d, "weights_in_32_bits", CRV_FACT_BYTES, 4 * p, basis ? basis : "parameters x 4");
  crv_dx_add(d, "weights_in_4_bits", CRV_FACT_BYTES, crv_cdiv(p, 2),
             "parameters / 2; real formats carry extra data");
  crv_dx_add(d, "train_state_in_32_bits", CRV_FACT_BYTES, 16 * p,
             "parameters x (4 weights + 4 gradients + 8 Adam states)");
  if (j->weights.set)
    crv_dx_add(d, "weights_as_declared", CRV_FACT_BYTES, j->weights.v,
               j->bits ? "in the declared format, on one device"
                       : "in 16 bits at least, as full fine-tuning needs, on one device");
  if (!j->weights.set || !j->gradients.set) return;
  bytes = j->weights.v + j->gradients.v;
  crv_dx_add(d, "weights_and_gradients", CRV_FACT_BYTES, bytes, "weights + gradients, one device");
  if (j->states.set)
    crv_dx_add(d, "static_part", CRV_FACT_BYTES, bytes + j->states.v,
               "weights + gradients + optimizer states, one device");
}

/* Shards are of about one size: what the allocator held after some of them gives the whole. */
static void whole_model(struct crv_dx *d) {
  struct crv_opt_int done = fact(d, CRV_DN_SHARDS_LOADED), all = fact(d, CRV_DN_SHARDS);
  struct crv_opt_int held_now = crv_dx_bytes(d, CRV_DF_ALLOCATED);
  int64_t bytes;
  if (!done.set || !all.set || !held_now.set || done.v < 1 || all.v <= done.v) return;
  if (all.v > 4096 || !crv_muldiv(held_now.v, all.v, done.v, true, &bytes)) return;
  crv_dx_add(d, "whole_model", CRV_FACT_BYTES, bytes,
             "about: allocated x shards / shards loaded, were nothing else allocated");
}

/* Rows of the output matrix: as the caller lists them, else as in a published model. 0: not known.
 */
static int64_t vocabulary(const struct crv_dx *d, const char **from) {
  for (size_t i = 0; i < d->in->dims.n; i++) {
    const struct crv_diag_dims *m = crv_list_at(d->in->dims, struct crv_diag_dims, i);
    bool head = strstr(m->name, "lm_head") || strstr(m->name, "embed_tokens");
    if (!head || m->rows <= 0 || m->rows > INT32_MAX) continue;
    *from = m->name;
    return m->rows;
  }
  *from = d->job.shape ? d->job.shape->name : NULL;
  return d->job.shape ? d->job.shape->vocab : 0;
}

static void tokens(struct crv_dx *d) {
  const char *from, *subphase = d->ret->subphase;
  struct crv_opt_int want = crv_dx_bytes(d, CRV_DF_REQUESTED);
  int64_t vocab = vocabulary(d, &from), row;
  if (!vocab || !want.set || !subphase || !strstr(subphase, "logits")) return;
  bool wide = strstr(subphase, "32_bits");
  row = vocab * (wide ? 4 : 2);
  crv_dx_add(d, "vocabulary", CRV_FACT_INT, vocab, crv_dx_text(d, "as in %s", from));
  crv_dx_add(d, "tokens_implied", CRV_FACT_INT, want.v / row + (want.v % row >= row / 2),
             wide ? "requested / (vocabulary x 4 bytes)" : "requested / (vocabulary x 2 bytes)");
}

/* -- caches
 * ----------------------------------------------------------------------------------------
 */

static void slots(struct crv_dx *d) {
  struct crv_opt_int cells = fact(d, CRV_DN_KV_TOKENS), one = fact(d, CRV_DN_CONTEXT_PER_SEQUENCE);
  struct crv_opt_int kv = crv_dx_bytes(d, CRV_DF_KV), n = fact(d, CRV_DN_SLOTS);
  if (!cells.set) cells = fact(d, CRV_DN_CONTEXT);
  if (!n.set && cells.set && one.set && one.v > 0 && cells.v % one.v == 0)
    n = (struct crv_opt_int){cells.v / one.v, true};
  if (n.set && n.v > 0)
    crv_dx_add(d, "parallel_slots", CRV_FACT_INT, n.v, "cells of the cache / context of one slot");
  if (!cells.set && n.set && one.set && !crv_mul(n.v, one.v, &cells.v)) return;
  if (!kv.set || cells.v <= 0) return;
  crv_dx_add(d, "kv_bytes_per_token", CRV_FACT_BYTES, kv.v / cells.v, "cache / its cells");
  if (one.set && one.v <= cells.v)
    crv_dx_add(d, "kv_for_one_slot", CRV_FACT_BYTES, kv.v / cells.v * one.v,
               "cache / its cells x context of one slot");
}

/* Bytes of one token: from the cache that one request needs, the sheet, the model, or from the
   number of blocks that vLLM's default swap space of 4 GiB gives with blocks of 16 tokens. */
static void per_token(struct crv_dx *d) {
  const struct crv_dx_shape *m = d->job.shape;
  struct crv_opt_int need = crv_dx_bytes(d, CRV_DF_KV_NEEDED), len = fact(d, CRV_DN_LENGTH_WANTED);
  struct crv_opt_int swap = fact(d, CRV_DN_CPU_BLOCKS);
  if (crv_dx_derived(d, "kv_bytes_per_token").set) return;
  if (need.set && len.set && len.v > 0) {
    crv_dx_add(d, "kv_bytes_per_token", CRV_FACT_BYTES, need.v / len.v, "cache needed / length");
  } else if (d->has_budget && d->budget.kv_bytes_per_token.set && d->job.devices <= 1) {
    crv_dx_add(d, "kv_bytes_per_token", CRV_FACT_BYTES, d->budget.kv_bytes_per_token.v,
               "the sheet's budget");
  } else if (swap.set && swap.v > 0 && swap.v < (1 << 24)) {
    int64_t high = 4 * CRV_GIB / swap.v / 16, low = 4 * CRV_GIB / (swap.v + 1) / 16;
    int64_t v = high / 512 * 512;
    if (v > low && v > 0)
      crv_dx_add(d, "kv_bytes_per_token", CRV_FACT_BYTES, v,
                 "4 GiB of swap space (vLLM's default) / CPU blocks / 16 tokens");
  } else if (m && crv_dx_figure(d, CRV_DF_KV_CACHE)) {
    crv_dx_add(d, "kv_bytes_per_token", CRV_FACT_BYTES,
               2 * m->layers * m->kv_heads * m->head_dim * 2,
               crv_dx_text(d, "2 x layers x heads x dimension x 2 bytes, as in %s", m->name));
  }
}

static void set_fraction(struct crv_dx *d, const char *name, int64_t need, int64_t total,
                         const char *how) {
  int64_t thousandths;
  if (total <= 0 || need < 0 || !crv_muldiv(need, 1000, total, true, &thousandths)) return;
  crv_dx_add(d, name, CRV_FACT_DECIMAL, thousandths * 1000, how);
}

/* What the engine's memory fraction must at least be; beyond 1 the device is too small. */
static void fractions(struct crv_dx *d) {
  struct crv_opt_int total = crv_dx_bytes(d, CRV_DF_TOTAL), w = crv_dx_bytes(d, CRV_DF_WEIGHTS);
  struct crv_opt_int other = crv_dx_bytes(d, CRV_DF_NON_TORCH);
  struct crv_opt_int act = crv_dx_bytes(d, CRV_DF_ACTIVATION);
  struct crv_opt_int token = crv_dx_derived(d, "kv_bytes_per_token");
  struct crv_opt_int len = fact(d, CRV_DN_CONCURRENCY_LENGTH);
  int64_t cache;
  if (!len.set) len = fact(d, CRV_DN_LENGTH_WANTED);
  if (token.set && len.set && crv_mul(token.v, len.v, &cache) && cache <= CRV_INT_MAX)
    crv_dx_add(d, "kv_for_one_request", CRV_FACT_BYTES, cache, "bytes of one token x length");
  if (!total.set || !w.set || !act.set) return;
  int64_t need = w.v + act.v + (other.set ? other.v : 0);
  set_fraction(d, "minimum_fraction_before_any_kv", need, total.v,
               "(weights + non-torch + activation peak) / total");
  struct crv_opt_int one = crv_dx_derived(d, "kv_for_one_request");
  if (one.set)
    set_fraction(d, "minimum_fraction_for_one_request", need + one.v, total.v,
                 "(weights + non-torch + activation peak + cache of one request) / total");
}

/* The cache falls short by so much of the device; the fraction must grow by as much. */
static void more_fraction(struct crv_dx *d) {
  struct crv_opt_int need = crv_dx_bytes(d, CRV_DF_KV_NEEDED);
  struct crv_opt_int have = crv_dx_bytes(d, CRV_DF_KV_AVAILABLE);
  struct crv_opt_int f = fact(d, CRV_DN_FRACTION), total = d->job.capacity;
  int64_t more;
  if (!need.set || !have.set || need.v <= have.v) return;
  crv_dx_add(d, "cache_short_by", CRV_FACT_BYTES, need.v - have.v, "cache needed - available");
  if (!f.set || !total.set || crv_dx_derived(d, "minimum_fraction_for_one_request").set) return;
  if (total.v > 0 && crv_muldiv(need.v - have.v, 1000, total.v, true, &more))
    crv_dx_add(d, "minimum_fraction_for_one_request", CRV_FACT_DECIMAL, f.v + more * 1000,
               "fraction + (cache needed - available) / total");
}

static void free_fraction(struct crv_dx *d) {
  struct crv_opt_int total = crv_dx_bytes(d, CRV_DF_START_TOTAL);
  struct crv_opt_int left = crv_dx_bytes(d, CRV_DF_START_FREE);
  int64_t thousandths;
  if (!total.set || !left.set || total.v <= 0 || left.v > total.v) return;
  if (crv_muldiv(left.v, 1000, total.v, false, &thousandths))
    crv_dx_add(d, "largest_fraction_now", CRV_FACT_DECIMAL, thousandths * 1000, "free / total");
  crv_dx_add(d, "held_at_start", CRV_FACT_BYTES, total.v - left.v, "total - free at start");
}

bool crv_dx_derive(struct crv_dx *d) {
  struct crv_opt_int program = crv_dx_bytes(d, CRV_DF_PROGRAM);
  outside(d);
  processes(d);
  missing(d);
  sizes(d);
  whole_model(d);
  tokens(d);
  slots(d);
  per_token(d);
  fractions(d);
  more_fraction(d);
  free_fraction(d);
  if (!program.set) program = crv_dx_bytes(d, CRV_DF_HBM_USED);
  if (program.set)
    crv_dx_add(d, "minimum_device", CRV_FACT_BYTES, program.v, "what the program states it needs");
  return !d->failed;
}
