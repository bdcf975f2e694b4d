/* The weight table: rows added by the adapters, then places, totals and the split of the
   parameters; layers and their attention; the tie of embedding and head.
   Must not know: any family. */
#include <string.h>

#include "core/base/text.h"
#include "core/model/arch_in.h"

static const char *last_part(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot ? dot + 1 : path;
}

static void push(struct crv_cfg *c, const struct crv_weight *w) {
  struct crv_list *list = &c->arch->weights;
  if (!list->at) list->at = crv_new_array(c->a, CRV_ARCH_WEIGHTS, struct crv_weight);
  if (!list->at || !w->name || !w->module || list->n == CRV_ARCH_WEIGHTS)
    c->state->no_memory = true;
  else
    *crv_list_at(*list, struct crv_weight, list->n++) = *w;
}

static struct crv_weight row(const struct crv_add *add) {
  return (struct crv_weight){
      .name = add->path,
      .module = last_part(add->path),
      .part = add->part,
      .where = add->where,
      .shard = add->shard ? add->shard : CRV_SHARD_NONE,
      .rows = add->rows,
      .cols = add->cols,
      .each = add->each ? add->each : 1,
      .stacked = add->stacked,
      .transposed = add->transposed,
  };
}

void crv_add_vector(struct crv_cfg *c, struct crv_add add) {
  struct crv_weight w = row(&add);
  w.cols = 1;
  w.vector = true;
  push(c, &w);
}

void crv_add_linear(struct crv_cfg *c, struct crv_add add) {
  struct crv_weight w = row(&add);
  w.linear = !add.parameter;
  if (!add.parameter) w.name = crv_path(c, add.path, ".weight", "");
  push(c, &w);
  if (!add.bias) return;
  struct crv_add bias = add;
  w = row(&bias);
  w.name = crv_path(c, add.path, add.parameter ? "_bias" : ".bias", "");
  w.cols = 1;
  w.vector = true;
  /* A layer whose inputs are split adds its bias once, after the sum. */
  if (w.shard == CRV_SHARD_COLS) w.shard = CRV_SHARD_NONE;
  push(c, &w);
}

void crv_add_layer_linear(struct crv_cfg *c, const char *path, enum crv_part part,
                          enum crv_shard shard, int64_t rows, int64_t cols, bool bias) {
  crv_add_linear(c, (struct crv_add){.path = path,
                                     .part = part,
                                     .where = CRV_WHERE_LAYERS,
                                     .shard = shard,
                                     .rows = rows,
                                     .cols = cols,
                                     .bias = bias});
}

void crv_add_norm(struct crv_cfg *c, enum crv_where where, const char *path, int64_t n, bool bias) {
  struct crv_add add = {.path = crv_path(c, path, ".weight", ""),
                        .part = where == CRV_WHERE_VISION ? CRV_PART_VISION : CRV_PART_NORMS,
                        .where = where,
                        .rows = n};
  crv_add_vector(c, add);
  if (!bias) return;
  add.path = crv_path(c, path, ".bias", "");
  crv_add_vector(c, add);
}

void crv_add_embedding(struct crv_cfg *c, const char *path, int64_t rows) {
  crv_add_linear(c, (struct crv_add){.path = crv_path(c, path, ".weight", ""),
                                     .part = CRV_PART_EMBEDDING,
                                     .where = CRV_WHERE_MODEL,
                                     .shard = CRV_SHARD_ROWS,
                                     .rows = rows,
                                     .cols = c->arch->hidden,
                                     .parameter = true});
}

void crv_add_head(struct crv_cfg *c, const char *path, bool bias) {
  struct crv_add add = {.path = path,
                        .part = CRV_PART_HEAD,
                        .where = CRV_WHERE_MODEL,
                        .shard = CRV_SHARD_ROWS,
                        .rows = c->arch->vocab,
                        .cols = c->arch->hidden};
  if (c->arch->tied != CRV_TRUE) crv_add_linear(c, add);
  if (!bias) return;
  add.path = crv_path(c, path, ".bias", "");
  crv_add_vector(c, add);
}

