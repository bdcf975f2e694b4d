/* What is odd about the figures, and whose memory it was. Nothing is corrected.
   Must not know: advice. */
#include <string.h>

#include "core/evidence/diagnose_internal.h"

static const struct crv_diag_flag flags[CRV_DG_COUNT] = {
#define X(ID, code, says) [CRV_DG_##ID] = {code, says},
#include "core/evidence/flags.def"
#undef X
};

bool crv_diag_flag_row(size_t i, const char **code, const char **says) {
  if (i >= CRV_DG_COUNT) return false;
  *code = flags[i].code;
  *says = flags[i].says;
  return true;
}

static struct crv_opt_int of(const struct crv_dx_message *m, enum crv_dx_figure_id id,
                             int64_t *slack) {
  for (size_t i = 0; i < m->n; i++) {
    if (m->at[i].id != id) continue;
    *slack += m->at[i].half_step;
    return m->at[i].bytes;
  }
  return (struct crv_opt_int){0, false};
}

static bool exceeds(struct crv_opt_int a, struct crv_opt_int b, int64_t slack) {
  return a.set && b.set && a.v > b.v + slack;
}

static void check_message(struct crv_dx *d, const struct crv_dx_message *m) {
  int64_t slack = 0;
  struct crv_opt_int total = of(m, CRV_DF_CAPACITY, &slack), left = of(m, CRV_DF_FREE, &slack);
  struct crv_opt_int want = of(m, CRV_DF_REQUESTED, &slack);
  struct crv_opt_int a = of(m, CRV_DF_ALLOCATED, &slack), r = of(m, CRV_DF_RESERVED, &slack);
  bool *f = d->flag;
  f[CRV_DG_NO_FREE_MEMORY] |= left.set && left.v == 0;
  f[CRV_DG_REQUEST_ABOVE_CAPACITY] |= exceeds(want, total, 0);
  f[CRV_DG_REQUEST_BELOW_FREE] |= want.set && left.set && left.v >= want.v && left.v > 0;
  f[CRV_DG_ALLOCATED_ABOVE_CAPACITY] |= exceeds(a, total, slack) || exceeds(r, total, slack);
  f[CRV_DG_FREE_ABOVE_CAPACITY] |= exceeds(left, total, slack);
  f[CRV_DG_MESSAGE_TRUNCATED] |= m->opened && !m->closed;
  f[CRV_DG_REPEATED_MESSAGE] |= m->times > 1;
  struct crv_opt_int held = r.set ? r : a;
  if (held.set && left.set) {
    held.v += left.v;
    f[CRV_DG_SUM_ABOVE_CAPACITY] |= total.set && exceeds(held, total, slack + total.v / 100);
  }
}

static void check_devices(struct crv_dx *d) {
  for (size_t i = 1; i < d->n_msg; i++)
    if (d->msg[i].device.set && d->msg[0].device.set && d->msg[i].device.v != d->msg[0].device.v)
      d->flag[CRV_DG_SEVERAL_DEVICES] = true;
  struct crv_opt_int first = {0, false};
  for (size_t i = 0; i < d->n_log; i++) {
    if (!d->log[i].device.set) continue;
    if (first.set && first.v != d->log[i].device.v) d->flag[CRV_DG_SEVERAL_DEVICES] = true;
    first = d->log[i].device;
  }
}

static void check_outside(struct crv_dx *d) {
  struct crv_opt_int rest = crv_dx_derived(d, "not_in_this_process");
  struct crv_opt_int total = crv_dx_bytes(d, CRV_DF_CAPACITY);
  if (!rest.set) rest = crv_dx_derived(d, "not_in_this_allocator");
  d->flag[CRV_DG_OTHER_MEMORY] |=
      rest.set && total.set && (rest.v >= 2 * CRV_GIB || rest.v > total.v / 4);
  d->flag[CRV_DG_OTHER_PROCESSES] |= crv_dx_derived(d, "other_processes").set;
}

static void whose_memory(struct crv_dx *d) {
  const struct crv_dx_mark *m = d->mark;
  struct crv_diagnosis *ret = d->ret;
  bool request = crv_dx_figure(d, CRV_DF_REQUESTED) != NULL;
  ret->memory = "none";
  ret->gpu_oom = CRV_FALSE;
  if (m[CRV_DE_DEVICE].set || (request && !m[CRV_DE_HOST].set)) {
    ret->memory = d->trait[CRV_DT_UNIFIED] ? "unified" : "device";
    ret->gpu_oom = CRV_TRUE;
  } else if (m[CRV_DE_BUDGET].set) {
    ret->memory = "engine_budget";
  } else if (m[CRV_DE_KILLED].set || m[CRV_DE_HOST].set) {
    ret->memory = "host";
  } else if (m[CRV_DE_WEAK].set) {
    ret->memory = "unknown";
    ret->gpu_oom = CRV_UNSET;
  }
  bool failure = m[CRV_DE_BUDGET].set || m[CRV_DE_KILLED].set || m[CRV_DE_HOST].set ||
                 m[CRV_DE_ELSE].set || m[CRV_DE_WEAK].set || ret->gpu_oom == CRV_TRUE;
  d->flag[CRV_DG_NO_FAILURE_FOUND] = !failure;
  d->flag[CRV_DG_NOT_A_DEVICE_FAILURE] = failure && ret->gpu_oom == CRV_FALSE;
  d->flag[CRV_DG_HOST_KILL_TOO] = ret->gpu_oom == CRV_TRUE && m[CRV_DE_KILLED].set;
  d->flag[CRV_DG_NO_FIGURES] = failure && d->n_msg == 0 && d->n_log == 0;
}

void crv_dx_flags(struct crv_dx *d) {
  struct crv_opt_int limit = crv_dx_bytes(d, CRV_DF_MAX_ALLOWED);
  for (size_t i = 0; i < d->n_msg; i++) check_message(d, &d->msg[i]);
  check_devices(d);
  check_outside(d);
  whose_memory(d);
  d->flag[CRV_DG_LIMIT_IS_POLICY] = limit.set;
  d->flag[CRV_DG_UNIFIED_MEMORY] = d->trait[CRV_DT_UNIFIED];
  d->flag[CRV_DG_MORE_MESSAGES] = d->more_messages;
  d->flag[CRV_DG_SUM_INCOMPLETE] =
      crv_dx_figure(d, CRV_DF_WEIGHTS_BUFFER) && !crv_dx_figure(d, CRV_DF_COMPUTE_BUFFER);
  size_t n = 0;
  struct crv_diag_flag *at = crv_new_array(d->a, CRV_DG_COUNT, struct crv_diag_flag);
  if (!at) {
    crv_dx_no_memory(d);
    return;
  }
  for (size_t i = 0; i < CRV_DG_COUNT; i++)
    if (d->flag[i]) at[n++] = flags[i];
  d->ret->flags = (struct crv_list){n, at};
}
