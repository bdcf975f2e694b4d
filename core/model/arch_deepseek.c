/* DeepSeek V2, V3, R1 and Kimi K2: multi-head latent attention, dense layers first, then routed and
   shared experts; V3 with layers for multi-token prediction, which stand outside of the total.
   Source: huggingface/transformers src/transformers/models/{deepseek_v2,deepseek_v3}/modeling_*.py;
   MTP and its copies of embedding and head: deepseek-ai/DeepSeek-V3 README_WEIGHTS.md.
   Must not know: bytes. */
#include "core/model/arch_in.h"

static int64_t fold(struct crv_cfg *c, int64_t n, int64_t by) {
  int64_t ret = 1;
  if (!crv_mul(n, by, &ret)) c->state->overflow = true;
  return ret;
}

static int64_t plus(struct crv_cfg *c, int64_t a, int64_t b) {
  int64_t ret = 1;
  if (!crv_add(a, b, &ret)) c->state->overflow = true;
  return ret;
}

static void dims(struct crv_cfg *c) {
  struct crv_arch *arch = c->arch;
  struct crv_arch_mla *m = &arch->mla;
  crv_decoder_dims(c);
  struct crv_opt_int q = crv_cfg_opt(c, "q_lora_rank", 1);
  if (!crv_cfg_has(c, "q_lora_rank"))
    crv_cfg_fail(c, "q_lora_rank", "missing", "a number, or null for none",
                 "The config of a %s states it.", c->row->model_type);
  m->set = true;
  m->q_rank = q.set ? q.v : 0;
  m->kv_rank = crv_cfg_need(c, "kv_lora_rank");
  m->nope = crv_cfg_need(c, "qk_nope_head_dim");
  m->rope = crv_cfg_need(c, "qk_rope_head_dim");
  m->v = crv_cfg_need(c, "v_head_dim");
  crv_cfg_opt(c, "num_key_value_heads", 1);
  arch->kv_heads = arch->heads;
  arch->head_dim = plus(c, m->nope, m->rope);
}

/* Layer i has experts from first_k_dense_replace on, at every moe_layer_freq-th. */
static void place_experts(struct crv_cfg *c) {
  struct crv_arch *arch = c->arch;
  struct crv_opt_int first = crv_cfg_opt(c, "first_k_dense_replace", 0);
  int64_t every = crv_cfg_or(c, "moe_layer_freq", 1, 1);
  if (!first.set && !c->state->failed)
    crv_cfg_fail(c, "first_k_dense_replace", "missing", NULL, "The config of a %s states it.",
                 c->row->model_type);
  for (int64_t i = 0; i < arch->layers; i++)
    arch->layer[i].experts = i >= first.v && i % every == 0;
}

static void read_experts(struct crv_cfg *c) {
  struct crv_arch_experts *e = &c->arch->experts;
  struct crv_opt_int shared = crv_cfg_opt(c, "n_shared_experts", 0);
  e->count = crv_cfg_need(c, "n_routed_experts");
  e->per_token = crv_cfg_need(c, "num_experts_per_tok");
  e->intermediate = crv_cfg_need(c, "moe_intermediate_size");
  if (shared.set) e->shared_intermediate = fold(c, e->intermediate, shared.v);
  if (e->per_token > e->count)
    crv_cfg_fail(c, "num_experts_per_tok", "conflict", NULL, "More than n_routed_experts.");
  place_experts(c);
}

static void add(struct crv_cfg *c, const char *layer, struct crv_add add, const char *name) {
  add.path = crv_path(c, layer, "self_attn.", name);
  crv_add_linear(c, add);
}

static void queries(struct crv_cfg *c, const char *layer, enum crv_where where, bool bias) {
  const struct crv_arch_mla *m = &c->arch->mla;
  struct crv_add q = {.part = CRV_PART_ATTENTION,
                      .where = where,
                      .shard = CRV_SHARD_ROWS,
                      .rows = fold(c, c->arch->heads, plus(c, m->nope, m->rope)),
                      .cols = c->arch->hidden};
  if (!m->q_rank) {
    add(c, layer, q, "q_proj");
    return;
  }
  struct crv_add a = q;
  a.shard = CRV_SHARD_NONE;
  a.rows = m->q_rank;
  a.bias = bias;
  add(c, layer, a, "q_a_proj");
  crv_add_norm(c, where, crv_path(c, layer, "self_attn.q_a_layernorm", ""), m->q_rank, false);
  q.cols = m->q_rank;
  add(c, layer, q, "q_b_proj");
}

