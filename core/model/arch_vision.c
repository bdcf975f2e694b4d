/* Vision towers of the wrappers, counted exactly so that the whole file's parameters come out:
   SigLIP (Gemma 3) and Pixtral (Mistral Small 3). Source: huggingface/transformers
   src/transformers/models/{siglip,pixtral}/modeling_*.py. Must not know: the language model. */
#include "core/model/arch_in.h"

struct tower {
  const char *path; /* of a layer */
  int64_t hidden, layers;
};

static void add(struct crv_cfg *c, const struct tower *t, const char *name, int64_t rows,
                int64_t cols, bool bias) {
  crv_add_linear(c, (struct crv_add){.path = crv_path(c, t->path, name, ""),
                                     .part = CRV_PART_VISION,
                                     .where = CRV_WHERE_VISION,
                                     .rows = rows,
                                     .cols = cols,
                                     .each = t->layers,
                                     .bias = bias});
}

static void add_vector(struct crv_cfg *c, const struct tower *t, const char *name) {
  crv_add_vector(c, (struct crv_add){.path = crv_path(c, t->path, name, ""),
                                     .part = CRV_PART_VISION,
                                     .where = CRV_WHERE_VISION,
                                     .rows = t->hidden,
                                     .each = t->layers});
}

static int64_t product(struct crv_cfg *c, int64_t a, int64_t b) {
  int64_t ret = 1;
  if (!crv_mul(a, b, &ret)) c->state->overflow = true;
  return ret;
}

static void add_patches(struct crv_cfg *c, const char *path, const struct tower *t, bool bias) {
  int64_t patch = crv_cfg_need(c, "patch_size");
  int64_t channels = crv_cfg_or(c, "num_channels", 1, 3);
  crv_add_linear(c, (struct crv_add){.path = path,
                                     .part = CRV_PART_VISION,
                                     .where = CRV_WHERE_VISION,
                                     .rows = t->hidden,
                                     .cols = product(c, product(c, patch, patch), channels),
                                     .bias = bias});
}

static void siglip_positions(struct crv_cfg *c, const struct tower *t) {
  int64_t side = crv_cfg_need(c, "image_size") / crv_cfg_need(c, "patch_size");
  if (side < 1) {
    crv_cfg_fail(c, "image_size", "conflict", NULL, "Smaller than one patch.");
    return;
  }
  crv_add_linear(
      c, (struct crv_add){.path = "vision_tower.vision_model.embeddings.position_embedding.weight",
                          .part = CRV_PART_VISION,
                          .where = CRV_WHERE_VISION,
                          .rows = product(c, side, side),
                          .cols = t->hidden,
                          .parameter = true});
}

void crv_vision_siglip(struct crv_cfg *c) {
  struct tower t = {.path = "vision_tower.vision_model.encoder.layers.{}."};
  t.hidden = crv_cfg_need(c, "hidden_size");
  t.layers = crv_cfg_need(c, "num_hidden_layers");
  int64_t f = crv_cfg_need(c, "intermediate_size");
  if (crv_cfg_flag(c, "vision_use_head") != CRV_FALSE)
    crv_cfg_fail(c, "vision_use_head", "not_one_of", "false",
                 "Only a SigLIP tower without a pooling head is read (vision_use_head false).");
  add(c, &t, "self_attn.q_proj", t.hidden, t.hidden, true);
  add(c, &t, "self_attn.k_proj", t.hidden, t.hidden, true);
  add(c, &t, "self_attn.v_proj", t.hidden, t.hidden, true);
  add(c, &t, "self_attn.out_proj", t.hidden, t.hidden, true);
  add(c, &t, "mlp.fc1", f, t.hidden, true);
  add(c, &t, "mlp.fc2", t.hidden, f, true);
  add_vector(c, &t, "layer_norm1.weight");
  add_vector(c, &t, "layer_norm1.bias");
  add_vector(c, &t, "layer_norm2.weight");
  add_vector(c, &t, "layer_norm2.bias");
  add_patches(c, "vision_tower.vision_model.embeddings.patch_embedding", &t, true);
  siglip_positions(c, &t);
  crv_add_norm(c, CRV_WHERE_VISION, "vision_tower.vision_model.post_layernorm", t.hidden, true);
}

void crv_vision_pixtral(struct crv_cfg *c) {
  struct tower t = {.path = "vision_tower.transformer.layers.{}."};
  t.hidden = crv_cfg_need(c, "hidden_size");
  t.layers = crv_cfg_need(c, "num_hidden_layers");
  int64_t f = crv_cfg_need(c, "intermediate_size");
  add(c, &t, "attention.q_proj", t.hidden, t.hidden, false);
  add(c, &t, "attention.k_proj", t.hidden, t.hidden, false);
  add(c, &t, "attention.v_proj", t.hidden, t.hidden, false);
  add(c, &t, "attention.o_proj", t.hidden, t.hidden, false);
  add(c, &t, "feed_forward.gate_proj", f, t.hidden, false);
  add(c, &t, "feed_forward.up_proj", f, t.hidden, false);
  add(c, &t, "feed_forward.down_proj", t.hidden, f, false);
  add_vector(c, &t, "attention_norm.weight");
  add_vector(c, &t, "ffn_norm.weight");
  add_patches(c, "vision_tower.patch_conv", &t, false);
  crv_add_norm(c, CRV_WHERE_VISION, "vision_tower.ln_pre", t.hidden, false);
}
