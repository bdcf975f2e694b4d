/* Reading the fields of a config: types and ranges checked, errors gathered with their pointers,
   everything that was looked at kept, so that the canonical text holds exactly what counts.
   Must not know: any family. */
#include "core/model/arch_in.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/model/field.h"

bool crv_cfg_fail(struct crv_cfg *c, const char *name, const char *code, const char *hint,
                  const char *fmt, ...) {
  char detail[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(detail, sizeof detail, fmt, ap);
  va_end(ap);
  c->state->failed = true;
  return crv_refuse(c->err, c->ptr, name, code, hint, "%s", detail);
}

static const json_t *get(const struct crv_cfg *c, const char *name) {
  return json_object_get(c->j, name);
}

bool crv_cfg_has(const struct crv_cfg *c, const char *name) {
  return get(c, name) != NULL;
}

static void keep(struct crv_cfg *c, const char *name, json_t *value) {
  if (!value || json_object_set_new(c->kept, name, value) != 0) c->state->no_memory = true;
}

/* The value, NULL when absent or null; a null is kept, because it may differ from absence. */
static const json_t *look(struct crv_cfg *c, const char *name) {
  const json_t *v = get(c, name);
  if (!json_is_null(v)) return v;
  keep(c, name, json_null());
  return NULL;
}

bool crv_cfg_is_null(struct crv_cfg *c, const char *name) {
  return crv_cfg_has(c, name) && !look(c, name);
}

/* What a value is, for a detail. */
static const char *kind(const json_t *v) {
  switch (json_typeof(v)) {
  case JSON_OBJECT:
    return "an object";
  case JSON_ARRAY:
    return "a list";
  case JSON_STRING:
    return json_string_value(v)[0] == CRV_JSON_NUM ? "a number with a fraction or an exponent"
                                                   : "a text";
  case JSON_INTEGER:
    return "a whole number";
  case JSON_REAL:
    return "a number with a fraction or an exponent";
  case JSON_TRUE:
  case JSON_FALSE:
    return "true or false";
  default:
    return "null";
  }
}

/* A whole number beyond int64, which the door for JSON keeps as text. */
static bool is_huge(const json_t *v) {
  const char *s = json_string_value(v);
  if (!s || s[0] != CRV_JSON_NUM) return false;
  s += 1 + (s[1] == '-');
  return s[0] && s[strspn(s, "0123456789")] == '\0';
}

static bool read_int(struct crv_cfg *c, const char *name, const json_t *v, int64_t min,
                     int64_t *ret) {
  static const char hint[] = "a whole number, at most 9007199254740991";
  int64_t i = json_integer_value(v);
  if (!json_is_integer(v) && !is_huge(v))
    return crv_cfg_fail(c, name, "wrong_type", hint, "Expected a whole number; got %s.", kind(v));
  if (!json_is_integer(v) || i < min || i > CRV_INT_MAX)
    return crv_cfg_fail(c, name, "out_of_range", hint,
                        "Expected a whole number from %lld to 9007199254740991.", (long long)min);
  keep(c, name, json_integer(i));
  *ret = i;
  return true;
}

struct crv_opt_int crv_cfg_opt(struct crv_cfg *c, const char *name, int64_t min) {
  struct crv_opt_int ret = {.v = 1};
  const json_t *v = look(c, name);
  if (v) ret.set = read_int(c, name, v, min, &ret.v);
  return ret;
}

int64_t crv_cfg_need(struct crv_cfg *c, const char *name) {
  int64_t ret = 1;
  const json_t *v = look(c, name);
  if (v)
    read_int(c, name, v, 1, &ret);
  else
    crv_cfg_fail(c, name, "missing", NULL, "The config of a %s states it.", c->row->model_type);
  return ret;
}

struct crv_opt_int crv_cfg_opt2(struct crv_cfg *c, const char *name, const char *other,
                                int64_t min) {
  struct crv_opt_int a = crv_cfg_opt(c, name, min), b = crv_cfg_opt(c, other, min);
  if (a.set && b.set && a.v != b.v)
    crv_cfg_fail(c, other, "conflict", NULL, "It is %lld while %s is %lld.", (long long)b.v, name,
                 (long long)a.v);
  return a.set ? a : b;
}

/* Neither absent nor null. */
static bool stated(struct crv_cfg *c, const char *name) {
  return crv_cfg_has(c, name) && !crv_cfg_is_null(c, name);
}

int64_t crv_cfg_need2(struct crv_cfg *c, const char *name, const char *other) {
  struct crv_opt_int ret = crv_cfg_opt2(c, name, other, 1);
  if (!stated(c, name) && !stated(c, other))
    crv_cfg_fail(c, name, "missing", NULL, "The config of a %s states it (or %s).",
                 c->row->model_type, other);
  return ret.v;
}

void crv_cfg_assume(struct crv_cfg *c, const char *field, const char *value) {
  struct crv_list *list = &c->arch->assumed;
  if (!list->at) list->at = crv_new_array(c->a, CRV_ARCH_ASSUMED, struct crv_arch_assumed);
  struct crv_arch_assumed one = {.field = crv_arena_strdup(c->a, field),
                                 .value = crv_arena_strdup(c->a, value),
                                 .source = c->row->source};
  if (!list->at || !one.field || !one.value)
    c->state->no_memory = true;
  else if (list->n < CRV_ARCH_ASSUMED)
    *crv_list_at(*list, struct crv_arch_assumed, list->n++) = one;
}

int64_t crv_cfg_or(struct crv_cfg *c, const char *name, int64_t min, int64_t value) {
  char text[32];
  if (crv_cfg_has(c, name)) {
    struct crv_opt_int v = crv_cfg_opt(c, name, min);
    if (crv_cfg_is_null(c, name))
      crv_cfg_fail(c, name, "wrong_type", NULL, "Expected a whole number; got null.");
    return v.v;
  }
  snprintf(text, sizeof text, "%lld", (long long)value);
  crv_cfg_assume(c, name, text);
  return value;
}

enum crv_tri crv_cfg_flag(struct crv_cfg *c, const char *name) {
  const json_t *v = look(c, name);
  if (!v) return CRV_UNSET;
  if (!json_is_boolean(v)) {
    crv_cfg_fail(c, name, "wrong_type", "true or false", "Expected true or false; got %s.",
                 kind(v));
    return CRV_UNSET;
  }
  keep(c, name, json_boolean(json_is_true(v)));
  return json_is_true(v) ? CRV_TRUE : CRV_FALSE;
}

bool crv_cfg_flag_or(struct crv_cfg *c, const char *name, bool value) {
  enum crv_tri v = crv_cfg_flag(c, name);
  if (v != CRV_UNSET) return v == CRV_TRUE;
  if (!crv_cfg_has(c, name)) crv_cfg_assume(c, name, value ? "true" : "false");
  return value;
}

enum { TEXT_MAX = 256 };

static bool text_ok(const json_t *v) {
  const char *s = json_string_value(v);
  return s && s[0] != CRV_JSON_NUM && json_string_length(v) <= TEXT_MAX;
}

const char *crv_cfg_text(struct crv_cfg *c, const char *name) {
  const json_t *v = look(c, name);
  if (!v) return NULL;
  if (!text_ok(v)) {
    crv_cfg_fail(c, name, "wrong_type", "a text of at most 256 bytes",
                 "Expected a text of at most 256 bytes; got %s.",
                 json_is_string(v) && json_string_value(v)[0] != CRV_JSON_NUM ? "a longer one"
                                                                              : kind(v));
    return NULL;
  }
  keep(c, name, json_string(json_string_value(v)));
  const char *ret = crv_arena_strdup(c->a, json_string_value(v));
  if (!ret) c->state->no_memory = true;
  return ret;
}

static bool entry_ok(const json_t *v, json_type of) {
  if (of == JSON_STRING) return text_ok(v);
  return json_is_integer(v) && json_integer_value(v) >= 0 && json_integer_value(v) <= CRV_INT_MAX;
}

const json_t *crv_cfg_list(struct crv_cfg *c, const char *name, json_type of, size_t max) {
  const json_t *v = look(c, name);
  json_t *one;
  size_t i;
  if (!v) return NULL;
  if (!json_is_array(v) || json_array_size(v) > max) {
    crv_cfg_fail(c, name, json_is_array(v) ? "out_of_range" : "wrong_type", NULL,
                 "Expected a list of at most %zu entries; got %s.", max,
                 json_is_array(v) ? "more" : kind(v));
    return NULL;
  }
  json_array_foreach(v, i, one) {
    if (entry_ok(one, of)) continue;
    crv_cfg_fail(c, name, "wrong_type", NULL, "Expected %s; entry %zu is %s.",
                 of == JSON_STRING ? "texts of at most 256 bytes" : "whole numbers", i, kind(one));
    return NULL;
  }
  keep(c, name, json_deep_copy(v));
  return v;
}

bool crv_cfg_sub(struct crv_cfg *c, const char *name, struct crv_cfg *ret) {
  const json_t *v = look(c, name);
  if (!v) return false;
  if (!json_is_object(v))
    return crv_cfg_fail(c, name, "wrong_type", "an object", "Expected an object; got %s.", kind(v));
  const char *ptr = crv_path(c, c->ptr, "/", name);
  json_t *kept = json_object_get(c->kept, name);
  if (!json_is_object(kept)) {
    kept = json_object();
    keep(c, name, kept);
  }
  if (c->state->no_memory) return false;
  *ret = *c;
  ret->j = v;
  ret->kept = kept;
  ret->ptr = ptr;
  return true;
}

const char *crv_path(struct crv_cfg *c, const char *prefix, const char *middle, const char *end) {
  const char *ret = crv_arena_printf(c->a, "%s%s%s", prefix, middle, end);
  if (!ret) c->state->no_memory = true;
  return ret ? ret : "";
}
