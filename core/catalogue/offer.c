/* An offer as a whole: the checks across its fields, and what a complete one must state.
   Must not know: sheets, evidence, verdicts. */
#include "core/catalogue/offer.h"

#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/catalogue/offer_check.h"
#include "core/model/field.h"

bool crv_device_model_ok(const char *model) {
  const char *slash = strchr(model, '/');
  size_t vendor = strspn(model, "abcdefghijklmnopqrstuvwxyz0123456789-");
  if (!slash || vendor == 0 || model + vendor != slash || slash[1] == '\0') return false;
  return slash[1 + strspn(slash + 1, "abcdefghijklmnopqrstuvwxyz0123456789._+@-")] == '\0';
}

bool crv_check_device_model(struct crv_err *err, const char *ptr, const char *below,
                            const char *model) {
  const struct crv_device_model *known[8];
  char hint[160] = "such as nvidia/rtx-4090", quote[CRV_QUOTE_ROOM];
  if (!model || crv_device_model_ok(model)) return true;
  size_t n = crv_device_resolve(model, NULL, known);
  if (n > 0) snprintf(hint, sizeof hint, "did you mean `%s`?", known[0]->model);
  return crv_refuse(err, ptr, below, "bad_format", hint,
                    "Expected a canonical device model; got %.80s.",
                    crv_text_quote(model, strlen(model), quote));
}

bool crv_offer_check_device(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_device *d = obj;
  bool ok = crv_check_device_model(err, ptr, "model", d->model);
  for (size_t i = 0; i < d->candidates.n; i++) {
    char where[48];
    snprintf(where, sizeof where, "candidates/%zu", i);
    ok &= crv_check_device_model(err, ptr, where, *crv_list_at(d->candidates, const char *, i));
  }
  ok &= crv_check_distinct(err, ptr, "candidates", &d->candidates);
  if (d->model && d->candidates.n > 0)
    ok = crv_refuse(err, ptr, "candidates", "conflict", NULL,
                    "Either the canonical `model` or `candidates`; got both.");
  return ok;
}

bool crv_offer_check_plan(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_plan *p = obj;
  bool ok = true;
  if (p->hours.set && p->months.set)
    ok = crv_refuse(err, ptr, "months", "conflict", "hours or months",
                    "Either `hours` or `months`; got both.");
  if (p->minimum_hours.set && p->maximum_hours.set && p->minimum_hours.v > p->maximum_hours.v)
    ok = crv_refuse(err, ptr, "maximum_hours", "out_of_range", NULL,
                    "The most hours are fewer than the least hours.");
  return ok;
}

bool crv_offer_check_price(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_price *p = obj;
  bool ok = true;
  for (size_t i = 1; i < p->extras.n; i++) {
    const struct crv_price_extra *extra = crv_list_at(p->extras, struct crv_price_extra, i);
    bool again = false;
    for (size_t j = 0; j < i && !again; j++)
      again = crv_streq(extra->item, crv_list_at(p->extras, struct crv_price_extra, j)->item);
    if (!again) continue;
    char where[48];
    snprintf(where, sizeof where, "extras/%zu/item", i);
    ok = crv_refuse(err, ptr, where, "duplicate", NULL, "Each extra once; this one came before.");
  }
  return ok;
}

bool crv_offer_check_schedule(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_schedule *s = obj;
  bool dated = s->date.set || s->lead_time_hours.set;
  if (s->date.set && s->lead_time_hours.set)
    return crv_refuse(err, ptr, "lead_time_hours", "conflict", NULL,
                      "Either `date` or `lead_time_hours`; got both.");
  if (s->kind == CRV_SCHEDULE_DOCUMENTED && !dated)
    return crv_refuse(err, ptr, "date", "missing", "date, or lead_time_hours",
                      "A documented schedule needs `date` or `lead_time_hours`.");
  if (s->kind == CRV_SCHEDULE_UNDOCUMENTED && dated)
    return crv_refuse(err, ptr, "kind", "conflict", "documented",
                      "An undocumented schedule has no `date` and no `lead_time_hours`.");
  return true;
}

bool crv_offer_check_source(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_source *s = obj;
  if (s->evidence) {
    if (s->uri || s->observed_at.set || s->valid_until.set)
      return crv_refuse(err, ptr, "evidence", "conflict", NULL,
                        "Either a cited piece, or uri, observed_at and valid_until.");
    if (!strchr(s->evidence, '@'))
      return crv_refuse(err, ptr, "evidence", "bad_format", "key@version, such as price-list@1",
                        "Expected the version that is cited.");
    return crv_check_ref(err, ptr, "evidence", s->evidence);
  }
  bool ok = true;
  if (!s->uri)
    ok = crv_refuse(err, ptr, "uri", "missing", "uri, or evidence",
                    "An inline source needs the address of its document.");
  if (!s->observed_at.set)
    ok = crv_refuse(err, ptr, "observed_at", "missing", "such as 2026-11-30",
                    "An inline source needs the time when it was read.");
  if (s->observed_at.set && s->valid_until.set && s->valid_until.v <= s->observed_at.v)
    ok = crv_refuse(err, ptr, "valid_until", "out_of_range", NULL,
                    "`valid_until` is not after `observed_at`.");
  return ok;
}

bool crv_offer_check_offer(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_offer *o = obj;
  if (o->effective_from.set && o->effective_until.set &&
      o->effective_until.v <= o->effective_from.v)
    return crv_refuse(err, ptr, "effective_until", "out_of_range", NULL,
                      "`effective_until` is not after `effective_from`.");
  return true;
}

static bool check_complete(const struct crv_offer *o, const char *ptr, struct crv_err *err) {
  bool ok = true;
  if (!o->supplier)
    ok = crv_refuse(err, ptr, "supplier", "missing", NULL, "`supplier` is missing.");
  if (!o->device)
    ok = crv_refuse(err, ptr, "device", "missing", "{\"name\": \"RTX 4090\"}",
                    "`device` is missing.");
  else if (!o->device->name && !o->device->model)
    ok = crv_refuse(err, ptr, "device/name", "missing", "the name as the supplier writes it",
                    "`name` is missing.");
  if (o->price && o->price->amount.set && o->price->amount.v == 0)
    ok = crv_refuse(err, ptr, "price/amount", "out_of_range", "leave it out when it is not known",
                    "A price of 0 is no price.");
  return ok;
}

bool crv_offer_decode(const json_t *j, const char *ptr, bool partial, struct crv_arena *a,
                      struct crv_offer **ret, struct crv_err *err) {
  struct crv_offer *o = crv_new(a, struct crv_offer);
  if (!o) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  if (!crv_jspec_decode(&crv_offer_spec, j, ptr, a, o, err)) return false;
  if (!partial && !check_complete(o, ptr, err)) return false;
  *ret = o;
  return true;
}

bool crv_ref_split(const char *ref, struct crv_arena *a, const char **ret_key,
                   int64_t *ret_version) {
  const char *at = strchr(ref, '@');
  size_t digits = at ? strspn(at + 1, "0123456789") : 0;
  int64_t version = 0;
  if (!at || !crv_key_ok(ref, (size_t)(at - ref))) return false;
  if (digits == 0 || digits > 15 || at[1] == '0' || at[1 + digits] != '\0') return false;
  for (size_t i = 0; i < digits; i++) version = version * 10 + (at[1 + i] - '0');
  const char *key = crv_arena_strndup(a, ref, (size_t)(at - ref));
  if (!key) return false;
  *ret_key = key;
  *ret_version = version;
  return true;
}
