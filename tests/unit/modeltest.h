/* What the tests of core/model share: the table of published models, and configs with one field
   replaced. */
#ifndef CRV_TESTS_MODELTEST_H
#define CRV_TESTS_MODELTEST_H

#include "core/model/arch.h"

extern struct crv_err model_err;

/* Fixtures: reads and frees tests/data/vectors/architectures.json. */
void model_vectors_load(void);
void model_vectors_drop(void);
/* Its rows; the row of a model. */
const json_t *model_rows(void);
const json_t *model_row(const char *model);
/* Parses JSON that must be right; the caller owns it. */
json_t *model_parse(const char *text);
/* Reads a row's config, which must succeed. */
void model_read(const json_t *row, struct crv_arena *a, struct crv_arch *ret);
/* A model's config with one field replaced (value NULL: dropped). */
bool model_with(const char *model, const char *field, const char *value, struct crv_arena *a,
                struct crv_arch *ret);
/* Is there a field error with that pointer and code? */
bool model_refused(const char *ptr, const char *code);

#endif
