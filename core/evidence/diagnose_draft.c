/* The draft of a failure report: it claims what the text shows and, marked as taken from there,
   what the sheet says of the job. Dimensions that the text shows were executed stand in
   result.executed; the sheet's stand in the scope. A cause that the figures do not prove is
   undetermined. Must not know: advice, offers. */
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/diagnose_internal.h"

enum { MAX_NAMES = 24, MAX_PEAKS = 8 };

struct draft {
  struct crv_dx *d;
  struct crv_scope *scope;
  struct crv_result *result;
  const char **from_sheet, **missing;
  size_t n_from, n_missing;
};

static void from(struct draft *w, const char *name) {
  if (w->n_from < MAX_NAMES) w->from_sheet[w->n_from++] = name;
}

static void lacks(struct draft *w, const char *name) {
  if (w->n_missing < MAX_NAMES) w->missing[w->n_missing++] = name;
}

static void take_int(struct draft *w, struct crv_opt_int *into, struct crv_opt_int v,
                     const char *name) {
  if (!v.set) return;
  *into = v;
  from(w, name);
}

/* -- scope
 * -----------------------------------------------------------------------------------------
 */

static bool scope_model(struct draft *w, const char *name, const char *revision,
                        const char *fingerprint) {
  struct crv_scope_model *m = crv_new(w->d->a, struct crv_scope_model);
  if (!m) return crv_dx_no_memory(w->d);
  *m = (struct crv_scope_model){name, revision, fingerprint};
  w->scope->model = m;
  return true;
}

static void sheet_settings(struct draft *w) {
  const struct crv_sheet *s = w->d->in->sheet;
  struct crv_scope *scope = w->scope;
  if (s->precision) {
    scope->precision = s->precision;
    from(w, "scope.precision");
  }
  if (s->adaptation) {
    scope->adaptation = s->adaptation;
    from(w, "scope.adaptation");
    take_int(w, &scope->rank, s->adaptation->rank, "scope.rank");
  }
  if (s->execution) {
    scope->execution = s->execution;
    from(w, "scope.execution");
  }
}

static void sheet_dimensions(struct draft *w) {
  const struct crv_sheet *s = w->d->in->sheet;
  struct crv_scope *scope = w->scope;
  take_int(w, &scope->length, crv_sheet_length(s), "scope.length");
  take_int(w, &scope->concurrency, s->concurrency, "scope.concurrency");
  take_int(w, &scope->microbatch, s->microbatch, "scope.microbatch");
  take_int(w, &scope->accumulation, s->accumulation, "scope.accumulation");
}

static void sheet_placement(struct draft *w) {
  const struct crv_sheet *s = w->d->in->sheet;
  if (s->placement.n != 1) return;
  const struct crv_placement *p = crv_list_at(s->placement, struct crv_placement, 0);
  if (!w->scope->devices.set) take_int(w, &w->scope->devices, p->devices, "scope.devices");
  bool single = p->strategy == CRV_STRATEGY_SINGLE && w->scope->devices.v > 1;
  if (!p->strategy || single) return;
  w->scope->strategy = p->strategy;
  from(w, "scope.strategy");
}

static bool sheet_scope(struct draft *w) {
  const struct crv_sheet *s = w->d->in->sheet;
  if (s->task) {
    w->scope->task = s->task;
    from(w, "scope.task");
  }
  if (s->model) {
    if (!scope_model(w, s->model->name, s->model->revision, s->model->fingerprint)) return false;
    from(w, "scope.model");
  }
  if (s->scene) {
    w->scope->application = s->scene->application;
    w->scope->application_version = s->scene->version;
    from(w, "scope.application");
  }
  sheet_settings(w);
  sheet_dimensions(w);
  sheet_placement(w);
  return true;
}

static bool text_scope(struct draft *w) {
  struct crv_dx *d = w->d;
  const char *engine = d->ret->engine, *version = d->ret->engine_version;
  if (engine && version) w->scope->engine = crv_dx_text(d, "%s %s", engine, version);
  if (d->job.model && !w->scope->model) return scope_model(w, d->job.model, NULL, NULL);
  return !d->failed;
}

static bool make_scope(struct draft *w) {
  const struct crv_diagnose_in *in = w->d->in;
  w->scope->device = in->device;
  w->scope->devices = in->devices;
  if (in->sheet && !sheet_scope(w)) return false;
  if (!text_scope(w)) return false;
  if (!in->device) lacks(w, "scope.device");
  bool named = (w->scope->model && w->scope->model->name) || w->scope->application;
  if (!named) lacks(w, "scope.model.name");
  if (!w->scope->devices.set) lacks(w, "scope.devices");
  return true;
}

/* -- result
 * ----------------------------------------------------------------------------------------
 */

