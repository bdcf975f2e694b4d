/* A diagnosis as api.md's JSON. Must not know: how it came about. */
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/evidence/diagnose.h"

/* Takes v; false when it is NULL or out of memory. */
static bool set(json_t *obj, const char *key, json_t *v) {
  return json_object_set_new(obj, key, v) == 0;
}

static bool set_text(json_t *obj, const char *key, const char *s) {
  return set(obj, key, s ? json_string(s) : json_null());
}

static bool append(json_t *list, json_t *v) {
  return json_array_append_new(list, v) == 0;
}

static json_t *texts(const struct crv_list *l) {
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < l->n; i++)
    if (!append(list, json_string(*crv_list_at(*l, const char *, i)))) return NULL;
  return crv_steal(&list);
}

static json_t *span_json(struct crv_diag_span s) {
  _json_ json_t *j = json_object();
  bool ok = j && crv_json_set_int(j, "offset", (int64_t)s.offset) &&
            crv_json_set_int(j, "length", (int64_t)s.len);
  return ok ? crv_steal(&j) : NULL;
}

static json_t *spans(const struct crv_list *l) {
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < l->n; i++)
    if (!append(list, span_json(*crv_list_at(*l, struct crv_diag_span, i)))) return NULL;
  return crv_steal(&list);
}

static bool set_counter(json_t *j, enum crv_counter c) {
  return set_text(j, "counter", c ? crv_enum_text(crv_counter_names, (int)c) : NULL);
}

static bool set_when(json_t *j, const char *key, struct crv_opt_int v) {
  return !v.set || crv_json_set_int(j, key, v.v);
}

static json_t *figure_json(const struct crv_diag_figure *f) {
  _json_ json_t *j = json_object();
  bool ok = j && set_text(j, "name", f->name) && crv_json_set_opt(j, "bytes", f->bytes) &&
            set_counter(j, f->counter) && set_text(j, "printed", f->printed) &&
            set_text(j, "unit", f->unit) && crv_json_set_text(j, "unit_means", f->unit_means) &&
            crv_json_set_int(j, "plus_minus_bytes", f->half_step) &&
            set_when(j, "device", f->device) && set_when(j, "rank", f->rank) &&
            (!f->message || crv_json_set_int(j, "message", (int64_t)f->message)) &&
            set_text(j, "says", f->says) && set(j, "span", span_json(f->span));
  return ok ? crv_steal(&j) : NULL;
}

static json_t *figures_json(const struct crv_list *l) {
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < l->n; i++)
    if (!append(list, figure_json(crv_list_at(*l, struct crv_diag_figure, i)))) return NULL;
  return crv_steal(&list);
}

static json_t *message_json(const struct crv_diag_message *m) {
  _json_ json_t *j = json_object();
  bool ok = j && crv_json_set_opt(j, "device", m->device) && crv_json_set_opt(j, "rank", m->rank) &&
            crv_json_set_int(j, "times", m->times) &&
            crv_json_set_bool(j, "truncated", m->truncated) && set(j, "span", span_json(m->span));
  return ok ? crv_steal(&j) : NULL;
}

static json_t *messages_json(const struct crv_list *l) {
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < l->n; i++)
    if (!append(list, message_json(crv_list_at(*l, struct crv_diag_message, i)))) return NULL;
  return crv_steal(&list);
}

static bool set_value(json_t *j, const struct crv_fact *f) {
  if (f->type == CRV_FACT_BYTES) return crv_json_set_int(j, "bytes", f->i);
  if (f->type == CRV_FACT_DECIMAL) return crv_json_set_decimal(j, "value", f->i);
  return crv_json_set_int(j, "value", f->i);
}

static json_t *fact_json(const struct crv_diag_fact *f) {
  _json_ json_t *j = json_object();
  bool ok = j && set_text(j, "name", f->fact.name) && set_value(j, &f->fact) &&
            crv_json_set_text(j, "how", f->how) && (f->how || set(j, "span", span_json(f->span)));
  return ok ? crv_steal(&j) : NULL;
}

static json_t *facts_json(const struct crv_list *l) {
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < l->n; i++)
    if (!append(list, fact_json(crv_list_at(*l, struct crv_diag_fact, i)))) return NULL;
  return crv_steal(&list);
}

static json_t *tensor_json(const struct crv_diag_tensor *t) {
  _json_ json_t *j = json_object();
  bool ok = j && set_text(j, "tensor", t->tensor) && crv_json_set_int(j, "bytes", t->bytes) &&
            set_text(j, "how", t->how) && set_text(j, "basis", t->basis);
  return ok ? crv_steal(&j) : NULL;
}

