/* The parts that rows and shortlist share in their JSON: conditions, references, cost, what decided
   a place. Every function gives a new object, or NULL when memory ends. Must not know: HTTP, how an
   answer is stored. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/decide/result.h"

bool crv_array_add(json_t *array, json_t *v) {
  return v && json_array_append_new(array, v) == 0;
}

bool crv_set_value(json_t *object, const char *key, json_t *v) {
  return v && json_object_set_new(object, key, v) == 0;
}

json_t *crv_refs_json(const struct crv_piece_rec *const *recs, size_t n) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < n; i++)
    if (!crv_array_add(j, json_string(recs[i]->ref))) return NULL;
  return crv_steal(&j);
}

json_t *crv_texts_json(const struct crv_list *texts) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < texts->n; i++)
    if (!crv_array_add(j, json_string(*crv_list_at(*texts, const char *, i)))) return NULL;
  return crv_steal(&j);
}

/* "protocol_run failure_report" as a list. */
static json_t *words_json(const char *words) {
  _json_ json_t *j = json_array();
  while (j && *words) {
    size_t n = strcspn(words, " ");
    if (n && !crv_array_add(j, json_stringn(words, n))) return NULL;
    words += n + (words[n] == ' ');
  }
  return crv_steal(&j);
}

json_t *crv_condition_json(const struct crv_condition *c) {
  const struct crv_condition_info *info = crv_condition_info(c->code);
  _json_ json_t *j = json_object();
  const char *id = crv_condition_id(c), *text = crv_condition_text(c);
  if (j && id && text && crv_json_set_text(j, "id", id) &&
      crv_json_set_text(j, "code", info->code) && crv_json_set_text(j, "ask", info->ask) &&
      crv_set_value(j, "params", crv_fact_json(c->params, c->n_params)) &&
      crv_set_value(j, "settled_by", words_json(c->settled_by ? c->settled_by : "")) &&
      crv_json_set_text(j, "text", text) && crv_json_set_int(j, "offers", c->offers))
    return crv_steal(&j);
  return NULL;
}

/* -- cost
 * ------------------------------------------------------------------------------------------- */

static bool set_money(json_t *j, const char *key, struct crv_opt_int micro) {
  if (micro.set) return crv_json_set_money(j, key, micro.v);
  return crv_set_value(j, key, json_null());
}

static json_t *item_json(const struct crv_cost_item *it) {
  _json_ json_t *j = json_object();
  if (j && crv_json_set_text(j, "item", it->item) && set_money(j, "unit", it->unit) &&
      crv_json_set_int(j, "times", it->times) && set_money(j, "amount", it->amount))
    return crv_steal(&j);
  return NULL;
}

static json_t *items_json(const struct crv_list *items) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < items->n; i++)
    if (!crv_array_add(j, item_json(crv_list_at(*items, struct crv_cost_item, i)))) return NULL;
  return crv_steal(&j);
}

/* Both amounts and the rate between them. A private rate shows its key alone. */
static bool set_conversion(json_t *j, const struct crv_cost *k) {
  if (!k->original_currency) return true;
  if (!set_money(j, "original_amount", k->original) ||
      !crv_json_set_text(j, "original_currency", k->original_currency))
    return false;
  if (!k->rate) return true;
  json_t *rate = json_object();
  bool ok = rate && crv_json_set_text(rate, "evidence", k->rate->ref) &&
            crv_json_set_bool(rate, "inverse", k->rate_inverse) &&
            crv_json_set_bool(rate, "expired", k->rate_expired);
  if (ok && k->rate->piece->is_private != CRV_TRUE)
    ok = crv_json_set_decimal(rate, "rate", k->rate->piece->result->rate.v);
  return crv_set_value(j, "rate", rate) && ok;
}

static struct crv_opt_int count(int64_t n) {
  return (struct crv_opt_int){n, n > 0};
}

json_t *crv_cost_json(const struct crv_cost *k) {
  _json_ json_t *j = json_object();
  bool ok = j && set_money(j, "amount", k->amount) &&
            crv_set_value(j, "currency", k->currency ? json_string(k->currency) : json_null()) &&
            crv_json_set_text(j, "covers", k->no_campaign ? "one_period" : "campaign") &&
            crv_json_set_opt(j, "lots", count(k->lots)) &&
            crv_json_set_opt(j, "periods", count(k->periods)) &&
            crv_json_set_opt(j, "period_hours", k->period_hours) &&
            crv_json_set_opt(j, "paid_hours", k->paid_hours) &&
            crv_json_set_opt(j, "used_hours", k->used_hours) &&
            crv_json_set_int(j, "idle_devices", k->idle_devices) && set_conversion(j, k) &&
            crv_set_value(j, "items", items_json(&k->items)) &&
            crv_set_value(j, "unknown", crv_texts_json(&k->unknown));
  if (ok && k->periods != k->periods_least)
    ok = crv_json_set_int(j, "periods_least", k->periods_least);
  return ok ? crv_steal(&j) : NULL;
}

/* -- what decided a place
 * ---------------------------------------------------------------------------- */

static bool set_difference(json_t *j, const struct crv_row *r) {
  bool money = r->decided_key == CRV_KEY_COST;
  const char *unit = money                                ? r->cost.currency
                     : r->decided_key == CRV_KEY_MARGIN   ? "bytes"
                     : r->decided_key == CRV_KEY_SCHEDULE ? "ms"
                                                          : NULL;
  bool ok = money ? set_money(j, "difference", r->difference)
                  : crv_json_set_opt(j, "difference", r->difference);
  return ok && crv_set_value(j, "unit", unit ? json_string(unit) : json_null());
}

json_t *crv_decided_json(const struct crv_row *r) {
  if (r->decided_key == CRV_KEY_NONE) return json_null();
  _json_ json_t *j = json_object();
  if (j && crv_json_set_text(j, "key", crv_key_names[r->decided_key]) && set_difference(j, r) &&
      crv_json_set_text(j, "over", r->decided_over))
    return crv_steal(&j);
  return NULL;
}
