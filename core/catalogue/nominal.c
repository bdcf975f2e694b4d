/* A nominal memory size as the source prints it: the figure and its unit, or no unit where the
   source states none. Must not know: what a device really has. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/catalogue/offer.h"
#include "core/model/field.h"

#define EXAMPLES "\"24 GB\", or {\"value\": \"24\", \"unit\": null} when the source states no unit"

static bool positive(const char *ptr, const char *below, int64_t micro, struct crv_err *err) {
  if (micro > 0) return true;
  return crv_refuse(err, ptr, below, "out_of_range", "leave it out when it is not known",
                    "Expected a size greater than 0.");
}

static bool decode_text(const char *s, size_t len, const char *ptr, struct crv_arena *a,
                        struct crv_nominal *n, struct crv_err *err) {
  int64_t factor;
  struct crv_unit_err ue;
  if (!crv_bytes_split(s, len, &n->micro, &factor, &ue))
    return crv_refuse(err, ptr, NULL, ue.code, EXAMPLES, "%s", ue.detail);
  const char *unit = s + len;
  while (unit > s && strchr("kMGTPiB", unit[-1])) unit--;
  n->unit = crv_arena_strdup(a, unit);
  if (!n->unit) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  n->set = true;
  return positive(ptr, NULL, n->micro, err);
}

struct parts {
  struct crv_opt_int value;
  const char *unit;
};

static const struct crv_jfield part_fields[] = {
    CRV_FIELD(parts, value, DECIMAL, .flags = CRV_JF_REQUIRED, .doc = "The figure as printed."),
    CRV_FIELD(parts, unit, TEXT, .max = 8, .doc = "Its unit; null: the source states none."),
    {.name = NULL},
};

static const struct crv_jspec parts_spec = {
    .name = "NominalSize",
    .size = sizeof(struct parts),
    .fields = part_fields,
    .extras_offset = SIZE_MAX,
};

static bool decode_nominal(const json_t *j, const char *ptr, struct crv_arena *a, void *out,
                           struct crv_err *err) {
  struct crv_nominal *n = out;
  struct parts parts;
  if (json_is_string(j) && json_string_value(j)[0] != CRV_JSON_NUM)
    return decode_text(json_string_value(j), json_string_length(j), ptr, a, n, err);
  if (!json_is_object(j))
    return crv_refuse(err, ptr, NULL, "bad_unit", EXAMPLES,
                      "Expected a size with its unit, or an object with value and unit.");
  if (!crv_jspec_decode(&parts_spec, j, ptr, a, &parts, err)) return false;
  if (parts.unit && crv_unit_factor(parts.unit) == 0)
    return crv_refuse(err, ptr, "unit", "bad_unit", "GB, GiB, MiB, ..., or null",
                      "Expected a unit of bytes in exact case, or null.");
  *n = (struct crv_nominal){true, parts.value.v, parts.unit};
  return positive(ptr, "value", n->micro, err);
}

static json_t *encode_nominal(const void *in) {
  const struct crv_nominal *n = in;
  char figure[32];
  crv_decimal_text(n->micro, figure, sizeof figure);
  if (n->unit) return json_sprintf("%s %s", figure, n->unit);
  return json_pack("{s:s, s:n}", "value", figure, "unit");
}

static bool nominal_is_set(const void *in) {
  return ((const struct crv_nominal *)in)->set;
}

const struct crv_jcustom crv_nominal_type = {
    .size = sizeof(struct crv_nominal),
    .decode = decode_nominal,
    .encode = encode_nominal,
    .is_set = nominal_is_set,
    .schema =
        "{\"anyOf\":[{\"type\":\"string\",\"description\":\"a size with its unit, such as 24 GB\"},"
        "{\"type\":\"object\",\"required\":[\"value\"],\"properties\":{\"value\":{\"type\":["
        "\"string\",\"number\"]},\"unit\":{\"type\":[\"string\",\"null\"]}}}]}",
};
