/* Any bytes as a config.json: read or refused with fields, never a crash; what is read adds up, and
   its canonical text reads back to the same. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/model/arch.h"
#include "tests/fuzz/fuzz.h"

static struct crv_err err;

static void check_refusal(void) {
  MUST(err.code == CRV_INVALID_FIELDS && err.n > 0);
  for (unsigned i = 0; i < err.n; i++) {
    MUST(crv_utf8_ok(err.at[i].ptr, strlen(err.at[i].ptr)));
    MUST(crv_utf8_ok(err.at[i].detail, strlen(err.at[i].detail)));
    MUST(err.at[i].detail[0]);
  }
}

static void check_sums(const struct crv_arch *arch) {
  const struct crv_arch_params *p = &arch->params;
  int64_t parts = 0, table = 0;
  for (int i = 0; i < CRV_PARTS; i++) {
    MUST(p->by[i] >= 0);
    parts += p->by[i];
  }
  for (size_t i = 0; i < arch->weights.n; i++) {
    const struct crv_weight *w = crv_list_at(arch->weights, struct crv_weight, i);
    MUST(w->name && w->module && w->rows > 0 && w->cols > 0 && w->total >= 0);
    table += w->total;
    int64_t left;
    MUST(!crv_arch_unconverted(arch, w, &left) || (left >= 0 && left <= w->each * w->places));
  }
  MUST(table == parts);
  MUST(p->if_tied < p->if_untied && p->if_untied <= CRV_INT_MAX);
  MUST(p->total.set == (arch->tied != CRV_UNSET));
  MUST(!p->active.set || (p->active.v > 0 && p->active.v <= p->total.v));
}

static void check_layers(const struct crv_arch *arch) {
  MUST(arch->layers > 0 && arch->layers <= CRV_ARCH_LAYERS);
  for (int64_t i = 0; i < arch->layers; i++) {
    const struct crv_arch_layer *l = &arch->layer[i];
    MUST(l->kv_heads > 0 && l->k_dim > 0 && l->v_dim > 0);
    MUST((l->attention == CRV_ATTN_SLIDING) == (l->window > 0));
  }
}

static void check_canonical(const struct crv_arch *arch) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch again;
  _json_ json_t *j = crv_json_parse_stored(arch->canonical, strlen(arch->canonical), &err);
  MUST(j && crv_arch_read(j, "", a, &again, &err));
  MUST(strcmp(again.canonical, arch->canonical) == 0);
  MUST(again.params.if_tied == arch->params.if_tied && again.tied == arch->tied);
  for (int64_t i = 0; i < arch->layers; i++)
    MUST(memcmp(&arch->layer[i], &again.layer[i], sizeof *arch->layer) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  crv_err_init(&err);
  _json_ json_t *j = crv_json_parse_stored((const char *)data, size, &err);
  if (!j) return 0;
  if (!crv_arch_read(j, "", a, &arch, &err)) {
    check_refusal();
    return 0;
  }
  check_sums(&arch);
  check_layers(&arch);
  check_canonical(&arch);
  return 0;
}
