/* What the metadata of a GGUF head says of the model: dimensions, heads and attention layer by
   layer. Keys: ggml-org/llama.cpp gguf-py/gguf/constants.py; defaults: src/llama-model.cpp,
   load_hparams. Must not know: the file's layout. */
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/model/gguf_in.h"

static const struct crv_gguf_entry *entry(const struct crv_gguf *g, const char *key) {
  char full[192];
  int n = snprintf(full, sizeof full, "%s.%s", g->architecture, key);
  return n > 0 && (size_t)n < sizeof full ? crv_gguf_entry(g, full) : NULL;
}

struct crv_opt_int crv_gguf_number(const struct crv_gguf *g, const char *key) {
  const struct crv_gguf_entry *e = g->architecture ? entry(g, key) : NULL;
  return e ? e->number : (struct crv_opt_int){.set = false};
}

static bool refuse(struct crv_gguf_in *in, const char *key, const char *code, const char *why) {
  return crv_fail_field(in->err, in->ptr, code, NULL, "%.100s.%s: %s", in->g->architecture, key,
                        why);
}

/* A number from 0 on that must fit; unset when the key is absent. */
static struct crv_opt_int number(struct crv_gguf_in *in, const char *key, bool *ok) {
  const struct crv_gguf_entry *e = entry(in->g, key);
  struct crv_opt_int v = crv_gguf_number(in->g, key);
  if (e && (!v.set || v.v < 0 || v.v > CRV_INT_MAX)) {
    *ok = refuse(in, key, "out_of_range", "it is no whole number from 0 to 2^53 - 1.");
    v.set = false;
  }
  return v;
}

/* The value of a layer where the key holds one number, or one for each layer. */
static bool per_layer(struct crv_gguf_in *in, const char *key, int64_t layer,
                      struct crv_opt_int *ret) {
  const struct crv_gguf_entry *e = entry(in->g, key);
  ret->set = false;
  if (!e) return true;
  if (e->count == 0) *ret = e->number;
  if (e->count > 0 && (int64_t)e->numbers.n == in->g->layers.v)
    *ret = (struct crv_opt_int){.v = *crv_list_at(e->numbers, int64_t, layer), .set = true};
  if (ret->set && ret->v >= 0 && ret->v <= CRV_INT_MAX) return true;
  return refuse(in, key, "out_of_range", "it must hold a whole number, or one for each layer.");
}

static bool heads(struct crv_gguf_in *in, int64_t i, struct crv_arch_layer *l) {
  struct crv_opt_int h, k, k_dim = crv_gguf_number(in->g, "attention.key_length");
  struct crv_opt_int v_dim = crv_gguf_number(in->g, "attention.value_length");
  if (!per_layer(in, "attention.head_count", i, &h) ||
      !per_layer(in, "attention.head_count_kv", i, &k))
    return false;
  l->heads = h.set ? h.v : 0;
  l->kv_heads = k.set ? k.v : l->heads;
  int64_t share = l->heads && in->g->hidden.set ? in->g->hidden.v / l->heads : 0;
  l->k_dim = k_dim.set ? k_dim.v : share;
  l->v_dim = v_dim.set ? v_dim.v : share;
  l->attention = l->kv_heads ? CRV_ATTN_FULL : CRV_ATTN_LINEAR;
  return true;
}

/* What counts where the file does not tell: every nth layer is full (1: none slides, whatever the
   window says), and the window. Source: ggml-org/llama.cpp src/models/NAME.cpp, load_arch_hparams.
 */
