/* The building blocks of decoders shaped like Llama: fields under their usual names, attention
   with separate or fused projections, gated MLP, norms, ends. Shapes: huggingface/transformers
   src/transformers/models/llama/modeling_llama.py and its kin. Must not know: any one family. */
#include "core/model/arch_in.h"

void crv_decoder_dims(struct crv_cfg *c) {
  struct crv_arch *arch = c->arch;
  arch->hidden = crv_cfg_need(c, "hidden_size");
  arch->layers = crv_cfg_need(c, "num_hidden_layers");
  arch->heads = crv_cfg_need(c, "num_attention_heads");
  arch->intermediate = crv_cfg_need(c, "intermediate_size");
  arch->vocab = crv_cfg_need(c, "vocab_size");
  arch->context = crv_cfg_opt(c, "max_position_embeddings", 1);
}

void crv_decoder_kv_heads(struct crv_cfg *c, bool may_lack) {
  struct crv_opt_int k = crv_cfg_opt(c, "num_key_value_heads", 1);
  bool absent = !crv_cfg_has(c, "num_key_value_heads");
  c->arch->kv_heads = k.set ? k.v : c->arch->heads;
  if (absent && !may_lack)
    crv_cfg_fail(c, "num_key_value_heads", "missing", NULL, "The config of a %s states it.",
                 c->row->model_type);
  else if (absent)
    crv_cfg_assume(c, "num_key_value_heads", "num_attention_heads");
}

void crv_decoder_head_dim(struct crv_cfg *c) {
  struct crv_arch *arch = c->arch;
  struct crv_opt_int explicit = crv_cfg_opt(c, "head_dim", 1);
  arch->head_dim = explicit.set ? explicit.v : arch->hidden / arch->heads;
  if (!explicit.set && !c->state->failed && arch->hidden % arch->heads != 0)
    crv_cfg_fail(
        c, "head_dim", "missing", NULL,
        "hidden_size %lld is no multiple of %lld heads: the size of a head must be stated.",
        (long long)arch->hidden, (long long)arch->heads);
}

void crv_decoder_check(struct crv_cfg *c) {
  struct crv_arch *arch = c->arch;
  if (c->state->failed) return;
  if (arch->kv_heads > arch->heads || arch->heads % arch->kv_heads != 0)
    crv_cfg_fail(c, "num_key_value_heads", "conflict", NULL,
                 "%lld heads cannot share %lld key and value heads evenly.", (long long)arch->heads,
                 (long long)arch->kv_heads);
}

/* Products of two fields that each are at most 2^53 - 1. */
static int64_t times(struct crv_cfg *c, int64_t a, int64_t b) {
  int64_t ret = 1;
  if (!crv_mul(a, b, &ret)) c->state->overflow = true;
  return ret;
}

static void add_projection(struct crv_cfg *c, const struct crv_decoder *d, const char *path,
                           struct crv_add add) {
  add.path = crv_path(c, d->prefix, "layers.{}.", path);
  crv_add_linear(c, add);
}

static void add_separate(struct crv_cfg *c, const struct crv_decoder *d, int64_t q, int64_t kv) {
  struct crv_add add = {.part = CRV_PART_ATTENTION,
                        .where = CRV_WHERE_LAYERS,
                        .shard = CRV_SHARD_ROWS,
                        .rows = q,
                        .cols = c->arch->hidden,
                        .bias = d->qkv_bias};
  add_projection(c, d, "self_attn.q_proj", add);
  add.rows = kv;
  add.shard = CRV_SHARD_KV_ROWS;
  add_projection(c, d, "self_attn.k_proj", add);
  add_projection(c, d, "self_attn.v_proj", add);
}

static void add_fused(struct crv_cfg *c, const struct crv_decoder *d, int64_t q, int64_t kv) {
  int64_t rows = times(c, kv, 2);
  if (!crv_add(rows, q, &rows)) c->state->overflow = true;
  add_projection(c, d, "self_attn.qkv_proj",
                 (struct crv_add){.part = CRV_PART_ATTENTION,
                                  .where = CRV_WHERE_LAYERS,
                                  .shard = CRV_SHARD_QKV_ROWS,
                                  .rows = rows,
                                  .cols = c->arch->hidden,
                                  .bias = d->qkv_bias});
}

