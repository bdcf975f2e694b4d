/* A reading as JSON for an answer: what is not known is null, so that a client sees that it was
   looked for. Must not know: routes. */
#include <jansson.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/evidence/measure.h"

/* Text, or null where the text is not known. */
static bool set_text(json_t *j, const char *key, const char *value) {
  if (value) return crv_json_set_text(j, key, value);
  return crv_json_set_steal(j, key, json_null());
}

static bool set_decimal(json_t *j, const char *key, struct crv_opt_int v) {
  if (v.set) return crv_json_set_decimal(j, key, v.v);
  return crv_json_set_steal(j, key, json_null());
}

static bool set_tri(json_t *j, const char *key, enum crv_tri v) {
  if (v != CRV_UNSET) return crv_json_set_bool(j, key, v == CRV_TRUE);
  return crv_json_set_steal(j, key, json_null());
}

static const char *name_of(const struct crv_enum_name *names, int value) {
  while (names->name && names->value != value) names++;
  return names->name;
}

/* Optional members of a fact: only those it has. */
static bool set_more(json_t *j, const struct crv_measure_fact *f) {
  bool ok = crv_json_set_text(j, "item", f->item) && crv_json_set_text(j, "stage", f->stage) &&
            crv_json_set_text(j, "label", f->label) &&
            crv_json_set_text(j, "device_label", f->device_label) &&
            crv_json_set_text(j, "derived", f->derived);
  if (f->rank.set) ok = ok && crv_json_set_int(j, "rank", f->rank.v);
  if (f->host) ok = ok && crv_json_set_bool(j, "host", true);
  if (f->spread.set) ok = ok && set_decimal(j, "spread", f->spread);
  if (f->repeats > 1) ok = ok && crv_json_set_int(j, "repeats", f->repeats);
  if (f->kind != CRV_MEASURE_SAMPLED) return ok;
  return ok && crv_json_set_opt(j, "interval_ms", f->interval_ms) &&
         crv_json_set_opt(j, "samples", f->samples);
}

static json_t *fact_json(const struct crv_measure_fact *f) {
  _json_ json_t *j = json_object();
  bool memory = f->bytes.set || !f->micro.set;
  bool ok = j && crv_json_set_text(j, "source", f->source) &&
            set_text(j, "counter", name_of(crv_measure_counter_names, (int)f->counter)) &&
            set_text(j, "kind", name_of(crv_measure_kind_names, (int)f->kind)) &&
            crv_json_set_opt(j, "device", f->device) && set_text(j, "phase", f->phase) &&
            set_text(j, "text", f->text) && set_text(j, "unit", f->unit) &&
            set_text(j, "means", f->means) && crv_json_set_int(j, "line", f->line) &&
            set_more(j, f);
  if (ok && memory) ok = crv_json_set_opt(j, "bytes", f->bytes);
  if (ok && f->step_bytes.set) ok = crv_json_set_opt(j, "step_bytes", f->step_bytes);
  if (ok && f->micro.set) ok = set_decimal(j, "value", f->micro);
  return ok ? crv_steal(&j) : NULL;
}

static json_t *texts_json(const struct crv_list *l) {
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < l->n; i++)
    if (json_array_append_new(list, json_string(*crv_list_at(*l, const char *, i))) != 0)
      return NULL;
  return crv_steal(&list);
}

static json_t *device_json(const struct crv_measure_device *d) {
  _json_ json_t *j = json_object();
  bool ok = j && crv_json_set_int(j, "index", d->index) && set_text(j, "name", d->name) &&
            crv_json_set_bool(j, "name_cut", d->name_cut) && set_text(j, "model", d->model) &&
            crv_json_set_steal(j, "candidates", texts_json(&d->candidates)) &&
            crv_json_set_opt(j, "total_bytes", d->total_bytes) && set_tri(j, "ecc", d->ecc) &&
            set_tri(j, "mig", d->mig) && crv_json_set_text(j, "uuid", d->uuid) &&
            crv_json_set_text(j, "bus_id", d->bus_id) &&
            crv_json_set_text(j, "driver", d->driver) &&
            crv_json_set_text(j, "compute_capability", d->compute_capability) &&
            crv_json_set_int(j, "line", d->line);
  return ok ? crv_steal(&j) : NULL;
}

static json_t *note_json(const struct crv_measure_note *n) {
  _json_ json_t *j = json_object();
  bool ok = j && crv_json_set_text(j, "code", n->code) && crv_json_set_int(j, "line", n->line) &&
            crv_json_set_text(j, "text", n->text);
  return ok ? crv_steal(&j) : NULL;
}

static json_t *settings_json(const struct crv_list *l) {
  _json_ json_t *j = json_object();
  for (size_t i = 0; j && i < l->n; i++) {
    const struct crv_pair *p = crv_list_at(*l, struct crv_pair, i);
    if (!crv_json_set_text(j, p->name, p->value)) return NULL;
  }
  return crv_steal(&j);
}

static bool set_lists(json_t *j, const struct crv_measure *m) {
  _json_ json_t *facts = json_array(), *devices = json_array(), *notes = json_array();
  if (!facts || !devices || !notes) return false;
  for (size_t i = 0; i < m->facts.n; i++)
    if (json_array_append_new(facts,
                              fact_json(crv_list_at(m->facts, struct crv_measure_fact, i))) != 0)
      return false;
  for (size_t i = 0; i < m->devices.n; i++)
    if (json_array_append_new(
            devices, device_json(crv_list_at(m->devices, struct crv_measure_device, i))) != 0)
      return false;
  for (size_t i = 0; i < m->notes.n; i++)
    if (json_array_append_new(notes,
                              note_json(crv_list_at(m->notes, struct crv_measure_note, i))) != 0)
      return false;
  return crv_json_set_steal(j, "devices", crv_steal(&devices)) &&
         crv_json_set_steal(j, "facts", crv_steal(&facts)) &&
         crv_json_set_int(j, "more_facts", m->more_facts) &&
         crv_json_set_steal(j, "notes", crv_steal(&notes)) &&
         crv_json_set_int(j, "more_notes", m->more_notes);
}

static bool set_pool(json_t *j, const struct crv_pool *p) {
  if (!p->bytes.set && !p->tokens.set) return crv_json_set_steal(j, "pool", json_null());
  json_t *pool = json_object();
  if (!pool || !crv_json_set_opt(pool, "bytes", p->bytes) ||
      !crv_json_set_opt(pool, "tokens", p->tokens)) {
    json_decref(pool);
    return false;
  }
  return crv_json_set_steal(j, "pool", pool);
}

json_t *crv_measure_json(const struct crv_measure *m) {
  _json_ json_t *j = json_object();
  bool ok = j && crv_json_set_text(j, "source", m->source) &&
            crv_json_set_int(j, "lines", m->lines) && set_text(j, "engine", m->engine) &&
            set_text(j, "driver", m->driver) && set_text(j, "cuda", m->cuda) &&
            set_pool(j, &m->pool) &&
            crv_json_set_opt(j, "free_at_start_bytes", m->free_at_start_bytes) &&
            set_tri(j, "spilled", m->spilled) &&
            crv_json_set_steal(j, "phases", texts_json(&m->phases)) &&
            crv_json_set_steal(j, "settings", settings_json(&m->settings)) && set_lists(j, m);
  if (ok && m->failure_line) ok = crv_json_set_int(j, "failure_line", m->failure_line);
  return ok ? crv_steal(&j) : NULL;
}
