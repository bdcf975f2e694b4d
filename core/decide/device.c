/* Which device an offer means: its canonical model, the candidates of an ambiguous name, or what a
   piece about the offer says it is; and one row made of those of the candidates.
   Must not know: how a single criterion decides. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

/* -- the models -----------------------------------------------------------------------------------
 */

static size_t stated_models(const struct crv_device *d, const char *ret[CRV_MAX_MODELS]) {
  const struct crv_device_model *found[8];
  size_t n = 0;
  if (d->model) {
    ret[0] = d->model;
    return 1;
  }
  for (size_t i = 0; i < d->candidates.n && n < CRV_MAX_MODELS; i++)
    ret[n++] = *crv_list_at(d->candidates, const char *, i);
  if (n || !d->name) return n;
  n = crv_device_resolve(d->name, &d->memory_nominal, found);
  for (size_t i = 0; i < n; i++) ret[i] = found[i]->model;
  return n;
}

/* A part of a card is no such card: it never takes the runs and reports of its parent. */
static bool is_parent(const struct crv_device *d, const char *model) {
  const struct crv_device_model *m = crv_device_model(model);
  bool part = d->memory_kind == CRV_MEM_SLICE || d->memory_kind == CRV_MEM_SHARED;
  return part && m && m->memory_kind != CRV_MEM_SLICE && m->memory_kind != CRV_MEM_SHARED;
}

static size_t without_parents(const struct crv_device *d, const char *models[CRV_MAX_MODELS],
                              size_t n) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (!is_parent(d, models[i])) models[kept++] = models[i];
  return kept;
}

/* The model that the piece says this very offer's device is; NULL: it does not say. */
static const char *said_by(const struct crv_indexed *ix, const struct crv_offer_rec *rec) {
  const struct crv_piece *p = ix->rec->piece;
  bool report = p->kind == CRV_KIND_DEVICE_REPORT;
  if (ix->standing != CRV_STANDS || (!report && p->kind != CRV_KIND_COMMERCIAL_SHEET) ||
      !crv_scoped_to_offer(p, rec))
    return NULL;
  if (report && p->scope->device && strcmp(p->scope->device, "*") != 0) return p->scope->device;
  const struct crv_offer *facts = p->result ? p->result->facts : NULL;
  return facts && facts->device ? facts->device->model : NULL;
}

static bool among(const char *const *models, size_t n, const char *model) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(models[i], model)) return true;
  return n == 0;
}

/* The one model that all pieces about this offer name, one of the candidates if there are any. */
static const char *identified(const struct crv_offer_rec *rec, const struct crv_hits *named,
                              const char *const *models, size_t n_models,
                              const struct crv_piece_rec **ret_by) {
  const char *model = NULL;
  for (size_t i = 0; i < named->n; i++) {
    const char *said = said_by(named->at[i], rec);
    if (!said || !among(models, n_models, said) || is_parent(rec->offer->device, said)) continue;
    if (model && strcmp(model, said) != 0) return NULL;
    if (!model) *ret_by = named->at[i]->rec;
    model = said;
  }
  return model;
}

size_t crv_models_of(const struct crv_offer_rec *rec, const struct crv_hits *named,
                     const char *ret[CRV_MAX_MODELS], const struct crv_piece_rec **ret_by) {
  const struct crv_device *d = rec->offer->device;
  *ret_by = NULL;
  if (!d) return 0;
  size_t n = without_parents(d, ret, stated_models(d, ret));
  if (n == 1) return n;
  const char *said = identified(rec, named, ret, n, ret_by);
  if (!said) {
    *ret_by = NULL;
    return n;
  }
  ret[0] = said;
  return 1;
}

/* -- one row of several candidates ----------------------------------------------------------------
 */

/* "a, b or c" */
static const char *any_of(struct crv_eval *ev, const char *const *models, size_t n) {
  const char *list = models[0];
  for (size_t i = 1; list && i < n; i++)
    list = crv_arena_printf(ev->a, i + 1 == n ? "%s or %s" : "%s, %s", list, models[i]);
  return list;
}

static const struct crv_condition *which_model(struct crv_eval *ev, const struct crv_offer_rec *rec,
                                               const char *list) {
  const char *name = rec->offer->device->name;
  struct crv_fact p[] = {crv_f_text("name", name ? name : "the device"),
                         crv_f_text("candidates", list), crv_f_text("offer", rec->key)};
  return crv_cond(ev, CRV_COND_WHICH_DEVICE, p, 3, crv_pair(ev, "commercial_sheet", rec->key));
}

/* What was asked of one candidate, asked of whichever it turns out to be. */
static const struct crv_condition *of_any(struct crv_eval *ev, const struct crv_condition *cond,
                                          const char *list) {
  struct crv_fact p[CRV_MAX_FACTS];
  bool about_device = false;
  for (size_t i = 0; i < cond->n_params; i++) {
    p[i] = cond->params[i];
    if (strcmp(p[i].name, "device") != 0) continue;
    p[i].text = list;
    about_device = true;
  }
  if (!about_device) return cond;
  return crv_cond_by(ev, cond->code, p, cond->n_params,
                     crv_arena_printf(ev->a, "%s %s", cond->settled_by, list), cond->settled_by);
}

