/* GPT-NeoX and Pythia: fused query_key_value, biases, two LayerNorms a layer, head without bias.
   vocab_size of the config is the padded one, which is what is stored. Source:
   huggingface/transformers src/transformers/models/gpt_neox/configuration_gpt_neox.py and
   modeling_gpt_neox.py. Must not know: bytes. */
#include "core/model/arch_in.h"

void crv_arch_gpt_neox(struct crv_cfg *c, const char *prefix) {
  struct crv_arch *arch = c->arch;
  int64_t three = 3;
  (void)prefix;
  crv_decoder_dims(c);
  arch->kv_heads = arch->heads;
  arch->head_dim = arch->hidden / arch->heads;
  if (!c->state->failed && arch->hidden % arch->heads != 0)
    crv_cfg_fail(c, "hidden_size", "conflict", NULL, "It is no multiple of num_attention_heads.");
  bool bias = crv_cfg_flag_or(c, "attention_bias", true);
  if (!crv_arch_layers(c)) return;
  int64_t d = arch->hidden, f = arch->intermediate;
  if (!crv_mul(d, 3, &three)) c->state->overflow = true;
  crv_add_embedding(c, "gpt_neox.embed_in", arch->vocab);
  crv_add_norm(c, CRV_WHERE_LAYERS, "gpt_neox.layers.{}.input_layernorm", d, true);
  crv_add_norm(c, CRV_WHERE_LAYERS, "gpt_neox.layers.{}.post_attention_layernorm", d, true);
  crv_add_layer_linear(c, "gpt_neox.layers.{}.attention.query_key_value", CRV_PART_ATTENTION,
                       CRV_SHARD_QKV_ROWS, three, d, bias);
  crv_add_layer_linear(c, "gpt_neox.layers.{}.attention.dense", CRV_PART_ATTENTION, CRV_SHARD_COLS,
                       d, d, bias);
  crv_add_layer_linear(c, "gpt_neox.layers.{}.mlp.dense_h_to_4h", CRV_PART_MLP, CRV_SHARD_ROWS, f,
                       d, true);
  crv_add_layer_linear(c, "gpt_neox.layers.{}.mlp.dense_4h_to_h", CRV_PART_MLP, CRV_SHARD_COLS, d,
                       f, true);
  crv_add_norm(c, CRV_WHERE_MODEL, "gpt_neox.final_layer_norm", d, true);
  crv_add_head(c, "embed_out", false);
}
