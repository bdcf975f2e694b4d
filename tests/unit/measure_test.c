/* Readings of inline text, and the searches that the tests of measurements share. */
#include "tests/unit/measure_test.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"

struct measured measure_bytes(const char *source, const char *data, size_t len) {
  struct measured x = {.arena = crv_arena_new(0)};
  char *exact = malloc(len ? len : 1); /* so that a sanitizer sees a read past the end */
  ck_assert(x.arena && exact);
  if (len) memcpy(exact, data, len);
  crv_err_init(&x.err);
  x.ok = crv_measure_read(source, exact, len, x.arena, &x.m, &x.err);
  free(exact);
  return x;
}

struct measured measure_text(const char *source, const char *text) {
  struct measured x = measure_bytes(source, text, strlen(text));
  ck_assert_msg(x.ok, "%s: %s", source, x.err.n ? x.err.at[0].detail : x.err.detail);
  return x;
}

void measure_done(struct measured *x) {
  x->arena = crv_arena_free(x->arena);
}

static const char *name_of(const struct crv_enum_name *names, int value) {
  while (names->name && names->value != value) names++;
  return names->name;
}

static bool text_fits(const char *want, const char *have) {
  if (!want) return true;
  return *want ? crv_streq(want, have) : !have;
}

static bool fits(const struct crv_measure_fact *f, const struct want *w) {
  if (w->counter && strcmp(w->counter, name_of(crv_measure_counter_names, (int)f->counter)) != 0)
    return false;
  if (w->kind && strcmp(w->kind, name_of(crv_measure_kind_names, (int)f->kind)) != 0) return false;
  if (!text_fits(w->item, f->item) || !text_fits(w->stage, f->stage)) return false;
  if (!text_fits(w->label, f->label) || (w->line && w->line != f->line)) return false;
  if (w->device == -2) return !f->device.set;
  return w->device == -1 || (f->device.set && f->device.v == w->device);
}

const struct crv_measure_fact *fact_of(const struct measured *x, struct want w) {
  for (size_t i = 0; i < x->m.facts.n; i++) {
    const struct crv_measure_fact *f = crv_list_at(x->m.facts, struct crv_measure_fact, i);
    if (fits(f, &w)) return f;
  }
  return NULL;
}

size_t count_facts(const struct measured *x, struct want w) {
  size_t n = 0;
  for (size_t i = 0; i < x->m.facts.n; i++)
    n += fits(crv_list_at(x->m.facts, struct crv_measure_fact, i), &w);
  return n;
}

const struct crv_measure_fact *fact_must(const struct measured *x, struct want w) {
  const struct crv_measure_fact *f = fact_of(x, w);
  ck_assert_msg(f != NULL, "no fact %s %s %s", w.counter ? w.counter : "", w.kind ? w.kind : "",
                w.item ? w.item : "");
  return f;
}

void bytes_are(const struct crv_measure_fact *f, int64_t bytes) {
  ck_assert_msg(f->bytes.set, "%s has no bytes", f->text ? f->text : "derived");
  ck_assert_int_eq(f->bytes.v, bytes);
}

void no_bytes(const struct crv_measure_fact *f) {
  ck_assert_msg(!f->bytes.set, "%s is %lld bytes", f->text ? f->text : "derived",
                (long long)f->bytes.v);
}

void value_is(const struct crv_measure_fact *f, const char *decimal) {
  char text[32];
  ck_assert(f->micro.set);
  ck_assert_str_eq(crv_decimal_text(f->micro.v, text, sizeof text), decimal);
}

int64_t gib2(int64_t hundredths) {
  int64_t v;
  ck_assert(crv_muldiv(hundredths, CRV_GIB, 100, true, &v));
  return v;
}

int64_t mib(int64_t n) {
  return n * CRV_MIB;
}

bool noted(const struct measured *x, const char *code) {
  bool known = false;
  for (size_t i = 0; i < crv_n_measure_note_codes; i++)
    known |= strcmp(crv_measure_note_codes[i].code, code) == 0;
  ck_assert_msg(known, "%s is no code of a note", code);
  for (size_t i = 0; i < x->m.notes.n; i++)
    if (!strcmp(crv_list_at(x->m.notes, struct crv_measure_note, i)->code, code)) return true;
  return false;
}

const struct crv_measure_device *device_of(const struct measured *x, int64_t index) {
  const struct crv_measure_device *found = NULL;
  for (size_t i = 0; i < x->m.devices.n; i++) {
    const struct crv_measure_device *d = crv_list_at(x->m.devices, struct crv_measure_device, i);
    if (d->index == index) found = d;
  }
  ck_assert_msg(found != NULL, "no device %lld", (long long)index);
  return found;
}

const char *setting_of(const struct measured *x, const char *name) {
  for (size_t i = 0; i < x->m.settings.n; i++) {
    const struct crv_pair *p = crv_list_at(x->m.settings, struct crv_pair, i);
    if (strcmp(p->name, name) == 0) return p->value;
  }
  return NULL;
}

bool phase_in(const struct measured *x, const char *phase) {
  for (size_t i = 0; i < x->m.phases.n; i++)
    if (!strcmp(*crv_list_at(x->m.phases, const char *, i), phase)) return true;
  return false;
}

struct crv_result result_ask(const struct measured *x, struct crv_measure_ask ask) {
  struct crv_result r, again;
  struct crv_err err;
  crv_err_init(&err);
  ck_assert_msg(crv_measure_result(&x->m, &ask, x->arena, &r, &err), "%s",
                err.n ? err.at[0].detail : err.detail);
  _json_ json_t *j = crv_jspec_encode(&crv_result_spec, &r);
  ck_assert(j != NULL);
  ck_assert_msg(crv_jspec_decode(&crv_result_spec, j, "", x->arena, &again, &err), "%s: %s",
                err.at[0].ptr, err.at[0].detail);
  return r;
}

struct crv_result result_of(const struct measured *x, enum crv_kind kind) {
  return result_ask(x, (struct crv_measure_ask){.kind = kind});
}

const struct crv_peak *peak_in(const struct crv_result *r, enum crv_counter c, int64_t device) {
  for (size_t i = 0; i < r->peaks.n; i++) {
    const struct crv_peak *p = crv_list_at(r->peaks, struct crv_peak, i);
    if (p->counter == c && (p->device.set ? p->device.v == device : device == -1)) return p;
  }
  return NULL;
}