/* Which device it is comes first, and then what is open of each: an answer alone proves no run. */
static void ask_first(struct crv_eval *ev, struct crv_finding *f, const struct crv_condition *ask,
                      const char *list) {
  const struct crv_condition *had[CRV_MAX_CONDITIONS];
  size_t n = f->n_conditions;
  memcpy(had, f->conditions, n * sizeof *had);
  f->n_conditions = 0;
  crv_find_condition(f, ask);
  for (size_t i = 0; i < n; i++) crv_find_condition(f, of_any(ev, had[i], list));
}

static void widen(struct crv_opt_int *a, struct crv_opt_int b, bool up) {
  if (!a->set || !b.set)
    a->set = false;
  else if (up ? b.v > a->v : b.v < a->v)
    a->v = b.v;
}

/* The margin of the candidates is the smallest, with what it comes from; unknown when one is. */
static void narrower(struct crv_row *row, const struct crv_row *other) {
  bool smaller = row->margin_bytes.set &&
                 (!other->margin_bytes.set || other->margin_bytes.v < row->margin_bytes.v);
  if (!smaller) return;
  row->margin_bytes = other->margin_bytes;
  row->demand_bytes = other->demand_bytes;
  row->demand_from = other->demand_from;
  row->demand_run = other->demand_run;
  row->capacity_from = other->capacity_from;
  row->demand_private = other->demand_private;
  row->capacity_private |= other->capacity_private;
  row->capacity_expired = other->capacity_expired;
}

enum crv_verdict crv_row_worst(const struct crv_row *row) {
  enum crv_verdict v = CRV_ADMISSIBLE;
  for (size_t i = 0; i < row->n_findings; i++)
    if (row->findings[i].verdict > v) v = row->findings[i].verdict;
  return v;
}

/* About the device: the criteria whose condition would differ from model to model. */
static bool by_device(enum crv_criterion id) {
  return id == CRV_CRIT_ARCHITECTURE || id == CRV_CRIT_RUNTIME || id == CRV_CRIT_FLOOR ||
         id == CRV_CRIT_PEAK || id == CRV_CRIT_PLACEMENT || id == CRV_CRIT_SLICE ||
         id == CRV_CRIT_LENGTH || id == CRV_CRIT_CONCURRENCY || id == CRV_CRIT_MICROBATCH ||
         id == CRV_CRIT_SCENE;
}

/* Some candidate leaves it open: its conditions are what remains once the model is known. */
static const struct crv_finding *open_one(const struct crv_row *rows, size_t n, size_t i) {
  for (size_t k = 0; k < n; k++)
    if (rows[k].findings[i].verdict == CRV_TO_CONFIRM) return &rows[k].findings[i];
  return NULL;
}

/* What holds for every candidate rests on the pieces of all of them. */
static void cite_all(struct crv_row *rows, size_t n, size_t i) {
  for (size_t k = 1; k < n; k++)
    for (size_t j = 0; j < rows[k].findings[i].n_cited; j++)
      crv_find_cite(&rows[0].findings[i], rows[k].findings[i].cited[j]);
}

/* A criterion is decided when its verdict is the same for every candidate; else the condition asks
   which model it is. Findings stand in the same order in every row: the sheet alone turns them on.
 */
void crv_rows_merge(struct crv_eval *ev, struct crv_row *rows, size_t n,
                    const char *const *models) {
  const char *list = any_of(ev, models, n);
  const struct crv_condition *ask = which_model(ev, rows[0].rec, list);
  for (size_t i = 0; i < rows[0].n_findings; i++) {
    struct crv_finding *f = &rows[0].findings[i];
    const struct crv_finding *open = open_one(rows, n, i);
    bool same = true;
    for (size_t k = 1; k < n; k++)
      if (rows[k].findings[i].verdict != f->verdict) same = false;
    if (same && f->verdict != CRV_TO_CONFIRM) cite_all(rows, n, i);
    if (same && (f->verdict != CRV_TO_CONFIRM || !by_device(f->criterion))) continue;
    if (open && open != f) {
      memcpy(f->conditions, open->conditions, open->n_conditions * sizeof *f->conditions);
      f->n_conditions = open->n_conditions;
    }
    f->verdict = CRV_TO_CONFIRM;
    f->reason = CRV_REASON_DEVICE_AMBIGUOUS;
    ask_first(ev, f, ask, list);
  }
  for (size_t k = 1; k < n; k++) {
    widen(&rows[0].capacity.lower, rows[k].capacity.lower, false);
    widen(&rows[0].capacity.upper, rows[k].capacity.upper, true);
    widen(&rows[0].capacity.decimal, rows[k].capacity.decimal, false);
    narrower(&rows[0], &rows[k]);
    if (rows[k].outlook != rows[0].outlook) rows[0].outlook = CRV_OPEN;
  }
  rows[0].device = NULL;
  rows[0].status = crv_row_worst(&rows[0]);
}
