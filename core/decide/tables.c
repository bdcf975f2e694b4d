/* The closed lists of the engine, from their .def files: criteria, reasons, conditions, names.
   Must not know: how any of them is evaluated. */
#include "core/decide/decide.h"

static const struct crv_criterion_info criteria[] = {
#define X(NAME, id, workload, meaning) {id, workload, meaning},
#include "core/decide/criteria.def"
#undef X
};

static const struct crv_reason_info reasons[] = {
#define X(NAME, code, meaning, cure) {code, meaning, cure},
#include "core/decide/reasons.def"
#undef X
};

static const struct crv_condition_info conditions[] = {
#define X(NAME, code, ask, settled_by, sentence) {code, ask, settled_by, sentence},
#include "core/decide/conditions.def"
#undef X
};

const struct crv_criterion_info *crv_criterion_info(enum crv_criterion c) {
  return &criteria[c];
}

const struct crv_reason_info *crv_reason_info(enum crv_reason r) {
  return &reasons[r];
}

const struct crv_condition_info *crv_condition_info(enum crv_condition_code c) {
  return &conditions[c];
}

const char *crv_verdict_name(enum crv_verdict v) {
  static const char *const names[] = {"admissible", "to_confirm", "excluded"};
  return names[v];
}

const char *crv_outlook_name(enum crv_outlook o) {
  static const char *const names[] = {"fits_on_paper", "open", "exceeds_on_paper"};
  return names[o];
}

const char *crv_outcome_name(enum crv_outcome_kind o) {
  static const char *const names[] = {"", "retained", "needs_confirmation", "none"};
  return names[o];
}

const struct crv_enum_name crv_aside_names[] = {
    {CRV_ASIDE_WRONG_KIND, "wrong_kind"},
    {CRV_ASIDE_OUT_OF_SCOPE, "out_of_scope"},
    {CRV_ASIDE_EXPIRED, "expired"},
    {CRV_ASIDE_SUPERSEDED, "superseded"},
    {CRV_ASIDE_RETRACTED, "retracted"},
    {CRV_ASIDE_NOT_YET, "not_yet"},
    {CRV_ASIDE_CAUSE_NOT_MEMORY, "cause_not_memory"},
    {CRV_ASIDE_NOT_PROOF, "not_proof"},
    {0, NULL},
};

const char *const crv_key_names[] = {
    "outlook", "cost", "margin", "schedule", "preference", "supplier", "offer",
};