/* The best candidate, with the others that fit as well in it. */
static json_t *explained_json(const struct crv_list *l) {
  if (l->n == 0) return json_null();
  _json_ json_t *j = tensor_json(crv_list_at(*l, struct crv_diag_tensor, 0));
  _json_ json_t *others = json_array();
  for (size_t i = 1; j && others && i < l->n; i++)
    if (!append(others, tensor_json(crv_list_at(*l, struct crv_diag_tensor, i)))) return NULL;
  bool ok = j && others && (l->n < 2 || json_object_set(j, "also", others) == 0);
  return ok ? crv_steal(&j) : NULL;
}

static json_t *flags_json(const struct crv_list *l, bool says) {
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < l->n; i++) {
    const struct crv_diag_flag *f = crv_list_at(*l, struct crv_diag_flag, i);
    if (!append(list, json_string(says ? f->says : f->code))) return NULL;
  }
  return crv_steal(&list);
}

static json_t *try_json(const struct crv_diag_try *t) {
  const struct crv_list verify = {t->n_verify, (void *)(uintptr_t)t->verify};
  _json_ json_t *j = json_object();
  bool ok = j && set_text(j, "change", t->change) && crv_json_set_text(j, "why", t->why) &&
            set(j, "verify_again", texts(&verify)) &&
            (t->meets_sheet == CRV_UNSET ||
             crv_json_set_bool(j, "meets_the_sheet", t->meets_sheet == CRV_TRUE));
  return ok ? crv_steal(&j) : NULL;
}

static json_t *tries_json(const struct crv_list *l) {
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < l->n; i++)
    if (!append(list, try_json(crv_list_at(*l, struct crv_diag_try, i)))) return NULL;
  return crv_steal(&list);
}

static json_t *cause_json(const struct crv_diagnosis *d) {
  _json_ json_t *j = json_object();
  bool ok = j && set_text(j, "code", d->cause) && set_text(j, "detail", d->detail) &&
            set_text(j, "says", d->cause_says) && set_text(j, "basis", d->cause_basis);
  return ok ? crv_steal(&j) : NULL;
}

static bool set_answers(json_t *j, const struct crv_diagnosis *d) {
  return set_text(j, "phase", d->phase) && set_text(j, "subphase", d->subphase) &&
         set_text(j, "phase_basis", d->phase_basis) &&
         set(j, "phase_from", texts(&d->phase_from)) &&
         set(j, "phase_spans", spans(&d->phase_spans)) && set(j, "cause", cause_json(d)) &&
         set_text(j, "memory", d->memory) &&
         set(j, "is_gpu_oom", d->gpu_oom ? json_boolean(d->gpu_oom == CRV_TRUE) : json_null()) &&
         set_text(j, "backend", d->backend) && set_text(j, "engine", d->engine) &&
         set_text(j, "engine_version", d->engine_version) &&
         crv_json_set_opt(j, "gpu_index", d->gpu_index) && crv_json_set_opt(j, "rank", d->rank);
}

static bool set_evidence(json_t *j, const struct crv_diagnosis *d) {
  return set(j, "figures", figures_json(&d->figures)) &&
         set(j, "messages", messages_json(&d->messages)) &&
         set(j, "facts", facts_json(&d->facts)) && set(j, "derived", facts_json(&d->derived)) &&
         set(j, "flags", flags_json(&d->flags, false)) &&
         set(j, "notes", flags_json(&d->flags, true)) &&
         set(j, "explained_by", explained_json(&d->explained));
}

static bool set_advice(json_t *j, const struct crv_diagnosis *d) {
  return set(j, "try", tries_json(&d->tries)) && set(j, "do_not", texts(&d->do_not)) &&
         set(j, "provide", texts(&d->provide)) &&
         set(j, "draft", d->draft ? crv_jspec_encode(&crv_piece_spec, d->draft) : json_null()) &&
         set(j, "draft_from_sheet", texts(&d->draft_from_sheet)) &&
         set(j, "draft_missing", texts(&d->draft_missing));
}

json_t *crv_diagnosis_json(const struct crv_diagnosis *d) {
  _json_ json_t *j = json_object();
  bool ok = j && set_answers(j, d) && set_evidence(j, d) && set_advice(j, d);
  return ok ? crv_steal(&j) : NULL;
}
