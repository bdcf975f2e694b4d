/* Sorting, adding up and fingerprinting a list of tensors; names that mark what is no parameter.
   Must not know: file formats. */
#include "core/model/tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"

static const struct crv_tensor *at(const struct crv_tensors *t, size_t i) {
  return crv_list_at(t->at, const struct crv_tensor, i);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct crv_tensor *)a)->name, ((const struct crv_tensor *)b)->name);
}

static bool ends_with(const char *s, const char *end) {
  size_t len = strlen(s), n = strlen(end);
  return len >= n && strcmp(s + len - n, end) == 0;
}

static bool ends_with_any(const char *s, const char *const *ends) {
  for (; *ends; ends++)
    if (ends_with(s, *ends)) return true;
  return false;
}

/* Buffers that older checkpoints stored; constants, no weights. */
static bool is_buffer(const struct crv_tensor *t) {
  static const char *const ends[] = {"inv_freq",
                                     "position_ids",
                                     ".masked_bias",
                                     "num_batches_tracked",
                                     "rope_freqs.weight",
                                     "rope_factors_long.weight",
                                     "rope_factors_short.weight",
                                     NULL};
  if (ends_with_any(t->name, ends)) return true;
  /* The causal mask of GPT-2 and GPT-NeoX: [1, 1, n, n]. */
  return t->dims == 4 && t->shape[0] == 1 && t->shape[1] == 1 &&
         (ends_with(t->name, ".attn.bias") || ends_with(t->name, ".attention.bias"));
}

/* Scales and tables that a weight format adds. */
static bool is_format_data(const struct crv_tensor *t) {
  static const char *const ends[] = {"weight_scale",
                                     "weight_scale_inv",
                                     "weight_scale_2",
                                     "input_scale",
                                     "output_scale",
                                     "k_scale",
                                     "v_scale",
                                     "q_scale",
                                     "_scales",
                                     ".scales",
                                     ".absmax",
                                     ".nested_absmax",
                                     ".quant_map",
                                     ".SCB",
                                     ".nested_quant_map",
                                     "g_idx",
                                     "qzeros",
                                     "_zero_point",
                                     "_zero_points",
                                     "weight_shape",
                                     ".biases",
                                     ".weight_format",
                                     NULL};
  return ends_with_any(t->name, ends) || crv_streq(t->type, "F8_E8M0");
}

/* Types whose elements are weights one by one. GGUF's block types are so too: the shape counts
   weights, not blocks. */
static bool counts_weights(const char *type) {
  static const char *const packed[] = {"BOOL", "F4",  "F6_E2M3", "F6_E3M2", "U8",  "I8", "I16",
                                       "U16",  "I32", "U32",     "I64",     "U64", NULL};
  for (size_t i = 0; packed[i]; i++)
    if (strcmp(packed[i], type) == 0) return false;
  return true;
}

static bool add_type(struct crv_tensors *t, const struct crv_tensor *one) {
  struct crv_tensor_type_total *total = NULL;
  for (size_t i = 0; i < t->types.n && !total; i++) {
    total = crv_list_at(t->types, struct crv_tensor_type_total, i);
    if (strcmp(total->type, one->type) != 0) total = NULL;
  }
  if (!total) {
    total = crv_list_at(t->types, struct crv_tensor_type_total, t->types.n++);
    total->type = one->type;
  }
  total->tensors++;
  return crv_add(total->elements, one->elements, &total->elements) &&
         crv_add(total->bytes, one->bytes, &total->bytes) &&
         crv_add(t->elements, one->elements, &t->elements) &&
         crv_add(t->bytes, one->bytes, &t->bytes);
}

static bool add_parameters(struct crv_tensors *t, const struct crv_tensor *one) {
  if (is_buffer(one) || is_format_data(one)) return true;
  if (counts_weights(one->type)) return crv_add(t->parameters.v, one->elements, &t->parameters.v);
  if (!t->packed) t->packed = one->name;
  return true;
}

static int by_type(const void *a, const void *b) {
  return strcmp(((const struct crv_tensor_type_total *)a)->type,
                ((const struct crv_tensor_type_total *)b)->type);
}

/* More than any format has. */
enum { TYPES = 64 };

bool crv_tensors_finish(struct crv_tensors *t, const char *ptr, struct crv_arena *a,
                        struct crv_err *err) {
  char where[160];
  bool ok = true;
  t->types.at = crv_new_array(a, TYPES, struct crv_tensor_type_total);
  if (!t->types.at) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  if (t->at.n) qsort(t->at.at, t->at.n, sizeof(struct crv_tensor), by_name);
  for (size_t i = 1; i < t->at.n; i++) {
    if (strcmp(at(t, i - 1)->name, at(t, i)->name) != 0) continue;
    return crv_fail_field(err, crv_tensor_ptr(ptr, at(t, i)->name, where, sizeof where),
                          "duplicate", NULL, "A tensor of this name came before.");
  }
  for (size_t i = 0; ok && i < t->at.n; i++)
    ok = add_type(t, at(t, i)) && add_parameters(t, at(t, i));
  qsort(t->types.at, t->types.n, sizeof(struct crv_tensor_type_total), by_type);
  t->parameters.set = !t->packed && t->at.n > 0;
  if (ok && t->bytes <= CRV_INT_MAX && t->elements <= CRV_INT_MAX) return true;
  return crv_fail_field(err, ptr, "overflow", NULL,
                        "The tensors claim more than 9007199254740991 bytes.");
}

