/* Mixtral and Phi-3.5-MoE: every MLP is a router (d E) over E experts of 3 d f.
   Source: huggingface/transformers src/transformers/models/{mixtral,phimoe}/modeling_*.py (there
   before the experts were fused). Must not know: bytes. */
#include "core/model/arch_in.h"

static void experts(struct crv_cfg *c, const char *prefix) {
  struct crv_arch *arch = c->arch;
  const char *below = crv_path(c, prefix, "layers.{}.block_sparse_moe.", "");
  struct crv_arch_experts *e = &arch->experts;
  e->count = crv_cfg_need(c, "num_local_experts");
  e->per_token = crv_cfg_need(c, "num_experts_per_tok");
  e->intermediate = arch->intermediate;
  if (e->per_token > e->count)
    crv_cfg_fail(c, "num_experts_per_tok", "conflict", NULL, "More than num_local_experts.");
  for (int64_t i = 0; i < arch->layers; i++) arch->layer[i].experts = true;
  struct crv_add add = {.path = crv_path(c, below, "gate", ""),
                        .part = CRV_PART_ROUTER,
                        .where = CRV_WHERE_EXPERT_LAYERS,
                        .rows = e->count,
                        .cols = arch->hidden};
  crv_add_linear(c, add);
  add.part = CRV_PART_EXPERTS;
  add.each = e->count;
  add.shard = CRV_SHARD_ROWS;
  add.rows = e->intermediate;
  add.path = crv_path(c, below, "experts.{e}.w1", "");
  crv_add_linear(c, add);
  add.path = crv_path(c, below, "experts.{e}.w3", "");
  crv_add_linear(c, add);
  add.path = crv_path(c, below, "experts.{e}.w2", "");
  add.shard = CRV_SHARD_COLS;
  add.rows = arch->hidden;
  add.cols = e->intermediate;
  crv_add_linear(c, add);
}

static void read(struct crv_cfg *c, const struct crv_decoder *d) {
  struct crv_opt_int window;
  crv_decoder_dims(c);
  crv_decoder_kv_heads(c, false);
  crv_decoder_head_dim(c);
  crv_decoder_check(c);
  if (!crv_arch_layers(c)) return;
  window = crv_cfg_opt(c, "sliding_window", 1);
  if (!crv_cfg_has(c, "sliding_window")) crv_cfg_assume(c, "sliding_window", "null");
  if (window.set) crv_arch_slide_all(c, window.v);
  crv_decoder_attention(c, d);
  experts(c, d->prefix);
  crv_decoder_norms(c, d);
  crv_decoder_ends(c, d);
}

void crv_arch_mixtral(struct crv_cfg *c, const char *prefix) {
  read(c, &(struct crv_decoder){.prefix = prefix});
}

/* LayerNorm with bias throughout. */
void crv_arch_phimoe(struct crv_cfg *c, const char *prefix) {
  struct crv_decoder d = {.prefix = prefix, .norm_bias = true};
  d.qkv_bias = d.out_bias = crv_cfg_flag_or(c, "attention_bias", false);
  d.head_bias = crv_cfg_flag_or(c, "lm_head_bias", false);
  read(c, &d);
}
