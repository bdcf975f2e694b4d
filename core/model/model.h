/* What a model is to Crivo: its name, its revision and what its size is computed from.
   Must not know: sheets, devices, offers. */
#ifndef CRV_MODEL_MODEL_H
#define CRV_MODEL_MODEL_H

#include "core/base/jspec.h"

struct crv_model {
  const char *name, *revision;   /* revision NULL: not stated */
  struct crv_opt_int parameters; /* a count, as declared */
  const char *fingerprint;       /* sha256 of tensor headers and config, as cited; NULL: none */
  struct crv_list extras;        /* struct crv_extra: free metadata */
};

extern const struct crv_jspec crv_model_spec;

#endif
