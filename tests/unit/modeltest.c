/* The table of published models for the tests of core/model. */
#include "tests/unit/modeltest.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"

struct crv_err model_err;
static json_t *vectors;

json_t *model_parse(const char *text) {
  crv_err_init(&model_err);
  json_t *j = crv_json_parse_stored(text, strlen(text), &model_err);
  ck_assert_msg(j != NULL, "%s: %s", text, model_err.detail);
  return j;
}

void model_vectors_load(void) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  char path[4096], block[4096];
  const char *top = getenv("top_srcdir");
  snprintf(path, sizeof path, "%s/tests/data/vectors/architectures.json", top ? top : ".");
  FILE *f = fopen(path, "rb");
  ck_assert_msg(f != NULL, "%s", path);
  for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) crv_buf_add(&b, block, n);
  fclose(f);
  vectors = model_parse(b.data);
}

void model_vectors_drop(void) {
  json_decref(vectors);
}

const json_t *model_rows(void) {
  return json_object_get(vectors, "rows");
}

const json_t *model_row(const char *model) {
  const json_t *row;
  size_t i;
  json_array_foreach(model_rows(), i, row) {
    if (crv_streq(json_string_value(json_object_get(row, "model")), model)) return row;
  }
  ck_abort_msg("%s", model);
}

void model_read(const json_t *row, struct crv_arena *a, struct crv_arch *ret) {
  crv_err_init(&model_err);
  bool ok = crv_arch_read(json_object_get(row, "config"), "/config", a, ret, &model_err);
  ck_assert_msg(ok, "%s: %s %s %s", json_string_value(json_object_get(row, "model")),
                model_err.detail, model_err.n ? model_err.at[0].ptr : "",
                model_err.n ? model_err.at[0].detail : "");
}

bool model_with(const char *model, const char *field, const char *value, struct crv_arena *a,
                struct crv_arch *ret) {
  _json_ json_t *config = json_deep_copy(json_object_get(model_row(model), "config"));
  if (value)
    json_object_set_new(config, field, model_parse(value));
  else
    json_object_del(config, field);
  crv_err_init(&model_err);
  return crv_arch_read(config, "/config", a, ret, &model_err);
}

bool model_refused(const char *ptr, const char *code) {
  for (unsigned i = 0; i < model_err.n; i++)
    if (crv_streq(model_err.at[i].ptr, ptr) && crv_streq(model_err.at[i].code, code)) return true;
  return false;
}
