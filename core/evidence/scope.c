/* Does a piece cover what an offer is asked? Matched per criterion, on that criterion's dimensions
   only. What the sheet names and the piece leaves out is unknown, hence not covered; "*" is a claim
   by the piece's author; what the piece states beyond the sheet never hides it.
   Must not know: verdicts. */
#include <ctype.h>
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/evidence.h"
#include "core/memory/budget.h"

struct match {
  const struct crv_piece *p;
  const struct crv_scope *s;
  const struct crv_sheet *sheet;
  const struct crv_demand *d;
  const char *dim; /* the first dimension that doesn't match */
  bool omitted;
};

static bool is_star(const char *s) {
  return s && s[0] == '*' && s[1] == '\0';
}

static bool no(struct match *m, const char *dim, bool omitted) {
  m->dim = dim;
  m->omitted = omitted;
  return false;
}

typedef bool same_fn(const char *wanted, const char *stated);

static bool same_text(const char *wanted, const char *stated) {
  return !strcmp(wanted, stated);
}

/* "float16" is "fp16". */
static bool same_format(const char *wanted, const char *stated) {
  const struct crv_weight_format *a = crv_weight_format(wanted), *b = crv_weight_format(stated);
  return !strcmp(wanted, stated) || (a && a == b);
}

/* "vllm" is met by "vllm 0.17.0", "vllm >=0.17" by what its rule takes. */
static bool same_software(const char *wanted, const char *stated) {
  size_t n = strlen(wanted);
  if (!strncmp(stated, wanted, n) && (stated[n] == '\0' || stated[n] == ' ')) return true;
  return crv_version_matches(stated, wanted);
}

static bool same_case(const char *wanted, const char *stated) {
  for (; *wanted && tolower((unsigned char)*wanted) == tolower((unsigned char)*stated); wanted++)
    stated++;
  return *wanted == *stated;
}

/* A text that the sheet names, or not. */
static bool want(struct match *m, const char *dim, const char *wanted, const char *stated,
                 same_fn *same) {
  if (!wanted || is_star(stated)) return true;
  if (!stated) return no(m, dim, true);
  return same(wanted, stated) || no(m, dim, false);
}

static bool want_int(struct match *m, const char *dim, struct crv_opt_int wanted,
                     struct crv_opt_int stated) {
  if (!wanted.set) return true;
  if (!stated.set) return no(m, dim, true);
  return wanted.v == stated.v || no(m, dim, false);
}

static bool want_tri(struct match *m, const char *dim, enum crv_tri wanted, enum crv_tri stated) {
  if (wanted == CRV_UNSET) return true;
  if (stated == CRV_UNSET) return no(m, dim, true);
  return wanted == stated || no(m, dim, false);
}

/* -- the load -----------------------------------------------------------------------------------
 */

/* A piece that does not say its task is taken to be about the one that its settings show. */
static bool match_task(struct match *m) {
  return !m->s->task || m->s->task == m->sheet->task || no(m, "task", false);
}

static bool match_device(struct match *m) {
  if (!m->d->device) return no(m, "device", false);
  return want(m, "device", m->d->device, m->s->device, same_text);
}

static enum crv_strategy strategy_of(enum crv_strategy strategy, int64_t devices) {
  return devices == 1 && !strategy ? CRV_STRATEGY_SINGLE : strategy;
}

static bool match_devices(struct match *m) {
  const struct crv_opt_int stated = m->s->devices;
  if (!want_int(m, "devices", (struct crv_opt_int){m->d->devices, true}, stated)) return false;
  enum crv_strategy wanted = strategy_of(m->d->strategy, m->d->devices);
  enum crv_strategy got = strategy_of(m->s->strategy, stated.v);
  if (!wanted || wanted == got) return true;
  return no(m, "strategy", !got);
}

/* by_fingerprint: two revisions whose tensor headers and config have the same digest are one. */
static bool match_model(struct match *m, bool by_fingerprint) {
  const struct crv_model *wanted = m->sheet->model;
  const struct crv_scope_model *stated = m->s->model;
  if (!wanted) return true;
  if (!want(m, "model.name", wanted->name, stated ? stated->name : NULL, same_text)) return false;
  if (by_fingerprint && wanted->fingerprint && stated && stated->fingerprint &&
      !strcmp(wanted->fingerprint, stated->fingerprint))
    return true;
  return want(m, "model.revision", wanted->revision, stated ? stated->revision : NULL, same_text);
}

static bool match_formats(struct match *m) {
  static const struct crv_precision none;
  const struct crv_precision *w = m->sheet->precision, *s = m->s->precision;
  if (!w) return true;
  if (!s) s = &none;
  return want(m, "precision.weights", w->weights, s->weights, same_format) &&
         want(m, "precision.kv_cache", w->kv_cache, s->kv_cache, same_format) &&
         want(m, "precision.compute", w->compute, s->compute, same_format);
}

