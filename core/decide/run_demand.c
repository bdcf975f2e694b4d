/* What one passing run says of the memory that the load needs on each device: the widest counter,
   every phase and device covered, the engine's pool taken out and the needed part of it put back.
   Must not know: capacities (but for pool-filling engines that state no pool), verdicts. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

static bool device_level(enum crv_counter k) {
  return k == CRV_COUNTER_DEVICE_USED || k == CRV_COUNTER_PLATFORM_USED;
}

static bool is_peak(const struct crv_peak *p) {
  return p->bytes.set && (p->kind == CRV_PEAK_PEAK || p->kind == CRV_PEAK_SAMPLED);
}

static const struct crv_peak *peak_at(const struct crv_result *r, size_t i) {
  return crv_list_at(r->peaks, struct crv_peak, i);
}

/* device.used decides; platform.used only where that is missing. 0: none at device level. */
static enum crv_counter widest(const struct crv_result *r) {
  enum crv_counter best = (enum crv_counter)0;
  for (size_t i = 0; i < r->peaks.n; i++) {
    const struct crv_peak *p = peak_at(r, i);
    if (!is_peak(p) || !device_level(p->counter)) continue;
    if (p->counter == CRV_COUNTER_DEVICE_USED) return CRV_COUNTER_DEVICE_USED;
    best = p->counter;
  }
  return best;
}

static enum crv_reason why_none(const struct crv_result *r) {
  enum crv_reason why = CRV_REASON_NO_EVIDENCE;
  for (size_t i = 0; i < r->peaks.n; i++) {
    const struct crv_peak *p = peak_at(r, i);
    if (is_peak(p)) return CRV_REASON_COUNTER_TOO_NARROW;
    if (p->kind == CRV_PEAK_INSTANT) why = CRV_REASON_SNAPSHOT_ONLY;
  }
  return why;
}

static bool executed_phase(const struct crv_result *r, const char *phase) {
  for (size_t i = 0; i < r->phases.n; i++)
    if (!strcmp(*crv_list_at(r->phases, const char *, i), phase)) return true;
  return false;
}

/* Does the figure cover this phase? A whole-run maximum covers every phase that the run lists as
   executed. */
static bool covers(const struct crv_result *r, const struct crv_peak *p, enum crv_counter k,
                   const char *phase) {
  if (!is_peak(p) || p->counter != k) return false;
  return p->phase ? !strcmp(p->phase, phase) : executed_phase(r, phase);
}

static bool seen_before(const struct crv_result *r, size_t i, enum crv_counter k,
                        const char *phase) {
  for (size_t j = 0; j < i; j++) {
    const struct crv_peak *p = peak_at(r, j);
    if (covers(r, p, k, phase) && p->device.v == peak_at(r, i)->device.v) return true;
  }
  return false;
}

/* Devices of which a figure covers the phase, by their indexes, wherever those begin. A figure
   without an index is the largest of all devices. */
static int64_t devices_covered(const struct crv_result *r, enum crv_counter k, const char *phase,
                               int64_t devices) {
  int64_t n = 0;
  for (size_t i = 0; i < r->peaks.n; i++) {
    const struct crv_peak *p = peak_at(r, i);
    if (!covers(r, p, k, phase)) continue;
    if (!p->device.set) return devices;
    if (devices == 1) return 1;
    if (!seen_before(r, i, k, phase)) n++;
  }
  return n;
}

static void check_coverage(const struct crv_case *c, const struct crv_result *r,
                           struct crv_run_demand *ret) {
  const char *phases[8];
  size_t n = crv_sheet_phases(c->ev->q->sheet, phases);
  for (size_t i = 0; i < n; i++) {
    int64_t covered = devices_covered(r, ret->counter, phases[i], c->demand.devices);
    if (covered >= c->demand.devices) continue;
    ret->why_not = covered ? CRV_REASON_DEVICE_MISSING : CRV_REASON_PHASE_MISSING;
    ret->detail = phases[i];
    return;
  }
}

static void largest(const struct crv_result *r, struct crv_run_demand *ret) {
  for (size_t i = 0; i < r->peaks.n; i++) {
    const struct crv_peak *p = peak_at(r, i);
    if (!is_peak(p) || p->counter != ret->counter) continue;
    if (!p->phase) ret->not_separated = true;
    if (p->kind == CRV_PEAK_SAMPLED) ret->sampled = true;
    if (!ret->bytes.set || p->bytes.v > ret->bytes.v) ret->bytes = p->bytes;
  }
}

/* -- pools --------------------------------------------------------------------------------------
 */

/* Engines that fill device memory by policy (domain.md, "Pools"). */
static const char *const filling[] = {"vllm", "sglang", "tensorrt-llm", "trt-llm", "jax"};

static const char *engine_of(const struct crv_piece *p) {
  const struct crv_scope *s = p->scope;
  if (s->engine) return s->engine;
  if (s->execution && s->execution->engine) return s->execution->engine;
  return s->runtime;
}

static bool fills_by_policy(const struct crv_piece *p) {
  const char *e = engine_of(p);
  for (size_t i = 0; e && i < sizeof filling / sizeof *filling; i++) {
    size_t n = strlen(filling[i]);
    if (!strncmp(e, filling[i], n) && (e[n] == '\0' || e[n] == ' ')) return true;
  }
  return false;
}

static struct crv_opt_int needed_tokens(const struct crv_demand *d) {
  struct crv_opt_int need = {0, false};
  if (d->length.set && d->concurrency.set)
    need.set = crv_mul(d->length.v, d->concurrency.v, &need.v);
  return need;
}

/* demand = device.used - pool + ceil(pool bytes * needed tokens / pool tokens) */
static void compose(const struct crv_case *c, const struct crv_pool *pool,
                    struct crv_run_demand *ret) {
  struct crv_opt_int need = needed_tokens(&c->demand);
  int64_t part;
  if (!need.set || pool->tokens.v <= 0 || pool->bytes.v > ret->bytes.v) {
    ret->why_not = CRV_REASON_POOL_UNKNOWN;
    return;
  }
  if (pool->tokens.v < need.v) {
    ret->why_not = CRV_REASON_POOL_SHORT;
    return;
  }
  if (!crv_muldiv(pool->bytes.v, need.v, pool->tokens.v, true, &part)) {
    ret->why_not = CRV_REASON_OVERFLOW;
    return;
  }
  ret->bytes.v = ret->bytes.v - pool->bytes.v + part;
  ret->composed = true;
}

void crv_run_demand(const struct crv_case *c, const struct crv_piece_rec *rec,
                    struct crv_run_demand *ret) {
  const struct crv_result *r = rec->piece->result;
  *ret = (struct crv_run_demand){.why_not = CRV_REASON_SATISFIED};
  ret->counter = widest(r);
  if (!ret->counter) {
    ret->why_not = why_none(r);
    return;
  }
  largest(r, ret);
  check_coverage(c, r, ret);
  if (ret->why_not != CRV_REASON_SATISFIED) return;
  if (r->pool && r->pool->bytes.set && r->pool->tokens.set)
    compose(c, r->pool, ret);
  else if (r->pool || fills_by_policy(rec->piece))
    ret->only_same_or_larger = true;
}
