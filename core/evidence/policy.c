/* How old a piece may be: two ages by kind, one for every piece of the kind (asked for by the
   question), one only for pieces that state no validity (the default).
   Must not know: verdicts, the clock. */
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/evidence/evidence.h"
#include "core/model/field.h"

enum { DEFAULT_PRICE_DAYS = 30, MAX_HOURS = 1000000 };

void crv_policy_default(struct crv_policy *p) {
  const struct crv_opt_int age = {DEFAULT_PRICE_DAYS * CRV_DAY_MS, true};
  memset(p, 0, sizeof *p);
  p->max_age[CRV_KIND_COMMERCIAL_SHEET] = age;
  p->max_age[CRV_KIND_CATALOGUE_IMPORT] = age;
}

/* -- reading ------------------------------------------------------------------------------------
 */

/* "7d", "12h"; hours in *ret. */
static bool read_age(const char *s, int64_t *ret) {
  int64_t n = 0;
  size_t digits = strspn(s, "0123456789");
  if (digits == 0 || digits > 7 || strlen(s) != digits + 1) return false;
  for (size_t i = 0; i < digits; i++) n = n * 10 + (s[i] - '0');
  if (s[digits] != 'd' && s[digits] != 'h') return false;
  *ret = s[digits] == 'd' ? n * 24 : n;
  return true;
}

static bool refuse_age(struct crv_err *err, const char *ptr, const char *kind) {
  return crv_refuse(err, ptr, kind, "bad_format", "\"7d\", \"12h\", 168 (hours), or \"none\"",
                    "Expected an age of 1 to %d hours.", MAX_HOURS);
}

static bool decode_age(const char *kind, const json_t *j, const char *ptr, struct crv_opt_int *ret,
                       struct crv_err *err) {
  int64_t hours = 0;
  const char *text = json_string_value(j);
  if (crv_streq(text, "none")) {
    *ret = (struct crv_opt_int){0, false};
    return true;
  }
  if (json_is_integer(j))
    hours = json_integer_value(j);
  else if (!text || !read_age(text, &hours))
    return refuse_age(err, ptr, kind);
  if (hours < 1 || hours > MAX_HOURS) return refuse_age(err, ptr, kind);
  *ret = (struct crv_opt_int){hours * CRV_HOUR_MS, true};
  return true;
}

static bool refuse_kind(const char *name, const char *ptr, struct crv_err *err) {
  char hint[160] = "GET /v1/kinds lists them", where[80];
  size_t best = 3;
  for (const struct crv_enum_name *k = crv_kind_names; k->name; k++) {
    size_t d = crv_edit_distance(name, k->name, 2);
    if (d >= best) continue;
    best = d;
    snprintf(hint, sizeof hint, "did you mean `%s`?", k->name);
  }
  snprintf(where, sizeof where, "%.70s", name);
  crv_text_repair(where);
  return crv_refuse(err, ptr, where, "unknown_field", hint, "This is not a kind of piece.");
}

static json_t *unconst(const json_t *j) {
  return (json_t *)(uintptr_t)j; /* jansson's iterators take a plain pointer and change nothing */
}

static bool decode_ages(const json_t *j, const char *ptr, bool asked, struct crv_policy *ret,
                        struct crv_err *err) {
  const char *name;
  json_t *v;
  bool ok = true;
  if (!json_is_object(j))
    return crv_refuse(err, ptr, NULL, "wrong_type", "{\"commercial_sheet\": \"7d\"}",
                      "Expected an object of kinds and ages.");
  json_object_foreach(unconst(j), name, v) {
    int kind = 0;
    if (json_is_null(v)) continue;
    for (const struct crv_enum_name *k = crv_kind_names; k->name; k++)
      if (!strcmp(k->name, name)) kind = k->value;
    if (kind == 0) {
      ok = refuse_kind(name, ptr, err);
    } else if (decode_age(name, v, ptr, &ret->max_age[kind], err)) {
      ret->asked[kind] = asked;
    } else {
      ok = false;
    }
  }
  return ok;
}

bool crv_policy_decode(const json_t *j, const char *ptr, struct crv_policy *ret,
                       struct crv_err *err) {
  static const char *const names[] = {"default_max_age", "max_age"};
  const char *name;
  json_t *v;
  bool ok = true;
  crv_policy_default(ret);
  if (!json_is_object(j))
    return crv_refuse(err, ptr, NULL, "wrong_type", "{\"max_age\": {...}}", "Expected an object.");
  json_object_foreach(unconst(j), name, v) {
    char where[80];
    if (!strcmp(name, names[0]) || !strcmp(name, names[1]) || json_is_null(v)) continue;
    snprintf(where, sizeof where, "%.70s", name);
    crv_text_repair(where);
    ok = crv_refuse(err, ptr, where, "unknown_field", "max_age, default_max_age",
                    "This is not a field of a policy.");
  }
  for (int asked = 0; asked < 2; asked++) {
    char where[160];
    json_t *ages = json_object_get(j, names[asked]);
    if (!ages || json_is_null(ages)) continue;
    snprintf(where, sizeof where, "%.120s/%s", ptr, names[asked]);
    ok &= decode_ages(ages, where, asked == 1, ret, err);
  }
  return ok;
}

/* -- writing ------------------------------------------------------------------------------------
 */

/* A default that was lifted is written too, so that reading it back gives the same policy. */
static json_t *ages_json(const struct crv_policy *p, bool asked) {
  struct crv_policy usual;
  _json_ json_t *ages = json_object();
  crv_policy_default(&usual);
  for (const struct crv_enum_name *k = crv_kind_names; ages && k->name; k++) {
    struct crv_opt_int age = p->max_age[k->value];
    if (p->asked[k->value] != asked) continue;
    if (!asked && !age.set && !usual.max_age[k->value].set) continue;
    bool ok = age.set ? crv_json_set_int(ages, k->name, age.v / CRV_HOUR_MS)
                      : crv_json_set_text(ages, k->name, "none");
    if (!ok) return NULL;
  }
  return crv_steal(&ages);
}

json_t *crv_policy_json(const struct crv_policy *p) {
  _json_ json_t *obj = json_object();
  if (!obj || json_object_set_new(obj, "max_age", ages_json(p, true)) != 0 ||
      json_object_set_new(obj, "default_max_age", ages_json(p, false)) != 0)
    return NULL;
  return crv_steal(&obj);
}

/* -- expiry -------------------------------------------------------------------------------------
 */

struct crv_opt_int crv_piece_expiry(const struct crv_piece *p, const struct crv_policy *policy) {
  struct crv_opt_int age = policy->max_age[p->kind], end = p->valid_until;
  int64_t by_age;
  if (!age.set || !p->observed_at.set || (end.set && !policy->asked[p->kind])) return end;
  if (!crv_add(p->observed_at.v, age.v, &by_age)) return end;
  if (!end.set || by_age < end.v) end = (struct crv_opt_int){by_age, true};
  return end;
}