const struct crv_tensor *crv_tensors_find(const struct crv_tensors *t, const char *name) {
  struct crv_tensor key = {.name = name};
  return t->at.n ? bsearch(&key, t->at.at, t->at.n, sizeof key, by_name) : NULL;
}

const struct crv_tensor *crv_tensors_of_size(const struct crv_tensors *t, int64_t bytes,
                                             size_t *count) {
  const struct crv_tensor *first = NULL;
  *count = 0;
  for (size_t i = 0; i < t->at.n; i++) {
    if (at(t, i)->bytes != bytes) continue;
    if (!first) first = at(t, i);
    (*count)++;
  }
  return first;
}

static bool is_named(const char *name, const char *tail) {
  size_t len = strlen(name), n = strlen(tail);
  return ends_with(name, tail) && (len == n || name[len - n - 1] == '.');
}

enum crv_tri crv_tensors_have_head(const struct crv_tensors *t) {
  bool embedding = false;
  for (size_t i = 0; i < t->at.n; i++) {
    const char *name = at(t, i)->name;
    if (is_named(name, "lm_head.weight") || is_named(name, "embed_out.weight") ||
        crv_streq(name, "output.weight") || is_named(name, "lm_head.qweight"))
      return CRV_TRUE;
    embedding = embedding || is_named(name, "embed_tokens.weight") ||
                is_named(name, "wte.weight") || is_named(name, "word_embeddings.weight") ||
                is_named(name, "embed_in.weight") || crv_streq(name, "token_embd.weight");
  }
  return embedding ? CRV_FALSE : CRV_UNSET;
}

static void add_line(struct crv_buf *b, const struct crv_tensor *t) {
  crv_buf_printf(b, "%zu:", strlen(t->name)); /* a name may hold anything */
  crv_buf_str(b, t->name);
  crv_buf_char(b, ' ');
  crv_buf_str(b, t->type);
  for (unsigned i = 0; i < t->dims; i++) {
    crv_buf_char(b, i ? ',' : ' ');
    crv_buf_i64(b, t->shape[i]);
  }
  crv_buf_char(b, '\n');
}

char *crv_model_fingerprint(const struct crv_tensors *t, const char *canonical, char *out) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  for (size_t i = 0; t && i < t->at.n; i++) add_line(&b, at(t, i));
  crv_buf_str(&b, "config ");
  if (canonical) crv_buf_str(&b, canonical);
  return b.failed ? NULL : crv_sha256_hex(b.data, b.len, out);
}

static json_t *types_json(const struct crv_list *types) {
  _json_ json_t *list = json_array();
  bool ok = list != NULL;
  for (size_t i = 0; ok && i < types->n; i++) {
    const struct crv_tensor_type_total *t = crv_list_at(*types, struct crv_tensor_type_total, i);
    json_t *one = json_object();
    ok = one && crv_json_set_text(one, "type", t->type) &&
         crv_json_set_int(one, "tensors", t->tensors) &&
         crv_json_set_int(one, "elements", t->elements) && crv_json_set_int(one, "bytes", t->bytes);
    ok = json_array_append_new(list, one) == 0 && ok;
  }
  return ok ? crv_steal(&list) : NULL;
}

json_t *crv_tensors_json(const struct crv_tensors *t) {
  _json_ json_t *o = json_object(), *types = types_json(&t->types);
  bool ok = o && types && crv_json_set_int(o, "tensors", (int64_t)t->at.n) &&
            crv_json_set_int(o, "elements", t->elements) &&
            crv_json_set_int(o, "bytes", t->bytes) &&
            crv_json_set_opt(o, "artefact_bytes", t->artefact_bytes) &&
            crv_json_set_opt(o, "parameters", t->parameters) &&
            crv_json_set_text(o, "packed", t->packed) && json_object_set(o, "types", types) == 0;
  return ok ? crv_steal(&o) : NULL;
}

char *crv_tensor_ptr(const char *ptr, const char *name, char *out, size_t room) {
  size_t n = (size_t)snprintf(out, room, "%s/", ptr);
  for (; n + 3 < room && *name; name++) {
    out[n++] = *name == '~' || *name == '/' ? '~' : *name;
    if (*name == '~' || *name == '/') out[n++] = *name == '~' ? '0' : '1';
  }
  out[n < room ? n : room - 1] = '\0';
  crv_text_repair(out);
  return out;
}
