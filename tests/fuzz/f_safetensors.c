/* Any bytes as a safetensors head, raw or JSON: read or refused with fields, never a crash; what is
   read is sorted, adds up, and memory stays in proportion to the input. */
#include <string.h>

#include "core/model/safetensors.h"
#include "tests/fuzz/fuzz.h"

static struct crv_err err;

static void check_tensors(const struct crv_tensors *t) {
  int64_t bytes = 0, elements = 0;
  for (size_t i = 0; i < t->at.n; i++) {
    const struct crv_tensor *one = crv_list_at(t->at, struct crv_tensor, i);
    MUST(one->bytes >= 0 && one->elements >= 0 && one->dims <= CRV_TENSOR_DIMS);
    MUST(i == 0 || strcmp(one[-1].name, one->name) < 0);
    MUST(crv_tensors_find(t, one->name) == one);
    bytes += one->bytes;
    elements += one->elements;
  }
  MUST(bytes == t->bytes && elements == t->elements);
  MUST(!t->parameters.set || t->parameters.v <= t->elements);
  for (size_t i = 0; i < t->types.n; i++)
    bytes -= crv_list_at(t->types, struct crv_tensor_type_total, i)->bytes;
  MUST(bytes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_bytes file[2] = {{data, size}, {data + size / 2, size - size / 2}};
  struct crv_tensors t;
  char hex[CRV_SHA256_HEX];
  crv_err_init(&err);
  if (crv_safetensors_load(file, 1, "", a, &t, &err)) {
    check_tensors(&t);
    MUST(crv_model_fingerprint(&t, NULL, hex));
  } else {
    MUST(err.code == CRV_INVALID_FIELDS && err.n > 0);
    for (unsigned i = 0; i < err.n; i++) MUST(crv_utf8_ok(err.at[i].ptr, strlen(err.at[i].ptr)));
  }
  MUST(crv_arena_used(a) <= 128 * 1024 + 128 * size);
  file[0].len = size / 2;
  crv_err_init(&err);
  if (crv_safetensors_load(file, 2, "", a, &t, &err)) check_tensors(&t);
  return 0;
}
