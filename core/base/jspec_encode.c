/* Structs back to JSON by their tables: canonical names, table order, absent fields left out.
   What it gives, decoding takes. Must not know: what the fields mean. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/jspec_in.h"

/* Takes value; NULL is out of memory. */
static bool append(json_t *array, json_t *value) {
  return json_array_append_new(array, value) == 0;
}

static json_t *encode_list(const struct crv_jfield *f, const struct crv_list *list) {
  _json_ json_t *array = json_array();
  if (!array) return NULL;
  for (size_t i = 0; i < list->n; i++) {
    json_t *item = f->sub ? crv_jspec_encode(f->sub, (const char *)list->at + i * f->sub->size)
                          : json_string(*crv_list_at(*list, const char *, i));
    if (!append(array, item)) return NULL;
  }
  return crv_steal(&array);
}

static json_t *encode_pair(const struct crv_pair *pair) {
  switch (pair->type) {
  case CRV_PAIR_BOOL:
    return json_boolean(strcmp(pair->value, "true") == 0);
  case CRV_PAIR_INT:
    return json_integer(strtoll(pair->value, NULL, 10));
  case CRV_PAIR_DECIMAL:
  case CRV_PAIR_TEXT:
    break;
  }
  return json_string(pair->value);
}

static json_t *encode_map(const struct crv_list *list) {
  _json_ json_t *obj = json_object();
  if (!obj) return NULL;
  for (size_t i = 0; i < list->n; i++) {
    const struct crv_pair *pair = crv_list_at(*list, struct crv_pair, i);
    if (json_object_set_new(obj, pair->name, encode_pair(pair)) != 0) return NULL;
  }
  return crv_steal(&obj);
}

/* Bytes under a name that does not say so keep their unit: decoding refuses a bare number there. */
static json_t *encode_scalar(const struct crv_jfield *f, const struct crv_value *v) {
  if (v->type == CRV_JT_BYTES && !crv_jspec_counts_bytes(f->name))
    return json_sprintf("%" PRId64 " B", v->i);
  return crv_value_json(v);
}

/* Sets the field, or leaves it out; false when out of memory. */
static bool encode_field(json_t *obj, const struct crv_jfield *f, const void *cell) {
  struct crv_value v;
  const struct crv_list *list = cell;
  json_t *custom;
  switch (f->type) {
  case CRV_JT_OBJECT:
    if (!*(void *const *)cell) return true;
    return json_object_set_new(obj, f->name, crv_jspec_encode(f->sub, *(void *const *)cell)) == 0;
  case CRV_JT_LIST:
    return !list->at || json_object_set_new(obj, f->name, encode_list(f, list)) == 0;
  case CRV_JT_MAP:
    return !list->at || json_object_set_new(obj, f->name, encode_map(list)) == 0;
  case CRV_JT_CUSTOM:
    if (f->custom->is_set && !f->custom->is_set(cell)) return true;
    custom = f->custom->encode(cell);
    return !custom || json_object_set_new(obj, f->name, custom) == 0;
  default:
    break;
  }
  crv_jspec_read(f, cell, &v);
  return !v.set || json_object_set_new(obj, f->name, encode_scalar(f, &v)) == 0;
}

static bool encode_extras(json_t *obj, const struct crv_list *extras, struct crv_err *err) {
  for (size_t i = 0; i < extras->n; i++) {
    const struct crv_extra *extra = crv_list_at(*extras, struct crv_extra, i);
    json_t *v = crv_json_parse_stored(extra->json, strlen(extra->json), err);
    if (json_object_set_new(obj, extra->name, v) != 0) return false;
  }
  return true;
}

json_t *crv_jspec_encode(const struct crv_jspec *spec, const void *in) {
  const char *base = in;
  _json_ json_t *obj = json_object();
  if (!obj) return NULL;
  for (const struct crv_jfield *f = spec->fields; f->name; f++)
    if (!encode_field(obj, f, base + f->offset)) return NULL;
  if (crv_jspec_keeps_extras(spec)) {
    const void *extras = base + spec->extras_offset;
    _free_ struct crv_err *err = malloc(sizeof *err);
    if (!err) return NULL;
    crv_err_init(err);
    if (!encode_extras(obj, extras, err)) return NULL;
  }
  return crv_steal(&obj);
}
