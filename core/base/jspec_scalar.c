/* Decoding of scalar fields: one function a type, each with a detail that says what was expected
   and what came. Must not know: which table a field belongs to. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/jspec_in.h"
#include "core/base/text.h"

bool crv_jspec_no_memory(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

bool crv_jspec_is_number_text(const json_t *j) {
  return json_is_string(j) && json_string_value(j)[0] == CRV_JSON_NUM;
}

bool crv_jspec_is_text(const json_t *j) {
  return json_is_string(j) && json_string_value(j)[0] != CRV_JSON_NUM;
}

static const char *token(const json_t *j) {
  return json_string_value(j) + 1;
}

char *crv_jspec_got(const json_t *j, char *out) {
  switch (json_typeof(j)) {
  case JSON_OBJECT:
    snprintf(out, CRV_QUOTE_ROOM, "an object");
    break;
  case JSON_ARRAY:
    snprintf(out, CRV_QUOTE_ROOM, "a list");
    break;
  case JSON_TRUE:
    snprintf(out, CRV_QUOTE_ROOM, "true");
    break;
  case JSON_FALSE:
    snprintf(out, CRV_QUOTE_ROOM, "false");
    break;
  case JSON_NULL:
    snprintf(out, CRV_QUOTE_ROOM, "null");
    break;
  case JSON_REAL:
    snprintf(out, CRV_QUOTE_ROOM, "a number");
    break;
  case JSON_INTEGER:
    snprintf(out, CRV_QUOTE_ROOM, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
    break;
  case JSON_STRING:
    if (crv_jspec_is_number_text(j))
      snprintf(out, CRV_QUOTE_ROOM, "%.40s%s", token(j), strlen(token(j)) > 40 ? "..." : "");
    else
      crv_text_quote(json_string_value(j), json_string_length(j), out);
    break;
  }
  return out;
}

static __attribute__((format(printf, 5, 6))) bool fail(const struct crv_jat *at, const json_t *j,
                                                       const char *code, const char *hint,
                                                       const char *fmt, ...) {
  char got[CRV_QUOTE_ROOM], expected[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(expected, sizeof expected, fmt, ap);
  va_end(ap);
  return crv_fail_field(at->err, at->ptr, code, hint, "Expected %s; got %s.", expected,
                        crv_jspec_got(j, got));
}

static bool fail_unit(const struct crv_jat *at, const struct crv_unit_err *ue) {
  return crv_fail_field(at->err, at->ptr, ue->code, NULL, "%s", ue->detail);
}

const char *crv_jspec_text(const struct crv_jat *at, const json_t *j, size_t max) {
  if (!crv_jspec_is_text(j)) return fail(at, j, "wrong_type", NULL, "a text"), NULL;
  const char *s = json_string_value(j);
  size_t len = json_string_length(j);
  bool lines = at->field->type == CRV_JT_TEXT && (at->field->flags & CRV_JF_LINES);
  if (len == 0)
    return fail(at, j, "out_of_range", "leave the field out when it is not known",
                "a text that is not empty"),
           NULL;
  if (len > max)
    return fail(at, j, "out_of_range", NULL, "a text of at most %zu bytes (this has %zu)", max,
                len),
           NULL;
  if (!crv_text_plain(s, lines))
    return fail(at, j, "bad_format", NULL, "a text without control characters"), NULL;
  char *copy = crv_arena_strndup(at->arena, s, len);
  if (!copy) crv_jspec_no_memory(at->err);
  return copy;
}

static bool decode_text(const struct crv_jat *at, const json_t *j, void *cell) {
  const char *s = crv_jspec_text(at, j, at->field->max > 0 ? (size_t)at->field->max : CRV_TEXT_MAX);
  if (s) *(const char **)cell = s;
  return s != NULL;
}

static bool decode_key(const struct crv_jat *at, const json_t *j, void *cell) {
  if (!crv_jspec_is_text(j)) return fail(at, j, "wrong_type", NULL, "a key as text");
  if (!crv_key_ok(json_string_value(j), json_string_length(j)))
    return fail(at, j, "bad_format", "[a-z0-9][a-z0-9._-]{0,127}",
                "a key of a-z, 0-9, \".\", \"_\" and \"-\" that begins with a letter or digit, "
                "at most 128 bytes");
  const char *s = crv_arena_strdup(at->arena, json_string_value(j));
  if (!s) return crv_jspec_no_memory(at->err);
  *(const char **)cell = s;
  return true;
}

static bool decode_currency(const struct crv_jat *at, const json_t *j, void *cell) {
  if (!crv_jspec_is_text(j))
    return fail(at, j, "wrong_type", NULL, "a currency code such as \"EUR\"");
  if (!crv_currency_ok(json_string_value(j)) || json_string_length(j) != 3)
    return fail(at, j, "bad_format", "three capital letters (ISO 4217)",
                "a currency code such as \"EUR\"");
  const char *s = crv_arena_strdup(at->arena, json_string_value(j));
  if (!s) return crv_jspec_no_memory(at->err);
  *(const char **)cell = s;
  return true;
}

void crv_jspec_range(const struct crv_jfield *f, int64_t *min, int64_t *max) {
  *min = f->min;
  *max = f->max;
  if (f->max == 0 && f->min >= 0)
    *max = f->type == CRV_JT_DECIMAL ? INT64_C(9200000000000000000) : CRV_INT_MAX;
}

/* Says what is accepted: not 0 where a field takes only more. */
static bool fail_whole(const struct crv_jat *at, const json_t *j, const char *code) {
  int64_t min, max;
  crv_jspec_range(at->field, &min, &max);
  if (min == 0 && (at->field->flags & CRV_JF_POSITIVE)) min = 1;
  return fail(at, j, code, NULL, "a whole number from %" PRId64 " to %" PRId64 "%s", min, max,
              at->field->type == CRV_JT_BYTES ? " bytes" : "");
}

