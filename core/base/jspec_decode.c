/* Decoding of objects, lists, maps and kept extras by their tables. Every field error is gathered;
   decoding goes on after one. Must not know: what the fields mean. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/jspec_in.h"
#include "core/base/text.h"

/* Where an object's members come from: a JSON object, or a text that stands for one member. */
struct source {
  const json_t *object;
  const json_t *only;
  const char *only_name;
};

static json_t *unconst(const json_t *j) {
  return (json_t *)(uintptr_t)j; /* jansson's iterators take a plain pointer and change nothing */
}

/* RFC 6901: "~" is "~0" and "/" is "~1". A pointer too long for its room is cut. */
static void child_ptr(char *out, const char *parent, const char *key) {
  size_t at = (size_t)snprintf(out, CRV_PTR_ROOM, "%s/", parent);
  for (; *key && at + 3 < CRV_PTR_ROOM; key++) {
    if (*key == '~' || *key == '/') {
      out[at++] = '~';
      out[at++] = *key == '~' ? '0' : '1';
    } else {
      out[at++] = *key;
    }
  }
  if (at < CRV_PTR_ROOM) out[at] = '\0';
}

static void item_ptr(char *out, const char *parent, size_t i) {
  char index[24];
  snprintf(index, sizeof index, "%zu", i);
  child_ptr(out, parent, index);
}

static bool fail_type(const struct crv_jat *at, const json_t *j, const char *expected) {
  char got[CRV_QUOTE_ROOM];
  return crv_fail_field(at->err, at->ptr, "wrong_type", NULL, "Expected %s; got %s.", expected,
                        crv_jspec_got(j, got));
}

static bool is_given(const json_t *j) {
  return j && !json_is_null(j);
}

/* Objects */

static bool decode_object(const struct crv_jat *at, const json_t *j, void *cell) {
  const struct crv_jspec *sub = at->field->sub;
  void *out = crv_arena_alloc(at->arena, sub->size);
  if (!out) return crv_jspec_no_memory(at->err);
  if (!crv_jspec_decode(sub, j, at->ptr, at->arena, out, at->err)) return false;
  *(void **)cell = out;
  return true;
}

/* Lists */

static bool decode_item(const struct crv_jat *at, const json_t *j, void *item) {
  static const struct crv_jfield text = {.name = "", .type = CRV_JT_TEXT};
  static const struct crv_jfield key = {.name = "", .type = CRV_JT_KEY};
  if (at->field->sub) return crv_jspec_decode(at->field->sub, j, at->ptr, at->arena, item, at->err);
  struct crv_jat of_text = *at;
  of_text.field = at->field->flags & CRV_JF_KEYS ? &key : &text;
  return crv_jspec_decode_scalar(&of_text, j, item);
}

static bool check_count(const struct crv_jat *at, size_t n) {
  size_t least = at->field->min > 0 ? (size_t)at->field->min : 0;
  size_t most = at->field->max > 0 ? (size_t)at->field->max : CRV_ITEMS_MAX;
  if (n >= least && n <= most) return true;
  return crv_fail_field(at->err, at->ptr, "out_of_range", NULL,
                        "Expected a list of %zu to %zu items; got %zu.", least, most, n);
}

static bool decode_list(const struct crv_jat *at, const json_t *j, void *cell) {
  size_t size = at->field->sub ? at->field->sub->size : sizeof(const char *);
  bool is_list = json_is_array(j), ok = true;
  bool is_one = json_is_object(j) || crv_jspec_is_text(j);
  if (!is_list && !(is_one && (at->field->flags & CRV_JF_ONE_OR_LIST)))
    return fail_type(at, j, at->field->sub ? "a list of objects" : "a list of texts");
  size_t n = is_list ? json_array_size(j) : 1;
  if (!check_count(at, n)) return false;
  char *items = crv_arena_array(at->arena, n, size);
  if (!items) return crv_jspec_no_memory(at->err);
  for (size_t i = 0; i < n; i++) {
    char ptr[CRV_PTR_ROOM];
    struct crv_jat of_item = *at;
    item_ptr(ptr, at->ptr, i);
    if (is_list) of_item.ptr = ptr;
    ok &= decode_item(&of_item, is_list ? json_array_get(j, i) : j, items + i * size);
  }
  if (ok) *(struct crv_list *)cell = (struct crv_list){n, items};
  return ok;
}

/* Maps */

/* "0.5", "-12.25": what crv_decimal_text gives for a fraction. */
static bool is_exact_fraction(const char *s) {
  char text[32];
  int64_t micro;
  struct crv_unit_err ue;
  if (!crv_decimal_parse(s, strlen(s), &micro, &ue) || micro % CRV_MICRO == 0) return false;
  return strcmp(crv_decimal_text(micro, text, sizeof text), s) == 0;
}

