/* What was read of a model, as answers show it. Unknown is null. Must not know: budgets. */
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/model/arch.h"

static bool set_positive(json_t *o, const char *key, int64_t v) {
  return v == 0 || crv_json_set_int(o, key, v);
}

static bool set_tri(json_t *o, const char *key, enum crv_tri v) {
  return json_object_set_new(o, key, v ? json_boolean(v == CRV_TRUE) : json_null()) == 0;
}

static json_t *params_json(const struct crv_arch *arch) {
  const struct crv_arch_params *p = &arch->params;
  _json_ json_t *o = json_object(), *by = json_object();
  bool ok = o && by;
  for (int i = 0; ok && i < CRV_PARTS; i++)
    if (i != CRV_PART_HEAD || arch->tied != CRV_UNSET)
      ok = set_positive(by, crv_part_name((enum crv_part)i), p->by[i]);
  ok = ok && crv_json_set_opt(o, "total", p->total) && crv_json_set_opt(o, "active", p->active) &&
       json_object_set(o, "by_part", by) == 0 && set_positive(o, "mtp_copies", p->mtp_copies);
  if (ok && !p->total.set)
    ok = crv_json_set_int(o, "if_tied", p->if_tied) &&
         crv_json_set_int(o, "if_untied", p->if_untied);
  return ok ? crv_steal(&o) : NULL;
}

/* Layers alike, together: [{"kind": "sliding", "window": 4096, "layers": 21}, ...] in the order of
   their first layer. */
static json_t *attention_json(const struct crv_arch_layer *layer, int64_t n) {
  _json_ json_t *list = json_array();
  bool ok = list != NULL;
  for (int kind = 0; ok && kind <= CRV_ATTN_NONE; kind++) {
    int64_t count = 0, window = 0;
    for (int64_t i = 0; i < n; i++) {
      if ((int)layer[i].attention != kind) continue;
      window = layer[i].window;
      count++;
    }
    if (!count) continue;
    json_t *one = json_object();
    ok = one && crv_json_set_text(one, "kind", crv_attention_name((enum crv_attention)kind)) &&
         crv_json_set_int(one, "layers", count) && set_positive(one, "window", window);
    ok = json_array_append_new(list, one) == 0 && ok;
  }
  return ok ? crv_steal(&list) : NULL;
}

static json_t *experts_json(const struct crv_arch_experts *e) {
  _json_ json_t *o = json_object();
  bool ok = o && crv_json_set_int(o, "count", e->count) &&
            set_positive(o, "per_token", e->per_token) &&
            crv_json_set_int(o, "intermediate", e->intermediate) &&
            set_positive(o, "shared_intermediate", e->shared_intermediate);
  return ok ? crv_steal(&o) : NULL;
}

static json_t *mla_json(const struct crv_arch_mla *m) {
  _json_ json_t *o = json_object();
  bool ok = o && set_positive(o, "q_rank", m->q_rank) &&
            crv_json_set_int(o, "kv_rank", m->kv_rank) && crv_json_set_int(o, "nope", m->nope) &&
            crv_json_set_int(o, "rope", m->rope) && crv_json_set_int(o, "v", m->v);
  return ok ? crv_steal(&o) : NULL;
}

static json_t *texts_json(const struct crv_list *texts) {
  _json_ json_t *list = json_array();
  bool ok = list != NULL;
  for (size_t i = 0; ok && i < texts->n; i++)
    ok = json_array_append_new(list, json_string(*crv_list_at(*texts, const char *, i))) == 0;
  return ok ? crv_steal(&list) : NULL;
}

static bool set_known(json_t *o, const char *key, struct crv_opt_int v) {
  return !v.set || crv_json_set_int(o, key, v.v);
}