static bool in_range(const struct crv_jat *at, const json_t *j, int64_t v) {
  char low[40], high[40];
  int64_t min, max;
  bool positive = at->field->flags & CRV_JF_POSITIVE;
  crv_jspec_range(at->field, &min, &max);
  if (v == 0 && positive) return fail(at, j, "out_of_range", NULL, "a number greater than 0");
  if (v >= min && v <= max) return true;
  if (at->field->type != CRV_JT_DECIMAL) return fail_whole(at, j, "out_of_range");
  crv_decimal_text(min, low, sizeof low);
  crv_decimal_text(max, high, sizeof high);
  if (positive && min == 0)
    return fail(at, j, "out_of_range", NULL, "a number greater than 0, at most %s", high);
  return fail(at, j, "out_of_range", NULL, "a number from %s to %s", low, high);
}

/* An integer token too long for jansson: no point and no exponent. */
static bool is_long_integer(const json_t *j) {
  return crv_jspec_is_number_text(j) && !strpbrk(token(j), ".eE");
}

/* A JSON integer, or a long one, which is out of any range. */
static bool decode_integer(const struct crv_jat *at, const json_t *j, void *cell) {
  if (is_long_integer(j)) return fail_whole(at, j, "out_of_range");
  if (crv_jspec_is_number_text(j))
    return fail(at, j, "wrong_type", NULL, "a whole number without point or exponent");
  if (!json_is_integer(j)) return fail_whole(at, j, "wrong_type");
  if (!in_range(at, j, json_integer_value(j))) return false;
  *(struct crv_opt_int *)cell = (struct crv_opt_int){json_integer_value(j), true};
  return true;
}

static bool decode_bool(const struct crv_jat *at, const json_t *j, void *cell) {
  if (!json_is_boolean(j)) return fail(at, j, "wrong_type", NULL, "true or false");
  *(enum crv_tri *)cell = json_is_true(j) ? CRV_TRUE : CRV_FALSE;
  return true;
}

static bool fail_enum(const struct crv_jat *at, const json_t *j) {
  char names[200] = "", hint[CRV_HINT_ROOM] = "";
  struct crv_near near = {.key = crv_jspec_is_text(j) ? json_string_value(j) : ""};
  for (const struct crv_enum_name *n = at->field->names; n->name; n++) {
    crv_near_try(&near, n->name);
    crv_names_add(names, sizeof names, n->name);
  }
  crv_near_hint(&near, hint, sizeof hint);
  return fail(at, j, crv_jspec_is_text(j) ? "not_one_of" : "wrong_type", hint, "one of %s", names);
}

static bool decode_enum(const struct crv_jat *at, const json_t *j, void *cell) {
  if (!crv_jspec_is_text(j)) return fail_enum(at, j);
  for (const struct crv_enum_name *n = at->field->names; n->name; n++) {
    if (strcmp(n->name, json_string_value(j)) != 0) continue;
    *(int *)cell = n->value;
    return true;
  }
  return fail_enum(at, j);
}

