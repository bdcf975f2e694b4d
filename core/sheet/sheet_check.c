/* What the sheet's tables cannot say of one field alone: fields that exclude or need each other,
   and lists in which a value stands once. Must not know: offers, evidence. */
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/model/field.h"
#include "core/sheet/check.h"
#include "core/sheet/sheet.h"

bool crv_check_adaptation(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_adaptation *a = obj;
  return crv_check_distinct(err, ptr, "target_modules", &a->target_modules);
}

bool crv_check_quality(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_quality *q = obj;
  if (q->at_least.set && q->at_most.set)
    return crv_refuse(err, ptr, "at_most", "conflict", "at_least or at_most",
                      "Exactly one of `at_least` and `at_most`; got both.");
  if (!q->at_least.set && !q->at_most.set)
    return crv_refuse(err, ptr, "at_least", "missing", "at_least or at_most",
                      "Exactly one of `at_least` and `at_most`; got neither.");
  return true;
}

bool crv_check_acceptance(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_acceptance *a = obj;
  if (a->throughput.set && !a->throughput_unit)
    return crv_refuse(err, ptr, "throughput_unit", "missing", "such as tokens/s",
                      "`throughput` needs its unit.");
  return true;
}

bool crv_check_placement(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_placement *p = obj;
  if (p->strategy == CRV_STRATEGY_SINGLE && p->devices.set && p->devices.v > 1)
    return crv_refuse(err, ptr, "strategy", "conflict", "leave it out, or name how it is spread",
                      "`single` is for one device; this placement uses more.");
  return true;
}

bool crv_check_campaign(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_campaign *c = obj;
  bool ok = crv_check_distinct(err, ptr, "rates", &c->rates);
  if (c->ceiling.set && !c->currency)
    ok = crv_refuse(err, ptr, "currency", "missing", "such as EUR", "`ceiling` needs a currency.");
  return ok;
}

bool crv_check_headroom(const void *obj, const char *ptr, struct crv_err *err) {
  return crv_check_ref(err, ptr, "evidence", ((const struct crv_headroom *)obj)->evidence);
}

bool crv_check_reserve(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_reserve *r = obj;
  bool ok = crv_check_ref(err, ptr, "evidence", r->evidence);
  if (r->basis == CRV_RESERVE_UNKNOWN && r->bytes.set)
    ok = crv_refuse(err, ptr, "bytes", "conflict", "basis estimated, or no bytes",
                    "An item whose basis is unknown has no bytes.");
  if (r->basis != CRV_RESERVE_UNKNOWN && !r->bytes.set)
    ok = crv_refuse(err, ptr, "bytes", "missing", "bytes, or basis unknown",
                    "An item that is measured or estimated needs its bytes.");
  if (r->basis == CRV_RESERVE_MEASURED && !r->evidence)
    ok = crv_refuse(err, ptr, "evidence", "missing", "a piece's key, or key@version",
                    "An item that is measured needs the piece that measured it.");
  return ok;
}

static bool is_list(const char *json) {
  return json && json[0] == '[';
}

bool crv_check_requirement(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_requirement *r = obj;
  bool ok = crv_check_distinct(err, ptr, "attested_by", &r->attested_by);
  if (r->op == CRV_OP_IN && !is_list(r->value))
    ok = crv_refuse(err, ptr, "value", "wrong_type", "[\"a\", \"b\"]",
                    "`in` takes a list of values.");
  if (r->op != CRV_OP_IN && is_list(r->value))
    ok = crv_refuse(err, ptr, "value", "wrong_type", "op \"in\" takes a list",
                    "This comparison takes one value, not a list.");
  return ok;
}

bool crv_check_preference(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_preference *p = obj;
  static const char *const names[] = {"equals", "at_least", "at_most"};
  const char *const values[] = {p->equals, p->at_least, p->at_most};
  size_t given = 0;
  for (size_t i = 0; i < 3; i++) {
    if (!values[i]) continue;
    if (is_list(values[i]))
      return crv_refuse(err, ptr, names[i], "wrong_type", NULL, "One value, not a list.");
    if (++given > 1)
      return crv_refuse(err, ptr, names[i], "conflict", "equals, at_least or at_most",
                        "Exactly one of `equals`, `at_least` and `at_most`; got more.");
  }
  if (given == 0)
    return crv_refuse(err, ptr, "equals", "missing", "equals, at_least or at_most",
                      "Exactly one of `equals`, `at_least` and `at_most`; got none.");
  return true;
}

bool crv_check_current(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_current *c = obj;
  if (c->offer && (c->device || c->devices.set || c->strategy))
    return crv_refuse(err, ptr, "offer", "conflict", NULL,
                      "Either the key of an offer, or device, devices and strategy.");
  if (!c->offer && !c->device)
    return crv_refuse(err, ptr, "offer", "missing", "the offer's key, or {\"device\": ...}",
                      "Either the key of an offer, or device, devices and strategy.");
  return true;
}

