/* Scalars reached by a dotted path, for custom requirements, preferences and attestation.
   Must not know: what the fields mean. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/jspec_in.h"
#include "core/base/text.h"

static void read_int(const void *cell, struct crv_value *ret) {
  const struct crv_opt_int *o = cell;
  ret->set = o->set;
  ret->i = o->set ? o->v : 0;
}

static void read_text(const char *s, struct crv_value *ret) {
  ret->type = CRV_JT_TEXT;
  ret->set = s != NULL;
  ret->text = s;
}

static const char *enum_name(const struct crv_enum_name *names, int value) {
  for (; names->name; names++)
    if (value != 0 && names->value == value) return names->name;
  return NULL;
}

/* The type of a value of this field: texts of every kind are TEXT. */
static enum crv_jtype value_type(enum crv_jtype type) {
  if (type == CRV_JT_KEY || type == CRV_JT_CURRENCY || type == CRV_JT_ENUM) return CRV_JT_TEXT;
  return type;
}

void crv_jspec_read(const struct crv_jfield *f, const void *cell, struct crv_value *ret) {
  enum crv_tri tri;
  *ret = (struct crv_value){.type = value_type(f->type)};
  switch (f->type) {
  case CRV_JT_TEXT:
  case CRV_JT_KEY:
  case CRV_JT_CURRENCY:
    read_text(*(const char *const *)cell, ret);
    break;
  case CRV_JT_ENUM:
    read_text(enum_name(f->names, *(const int *)cell), ret);
    break;
  case CRV_JT_BOOL:
    tri = *(const enum crv_tri *)cell;
    ret->set = tri != CRV_UNSET;
    ret->i = tri == CRV_TRUE;
    break;
  case CRV_JT_INT:
  case CRV_JT_BYTES:
  case CRV_JT_DECIMAL:
  case CRV_JT_TIME:
    read_int(cell, ret);
    break;
  case CRV_JT_OBJECT:
  case CRV_JT_LIST:
  case CRV_JT_MAP:
  case CRV_JT_CUSTOM:
    break;
  }
}

/* Walks the path; *obj follows it and becomes NULL below an absent object. */
static const struct crv_jfield *walk(const struct crv_jspec *spec, const char *path,
                                     const void **obj) {
  for (;;) {
    size_t n = strcspn(path, ".");
    const struct crv_jfield *f = crv_jspec_find(spec, path, n);
    if (!f) return NULL;
    const char *base = *obj;
    if (base) *obj = base + f->offset;
    if (path[n] == '\0') return f;
    if (f->type != CRV_JT_OBJECT) return NULL;
    if (base) *obj = *(void *const *)*obj;
    spec = f->sub;
    path += n + 1;
  }
}

const struct crv_jfield *crv_jspec_field(const struct crv_jspec *spec, const char *path) {
  const void *none = NULL;
  return walk(spec, path, &none);
}

bool crv_jspec_value(const struct crv_jspec *spec, const void *obj, const char *path,
                     struct crv_value *ret) {
  const struct crv_jfield *f = walk(spec, path, &obj);
  if (!f || !crv_jspec_is_scalar(f->type)) return false;
  if (obj)
    crv_jspec_read(f, obj, ret);
  else
    *ret = (struct crv_value){.type = value_type(f->type)};
  return true;
}

bool crv_jspec_value_parse_as(const struct crv_jfield *field, const char *name, const json_t *j,
                              const char *ptr, struct crv_arena *a, struct crv_value *ret,
                              struct crv_err *err) {
  union {
    struct crv_opt_int number;
    const char *text;
    enum crv_tri tri;
    int named;
  } cell;
  struct crv_jat at = {.field = field, .key = name, .ptr = ptr, .arena = a, .err = err};
  memset(&cell, 0, sizeof cell);
  if (!crv_jspec_is_scalar(field->type))
    return crv_fail_field(err, ptr, "wrong_type", NULL, "`%s` is not a single value.", field->name);
  if (!crv_jspec_decode_scalar(&at, j, &cell)) return false;
  crv_jspec_read(field, &cell, ret);
  return true;
}

bool crv_jspec_value_parse(const struct crv_jfield *field, const json_t *j, const char *ptr,
                           struct crv_arena *a, struct crv_value *ret, struct crv_err *err) {
  return crv_jspec_value_parse_as(field, field->name, j, ptr, a, ret, err);
}

int crv_value_cmp(const struct crv_value *a, const struct crv_value *b) {
  if (a->type != b->type) return a->type < b->type ? -1 : 1;
  if (a->type == CRV_JT_TEXT) return crv_strorder(a->text, b->text);
  return (a->i > b->i) - (a->i < b->i);
}

char *crv_value_text(const struct crv_value *v, char *out, size_t room) {
  char gib[40];
  if (room == 0) return out;
  if (!v->set) {
    snprintf(out, room, "unknown");
    return out;
  }
  switch (v->type) {
  case CRV_JT_BOOL:
    snprintf(out, room, "%s", v->i ? "true" : "false");
    break;
  case CRV_JT_INT:
    snprintf(out, room, "%" PRId64, v->i);
    break;
  case CRV_JT_BYTES:
    snprintf(out, room, "%s (%" PRId64 " B)", crv_bytes_gib(v->i, gib, sizeof gib), v->i);
    break;
  case CRV_JT_DECIMAL:
    crv_decimal_text(v->i, out, room);
    break;
  case CRV_JT_TIME:
    crv_time_text(v->i, out, room);
    break;
  default:
    snprintf(out, room, "%s", v->text);
    crv_text_repair(out);
  }
  return out;
}

json_t *crv_value_json(const struct crv_value *v) {
  char text[48];
  if (!v->set) return json_null();
  switch (v->type) {
  case CRV_JT_BOOL:
    return json_boolean(v->i != 0);
  case CRV_JT_INT:
  case CRV_JT_BYTES:
    return json_integer(v->i);
  case CRV_JT_DECIMAL:
    return json_string(crv_decimal_text(v->i, text, sizeof text));
  case CRV_JT_TIME:
    return json_string(crv_time_text(v->i, text, sizeof text));
  default:
    return json_string(v->text);
  }
}
