/* The budget of a sheet under one placement: weights by arithmetic, the sheet's own reserve, and by
   name what is not known. The floor is what arithmetic alone keeps; the envelope adds the declared
   reserve and is a planning figure. Must not know: devices' capacities, offers, verdicts. */
#include "core/memory/budget.h"

#include <ctype.h>
#include <string.h>

#include "core/base/text.h"
#include "core/memory/build.h"
#include "core/model/field.h"

const struct crv_enum_name crv_basis_names[] = {
    {CRV_BASIS_ARITHMETIC, "arithmetic"}, {CRV_BASIS_ESTIMATED, "estimated"},
    {CRV_BASIS_MEASURED, "measured"},     {CRV_BASIS_DECLARED, "declared"},
    {CRV_BASIS_UNKNOWN, "unknown"},       {0, NULL},
};

/* -- items and sums -------------------------------------------------------------------------------
 */

static void no_memory(struct crv_build *b) {
  b->failed = true;
  crv_fail(b->err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

void crv_build_overflow(struct crv_build *b) {
  b->failed = true;
  crv_refuse(b->err, "/model", "parameters", "out_of_range", NULL,
             "The budget is more than 9007199254740991 bytes.");
}

bool crv_build_sum(struct crv_build *b, int64_t *sum, int64_t bytes) {
  if (b->failed) return false;
  if (crv_add(*sum, bytes, sum) && *sum <= CRV_INT_MAX) return true;
  crv_build_overflow(b);
  return false;
}

static struct crv_budget_item *new_item(struct crv_build *b, const char *name,
                                        enum crv_basis basis) {
  if (b->failed || b->n_items == b->max_items) return NULL;
  struct crv_budget_item *item = &b->items[b->n_items++];
  item->item = name;
  item->basis = basis;
  crv_build_phases(b, item, "");
  return item;
}

static void add_to(struct crv_build *b, enum crv_share share, int64_t whole, int64_t device) {
  switch (share) {
  case CRV_SHARE_FLOOR:
    b->has_floor = true;
    crv_build_sum(b, &b->floor, whole);
    crv_build_sum(b, &b->device_floor, device);
    break;
  case CRV_SHARE_DECLARED:
    crv_build_sum(b, &b->declared, whole);
    crv_build_sum(b, &b->device_declared, device);
    break;
  case CRV_SHARE_RESERVE:
    b->has_reserve = true;
    crv_build_sum(b, &b->reserve, whole);
    crv_build_sum(b, &b->device_reserve, device);
    break;
  }
}

struct crv_budget_item *crv_build_add(struct crv_build *b, enum crv_share share,
                                      enum crv_spread spread, const char *name, int64_t bytes,
                                      enum crv_basis basis) {
  int64_t whole = bytes, device = bytes;
  struct crv_budget_item *item = new_item(b, name, basis);
  if (!item) return NULL;
  if (spread == CRV_SPREAD_SHARDED)
    device = crv_cdiv(bytes, b->devices);
  else if (!crv_mul(bytes, b->devices, &whole))
    whole = INT64_MAX;
  item->bytes = (struct crv_opt_int){bytes, true};
  item->per_device = (struct crv_opt_int){device, true};
  item->floor = share == CRV_SHARE_FLOOR;
  add_to(b, share, whole, device);
  return b->failed ? NULL : item;
}

struct crv_budget_item *crv_build_unknown(struct crv_build *b, const char *name, const char *note) {
  struct crv_budget_item *item = new_item(b, name, CRV_BASIS_UNKNOWN);
  if (!item) return NULL;
  item->note = note;
  b->unknown[b->n_unknown++] = name;
  return item;
}

void crv_build_input(struct crv_budget_item *item, const char *name, enum crv_fact_type type,
                     int64_t v) {
  if (item->n_inputs == CRV_MAX_INPUTS) return;
  item->inputs[item->n_inputs++] = (struct crv_fact){.name = name, .type = type, .i = v};
}

void crv_build_phases(struct crv_build *b, struct crv_budget_item *item, const char *but) {
  item->n_phases = 0;
  for (size_t i = 0; i < b->n_phases; i++)
    if (!strstr(but, b->phases[i])) item->phases[item->n_phases++] = b->phases[i];
}

void crv_build_left_out(struct crv_build *b, const char *sentence) {
  if (!sentence) no_memory(b);
  if (!b->failed) b->left_out[b->n_left_out++] = sentence;
}

/* -- weights --------------------------------------------------------------------------------------
 */

static bool shards_weights(enum crv_strategy s) {
  return s == CRV_STRATEGY_TENSOR_PARALLEL || s == CRV_STRATEGY_PIPELINE_PARALLEL ||
         s == CRV_STRATEGY_ZERO3 || s == CRV_STRATEGY_FSDP;
}

bool crv_build_weights_stay(const struct crv_sheet *s) {
  static const char *const others[] = {"none", "kv_cache", "optimizer", "gradients", "activations"};
  const char *offload = s->execution ? s->execution->offload : NULL;
  bool stay = !offload;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) stay |= crv_streq(offload, others[i]);
  return stay;
}

static struct crv_opt_int unknown_weights(struct crv_build *b, const char *note) {
  b->unknown_weights = true;
  crv_build_unknown(b, "weights", note);
  return (struct crv_opt_int){0, false};
}

/* parameters * bits / 8, rounded up: bytes of one copy. */
static struct crv_opt_int add_weights(struct crv_build *b, const struct crv_weight_format *f) {
  const struct crv_opt_int none = {0, false};
  const struct crv_model *model = b->sheet->model;
  bool stay = crv_build_weights_stay(b->sheet);
  int64_t bytes;
  if (!model || !model->parameters.set)
    return unknown_weights(b, "The sheet does not state model.parameters.");
  if (!f) return unknown_weights(b, "The sheet names no known format in precision.weights.");
  if (!crv_muldiv(model->parameters.v, f->bits_num, f->bits_den * 8, true, &bytes)) {
    crv_build_overflow(b);
    return none;
  }
  struct crv_budget_item *item =
      crv_build_add(b, stay ? CRV_SHARE_FLOOR : CRV_SHARE_DECLARED,
                    shards_weights(b->strategy) ? CRV_SPREAD_SHARDED : CRV_SPREAD_REPLICATED,
                    "weights", bytes, CRV_BASIS_ARITHMETIC);
  if (!item) return none;
  item->formula = "weights.dense";
  item->source = f->source;
  item->note = stay ? f->note : "May leave the device: not part of the floor.";
  crv_build_input(item, "parameters", CRV_FACT_INT, model->parameters.v);
  if (f->bits_den == 1)
    crv_build_input(item, "bits", CRV_FACT_INT, f->bits_num);
  else
    crv_build_input(item, "bits", CRV_FACT_DECIMAL, f->bits_num * CRV_MICRO / f->bits_den);
  if (!f->exact)
    crv_build_left_out(b, crv_arena_printf(b->arena, "weights in %s: %s", f->id, f->note));
  return (struct crv_opt_int){bytes, true};
}

/* -- cache ----------------------------------------------------------------------------------------
 */

/* Does the reserve item's own text name the key-value cache? */
static bool names_cache(const char *s) {
  char word[16];
  size_t n = 0;
  for (;; s++) {
    unsigned char c = (unsigned char)*s;
    if (c < 0x80 && isalpha(c)) {
      if (n + 1 < sizeof word) word[n++] = (char)tolower(c);
      continue;
    }
    word[n] = '\0';
    if (!strcmp(word, "cache") || !strcmp(word, "kv") || !strcmp(word, "kvcache")) return true;
    if (c == '\0') return false;
    n = 0;
  }
}

static void add_cache(struct crv_build *b) {
  const struct crv_list *reserve = &b->sheet->reserve;
  for (size_t i = 0; i < reserve->n; i++) {
    const struct crv_reserve *r = crv_list_at(*reserve, struct crv_reserve, i);
    if (!names_cache(r->item)) continue;
    crv_build_left_out(b, crv_arena_printf(b->arena,
                                           "kv_cache is not separated: inside the declared "
                                           "reserve (%s).",
                                           r->item));
    return;
  }
  crv_build_unknown(b, "kv_cache", "A parameter count gives no cache geometry.");
}

/* -- declared items -------------------------------------------------------------------------------
 */

static void add_reserve(struct crv_build *b, const struct crv_reserve *r) {
  if (!r->bytes.set) {
    b->unknown_reserve = true;
    crv_build_unknown(b, r->item, r->why);
    return;
  }
  bool measured = r->basis == CRV_RESERVE_MEASURED;
  struct crv_budget_item *item = crv_build_add(
      b, CRV_SHARE_RESERVE, r->per == CRV_PER_TOTAL ? CRV_SPREAD_SHARDED : CRV_SPREAD_REPLICATED,
      r->item, r->bytes.v, measured ? CRV_BASIS_MEASURED : CRV_BASIS_DECLARED);
  if (!item) return;
  item->source = measured ? r->evidence : "the sheet's reserve";
  item->note = r->why;
}

/* Every device of a job holds its assets and textures. */
static void add_amounts(struct crv_build *b, const struct crv_list *amounts) {
  for (size_t i = 0; i < amounts->n; i++) {
    const struct crv_amount_item *a = crv_list_at(*amounts, struct crv_amount_item, i);
    struct crv_budget_item *item = a->bytes.set
                                       ? crv_build_add(b, CRV_SHARE_DECLARED, CRV_SPREAD_REPLICATED,
                                                       a->item, a->bytes.v, CRV_BASIS_DECLARED)
                                       : crv_build_unknown(b, a->item, a->why);
    if (!item) continue;
    item->source = "the sheet's scene";
    item->note = a->why;
  }
}

/* -- the whole ------------------------------------------------------------------------------------
 */

static bool start(struct crv_build *b) {
  enum { COMPUTED = 8 }; /* weights, cache, adapter, gradients, optimizer, activations, runtime */
  const struct crv_scene *scene = b->sheet->scene;
  b->n_phases = crv_sheet_phases(b->sheet, b->phases);
  b->max_items = COMPUTED + b->sheet->reserve.n;
  if (scene) b->max_items += scene->assets.n + scene->textures.n;
  b->items = crv_new_array(b->arena, b->max_items, struct crv_budget_item);
  b->unknown = crv_new_array(b->arena, b->max_items, const char *);
  b->left_out = crv_new_array(b->arena, COMPUTED, const char *);
  if (!b->items || !b->unknown || !b->left_out) no_memory(b);
  return !b->failed;
}

static struct crv_opt_int add_all(struct crv_build *b, const struct crv_weight_format *format) {
  struct crv_opt_int weights = {0, false};
  const struct crv_sheet *s = b->sheet;
  if (crv_task_has_model(s->task)) {
    weights = add_weights(b, format);
    if (s->task == CRV_TASK_INFERENCE)
      add_cache(b);
    else
      crv_build_training(b, weights, format);
    crv_build_unknown(b, "activations", "Not computed: a run measures them.");
  } else if (s->scene) {
    add_amounts(b, &s->scene->assets);
    add_amounts(b, &s->scene->textures);
  }
  crv_build_unknown(b, "runtime.context", "Not computed: a run measures it.");
  for (size_t i = 0; i < s->reserve.n; i++)
    add_reserve(b, crv_list_at(s->reserve, struct crv_reserve, i));
  return weights;
}

static bool fill_phases(struct crv_build *b, struct crv_budget *ret) {
  struct crv_phase_bytes *phases = crv_new_array(b->arena, b->n_phases, struct crv_phase_bytes);
  if (!phases) return no_memory(b), false;
  for (size_t i = 0; i < b->n_phases; i++) {
    struct crv_opt_int *bytes = &phases[i].bytes;
    phases[i].phase = b->phases[i];
    for (size_t k = 0; k < b->n_items; k++) {
      const struct crv_budget_item *item = &b->items[k];
      bool here = false;
      for (size_t p = 0; p < item->n_phases; p++) here |= item->phases[p] == b->phases[i];
      if (!here || !item->per_device.set) continue;
      bytes->set = true;
      crv_build_sum(b, &bytes->v, item->per_device.v);
    }
  }
  ret->phases = (struct crv_list){b->n_phases, phases};
  return !b->failed;
}

static bool fill_sums(struct crv_build *b, struct crv_budget *ret) {
  bool reserve = b->has_reserve && !b->unknown_reserve;
  bool base = b->has_floor || !b->unknown_weights;
  int64_t whole = b->floor, device = b->device_floor;
  crv_build_sum(b, &whole, b->declared);
  crv_build_sum(b, &whole, b->reserve);
  crv_build_sum(b, &device, b->device_declared);
  crv_build_sum(b, &device, b->device_reserve);
  ret->floor_bytes = (struct crv_opt_int){b->has_floor ? b->floor : 0, b->has_floor};
  ret->device_floor = (struct crv_opt_int){b->has_floor ? b->device_floor : 0, b->has_floor};
  ret->reserve_bytes = (struct crv_opt_int){reserve ? b->reserve : 0, reserve};
  ret->envelope_bytes = (struct crv_opt_int){reserve && base ? whole : 0, reserve && base};
  ret->device_envelope = (struct crv_opt_int){reserve && base ? device : 0, reserve && base};
  return !b->failed;
}

bool crv_budget_make(const struct crv_sheet *sheet, int64_t devices, enum crv_strategy strategy,
                     struct crv_arena *a, struct crv_budget *ret, struct crv_err *err) {
  struct crv_build b = {
      .sheet = sheet,
      .devices = devices < 1 ? 1 : devices,
      .strategy = strategy ? strategy : CRV_STRATEGY_SINGLE,
      .arena = a,
      .err = err,
  };
  const char *id = sheet->precision ? sheet->precision->weights : NULL;
  if (!start(&b)) return false;
  struct crv_opt_int weights = add_all(&b, id ? crv_weight_format(id) : NULL);
  *ret = (struct crv_budget){
      .parameters = sheet->model ? sheet->model->parameters : (struct crv_opt_int){0, false},
      .weights_bytes = weights,
      .headroom_bytes = sheet->headroom ? sheet->headroom->bytes : (struct crv_opt_int){0, false},
      .devices = b.devices,
      .strategy = b.strategy,
      .items = {b.n_items, b.items},
      .unknown = {b.n_unknown, b.unknown},
      .left_out = {b.n_left_out, b.left_out},
      .complete = b.n_unknown == 0 && b.n_left_out == 0,
  };
  return !b.failed && fill_phases(&b, ret) && fill_sums(&b, ret);
}

bool crv_budget_formats(const struct crv_sheet *sheet, const struct crv_budget *b,
                        struct crv_arena *a, struct crv_list *ret, struct crv_err *err) {
  size_t n = 0;
  while (crv_weight_format_usual(n)) n++;
  struct crv_format_row *rows = crv_new_array(a, n, struct crv_format_row);
  if (!rows) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  for (size_t i = 0; i < n; i++) {
    const struct crv_weight_format *f = crv_weight_format_usual(i);
    struct crv_precision precision = {.weights = f->id};
    struct crv_sheet with = *sheet;
    struct crv_budget budget;
    with.precision = &precision;
    if (!crv_budget_make(&with, b->devices, b->strategy, a, &budget, err)) return false;
    rows[i] = (struct crv_format_row){
        .format = f->id,
        .note = f->note,
        .weights_bytes = budget.weights_bytes,
        .envelope_bytes = budget.envelope_bytes,
    };
  }
  *ret = (struct crv_list){crv_task_has_model(sheet->task) ? n : 0, rows};
  return true;
}