static bool match_application(struct match *m) {
  const struct crv_scene *w = m->sheet->scene;
  if (!w) return true;
  return want(m, "application", w->application, m->s->application, same_text) &&
         want(m, "application_version", w->version, m->s->application_version, same_text);
}

static const char *revision_of(const struct crv_scene *scene, const char *input) {
  for (size_t i = 0; input && i < scene->inputs.n; i++) {
    const struct crv_scene_input *at = crv_list_at(scene->inputs, struct crv_scene_input, i);
    if (crv_streq(at->name, input)) return at->revision;
  }
  return NULL;
}

/* The largest input decides the peak: that one must have been run, at its revision. */
static bool match_scene(struct match *m) {
  const struct crv_scene *w = m->sheet->scene;
  if (!match_application(m) || !w) return !w;
  return want(m, "input", w->largest_input, m->s->input, same_text) &&
         want(m, "input_revision", revision_of(w, w->largest_input), m->s->input_revision,
              same_text) &&
         want(m, "resolution", w->resolution, m->s->resolution, same_text);
}

/* -- settings -------------------------------------------------------------------------------------
 */

static bool has_text(const struct crv_list *texts, const char *s) {
  for (size_t i = 0; i < texts->n; i++)
    if (!strcmp(*crv_list_at(*texts, const char *, i), s)) return true;
  return false;
}

static bool want_set(struct match *m, const char *dim, const struct crv_list *wanted,
                     const struct crv_list *stated) {
  if (wanted->n == 0) return true;
  if (stated->n == 0) return no(m, dim, true);
  bool same = wanted->n == stated->n;
  for (size_t i = 0; i < wanted->n && same; i++)
    same = has_text(stated, *crv_list_at(*wanted, const char *, i));
  return same || no(m, dim, false);
}

static bool match_adaptation(struct match *m) {
  static const struct crv_adaptation none;
  const struct crv_adaptation *w = m->sheet->adaptation, *s = m->s->adaptation;
  if (!w) return true;
  if (!s) s = &none;
  return want(m, "adaptation.method", w->method, s->method, same_text) &&
         want_set(m, "adaptation.target_modules", &w->target_modules, &s->target_modules) &&
         want(m, "adaptation.optimizer", w->optimizer, s->optimizer, same_text) &&
         want(m, "adaptation.checkpointing", w->checkpointing, s->checkpointing, same_text) &&
         want(m, "adaptation.attention", w->attention, s->attention, same_text) &&
         want(m, "adaptation.loss", w->loss, s->loss, same_text) &&
         want_tri(m, "adaptation.fused_backward", w->fused_backward, s->fused_backward);
}

/* The engine by which the piece was made. A runtime stands in where it is that engine. */
static const char *engine_of(const struct crv_scope *s, const char *wanted) {
  if (s->engine) return s->engine;
  if (s->execution && s->execution->engine) return s->execution->engine;
  return s->runtime && wanted && same_software(wanted, s->runtime) ? s->runtime : NULL;
}

static const char *pair_value(const struct crv_list *pairs, const char *name) {
  for (size_t i = 0; i < pairs->n; i++) {
    const struct crv_pair *pair = crv_list_at(*pairs, struct crv_pair, i);
    if (!strcmp(pair->name, name)) return pair->value;
  }
  return NULL;
}

static const char *limit_of(const struct match *m, const char *name) {
  const char *v = m->s->execution ? pair_value(&m->s->execution->limits, name) : NULL;
  return v || !m->p->result ? v : pair_value(&m->p->result->settings, name);
}

static bool match_limits(struct match *m, const struct crv_list *limits) {
  for (size_t i = 0; i < limits->n; i++) {
    const struct crv_pair *w = crv_list_at(*limits, struct crv_pair, i);
    if (!want(m, "execution.limits", w->value, limit_of(m, w->name), same_text)) return false;
  }
  return true;
}

/* A run that says it did not spill kept everything on the device. */
static const char *offload_of(const struct match *m) {
  if (m->s->execution && m->s->execution->offload) return m->s->execution->offload;
  return m->p->result && m->p->result->spilled == CRV_FALSE ? "none" : NULL;
}

static bool match_execution(struct match *m) {
  const struct crv_execution *w = m->sheet->execution, *s = m->s->execution;
  if (!w) return true;
  return want(m, "execution.engine", w->engine, engine_of(m->s, w->engine), same_software) &&
         match_limits(m, &w->limits) &&
         want(m, "execution.offload", w->offload, offload_of(m), same_text) &&
         want(m, "execution.kv_sharing", w->kv_sharing, s ? s->kv_sharing : NULL, same_text);
}

