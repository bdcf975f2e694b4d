/* gpt-oss: sinks (one number a head), biases everywhere, experts stored as one tensor a layer,
   every other layer slides. Source: huggingface/transformers src/transformers/models/gpt_oss/
   configuration_gpt_oss.py and modeling_gpt_oss.py. Must not know: bytes. */
#include "core/model/arch_in.h"

static void router(struct crv_cfg *c, const char *below) {
  struct crv_add add = {.path = crv_path(c, below, "router.weight", ""),
                        .part = CRV_PART_ROUTER,
                        .where = CRV_WHERE_EXPERT_LAYERS,
                        .rows = c->arch->experts.count,
                        .cols = c->arch->hidden,
                        .parameter = true};
  crv_add_linear(c, add);
  add.path = crv_path(c, below, "router.bias", "");
  crv_add_vector(c, add);
}

/* Matrices that weight formats take, under names without ".weight". */
static void stack(struct crv_cfg *c, const char *path, enum crv_shard shard, int64_t rows,
                  int64_t cols) {
  struct crv_list *list = &c->arch->weights;
  size_t at = list->n;
  crv_add_linear(c, (struct crv_add){.path = path,
                                     .part = CRV_PART_EXPERTS,
                                     .where = CRV_WHERE_EXPERT_LAYERS,
                                     .shard = shard,
                                     .rows = rows,
                                     .cols = cols,
                                     .each = c->arch->experts.count,
                                     .bias = true,
                                     .stacked = true,
                                     .transposed = true,
                                     .parameter = true});
  if (at < list->n) crv_list_at(*list, struct crv_weight, at)->linear = true;
}

static void experts(struct crv_cfg *c, const char *prefix) {
  struct crv_arch *arch = c->arch;
  struct crv_arch_experts *e = &arch->experts;
  const char *below = crv_path(c, prefix, "layers.{}.mlp.", "");
  int64_t two = 2;
  e->count = crv_cfg_need2(c, "num_local_experts", "num_experts");
  e->per_token = crv_cfg_need2(c, "num_experts_per_tok", "experts_per_token");
  e->intermediate = arch->intermediate;
  if (e->per_token > e->count)
    crv_cfg_fail(c, "num_experts_per_tok", "conflict", NULL, "More than num_local_experts.");
  if (!crv_mul(e->intermediate, 2, &two)) c->state->overflow = true;
  for (int64_t i = 0; i < arch->layers; i++) arch->layer[i].experts = true;
  router(c, below);
  stack(c, crv_path(c, below, "experts.gate_up_proj", ""), CRV_SHARD_ROWS, two, arch->hidden);
  stack(c, crv_path(c, below, "experts.down_proj", ""), CRV_SHARD_COLS, arch->hidden,
        e->intermediate);
}

void crv_arch_gpt_oss(struct crv_cfg *c, const char *prefix) {
  struct crv_decoder d = {.prefix = prefix};
  struct crv_arch *arch = c->arch;
  crv_decoder_dims(c);
  crv_decoder_kv_heads(c, false);
  arch->head_dim = crv_cfg_or(c, "head_dim", 1, 64);
  crv_decoder_check(c);
  d.qkv_bias = d.out_bias = crv_cfg_flag_or(c, "attention_bias", true);
  if (!crv_arch_layers(c)) return;
  if (!crv_arch_layer_types(c)) crv_arch_slide_but(c, 2, crv_cfg_or(c, "sliding_window", 1, 128));
  crv_decoder_attention(c, &d);
  crv_add_vector(c, (struct crv_add){.path = crv_path(c, prefix, "layers.{}.self_attn.sinks", ""),
                                     .part = CRV_PART_ATTENTION,
                                     .where = CRV_WHERE_LAYERS,
                                     .shard = CRV_SHARD_ROWS,
                                     .rows = arch->heads});
  experts(c, prefix);
  crv_decoder_norms(c, &d);
  crv_decoder_ends(c, &d);
}
