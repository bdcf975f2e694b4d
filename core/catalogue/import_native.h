/* What the readers of native offer files share. For core/catalogue/import_native*.c alone.
   Must not know: where records are kept. */
#ifndef CRV_CATALOGUE_IMPORT_NATIVE_H
#define CRV_CATALOGUE_IMPORT_NATIVE_H

#include "core/catalogue/import_internal.h"

/* Figures that a price list states twice: compared with the offer's and not stored. */
struct crv_native_checks {
  struct crv_opt_int price_per_device; /* decimal micro */
  struct crv_opt_int memory_total;     /* bytes of the whole lot */
  bool zero_price;                     /* the document stated 0; not a field */
};
extern const struct crv_jspec crv_native_checks_spec;

/* Takes one document (which it changes) as row; a refused one becomes findings. False: out of
   memory or our own fault. */
bool crv_native_row(struct crv_irun *run, int64_t row, json_t *doc, struct crv_err *err);
/* Settles rows with one key once all are in. */
bool crv_native_finish(struct crv_irun *run, struct crv_err *err);

/* The import checks on a decoded offer (import_native_checks.c); a figure that fails is unset. */
void crv_native_check(struct crv_ifindings *fs, struct crv_offer *o,
                      const struct crv_native_checks *checks);

#endif
