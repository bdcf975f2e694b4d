/* The table of architectures, and reading a config through the adapter of its model_type.
   Must not know: the shapes of any family. */
#include "core/model/arch.h"

#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/model/arch_in.h"

const struct crv_architecture crv_architectures[] = {
#define X(type, family, adapter, tie, source, models) {type, family, tie, source, models},
#include "core/model/architectures.def"
#undef X
};
const size_t crv_n_architectures = sizeof crv_architectures / sizeof *crv_architectures;

static crv_arch_adapter *const adapters[] = {
#define X(type, family, adapter, tie, source, models) adapter,
#include "core/model/architectures.def"
#undef X
};

const struct crv_architecture *crv_architecture(const char *model_type) {
  for (size_t i = 0; model_type && i < crv_n_architectures; i++)
    if (strcmp(crv_architectures[i].model_type, model_type) == 0) return &crv_architectures[i];
  return NULL;
}

const char *crv_attention_name(enum crv_attention kind) {
  static const char *const names[] = {"unknown", "full", "sliding", "chunked", "linear", "none"};
  return (size_t)kind < sizeof names / sizeof *names ? names[kind] : names[0];
}

const char *crv_part_name(enum crv_part part) {
  static const char *const names[] = {"embedding",      "attention", "mlp",   "experts",
                                      "shared_experts", "router",    "norms", "head",
                                      "vision",         "other",     "mtp"};
  return (size_t)part < sizeof names / sizeof *names ? names[part] : "other";
}

/* The offender's first letters, then every known name. */
static void refuse_unknown(struct crv_cfg *c, const char *type) {
  _buf_ struct crv_buf b = {0};
  char quote[CRV_QUOTE_ROOM];
  size_t len = strlen(type);
  crv_buf_init(&b, 0);
  for (size_t i = 0; i < crv_n_architectures; i++)
    crv_buf_printf(&b, i ? ", %s" : "%s", crv_architectures[i].model_type);
  if (b.failed) {
    c->state->no_memory = true;
    return;
  }
  crv_cfg_fail(c, "model_type", "unknown_architecture",
               "one of GET /v1/architectures; or give `tensors`, `gguf` or `parameters`",
               "No adapter for %s. Known: %s.", crv_text_quote(type, len > 14 ? 14 : len, quote),
               b.data);
}

static bool ends_with(const char *s, const char *end) {
  size_t len = strlen(s), n = strlen(end);
  return len >= n && strcmp(s + len - n, end) == 0;
}

/* Another head than the language model's has other parameters. */
static void check_head(struct crv_cfg *c) {
  static const char *const heads[] = {"ForCausalLM", "ForConditionalGeneration", "LMHeadModel"};
  const json_t *list = crv_cfg_list(c, "architectures", JSON_STRING, 16), *one;
  size_t i;
  json_array_foreach(list, i, one) {
    bool known = false;
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++)
      known = known || ends_with(json_string_value(one), heads[h]);
    if (!known)
      crv_cfg_fail(c, "architectures", "not_one_of", "a ...ForCausalLM",
                   "Entry %zu has another head than a language model's.", i);
  }
}

static void check_layers_alike(struct crv_cfg *c) {
  const json_t *v = json_object_get(c->j, "per_layer_config");
  if (v && !json_is_null(v) && json_object_size(v) > 0)
    crv_cfg_fail(c, "per_layer_config", "not_yet", NULL,
                 "Layers with settings of their own are not read here.");
}

static void read(struct crv_cfg *c) {
  const char *type = crv_cfg_text(c, "model_type");
  bool before = c->state->failed;
  if (!type) {
    if (!before)
      crv_cfg_fail(c, "model_type", "missing", "the config.json as published",
                   "The architecture is read from it.");
    return;
  }
  c->row = crv_architecture(type);
  if (!c->row) {
    refuse_unknown(c, type);
    return;
  }
  c->arch->model_type = c->row->model_type;
  c->arch->family = c->row->family;
  check_head(c);
  check_layers_alike(c);
  crv_arch_quantization(c);
  crv_arch_adapter *adapter = adapters[c->row - crv_architectures];
  bool wrapper = adapter == crv_arch_gemma3 || adapter == crv_arch_mistral3;
  if (!wrapper) crv_arch_tie(c, NULL);
  adapter(c, "model.");
  crv_arch_total(c);
}

static bool finish(struct crv_cfg *c) {
  if (!c->state->no_memory && c->state->failed) return false;
  _free_ char *text = c->state->no_memory ? NULL : crv_json_canonical(c->kept);
  c->arch->canonical = text ? crv_arena_strdup(c->a, text) : NULL;
  if (!c->arch->canonical)
    return crv_fail(c->err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  if (!c->state->overflow) return true;
  return crv_fail_field(c->err, c->ptr, "overflow", NULL,
                        "The model would have more than 9007199254740991 parameters.");
}

bool crv_arch_read(const json_t *config, const char *ptr, struct crv_arena *a, struct crv_arch *ret,
                   struct crv_err *err) {
  _json_ json_t *kept = json_object();
  struct crv_cfg_state state = {.no_memory = !kept};
  struct crv_cfg c = {.j = config,
                      .kept = kept,
                      .ptr = ptr,
                      .row = &crv_architectures[0],
                      .arch = ret,
                      .a = a,
                      .err = err,
                      .state = &state};
  memset(ret, 0, sizeof *ret);
  if (!json_is_object(config))
    return crv_fail_field(err, ptr, "wrong_type", NULL, "Expected the object of a config.json.");
  if (kept) read(&c);
  return finish(&c);
}

/* Is target the module, or the end of its path at a dot? */
static bool targets(const struct crv_weight *w, const char *target) {
  size_t len = strlen(w->name), n = strlen(target);
  if (ends_with(w->name, ".weight")) len -= strlen(".weight");
  if (n == 0 || n > len || strncmp(w->name + len - n, target, n) != 0) return false;
  return n == len || w->name[len - n - 1] == '.';
}

static bool is_adapted(const struct crv_weight *w, const struct crv_list *list) {
  if (w->vector || w->where == CRV_WHERE_MTP_LAYERS || w->where == CRV_WHERE_VISION) return false;
  for (size_t i = 0; i < list->n; i++) {
    const char *target = *crv_list_at(*list, const char *, i);
    if (crv_streq(target, "all-linear")) {
      if (w->linear && !w->stacked && w->part != CRV_PART_HEAD) return true;
    } else if (targets(w, target)) {
      return true;
    }
  }
  return false;
}

bool crv_arch_lora(const struct crv_arch *arch, const struct crv_list *list, int64_t rank,
                   int64_t *ret, int64_t *matched) {
  int64_t sum = 0, count = 0;
  for (size_t i = 0; i < arch->weights.n; i++) {
    const struct crv_weight *w = crv_list_at(arch->weights, struct crv_weight, i);
    int64_t n, such;
    if (!is_adapted(w, list)) continue;
    if (!crv_mul(w->each, w->places, &such) || !crv_add(w->rows, w->cols, &n) ||
        !crv_mul(n, such, &n) || !crv_mul(n, rank, &n) || !crv_add(sum, n, &sum) ||
        !crv_add(count, such, &count))
      return false;
  }
  *ret = sum;
  if (matched) *matched = count;
  return true;
}
