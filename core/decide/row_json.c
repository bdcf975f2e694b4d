/* One row of a shortlist as JSON. The short form leaves of an admissible criterion only its verdict
   and its pieces; the full form says everything.
   Must not know: HTTP, ranking. */
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/decide/result.h"

/* -- findings
 * -------------------------------------------------------------------------------------- */

static json_t *facts_or_null(const struct crv_fact *facts, size_t n) {
  return n ? crv_fact_json(facts, n) : json_null();
}

bool crv_margin_hidden(const struct crv_row *r) {
  return r->demand_private || r->capacity_private;
}

bool crv_finding_private(const struct crv_finding *f) {
  for (size_t i = 0; i < f->n_cited; i++)
    if (f->cited[i]->piece->is_private == CRV_TRUE) return true;
  return false;
}

/* Figures of a private piece stay with it. */
static json_t *observed_json(const struct crv_finding *f) {
  _json_ json_t *j = NULL;
  if (!crv_finding_private(f)) return facts_or_null(f->observed, f->n_observed);
  j = json_object();
  return j && crv_json_set_bool(j, "private", true) ? crv_steal(&j) : NULL;
}

static json_t *aside_json(const struct crv_set_aside *a) {
  _json_ json_t *j = json_object();
  if (j && crv_json_set_text(j, "evidence", a->rec->ref) &&
      crv_json_set_text(j, "why", crv_enum_text(crv_aside_names, (int)a->why)) &&
      crv_json_set_text(j, "dimension", a->dimension))
    return crv_steal(&j);
  return NULL;
}

static json_t *asides_json(const struct crv_finding *f) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < f->n_aside; i++)
    if (!crv_array_add(j, aside_json(&f->aside[i]))) return NULL;
  return crv_steal(&j);
}

static json_t *ids_json(const struct crv_condition *const *conds, size_t n) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < n; i++)
    if (!crv_array_add(j, json_string(crv_condition_id(conds[i])))) return NULL;
  return crv_steal(&j);
}

static json_t *pins_json(const struct crv_fact *pins, size_t n) {
  _json_ json_t *j = json_array();
  char text[1100];
  for (size_t i = 0; j && i < n; i++) {
    json_t *pin = json_object();
    bool ok = pin && crv_json_set_text(pin, "name", pins[i].name) &&
              crv_json_set_text(pin, "value", crv_fact_text(&pins[i], text, sizeof text));
    if (!crv_array_add(j, pin) || !ok) return NULL;
  }
  return crv_steal(&j);
}

static bool set_more(json_t *j, const struct crv_finding *f) {
  if (f->more_cited && !crv_json_set_int(j, "more_evidence", (int64_t)f->more_cited)) return false;
  return !f->more_aside || crv_json_set_int(j, "more_set_aside", (int64_t)f->more_aside);
}

/* What an admissible criterion of a short row leaves out. */
static bool set_details(json_t *j, const struct crv_finding *f) {
  bool open = f->verdict != CRV_ADMISSIBLE;
  if (!crv_set_value(j, "demanded", facts_or_null(f->demanded, f->n_demanded)) ||
      !crv_set_value(j, "observed", observed_json(f)))
    return false;
  if (!crv_set_value(j, "evidence", crv_refs_json(f->cited, f->n_cited)) ||
      !crv_set_value(j, "set_aside", asides_json(f)) || !set_more(j, f))
    return false;
  if (f->expired && !crv_json_set_bool(j, "expired", true)) return false;
  /* what is open a piece can settle; what is excluded, only sometimes */
  if (open && !crv_json_set_bool(j, "resolvable", f->verdict == CRV_TO_CONFIRM || f->resolvable))
    return false;
  if (f->n_pins && !crv_set_value(j, "pins", pins_json(f->pins, f->n_pins))) return false;
  return !open || crv_set_value(j, "conditions", ids_json(f->conditions, f->n_conditions));
}

/* "memory.peak"; of the sheet's own findings "sheet.model.revision_missing". */
static const char *criterion_text(const struct crv_finding *f, char *out, size_t room) {
  const char *id = crv_criterion_info(f->criterion)->id;
  if (f->criterion != CRV_CRIT_SHEET || !f->subject) return id;
  snprintf(out, room, "%s.%s_missing", id, f->subject);
  return out;
}

static json_t *finding_json(const struct crv_finding *f, bool full) {
  char id[80];
  _json_ json_t *j = json_object();
  bool short_form = !full && f->verdict == CRV_ADMISSIBLE;
  bool ok = j && crv_json_set_text(j, "criterion", criterion_text(f, id, sizeof id)) &&
            crv_json_set_text(j, "subject", f->subject) &&
            crv_json_set_text(j, "verdict", crv_verdict_name(f->verdict));
  if (ok && short_form)
    ok = crv_set_value(j, "evidence", crv_refs_json(f->cited, f->n_cited)) && set_more(j, f);
  else
    ok =
        ok && crv_json_set_text(j, "reason", crv_reason_info(f->reason)->code) && set_details(j, f);
  return ok ? crv_steal(&j) : NULL;
}

