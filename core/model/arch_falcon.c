/* Falcon: 7B (one cached head, one LayerNorm before parallel attention and MLP), the new decoder
   architecture of 40B, 180B and 11B (groups, two LayerNorms unless num_ln_in_parallel_attn says
   one), and RW (cached heads as many as heads, biases, sequential). Source: huggingface/
   transformers src/transformers/models/falcon/configuration_falcon.py and modeling_falcon.py.
   Must not know: bytes. */
#include "core/model/arch_in.h"

struct shape {
  bool grouped, parallel, bias;
};

static int64_t fold(struct crv_cfg *c, int64_t n, int64_t by) {
  int64_t ret = 1;
  if (!crv_mul(n, by, &ret)) c->state->overflow = true;
  return ret;
}

/* As the class has it: num_kv_heads counts in the new architecture or without multi_query. */
static int64_t kv_heads(struct crv_cfg *c, bool grouped) {
  struct crv_opt_int k = crv_cfg_opt2(c, "num_kv_heads", "n_head_kv", 1);
  bool multi_query = crv_cfg_flag_or(c, "multi_query", true);
  if (!grouped) return multi_query ? 1 : c->arch->heads;
  if (!k.set)
    crv_cfg_fail(c, "num_kv_heads", "missing", NULL,
                 "A Falcon of the new decoder architecture states it (or n_head_kv).");
  return k.v;
}

static void dims(struct crv_cfg *c, struct shape *s) {
  struct crv_arch *arch = c->arch;
  arch->hidden = crv_cfg_need2(c, "hidden_size", "n_embed");
  arch->layers = crv_cfg_need2(c, "num_hidden_layers", "n_layer");
  arch->heads = crv_cfg_need2(c, "num_attention_heads", "n_head");
  arch->vocab = crv_cfg_need(c, "vocab_size");
  arch->context = crv_cfg_opt(c, "max_position_embeddings", 1);
  struct crv_opt_int inner = crv_cfg_opt(c, "ffn_hidden_size", 1);
  if (!inner.set) crv_cfg_assume(c, "ffn_hidden_size", "4 * hidden_size");
  arch->intermediate = inner.set ? inner.v : fold(c, arch->hidden, 4);
  s->grouped = crv_cfg_flag_or(c, "new_decoder_architecture", false);
  s->parallel = crv_cfg_flag_or(c, "parallel_attn", true);
  s->bias = crv_cfg_flag_or(c, "bias", false);
  arch->kv_heads = kv_heads(c, s->grouped);
  arch->head_dim = arch->hidden / arch->heads;
  if (!c->state->failed && arch->hidden % arch->heads != 0)
    crv_cfg_fail(c, "hidden_size", "conflict", NULL, "It is no multiple of num_attention_heads.");
  crv_decoder_check(c);
}

static void norms(struct crv_cfg *c, const struct shape *s) {
  struct crv_opt_int n = crv_cfg_opt(c, "num_ln_in_parallel_attn", 1);
  int64_t d = c->arch->hidden;
  bool two = n.set ? n.v == 2 : s->grouped;
  if (s->parallel && two) {
    crv_add_norm(c, CRV_WHERE_LAYERS, "transformer.h.{}.ln_attn", d, true);
    crv_add_norm(c, CRV_WHERE_LAYERS, "transformer.h.{}.ln_mlp", d, true);
    return;
  }
  crv_add_norm(c, CRV_WHERE_LAYERS, "transformer.h.{}.input_layernorm", d, true);
  if (!s->parallel)
    crv_add_norm(c, CRV_WHERE_LAYERS, "transformer.h.{}.post_attention_layernorm", d, true);
}

void crv_arch_falcon(struct crv_cfg *c, const char *prefix) {
  struct crv_arch *arch = c->arch;
  struct shape s = {false, false, false};
  int64_t rows = 1;
  (void)prefix;
  dims(c, &s);
  if (!crv_arch_layers(c)) return;
  int64_t d = arch->hidden, f = arch->intermediate;
  if (!crv_add(fold(c, arch->kv_heads, 2), arch->heads, &rows)) c->state->overflow = true;
  crv_add_embedding(c, "transformer.word_embeddings", arch->vocab);
  crv_add_layer_linear(c, "transformer.h.{}.self_attention.query_key_value", CRV_PART_ATTENTION,
                       CRV_SHARD_QKV_ROWS, fold(c, rows, arch->head_dim), d, s.bias);
  crv_add_layer_linear(c, "transformer.h.{}.self_attention.dense", CRV_PART_ATTENTION,
                       CRV_SHARD_COLS, d, d, s.bias);
  crv_add_layer_linear(c, "transformer.h.{}.mlp.dense_h_to_4h", CRV_PART_MLP, CRV_SHARD_ROWS, f, d,
                       s.bias);
  crv_add_layer_linear(c, "transformer.h.{}.mlp.dense_4h_to_h", CRV_PART_MLP, CRV_SHARD_COLS, d, f,
                       s.bias);
  norms(c, &s);
  crv_add_norm(c, CRV_WHERE_MODEL, "transformer.ln_f", d, true);
  crv_add_head(c, "lm_head", false);
}
