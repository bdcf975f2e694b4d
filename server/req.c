/* What handlers ask of a request: parameters and captured segments with their checks. */
#include "server/req.h"

#include <string.h>

#include "core/base/units.h"

const char *crv_req_param(const struct crv_req *rq, const char *name) {
  for (size_t i = 0; i < rq->n_params; i++)
    if (strcmp(rq->params[i].name, name) == 0) return rq->params[i].value;
  return NULL;
}

static bool one_of(const char *value, const char *const *words) {
  for (; *words; words++)
    if (strcmp(value, *words) == 0) return true;
  return false;
}

bool crv_req_param_bool(const struct crv_req *rq, const char *name, bool dflt, bool *ret,
                        struct crv_err *err) {
  static const char *const yes[] = {"1", "true", "yes", "", NULL};
  static const char *const no[] = {"0", "false", "no", NULL};
  const char *value = crv_req_param(rq, name);
  if (!value) {
    *ret = dflt;
  } else if (one_of(value, yes)) {
    *ret = true;
  } else if (one_of(value, no)) {
    *ret = false;
  } else {
    return crv_fail(err, CRV_BAD_PARAMETER,
                    "The parameter '%s' takes 1, true, yes, 0, false or no.", name);
  }
  return true;
}

/* -?digits without a leading zero, within int64. */
static bool integer_parse(const char *s, int64_t *ret) {
  int64_t v = 0;
  bool negative = *s == '-';
  s += negative;
  if (*s == '\0' || (*s == '0' && (s[1] || negative))) return false;
  for (; *s; s++) {
    if (*s < '0' || *s > '9') return false;
    int digit = negative ? '0' - *s : *s - '0';
    if (!crv_mul(v, 10, &v) || !crv_add(v, digit, &v)) return false;
  }
  *ret = v;
  return true;
}

bool crv_req_param_int(const struct crv_req *rq, const char *name, int64_t min, int64_t max,
                       int64_t dflt, int64_t *ret, struct crv_err *err) {
  const char *value = crv_req_param(rq, name);
  int64_t v = dflt;
  if (value && (!integer_parse(value, &v) || v < min || v > max))
    return crv_fail(err, CRV_BAD_PARAMETER,
                    "The parameter '%s' takes an integer from %lld to %lld.", name, (long long)min,
                    (long long)max);
  *ret = v;
  return true;
}

bool crv_req_key(const struct crv_req *rq, unsigned i, const char **ret, struct crv_err *err) {
  const char *s = i < CRV_MAX_CAPTURES ? rq->capture[i] : NULL;
  if (!s || !crv_key_ok(s, strlen(s)))
    return crv_fail(
        err, CRV_NOT_FOUND,
        "A key is 1 to 128 of a-z, 0-9, '.', '_' and '-', and starts with a letter or a "
        "digit: nothing else can be kept at this address.");
  *ret = s;
  return true;
}

bool crv_req_number(const struct crv_req *rq, unsigned i, int64_t *ret, struct crv_err *err) {
  const char *s = i < CRV_MAX_CAPTURES ? rq->capture[i] : NULL;
  int64_t v;
  if (!s || !integer_parse(s, &v) || v < 1 || v > CRV_INT_MAX)
    return crv_fail(err, CRV_NOT_FOUND, "This address takes a number from 1 upward.");
  *ret = v;
  return true;
}
