/* A shortlist as the JSON of a decision, without number, times, positions and digests, which belong
   to the record. Rows are shown up to the question's limit, retained first; counts are of all
   offers. Must not know: HTTP, how an answer is stored. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/decide/result.h"

struct crv_shown crv_shown_rows(const struct crv_shortlist *s) {
  size_t limit = s->question->limit ? s->question->limit : 20;
  struct crv_shown n = {s->n_retained < limit ? s->n_retained : limit, 0};
  limit -= n.retained;
  n.preselection = s->n_preselection < limit ? s->n_preselection : limit;
  return n;
}

static json_t *counts_json(const struct crv_shortlist *s) {
  _json_ json_t *j = json_object();
  if (j && crv_json_set_int(j, "retained", (int64_t)s->n_retained) &&
      crv_json_set_int(j, "to_confirm", (int64_t)s->n_preselection) &&
      crv_json_set_int(j, "excluded", (int64_t)s->n_excluded))
    return crv_steal(&j);
  return NULL;
}

/* The preselection's three groups. */
static json_t *outlooks_json(const struct crv_shortlist *s) {
  int64_t n[3] = {0, 0, 0};
  _json_ json_t *j = json_object();
  for (size_t i = 0; i < s->n_preselection; i++) n[s->preselection[i]->outlook]++;
  for (int o = 0; o < 3; o++)
    if (!j || !crv_json_set_int(j, crv_outlook_name((enum crv_outlook)o), n[o])) return NULL;
  return crv_steal(&j);
}

static json_t *shown_json(const struct crv_shortlist *s) {
  struct crv_shown n = crv_shown_rows(s);
  _json_ json_t *j = json_object();
  if (j && crv_json_set_int(j, "retained", (int64_t)n.retained) &&
      crv_json_set_int(j, "preselection", (int64_t)n.preselection))
    return crv_steal(&j);
  return NULL;
}

static json_t *funnel_json(const struct crv_shortlist *s) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < s->n_funnel; i++) {
    const struct crv_funnel_step *step = &s->funnel[i];
    json_t *one = json_object();
    bool ok = one && crv_json_set_text(one, "criterion", crv_criterion_info(step->criterion)->id) &&
              crv_json_set_int(one, "before", step->before) &&
              crv_json_set_int(one, "after", step->after);
    if (!crv_array_add(j, one) || !ok) return NULL;
  }
  return crv_steal(&j);
}

static json_t *rows_json(const struct crv_shortlist *s, struct crv_row *const *rows, size_t n) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < n; i++)
    if (!crv_array_add(j, crv_row_json(s, rows[i], false))) return NULL;
  return crv_steal(&j);
}

/* -- actions and their conditions
 * -------------------------------------------------------------------- */

static json_t *ids_json(const struct crv_action *a) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < a->n_conditions; i++)
    if (!crv_array_add(j, json_string(crv_condition_id(a->conditions[i])))) return NULL;
  return crv_steal(&j);
}

static json_t *action_json(const struct crv_action *a) {
  _json_ json_t *j = json_object();
  if (j && crv_json_set_text(j, "text", a->text) && crv_json_set_text(j, "ask", a->ask) &&
      crv_set_value(j, "conditions", ids_json(a)) && crv_json_set_int(j, "offers", a->offers) &&
      crv_json_set_int(j, "retains", a->retains))
    return crv_steal(&j);
  return NULL;
}

static json_t *actions_json(const struct crv_shortlist *s) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < s->n_actions; i++)
    if (!crv_array_add(j, action_json(&s->actions[i]))) return NULL;
  return crv_steal(&j);
}

/* The conditions that the actions name, so that each id can be read without its row being shown. */
static json_t *conditions_json(const struct crv_shortlist *s) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < s->n_actions; i++)
    for (size_t k = 0; k < s->actions[i].n_conditions; k++)
      if (!crv_array_add(j, crv_condition_json(s->actions[i].conditions[k]))) return NULL;
  return crv_steal(&j);
}

/* -- excluded
 * ---------------------------------------------------------------------------------------- */

static json_t *by_criterion_json(const struct crv_shortlist *s) {
  _json_ json_t *j = json_array();
  for (int c = 0; j && c < CRV_CRIT_COUNT; c++) {
    if (s->excluded_by[c] == 0) continue;
    json_t *one = json_object();
    bool ok = one &&
              crv_json_set_text(one, "criterion", crv_criterion_info((enum crv_criterion)c)->id) &&
              crv_json_set_int(one, "count", s->excluded_by[c]);
    if (!crv_array_add(j, one) || !ok) return NULL;
  }
  return crv_steal(&j);
}

static enum crv_fact_type unit_of(const struct crv_finding *f) {
  for (size_t i = 0; i < f->n_demanded; i++)
    for (size_t k = 0; k < f->n_observed; k++)
      if (f->demanded[i].type == f->observed[k].type && f->demanded[i].type != CRV_FACT_TEXT &&
          f->demanded[i].type != CRV_FACT_BOOL)
        return f->demanded[i].type;
  return CRV_FACT_NULL;
}

