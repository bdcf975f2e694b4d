/* quantization_config and dtype of a config: what sizes depend on, kept as it was written.
   Field names by method: huggingface/transformers src/transformers/utils/quantization_config.py;
   compressed-tensors: neuralmagic/compressed-tensors quantization/quant_config.py.
   Must not know: bytes of a format. */
#include <string.h>

#include "core/base/text.h"
#include "core/model/arch_in.h"

enum { SKIPPED_MAX = 4096, GROUPS_MAX = 64 };

/* Adds the texts of a list to what is left unquantised. */
static void skipped(struct crv_cfg *q, const char *name) {
  struct crv_list *list = &q->arch->quant->skipped;
  const json_t *texts = crv_cfg_list(q, name, JSON_STRING, SKIPPED_MAX), *one;
  size_t i, n = json_array_size(texts);
  if (n == 0) return;
  const char **at = crv_new_array(q->a, list->n + n, const char *);
  if (!at) {
    q->state->no_memory = true;
    return;
  }
  if (list->n) memcpy(at, list->at, list->n * sizeof *at);
  json_array_foreach(texts, i, one) {
    at[list->n + i] = crv_arena_strdup(q->a, json_string_value(one));
    if (!at[list->n + i]) q->state->no_memory = true;
  }
  *list = (struct crv_list){.n = list->n + n, .at = at};
}

/* -1 (one group a row) is the one number below zero that a config holds. */
static struct crv_opt_int group_size(struct crv_cfg *q, const char *name) {
  struct crv_opt_int v = crv_cfg_opt(q, name, -1);
  if (v.set && v.v == 0)
    crv_cfg_fail(q, name, "out_of_range", "-1, or a positive number", "A group has elements.");
  return v;
}

static void block_size(struct crv_cfg *q, const char *name) {
  const json_t *list = crv_cfg_list(q, name, JSON_INTEGER, 2);
  if (!list) return;
  int64_t rows = json_integer_value(json_array_get(list, 0));
  int64_t cols = json_integer_value(json_array_get(list, 1));
  if (json_array_size(list) != 2 || rows < 1 || cols < 1)
    crv_cfg_fail(q, name, "wrong_type", "[128, 128]", "Expected two positive whole numbers.");
  q->arch->quant->block_rows = rows;
  q->arch->quant->block_cols = cols;
}

/* weights of one group of compressed-tensors. */
static void group_weights(struct crv_cfg *group, struct crv_arch_quant *into) {
  struct crv_cfg w;
  if (!crv_cfg_sub(group, "weights", &w)) return;
  into->bits = crv_cfg_opt(&w, "num_bits", 1);
  into->type = crv_cfg_text(&w, "type");
  into->strategy = crv_cfg_text(&w, "strategy");
  into->group_size = group_size(&w, "group_size");
}

static bool alike(const struct crv_arch_quant *a, const struct crv_arch_quant *b) {
  return a->bits.set == b->bits.set && a->bits.v == b->bits.v &&
         a->group_size.set == b->group_size.set && a->group_size.v == b->group_size.v &&
         crv_streq(a->type, b->type) && crv_streq(a->strategy, b->strategy);
}

static void config_groups(struct crv_cfg *q) {
  struct crv_cfg groups, one;
  const char *key;
  json_t *value;
  bool first = true;
  if (!crv_cfg_sub(q, "config_groups", &groups)) return;
  if (json_object_size(groups.j) > GROUPS_MAX) {
    crv_cfg_fail(q, "config_groups", "out_of_range", NULL, "More than %d groups.", GROUPS_MAX);
    return;
  }
  json_object_foreach((json_t *)(uintptr_t)groups.j, key, value) {
    struct crv_arch_quant it = {.method = NULL};
    if (!crv_cfg_sub(&groups, key, &one)) continue;
    group_weights(&one, first ? q->arch->quant : &it);
    if (!first && !alike(q->arch->quant, &it)) q->arch->quant->mixed = true;
    first = false;
  }
}

static void bitsandbytes(struct crv_cfg *q) {
  struct crv_arch_quant *to = q->arch->quant;
  bool four = crv_cfg_flag(q, "load_in_4bit") == CRV_TRUE;
  bool eight = crv_cfg_flag(q, "load_in_8bit") == CRV_TRUE;
  const char *type = crv_cfg_text(q, "bnb_4bit_quant_type");
  enum crv_tri twice = crv_cfg_flag(q, "bnb_4bit_use_double_quant");
  if (four && eight) crv_cfg_fail(q, "load_in_4bit", "conflict", NULL, "load_in_8bit is true too.");
  if (four || eight) to->bits = (struct crv_opt_int){.v = four ? 4 : 8, .set = true};
  if (!four) return;
  to->type = type;
  to->double_quant = twice;
}

static void common(struct crv_cfg *q) {
  struct crv_arch_quant *to = q->arch->quant;
  to->bits = crv_cfg_opt2(q, "bits", "w_bit", 1);
  to->group_size = group_size(q, crv_cfg_has(q, "q_group_size") ? "q_group_size" : "group_size");
  to->order_groups = crv_cfg_flag(q, "desc_act");
  to->zero_point = crv_cfg_flag(q, "zero_point");
  to->activations = crv_cfg_text(q, "activation_scheme");
  to->format = crv_cfg_text(q, "format");
  block_size(q, "weight_block_size");
}

static void read_quant(struct crv_cfg *q) {
  q->arch->quant = crv_new(q->a, struct crv_arch_quant);
  if (!q->arch->quant) {
    q->state->no_memory = true;
    return;
  }
  common(q);
  q->arch->quant->method = crv_cfg_text(q, "quant_method");
  /* Older bitsandbytes configs lack the method; transformers reads them by these flags. */
  if (!q->arch->quant->method && (crv_cfg_has(q, "load_in_4bit") || crv_cfg_has(q, "load_in_8bit")))
    q->arch->quant->method = "bitsandbytes";
  if (!q->arch->quant->method && !q->state->failed)
    crv_cfg_fail(q, "quant_method", "missing", NULL, "Without it the format is not known.");
  if (crv_streq(q->arch->quant->method, "bitsandbytes")) bitsandbytes(q);
  config_groups(q);
  skipped(q, "modules_to_not_convert");
  skipped(q, "ignore");
  skipped(q, "ignored_layers");
  skipped(q, "llm_int8_skip_modules");
  skipped(q, "exclude_modules");
}

static const char *either(struct crv_cfg *c) {
  const char *dtype = crv_cfg_text(c, "dtype"), *old = crv_cfg_text(c, "torch_dtype");
  if (dtype && old && !crv_streq(dtype, old))
    crv_cfg_fail(c, "torch_dtype", "conflict", NULL, "It differs from dtype.");
  return dtype ? dtype : old;
}

void crv_arch_quantization(struct crv_cfg *c) {
  struct crv_cfg q, text;
  bool wrapper =
      json_is_object(json_object_get(c->j, "text_config")) && crv_cfg_sub(c, "text_config", &text);
  c->arch->dtype = either(c);
  if (!c->arch->dtype && wrapper) c->arch->dtype = either(&text);
  if (crv_cfg_sub(c, "quantization_config", &q))
    read_quant(&q);
  else if (wrapper && crv_cfg_sub(&text, "quantization_config", &q))
    read_quant(&q);
}