static void attention(struct crv_cfg *c, const char *layer, enum crv_where where, bool bias) {
  const struct crv_arch_mla *m = &c->arch->mla;
  struct crv_add kv = {.part = CRV_PART_ATTENTION,
                       .where = where,
                       .rows = plus(c, m->kv_rank, m->rope),
                       .cols = c->arch->hidden,
                       .bias = bias};
  queries(c, layer, where, bias);
  add(c, layer, kv, "kv_a_proj_with_mqa");
  crv_add_norm(c, where, crv_path(c, layer, "self_attn.kv_a_layernorm", ""), m->kv_rank, false);
  kv.shard = CRV_SHARD_ROWS;
  kv.rows = fold(c, c->arch->heads, plus(c, m->nope, m->v));
  kv.cols = m->kv_rank;
  kv.bias = false;
  add(c, layer, kv, "kv_b_proj");
  kv.shard = CRV_SHARD_COLS;
  kv.rows = c->arch->hidden;
  kv.cols = fold(c, c->arch->heads, m->v);
  kv.bias = bias;
  add(c, layer, kv, "o_proj");
}

static void experts(struct crv_cfg *c, const char *prefix, enum crv_where where, bool corrected) {
  const struct crv_arch_experts *e = &c->arch->experts;
  const char *gate = crv_path(c, prefix, "layers.{}.mlp.gate.", "");
  struct crv_decoder d = {.prefix = prefix};
  struct crv_add router = {.path = crv_path(c, gate, "weight", ""),
                           .part = CRV_PART_ROUTER,
                           .where = where,
                           .rows = e->count,
                           .cols = c->arch->hidden,
                           .parameter = true};
  crv_add_linear(c, router);
  router.path = crv_path(c, gate, "e_score_correction_bias", "");
  if (corrected) crv_add_vector(c, router);
  crv_decoder_mlp(c, &d, where, CRV_PART_EXPERTS, "mlp.experts.{e}", e->intermediate, e->count);
  if (e->shared_intermediate)
    crv_decoder_mlp(c, &d, where, CRV_PART_SHARED_EXPERTS, "mlp.shared_experts",
                    e->shared_intermediate, 1);
}

static void layer_norms(struct crv_cfg *c, const char *layer, enum crv_where where) {
  crv_add_norm(c, where, crv_path(c, layer, "input_layernorm", ""), c->arch->hidden, false);
  crv_add_norm(c, where, crv_path(c, layer, "post_attention_layernorm", ""), c->arch->hidden,
               false);
}

/* One more expert layer, three norms and the projection of two states into one: 3 d + 2 d^2. */
static void prediction(struct crv_cfg *c, const char *prefix, const char *layer, bool bias) {
  enum crv_where mtp = CRV_WHERE_MTP_LAYERS;
  int64_t d = c->arch->hidden;
  attention(c, layer, mtp, bias);
  experts(c, prefix, mtp, true);
  layer_norms(c, layer, mtp);
  crv_add_norm(c, mtp, crv_path(c, layer, "enorm", ""), d, false);
  crv_add_norm(c, mtp, crv_path(c, layer, "hnorm", ""), d, false);
  crv_add_norm(c, mtp, crv_path(c, layer, "shared_head.norm", ""), d, false);
  crv_add_linear(c, (struct crv_add){.path = crv_path(c, layer, "eh_proj", ""),
                                     .part = CRV_PART_OTHER,
                                     .where = mtp,
                                     .rows = d,
                                     .cols = fold(c, d, 2)});
}

static void read(struct crv_cfg *c, const char *prefix, bool v3) {
  struct crv_arch *arch = c->arch;
  struct crv_decoder d = {.prefix = prefix};
  const char *layer = crv_path(c, prefix, "layers.{}.", "");
  dims(c);
  bool bias = crv_cfg_flag_or(c, "attention_bias", false);
  if (!crv_arch_layers(c)) return;
  for (int64_t i = 0; i < arch->layers; i++) arch->layer[i].v_dim = arch->mla.v;
  read_experts(c);
  attention(c, layer, CRV_WHERE_LAYERS, bias);
  crv_decoder_mlp(c, &d, CRV_WHERE_DENSE_LAYERS, CRV_PART_MLP, "mlp", arch->intermediate, 1);
  experts(c, prefix, CRV_WHERE_EXPERT_LAYERS, v3);
  layer_norms(c, layer, CRV_WHERE_LAYERS);
  crv_decoder_ends(c, &d);
  if (!v3) return;
  struct crv_opt_int mtp = crv_cfg_opt(c, "num_nextn_predict_layers", 0);
  arch->mtp_layers = mtp.set ? mtp.v : 0;
  if (arch->mtp_layers) prediction(c, prefix, layer, bias);
}

void crv_arch_deepseek_v2(struct crv_cfg *c, const char *prefix) {
  read(c, prefix, false);
}

void crv_arch_deepseek_v3(struct crv_cfg *c, const char *prefix) {
  read(c, prefix, true);
}
