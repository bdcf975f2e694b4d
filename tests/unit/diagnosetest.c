#define _GNU_SOURCE /* strcasestr */
#include "tests/unit/diagnosetest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"

static struct crv_sheet *sheet_of(const char *text, struct crv_arena *a) {
  static struct crv_err err;
  char *copy = crv_arena_strdup(a, text);
  struct crv_sheet *s = NULL;
  crv_err_init(&err);
  for (char *p = copy; *p; p++)
    if (*p == '\'') *p = '"';
  json_t *j = crv_json_parse(copy, strlen(copy), &err);
  ck_assert_msg(j != NULL, "%s: %s", text, err.detail);
  bool ok = crv_sheet_decode(j, "", a, &s, &err);
  json_decref(j);
  ck_assert_msg(ok, "%s: %s %s", text, err.at[0].ptr, err.at[0].detail);
  return s;
}

json_t *dx_run(struct dx_in in) {
  static struct crv_err err;
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_diagnosis d;
  crv_err_init(&err);
  const struct crv_diagnose_in given = {
      .text = in.text,
      .len = in.len ? in.len : strlen(in.text),
      .context = in.context,
      .context_len = in.context ? strlen(in.context) : 0,
      .sheet = in.sheet ? sheet_of(in.sheet, a) : NULL,
      .capacity_bytes = in.capacity,
      .device = in.device,
      .tensors = {in.n_tensors, (void *)(uintptr_t)in.tensors},
      .dims = {in.n_dims, (void *)(uintptr_t)in.dims},
  };
  ck_assert_msg(crv_diagnose_text(&given, a, &d, &err), "%s", err.detail);
  json_t *j = crv_diagnosis_json(&d);
  ck_assert_ptr_nonnull(j);
  return j;
}

json_t *dx_text(const char *text) {
  return dx_run((struct dx_in){.text = text});
}

static const char *text_of(const json_t *j, const char *key) {
  const char *s = json_string_value(json_object_get(j, key));
  return s ? s : "-";
}

const json_t *dx_figure(const json_t *j, const char *name, int m) {
  size_t i;
  const json_t *f;
  json_array_foreach(json_object_get(j, "figures"), i, f) {
    const json_t *message = json_object_get(f, "message");
    if (strcmp(text_of(f, "name"), name) == 0 && json_integer_value(message) == m) return f;
  }
  ck_abort_msg("no figure %s of message %d", name, m);
  return NULL;
}

void dx_bytes(const json_t *j, const char *name, int m, int64_t bytes) {
  const json_t *v = json_object_get(dx_figure(j, name, m), "bytes");
  int64_t got = json_integer_value(v);
  ck_assert_msg(json_is_integer(v) && llabs(got - bytes) <= 1, "%s: %lld instead of %lld", name,
                (long long)got, (long long)bytes);
}

bool dx_has_figure(const json_t *j, const char *name) {
  size_t i;
  const json_t *f;
  json_array_foreach(json_object_get(j, "figures"), i,
                     f) if (!strcmp(text_of(f, "name"), name)) return true;
  return false;
}

bool dx_has_flag(const json_t *j, const char *code) {
  size_t i;
  const json_t *f;
  json_array_foreach(json_object_get(j, "flags"), i,
                     f) if (!strcmp(json_string_value(f), code)) return true;
  return false;
}

const json_t *dx_named(const json_t *j, const char *list, const char *name) {
  size_t i;
  const json_t *f;
  json_array_foreach(json_object_get(j, list), i, f) {
    if (strcmp(text_of(f, "name"), name) != 0) continue;
    const json_t *v = json_object_get(f, "bytes");
    return v ? v : json_object_get(f, "value");
  }
  return NULL;
}

void dx_derived(const json_t *j, const char *name, int64_t value) {
  const json_t *v = dx_named(j, "derived", name);
  ck_assert_msg(v != NULL, "%s is not derived", name);
  ck_assert_msg(json_integer_value(v) == value, "%s: %lld instead of %lld", name,
                (long long)json_integer_value(v), (long long)value);
}

void dx_phase(const json_t *j, const char *want) {
  char got[160];
  snprintf(got, sizeof got, "%s/%s", text_of(j, "phase"), text_of(j, "subphase"));
  ck_assert_str_eq(got, want);
}

void dx_cause(const json_t *j, const char *want) {
  char got[160];
  const json_t *cause = json_object_get(j, "cause");
  snprintf(got, sizeof got, "%s/%s", text_of(cause, "code"), text_of(cause, "detail"));
  ck_assert_str_eq(got, want);
}

bool dx_says(const json_t *j, const char *list, const char *words) {
  size_t i;
  const json_t *v;
  json_array_foreach(json_object_get(j, list), i, v) {
    const char *s = json_is_object(v) ? text_of(v, "change") : json_string_value(v);
    if (s && strcasestr(s, words)) return true;
  }
  return false;
}

void dx_span(const json_t *spanned, const char *text, const char *want) {
  const json_t *span = json_object_get(spanned, "span");
  size_t offset = (size_t)json_integer_value(json_object_get(span, "offset"));
  size_t len = (size_t)json_integer_value(json_object_get(span, "length"));
  char got[512];
  ck_assert(len < sizeof got && offset + len <= strlen(text));
  memcpy(got, text + offset, len);
  got[len] = '\0';
  ck_assert_str_eq(got, want);
}

int dx_main(Suite *s) {
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