static bool pair_integer(const struct crv_jat *at, int64_t v, struct crv_pair *pair) {
  if (v < -CRV_INT_MAX || v > CRV_INT_MAX)
    return crv_fail_field(at->err, at->ptr, "out_of_range", NULL,
                          "Expected a number within 9007199254740991; got %" PRId64 ".", v);
  pair->type = CRV_PAIR_INT;
  pair->value = crv_arena_printf(at->arena, "%" PRId64, v);
  return pair->value ? true : crv_jspec_no_memory(at->err);
}

/* A number with a fraction or an exponent: an integer when it is whole. */
static bool pair_number(const struct crv_jat *at, const char *token, struct crv_pair *pair) {
  char text[32];
  int64_t micro;
  struct crv_unit_err ue;
  if (!crv_decimal_parse(token, strlen(token), &micro, &ue))
    return crv_fail_field(at->err, at->ptr, ue.code, NULL, "%s", ue.detail);
  if (micro % CRV_MICRO == 0) return pair_integer(at, micro / CRV_MICRO, pair);
  pair->type = CRV_PAIR_DECIMAL;
  pair->value = crv_arena_strdup(at->arena, crv_decimal_text(micro, text, sizeof text));
  return pair->value ? true : crv_jspec_no_memory(at->err);
}

static bool pair_value(const struct crv_jat *at, const json_t *j, struct crv_pair *pair) {
  if (json_is_integer(j)) return pair_integer(at, json_integer_value(j), pair);
  if (crv_jspec_is_number_text(j)) return pair_number(at, json_string_value(j) + 1, pair);
  if (json_is_boolean(j)) {
    pair->type = CRV_PAIR_BOOL;
    pair->value = json_is_true(j) ? "true" : "false";
    return true;
  }
  if (!json_is_string(j)) return fail_type(at, j, "a text, a number, true or false");
  pair->value = crv_jspec_text(at, j, CRV_TEXT_MAX);
  if (!pair->value) return false;
  pair->type = is_exact_fraction(pair->value) ? CRV_PAIR_DECIMAL : CRV_PAIR_TEXT;
  return true;
}

static bool pair_name(const struct crv_jat *at, const char *name, struct crv_pair *pair) {
  size_t len = strlen(name);
  if (len < 1 || len > CRV_PAIR_NAME || !crv_text_plain(name, false))
    return crv_fail_field(at->err, at->ptr, "bad_format", NULL,
                          "Expected a name of 1 to %d bytes without control characters.",
                          CRV_PAIR_NAME);
  pair->name = crv_arena_strdup(at->arena, name);
  return pair->name ? true : crv_jspec_no_memory(at->err);
}

static bool decode_map(const struct crv_jat *at, const json_t *j, void *cell) {
  const char *name;
  json_t *v;
  size_t n = 0;
  bool ok = true;
  if (!json_is_object(j)) return fail_type(at, j, "an object of names and values");
  if (json_object_size(j) > CRV_PAIRS_MAX)
    return crv_fail_field(at->err, at->ptr, "out_of_range", NULL,
                          "Expected at most %d names; got %zu.", CRV_PAIRS_MAX,
                          json_object_size(j));
  struct crv_pair *pairs = crv_new_array(at->arena, json_object_size(j), struct crv_pair);
  if (!pairs) return crv_jspec_no_memory(at->err);
  json_object_foreach(unconst(j), name, v) {
    char ptr[CRV_PTR_ROOM];
    struct crv_jat of_pair = *at;
    if (!is_given(v)) continue;
    child_ptr(ptr, at->ptr, name);
    of_pair.ptr = ptr;
    ok &= pair_name(&of_pair, name, &pairs[n]) && pair_value(&of_pair, v, &pairs[n]);
    n++;
  }
  if (ok) *(struct crv_list *)cell = (struct crv_list){n, pairs};
  return ok;
}

/* Fields of an object */

static bool decode_field(const struct crv_jat *at, const json_t *j, void *cell) {
  switch (at->field->type) {
  case CRV_JT_OBJECT:
    return decode_object(at, j, cell);
  case CRV_JT_LIST:
    return decode_list(at, j, cell);
  case CRV_JT_MAP:
    return decode_map(at, j, cell);
  case CRV_JT_CUSTOM:
    return at->field->custom->decode(j, at->ptr, at->arena, cell, at->err);
  default:
    return crv_jspec_decode_scalar(at, j, cell);
  }
}

/* The member's value under its name or alias; *key is the one that was used. */
static const json_t *find_value(const struct source *src, const struct crv_jfield *f,
                                const char **key, bool *twice) {
  *key = f->name;
  *twice = false;
  if (src->only) return strcmp(src->only_name, f->name) == 0 ? src->only : NULL;
  const json_t *by_name = json_object_get(src->object, f->name);
  const json_t *by_alias = f->alias ? json_object_get(src->object, f->alias) : NULL;
  *twice = is_given(by_name) && is_given(by_alias);
  if (is_given(by_name)) return by_name;
  if (is_given(by_alias)) *key = f->alias;
  return is_given(by_alias) ? by_alias : NULL;
}

