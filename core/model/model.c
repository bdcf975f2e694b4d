/* The model's field table. Metadata under names of the client's own is kept as it came.
   Must not know: sheets, devices, offers. */
#include "core/model/model.h"

#include "core/model/field.h"

#define LATER \
  "Reading it is not supported yet: give `parameters` (the model's parameter count) meanwhile."

static bool never_set(const void *in) {
  (void)in;
  return false;
}

/* Refused by its flag before any decoding; it has no member in the struct. */
static const struct crv_jcustom later = {
    .size = 0,
    .is_set = never_set,
    .schema = "{\"not\":{}}",
};

static const struct crv_jfield fields[] = {
    CRV_FIELD(crv_model, name, TEXT, .max = 256,
              .doc = "Name of the model as its publisher writes it, compared to the letter."),
    CRV_FIELD(crv_model, revision, TEXT, .max = 256,
              .doc = "Revision of the model (a commit, a tag); evidence counts for this one only."),
    CRV_FIELD(crv_model, parameters, INT, .flags = CRV_JF_POSITIVE,
              .doc = "Parameter count as declared, a whole number."),
    {.name = "config",
     .type = CRV_JT_CUSTOM,
     .flags = CRV_JF_NOT_YET,
     .custom = &later,
     .doc = LATER},
    {.name = "tensors",
     .type = CRV_JT_CUSTOM,
     .flags = CRV_JF_NOT_YET,
     .custom = &later,
     .doc = LATER},
    {.name = "gguf",
     .type = CRV_JT_CUSTOM,
     .flags = CRV_JF_NOT_YET,
     .custom = &later,
     .doc = LATER},
    CRV_FIELD(crv_model, fingerprint, TEXT, .max = 128,
              .doc = "SHA-256 over tensor headers and config, as cited: for memory, two revisions "
                     "with the same fingerprint are the same model."),
    {.name = NULL},
};

const struct crv_jspec crv_model_spec = {
    .name = "Model",
    .size = sizeof(struct crv_model),
    .fields = fields,
    .extras_offset = offsetof(struct crv_model, extras),
    .open = true,
};