struct pattern {
  const char *architecture;
  int64_t nth, window;
};
static const struct pattern *default_pattern(const char *architecture) {
  static const struct pattern rows[] = {{"cohere2", 4, 0}, {"gemma2", 2, 4096}, {"gemma3", 6, 0},
                                        {"gemma3n", 5, 0}, {"gpt-oss", 2, 0},   {"phi3", 1, 0}};
  static const struct pattern none = {NULL, 0, 0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (crv_streq(rows[i].architecture, architecture)) return &rows[i];
  return &none;
}

static void slide(struct crv_arch_layer *l, int64_t window, enum crv_attention kind) {
  if (l->attention != CRV_ATTN_FULL) return;
  l->attention = kind;
  l->window = kind == CRV_ATTN_SLIDING ? window : 0;
}

/* Layer i is full when (i + 1) % nth is 0, else it slides. */
static bool windows(struct crv_gguf_in *in) {
  static const char key[] = "attention.sliding_window_pattern";
  struct crv_gguf *g = in->g;
  const struct crv_gguf_entry *e = entry(g, key);
  bool ok = true;
  const struct pattern *usual = default_pattern(g->architecture);
  struct crv_opt_int window = number(in, "attention.sliding_window", &ok);
  int64_t nth = e && e->count == 0 ? e->number.v : usual->nth;
  if (!window.set) window.v = usual->window;
  if (!ok || window.v == 0 || nth == 1) return ok;
  g->window = window.v;
  if (e && e->count > 0 && (int64_t)e->numbers.n != g->layers.v)
    return refuse(in, key, "conflict", "it must tell of each layer.");
  if (e && e->count == 0 && (!e->number.set || nth < 1))
    return refuse(in, key, "out_of_range", "it must be a positive number.");
  for (int64_t i = 0; i < g->layers.v; i++) {
    bool slides = e && e->count ? *crv_list_at(e->numbers, int64_t, i) != 0 : nth && (i + 1) % nth;
    if (slides || (!nth && !(e && e->count)))
      slide(&g->layer[i], window.v, slides ? CRV_ATTN_SLIDING : CRV_ATTN_UNKNOWN);
  }
  return true;
}

/* Hybrids whose recurrent layers stand between every nth of full attention. */
static bool recurrent(struct crv_gguf_in *in) {
  bool ok = true;
  struct crv_opt_int every = number(in, "full_attention_interval", &ok);
  if (!ok || !every.set) return ok;
  if (every.v == 0) return refuse(in, "full_attention_interval", "out_of_range", "it is 0.");
  for (int64_t i = 0; i < in->g->layers.v; i++)
    if ((i + 1) % every.v != 0) in->g->layer[i].attention = CRV_ATTN_LINEAR;
  return true;
}

static bool mark_layers(struct crv_gguf_in *in) {
  struct crv_gguf *g = in->g;
  int64_t dense = crv_gguf_number(g, "leading_dense_block_count").v;
  for (int64_t i = 0; i < g->layers.v; i++)
    g->layer[i].experts = g->experts.set && g->experts.v > 0 && i >= dense;
  if (!g->mtp_layers.set) return true;
  if (g->mtp_layers.v > g->layers.v)
    return refuse(in, "nextn_predict_layers", "conflict", "more than block_count.");
  /* They cache nothing until they are used to draft. */
  for (int64_t i = g->layers.v - g->mtp_layers.v; i < g->layers.v; i++)
    g->layer[i].attention = CRV_ATTN_NONE;
  return true;
}

static bool layers(struct crv_gguf_in *in) {
  struct crv_gguf *g = in->g;
  if (!g->layers.set || g->layers.v == 0) return true;
  if (g->layers.v > CRV_ARCH_LAYERS)
    return refuse(in, "block_count", "out_of_range", "more layers than are read here.");
  g->layer = crv_new_array(in->a, (size_t)g->layers.v, struct crv_arch_layer);
  if (!g->layer) return crv_fail(in->err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  for (int64_t i = 0; i < g->layers.v; i++)
    if (!heads(in, i, &g->layer[i])) return false;
  return windows(in) && recurrent(in) && mark_layers(in);
}

static struct crv_opt_int vocabulary(struct crv_gguf_in *in, bool *ok) {
  struct crv_opt_int v = number(in, "vocab_size", ok);
  const struct crv_gguf_entry *tokens = crv_gguf_entry(in->g, "tokenizer.ggml.tokens");
  const struct crv_tensor *table = crv_tensors_find(&in->g->tensors, "token_embd.weight");
  if (v.set || !*ok) return v;
  if (tokens && tokens->count) return (struct crv_opt_int){.v = tokens->count, .set = true};
  if (table && table->dims == 2) return (struct crv_opt_int){.v = table->shape[1], .set = true};
  return v;
}

bool crv_gguf_dims(struct crv_gguf_in *in) {
  struct crv_gguf *g = in->g;
  const struct crv_gguf_entry *arch = crv_gguf_entry(g, "general.architecture");
  const struct crv_gguf_entry *name = crv_gguf_entry(g, "general.name");
  const struct crv_gguf_entry *type = crv_gguf_entry(g, "general.file_type");
  bool ok = true;
  const struct crv_gguf_entry *split = crv_gguf_entry(g, "split.no");
  /* Of a split file only the first part tells of the model. */
  if ((!arch || !arch->text) && split && split->number.v > 0) return true;
  if (!arch || !arch->text)
    return crv_fail_field(in->err, in->ptr, "missing", NULL, "It has no general.architecture.");
  g->architecture = arch->text;
  if (name) g->name = name->text;
  if (type) g->file_type = type->number;
  g->layers = number(in, "block_count", &ok);
  g->hidden = number(in, "embedding_length", &ok);
  g->context = number(in, "context_length", &ok);
  g->experts = number(in, "expert_count", &ok);
  g->experts_per_token = number(in, "expert_used_count", &ok);
  g->expert_intermediate = number(in, "expert_feed_forward_length", &ok);
  g->mtp_layers = number(in, "nextn_predict_layers", &ok);
  g->kv_rank = number(in, "attention.kv_lora_rank", &ok);
  g->rope_dim = number(in, "rope.dimension_count", &ok);
  g->latent = g->kv_rank.set && g->rope_dim.set && entry(g, "attention.key_length_mla");
  number(in, "attention.key_length", &ok);
  number(in, "attention.value_length", &ok);
  number(in, "leading_dense_block_count", &ok);
  g->vocab = vocabulary(in, &ok);
  const struct crv_gguf_entry *f = entry(g, "feed_forward_length");
  if (f && f->count == 0) g->intermediate = number(in, "feed_forward_length", &ok);
  return ok && layers(in);
}