static bool decode_member(const struct source *src, const struct crv_jfield *f, const char *parent,
                          struct crv_arena *a, char *out, struct crv_err *err) {
  char ptr[CRV_PTR_ROOM];
  bool twice;
  struct crv_jat at = {.field = f, .ptr = ptr, .arena = a, .err = err};
  const json_t *j = find_value(src, f, &at.key, &twice);
  child_ptr(ptr, parent, at.key);
  if (src->only) snprintf(ptr, sizeof ptr, "%s", parent);
  if (twice)
    return crv_fail_field(err, ptr, "duplicate", NULL, "Expected one of `%s` and `%s`; got both.",
                          f->name, f->alias);
  if (!j && !(f->flags & CRV_JF_REQUIRED)) return true;
  if (!j) return crv_fail_field(err, ptr, "missing", f->doc, "`%s` is missing.", f->name);
  if (f->flags & CRV_JF_NOT_YET)
    return crv_fail_field(err, ptr, "not_yet", NULL, "%s", f->doc ? f->doc : "Not supported yet.");
  return decode_field(&at, j, out + f->offset);
}

static bool fail_unknown(const struct crv_jspec *spec, const char *key, const char *ptr,
                         struct crv_err *err) {
  char hint[CRV_HINT_ROOM], names[CRV_HINT_ROOM - 10] = "", quote[CRV_QUOTE_ROOM];
  struct crv_near near = {.key = key};
  for (const struct crv_jfield *f = spec->fields; f->name; f++) {
    crv_near_try(&near, f->name);
    crv_near_try(&near, f->alias);
  }
  for (const struct crv_jfield *f = spec->fields; f->name; f++)
    if (!crv_names_add(names, sizeof names, f->name)) break;
  if (near.best)
    crv_near_hint(&near, hint, sizeof hint);
  else
    snprintf(hint, sizeof hint, "known: %s", names);
  return crv_fail_field(err, ptr, "unknown_field", hint, "%s is not a field here.",
                        crv_text_quote(key, strlen(key), quote));
}

static bool keep_extra(const char *key, const json_t *v, const char *ptr, struct crv_arena *a,
                       struct crv_list *extras, struct crv_err *err) {
  if (extras->n >= CRV_EXTRAS_MAX || strlen(key) > CRV_EXTRA_NAME)
    return crv_fail_field(err, ptr, "out_of_range", NULL,
                          "Expected at most %d further fields with names of at most %d bytes.",
                          CRV_EXTRAS_MAX, CRV_EXTRA_NAME);
  _free_ char *json = crv_json_canonical(v);
  struct crv_extra *extra = crv_list_at(*extras, struct crv_extra, extras->n);
  extra->name = crv_arena_strdup(a, key);
  extra->json = json ? crv_arena_strdup(a, json) : NULL;
  if (!extra->name || !extra->json) return crv_jspec_no_memory(err);
  extras->n++;
  return true;
}

/* Members that the table does not know: kept, dropped, or refused with the nearest name. */
static bool decode_unknown(const struct crv_jspec *spec, const json_t *j, const char *parent,
                           struct crv_arena *a, char *out, struct crv_err *err) {
  const char *key;
  json_t *v;
  bool ok = true, keeps = crv_jspec_keeps_extras(spec);
  struct crv_list extras = {0};
  json_object_foreach(unconst(j), key, v) {
    char ptr[CRV_PTR_ROOM];
    if (crv_jspec_find(spec, key, strlen(key)) || json_is_null(v)) continue;
    child_ptr(ptr, parent, key);
    if (!spec->open && strncmp(key, "x-", 2) != 0) {
      ok = fail_unknown(spec, key, ptr, err);
      continue;
    }
    if (keeps && !extras.at) {
      extras.at = crv_new_array(a, json_object_size(j), struct crv_extra);
      if (!extras.at) return crv_jspec_no_memory(err);
    }
    if (keeps) ok &= keep_extra(key, v, ptr, a, &extras, err);
  }
  if (keeps) *(struct crv_list *)(void *)(out + spec->extras_offset) = extras;
  return ok;
}

bool crv_jspec_decode(const struct crv_jspec *spec, const json_t *j, const char *ptr,
                      struct crv_arena *a, void *out, struct crv_err *err) {
  char got[CRV_QUOTE_ROOM];
  struct source src = {.object = j};
  bool ok = true;
  memset(out, 0, spec->size);
  if (crv_jspec_is_text(j) && spec->short_field) {
    src = (struct source){.only = j, .only_name = spec->short_field};
  } else if (!json_is_object(j)) {
    return crv_fail_field(err, ptr, "wrong_type", NULL, "Expected an object%s; got %s.",
                          spec->short_field ? " or a text" : "", crv_jspec_got(j, got));
  } else {
    ok = decode_unknown(spec, j, ptr, a, out, err);
  }
  for (const struct crv_jfield *f = spec->fields; f->name; f++)
    ok &= decode_member(&src, f, ptr, a, out, err);
  if (ok && spec->check) ok = spec->check(out, ptr, err);
  return ok;
}