void crv_decoder_attention(struct crv_cfg *c, const struct crv_decoder *d) {
  struct crv_arch *arch = c->arch;
  int64_t q = times(c, arch->heads, arch->head_dim), kv = times(c, arch->kv_heads, arch->head_dim);
  if (d->fused)
    add_fused(c, d, q, kv);
  else
    add_separate(c, d, q, kv);
  add_projection(c, d, crv_path(c, "self_attn.", d->out ? d->out : "o_proj", ""),
                 (struct crv_add){.part = CRV_PART_ATTENTION,
                                  .where = CRV_WHERE_LAYERS,
                                  .shard = CRV_SHARD_COLS,
                                  .rows = arch->hidden,
                                  .cols = q,
                                  .bias = d->out_bias});
}

void crv_decoder_norms(struct crv_cfg *c, const struct crv_decoder *d) {
  const char *below = crv_path(c, d->prefix, "layers.{}.", "");
  int64_t n = c->arch->hidden;
  crv_add_norm(c, CRV_WHERE_LAYERS, crv_path(c, below, "input_layernorm", ""), n, d->norm_bias);
  crv_add_norm(c, CRV_WHERE_LAYERS, crv_path(c, below, "post_attention_layernorm", ""), n,
               d->norm_bias);
  if (d->four_norms) {
    crv_add_norm(c, CRV_WHERE_LAYERS, crv_path(c, below, "pre_feedforward_layernorm", ""), n,
                 false);
    crv_add_norm(c, CRV_WHERE_LAYERS, crv_path(c, below, "post_feedforward_layernorm", ""), n,
                 false);
  }
  if (!d->qk_norm) return;
  n = c->arch->head_dim;
  crv_add_norm(c, CRV_WHERE_LAYERS, crv_path(c, below, "self_attn.q_norm", ""), n, false);
  crv_add_norm(c, CRV_WHERE_LAYERS, crv_path(c, below, "self_attn.k_norm", ""), n, false);
}

void crv_decoder_mlp(struct crv_cfg *c, const struct crv_decoder *d, enum crv_where where,
                     enum crv_part part, const char *below, int64_t f, int64_t each) {
  const char *path = crv_path(c, below, ".", "");
  struct crv_add add = {.part = part,
                        .where = where,
                        .shard = CRV_SHARD_ROWS,
                        .rows = f,
                        .cols = c->arch->hidden,
                        .each = each,
                        .bias = d->mlp_bias};
  if (d->fused) {
    add.rows = times(c, f, 2);
    add_projection(c, d, crv_path(c, path, "gate_up_proj", ""), add);
  } else {
    add_projection(c, d, crv_path(c, path, "gate_proj", ""), add);
    add_projection(c, d, crv_path(c, path, "up_proj", ""), add);
  }
  add.rows = c->arch->hidden;
  add.cols = f;
  add.shard = CRV_SHARD_COLS;
  add_projection(c, d, crv_path(c, path, "down_proj", ""), add);
}

void crv_decoder_ends(struct crv_cfg *c, const struct crv_decoder *d) {
  crv_add_embedding(c, crv_path(c, d->prefix, "embed_tokens", ""), c->arch->vocab);
  crv_add_norm(c, CRV_WHERE_MODEL, crv_path(c, d->prefix, "norm", ""), c->arch->hidden,
               d->norm_bias);
  crv_add_head(c, d->head ? d->head : "lm_head", d->head_bias);
}

void crv_decoder_dense(struct crv_cfg *c, const struct crv_decoder *d) {
  crv_decoder_attention(c, d);
  crv_decoder_mlp(c, d, CRV_WHERE_LAYERS, CRV_PART_MLP, "mlp", c->arch->intermediate, 1);
  crv_decoder_norms(c, d);
  crv_decoder_ends(c, d);
}