/* What is missing, in the unit that its name says. */
static bool set_missing(json_t *j, const struct crv_miss *m) {
  if (!m->missing.set || crv_finding_private(m->finding)) return true;
  switch (unit_of(m->finding)) {
  case CRV_FACT_BYTES:
    return crv_json_set_int(j, "missing_bytes", m->missing.v);
  case CRV_FACT_TIME:
    return crv_json_set_int(j, "missing_ms", m->missing.v);
  case CRV_FACT_DECIMAL:
    if (m->finding->criterion == CRV_CRIT_COST_CEILING &&
        !crv_json_set_text(j, "currency", m->row->cost.currency))
      return false;
    return crv_json_set_money(j, "missing", m->missing.v);
  case CRV_FACT_INT:
    return crv_json_set_int(j, "missing", m->missing.v);
  case CRV_FACT_TEXT:
  case CRV_FACT_BOOL:
  case CRV_FACT_NULL:
  default:
    return true;
  }
}

static json_t *miss_json(const struct crv_miss *m) {
  _json_ json_t *j = json_object();
  if (j && crv_json_set_text(j, "offer", m->row->rec->key) &&
      crv_json_set_text(j, "criterion", crv_criterion_info(m->finding->criterion)->id) &&
      crv_json_set_text(j, "reason", crv_reason_info(m->finding->reason)->code) &&
      crv_json_set_int(j, "exclusions", m->exclusions) &&
      crv_json_set_bool(j, "resolvable", m->finding->resolvable) && set_missing(j, m))
    return crv_steal(&j);
  return NULL;
}

static json_t *excluded_json(const struct crv_shortlist *s) {
  _json_ json_t *nearest = json_array();
  _json_ json_t *j = json_object();
  if (!nearest || !j || !crv_set_value(j, "by_criterion", by_criterion_json(s))) return NULL;
  for (size_t i = 0; i < s->n_nearest; i++)
    if (!crv_array_add(nearest, miss_json(&s->nearest[i]))) return NULL;
  return crv_set_value(j, "nearest", crv_steal(&nearest)) ? crv_steal(&j) : NULL;
}

/* -- what holds only as long as
 * ------------------------------------------------------------------------ */

static bool has_text(const json_t *list, const char *text) {
  size_t i;
  json_t *v;
  json_array_foreach(list, i, v) if (!strcmp(json_string_value(v), text)) return true;
  return false;
}

/* Of the retained rows shown, each once. */
static json_t *invalidated_json(const struct crv_shortlist *s) {
  struct crv_shown shown = crv_shown_rows(s);
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < shown.retained; i++) {
    const struct crv_list *list = &s->retained[i]->invalidated_by;
    for (size_t k = 0; k < list->n; k++) {
      const char *text = *crv_list_at(*list, const char *, k);
      if (!has_text(j, text) && !crv_array_add(j, json_string(text))) return NULL;
    }
  }
  return crv_steal(&j);
}

static json_t *waivers_json(const struct crv_shortlist *s) {
  const char *why = s->question->sheet->quality_waived;
  _json_ json_t *j = json_array();
  if (!j || !why) return crv_steal(&j);
  json_t *one = json_object();
  bool ok = one && crv_json_set_text(one, "criterion", crv_criterion_info(CRV_CRIT_QUALITY)->id) &&
            crv_json_set_text(one, "why", why);
  return crv_array_add(j, one) && ok ? crv_steal(&j) : NULL;
}

json_t *crv_shortlist_json(const struct crv_shortlist *s) {
  struct crv_shown shown = crv_shown_rows(s);
  _json_ json_t *j = json_object();
  if (!j || !crv_json_set_text(j, "headline", s->headline) ||
      !crv_json_set_text(j, "outcome", crv_outcome_name(s->outcome)) ||
      !crv_set_value(j, "counts", counts_json(s)) || !crv_set_value(j, "shown", shown_json(s)) ||
      !crv_set_value(j, "outlook", outlooks_json(s)) ||
      !crv_set_value(j, "funnel", funnel_json(s)) ||
      !crv_set_value(j, "budget", crv_budget_json(s->budget, &s->formats)))
    return NULL;
  if (!crv_set_value(j, "retained", rows_json(s, s->retained, shown.retained)) ||
      !crv_set_value(j, "preselection", rows_json(s, s->preselection, shown.preselection)) ||
      !crv_set_value(j, "actions", actions_json(s)) ||
      !crv_set_value(j, "conditions", conditions_json(s)) ||
      !crv_set_value(j, "assumptions", crv_texts_json(&s->assumptions)) ||
      !crv_set_value(j, "waivers", waivers_json(s)) ||
      !crv_set_value(j, "excluded", excluded_json(s)) || !crv_current_json(s, j) ||
      !crv_set_value(j, "invalidated_by", invalidated_json(s)))
    return NULL;
  return crv_steal(&j);
}