/* What the load is comes first: a piece about another load has no setting to compare. */
static bool match_memory(struct match *m) {
  return match_task(m) && match_device(m) && match_model(m, true) && match_scene(m) &&
         match_devices(m) && match_formats(m) && match_adaptation(m) && match_execution(m) &&
         want_int(m, "accumulation", m->sheet->accumulation, m->s->accumulation);
}

/* -- quality ------------------------------------------------------------------------------------
 */

/* The adapted model is what is evaluated: the piece names the method, or an adapter made by it. */
static bool match_adapter(struct match *m) {
  const char *method = m->sheet->adaptation ? m->sheet->adaptation->method : NULL;
  const char *stated = m->s->adaptation ? m->s->adaptation->method : NULL;
  if (!stated && m->s->adapter && method && same_software(method, m->s->adapter)) return true;
  if (!stated) stated = m->s->adapter;
  return want(m, "adapter", method, stated, same_text);
}

static bool match_quality(struct match *m) {
  return match_model(m, false) && match_application(m) && match_formats(m) && match_adapter(m);
}

/* -- supplier, offer, architecture
 * ------------------------------------------------------------------ */

static bool match_supplier(struct match *m) {
  const struct crv_offer *o = m->d->offer->offer;
  if (m->s->offer && !strcmp(m->s->offer, m->d->offer->key)) return true;
  if (!want(m, "supplier", o->supplier, m->s->supplier, same_text)) return false;
  if (!o->supplier_ref && m->s->supplier_ref && !is_star(m->s->supplier_ref))
    return no(m, "supplier_ref", false);
  return want(m, "supplier_ref", o->supplier_ref, m->s->supplier_ref, same_text);
}

static bool match_offer(struct match *m) {
  return want(m, "offer", m->d->offer->key, m->s->offer, same_text);
}

static const char *architecture_of(const struct crv_demand *d) {
  const struct crv_device_model *model = d->device ? crv_device_model(d->device) : NULL;
  const struct crv_device *device = d->offer ? d->offer->offer->device : NULL;
  if (model && *model->architecture) return model->architecture;
  return device ? device->architecture : NULL;
}

static bool match_architecture(struct match *m) {
  const char *architecture = architecture_of(m->d);
  if (m->s->device) return match_device(m);
  if (!m->s->architecture) return no(m, "architecture", true);
  if (!architecture) return is_star(m->s->architecture) || no(m, "architecture", false);
  return want(m, "architecture", architecture, m->s->architecture, same_case);
}

/* An engine is a runtime too: a piece may state both, and either may be the one that is named. */
static bool match_runtime(struct match *m) {
  const char *rule = m->sheet->software ? m->sheet->software->runtime : NULL;
  const char *stated = m->s->runtime && (!rule || same_software(rule, m->s->runtime))
                           ? m->s->runtime
                           : engine_of(m->s, rule);
  return want(m, "runtime", rule, stated ? stated : m->s->runtime, same_software);
}

bool crv_architecture_is(const char *a, const char *b) {
  return same_case(a, b);
}

bool crv_software_is(const char *rule, const char *stated) {
  return same_software(rule, stated);
}

const char *crv_scope_mismatch(enum crv_dim_set set, const struct crv_piece *p,
                               const struct crv_demand *d, bool *ret_omitted) {
  struct match m = {.p = p, .s = p->scope, .sheet = d->sheet, .d = d};
  bool ok = false;
  switch (set) {
  case CRV_DIMS_MEMORY:
    ok = match_memory(&m);
    break;
  case CRV_DIMS_QUALITY:
    ok = match_quality(&m);
    break;
  case CRV_DIMS_LATENCY:
    ok = match_memory(&m) && match_supplier(&m);
    break;
  case CRV_DIMS_SUPPLIER:
    ok = match_supplier(&m);
    break;
  case CRV_DIMS_OFFER:
    ok = match_offer(&m);
    break;
  case CRV_DIMS_ARCHITECTURE:
    ok = match_architecture(&m);
    break;
  case CRV_DIMS_RUNTIME:
    ok = match_runtime(&m);
    break;
  }
  *ret_omitted = !ok && m.omitted;
  return ok ? NULL : m.dim;
}

/* -- magnitudes
 * ------------------------------------------------------------------------------------- */

