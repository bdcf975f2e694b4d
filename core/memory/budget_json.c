/* The budget and labelled facts as JSON. Must not know: how they came about. */
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/memory/budget.h"

enum { MAX_DEVICES_SHOWN = 64 }; /* all devices are alike */

/* Takes v; false when it is NULL or out of memory. */
static bool set(json_t *obj, const char *key, json_t *v) {
  return json_object_set_new(obj, key, v) == 0;
}

static bool set_fact(json_t *obj, const struct crv_fact *f) {
  switch (f->type) {
  case CRV_FACT_TEXT:
    return set(obj, f->name, f->text ? json_string(f->text) : json_null());
  case CRV_FACT_INT:
  case CRV_FACT_BYTES:
    return set(obj, f->name, json_integer(f->i));
  case CRV_FACT_DECIMAL:
    return crv_json_set_decimal(obj, f->name, f->i);
  case CRV_FACT_TIME:
    return crv_json_set_time(obj, f->name, f->i);
  case CRV_FACT_BOOL:
    return set(obj, f->name, json_boolean(f->i != 0));
  case CRV_FACT_NULL:
    break;
  }
  return set(obj, f->name, json_null());
}

json_t *crv_fact_json(const struct crv_fact *facts, size_t n) {
  _json_ json_t *obj = json_object();
  for (size_t i = 0; obj && i < n; i++)
    if (!set_fact(obj, &facts[i])) return NULL;
  return crv_steal(&obj);
}

static json_t *texts(const char *const *at, size_t n) {
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < n; i++)
    if (json_array_append_new(list, json_string(at[i])) != 0) return NULL;
  return crv_steal(&list);
}

static json_t *item_json(const struct crv_budget_item *item) {
  _json_ json_t *j = json_object();
  bool ok = j && set(j, "item", json_string(item->item)) &&
            crv_json_set_opt(j, "bytes", item->bytes) &&
            crv_json_set_opt(j, "device_bytes", item->per_device) &&
            set(j, "basis", json_string(crv_enum_text(crv_basis_names, item->basis)));
  if (ok && item->formula)
    ok = set(j, "formula", json_string(item->formula)) &&
         set(j, "inputs", crv_fact_json(item->inputs, item->n_inputs));
  ok = ok && set(j, "phases", texts(item->phases, item->n_phases)) &&
       crv_json_set_text(j, "source", item->source) &&
       crv_json_set_text(j, "note", item->note && *item->note ? item->note : NULL);
  return ok ? crv_steal(&j) : NULL;
}

static json_t *items_json(const struct crv_list *items) {
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < items->n; i++)
    if (json_array_append_new(list, item_json(crv_list_at(*items, struct crv_budget_item, i))) != 0)
      return NULL;
  return crv_steal(&list);
}

static json_t *devices_json(const struct crv_budget *b) {
  _json_ json_t *list = json_array();
  for (int64_t i = 0; list && i < b->devices && i < MAX_DEVICES_SHOWN; i++) {
    _json_ json_t *j = json_object();
    if (!j || !crv_json_set_int(j, "device", i) ||
        !crv_json_set_opt(j, "floor_bytes", b->device_floor) ||
        !crv_json_set_opt(j, "envelope_bytes", b->device_envelope) ||
        json_array_append(list, j) != 0)
      return NULL;
  }
  return crv_steal(&list);
}

static json_t *phases_json(const struct crv_list *phases) {
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < phases->n; i++) {
    const struct crv_phase_bytes *p = crv_list_at(*phases, struct crv_phase_bytes, i);
    _json_ json_t *j = json_object();
    if (!j || !crv_json_set_text(j, "phase", p->phase) || !crv_json_set_opt(j, "bytes", p->bytes) ||
        json_array_append(list, j) != 0)
      return NULL;
  }
  return crv_steal(&list);
}

static json_t *formats_json(const struct crv_list *rows) {
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < rows->n; i++) {
    const struct crv_format_row *r = crv_list_at(*rows, struct crv_format_row, i);
    _json_ json_t *j = json_object();
    if (!j || !crv_json_set_text(j, "format", r->format) ||
        !crv_json_set_opt(j, "weights_bytes", r->weights_bytes) ||
        !crv_json_set_opt(j, "envelope_bytes", r->envelope_bytes) ||
        !crv_json_set_text(j, "note", *r->note ? r->note : NULL) || json_array_append(list, j) != 0)
      return NULL;
  }
  return crv_steal(&list);
}

static bool set_sums(json_t *j, const struct crv_budget *b) {
  return crv_json_set_opt(j, "parameters", b->parameters) &&
         crv_json_set_opt(j, "weights_bytes", b->weights_bytes) &&
         crv_json_set_opt(j, "kv_bytes_per_token", b->kv_bytes_per_token) &&
         crv_json_set_opt(j, "kv_bytes", b->kv_bytes) &&
         crv_json_set_opt(j, "headroom_bytes", b->headroom_bytes) &&
         crv_json_set_opt(j, "floor_bytes", b->floor_bytes) &&
         crv_json_set_opt(j, "reserve_bytes", b->reserve_bytes) &&
         crv_json_set_opt(j, "envelope_bytes", b->envelope_bytes) &&
         crv_json_set_bool(j, "complete", b->complete) &&
         crv_json_set_int(j, "device_count", b->devices) &&
         crv_json_set_text(j, "strategy", crv_enum_text(crv_strategy_names, b->strategy));
}

json_t *crv_budget_json(const struct crv_budget *b, const struct crv_list *rows) {
  _json_ json_t *j = json_object();
  bool ok = j && set_sums(j, b) && set(j, "devices", devices_json(b)) &&
            set(j, "items", items_json(&b->items)) && set(j, "phases", phases_json(&b->phases)) &&
            set(j, "unknown", texts(b->unknown.at, b->unknown.n)) &&
            set(j, "left_out", texts(b->left_out.at, b->left_out.n)) &&
            (!rows || set(j, "formats", formats_json(rows)));
  return ok ? crv_steal(&j) : NULL;
}