bool crv_arch_layers(struct crv_cfg *c) {
  struct crv_arch *arch = c->arch;
  if (arch->layers > CRV_ARCH_LAYERS)
    return crv_cfg_fail(c, "num_hidden_layers", "out_of_range", "at most 4096",
                        "More layers than are read here: at most %d.", CRV_ARCH_LAYERS);
  arch->layer = crv_new_array(c->a, (size_t)arch->layers, struct crv_arch_layer);
  if (!arch->layer) {
    c->state->no_memory = true;
    return false;
  }
  for (int64_t i = 0; i < arch->layers; i++)
    arch->layer[i] = (struct crv_arch_layer){.attention = CRV_ATTN_FULL,
                                             .heads = arch->heads,
                                             .kv_heads = arch->kv_heads,
                                             .k_dim = arch->head_dim,
                                             .v_dim = arch->head_dim};
  return true;
}

static void slide(struct crv_cfg *c, int64_t i, int64_t window) {
  c->arch->layer[i].attention = CRV_ATTN_SLIDING;
  c->arch->layer[i].window = window;
  c->arch->window = window;
}

void crv_arch_slide_all(struct crv_cfg *c, int64_t window) {
  if (!c->arch->layer) return;
  for (int64_t i = 0; i < c->arch->layers; i++) slide(c, i, window);
}

void crv_arch_slide_but(struct crv_cfg *c, int64_t nth, int64_t window) {
  if (!c->arch->layer) return;
  for (int64_t i = 0; i < c->arch->layers; i++)
    if ((i + 1) % nth != 0) slide(c, i, window);
}

bool crv_arch_layer_types(struct crv_cfg *c) {
  const json_t *list = crv_cfg_list(c, "layer_types", JSON_STRING, CRV_ARCH_LAYERS), *one;
  int64_t window = 0;
  size_t i;
  if (!list || !c->arch->layer) return false;
  if ((int64_t)json_array_size(list) != c->arch->layers) {
    crv_cfg_fail(c, "layer_types", "conflict", NULL, "%zu entries for %lld layers.",
                 json_array_size(list), (long long)c->arch->layers);
    return true;
  }
  json_array_foreach(list, i, one) {
    if (crv_streq(json_string_value(one), "full_attention")) continue;
    if (!crv_streq(json_string_value(one), "sliding_attention")) {
      crv_cfg_fail(c, "layer_types", "not_one_of", "full_attention, sliding_attention",
                   "Entry %zu is no kind of attention that a %s has.", i, c->row->model_type);
      return true;
    }
    if (!window) window = crv_cfg_need(c, "sliding_window");
    slide(c, (int64_t)i, window);
  }
  return true;
}

void crv_arch_tie(struct crv_cfg *c, struct crv_cfg *parent) {
  struct crv_arch *arch = c->arch;
  enum crv_tri own = crv_cfg_flag(c, "tie_word_embeddings"), above = CRV_UNSET;
  if (parent) above = crv_cfg_flag(parent, "tie_word_embeddings");
  if (own && above && own != above)
    crv_cfg_fail(c, "tie_word_embeddings", "conflict", NULL,
                 "It differs from tie_word_embeddings of the whole config.");
  arch->tied = own ? own : above;
  arch->tie_source = arch->tied ? "config: tie_word_embeddings" : NULL;
  if (arch->tied || !c->row->tie_default) return;
  arch->tied = c->row->tie_default;
  arch->tie_source = c->row->source;
  crv_cfg_assume(c, "tie_word_embeddings", arch->tied == CRV_TRUE ? "true" : "false");
}

bool crv_arch_text_config(struct crv_cfg *c, const char *type, struct crv_cfg *ret) {
  if (!crv_cfg_sub(c, "text_config", ret)) {
    if (!c->state->failed)
      crv_cfg_fail(c, "text_config", "missing", NULL, "The language model's fields stand in it.");
    return false;
  }
  const char *has = crv_cfg_text(ret, "model_type");
  if (has && !crv_streq(has, type))
    crv_cfg_fail(ret, "model_type", "not_one_of", type, "Only %s is read under a %s.", type,
                 c->row->model_type);
  ret->row = crv_architecture(type);
  crv_arch_tie(ret, c);
  return true;
}

