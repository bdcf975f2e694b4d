/* Any bytes as a GGUF head: read or refused with fields, never a crash; what is read adds up, and
   memory stays in proportion to the input. */
#include <string.h>

#include "core/model/gguf.h"
#include "tests/fuzz/fuzz.h"

static struct crv_err err;

static void check_layers(const struct crv_gguf *g) {
  if (!g->layer) return;
  MUST(g->layers.v > 0 && g->layers.v <= CRV_ARCH_LAYERS);
  for (int64_t i = 0; i < g->layers.v; i++) {
    const struct crv_arch_layer *l = &g->layer[i];
    MUST(l->kv_heads >= 0 && l->k_dim >= 0 && l->v_dim >= 0 && l->heads >= 0);
    MUST((l->attention == CRV_ATTN_SLIDING) == (l->window > 0));
  }
}

static void check_tensors(const struct crv_gguf *g) {
  const struct crv_tensors *t = &g->tensors;
  int64_t bytes = 0;
  for (size_t i = 0; i < t->at.n; i++) {
    const struct crv_tensor *one = crv_list_at(t->at, struct crv_tensor, i);
    const struct crv_ggml_type *type = crv_ggml_type(one->type);
    MUST(type && one->dims >= 1 && one->dims <= 4);
    MUST(one->bytes == one->elements / type->elements * type->bytes);
    bytes += one->bytes;
  }
  MUST(bytes == t->bytes && t->artefact_bytes.v >= g->head_bytes + bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_bytes file[2] = {{data, size / 2}, {data + size / 2, size - size / 2}};
  struct crv_gguf g;
  crv_err_init(&err);
  if (crv_gguf_read(data, size, "", a, &g, &err)) {
    check_layers(&g);
    check_tensors(&g);
  } else {
    MUST(err.code == CRV_INVALID_FIELDS && err.n > 0);
    MUST(crv_utf8_ok(err.at[0].ptr, strlen(err.at[0].ptr)));
    MUST(crv_utf8_ok(err.at[0].detail, strlen(err.at[0].detail)));
  }
  /* Layers and small arrays come from few bytes: a bounded amount beyond the proportion. */
  MUST(crv_arena_used(a) <= CRV_ARCH_LAYERS * 64 + 32 * 1024 + 16 * size);
  crv_err_init(&err);
  if (crv_gguf_load(file, 2, "", a, &g, &err)) check_tensors(&g);
  return 0;
}
