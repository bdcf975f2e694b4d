/* Readings of inline text, and the searches that the tests of measurements share. */
#ifndef CRV_TESTS_MEASURE_TEST_H
#define CRV_TESTS_MEASURE_TEST_H

#include "core/evidence/measure.h"

struct measured {
  struct crv_arena *arena;
  struct crv_measure m;
  struct crv_err err;
  bool ok;
};

struct measured measure_bytes(const char *source, const char *data, size_t len);
/* As above for a text that must be read. */
struct measured measure_text(const char *source, const char *text);
void measure_done(struct measured *x);

/* What a fact must be; NULL, 0 and -1 look at nothing. item "" means: none. */
struct want {
  const char *counter, *kind, *item, *stage, *label;
  int64_t device; /* -1: any; -2: must be unknown */
  int64_t line;
};
/* The first fact that fits; NULL: none. */
const struct crv_measure_fact *fact_of(const struct measured *x, struct want w);
/* As above, and the test ends when there is none. */
const struct crv_measure_fact *fact_must(const struct measured *x, struct want w);
size_t count_facts(const struct measured *x, struct want w);
/* Each ends the test unless the fact says just this. */
void bytes_are(const struct crv_measure_fact *f, int64_t bytes);
void no_bytes(const struct crv_measure_fact *f);
void value_is(const struct crv_measure_fact *f, const char *decimal);
/* Hundredths of a unit as a figure printed with two places means it, rounded up. */
int64_t gib2(int64_t hundredths);
int64_t mib(int64_t n);

bool noted(const struct measured *x, const char *code);
const struct crv_measure_device *device_of(const struct measured *x, int64_t index); /* or fails */
const char *setting_of(const struct measured *x, const char *name);
bool phase_in(const struct measured *x, const char *phase);

/* The result of a kind; the test ends when there is none or when its own decoder refuses it. */
struct crv_result result_of(const struct measured *x, enum crv_kind kind);
struct crv_result result_ask(const struct measured *x, struct crv_measure_ask ask);
const struct crv_peak *peak_in(const struct crv_result *r, enum crv_counter c, int64_t device);

#endif
