/* Test helpers for the domain's tables: JSON written with single quotes, decoded, and what a
   refusal says. */
#ifndef CRV_TESTS_SHAPES_H
#define CRV_TESTS_SHAPES_H

#include <check.h>
#include <jansson.h>

#include "core/base/jspec.h"

/* Parses JSON in which ' stands for "; aborts the test when it is malformed. New reference. */
json_t *shape_json(const char *text);
/* RFC 7386 merge patch of both texts, parsed. New reference. */
json_t *shape_patched(const char *base, const char *patch);
/* Decodes into the spec's struct in a; false with err. */
bool shape_decode(const struct crv_jspec *spec, const json_t *j, struct crv_arena *a, void **ret,
                  struct crv_err *err);
/* Decodes, encodes, decodes and encodes again: both canonical texts must be the same. Returns the
   text, malloc'ed. */
char *shape_round_trip(const struct crv_jspec *spec, const char *text);

/* One refusal: the patch on a base document, the pointer and the code that it gets. code NULL: the
   document is taken. */
struct refusal {
  const char *patch, *ptr, *code;
};
/* Fails the test unless some field error has that pointer and code. */
void shape_expect(const struct crv_err *err, bool ok, const struct refusal *row);

#endif