static json_t *quant_json(const struct crv_arch_quant *q) {
  _json_ json_t *o = json_object();
  bool ok =
      o && crv_json_set_text(o, "method", q->method) && set_known(o, "bits", q->bits) &&
      set_known(o, "group_size", q->group_size) && set_positive(o, "block_rows", q->block_rows) &&
      set_positive(o, "block_cols", q->block_cols) && crv_json_set_text(o, "type", q->type) &&
      crv_json_set_text(o, "strategy", q->strategy) && crv_json_set_text(o, "format", q->format);
  if (ok && q->double_quant) ok = set_tri(o, "double_quant", q->double_quant);
  if (ok && q->order_groups) ok = set_tri(o, "desc_act", q->order_groups);
  if (ok && q->mixed) ok = crv_json_set_bool(o, "mixed", true);
  if (ok && q->skipped.n) {
    json_t *skipped = texts_json(&q->skipped);
    ok = skipped && crv_json_set_steal(o, "not_converted", skipped);
  }
  return ok ? crv_steal(&o) : NULL;
}

static json_t *assumed_json(const struct crv_list *assumed) {
  _json_ json_t *list = json_array();
  bool ok = list != NULL;
  for (size_t i = 0; ok && i < assumed->n; i++) {
    const struct crv_arch_assumed *a = crv_list_at(*assumed, struct crv_arch_assumed, i);
    json_t *one = json_object();
    ok = one && crv_json_set_text(one, "field", a->field) &&
         crv_json_set_text(one, "value", a->value) && crv_json_set_text(one, "source", a->source);
    ok = json_array_append_new(list, one) == 0 && ok;
  }
  return ok ? crv_steal(&list) : NULL;
}

static bool set_part(json_t *o, const char *key, json_t *part) {
  return part && crv_json_set_steal(o, key, part);
}

static bool set_dims(json_t *o, const struct crv_arch *arch) {
  return crv_json_set_text(o, "model_type", arch->model_type) &&
         crv_json_set_text(o, "family", arch->family) &&
         crv_json_set_text(o, "dtype", arch->dtype) &&
         crv_json_set_int(o, "layers", arch->layers) &&
         crv_json_set_int(o, "hidden", arch->hidden) && crv_json_set_int(o, "heads", arch->heads) &&
         crv_json_set_int(o, "kv_heads", arch->kv_heads) &&
         crv_json_set_int(o, "head_dim", arch->head_dim) &&
         crv_json_set_int(o, "intermediate", arch->intermediate) &&
         crv_json_set_int(o, "vocab", arch->vocab) && crv_json_set_opt(o, "context", arch->context);
}

json_t *crv_arch_json(const struct crv_arch *arch) {
  _json_ json_t *o = json_object();
  bool ok = o && set_dims(o, arch) && set_tri(o, "tied", arch->tied) &&
            crv_json_set_text(o, "tie_source", arch->tie_source) &&
            set_part(o, "parameters", params_json(arch)) &&
            set_part(o, "attention", attention_json(arch->layer, arch->layers));
  if (ok && arch->experts.count) ok = set_part(o, "experts", experts_json(&arch->experts));
  if (ok && arch->mla.set) ok = set_part(o, "mla", mla_json(&arch->mla));
  if (ok && arch->quant) ok = set_part(o, "quantization", quant_json(arch->quant));
  ok = ok && set_positive(o, "mtp_layers", arch->mtp_layers) &&
       set_part(o, "assumed", assumed_json(&arch->assumed));
  return ok ? crv_steal(&o) : NULL;
}

json_t *crv_architectures_json(void) {
  _json_ json_t *list = json_array();
  bool ok = list != NULL;
  for (size_t i = 0; ok && i < crv_n_architectures; i++) {
    const struct crv_architecture *a = &crv_architectures[i];
    json_t *one = json_object();
    ok = one && crv_json_set_text(one, "model_type", a->model_type) &&
         crv_json_set_text(one, "family", a->family) &&
         crv_json_set_text(one, "models", a->models) &&
         set_tri(one, "tied_when_not_stated", a->tie_default) &&
         crv_json_set_text(one, "source", a->source);
    ok = json_array_append_new(list, one) == 0 && ok;
  }
  return ok ? crv_steal(&list) : NULL;
}
