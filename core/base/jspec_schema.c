/* The tables as JSON Schema (2020-12), for the OpenAPI document. It describes what decoding takes:
   text with a unit, decimals as text or number, one object instead of a list.
   Must not know: the OpenAPI document around it. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/jspec_in.h"

#define WITH_UNIT "^[0-9]+(\\.[0-9]+)? ?(B|kB|MB|GB|TB|PB|KiB|MiB|GiB|TiB|PiB)$"
#define DECIMAL "^-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$"
#define KEY "^[a-z0-9][a-z0-9._-]{0,127}$"

static json_t *typed(const char *type) {
  return json_pack("{s:s}", "type", type);
}

static json_t *pattern(const char *regex) {
  return json_pack("{s:s, s:s}", "type", "string", "pattern", regex);
}

/* Takes both. */
static json_t *any_of(json_t *a, json_t *b) {
  return json_pack("{s:[o, o]}", "anyOf", a, b);
}

static json_t *text(const struct crv_jfield *f) {
  json_int_t max = f->max > 0 ? f->max : CRV_TEXT_MAX;
  return json_pack("{s:s, s:i, s:I}", "type", "string", "minLength", 1, "maxLength", max);
}

static json_t *integer(const struct crv_jfield *f) {
  int64_t min, max;
  crv_jspec_range(f, &min, &max);
  if (min == 0 && (f->flags & CRV_JF_POSITIVE)) min = 1;
  return json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum", (json_int_t)min, "maximum",
                   (json_int_t)max);
}

/* The minimum is given where it is a whole number: a schema with a real would not be exact. */
static json_t *decimal(const struct crv_jfield *f) {
  _json_ json_t *number = typed("number");
  if (!number) return NULL;
  if (f->min % CRV_MICRO == 0 && !crv_json_set_int(number, "minimum", f->min / CRV_MICRO))
    return NULL;
  if (f->max && f->max % CRV_MICRO == 0 && !crv_json_set_int(number, "maximum", f->max / CRV_MICRO))
    return NULL;
  return any_of(pattern(DECIMAL), crv_steal(&number));
}

static json_t *named(const struct crv_enum_name *names) {
  _json_ json_t *list = json_array();
  if (!list) return NULL;
  for (; names->name; names++)
    if (json_array_append_new(list, json_string(names->name)) != 0) return NULL;
  return json_pack("{s:s, s:O}", "type", "string", "enum", list);
}

static json_t *time_text(void) {
  return json_pack("{s:[{s:s, s:s}, {s:s, s:s}]}", "anyOf", "type", "string", "format", "date-time",
                   "type", "string", "format", "date");
}

static json_t *ref(const struct crv_jspec *spec) {
  return json_pack("{s:s+}", "$ref", "#/components/schemas/", spec->name);
}

static json_t *item(const struct crv_jfield *f) {
  if (f->sub) return ref(f->sub);
  if (f->flags & CRV_JF_KEYS) return pattern(KEY);
  return json_pack("{s:s, s:i, s:i}", "type", "string", "minLength", 1, "maxLength", CRV_TEXT_MAX);
}

static json_t *list(const struct crv_jfield *f) {
  json_int_t max = f->max > 0 ? f->max : CRV_ITEMS_MAX;
  _json_ json_t *array =
      json_pack("{s:s, s:o, s:I}", "type", "array", "items", item(f), "maxItems", max);
  if (!array) return NULL;
  if (f->min > 0 && !crv_json_set_int(array, "minItems", f->min)) return NULL;
  return f->flags & CRV_JF_ONE_OR_LIST ? any_of(item(f), crv_steal(&array)) : crv_steal(&array);
}

static json_t *map(void) {
  return json_pack("{s:s, s:{s:[s, s, s]}, s:i}", "type", "object", "additionalProperties", "type",
                   "string", "number", "boolean", "maxProperties", CRV_PAIRS_MAX);
}

static json_t *custom(const struct crv_jfield *f) {
  const char *s = f->custom->schema;
  return s ? json_loadb(s, strlen(s), JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL)
           : json_object();
}

