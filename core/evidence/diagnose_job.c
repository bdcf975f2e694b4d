/* What is known of the job that failed: from the sheet, else from the names and words of the
   context and the text. What a model's name says of its size is nominal and marked so. Must not
   know: causes, advice. */
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/diagnose_internal.h"

const struct crv_dx_shape crv_dx_shapes[] = {
#define X(name, keys, parameters, hidden, intermediate, layers, kv_heads, heads, head_dim, vocab, \
          size) \
  {name,  keys, INT64_C(parameters), hidden, intermediate, layers, kv_heads, heads, head_dim, \
   vocab, size},
#include "core/evidence/shapes.def"
#undef X
};
const size_t crv_dx_n_shapes = sizeof crv_dx_shapes / sizeof *crv_dx_shapes;

enum { NAME = 96, LOOK = 256 << 10 }; /* bytes of the text in which names are looked for */

/* -- names
 * -----------------------------------------------------------------------------------------
 */

struct token {
  char s[NAME];   /* as it stands there */
  char key[NAME]; /* lower case, letters, digits and points */
};

static bool letter(char c) {
  return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool digit(char c) {
  return c >= '0' && c <= '9';
}

static bool in_name(char c) {
  return letter(c) || digit(c) || strchr("._-:/", c);
}

/* The next name of s at or behind *at; false when there is none. Longer ones are passed over. */
static bool next_token(const char *s, size_t len, size_t *at, struct token *t) {
  while (*at < len) {
    size_t n = 0, k = 0;
    while (*at < len && (s[*at] == '\0' || !in_name(s[*at]))) ++*at;
    while (*at + n < len && s[*at + n] && in_name(s[*at + n])) n++;
    const char *p = s + *at;
    *at += n;
    if (n == 0 || n >= NAME) continue;
    memcpy(t->s, p, n);
    t->s[n] = '\0';
    for (size_t i = 0; i < n; i++)
      if (letter(p[i]) || digit(p[i]) || p[i] == '.')
        t->key[k++] = (char)(letter(p[i]) ? p[i] | 32 : p[i]);
    t->key[k] = '\0';
    return true;
  }
  return false;
}

/* A piece of a name such as "7b" or "1.5B": the number in units of 10^8, 0 when it is none. */
static int64_t size_piece(const char *s, size_t len) {
  int64_t v = 0;
  size_t i = 0;
  while (i < len && i < 4 && digit(s[i])) v = v * 10 + (s[i++] - '0');
  if (i == 0) return 0;
  v *= 10;
  if (i + 2 < len && s[i] == '.' && digit(s[i + 1])) {
    v += s[i + 1] - '0';
    i += 2;
  }
  return i + 1 == len && (s[i] | 32) == 'b' ? v : 0;
}

/* Letters that no hexadecimal number has, as a name of a model does. */
static bool is_word_piece(const char *s, size_t len) {
  size_t letters = 0;
  bool beyond_hex = false;
  for (size_t i = 0; i < len; i++) {
    letters += letter(s[i]);
    beyond_hex |= letter(s[i]) && (s[i] | 32) > 'f';
  }
  return letters >= 3 && beyond_hex;
}

static int64_t size_in_name(const struct token *t, bool alone) {
  int64_t size = 0;
  bool word = false;
  for (const char *p = t->s; *p;) {
    size_t len = strcspn(p, "-_:/");
    int64_t v = size_piece(p, len);
    if (v && !size) size = v;
    word |= is_word_piece(p, len);
    p += len;
    p += strspn(p, "-_:/");
  }
  return word || alone ? size : 0;
}

static const struct crv_dx_shape *shape_of(const char *key) {
  for (size_t i = 0; i < crv_dx_n_shapes; i++) {
    const char *p = crv_dx_shapes[i].key;
    while (*p) {
      char one[NAME];
      size_t len = strcspn(p, " ");
      memcpy(one, p, len);
      one[len] = '\0';
      const char *found = strstr(key, one);
      if (found && !digit(found[len])) return &crv_dx_shapes[i];
      p += len;
      p += strspn(p, " ");
    }
  }
  return NULL;
}

static bool take_name(struct crv_dx *d, const struct token *t, bool alone) {
  int64_t size = size_in_name(t, alone);
  const struct crv_dx_shape *shape = shape_of(t->key);
  if (!size && !shape) return false;
  d->job.model = crv_arena_strdup(d->a, t->s);
  if (!d->job.model) return crv_dx_no_memory(d);
  d->job.shape = shape;
  d->job.size = size;
  d->job.nominal = !shape;
  d->job.parameters = (struct crv_opt_int){shape ? shape->parameters : size * 100000000, true};
  return true;
}

static void find_name(struct crv_dx *d, const char *s, size_t len, bool alone) {
  struct token t;
  size_t at = 0;
  if (!s || d->job.model) return;
  if (len > LOOK) len = LOOK;
  while (next_token(s, len, &at, &t) && !d->failed)
    if (take_name(d, &t, alone)) return;
}

/* -- context: "2 x A100 40 GB"
 * ---------------------------------------------------------------------
 */

static int64_t leading_int(const char *s) {
  int64_t v = 0;
  size_t i = 0;
  while (i < 5 && digit(s[i])) v = v * 10 + (s[i++] - '0');
  return i && s[i] == '\0' ? v : 0;
}

/* Counts of devices and the nominal size of one, as people write them. */
static void read_context(struct crv_dx *d, int64_t *devices, int64_t *gigabytes) {
  struct token t;
  int64_t before = 0, earlier = 0;
  size_t at = 0;
  *devices = *gigabytes = 0;
  if (!d->in->context) return;
  while (next_token(d->in->context, d->in->context_len, &at, &t)) {
    if (!strcmp(t.key, "x") && before && !*devices) *devices = before;
    if (!strcmp(t.key, "gb") && before && !*gigabytes) *gigabytes = before;
    earlier = leading_int(t.s);
    before = earlier;
  }
}

/* -- sheet
 * -----------------------------------------------------------------------------------------
 */

static int64_t bits_of(const char *format) {
  const struct crv_weight_format *f = format ? crv_weight_format(format) : NULL;
  if (!f) return 0;
  int64_t bits = f->bits_num / f->bits_den;
  return bits >= 32 ? 32 : bits >= 16 ? 16 : bits >= 8 ? 8 : 4;
}

static void from_strategy(struct crv_dx_job *j, enum crv_strategy s) {
  j->sharded_weights |= s == CRV_STRATEGY_TENSOR_PARALLEL || s == CRV_STRATEGY_PIPELINE_PARALLEL ||
                        s == CRV_STRATEGY_ZERO3 || s == CRV_STRATEGY_FSDP;
  j->sharded_states |= j->sharded_weights || s == CRV_STRATEGY_ZERO1 || s == CRV_STRATEGY_ZERO2;
  j->replicated |= s == CRV_STRATEGY_DATA_PARALLEL;
}

static enum crv_strategy from_placement(struct crv_dx *d) {
  const struct crv_sheet *s = d->in->sheet;
  if (s->placement.n != 1) return 0;
  const struct crv_placement *p = crv_list_at(s->placement, struct crv_placement, 0);
  if (p->devices.set && !d->job.devices) d->job.devices = p->devices.v;
  from_strategy(&d->job, p->strategy);
  return p->strategy;
}

static bool need_budget(struct crv_dx *d, enum crv_strategy strategy) {
  if (d->in->budget) {
    d->budget = *d->in->budget;
  } else if (!crv_budget_make(d->in->sheet, d->job.devices, strategy, d->a, &d->budget, d->err)) {
    d->failed = true;
    return false;
  }
  return d->has_budget = true;
}

static void from_budget(struct crv_dx *d) {
  struct crv_dx_job *j = &d->job;
  for (size_t i = 0; i < d->budget.items.n; i++) {
    const struct crv_budget_item *item = crv_list_at(d->budget.items, struct crv_budget_item, i);
    if (!strcmp(item->item, "weights")) j->weights = item->per_device;
    if (!strcmp(item->item, "gradients")) j->gradients = item->per_device;
    if (!strcmp(item->item, "optimizer_state")) j->states = item->per_device;
  }
}

static bool from_sheet(struct crv_dx *d) {
  const struct crv_sheet *s = d->in->sheet;
  struct crv_dx_job *j = &d->job;
  const char *method = s->adaptation ? s->adaptation->method : NULL;
  struct token t;
  size_t at = 0;
  enum crv_strategy strategy = from_placement(d);
  j->length = crv_sheet_length(s);
  j->microbatch = s->microbatch;
  j->concurrency = s->concurrency;
  j->full = crv_streq(method, "full") || (!method && s->task == CRV_TASK_TRAINING);
  j->lora = crv_streq(method, "lora") || crv_streq(method, "qlora");
  j->bits = s->precision ? bits_of(s->precision->weights) : 0;
  if (s->model && s->model->name && next_token(s->model->name, strlen(s->model->name), &at, &t))
    take_name(d, &t, true);
  if (s->model && s->model->parameters.set) {
    j->parameters = s->model->parameters;
    j->nominal = false;
  }
  if (d->failed || !need_budget(d, strategy)) return false;
  if (d->budget.parameters.set) {
    j->parameters = d->budget.parameters;
    j->nominal = false;
  }
  j->from_sheet = j->parameters.set && !j->nominal;
  from_budget(d);
  return true;
}

/* -- all
 * -------------------------------------------------------------------------------------------
 */

static bool trait(const struct crv_dx *d, enum crv_dx_trait t) {
  return d->trait[t] || d->context_trait[t];
}

static void from_words(struct crv_dx *d) {
  struct crv_dx_job *j = &d->job;
  const bool *said = d->context_trait;
  if (!j->bits)
    j->bits = said[CRV_DT_BITS4]    ? 4
              : said[CRV_DT_BITS8]  ? 8
              : said[CRV_DT_BITS16] ? 16
              : said[CRV_DT_BITS32] ? 32
                                    : 0;
  if (!d->in->sheet || !d->in->sheet->adaptation) {
    j->lora = trait(d, CRV_DT_LORA) || trait(d, CRV_DT_QLORA);
    j->full = trait(d, CRV_DT_FULL) && !j->lora;
  }
  j->sharded_states |= trait(d, CRV_DT_ZERO2);
  if (trait(d, CRV_DT_ZERO3) || trait(d, CRV_DT_FSDP))
    j->sharded_weights = j->sharded_states = true;
  j->replicated |= trait(d, CRV_DT_REPLICATED);
}

/* Where the budget leaves gradients and states open, their usual size on one device: gradients in
   the weights' format, Adam's two states in the same, one 32-bit copy more under ZeRO
   (arXiv:1910.02054). */
static void fill_static(struct crv_dx_job *j) {
  int64_t n = j->devices > 1 ? j->devices : 1, bits = j->bits, bytes;
  if (!bits && j->full) bits = 16; /* the least that training without an adapter keeps */
  if (!j->parameters.set || !bits || !crv_muldiv(j->parameters.v, bits, 8, true, &bytes)) return;
  if (!j->weights.set)
    j->weights = (struct crv_opt_int){j->sharded_weights ? crv_cdiv(bytes, n) : bytes, true};
  if (!j->full || bits < 16) return;
  int64_t share = j->sharded_states ? n : 1, states = j->sharded_states ? 6 * bytes : 2 * bytes;
  if (bits == 32) states = 2 * bytes;
  if (!j->gradients.set) j->gradients = (struct crv_opt_int){crv_cdiv(bytes, share), true};
  if (!j->states.set) j->states = (struct crv_opt_int){crv_cdiv(states, share), true};
}

static void find_capacity(struct crv_dx *d, int64_t gigabytes) {
  static const enum crv_dx_figure_id ids[] = {CRV_DF_CAPACITY, CRV_DF_TOTAL, CRV_DF_START_TOTAL,
                                              CRV_DF_HBM_TOTAL};
  struct crv_dx_job *j = &d->job;
  for (size_t i = 0; i < sizeof ids / sizeof *ids && !j->capacity.set; i++)
    j->capacity = crv_dx_bytes(d, ids[i]);
  j->capacity_of_text = j->capacity.set;
  if (!j->capacity.set) j->capacity = d->in->capacity_bytes;
  /* a nominal size is at most so many GiB */
  if (!j->capacity.set && gigabytes) j->capacity = (struct crv_opt_int){gigabytes * CRV_GIB, true};
}

bool crv_dx_job(struct crv_dx *d) {
  int64_t devices, gigabytes;
  if (d->in->devices.set) d->job.devices = d->in->devices.v;
  if (d->in->sheet && !from_sheet(d)) return false;
  read_context(d, &devices, &gigabytes);
  if (!d->job.devices) d->job.devices = devices;
  find_name(d, d->in->context, d->in->context_len, true);
  if (!d->job.parameters.set) find_name(d, d->in->text, d->in->len, false);
  from_words(d);
  find_capacity(d, gigabytes);
  fill_static(&d->job);
  return !d->failed;
}