const char *crv_scope_magnitudes(const struct crv_piece *p, const struct crv_demand *d,
                                 bool failure) {
  struct crv_executed e;
  crv_piece_executed(p, &e);
  if (!e.jobs.set && d->jobs.set)
    e.jobs = (struct crv_opt_int){1, true}; /* a run is one at least */
  const struct {
    struct crv_opt_int demanded, executed;
    const char *unknown, *too_small, *beyond;
  } all[] = {
      {d->length, e.length, "length_unknown", "length_short", "length_beyond"},
      {d->concurrency, e.concurrency, "concurrency_unknown", "concurrency_short",
       "concurrency_beyond"},
      {d->microbatch, e.microbatch, "microbatch_unknown", "microbatch_short", "microbatch_beyond"},
      {d->rank, e.rank, "rank_unknown", "rank_short", "rank_beyond"},
      {d->jobs, e.jobs, "jobs_unknown", "jobs_short", "jobs_beyond"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i].demanded.set && !all[i].executed.set) return all[i].unknown;
    if (!failure && all[i].demanded.set && all[i].executed.v < all[i].demanded.v)
      return all[i].too_small;
    /* a failure at more than what is demanded, or at what the sheet does not limit, says nothing */
    if (failure && all[i].executed.set &&
        (!all[i].demanded.set || all[i].executed.v > all[i].demanded.v))
      return all[i].beyond;
  }
  return NULL;
}

/* -- pins
 * --------------------------------------------------------------------------------------------- */

enum { MAX_PINS = 12 };

struct pins {
  struct crv_fact *at;
  size_t n;
};

/* A text that the piece states and the sheet does not state to the letter. */
static void pin(struct pins *pins, const char *name, const char *stated, const char *wanted) {
  if (!stated || is_star(stated) || crv_streq(stated, wanted) || pins->n == MAX_PINS) return;
  pins->at[pins->n++] = (struct crv_fact){.name = name, .type = CRV_FACT_TEXT, .text = stated};
}

static void pin_int(struct pins *pins, const char *name, struct crv_opt_int stated,
                    struct crv_opt_int wanted) {
  if (!stated.set || (wanted.set && wanted.v == stated.v) || pins->n == MAX_PINS) return;
  pins->at[pins->n++] = (struct crv_fact){.name = name, .type = CRV_FACT_INT, .i = stated.v};
}

static void pin_pairs(struct pins *pins, const struct crv_list *stated,
                      const struct crv_list *wanted) {
  for (size_t i = 0; i < stated->n; i++) {
    const struct crv_pair *pair = crv_list_at(*stated, struct crv_pair, i);
    pin(pins, pair->name, pair->value, wanted ? pair_value(wanted, pair->name) : NULL);
  }
}

static void pin_formats(struct pins *pins, const struct crv_precision *s,
                        const struct crv_precision *w) {
  if (!s) return;
  if (!w || !w->weights) pin(pins, "precision.weights", s->weights, NULL);
  if (!w || !w->kv_cache) pin(pins, "precision.kv_cache", s->kv_cache, NULL);
  if (!w || !w->compute) pin(pins, "precision.compute", s->compute, NULL);
}

static void pin_adaptation(struct pins *pins, const struct crv_adaptation *s,
                           const struct crv_adaptation *w) {
  if (!s) return;
  pin(pins, "adaptation.method", s->method, w ? w->method : NULL);
  pin(pins, "adaptation.optimizer", s->optimizer, w ? w->optimizer : NULL);
  pin(pins, "adaptation.checkpointing", s->checkpointing, w ? w->checkpointing : NULL);
  pin(pins, "adaptation.attention", s->attention, w ? w->attention : NULL);
  pin(pins, "adaptation.loss", s->loss, w ? w->loss : NULL);
}

size_t crv_scope_pins(const struct crv_piece *p, const struct crv_demand *d,
                      struct crv_fact ret[12]) {
  const struct crv_scope *s = p->scope;
  const struct crv_sheet *sheet = d->sheet;
  const struct crv_software *software = sheet->software;
  const struct crv_execution *execution = sheet->execution;
  struct pins pins = {ret, 0};
  pin(&pins, "engine",
      s->engine      ? s->engine
      : s->execution ? s->execution->engine
                     : NULL,
      execution ? execution->engine : NULL);
  pin(&pins, "runtime", s->runtime, software ? software->runtime : NULL);
  pin(&pins, "driver", s->driver, software ? software->driver : NULL);
  pin(&pins, "application_version", s->application_version,
      sheet->scene ? sheet->scene->version : NULL);
  pin(&pins, "adapter", s->adapter, NULL);
  pin_formats(&pins, s->precision, sheet->precision);
  pin_int(&pins, "accumulation", s->accumulation, sheet->accumulation);
  pin_adaptation(&pins, s->adaptation, sheet->adaptation);
  if (s->execution) {
    pin(&pins, "offload", s->execution->offload, execution ? execution->offload : NULL);
    pin(&pins, "kv_sharing", s->execution->kv_sharing, execution ? execution->kv_sharing : NULL);
    pin_pairs(&pins, &s->execution->limits, execution ? &execution->limits : NULL);
  }
  if (p->result) pin_pairs(&pins, &p->result->settings, execution ? &execution->limits : NULL);
  return pins.n;
}
