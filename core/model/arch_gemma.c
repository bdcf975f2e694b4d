/* Gemma 1 (two norms a layer), Gemma 2 (four, every other layer slides), Gemma 3 (four and norms on
   q and k, five of six layers slide), and the Gemma 3 wrapper with a vision tower. Embedding and
   head are tied by the class. Source: huggingface/transformers src/transformers/models/{gemma,
   gemma2,gemma3}/configuration_*.py and modeling_*.py. Must not know: bytes. */
#include "core/base/text.h"
#include "core/model/arch_in.h"

static bool start(struct crv_cfg *c, struct crv_decoder *d) {
  crv_decoder_check(c);
  d->qkv_bias = d->out_bias = crv_cfg_flag_or(c, "attention_bias", false);
  return crv_arch_layers(c);
}

void crv_arch_gemma(struct crv_cfg *c, const char *prefix) {
  struct crv_decoder d = {.prefix = prefix};
  crv_decoder_dims(c);
  crv_decoder_kv_heads(c, false);
  c->arch->head_dim = crv_cfg_or(c, "head_dim", 1, 256);
  if (start(c, &d)) crv_decoder_dense(c, &d);
}

void crv_arch_gemma2(struct crv_cfg *c, const char *prefix) {
  struct crv_decoder d = {.prefix = prefix, .four_norms = true};
  crv_decoder_dims(c);
  crv_decoder_kv_heads(c, false);
  c->arch->head_dim = crv_cfg_or(c, "head_dim", 1, 256);
  if (!start(c, &d)) return;
  /* Layers 0, 2, 4, ... slide. */
  if (!crv_arch_layer_types(c) && !crv_cfg_is_null(c, "sliding_window"))
    crv_arch_slide_but(c, 2, crv_cfg_or(c, "sliding_window", 1, 4096));
  crv_decoder_dense(c, &d);
}

/* Published configs of the wrapper leave these to the class. */
static void gemma3_dims(struct crv_cfg *c) {
  struct crv_arch *arch = c->arch;
  arch->hidden = crv_cfg_need(c, "hidden_size");
  arch->layers = crv_cfg_need(c, "num_hidden_layers");
  arch->intermediate = crv_cfg_need(c, "intermediate_size");
  arch->heads = crv_cfg_or(c, "num_attention_heads", 1, 8);
  arch->kv_heads = crv_cfg_or(c, "num_key_value_heads", 1, 4);
  arch->head_dim = crv_cfg_or(c, "head_dim", 1, 256);
  arch->vocab = crv_cfg_or(c, "vocab_size", 1, 262208);
  arch->context = crv_cfg_opt(c, "max_position_embeddings", 1);
  if (!crv_cfg_has(c, "max_position_embeddings")) {
    arch->context = (struct crv_opt_int){.v = 131072, .set = true};
    crv_cfg_assume(c, "max_position_embeddings", "131072");
  }
}

void crv_arch_gemma3_text(struct crv_cfg *c, const char *prefix) {
  struct crv_decoder d = {.prefix = prefix, .four_norms = true, .qk_norm = true};
  if (!crv_streq(prefix, "model.")) d.head = "language_model.lm_head";
  gemma3_dims(c);
  if (!start(c, &d)) return;
  if (!crv_arch_layer_types(c)) {
    struct crv_opt_int nth =
        crv_cfg_opt2(c, "sliding_window_pattern", "_sliding_window_pattern", 1);
    if (!nth.set) crv_cfg_assume(c, "sliding_window_pattern", "6");
    crv_arch_slide_but(c, nth.set ? nth.v : 6, crv_cfg_or(c, "sliding_window", 1, 4096));
  }
  crv_decoder_dense(c, &d);
}

static void projector(struct crv_cfg *c, int64_t vision_hidden) {
  crv_add_linear(c, (struct crv_add){.path = "multi_modal_projector.mm_input_projection_weight",
                                     .part = CRV_PART_VISION,
                                     .where = CRV_WHERE_VISION,
                                     .rows = c->arch->hidden,
                                     .cols = vision_hidden,
                                     .parameter = true,
                                     .transposed = true});
  crv_add_norm(c, CRV_WHERE_VISION, "multi_modal_projector.mm_soft_emb_norm", vision_hidden, false);
}

void crv_arch_gemma3(struct crv_cfg *c, const char *prefix) {
  struct crv_cfg text, vision;
  (void)prefix;
  if (!crv_arch_text_config(c, "gemma3_text", &text)) return;
  crv_arch_gemma3_text(&text, "language_model.model.");
  if (!crv_cfg_sub(c, "vision_config", &vision)) return;
  crv_vision_siglip(&vision);
  projector(c, crv_cfg_need(&vision, "hidden_size"));
}
