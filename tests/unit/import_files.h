/* Imports of test files and inline text, and the searches that import tests share. */
#ifndef CRV_TESTS_IMPORT_FILES_H
#define CRV_TESTS_IMPORT_FILES_H

#include "core/catalogue/import.h"

struct imported {
  struct crv_arena *arena;
  struct crv_import_result r;
  struct crv_err err;
  bool ok;
};

/* tests/data/catalogues/NAME below $top_srcdir (default "."); malloc'ed, ends the test when it
   can't be read. */
char *import_file(const char *name, size_t *ret_len);
/* A file of the public catalogues when they lie beside the project ($CRV_SHARED/catalogues, else
   next to $top_srcdir); NULL when they don't. */
char *import_public(const char *name, size_t *ret_len);
struct imported import_text(const struct crv_import_params *p, const char *data, size_t len);
struct imported import_named(const struct crv_import_params *p, const char *name);
/* SkyPilot rows with the currency USD. */
struct imported import_sky(const char *profile, const char *data, size_t len);
void import_done(struct imported *i);

size_t n_offers(const struct imported *i);
size_t n_findings(const struct imported *i);
const struct crv_import_offer *offer_at(const struct imported *i, size_t n);
const struct crv_import_offer *offer_of(const struct imported *i, const char *key); /* or fails */
/* The first finding of that row (-1: any) with that code, NULL when there is none. */
const struct crv_row_finding *finding_of(const struct imported *i, int64_t row, const char *code);
size_t count_findings(const struct imported *i, const char *code);
/* Has the offer a finding that removes this field's attestation? */
bool doubted(const struct crv_import_offer *o, const char *field, const char *code);
/* Keys, canonical offers and findings as one text, for comparing two imports; malloc'ed. */
char *import_dump(const struct imported *i, bool with_rows);

/* A SkyPilot test file with the currency USD. */
struct imported sky_file(const char *profile, const char *name);
/* Neither a nominal nor a declared size. */
bool memory_unknown(const struct crv_import_offer *o);
/* Each ends the test unless the offer states just this. */
void nominal_is(const struct crv_import_offer *o, int64_t figure, const char *unit);
void declared_is(const struct crv_import_offer *o, int64_t mib);
void amount_is(const struct crv_import_offer *o, int64_t micro, const char *raw);

#endif
