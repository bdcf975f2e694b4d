/* The table of evidence kinds and which parts of a result belong to which kind.
   Must not know: verdicts. */
#include "core/evidence/kinds.h"

#include <stdio.h>
#include <string.h>

#include "core/model/field.h"

static const struct crv_kind_info kinds[] = {
#define X(NAME, name, scope_needed, result_needed, proves, never, ci) \
  [CRV_KIND_##NAME] = {CRV_KIND_##NAME, name, scope_needed, result_needed, proves, never, ci},
#include "core/evidence/kinds.def"
#undef X
};

const struct crv_enum_name crv_kind_names[] = {
#define X(NAME, name, scope_needed, result_needed, proves, never, ci) {CRV_KIND_##NAME, name},
#include "core/evidence/kinds.def"
#undef X
    {0, NULL},
};

const struct crv_kind_info *crv_kind_info(enum crv_kind k) {
  return &kinds[k];
}

#define BIT(kind) (1u << CRV_KIND_##kind)
#define RUN BIT(PROTOCOL_RUN)
#define RUNS (BIT(PROTOCOL_RUN) | BIT(FAILURE_REPORT))
#define DOCUMENTS \
  (BIT(COMMERCIAL_SHEET) | BIT(DELIVERY_COMMITMENT) | BIT(DEVICE_REPORT) | BIT(PROTOCOL_RUN) | \
   BIT(ORDER_PREFERENCE) | BIT(STOCK_DECLARATION))

/* A field that is not here belongs to every kind. */
static const struct {
  const char *field;
  unsigned kinds;
} belongs[] = {
    {"outcome", RUNS},
    {"cause", RUNS},
    {"stage", RUNS},
    {"phase", RUNS},
    {"executed", RUNS},
    {"truncated", RUNS},
    {"errors", RUNS},
    {"phases", RUNS},
    {"peaks", RUNS},
    {"pool", RUNS},
    {"free_at_start_bytes", RUNS},
    {"spilled", RUNS},
    {"latency_ms", RUN},
    {"completion", RUN},
    {"throughput", RUN},
    {"throughput_unit", RUN},
    {"duration_s", RUNS | BIT(QUALITY_EVALUATION)},
    {"settings", RUNS | BIT(QUALITY_EVALUATION)},
    {"declared_bytes", RUNS | BIT(DEVICE_REPORT)},
    {"ecc", BIT(DEVICE_REPORT)},
    {"mig", BIT(DEVICE_REPORT)},
    {"driver", BIT(DEVICE_REPORT)},
    {"compute_capability", BIT(DEVICE_REPORT)},
    {"host", BIT(DEVICE_REPORT)},
    {"interconnect", BIT(DEVICE_REPORT)},
    {"supports", BIT(VENDOR_DOCUMENTATION)},
    {"unsupported", BIT(VENDOR_DOCUMENTATION)},
    {"metric", BIT(QUALITY_EVALUATION)},
    {"dataset", BIT(QUALITY_EVALUATION)},
    {"dataset_revision", BIT(QUALITY_EVALUATION)},
    {"value", BIT(QUALITY_EVALUATION)},
    {"share", BIT(QUALITY_EVALUATION)},
    {"date", BIT(DELIVERY_COMMITMENT) | BIT(EXCHANGE_RATE)},
    {"lead_time_hours", BIT(DELIVERY_COMMITMENT)},
    {"quantity", BIT(DELIVERY_COMMITMENT) | BIT(STOCK_DECLARATION)},
    {"held", BIT(DELIVERY_COMMITMENT)},
    {"rate", BIT(EXCHANGE_RATE)},
    {"origin", BIT(CATALOGUE_IMPORT)},
    {"rows", BIT(CATALOGUE_IMPORT)},
    {"facts", DOCUMENTS},
};

bool crv_kind_has_result(enum crv_kind k, const char *field) {
  for (size_t i = 0; i < sizeof belongs / sizeof *belongs; i++)
    if (strcmp(belongs[i].field, field) == 0) return (belongs[i].kinds & (1u << k)) != 0;
  return true;
}

static bool is_kind(const char *name) {
  for (const struct crv_enum_name *k = crv_kind_names; k->name; k++)
    if (strcmp(k->name, name) == 0) return true;
  return false;
}

bool crv_attested_by_check(const struct crv_sheet *s, const char *ptr, struct crv_err *err) {
  bool ok = true;
  for (size_t i = 0; i < s->requirements.n; i++) {
    const struct crv_requirement *r = crv_list_at(s->requirements, struct crv_requirement, i);
    for (size_t j = 0; j < r->attested_by.n; j++) {
      char where[80];
      if (is_kind(*crv_list_at(r->attested_by, const char *, j))) continue;
      snprintf(where, sizeof where, "requirements/%zu/attested_by/%zu", i, j);
      ok = crv_refuse(err, ptr, where, "not_one_of", "GET /v1/kinds lists them",
                      "Expected the name of a kind of piece.");
    }
  }
  return ok;
}

bool crv_sheet_check_demands(const struct crv_sheet *s, const char *ptr, struct crv_err *err) {
  bool ok = crv_requirements_check_at(s, ptr, err);
  return crv_attested_by_check(s, ptr, err) && ok;
}
