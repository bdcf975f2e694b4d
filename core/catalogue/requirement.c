/* A sheet's requirements and preferences against the offer's own field table: does the path name a
   single value, does the field take the value, has it an order. Must not know: any offer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/catalogue/offer.h"
#include "core/model/field.h"

static bool is_single(enum crv_jtype type) {
  return type != CRV_JT_OBJECT && type != CRV_JT_LIST && type != CRV_JT_MAP &&
         type != CRV_JT_CUSTOM;
}

static bool has_order(enum crv_jtype type) {
  return type == CRV_JT_INT || type == CRV_JT_BYTES || type == CRV_JT_DECIMAL ||
         type == CRV_JT_TIME;
}

const struct crv_jfield *crv_offer_field(const char *path) {
  static const struct crv_jfield managed = {
      .name = "managed",
      .type = CRV_JT_BOOL,
      .doc = "Is it a managed service?",
  };
  if (!strcmp(path, "service.managed")) return &managed;
  const struct crv_jfield *f = crv_jspec_field(&crv_offer_spec, path);
  return f && is_single(f->type) ? f : NULL;
}

/* -- hints for a path that names no single value --------------------------------------------------
 */

struct nearest {
  const char *path;
  size_t distance;
  char best[128];
};

enum { NEAR = 2, FAR = 3 };

static const char *last_of(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot ? dot + 1 : path;
}

static void try_path(struct nearest *n, const char *path, const char *alias) {
  size_t d = crv_edit_distance(n->path, path, NEAR);
  if (d > NEAR &&
      (crv_streq(last_of(n->path), last_of(path)) || crv_streq(last_of(n->path), alias)))
    d = NEAR;
  if (d >= n->distance) return;
  n->distance = d;
  snprintf(n->best, sizeof n->best, "%s", path);
}

static void try_spec(struct nearest *n, const struct crv_jspec *spec, const char *prefix) {
  for (const struct crv_jfield *f = spec->fields; f->name; f++) {
    char path[128];
    snprintf(path, sizeof path, "%.60s%s%.60s", prefix, *prefix ? "." : "", f->name);
    if (f->type == CRV_JT_OBJECT)
      try_spec(n, f->sub, path);
    else if (is_single(f->type))
      try_path(n, path, f->alias);
  }
}

static bool refuse_path(struct crv_err *err, const char *ptr, const char *where, const char *path) {
  struct nearest n = {.path = path, .distance = FAR};
  char hint[160] = "such as host.ram_bytes, lot.devices, region", quote[CRV_QUOTE_ROOM];
  const struct crv_jfield *f = crv_jspec_field(&crv_offer_spec, path);
  try_spec(&n, &crv_offer_spec, "");
  if (!f && n.distance < FAR) snprintf(hint, sizeof hint, "did you mean `%s`?", n.best);
  if (f && f->type == CRV_JT_OBJECT)
    snprintf(hint, sizeof hint, "such as %.60s.%.60s", path, f->sub->fields[0].name);
  return crv_refuse(err, ptr, where, f ? "wrong_type" : "unknown_field", hint,
                    "%s is not a single value of an offer.",
                    crv_text_quote(path, strlen(path), quote));
}

/* -- values
 * ----------------------------------------------------------------------------------------- */

struct check {
  const char *path; /* as the sheet writes it */
  const struct crv_jfield *field;
  const char *ptr; /* of the sheet in the body */
  char where[96];  /* "requirements/0" */
  struct crv_arena *arena;
  struct crv_err *err;
};

static bool check_scalar(const struct check *c, const json_t *j, const char *ptr) {
  struct crv_value ignored;
  return crv_jspec_value_parse_as(c->field, last_of(c->path), j, ptr, c->arena, &ignored, c->err);
}

static bool check_value(const struct check *c, const char *member, const char *json) {
  char ptr[160];
  bool ok = true;
  if (!json) return true;
  _json_ json_t *j = crv_json_parse_stored(json, strlen(json), c->err);
  if (!j) return false;
  snprintf(ptr, sizeof ptr, "%.40s/%s/%s", c->ptr, c->where, member);
  if (!json_is_array(j)) return check_scalar(c, j, ptr);
  for (size_t i = 0; i < json_array_size(j); i++) {
    snprintf(ptr, sizeof ptr, "%.20s/%s/%s/%zu", c->ptr, c->where, member, i);
    ok &= check_scalar(c, json_array_get(j, i), ptr);
  }
  return ok;
}

static bool refuse_order(const struct check *c, const char *member, const char *hint) {
  char where[128];
  snprintf(where, sizeof where, "%s/%s", c->where, member);
  return crv_refuse(c->err, c->ptr, where, "wrong_type", hint,
                    "`%.60s` has no order: it is equal or it is not.", c->path);
}

static bool find_field(struct check *c, const char *list, size_t i, const char *path) {
  char where[128];
  snprintf(c->where, sizeof c->where, "%s/%zu", list, i);
  snprintf(where, sizeof where, "%s/field", c->where);
  c->path = path;
  c->field = crv_offer_field(path);
  return c->field ? true : refuse_path(c->err, c->ptr, where, path);
}

static bool check_requirement(struct check *c, size_t i, const struct crv_requirement *r) {
  bool ordered = r->op != CRV_OP_EQ && r->op != CRV_OP_NE && r->op != CRV_OP_IN;
  if (!find_field(c, "requirements", i, r->field)) return false;
  bool ok = check_value(c, "value", r->value);
  if (ordered && !has_order(c->field->type)) ok = refuse_order(c, "op", "==, !=, in");
  return ok;
}

static bool check_preference(struct check *c, size_t i, const struct crv_preference *p) {
  if (!find_field(c, "preferences", i, p->field)) return false;
  bool ok = check_value(c, "equals", p->equals);
  ok &= check_value(c, "at_least", p->at_least);
  ok &= check_value(c, "at_most", p->at_most);
  if (!p->equals && !has_order(c->field->type))
    ok = refuse_order(c, p->at_least ? "at_least" : "at_most", "equals");
  return ok;
}

bool crv_requirements_check(const struct crv_sheet *s, struct crv_err *err) {
  return crv_requirements_check_at(s, "", err);
}

bool crv_requirements_check_at(const struct crv_sheet *s, const char *ptr, struct crv_err *err) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct check c = {.ptr = ptr, .arena = a, .err = err};
  bool ok = true;
  if (!a) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  for (size_t i = 0; i < s->requirements.n; i++)
    ok &= check_requirement(&c, i, crv_list_at(s->requirements, struct crv_requirement, i));
  for (size_t i = 0; i < s->preferences.n; i++)
    ok &= check_preference(&c, i, crv_list_at(s->preferences, struct crv_preference, i));
  return ok;
}