/* -- the sheet as a whole --------------------------------------------------------------------- */

/* Does the i-th item of a list repeat the j-th? */
typedef bool same_fn(const struct crv_sheet *s, size_t i, size_t j);

static bool same_quality(const struct crv_sheet *s, size_t i, size_t j) {
  const struct crv_quality *a = crv_list_at(s->quality, struct crv_quality, i);
  const struct crv_quality *b = crv_list_at(s->quality, struct crv_quality, j);
  return crv_streq(a->metric, b->metric) && crv_streq(a->dataset, b->dataset) &&
         crv_streq(a->dataset_revision, b->dataset_revision) && a->at_least.set == b->at_least.set;
}

static bool same_placement(const struct crv_sheet *s, size_t i, size_t j) {
  const struct crv_placement *a = crv_list_at(s->placement, struct crv_placement, i);
  const struct crv_placement *b = crv_list_at(s->placement, struct crv_placement, j);
  return a->devices.set == b->devices.set && a->devices.v == b->devices.v &&
         a->strategy == b->strategy;
}

static bool same_reserve(const struct crv_sheet *s, size_t i, size_t j) {
  return crv_streq(crv_list_at(s->reserve, struct crv_reserve, i)->item,
                   crv_list_at(s->reserve, struct crv_reserve, j)->item);
}

static bool same_requirement(const struct crv_sheet *s, size_t i, size_t j) {
  const struct crv_requirement *a = crv_list_at(s->requirements, struct crv_requirement, i);
  const struct crv_requirement *b = crv_list_at(s->requirements, struct crv_requirement, j);
  return crv_streq(a->field, b->field) && a->op == b->op && crv_streq(a->value, b->value);
}

static bool same_preference(const struct crv_sheet *s, size_t i, size_t j) {
  const struct crv_preference *a = crv_list_at(s->preferences, struct crv_preference, i);
  const struct crv_preference *b = crv_list_at(s->preferences, struct crv_preference, j);
  return crv_streq(a->field, b->field) && crv_streq(a->equals, b->equals) &&
         crv_streq(a->at_least, b->at_least) && crv_streq(a->at_most, b->at_most);
}

static bool check_once(const struct crv_sheet *s, const char *list, size_t n, same_fn *same,
                       const char *ptr, struct crv_err *err) {
  bool ok = true;
  for (size_t i = 1; i < n; i++) {
    bool again = false;
    for (size_t j = 0; j < i && !again; j++) again = same(s, i, j);
    if (!again) continue;
    char where[64];
    snprintf(where, sizeof where, "%s/%zu", list, i);
    ok = crv_refuse(err, ptr, where, "duplicate", NULL, "The same entry came before in this list.");
  }
  return ok;
}

static bool check_phases(const struct crv_sheet *s, const char *ptr, struct crv_err *err) {
  bool ok = crv_check_distinct(err, ptr, "phases", &s->phases);
  if (s->phases.n > 0 && s->task != CRV_TASK_ADAPTATION && s->task != CRV_TASK_TRAINING)
    return crv_refuse(err, ptr, "phases", "conflict", NULL,
                      "Further phases are for the tasks adaptation and training.");
  for (size_t i = 0; i < s->phases.n; i++) {
    const char *phase = *crv_list_at(s->phases, const char *, i);
    char where[32];
    snprintf(where, sizeof where, "phases/%zu", i);
    if (strcmp(phase, "evaluation") != 0 && strcmp(phase, "checkpoint_export") != 0)
      ok = crv_refuse(err, ptr, where, "not_one_of", "evaluation, checkpoint_export",
                      "Expected evaluation or checkpoint_export.");
  }
  return ok;
}

bool crv_check_sheet(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_sheet *s = obj;
  bool ok = check_phases(s, ptr, err);
  ok &= crv_check_distinct(err, ptr, "interconnect", &s->interconnect);
  ok &= check_once(s, "quality", s->quality.n, same_quality, ptr, err);
  ok &= check_once(s, "placement", s->placement.n, same_placement, ptr, err);
  ok &= check_once(s, "reserve", s->reserve.n, same_reserve, ptr, err);
  ok &= check_once(s, "requirements", s->requirements.n, same_requirement, ptr, err);
  ok &= check_once(s, "preferences", s->preferences.n, same_preference, ptr, err);
  if (s->length && s->sequence.set)
    ok = crv_refuse(err, ptr, "sequence", "conflict", NULL,
                    "Either `length` in two parts or `sequence`; got both.");
  return ok;
}
