/* Llama and what has its shapes (Yi, SmolLM3 and others under model types of their own), Mistral,
   and Mistral Small with its vision tower. Parameters a layer: 2 d h hd + 2 d k hd + 3 d f + 2 d.
   Source: huggingface/transformers src/transformers/models/{llama,mistral,mistral3}/modeling_*.py.
   Must not know: bytes. */
#include "core/base/text.h"
#include "core/model/arch_in.h"

void crv_arch_llama(struct crv_cfg *c, const char *prefix) {
  struct crv_decoder d = {.prefix = prefix};
  crv_decoder_dims(c);
  crv_decoder_kv_heads(c, true);
  crv_decoder_head_dim(c);
  crv_decoder_check(c);
  d.qkv_bias = d.out_bias = crv_cfg_flag(c, "attention_bias") == CRV_TRUE;
  d.mlp_bias = crv_cfg_flag(c, "mlp_bias") == CRV_TRUE;
  if (!crv_arch_layers(c)) return;
  crv_decoder_dense(c, &d);
}

void crv_arch_mistral(struct crv_cfg *c, const char *prefix) {
  struct crv_decoder d = {.prefix = prefix};
  crv_decoder_dims(c);
  crv_decoder_kv_heads(c, false);
  crv_decoder_head_dim(c);
  crv_decoder_check(c);
  if (!crv_arch_layers(c)) return;
  /* Null means full attention; a config that lacks the field has the class's window. */
  if (!crv_arch_layer_types(c) && !crv_cfg_is_null(c, "sliding_window"))
    crv_arch_slide_all(c, crv_cfg_or(c, "sliding_window", 1, 4096));
  crv_decoder_dense(c, &d);
}

static void projector(struct crv_cfg *c, int64_t vision_hidden) {
  static const char path[] = "multi_modal_projector.";
  bool bias = crv_cfg_flag_or(c, "multimodal_projector_bias", false);
  int64_t merge = crv_cfg_or(c, "spatial_merge_size", 1, 2), patch = 1;
  if (!crv_mul(merge, merge, &patch) || !crv_mul(patch, vision_hidden, &patch))
    c->state->overflow = true;
  struct crv_add add = {.part = CRV_PART_VISION, .where = CRV_WHERE_VISION, .bias = bias};
  crv_add_norm(c, CRV_WHERE_VISION, crv_path(c, path, "norm", ""), vision_hidden, false);
  add.path = crv_path(c, path, "linear_1", "");
  add.rows = c->arch->hidden;
  add.cols = vision_hidden;
  crv_add_linear(c, add);
  add.path = crv_path(c, path, "linear_2", "");
  add.cols = c->arch->hidden;
  crv_add_linear(c, add);
  add.path = crv_path(c, path, "patch_merger.merging_layer", "");
  add.rows = vision_hidden;
  add.cols = patch;
  add.bias = false;
  crv_add_linear(c, add);
}

void crv_arch_mistral3(struct crv_cfg *c, const char *prefix) {
  struct crv_cfg text, vision;
  (void)prefix;
  if (!crv_arch_text_config(c, "mistral", &text)) return;
  crv_arch_mistral(&text, "language_model.model.");
  if (!crv_cfg_sub(c, "vision_config", &vision)) return;
  crv_vision_pixtral(&vision);
  projector(c, crv_cfg_need(&vision, "hidden_size"));
}