/* What the field takes under this name. */
static json_t *field(const struct crv_jfield *f, const char *name) {
  switch (f->type) {
  case CRV_JT_TEXT:
    return text(f);
  case CRV_JT_KEY:
    return pattern(KEY);
  case CRV_JT_INT:
    return integer(f);
  case CRV_JT_BOOL:
    return typed("boolean");
  case CRV_JT_ENUM:
    return named(f->names);
  case CRV_JT_BYTES:
    if (name != f->name || !crv_jspec_counts_bytes(f->name)) return pattern(WITH_UNIT);
    return any_of(integer(f), pattern(WITH_UNIT));
  case CRV_JT_DECIMAL:
    return decimal(f);
  case CRV_JT_TIME:
    return time_text();
  case CRV_JT_CURRENCY:
    return pattern("^[A-Z]{3}$");
  case CRV_JT_OBJECT:
    return ref(f->sub);
  case CRV_JT_LIST:
    return list(f);
  case CRV_JT_MAP:
    return map();
  case CRV_JT_CUSTOM:
    return custom(f);
  }
  return json_object();
}

static bool set_description(json_t *schema, const struct crv_jfield *f, bool is_alias) {
  _json_ json_t *s = NULL;
  const char *doc = f->doc ? f->doc : "";
  if (is_alias)
    s = json_pack("s+++", "Another name of ", f->name, *doc ? ": " : "", doc);
  else if (f->flags & CRV_JF_NOT_YET)
    s = json_pack("s+", "Not yet: ", doc);
  else if (f->doc)
    s = json_string(f->doc);
  else
    return true;
  return s && json_object_set(schema, "description", s) == 0;
}

static bool add_property(json_t *properties, const struct crv_jfield *f, const char *name) {
  _json_ json_t *schema = field(f, name);
  if (!schema || !json_is_object(schema)) return false;
  return set_description(schema, f, name != f->name) &&
         json_object_set(properties, name, schema) == 0;
}

static json_t *properties_of(const struct crv_jspec *spec) {
  _json_ json_t *properties = json_object();
  if (!properties) return NULL;
  for (const struct crv_jfield *f = spec->fields; f->name; f++) {
    if (!add_property(properties, f, f->name)) return NULL;
    if (f->alias && !add_property(properties, f, f->alias)) return NULL;
  }
  return crv_steal(&properties);
}

/* A required field with two names is required under one of them. */
static bool add_required(json_t *schema, const struct crv_jspec *spec) {
  _json_ json_t *required = json_array(), *either = json_array();
  if (!required || !either) return false;
  for (const struct crv_jfield *f = spec->fields; f->name; f++) {
    if (!(f->flags & CRV_JF_REQUIRED)) continue;
    json_t *one = f->alias ? json_pack("{s:[{s:[s]}, {s:[s]}]}", "anyOf", "required", f->name,
                                       "required", f->alias)
                           : json_string(f->name);
    if (json_array_append_new(f->alias ? either : required, one) != 0) return false;
  }
  if (json_array_size(required) && json_object_set(schema, "required", required) != 0) return false;
  return !json_array_size(either) || json_object_set(schema, "allOf", either) == 0;
}

json_t *crv_jspec_schema(const struct crv_jspec *spec) {
  _json_ json_t *properties = properties_of(spec);
  if (!properties) return NULL;
  _json_ json_t *schema =
      json_pack("{s:s, s:s, s:O}", "title", spec->name, "type", "object", "properties", properties);
  if (!schema || !add_required(schema, spec)) return NULL;
  if (!spec->open &&
      (json_object_set_new(schema, "patternProperties", json_pack("{s:{}}", "^x-")) != 0 ||
       !crv_json_set_bool(schema, "additionalProperties", false)))
    return NULL;
  const struct crv_jfield *f = NULL;
  if (spec->short_field) f = crv_jspec_find(spec, spec->short_field, strlen(spec->short_field));
  return f ? any_of(crv_steal(&schema), field(f, f->name)) : crv_steal(&schema);
}

enum { SEEN_MAX = 256 };

struct seen {
  const struct crv_jspec *at[SEEN_MAX];
  size_t n;
};

static bool is_new(struct seen *seen, const struct crv_jspec *spec) {
  for (size_t i = 0; i < seen->n; i++)
    if (seen->at[i] == spec) return false;
  if (seen->n == SEEN_MAX) return false;
  seen->at[seen->n++] = spec;
  return true;
}

/* Breadth first over the list of those seen: specs may contain each other. */
void crv_jspec_each(const struct crv_jspec *spec, void (*fn)(const struct crv_jspec *, void *),
                    void *ctx) {
  struct seen seen = {.n = 0};
  is_new(&seen, spec);
  for (size_t i = 0; i < seen.n; i++) {
    fn(seen.at[i], ctx);
    for (const struct crv_jfield *f = seen.at[i]->fields; f->name; f++)
      if (f->sub) is_new(&seen, f->sub);
  }
}