static struct crv_opt_int fact(const struct crv_dx *d, enum crv_dx_fact_id id) {
  return (struct crv_opt_int){d->fact[id].v, d->fact[id].set && d->fact[id].v > 0};
}

static bool make_executed(struct draft *w) {
  struct crv_dx *d = w->d;
  struct crv_executed e = {.microbatch = fact(d, CRV_DN_MICROBATCH)};
  const struct crv_opt_int one = {1, true};
  if (d->cause == CRV_DC_SAMPLER) e.concurrency = fact(d, CRV_DN_DUMMY_REQUESTS);
  if (d->cause == CRV_DC_KV_SLOTS) {
    e.length = fact(d, CRV_DN_CONTEXT_PER_SEQUENCE);
    e.concurrency = crv_dx_derived(d, "parallel_slots");
  }
  if (d->cause == CRV_DC_KV_LENGTH) {
    e.length = fact(d, CRV_DN_LENGTH_WANTED);
    e.concurrency = one;
  }
  if (!e.microbatch.set && !e.concurrency.set && !e.length.set) return true;
  w->result->executed = crv_new(d->a, struct crv_executed);
  if (!w->result->executed) return crv_dx_no_memory(d);
  *w->result->executed = e;
  return true;
}

/* Held at the moment of failure: a reading, never a peak. */
static bool make_readings(struct draft *w) {
  struct crv_dx *d = w->d;
  struct crv_peak *at = crv_new_array(d->a, MAX_PEAKS, struct crv_peak);
  size_t n = 0;
  if (!at) return crv_dx_no_memory(d);
  for (size_t i = 0; i < d->ret->figures.n && n < MAX_PEAKS; i++) {
    const struct crv_diag_figure *f = crv_list_at(d->ret->figures, struct crv_diag_figure, i);
    bool counted = f->counter && f->counter != CRV_COUNTER_ENGINE_DECLARED;
    /* of several processes the message does not always say which is the job's */
    if (f->counter == CRV_COUNTER_PROCESS_USED && crv_dx_derived(d, "other_processes").set)
      continue;
    if (f->message != 1 || !counted || !f->bytes.set || f->bytes.v <= 0) continue;
    at[n++] = (struct crv_peak){
        .device = f->device, .counter = f->counter, .kind = CRV_PEAK_INSTANT, .bytes = f->bytes};
  }
  w->result->peaks = (struct crv_list){n, n ? at : NULL};
  return true;
}

static bool make_settings(struct draft *w) {
  struct crv_dx *d = w->d;
  const char *engine = d->ret->engine;
  char text[32];
  bool vllm = crv_streq(engine, "vllm");
  if (!d->fact[CRV_DN_FRACTION].set || (!vllm && !crv_streq(engine, "sglang"))) return true;
  struct crv_pair *p = crv_new(d->a, struct crv_pair);
  const char *value =
      crv_arena_strdup(d->a, crv_decimal_text(d->fact[CRV_DN_FRACTION].v, text, sizeof text));
  if (!p || !value) return crv_dx_no_memory(d);
  *p = (struct crv_pair){.name = vllm ? "gpu_memory_utilization" : "mem_fraction_static",
                         .value = value,
                         .type = CRV_PAIR_DECIMAL};
  w->result->settings = (struct crv_list){1, p};
  return true;
}

static bool make_result(struct draft *w) {
  struct crv_result *r = w->result;
  r->outcome = CRV_OUTCOME_FAILED;
  r->cause = crv_dx_draft_cause(w->d);
  r->phase = w->d->ret->phase;
  return make_executed(w) && make_readings(w) && make_settings(w);
}

bool crv_dx_draft(struct crv_dx *d) {
  struct crv_piece *p = crv_new(d->a, struct crv_piece);
  struct draft w = {
      .d = d,
      .scope = crv_new(d->a, struct crv_scope),
      .result = crv_new(d->a, struct crv_result),
      .from_sheet = crv_new_array(d->a, MAX_NAMES, const char *),
      .missing = crv_new_array(d->a, MAX_NAMES, const char *),
  };
  if (d->flag[CRV_DG_NO_FAILURE_FOUND]) return true;
  if (!p || !w.scope || !w.result || !w.from_sheet || !w.missing) return crv_dx_no_memory(d);
  if (!make_scope(&w) || !make_result(&w)) return false;
  lacks(&w, "observed_at");
  *p = (struct crv_piece){
      .kind = CRV_KIND_FAILURE_REPORT,
      .scope = w.scope,
      .result = w.result,
      .note = crv_dx_text(d, "Drafted from the text of an error, to be confirmed. %s",
                          d->ret->cause_says),
  };
  d->ret->draft = p;
  d->ret->draft_from_sheet = (struct crv_list){w.n_from, w.from_sheet};
  d->ret->draft_missing = (struct crv_list){w.n_missing, w.missing};
  return !d->failed;
}
