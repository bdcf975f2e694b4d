/* sheet.*_missing: what the task needs and the sheet lacks, the same for every offer.
   Must not know: offers. */
#include "core/decide/eval.h"

void crv_crit_sheet(struct crv_case *c) {
  for (size_t i = 0; i < c->ev->n_missing; i++) {
    const struct crv_missing *m = &c->ev->missing[i];
    struct crv_finding *f = crv_find(c, CRV_CRIT_SHEET, CRV_TO_CONFIRM, CRV_REASON_FIELD_MISSING);
    f->subject = m->field;
    struct crv_fact p[] = {crv_f_text("field", m->field), crv_f_text("why", m->why)};
    crv_find_condition(f, crv_cond(c->ev, CRV_COND_SHEET_FIELD, p, 2, "sheet"));
  }
}