bool crv_jspec_counts_bytes(const char *name) {
  size_t len = strlen(name);
  if (strcmp(name, "bytes") == 0) return true;
  return len > 6 && strcmp(name + len - 6, "_bytes") == 0;
}

/* A number without a unit: bytes under a name that says so, else refused with both readings. */
static bool decode_bare(const struct crv_jat *at, const json_t *j, void *cell) {
  char text[48];
  int64_t ignored;
  struct crv_unit_err ue;
  if (strcmp(at->key, at->field->name) == 0 && crv_jspec_counts_bytes(at->field->name))
    return decode_integer(at, j, cell);
  if (json_is_integer(j))
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
  else
    snprintf(text, sizeof text, "%.40s", token(j));
  if (crv_bytes_parse(text, strlen(text), CRV_ROUND_UP, &ignored, &ue))
    return crv_bug(at->err, "a bare number was read as bytes");
  return fail_unit(at, &ue);
}

static bool decode_bytes(const struct crv_jat *at, const json_t *j, void *cell) {
  int64_t v;
  struct crv_unit_err ue;
  enum crv_round round = at->field->flags & CRV_JF_ROUND_DOWN ? CRV_ROUND_DOWN : CRV_ROUND_UP;
  if (json_is_integer(j) || crv_jspec_is_number_text(j)) return decode_bare(at, j, cell);
  if (!crv_jspec_is_text(j))
    return fail(at, j, "wrong_type", NULL,
                "an amount with its unit, such as \"24 GB\" or \"24 GiB\"");
  if (!crv_bytes_parse(json_string_value(j), json_string_length(j), round, &v, &ue))
    return fail_unit(at, &ue);
  if (!in_range(at, j, v)) return false;
  *(struct crv_opt_int *)cell = (struct crv_opt_int){v, true};
  return true;
}

static bool decode_decimal(const struct crv_jat *at, const json_t *j, void *cell) {
  char text[32];
  int64_t v;
  struct crv_unit_err ue;
  const char *s = text;
  if (json_is_integer(j))
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
  else if (json_is_string(j))
    s = crv_jspec_is_number_text(j) ? token(j) : json_string_value(j);
  else
    return fail(at, j, "wrong_type", NULL, "a decimal number such as \"47.14\"");
  if (!crv_decimal_parse(s, strlen(s), &v, &ue)) return fail_unit(at, &ue);
  if (!in_range(at, j, v)) return false;
  *(struct crv_opt_int *)cell = (struct crv_opt_int){v, true};
  return true;
}

static bool decode_time(const struct crv_jat *at, const json_t *j, void *cell) {
  int64_t ms = 0;
  struct crv_unit_err ue;
  if (!crv_jspec_is_text(j))
    return fail(at, j, "wrong_type", NULL, "a time such as \"2026-11-30T10:00:00Z\" or a date");
  const char *s = json_string_value(j);
  size_t len = json_string_length(j);
  bool ok = len == 10 ? crv_date_parse(s, len, &ms, &ue) : crv_time_parse(s, len, &ms, &ue);
  if (!ok) return fail_unit(at, &ue);
  *(struct crv_opt_int *)cell = (struct crv_opt_int){ms, true};
  return true;
}

bool crv_jspec_is_scalar(enum crv_jtype type) {
  return type <= CRV_JT_CURRENCY;
}

bool crv_jspec_decode_scalar(const struct crv_jat *at, const json_t *j, void *cell) {
  switch (at->field->type) {
  case CRV_JT_TEXT:
    return decode_text(at, j, cell);
  case CRV_JT_KEY:
    return decode_key(at, j, cell);
  case CRV_JT_INT:
    return decode_integer(at, j, cell);
  case CRV_JT_BOOL:
    return decode_bool(at, j, cell);
  case CRV_JT_ENUM:
    return decode_enum(at, j, cell);
  case CRV_JT_BYTES:
    return decode_bytes(at, j, cell);
  case CRV_JT_DECIMAL:
    return decode_decimal(at, j, cell);
  case CRV_JT_TIME:
    return decode_time(at, j, cell);
  case CRV_JT_CURRENCY:
    return decode_currency(at, j, cell);
  case CRV_JT_OBJECT:
  case CRV_JT_LIST:
  case CRV_JT_MAP:
  case CRV_JT_CUSTOM:
    break;
  }
  return crv_bug(at->err, "field %s is no scalar", at->field->name);
}
