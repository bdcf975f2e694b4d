/* A reading as the result of a piece: what a run measured, or what a device says of itself. An
   instant stays an instant; a forecast, a stated size and a change are no measurement and stay out.
   Must not know: scopes, verdicts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/measure.h"

enum { PEAKS = 4096, LONGEST_MS = 1000000000 }; /* what a piece takes */

static bool no_memory(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

static enum crv_counter counter_of(enum crv_measure_counter c) {
  static const int counters[] = {
#define X(NAME, name, unit, peak, doc) [CRV_MEASURE_##NAME] = peak,
#include "core/evidence/measure_counters.def"
#undef X
  };
  return (enum crv_counter)counters[c];
}

static const struct crv_measure_fact *fact_at(const struct crv_measure *m, size_t i) {
  return crv_list_at(m->facts, struct crv_measure_fact, i);
}

/* -- a run ----------------------------------------------------------------------------------------
 */

/* Is the fact a figure of a run's memory? Fills p. */
static bool peak_of(const struct crv_measure_fact *f, const struct crv_measure_ask *ask,
                    struct crv_peak *p) {
  *p = (struct crv_peak){.phase = f->phase, .counter = counter_of(f->counter), .bytes = f->bytes};
  bool part = f->item && f->kind != CRV_MEASURE_PEAK; /* of the counter */
  if (!p->counter || f->host || part || !f->bytes.set || f->bytes.v <= 0) return false;
  p->device = f->device.set ? f->device : f->rank;
  if (f->kind == CRV_MEASURE_PEAK) {
    p->kind = CRV_PEAK_PEAK;
  } else if (f->kind == CRV_MEASURE_SAMPLED) {
    p->interval_ms = f->interval_ms.set ? f->interval_ms : ask->interval_ms;
    p->samples = f->samples;
    bool timed = p->interval_ms.set && p->interval_ms.v > 0 && p->interval_ms.v <= LONGEST_MS;
    p->kind = timed ? CRV_PEAK_SAMPLED : CRV_PEAK_INSTANT;
    if (p->kind == CRV_PEAK_INSTANT) p->interval_ms.set = p->samples.set = false;
  } else if (f->kind == CRV_MEASURE_INSTANT) {
    p->kind = CRV_PEAK_INSTANT;
  }
  return p->kind != 0;
}

static bool same_opt(struct crv_opt_int a, struct crv_opt_int b) {
  return a.set == b.set && (!a.set || a.v == b.v);
}

/* The larger of two figures of one counter, device, phase and kind. */
static void merge_peak(struct crv_peak *at, size_t *n, const struct crv_peak *p) {
  for (size_t i = 0; i < *n; i++) {
    struct crv_peak *q = &at[i];
    if (q->counter != p->counter || q->kind != p->kind || !same_opt(q->device, p->device) ||
        !crv_streq(q->phase, p->phase))
      continue;
    if (p->bytes.v > q->bytes.v) *q = *p;
    return;
  }
  if (*n < PEAKS) at[(*n)++] = *p;
}

static bool fill_peaks(const struct crv_measure *m, const struct crv_measure_ask *ask,
                       struct crv_arena *a, struct crv_result *ret) {
  struct crv_peak p, *at = crv_new_array(a, m->facts.n, struct crv_peak);
  size_t n = 0;
  if (!at) return false;
  for (size_t i = 0; i < m->facts.n; i++)
    if (peak_of(fact_at(m, i), ask, &p)) merge_peak(at, &n, &p);
  ret->peaks = (struct crv_list){n, n ? at : NULL};
  return true;
}

static bool fill_pool(const struct crv_measure *m, struct crv_arena *a, struct crv_result *ret) {
  if (!m->pool.bytes.set || !m->pool.tokens.set) return true;
  ret->pool = crv_new(a, struct crv_pool);
  if (!ret->pool) return false;
  *ret->pool = m->pool;
  return true;
}

/* Whole seconds, up; the longest that the text states. */
static void fill_duration(const struct crv_measure *m, struct crv_result *ret) {
  for (size_t i = 0; i < m->facts.n; i++) {
    const struct crv_measure_fact *f = fact_at(m, i);
    if (f->counter != CRV_MEASURE_DURATION || !f->micro.set || f->micro.v <= 0) continue;
    int64_t s = crv_cdiv(f->micro.v, CRV_MICRO);
    if (s <= 1000000000 && (!ret->duration_s.set || s > ret->duration_s.v))
      ret->duration_s = (struct crv_opt_int){s, true};
  }
}

/* The one speed of generation; of several none is taken. */
static void fill_throughput(const struct crv_measure *m, struct crv_result *ret) {
  const struct crv_measure_fact *only = NULL;
  for (size_t i = 0; i < m->facts.n; i++) {
    const struct crv_measure_fact *f = fact_at(m, i);
    if (f->counter != CRV_MEASURE_SPEED_GENERATION || !f->micro.set || f->micro.v < 0) continue;
    if (only || f->kind != CRV_MEASURE_STATED || f->repeats > 1) return;
    only = f;
  }
  if (!only) return;
  ret->throughput = only->micro;
  ret->throughput_unit = "tokens/s";
}

/* -- what the devices declare ---------------------------------------------------------------------
 */

struct declared {
  struct crv_opt_int bytes;
  bool differ;
};

static void take_bytes(struct declared *d, struct crv_opt_int bytes) {
  if (!bytes.set || bytes.v <= 0) return;
  if (d->bytes.set && d->bytes.v != bytes.v) d->differ = true;
  if (!d->bytes.set || bytes.v < d->bytes.v) d->bytes = bytes;
}

/* The declared bytes of the device asked for, or of all; rows whose device nobody knows count too,
   because all must agree. */
static struct declared declared_of(const struct crv_measure *m, struct crv_opt_int device) {
  struct declared d = {.differ = false};
  for (size_t i = 0; i < m->devices.n; i++) {
    const struct crv_measure_device *x = crv_list_at(m->devices, struct crv_measure_device, i);
    if (!device.set || x->index == device.v) take_bytes(&d, x->total_bytes);
  }
  for (size_t i = 0; i < m->facts.n && !device.set; i++) {
    const struct crv_measure_fact *f = fact_at(m, i);
    if (f->counter == CRV_MEASURE_DEVICE_TOTAL && !f->item && !f->device.set)
      take_bytes(&d, f->bytes);
  }
  return d;
}

static bool fill_run(const struct crv_measure *m, const struct crv_measure_ask *ask,
                     struct crv_arena *a, struct crv_result *ret, struct crv_err *err) {
  struct declared d = declared_of(m, ask->device);
  if (!fill_peaks(m, ask, a, ret) || !fill_pool(m, a, ret)) return no_memory(err);
  fill_duration(m, ret);
  fill_throughput(m, ret);
  ret->phases = (struct crv_list){m->phases.n, m->phases.n ? m->phases.at : NULL};
  ret->settings = (struct crv_list){m->settings.n, m->settings.n ? m->settings.at : NULL};
  ret->spilled = m->spilled;
  if (m->free_at_start_bytes.set && m->free_at_start_bytes.v >= 0)
    ret->free_at_start_bytes = m->free_at_start_bytes;
  if (!d.differ) ret->declared_bytes = d.bytes;
  if (ret->peaks.n || ret->pool || ret->throughput.set || ret->duration_s.set) return true;
  return crv_fail_field(err, "", "nothing_to_record", NULL,
                        "The text holds no measurement, pool or speed that a run could state.");
}

/* -- a device -------------------------------------------------------------------------------------
 */

static void agree_tri(enum crv_tri *keep, enum crv_tri v, bool first) {
  if (first)
    *keep = v;
  else if (*keep != v)
    *keep = CRV_UNSET;
}

static bool fill_report(const struct crv_measure *m, const struct crv_measure_ask *ask,
                        struct crv_result *ret, struct crv_err *err) {
  struct declared d = declared_of(m, ask->device);
  bool first = true;
  if (d.differ)
    return crv_fail_field(err, "device", "devices_differ", "device=0",
                          "The devices declare different bytes: a report is of one device model.");
  for (size_t i = 0; i < m->devices.n; i++) {
    const struct crv_measure_device *x = crv_list_at(m->devices, struct crv_measure_device, i);
    if (ask->device.set && x->index != ask->device.v) continue;
    agree_tri(&ret->ecc, x->ecc, first);
    agree_tri(&ret->mig, x->mig, first);
    if (first)
      ret->compute_capability = x->compute_capability;
    else if (!crv_streq(ret->compute_capability, x->compute_capability))
      ret->compute_capability = NULL;
    first = false;
  }
  if (ask->device.set && first)
    return crv_fail_field(err, "device", "not_found", NULL, "No device %" PRId64 " is in the text.",
                          ask->device.v);
  ret->declared_bytes = d.bytes;
  ret->driver = m->driver;
  if (ret->compute_capability && strlen(ret->compute_capability) > 32)
    ret->compute_capability = NULL;
  if (ret->declared_bytes.set || ret->driver || ret->compute_capability || ret->mig) return true;
  return crv_fail_field(err, "", "nothing_to_record", NULL,
                        "The text states neither declared bytes nor driver of a device.");
}

bool crv_measure_result(const struct crv_measure *m, const struct crv_measure_ask *ask,
                        struct crv_arena *a, struct crv_result *ret, struct crv_err *err) {
  memset(ret, 0, sizeof *ret);
  if (ask->kind == CRV_KIND_PROTOCOL_RUN) return fill_run(m, ask, a, ret, err);
  if (ask->kind == CRV_KIND_DEVICE_REPORT) return fill_report(m, ask, ret, err);
  return crv_fail(err, CRV_BAD_PARAMETER,
                  "A measurement is recorded as protocol_run or device_report.");
}
