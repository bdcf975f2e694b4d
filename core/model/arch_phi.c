/* Phi-1.5 and Phi-2 (biases everywhere, one LayerNorm a layer, head with bias), Phi-3, 3.5 and 4
   (Llama's counts with fused projections). Source: huggingface/transformers
   src/transformers/models/{phi,phi3}/configuration_*.py and modeling_*.py. Must not know: bytes. */
#include "core/model/arch_in.h"

static void mlp_of_two(struct crv_cfg *c, const char *prefix) {
  struct crv_add add = {.path = crv_path(c, prefix, "layers.{}.mlp.fc1", ""),
                        .part = CRV_PART_MLP,
                        .where = CRV_WHERE_LAYERS,
                        .shard = CRV_SHARD_ROWS,
                        .rows = c->arch->intermediate,
                        .cols = c->arch->hidden,
                        .bias = true};
  crv_add_linear(c, add);
  add.path = crv_path(c, prefix, "layers.{}.mlp.fc2", "");
  add.shard = CRV_SHARD_COLS;
  add.rows = c->arch->hidden;
  add.cols = c->arch->intermediate;
  crv_add_linear(c, add);
}

void crv_arch_phi(struct crv_cfg *c, const char *prefix) {
  struct crv_decoder d = {.prefix = prefix, .out = "dense", .qkv_bias = true, .out_bias = true};
  const char *attention = crv_path(c, prefix, "layers.{}.self_attn.", "");
  crv_decoder_dims(c);
  crv_decoder_kv_heads(c, true);
  crv_decoder_head_dim(c);
  crv_decoder_check(c);
  if (!crv_arch_layers(c)) return;
  crv_decoder_attention(c, &d);
  mlp_of_two(c, prefix);
  crv_add_norm(c, CRV_WHERE_LAYERS, crv_path(c, prefix, "layers.{}.input_layernorm", ""),
               c->arch->hidden, true);
  if (crv_cfg_flag_or(c, "qk_layernorm", false)) {
    crv_add_norm(c, CRV_WHERE_LAYERS, crv_path(c, attention, "q_layernorm", ""), c->arch->head_dim,
                 true);
    crv_add_norm(c, CRV_WHERE_LAYERS, crv_path(c, attention, "k_layernorm", ""), c->arch->head_dim,
                 true);
  }
  crv_add_embedding(c, crv_path(c, prefix, "embed_tokens", ""), c->arch->vocab);
  crv_add_norm(c, CRV_WHERE_MODEL, crv_path(c, prefix, "final_layernorm", ""), c->arch->hidden,
               true);
  crv_add_head(c, "lm_head", true);
}

void crv_arch_phi3(struct crv_cfg *c, const char *prefix) {
  struct crv_decoder d = {.prefix = prefix, .fused = true};
  crv_decoder_dims(c);
  crv_decoder_kv_heads(c, true);
  crv_decoder_head_dim(c);
  crv_decoder_check(c);
  if (!crv_arch_layers(c)) return;
  struct crv_opt_int window = crv_cfg_opt(c, "sliding_window", 1);
  if (!crv_cfg_has(c, "sliding_window")) crv_cfg_assume(c, "sliding_window", "null");
  if (window.set) crv_arch_slide_all(c, window.v);
  crv_decoder_dense(c, &d);
}
