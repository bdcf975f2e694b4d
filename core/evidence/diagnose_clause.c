/* Clauses of messages and lines of logs (clauses.def): the number beside a keyword becomes a figure
   or a fact. A clause without its number is no clause.
   Must not know: which message a figure belongs to, phases, causes. */
#include <stdio.h>
#include <string.h>

#include "core/evidence/diagnose_internal.h"

enum form { AFTER, BEFORE, FAILED, PAIR, ALLOWED, BUFFER, SHARDS, SHAPE, USAGE, PROGRESS };
enum value { SIZE, BYTES, KILO, INT, DECIMAL };
enum target { NOTHING, FIGURE, FACT, DEVICE_INDEX };

struct what {
  enum target target;
  int id;
};

/* The tables' words, so that clauses.def can name figures and facts alike. */
#define F(ID) \
  { FIGURE, CRV_DF_##ID }
#define N(ID) \
  { FACT, CRV_DN_##ID }
enum word {
  WORD_NONE,
  WORD_DEVICE,
#define X(ID, name, counter, scope, keep, round, says) WORD_##ID,
#include "core/evidence/figures.def"
#undef X
#define X(ID, name, type) WORD_##ID,
#include "core/evidence/facts.def"
#undef X
  WORD_COUNT
};
static const struct what words[WORD_COUNT] = {
    [WORD_DEVICE] = {DEVICE_INDEX, 0},
#define X(ID, name, counter, scope, keep, round, says) [WORD_##ID] = F(ID),
#include "core/evidence/figures.def"
#undef X
#define X(ID, name, type) [WORD_##ID] = N(ID),
#include "core/evidence/facts.def"
#undef X
};

static const bool round_up[CRV_DF_COUNT] = {
#define UP true
#define DOWN false
#define X(ID, name, counter, scope, keep, round, says) [CRV_DF_##ID] = round,
#include "core/evidence/figures.def"
#undef X
#undef UP
#undef DOWN
};

static const struct clause {
  enum form form;
  enum word first, second;
  const char *keyword;
  enum value value;
} clauses[] = {
#define X(form, first, second, keyword, value) {form, WORD_##first, WORD_##second, keyword, value},
#include "core/evidence/clauses.def"
#undef X
};
enum { N_CLAUSES = sizeof clauses / sizeof *clauses };

static const char *pattern(size_t i) {
  return i < N_CLAUSES ? clauses[i].keyword : NULL;
}

/* -- numbers to figures and facts
 * ------------------------------------------------------------------
 */

static const char *meaning(const struct crv_dx_number *n) {
  static const char *const pairs[][2] = {{"kB", "KiB"}, {"MB", "MiB"}, {"GB", "GiB"},
                                         {"TB", "TiB"}, {"K", "KiB"},  {"M", "MiB"},
                                         {"G", "GiB"},  {"T", "TiB"},  {"EB", "EiB"}};
  for (size_t i = 0; n->unit && i < sizeof pairs / sizeof *pairs; i++)
    if (strcmp(pairs[i][0], n->unit) == 0) return pairs[i][1];
  return NULL;
}

/* Digits and separators as they stand there, the lines joined, with the unit. */
static void print_number(const struct crv_dx *d, const struct crv_dx_number *n,
                         struct crv_dx_figure *f) {
  size_t len = 0, left = n->to > n->from ? n->to - n->from : 0;
  const char *s = d->flat->s + n->from;
  while (len < left && len < 32 && s[len] && strchr("0123456789.,-", s[len])) len++;
  snprintf(f->printed, sizeof f->printed, "%.*s%s%s", (int)len, s, n->unit ? " " : "",
           n->unit ? n->unit : "");
  f->unit = n->unit;
  f->unit_means = meaning(n);
}

static void odd_number(struct crv_dx *d, enum crv_dx_figure_id id, bool wrapped) {
  if (wrapped && id == CRV_DF_MAX_ALLOWED)
    d->flag[CRV_DG_NO_LIMIT_SET] = true;
  else
    d->flag[wrapped ? CRV_DG_WRAPPED_NUMBER : CRV_DG_IMPOSSIBLE_NUMBER] = true;
}

static void set_bytes(struct crv_dx *d, const struct crv_dx_number *n, struct crv_dx_figure *f) {
  int64_t bytes, step = n->factor / 2;
  bool wrapped, fits = crv_dx_number_bytes(n, n->factor, round_up[f->id], &bytes, &wrapped);
  for (int i = 0; i < n->places; i++) step = (step + 9) / 10;
  f->half_step = n->factor > 1 ? step : 0;
  if (wrapped || !fits || bytes > (INT64_C(1) << 50)) {
    odd_number(d, f->id, wrapped);
    return;
  }
  f->bytes = (struct crv_opt_int){bytes, true};
  if (bytes < 0) d->flag[CRV_DG_NEGATIVE_REMAINDER] = true;
}

static bool may_lack_unit(enum crv_dx_figure_id id) {
  return id == CRV_DF_REQUESTED || id == CRV_DF_HOST_PLANNED || id == CRV_DF_HOST_TOTAL;
}

static bool in_word(char c) {
  return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Figures of a device's failure are damaged where a line ends inside a word of their clause. */
static void note_wrapping(struct crv_dx *d, size_t from, size_t to) {
  struct crv_diag_span at = crv_flat_span(d->flat, from, to);
  const char *s = d->flat->raw + at.offset;
  for (size_t i = 1; i + 1 < at.len && i < 400; i++)
    if (s[i] == '\n' && in_word(s[i - 1]) && in_word(s[i + 1]))
      d->flag[CRV_DG_WRAPPED_LINES] = true;
}

static void take_figure(struct crv_dx *d, enum crv_dx_figure_id id, enum value value,
                        struct crv_dx_number *n, size_t from, size_t to) {
  struct crv_dx_figure f = {.id = id, .from = from, .to = to};
  if (value == BYTES && !n->unit) n->factor = 1;
  if (value == KILO && n->unit) n->factor = 1024;
  if (!n->unit && value != BYTES) {
    if (n->cut) d->flag[CRV_DG_CUT_FIGURE] = d->flag[CRV_DG_MESSAGE_TRUNCATED] = true;
    if (!n->cut && !may_lack_unit(id)) return;
    if (!n->cut) d->flag[CRV_DG_UNIT_MISSING] = true;
  }
  print_number(d, n, &f);
  if (n->factor) set_bytes(d, n, &f);
  if (n->unclear) d->flag[CRV_DG_UNCLEAR_NUMBER] = true;
  if (f.unit_means && value != KILO) d->flag[CRV_DG_UNIT_IS_BINARY] = true;
  if (crv_dx_figure_of_message(id)) note_wrapping(d, from, to);
  crv_dx_take(d, &f);
}

/* "2.00GiB (2147483648B)": the exact figure beside the rounded one. */
static void exact_beside(struct crv_dx *d, enum crv_dx_figure_id id, size_t from, size_t to) {
  struct crv_dx_number n;
  if (id != CRV_DF_REQUESTED || to >= d->flat->n || d->flat->s[to] != '(') return;
  if (!crv_dx_number_at(d->flat, to, true, &n)) return;
  crv_dx_unit_at(d->flat, &n);
  if (n.factor == 1 && !n.places) take_figure(d, id, BYTES, &n, from, n.to);
}

static void take_fact(struct crv_dx *d, enum crv_dx_fact_id id, enum value value,
                      const struct crv_dx_number *n, size_t from, size_t to) {
  struct crv_dx_number_fact f = {.set = true, .from = from, .to = to};
  bool ok = value == DECIMAL ? crv_dx_number_micro(n, &f.v) : crv_dx_number_int(n, &f.v);
  if (ok) d->fact[id] = f;
}

static void take(struct crv_dx *d, enum word word, enum value value, struct crv_dx_number *n,
                 size_t from, size_t to) {
  const struct what *w = &words[word];
  int64_t index;
  switch (w->target) {
  case FIGURE:
    take_figure(d, (enum crv_dx_figure_id)w->id, value, n, from, to);
    if (value == SIZE) exact_beside(d, (enum crv_dx_figure_id)w->id, from, to);
    return;
  case FACT:
    take_fact(d, (enum crv_dx_fact_id)w->id, value, n, from, to);
    return;
  case DEVICE_INDEX:
    if (crv_dx_number_int(n, &index) && index >= 0 && index < 4096)
      crv_dx_message_device(d, index, from);
    return;
  case NOTHING:
  default:
    return;
  }
}

static bool is_whole(enum value v) {
  return v == INT || v == DECIMAL;
}

static bool number_after(struct crv_dx *d, size_t at, enum value value, struct crv_dx_number *n) {
  if (!crv_dx_number_at(d->flat, at, is_whole(value), n)) return false;
  if (!is_whole(value)) crv_dx_unit_at(d->flat, n);
  return true;
}

/* -- forms
 * -----------------------------------------------------------------------------------------
 */

static bool ends_with(const struct crv_dx *d, size_t at, const char *s) {
  size_t len = strlen(s);
  return at >= len && memcmp(d->flat->s + at - len, s, len) == 0;
}

static bool stands_at(const struct crv_dx *d, size_t at, const char *s) {
  size_t len = strlen(s);
  return at + len <= d->flat->n && memcmp(d->flat->s + at, s, len) == 0;
}

/* Which clauses open and close the wording of torch's allocator. */
static void note_shape(struct crv_dx *d, const struct clause *c) {
  bool gpu = c->first == WORD_DEVICE && (c->keyword[0] == '(' || c->keyword[0] == 'h');
  if (!d->is_open) return;
  if (gpu || (c->first == WORD_CAPACITY && c->keyword[0] == 't')) d->open.opened = true;
  if (c->first == WORD_RESERVED || c->first == WORD_CACHED || c->first == WORD_UNALLOCATED)
    d->open.closed = true;
}

static void after(struct crv_dx *d, const struct clause *c, size_t at, size_t end) {
  struct crv_dx_number n;
  if (c->first == WORD_REQUESTED && ends_with(d, at, "you")) return; /* the host's allocator */
  if (number_after(d, end, c->value, &n))
    take(d, c->first, c->value, &n, at, n.to);
  else if (c->first == WORD_REQUESTED && end == d->flat->n)
    d->flag[CRV_DG_MESSAGE_TRUNCATED] = true; /* cut where the figure should stand */
  note_shape(d, c);
}

/* "allocating 42256.00 MiB on device 0: cudaMalloc failed": an announcement unless it failed. */
static void failed(struct crv_dx *d, const struct clause *c, size_t at, size_t end) {
  static const char *const ends[] = {"failed", "outofmemory"};
  struct crv_dx_number n;
  bool found = false;
  if (ends_with(d, at, "memory")) found = true; /* "out of memory allocating" */
  if (!number_after(d, end, c->value, &n)) return;
  for (size_t i = n.to; i < d->flat->n && i < n.to + 40 && !found; i++)
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) found |= stands_at(d, i, ends[k]);
  if (found) take(d, c->first, c->value, &n, at, n.to);
}

static void before(struct crv_dx *d, const struct clause *c, size_t at, size_t end) {
  struct crv_dx_number n;
  if (!crv_dx_number_before(d->flat, at, is_whole(c->value), &n)) return;
  if (c->first == WORD_DEVICE && c->keyword[0] == 'h' && !ends_with(d, n.from, "pu")) return;
  take(d, c->first, c->value, &n, n.from, end);
  note_shape(d, c);
}

static void pair(struct crv_dx *d, const struct clause *c, size_t at, size_t end) {
  static const char *const between[] = {"/", "of", "outof", ","};
  struct crv_dx_number a, b;
  size_t next = 0;
  if (stands_at(d, end, "cuda:"))
    while (end < d->flat->n && end < at + 40 && d->flat->s[end] != '(') end++;
  if (!number_after(d, end, c->value, &a)) return;
  for (size_t i = 0; i < sizeof between / sizeof *between; i++)
    if (stands_at(d, a.to, between[i])) next = a.to + strlen(between[i]);
  if (!next || !number_after(d, next, SIZE, &b)) return;
  if (!is_whole(c->value) && !a.unit) {
    a.unit = b.unit;
    a.factor = b.factor;
    a.cut = false;
  }
  take(d, c->first, c->value, &a, at, b.to);
  take(d, c->second, SIZE, &b, at, b.to);
}

/* "gpu_memory_utilization (0.70) = 5.60GiB" */
static void allowed(struct crv_dx *d, const struct clause *c, size_t at, size_t end) {
  struct crv_dx_number n;
  if (!number_after(d, end, DECIMAL, &n) || !stands_at(d, n.to, ")=")) return;
  if (number_after(d, n.to + 1, SIZE, &n)) take(d, c->first, SIZE, &n, at, n.to);
}

/* "CUDA0 KV buffer size = 1536.00 MiB": what is before says which buffer and whose. */
static void buffer(struct crv_dx *d, size_t at, size_t end) {
  static const struct {
    const char *word;
    enum crv_dx_figure_id id;
  } kinds[] = {{"kv", CRV_DF_KV_BUFFER},
               {"compute", CRV_DF_COMPUTE_BUFFER},
               {"output", CRV_DF_OUTPUT_BUFFER},
               {"model", CRV_DF_WEIGHTS_BUFFER},
               {"", CRV_DF_WEIGHTS_BUFFER}};
  struct crv_dx_number n, index;
  struct crv_opt_int device = {0, false};
  size_t k = 0, e = at;
  if (!number_after(d, end, SIZE, &n) || !n.factor) return;
  while (!ends_with(d, at, kinds[k].word)) k++;
  e -= strlen(kinds[k].word);
  if (ends_with(d, e, "host") || ends_with(d, e, "cpu") || ends_with(d, e, "mapped")) return;
  if (crv_dx_number_before(d->flat, e, true, &index)) {
    device.set = crv_dx_number_int(&index, &device.v) && device.v < 4096;
    e = index.from;
  }
  struct crv_dx_figure f = {.id = kinds[k].id, .from = e, .to = n.to, .device = device};
  print_number(d, &n, &f);
  set_bytes(d, &n, &f);
  crv_dx_take(d, &f);
}

/* "8/15[" at or behind `at`, at most `reach` bytes away. */
static void fraction(struct crv_dx *d, const struct clause *c, size_t at, size_t reach) {
  const struct crv_flat *f = d->flat;
  for (size_t i = at; i + 1 < f->n && i < at + reach; i++) {
    struct crv_dx_number a, b;
    if (f->s[i] != '/' || !crv_dx_number_before(f, i, true, &a)) continue;
    if (!crv_dx_number_at(f, i + 1, true, &b) || !stands_at(d, b.to, "[")) continue;
    if (a.places || b.places) continue;
    take(d, c->first, INT, &a, a.from, b.to);
    take(d, c->second, INT, &b, a.from, b.to);
    return;
  }
}

/* "22/40 [00:31<00:25, 1.43s/it]": the keyword is the line's end. */
static void progress(struct crv_dx *d, const struct clause *c, size_t at) {
  size_t i = at;
  while (i > 0 && at - i < 40 && d->flat->s[i - 1] != '[') i--;
  if (i == 0 || d->flat->s[i - 1] != '[') return;
  fraction(d, c, i > 12 ? i - 12 : 0, 12);
}

static int64_t element_bytes(const struct crv_dx *d, size_t at) {
  static const struct {
    const char *name;
    int64_t bytes;
  } types[] = {{"double", 8},   {"int64", 8},   {"float64", 8}, {"half", 2},
               {"bfloat16", 2}, {"float16", 2}, {"float", 4},   {"int32", 4},
               {"uint8", 1},    {"int8", 1},    {"bool", 1}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (stands_at(d, at, types[i].name)) return types[i].bytes;
  return 0;
}

/* "with shape[32,128,768] and type float": the size is the product. */
static void tensor_shape(struct crv_dx *d, size_t at, size_t end) {
  const struct crv_flat *f = d->flat;
  int64_t bytes = 1, v = 0;
  size_t i = end;
  if (i >= f->n || f->s[i] != '[') return;
  for (i++; i < f->n && i < end + 100 && f->s[i] != ']'; i++) {
    if (f->s[i] == ',') {
      if (!crv_mul(bytes, v, &bytes)) return;
      v = 0;
    } else if (f->s[i] < '0' || f->s[i] > '9' || v > INT32_MAX) {
      return;
    } else {
      v = v * 10 + (f->s[i] - '0');
    }
  }
  if (!stands_at(d, i, "]andtype") || !crv_mul(bytes, v, &bytes)) return;
  int64_t each = element_bytes(d, i + 8);
  if (!each || !crv_mul(bytes, each, &bytes) || bytes > (INT64_C(1) << 50)) return;
  struct crv_dx_figure fig = {.id = CRV_DF_REQUESTED, .bytes = {bytes, true}, .from = at, .to = i};
  size_t len = i + 1 - end < 40 ? i + 1 - end : 40;
  snprintf(fig.printed, sizeof fig.printed, "%.*s x %d B", (int)len, f->s + end, (int)each);
  crv_dx_take(d, &fig);
}

/* "memory: usage 67108864kB, limit 67108864kB" */
static void usage(struct crv_dx *d, const struct clause *c, size_t at, size_t end) {
  struct crv_dx_number a, b;
  if (!number_after(d, end, KILO, &a) || !stands_at(d, a.to, ",limit")) return;
  if (!number_after(d, a.to + 6, KILO, &b)) return;
  take(d, c->first, KILO, &a, at, a.to);
  take(d, c->second, KILO, &b, at, b.to);
}

static void hit(struct crv_dx *d, size_t i, size_t at, size_t end) {
  const struct clause *c = &clauses[i];
  if (d->in_context) return; /* a person's words are no measurement */
  switch (c->form) {
  case AFTER:
    after(d, c, at, end);
    return;
  case BEFORE:
    before(d, c, at, end);
    return;
  case FAILED:
    failed(d, c, at, end);
    return;
  case PAIR:
    pair(d, c, at, end);
    return;
  case ALLOWED:
    allowed(d, c, at, end);
    return;
  case BUFFER:
    buffer(d, at, end);
    return;
  case SHARDS:
    fraction(d, c, end, 260);
    return;
  case SHAPE:
    tensor_shape(d, at, end);
    return;
  case USAGE:
    usage(d, c, at, end);
    return;
  case PROGRESS:
  default:
    progress(d, c, at);
    return;
  }
}

const struct crv_dx_table crv_dx_clauses = {pattern, hit};
