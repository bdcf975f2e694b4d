/* What a sheet is asked: is it complete for its task, how long is one sequence, which phases must a
   run cover. Must not know: offers, evidence, verdicts. */
#include "core/sheet/sheet.h"

bool crv_sheet_decode(const json_t *j, const char *ptr, struct crv_arena *a, struct crv_sheet **ret,
                      struct crv_err *err) {
  struct crv_sheet *s = crv_new(a, struct crv_sheet);
  if (!s) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  if (!crv_jspec_decode(&crv_sheet_spec, j, ptr, a, s, err)) return false;
  *ret = s;
  return true;
}

bool crv_task_has_model(enum crv_task t) {
  return t == CRV_TASK_INFERENCE || t == CRV_TASK_ADAPTATION || t == CRV_TASK_TRAINING;
}

struct crv_opt_int crv_sheet_length(const struct crv_sheet *s) {
  const struct crv_length *l = s->length;
  if (l && l->prompt.set && l->generated.set)
    return (struct crv_opt_int){l->prompt.v + l->generated.v, true};
  return s->sequence;
}

size_t crv_sheet_phases(const struct crv_sheet *s, const char *ret[8]) {
  static const char *const inference[] = {"loading", "generation", NULL};
  static const char *const training[] = {"loading", "forward", "backward", "optimizer_step", NULL};
  static const char *const jobs[] = {"loading", "execution", "export", NULL};
  const char *const *phases = jobs;
  size_t n = 0;
  if (s->task == CRV_TASK_INFERENCE) phases = inference;
  if (s->task == CRV_TASK_ADAPTATION || s->task == CRV_TASK_TRAINING) phases = training;
  for (; *phases; phases++) ret[n++] = *phases;
  for (size_t i = 0; i < s->phases.n && n < 8; i++)
    ret[n++] = *crv_list_at(s->phases, const char *, i);
  return n;
}

/* -- completeness ----------------------------------------------------------------------------- */

struct missing {
  struct crv_missing *at;
  size_t n;
};

static void need(struct missing *m, bool stated, const char *field, const char *why) {
  if (stated || m->n >= CRV_MAX_MISSING) return;
  m->at[m->n++] = (struct crv_missing){field, why};
}

static void need_model(struct missing *m, const struct crv_sheet *s) {
  need(m, s->model && s->model->name, "model.name", "evidence is matched by the model's name");
  need(m, s->model && s->model->revision, "model.revision", "evidence counts for one revision");
  need(m, s->precision && s->precision->weights, "precision.weights",
       "the format of the weights decides their bytes and their quality");
}

static void need_inference(struct missing *m, const struct crv_sheet *s) {
  bool whole = crv_sheet_length(s).set;
  need_model(m, s);
  if (!s->length) {
    need(m, whole, "length", "a run must execute the demanded length");
  } else {
    need(m, s->length->prompt.set, "length.prompt", "a run must execute the demanded length");
    need(m, s->length->generated.set, "length.generated", "a run must execute the demanded length");
  }
  need(m, s->concurrency.set, "concurrency", "a run must hold as many sequences together");
}

static void need_training(struct missing *m, const struct crv_sheet *s) {
  const struct crv_adaptation *a = s->adaptation;
  need_model(m, s);
  need(m, crv_sheet_length(s).set, "sequence", "a run must execute the demanded length");
  need(m, s->microbatch.set, "microbatch", "a run must execute the demanded microbatch");
  need(m, s->accumulation.set, "accumulation", "it says with microbatch what one update is");
  need(m, a && a->method, "adaptation.method", "the method decides what is kept on the device");
  need(m, a && a->optimizer, "adaptation.optimizer",
       "the optimizer decides what is kept on the device");
}

static bool inputs_have_revisions(const struct crv_scene *c) {
  for (size_t i = 0; i < c->inputs.n; i++)
    if (!crv_list_at(c->inputs, struct crv_scene_input, i)->revision) return false;
  return c->inputs.n > 0;
}

static void need_scene(struct missing *m, const struct crv_sheet *s) {
  const struct crv_scene *c = s->scene;
  need(m, c && c->application, "scene.application", "a run is matched by the application");
  need(m, c && c->version, "scene.version", "a run counts for one version of the application");
  need(m, c && c->inputs.n > 0, "scene.inputs", "a run must execute the demanded inputs");
  need(m, !c || c->inputs.n == 0 || inputs_have_revisions(c), "scene.inputs.revision",
       "a run counts for one revision of each input");
  need(m, c && c->largest_input, "scene.largest_input", "the largest input decides the peak");
  need(m, c && c->jobs.set, "scene.jobs", "a run must execute the demanded jobs");
}

size_t crv_sheet_missing(const struct crv_sheet *s, struct crv_missing ret[CRV_MAX_MISSING]) {
  struct missing m = {ret, 0};
  if (s->task == CRV_TASK_INFERENCE)
    need_inference(&m, s);
  else if (crv_task_has_model(s->task))
    need_training(&m, s);
  else
    need_scene(&m, s);
  need(&m, s->quality.n > 0 || s->quality_waived, "quality",
       "what is good enough must be said, or waived in writing (quality_waived)");
  return m.n;
}
