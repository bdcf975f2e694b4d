/* Any bytes as a literal cell: a tree within its bounds, or a reason; never both, never neither. */
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/catalogue/import_internal.h"
#include "tests/fuzz/fuzz.h"

static size_t check(const struct crv_literal *v, int depth) {
  size_t nodes = 1, n = 0;
  MUST(depth < CRV_LITERAL_DEPTH);
  if (v->kind == CRV_LIT_TEXT || v->kind == CRV_LIT_NUMBER) MUST(v->text != NULL);
  if (v->text) MUST(crv_utf8_ok(v->text, strlen(v->text)));
  MUST(!v->child || v->kind == CRV_LIT_LIST || v->kind == CRV_LIT_DICT);
  for (const struct crv_literal *m = v->child; m; m = m->next) {
    MUST((m->key != NULL) == (v->kind == CRV_LIT_DICT));
    if (m->key) MUST(crv_literal_get(v, m->key) == m);
    nodes += check(m, depth + 1);
    n++;
  }
  MUST(n == v->n);
  return nodes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *why = NULL, *s = size ? (const char *)data : "";
  _arena_ struct crv_arena *a = crv_arena_new(0);
  const struct crv_literal *v = crv_literal_read(s, size, a, &why);
  MUST((v == NULL) == (why != NULL));
  if (v) MUST(check(v, 0) <= CRV_LITERAL_NODES);
  return 0;
}
