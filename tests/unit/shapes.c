/* Test helpers for the domain's tables. */
#include "tests/unit/shapes.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"

json_t *shape_json(const char *text) {
  struct crv_err err;
  char *s = strdup(text);
  ck_assert_ptr_nonnull(s);
  for (char *c = s; *c; c++)
    if (*c == '\'') *c = '"';
  crv_err_init(&err);
  json_t *j = crv_json_parse(s, strlen(s), &err);
  ck_assert_msg(j != NULL, "%s: %s", text, err.detail);
  free(s);
  return j;
}

static void merge(json_t *into, const json_t *patch) {
  const char *key;
  json_t *v;
  json_object_foreach((json_t *)(uintptr_t)patch, key, v) {
    json_t *there = json_object_get(into, key);
    if (json_is_null(v)) {
      json_object_del(into, key);
    } else if (json_is_object(v) && json_is_object(there)) {
      merge(there, v);
    } else {
      json_object_set_new(into, key, json_deep_copy(v));
    }
  }
}

json_t *shape_patched(const char *base, const char *patch) {
  json_t *j = shape_json(base);
  _json_ json_t *p = shape_json(patch);
  merge(j, p);
  return j;
}

bool shape_decode(const struct crv_jspec *spec, const json_t *j, struct crv_arena *a, void **ret,
                  struct crv_err *err) {
  crv_err_init(err);
  *ret = crv_arena_alloc(a, spec->size);
  return crv_jspec_decode(spec, j, "", a, *ret, err);
}

static char *once(const struct crv_jspec *spec, const json_t *j) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  void *out;
  ck_assert_msg(shape_decode(spec, j, a, &out, &err), "%s %s %s", err.at[0].ptr, err.at[0].code,
                err.at[0].detail);
  _json_ json_t *back = crv_jspec_encode(spec, out);
  ck_assert_ptr_nonnull(back);
  char *text = crv_json_canonical(back);
  ck_assert_ptr_nonnull(text);
  return text;
}

char *shape_round_trip(const struct crv_jspec *spec, const char *text) {
  _json_ json_t *j = shape_json(text);
  struct crv_err err;
  char *first = once(spec, j);
  crv_err_init(&err);
  _json_ json_t *again = crv_json_parse_stored(first, strlen(first), &err);
  ck_assert_msg(again != NULL, "%s", err.detail);
  _free_ char *second = once(spec, again);
  ck_assert_str_eq(first, second);
  return first;
}

void shape_expect(const struct crv_err *err, bool ok, const struct refusal *row) {
  if (!row->code) {
    ck_assert_msg(ok, "%s is refused: %s %s: %s", row->patch, err->at[0].ptr, err->at[0].code,
                  err->at[0].detail);
    return;
  }
  ck_assert_msg(!ok, "%s is taken", row->patch);
  ck_assert_int_eq(err->code, CRV_INVALID_FIELDS);
  for (unsigned i = 0; i < err->n; i++)
    if (!strcmp(err->at[i].ptr, row->ptr) && !strcmp(err->at[i].code, row->code)) return;
  ck_abort_msg("%s gives %s %s (%s), expected %s %s", row->patch, err->at[0].ptr, err->at[0].code,
               err->at[0].detail, row->ptr, row->code);
}
