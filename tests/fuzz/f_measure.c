/* Any bytes as a measurement, under every source: facts stand in the order of their lines, texts
   are clean UTF-8, a figure's kinds hold together, an instant never becomes a peak, and what is
   answered or recorded can be read again. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/evidence/measure.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const char *s) {
  if (!s) return;
  MUST(*s && crv_utf8_ok(s, strlen(s)));
  for (; *s; s++) MUST((unsigned char)*s >= ' ' && *s != 0x7f);
}

static void check_fact(const struct crv_measure_fact *f, const struct crv_measure *m) {
  MUST(f->counter > CRV_MEASURE_NONE && f->counter < CRV_MEASURE_COUNTERS);
  MUST(f->kind >= CRV_MEASURE_PEAK && f->kind <= CRV_MEASURE_DELTA && f->repeats >= 1);
  MUST(f->line >= 0 && f->line <= m->lines);
  MUST(f->text || f->derived);
  MUST(!f->samples.set || (f->kind == CRV_MEASURE_SAMPLED && f->samples.v > 1));
  MUST(!f->interval_ms.set || f->samples.set);
  check_text(f->text);
  check_text(f->unit);
  check_text(f->label);
  check_text(f->stage);
  check_text(f->device_label);
}

static bool has_kind(const struct crv_measure *m, enum crv_measure_kind k) {
  for (size_t i = 0; i < m->facts.n; i++)
    if (crv_list_at(m->facts, struct crv_measure_fact, i)->kind == k) return true;
  return false;
}

static void check_result(const struct crv_measure *m, enum crv_kind kind, struct crv_arena *a) {
  struct crv_measure_ask ask = {.kind = kind};
  struct crv_result r, again;
  struct crv_err err;
  crv_err_init(&err);
  if (!crv_measure_result(m, &ask, a, &r, &err)) {
    MUST(err.code == CRV_INVALID_FIELDS && err.n > 0);
    return;
  }
  for (size_t i = 0; i < r.peaks.n; i++) {
    const struct crv_peak *p = crv_list_at(r.peaks, struct crv_peak, i);
    MUST(p->kind != CRV_PEAK_PEAK || has_kind(m, CRV_MEASURE_PEAK));
    MUST(p->kind != CRV_PEAK_SAMPLED || has_kind(m, CRV_MEASURE_SAMPLED));
  }
  _json_ json_t *j = crv_jspec_encode(&crv_result_spec, &r);
  MUST(j);
  if (!crv_jspec_decode(&crv_result_spec, j, "", a, &again, &err)) {
    fprintf(stderr, "%s: %s\n", err.at[0].ptr, err.at[0].detail);
    abort();
  }
}

static void check_source(const char *source, const char *s, size_t len) {
  struct crv_measure m;
  struct crv_err err;
  _arena_ struct crv_arena *a = crv_arena_new(0);
  crv_err_init(&err);
  if (!crv_measure_read(source, s, len, a, &m, &err)) {
    MUST(err.code == CRV_INVALID_FIELDS && err.n == 1);
    return;
  }
  MUST(m.facts.n <= CRV_MEASURE_FACTS + CRV_MEASURE_DEVICES && m.notes.n <= CRV_MEASURE_NOTES);
  int64_t line = 0;
  for (size_t i = 0; i < m.facts.n; i++) {
    const struct crv_measure_fact *f = crv_list_at(m.facts, struct crv_measure_fact, i);
    MUST(f->line >= line);
    line = f->line;
    check_fact(f, &m);
  }
  for (size_t i = 0; i < m.notes.n; i++)
    check_text(crv_list_at(m.notes, struct crv_measure_note, i)->text);
  for (size_t i = 0; i < m.devices.n; i++)
    check_text(crv_list_at(m.devices, struct crv_measure_device, i)->name);
  check_result(&m, CRV_KIND_PROTOCOL_RUN, a);
  check_result(&m, CRV_KIND_DEVICE_REPORT, a);
  _json_ json_t *j = crv_measure_json(&m);
  _free_ char *text = j ? crv_json_canonical(j) : NULL;
  MUST(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *s = size ? (const char *)data : "";
  for (size_t i = 0; i < crv_n_measure_sources; i++)
    check_source(crv_measure_sources[i].name, s, size);
  return 0;
}