static json_t *findings_json(const struct crv_row *r, bool full) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < r->n_findings; i++)
    if (!crv_array_add(j, finding_json(&r->findings[i], full))) return NULL;
  return crv_steal(&j);
}

/* -- the row
 * ----------------------------------------------------------------------------------------- */

static json_t *conditions_json(const struct crv_row *r) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < r->n_conditions; i++)
    if (!crv_array_add(j, crv_condition_json(r->conditions[i]))) return NULL;
  return crv_steal(&j);
}

static bool set_identity(json_t *j, const struct crv_row *r) {
  const struct crv_offer *o = r->rec->offer;
  const char *strategy = crv_enum_text(crv_strategy_names, (int)r->strategy);
  if (r->status != CRV_EXCLUDED && !crv_json_set_int(j, "rank", r->rank)) return false;
  return crv_json_set_text(j, "offer", r->rec->key) &&
         crv_json_set_int(j, "version", r->rec->version) &&
         crv_json_set_text(j, "supplier", o->supplier) &&
         crv_json_set_text(j, "region", o->region) &&
         crv_json_set_text(j, "device_name", o->device ? o->device->name : NULL) &&
         crv_json_set_text(j, "device", r->device) && crv_json_set_int(j, "devices", r->devices) &&
         crv_json_set_text(j, "strategy", strategy) &&
         crv_json_set_text(j, "status", crv_verdict_name(r->status)) &&
         crv_json_set_text(j, "outlook", crv_outlook_name(r->outlook)) &&
         crv_json_set_text(j, "outlook_from", r->outlook_from);
}

/* A private piece's date stays with it; the row keeps its place. */
static bool set_schedule(json_t *j, const struct crv_row *r) {
  const struct crv_piece_rec *rec = r->schedule_piece;
  bool hidden = rec && rec->piece->is_private == CRV_TRUE;
  bool ok = r->schedule.set && !hidden ? crv_json_set_time(j, "schedule", r->schedule.v)
                                       : crv_set_value(j, "schedule", json_null());
  return ok && crv_json_set_text(j, "schedule_evidence", rec ? rec->ref : NULL);
}

static json_t *text_or_null(const char *s) {
  return s ? json_string(s) : json_null();
}

static json_t *margin_from_json(const struct crv_row *r) {
  static const char *const capacity[] = {NULL, "nominal_decimal", "reported", "declared"};
  static const char *const demand[] = {NULL, "measured_peak", "composed", "envelope"};
  _json_ json_t *j = json_object();
  if (j && crv_set_value(j, "capacity", text_or_null(capacity[r->capacity_from])) &&
      crv_set_value(j, "demand", text_or_null(demand[r->demand_from])) &&
      crv_json_set_text(j, "evidence", r->demand_run ? r->demand_run->ref : NULL) &&
      (!r->capacity_expired || crv_json_set_bool(j, "expired", true)) &&
      (!crv_margin_hidden(r) || crv_json_set_bool(j, "private", true)))
    return crv_steal(&j);
  return NULL;
}

/* What comes from a private piece stays with it; the row keeps its place. */
static bool set_memory(json_t *j, const struct crv_row *r) {
  const struct crv_opt_int hidden = {0, false};
  bool capacity = !r->capacity_private, demand = !r->demand_private;
  return crv_json_set_opt(j, "capacity_lower_bytes", capacity ? r->capacity.lower : hidden) &&
         crv_json_set_opt(j, "capacity_upper_bytes", capacity ? r->capacity.upper : hidden) &&
         crv_json_set_opt(j, "demand_bytes", demand ? r->demand_bytes : hidden) &&
         crv_json_set_opt(j, "margin_bytes", capacity && demand ? r->margin_bytes : hidden) &&
         crv_set_value(j, "margin_from", margin_from_json(r));
}

static int64_t open_points(const struct crv_row *r) {
  int64_t n = 0;
  for (size_t i = 0; i < r->n_findings; i++) n += r->findings[i].verdict == CRV_TO_CONFIRM;
  return n;
}

json_t *crv_row_json(const struct crv_shortlist *s, const struct crv_row *r, bool full) {
  _json_ json_t *j = json_object();
  (void)s;
  if (!j || !set_identity(j, r) || !crv_set_value(j, "pins", pins_json(r->pins, r->n_pins)) ||
      !crv_set_value(j, "before_order", crv_texts_json(&r->before_order)) ||
      !crv_set_value(j, "cost", crv_cost_json(&r->cost)) || !set_memory(j, r) ||
      !set_schedule(j, r) || !crv_json_set_int(j, "preferences_met", (int64_t)r->n_preferences_met))
    return NULL;
  if (r->status != CRV_EXCLUDED && !crv_set_value(j, "decided_by", crv_decided_json(r)))
    return NULL;
  if (!crv_json_set_int(j, "open_points", open_points(r)) ||
      !crv_set_value(j, "criteria", findings_json(r, full)))
    return NULL;
  if (r->n_conditions && !crv_set_value(j, "conditions", conditions_json(r))) return NULL;
  if (!crv_set_value(j, "invalidated_by", crv_texts_json(&r->invalidated_by))) return NULL;
  return crv_steal(&j);
}
