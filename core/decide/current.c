/* The configuration in use beside each offer of the answer: what a change would cost and leave.
   Must not know: whether the change is wise. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/decide/result.h"

static const char *status_text(const struct crv_row *r) {
  return r ? crv_verdict_name(r->status) : "absent";
}

/* a - b where both are known. */
static struct crv_opt_int minus(struct crv_opt_int a, struct crv_opt_int b) {
  struct crv_opt_int d = {0, a.set && b.set};
  if (d.set && __builtin_sub_overflow(a.v, b.v, &d.v)) d = (struct crv_opt_int){0, false};
  return d;
}

/* Money of two currencies has no difference without a rate. */
static struct crv_opt_int cost_difference(const struct crv_row *r, const struct crv_row *cur) {
  if (!cur || !crv_streq(r->cost.currency, cur->cost.currency))
    return (struct crv_opt_int){0, false};
  return minus(r->cost.amount, cur->cost.amount);
}

static bool set_money(json_t *j, const char *key, struct crv_opt_int v) {
  if (v.set) return crv_json_set_money(j, key, v.v);
  return crv_set_value(j, key, json_null());
}

static json_t *beside(const struct crv_row *r, const struct crv_row *cur) {
  struct crv_opt_int none = {0, false};
  _json_ json_t *j = json_object();
  if (j && crv_json_set_text(j, "offer", r->rec->key) &&
      crv_json_set_text(j, "status", status_text(r)) &&
      crv_json_set_text(j, "outlook", crv_outlook_name(r->outlook)) &&
      set_money(j, "cost_difference", cost_difference(r, cur)) &&
      crv_json_set_text(j, "currency", r->cost.currency) &&
      crv_json_set_opt(j, "margin_difference_bytes",
                       cur && !crv_margin_hidden(r) && !crv_margin_hidden(cur)
                           ? minus(r->margin_bytes, cur->margin_bytes)
                           : none) &&
      crv_json_set_int(j, "conditions", (int64_t)r->n_conditions))
    return crv_steal(&j);
  return NULL;
}

static bool add_beside(json_t *list, struct crv_row *const *rows, size_t n,
                       const struct crv_row *cur) {
  for (size_t i = 0; i < n; i++)
    if (rows[i] != cur && !crv_array_add(list, beside(rows[i], cur))) return false;
  return true;
}

static json_t *current_json(const struct crv_current *cur, const struct crv_row *row) {
  _json_ json_t *j = json_object();
  struct crv_opt_int none = {0, false};
  const char *key = row ? row->rec->key : cur->offer;
  if (j && crv_json_set_text(j, "offer", key) && crv_json_set_text(j, "device", cur->device) &&
      crv_json_set_text(j, "status", status_text(row)) &&
      set_money(j, "amount", row ? row->cost.amount : none) &&
      crv_json_set_text(j, "currency", row ? row->cost.currency : NULL) &&
      crv_json_set_opt(j, "margin_bytes",
                       row && !crv_margin_hidden(row) ? row->margin_bytes : none))
    return crv_steal(&j);
  return NULL;
}

bool crv_current_json(const struct crv_shortlist *s, json_t *out) {
  bool named;
  const struct crv_row *cur = crv_current_row(s, &named);
  struct crv_shown shown = crv_shown_rows(s);
  json_t *list = json_array();
  bool ok = list != NULL;
  if (named) {
    ok = ok && add_beside(list, s->retained, shown.retained, cur) &&
         add_beside(list, s->preselection, shown.preselection, cur) &&
         crv_set_value(out, "current", current_json(s->question->sheet->current, cur));
  }
  return crv_set_value(out, "alternatives", list) && ok;
}
