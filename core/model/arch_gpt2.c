/* GPT-2: learned positions, fused c_attn, biases everywhere, matrices stored [in, out], embedding
   and head tied by the class. Parameters: L (12 d^2 + 13 d) + 2 d + V d + P d when n_inner is 4 d.
   Source: huggingface/transformers src/transformers/models/gpt2/configuration_gpt2.py and
   modeling_gpt2.py. Must not know: bytes. */
#include "core/model/arch_in.h"

static int64_t fold(struct crv_cfg *c, int64_t n, int64_t by) {
  int64_t ret = 1;
  if (!crv_mul(n, by, &ret)) c->state->overflow = true;
  return ret;
}

static void dims(struct crv_cfg *c) {
  struct crv_arch *arch = c->arch;
  arch->hidden = crv_cfg_need2(c, "n_embd", "hidden_size");
  arch->layers = crv_cfg_need2(c, "n_layer", "num_hidden_layers");
  arch->heads = crv_cfg_need2(c, "n_head", "num_attention_heads");
  arch->vocab = crv_cfg_need(c, "vocab_size");
  arch->context = (struct crv_opt_int){
      .v = crv_cfg_need2(c, "n_positions", "max_position_embeddings"), .set = true};
  struct crv_opt_int inner = crv_cfg_opt(c, "n_inner", 1);
  if (!crv_cfg_has(c, "n_inner")) crv_cfg_assume(c, "n_inner", "4 * n_embd");
  arch->intermediate = inner.set ? inner.v : fold(c, arch->hidden, 4);
  arch->kv_heads = arch->heads;
  arch->head_dim = arch->hidden / arch->heads;
  if (!c->state->failed && arch->hidden % arch->heads != 0)
    crv_cfg_fail(c, "n_embd", "conflict", NULL, "It is no multiple of n_head.");
  if (crv_cfg_flag(c, "add_cross_attention") == CRV_TRUE)
    crv_cfg_fail(c, "add_cross_attention", "not_one_of", "false",
                 "A GPT-2 with cross-attention is not read here.");
}

static void add(struct crv_cfg *c, const char *path, enum crv_part part, enum crv_shard shard,
                int64_t rows, int64_t cols) {
  crv_add_linear(c, (struct crv_add){.path = path,
                                     .part = part,
                                     .where = CRV_WHERE_LAYERS,
                                     .shard = shard,
                                     .rows = rows,
                                     .cols = cols,
                                     .bias = true,
                                     .transposed = true});
}

void crv_arch_gpt2(struct crv_cfg *c, const char *prefix) {
  struct crv_arch *arch = c->arch;
  (void)prefix;
  dims(c);
  if (!crv_arch_layers(c)) return;
  int64_t d = arch->hidden, f = arch->intermediate;
  crv_add_embedding(c, "transformer.wte", arch->vocab);
  crv_add_embedding(c, "transformer.wpe", arch->context.v);
  crv_add_norm(c, CRV_WHERE_LAYERS, "transformer.h.{}.ln_1", d, true);
  add(c, "transformer.h.{}.attn.c_attn", CRV_PART_ATTENTION, CRV_SHARD_QKV_ROWS, fold(c, d, 3), d);
  add(c, "transformer.h.{}.attn.c_proj", CRV_PART_ATTENTION, CRV_SHARD_COLS, d, d);
  crv_add_norm(c, CRV_WHERE_LAYERS, "transformer.h.{}.ln_2", d, true);
  add(c, "transformer.h.{}.mlp.c_fc", CRV_PART_MLP, CRV_SHARD_ROWS, f, d);
  add(c, "transformer.h.{}.mlp.c_proj", CRV_PART_MLP, CRV_SHARD_COLS, d, f);
  crv_add_norm(c, CRV_WHERE_MODEL, "transformer.ln_f", d, true);
  crv_add_head(c, "lm_head", false);
}