/* Layers that hold a weight. */
static int64_t places(const struct crv_arch *arch, enum crv_where where) {
  int64_t experts = 0;
  for (int64_t i = 0; i < arch->layers; i++) experts += arch->layer[i].experts;
  switch (where) {
  case CRV_WHERE_LAYERS:
    return arch->layers;
  case CRV_WHERE_DENSE_LAYERS:
    return arch->layers - experts;
  case CRV_WHERE_EXPERT_LAYERS:
    return experts;
  case CRV_WHERE_MTP_LAYERS:
    return arch->mtp_layers;
  default:
    return 1;
  }
}

static bool add_up(struct crv_arch *arch, struct crv_weight *w) {
  int64_t *sum = &arch->params.by[w->where == CRV_WHERE_MTP_LAYERS ? CRV_PART_MTP : w->part];
  w->places = places(arch, w->where);
  return crv_mul(w->rows, w->cols, &w->total) && crv_mul(w->total, w->each, &w->total) &&
         crv_mul(w->total, w->places, &w->total) && crv_add(*sum, w->total, sum);
}

static bool copies(struct crv_arch *arch) {
  int64_t n;
  if (!crv_mul(arch->vocab, arch->hidden, &n) || !crv_mul(n, 2, &n)) return false;
  return crv_mul(n, arch->mtp_layers, &arch->params.mtp_copies);
}

/* Everything but the experts that a token does not pass through. */
static void set_active(struct crv_arch *arch) {
  const struct crv_arch_experts *e = &arch->experts;
  struct crv_arch_params *p = &arch->params;
  int64_t routed = p->by[CRV_PART_EXPERTS];
  p->active = p->total;
  if (!e->count || !p->total.set) return;
  p->active.set = e->per_token > 0;
  p->active.v = p->total.v - (routed - routed / e->count * e->per_token);
}

/* The head's matrix, which a tied model does not have of its own. */
static bool set_totals(struct crv_arch *arch) {
  struct crv_arch_params *p = &arch->params;
  int64_t matrix, sum = 0;
  for (int part = 0; part < CRV_PART_MTP; part++)
    if (!crv_add(sum, p->by[part], &sum)) return false;
  if (!crv_mul(arch->vocab, arch->hidden, &matrix)) return false;
  if (arch->tied == CRV_TRUE && !crv_add(sum, matrix, &sum)) return false;
  p->if_untied = sum;
  p->if_tied = sum - matrix;
  p->total.set = arch->tied != CRV_UNSET;
  p->total.v = arch->tied == CRV_TRUE ? p->if_tied : p->if_untied;
  set_active(arch);
  return sum <= CRV_INT_MAX && p->by[CRV_PART_MTP] <= CRV_INT_MAX;
}

void crv_arch_total(struct crv_cfg *c) {
  struct crv_arch *arch = c->arch;
  bool ok = true;
  if (c->state->failed || c->state->no_memory) return;
  for (size_t i = 0; ok && i < arch->weights.n; i++)
    ok = add_up(arch, crv_list_at(arch->weights, struct crv_weight, i));
  ok = ok && copies(arch) && set_totals(arch);
  if (!ok) c->state->overflow = true;
}

bool crv_arch_settle_tie(struct crv_arch *arch, bool tied, const char *source) {
  struct crv_arch_params *p = &arch->params;
  enum crv_tri now = tied ? CRV_TRUE : CRV_FALSE;
  if (arch->tied != CRV_UNSET) return arch->tied == now;
  arch->tied = now;
  arch->tie_source = source;
  if (tied) {
    size_t n = 0;
    for (size_t i = 0; i < arch->weights.n; i++) {
      struct crv_weight w = *crv_list_at(arch->weights, struct crv_weight, i);
      if (w.part == CRV_PART_HEAD && w.linear)
        p->by[CRV_PART_HEAD] -= w.total;
      else
        *crv_list_at(arch->weights, struct crv_weight, n++) = w;
    }
    arch->weights.n = n;
  }
  p->total = (struct crv_opt_int){.set = true, .v = tied ? p->if_tied : p->if_untied};
  set_active(arch);
  return true;
}
