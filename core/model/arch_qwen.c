/* Qwen 2 and 2.5 (biases on q, k, v), Qwen 3 (norms on q and k, explicit head_dim), Qwen 1.5/2-MoE
   (shared expert with a gate) and Qwen3-MoE. sliding_window counts only with use_sliding_window.
   Source: huggingface/transformers src/transformers/models/{qwen2,qwen2_moe,qwen3,qwen3_moe}/
   configuration_*.py and modeling_*.py. Must not know: bytes. */
#include "core/model/arch_in.h"

/* Layers from max_window_layers on slide; null: none does. */
static void slide_late(struct crv_cfg *c) {
  struct crv_arch *arch = c->arch;
  int64_t from = crv_cfg_or(c, "max_window_layers", 0, 28);
  if (crv_cfg_is_null(c, "sliding_window") || from >= arch->layers) return;
  arch->window = crv_cfg_or(c, "sliding_window", 1, 4096);
  for (int64_t i = from; i < arch->layers; i++) {
    arch->layer[i].attention = CRV_ATTN_SLIDING;
    arch->layer[i].window = arch->window;
  }
}

static void attention_kinds(struct crv_cfg *c) {
  bool use = crv_cfg_flag_or(c, "use_sliding_window", false);
  if (crv_arch_layer_types(c)) {
    if (!use && c->arch->window)
      crv_cfg_fail(c, "layer_types", "conflict", NULL,
                   "It has layers that slide, while use_sliding_window is false.");
    return;
  }
  if (!use) return;
  /* Of the classes with experts each has a rule of its own, and engines have others. */
  if (c->arch->experts.count)
    crv_cfg_fail(c, "use_sliding_window", "not_yet", "false, or layer_types",
                 "Which layers of a %s slide must be told by layer_types.", c->row->model_type);
  else
    slide_late(c);
}

static void dims(struct crv_cfg *c) {
  crv_decoder_dims(c);
  crv_decoder_kv_heads(c, false);
}

static void dense(struct crv_cfg *c, const struct crv_decoder *d) {
  crv_decoder_check(c);
  if (!crv_arch_layers(c)) return;
  attention_kinds(c);
  crv_decoder_dense(c, d);
}

void crv_arch_qwen2(struct crv_cfg *c, const char *prefix) {
  dims(c);
  crv_decoder_head_dim(c);
  dense(c, &(struct crv_decoder){.prefix = prefix, .qkv_bias = true});
}

void crv_arch_qwen3(struct crv_cfg *c, const char *prefix) {
  struct crv_decoder d = {.prefix = prefix, .qk_norm = true};
  dims(c);
  c->arch->head_dim = crv_cfg_or(c, "head_dim", 1, 128);
  d.qkv_bias = d.out_bias = crv_cfg_flag_or(c, "attention_bias", false);
  dense(c, &d);
}

/* Layer i has experts unless mlp_only_layers names it, at every decoder_sparse_step-th. */
static void place_experts(struct crv_cfg *c) {
  int64_t step = crv_cfg_or(c, "decoder_sparse_step", 1, 1);
  const json_t *only = crv_cfg_list(c, "mlp_only_layers", JSON_INTEGER, CRV_ARCH_LAYERS), *one;
  size_t i;
  if (!crv_cfg_has(c, "mlp_only_layers")) crv_cfg_assume(c, "mlp_only_layers", "[]");
  for (int64_t l = 0; l < c->arch->layers; l++) c->arch->layer[l].experts = (l + 1) % step == 0;
  json_array_foreach(only, i, one) {
    int64_t l = json_integer_value(one);
    if (l >= c->arch->layers) {
      crv_cfg_fail(c, "mlp_only_layers", "conflict", NULL, "There is no layer %lld.", (long long)l);
      return;
    }
    c->arch->layer[l].experts = false;
  }
}

static void read_experts(struct crv_cfg *c, bool shared) {
  struct crv_arch_experts *e = &c->arch->experts;
  e->count = crv_cfg_need(c, "num_experts");
  e->per_token = crv_cfg_need(c, "num_experts_per_tok");
  e->intermediate = crv_cfg_need(c, "moe_intermediate_size");
  if (shared) e->shared_intermediate = crv_cfg_need(c, "shared_expert_intermediate_size");
  if (e->per_token > e->count)
    crv_cfg_fail(c, "num_experts_per_tok", "conflict", NULL, "More than num_experts.");
  place_experts(c);
}

static void add_router(struct crv_cfg *c, const char *prefix, const char *name, int64_t rows) {
  crv_add_linear(c, (struct crv_add){.path = crv_path(c, prefix, "layers.{}.mlp.", name),
                                     .part = CRV_PART_ROUTER,
                                     .where = CRV_WHERE_EXPERT_LAYERS,
                                     .rows = rows,
                                     .cols = c->arch->hidden});
}

static void moe(struct crv_cfg *c, const struct crv_decoder *d, bool shared) {
  struct crv_arch *arch = c->arch;
  struct crv_arch_experts *e = &arch->experts;
  crv_decoder_check(c);
  if (!crv_arch_layers(c)) return;
  read_experts(c, shared);
  attention_kinds(c);
  crv_decoder_attention(c, d);
  crv_decoder_mlp(c, d, CRV_WHERE_DENSE_LAYERS, CRV_PART_MLP, "mlp", arch->intermediate, 1);
  add_router(c, d->prefix, "gate", e->count);
  crv_decoder_mlp(c, d, CRV_WHERE_EXPERT_LAYERS, CRV_PART_EXPERTS, "mlp.experts.{e}",
                  e->intermediate, e->count);
  if (shared) {
    crv_decoder_mlp(c, d, CRV_WHERE_EXPERT_LAYERS, CRV_PART_SHARED_EXPERTS, "mlp.shared_expert",
                    e->shared_intermediate, 1);
    add_router(c, d->prefix, "shared_expert_gate", 1);
  }
  crv_decoder_norms(c, d);
  crv_decoder_ends(c, d);
}

void crv_arch_qwen2_moe(struct crv_cfg *c, const char *prefix) {
  struct crv_decoder d = {.prefix = prefix};
  dims(c);
  crv_decoder_head_dim(c);
  d.qkv_bias = crv_cfg_flag_or(c, "qkv_bias", true);
  moe(c, &d, true);
}

void crv_arch_qwen3_moe(struct crv_cfg *c, const char *prefix) {
  struct crv_decoder d = {.prefix = prefix, .qk_norm = true};
  dims(c);
  c->arch->head_dim = crv_cfg_need(c, "head_dim");
  d.qkv_bias = d.out_bias = crv_cfg_flag_or(c, "attention_bias", false);
  moe(c, &d, false);
}
