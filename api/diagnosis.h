/* The body of POST /v1/diagnoses, for the handler and the OpenAPI document. */
#ifndef CRV_API_DIAGNOSIS_H
#define CRV_API_DIAGNOSIS_H

#include "core/evidence/diagnose.h"

struct crv_diagnosis_ask {
  const char *text, *context, *sheet, *device;
  struct crv_opt_int capacity, devices;
};
extern const struct crv_jspec crv_diagnosis_ask_spec;

#endif
