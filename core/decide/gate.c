/* Gates: what a build asks of a shortlist. A gate never changes it.
   Must not know: earlier decisions. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/result.h"

const struct crv_enum_name crv_gate_names[] = {
    {CRV_GATE_RETAINED, "retained"}, {CRV_GATE_PRESELECTION, "preselection"},
    {CRV_GATE_WORKLOAD, "workload"}, {CRV_GATE_CURRENT, "current"},
    {CRV_GATE_NO_WORSE, "no-worse"}, {0, NULL},
};

static bool carries(const struct crv_row *row) {
  for (size_t i = 0; i < row->n_findings; i++)
    if (crv_criterion_info(row->findings[i].criterion)->workload &&
        row->findings[i].verdict != CRV_ADMISSIBLE)
      return false;
  return true;
}

static bool any_carries(struct crv_row *const *rows, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (carries(rows[i])) return true;
  return false;
}

/* -- the configuration in use ---------------------------------------------------------------------
 */

static bool is_current(const struct crv_row *row, const struct crv_current *cur) {
  if (cur->offer) return !strcmp(row->rec->key, cur->offer);
  return crv_streq(row->device, cur->device) &&
         (!cur->devices.set || cur->devices.v == row->devices) &&
         (!cur->strategy || cur->strategy == row->strategy);
}

static const struct crv_row *find_current(struct crv_row *const *rows, size_t n,
                                          const struct crv_current *cur) {
  for (size_t i = 0; i < n; i++)
    if (is_current(rows[i], cur)) return rows[i];
  return NULL;
}

const struct crv_row *crv_current_row(const struct crv_shortlist *s, bool *ret_named) {
  const struct crv_current *cur = s->question->sheet->current;
  *ret_named = cur && (cur->offer || cur->device);
  if (!*ret_named) return NULL;
  const struct crv_row *row = find_current(s->retained, s->n_retained, cur);
  if (!row) row = find_current(s->preselection, s->n_preselection, cur);
  if (!row) row = find_current(s->excluded, s->n_excluded, cur);
  return row;
}

bool crv_gate_met(const struct crv_shortlist *s, enum crv_gate g) {
  const struct crv_row *row;
  bool named;
  switch (g) {
  case CRV_GATE_RETAINED:
    return s->n_retained > 0;
  case CRV_GATE_PRESELECTION:
    return s->n_retained + s->n_preselection > 0;
  case CRV_GATE_WORKLOAD:
    return s->n_retained > 0 || any_carries(s->preselection, s->n_preselection) ||
           any_carries(s->excluded, s->n_excluded);
  case CRV_GATE_CURRENT:
    row = crv_current_row(s, &named);
    return row && row->status != CRV_EXCLUDED;
  case CRV_GATE_NONE:
  case CRV_GATE_NO_WORSE: /* needs the earlier decision, which the caller has */
  default:
    return true;
  }
}
