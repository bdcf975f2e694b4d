/* Test helpers for the diagnosis: a text diagnosed with what is known beside it, and looks into the
   JSON answer. */
#ifndef CRV_TESTS_DIAGNOSETEST_H
#define CRV_TESTS_DIAGNOSETEST_H

#include <check.h>
#include <jansson.h>

#include "core/base/units.h"
#include "core/evidence/diagnose.h"

/* What a test gives; text alone is enough. sheet: JSON in which ' stands for ". */
struct dx_in {
  const char *text;
  size_t len; /* 0: strlen(text) */
  const char *context, *sheet, *device;
  struct crv_opt_int capacity;
  const struct crv_diag_named *tensors;
  const struct crv_diag_dims *dims;
  size_t n_tensors, n_dims;
};
/* The answer, a new reference; fails the test when there is none. */
json_t *dx_run(struct dx_in in);
json_t *dx_text(const char *text);

#define GIB(hundredths) (((int64_t)(hundredths)*1073741824 + 50) / 100)
#define MIB(hundredths) (((int64_t)(hundredths)*1048576 + 50) / 100)

/* The figure of that name, of message m (from 1) or of the log (0); fails the test when absent. */
const json_t *dx_figure(const json_t *j, const char *name, int m);
/* Its bytes must be these, give or take one for rounding. */
void dx_bytes(const json_t *j, const char *name, int m, int64_t bytes);
bool dx_has_figure(const json_t *j, const char *name);
bool dx_has_flag(const json_t *j, const char *code);
/* A text or number of facts or derived, by name; NULL when absent. */
const json_t *dx_named(const json_t *j, const char *list, const char *name);
void dx_derived(const json_t *j, const char *name, int64_t value);
/* "phase/subphase" ("-" for null) and "cause/detail". */
void dx_phase(const json_t *j, const char *want);
void dx_cause(const json_t *j, const char *want);
/* Some text of the list (try: its change) holds the words, without regard to case. */
bool dx_says(const json_t *j, const char *list, const char *words);
/* The text's bytes that a span covers must be exactly these. */
void dx_span(const json_t *spanned, const char *text, const char *want);
int dx_main(Suite *s);

#endif
