/* Preferences only order offers that are equal in cost, margin and schedule: one bit each, the
   first preference highest. They never change a status. Must not know: verdicts. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/decide/eval.h"

static bool prefers(struct crv_case *c, const struct crv_preference *p) {
  const char *text = p->equals ? p->equals : p->at_least ? p->at_least : p->at_most;
  const struct crv_jfield *field = crv_offer_field(p->field);
  struct crv_value have, want;
  struct crv_err err;
  crv_err_init(&err);
  if (!text || !field || !crv_offer_states(c, c->offer, p->field, &have)) return false;
  _json_ json_t *j = crv_json_parse_stored(text, strlen(text), &err);
  if (!j || !crv_jspec_value_parse(field, j, "", c->ev->a, &want, &err) || !want.set) return false;
  int order = crv_value_cmp(&have, &want);
  return p->equals ? order == 0 : p->at_least ? order >= 0 : order <= 0;
}

void crv_preferences_make(struct crv_case *c) {
  const struct crv_list *list = &c->ev->q->sheet->preferences;
  for (size_t i = 0; i < list->n && i < 64; i++)
    if (prefers(c, crv_list_at(*list, struct crv_preference, i))) {
      c->row->preferences |= UINT64_C(1) << (63 - i);
      c->row->n_preferences_met++;
    }
}
