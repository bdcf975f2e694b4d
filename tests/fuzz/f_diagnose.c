/* Any bytes as a text to diagnose: an answer whose places lie in the text, whose JSON is whole, and
   whose draft is the tables' own; the same bytes as context change no figure. */
#include <jansson.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/evidence/diagnose.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct crv_diagnosis *d, size_t size) {
  MUST(d->phase && d->cause && d->detail && d->cause_says && d->memory);
  MUST(d->messages.n <= 32);
  for (size_t i = 0; i < d->figures.n; i++) {
    const struct crv_diag_figure *f = crv_list_at(d->figures, struct crv_diag_figure, i);
    MUST(f->name && f->printed && f->span.offset + f->span.len <= size);
    MUST(!f->bytes.set || f->bytes.v <= (INT64_C(1) << 50));
    MUST(f->message <= d->messages.n);
  }
  for (size_t i = 0; i < d->phase_spans.n; i++) {
    const struct crv_diag_span *s = crv_list_at(d->phase_spans, struct crv_diag_span, i);
    MUST(s->offset + s->len <= size);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct crv_err err;
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_diagnose_in in = {.text = (const char *)data, .len = size};
  struct crv_diagnosis plain, with;
  crv_err_init(&err);
  MUST(a && crv_diagnose_text(&in, a, &plain, &err));
  check(&plain, size);
  _json_ json_t *j = crv_diagnosis_json(&plain);
  MUST(j != NULL);
  in.context = in.text;
  in.context_len = size;
  MUST(crv_diagnose_text(&in, a, &with, &err));
  MUST(with.figures.n == plain.figures.n && with.facts.n == plain.facts.n);
  return 0;
}
