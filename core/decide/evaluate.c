/* crv_decide: from a question to a shortlist. Every criterion for every offer, under every accepted
   placement and every device that the offer's name may mean; the best placement is the row.
   Must not know: how a single criterion decides. */
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

enum { MAX_MODELS = 8 };

/* -- what is the same for every offer -------------------------------------------------------------
 */

static bool add_missing(struct crv_eval *ev, const char *field, const char *why) {
  for (size_t i = 0; i < ev->n_missing; i++)
    if (!strcmp(ev->missing[i].field, field)) return true;
  if (ev->n_missing < CRV_MAX_MISSING)
    ev->missing[ev->n_missing++] = (struct crv_missing){field, why};
  return true;
}

static bool one_placement(struct crv_eval *ev, struct crv_placement p) {
  if (ev->n_placements == sizeof ev->placements / sizeof *ev->placements) return true;
  if (!p.devices.set) p.devices = (struct crv_opt_int){1, true};
  if (!p.strategy && p.devices.v == 1) p.strategy = CRV_STRATEGY_SINGLE;
  if (!p.strategy) add_missing(ev, "placement.strategy", "how the load is spread over the devices");
  size_t i = ev->n_placements++;
  ev->placements[i] = p;
  return crv_budget_make(ev->q->sheet, p.devices.v, p.strategy, ev->a, &ev->budgets[i], ev->err);
}

static bool make_placements(struct crv_eval *ev) {
  const struct crv_list *list = &ev->q->sheet->placement;
  ev->placement_assumed = list->n == 0;
  if (ev->placement_assumed) return one_placement(ev, (struct crv_placement){.strategy = 0});
  for (size_t i = 0; i < list->n; i++)
    if (!one_placement(ev, *crv_list_at(*list, struct crv_placement, i))) return false;
  return true;
}

static bool eval_init(struct crv_eval *ev, const struct crv_question *q, struct crv_arena *a,
                      struct crv_err *err) {
  memset(ev, 0, sizeof *ev);
  ev->q = q;
  ev->a = a;
  ev->err = err;
  ev->n_missing = crv_sheet_missing(q->sheet, ev->missing);
  ev->index = crv_index_new(q->evidence, q->evidence_position, q->as_of, &q->policy, a);
  if (!ev->index) return crv_fail(err, CRV_OUT_OF_MEMORY, "Out of memory.");
  return make_placements(ev);
}

/* -- one offer
 * -------------------------------------------------------------------------------------- */

/* The canonical models that the offer's device may be: its own, its candidates, or what the alias
   table makes of its name. */
static size_t models_of(const struct crv_offer *o, const char *ret[MAX_MODELS]) {
  const struct crv_device *d = o->device;
  const struct crv_device_model *found[8];
  size_t n = 0;
  if (!d) return 0;
  if (d->model) {
    ret[0] = d->model;
    return 1;
  }
  for (size_t i = 0; i < d->candidates.n && n < MAX_MODELS; i++)
    ret[n++] = *crv_list_at(d->candidates, const char *, i);
  if (n || !d->name) return n;
  n = crv_device_resolve(d->name, &d->memory_nominal, found);
  for (size_t i = 0; i < n; i++) ret[i] = found[i]->model;
  return n;
}

static void case_init(struct crv_case *c, struct crv_eval *ev, struct crv_row *row,
                      const struct crv_offer_rec *rec, size_t placement, const char *model) {
  const struct crv_sheet *s = ev->q->sheet;
  memset(c, 0, sizeof *c);
  memset(row, 0, sizeof *row);
  c->ev = ev;
  c->row = row;
  c->rec = row->rec = rec;
  c->offer = rec->offer;
  c->placement = &ev->placements[placement];
  c->budget = row->budget = &ev->budgets[placement];
  c->model = model ? crv_device_model(model) : NULL;
  row->placement = placement;
  row->device = model;
  row->devices = c->placement->devices.v;
  row->strategy = c->placement->strategy;
  c->demand = (struct crv_demand){
      .sheet = s,
      .offer = rec,
      .device = model,
      .devices = row->devices,
      .strategy = row->strategy,
      .length = crv_sheet_length(s),
      .concurrency = s->concurrency,
      .microbatch = s->microbatch,
      .rank = s->adaptation ? s->adaptation->rank : (struct crv_opt_int){0, false},
      .jobs = s->scene ? s->scene->jobs : (struct crv_opt_int){0, false},
  };
}

static void all_criteria(struct crv_case *c) {
  static void (*const families[])(struct crv_case *) = {
      crv_crit_sheet,    crv_crit_software,     crv_crit_memory,     crv_crit_placement,
      crv_crit_executed, crv_crit_quality,      crv_crit_acceptance, crv_crit_host,
      crv_crit_plan,     crv_crit_requirements,
  };
  for (size_t i = 0; i < sizeof families / sizeof *families && !c->ev->failed; i++) families[i](c);
}

static enum crv_verdict worst(const struct crv_row *row) {
  enum crv_verdict v = CRV_ADMISSIBLE;
  for (size_t i = 0; i < row->n_findings; i++)
    if (row->findings[i].verdict > v) v = row->findings[i].verdict;
  return v;
}

static void evaluate_case(struct crv_case *c, const struct crv_indexed **pieces, size_t n) {
  c->pieces = pieces;
  c->n_pieces = n;
  crv_case_capacity(c);
  all_criteria(c);
  if (c->ev->failed) return;
  crv_outlook_make(c);
  crv_preferences_make(c);
  c->row->status = worst(c->row);
}

/* -- a name that means several models
 * ------------------------------------------------------------------ */

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
  return crv_cond(ev, CRV_COND_WHICH_DEVICE, p, 3,
                  crv_arena_printf(ev->a, "commercial_sheet %s", rec->key));
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
  return crv_cond(
      ev, cond->code, p, cond->n_params,
      crv_arena_printf(ev->a, "%s %s", crv_condition_info(cond->code)->settled_by, list));
}

/* Which device it is comes first, and then what is open of each: an answer alone proves no run. */
static void ask_first(struct crv_eval *ev, struct crv_finding *f, const struct crv_condition *ask,
                      const char *list) {
  const struct crv_condition *had[4];
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

/* A criterion is decided when its verdict is the same for every candidate; else the condition asks
   which model it is. Findings stand in the same order in every row: the sheet alone turns them on.
 */
static void merge(struct crv_eval *ev, struct crv_row *rows, size_t n, const char *const *models) {
  const char *list = any_of(ev, models, n);
  const struct crv_condition *ask = which_model(ev, rows[0].rec, list);
  for (size_t i = 0; i < rows[0].n_findings; i++) {
    struct crv_finding *f = &rows[0].findings[i];
    const struct crv_finding *open = open_one(rows, n, i);
    bool same = true;
    for (size_t k = 1; k < n; k++)
      if (rows[k].findings[i].verdict != f->verdict) same = false;
    if (same && (f->verdict != CRV_TO_CONFIRM || !by_device(f->criterion))) continue;
    if (open && open != f) {
      memcpy(f->conditions, open->conditions, sizeof f->conditions);
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
    widen(&rows[0].margin_bytes, rows[k].margin_bytes, false);
    if (rows[k].outlook != rows[0].outlook) rows[0].outlook = CRV_OPEN;
  }
  rows[0].device = NULL;
  rows[0].status = worst(&rows[0]);
}

/* By what pieces name the load: its model, or the application. */
static const char *load_name(const struct crv_sheet *s) {
  if (crv_task_has_model(s->task)) return s->model ? s->model->name : NULL;
  return s->scene ? s->scene->application : NULL;
}

static bool evaluate_placement(struct crv_eval *ev, const struct crv_offer_rec *rec,
                               size_t placement, struct crv_row *ret) {
  const char *models[MAX_MODELS] = {NULL};
  struct crv_row rows[MAX_MODELS];
  const struct crv_indexed **pieces;
  size_t n_pieces, n = models_of(rec->offer, models);
  const char *name = load_name(ev->q->sheet);
  if (!crv_index_for_offer(ev->index, rec, models, n, name, ev->a, &pieces, &n_pieces))
    return false;
  for (size_t i = 0; i < (n ? n : 1); i++) {
    struct crv_case c;
    case_init(&c, ev, &rows[i], rec, placement, models[i]);
    evaluate_case(&c, pieces, n_pieces);
    if (ev->failed) return false;
  }
  if (n > 1) merge(ev, rows, n, models);
  *ret = rows[0];
  return !ev->failed;
}

/* Better placement: status, outlook, known and lower cost; else the one listed first. */
static bool better(const struct crv_row *a, const struct crv_row *b) {
  if (a->status != b->status) return a->status < b->status;
  if (a->outlook != b->outlook) return a->outlook < b->outlook;
  if (a->cost.amount.set != b->cost.amount.set) return a->cost.amount.set;
  return a->cost.amount.set && a->cost.amount.v < b->cost.amount.v;
}

/* -- what follows from the findings of a row
 * ------------------------------------------------------------- */

static bool row_conditions(struct crv_eval *ev, struct crv_row *row) {
  size_t most = row->n_findings * 4;
  row->conditions = crv_new_array(ev->a, most ? most : 1, const struct crv_condition *);
  if (!row->conditions) return false;
  for (size_t i = 0; i < row->n_findings; i++)
    for (size_t k = 0; k < row->findings[i].n_conditions; k++) {
      const struct crv_condition *cond = row->findings[i].conditions[k];
      size_t j = 0;
      while (j < row->n_conditions && row->conditions[j] != cond) j++;
      if (j == row->n_conditions) row->conditions[row->n_conditions++] = cond;
    }
  return true;
}

static void row_pins(struct crv_row *row) {
  for (size_t i = 0; i < row->n_findings; i++)
    for (size_t k = 0; k < row->findings[i].n_pins; k++) {
      const struct crv_fact *pin = &row->findings[i].pins[k];
      size_t j = 0;
      while (j < row->n_pins && strcmp(row->pins[j].name, pin->name) != 0) j++;
      if (j == row->n_pins && j < CRV_MAX_FACTS) row->pins[row->n_pins++] = *pin;
    }
}

static bool append_text(struct crv_arena *a, struct crv_list *list, const char *text) {
  const char **grown = crv_new_array(a, list->n + 1, const char *);
  if (!grown || !text) return false;
  if (list->n) memcpy(grown, list->at, list->n * sizeof *grown);
  grown[list->n] = text;
  *list = (struct crv_list){list->n + 1, grown};
  return true;
}

/* What to hold against the delivered machine before signing: bytes, driver, what the run used. */
static bool before_order(struct crv_eval *ev, struct crv_row *row) {
  char text[300], value[160];
  if (row->status != CRV_ADMISSIBLE) return true;
  const struct crv_headroom *h = ev->q->sheet->headroom;
  int64_t need = 0;
  if (row->demand_bytes.set &&
      crv_add(row->demand_bytes.v, h && h->bytes.set ? h->bytes.v : 0, &need)) {
    snprintf(text, sizeof text, "each device declares at least %lld bytes", (long long)need);
    if (!append_text(ev->a, &row->before_order, crv_arena_strdup(ev->a, text))) return false;
  }
  for (size_t i = 0; i < row->n_pins; i++) {
    snprintf(text, sizeof text, "%s: proved with %s", row->pins[i].name,
             crv_fact_text(&row->pins[i], value, sizeof value));
    if (!append_text(ev->a, &row->before_order, crv_arena_strdup(ev->a, text))) return false;
  }
  return true;
}

/* The dates on which the pieces that the row rests on go out of date. */
static bool expiries(struct crv_eval *ev, struct crv_row *row) {
  const struct crv_piece_rec *seen[32];
  size_t n = 0;
  for (size_t i = 0; i < row->n_findings; i++) {
    const struct crv_finding *f = &row->findings[i];
    for (size_t k = 0; k < f->n_cited && f->verdict == CRV_ADMISSIBLE; k++) {
      struct crv_opt_int at = crv_piece_expiry(f->cited[k]->piece, &ev->q->policy);
      size_t j = 0;
      while (j < n && seen[j] != f->cited[k]) j++;
      if (j < n || n == 32 || !at.set) continue;
      seen[n++] = f->cited[k];
      char date[40];
      if (!append_text(ev->a, &row->invalidated_by,
                       crv_arena_printf(ev->a, "%s is out of date from %s", f->cited[k]->ref,
                                        crv_date_text(at.v, date, sizeof date))))
        return false;
    }
  }
  return true;
}

static bool evaluate_offer(struct crv_eval *ev, const struct crv_offer_rec *rec,
                           struct crv_row **ret) {
  struct crv_row *best = crv_new(ev->a, struct crv_row);
  struct crv_row row;
  if (!best) return false;
  for (size_t i = 0; i < ev->n_placements; i++) {
    if (!evaluate_placement(ev, rec, i, &row)) return false;
    if (i == 0 || better(&row, best)) *best = row;
  }
  row_pins(best);
  if (!row_conditions(ev, best) || !before_order(ev, best) || !expiries(ev, best)) return false;
  *ret = best;
  return true;
}

/* -- the shortlist
 * ------------------------------------------------------------------------------------- */

static bool sort_out(struct crv_eval *ev, struct crv_shortlist *s, struct crv_row **rows,
                     size_t n) {
  size_t room = n ? n : 1;
  s->n_offers = n;
  s->retained = crv_new_array(ev->a, room, struct crv_row *);
  s->preselection = crv_new_array(ev->a, room, struct crv_row *);
  s->excluded = crv_new_array(ev->a, room, struct crv_row *);
  if (!s->retained || !s->preselection || !s->excluded) return false;
  for (size_t i = 0; i < n; i++) {
    if (rows[i]->status == CRV_ADMISSIBLE)
      s->retained[s->n_retained++] = rows[i];
    else if (rows[i]->status == CRV_TO_CONFIRM)
      s->preselection[s->n_preselection++] = rows[i];
    else
      s->excluded[s->n_excluded++] = rows[i];
  }
  crv_rank(s->retained, s->n_retained, false);
  crv_rank(s->preselection, s->n_preselection, true);
  s->outcome = s->n_retained       ? CRV_RETAINED
               : s->n_preselection ? CRV_NEEDS_CONFIRMATION
                                   : CRV_NOTHING;
  return true;
}

static bool assume(struct crv_eval *ev, struct crv_shortlist *s) {
  const struct crv_sheet *sheet = ev->q->sheet;
  const struct crv_execution *x = sheet->execution;
  struct crv_list *list = &s->assumptions;
  bool ok = true;
  if (crv_task_has_model(sheet->task) && !(x && x->offload))
    ok = ok && append_text(ev->a, list, "weights and cache stay on the device");
  if (ev->placement_assumed) ok = ok && append_text(ev->a, list, "one device, strategy single");
  if (sheet->campaign && !sheet->campaign->interruption)
    ok = ok && append_text(ev->a, list, "interruptions are not tolerated");
  if (sheet->campaign && !sheet->campaign->tax)
    ok = ok && append_text(ev->a, list, "tax is not compared");
  for (int k = 1; k < CRV_KIND_COUNT; k++) {
    struct crv_opt_int age = ev->q->policy.max_age[k];
    if (!age.set) continue;
    ok = ok &&
         append_text(ev->a, list,
                     crv_arena_printf(
                         ev->a, "%s counts for %lld days from its date%s",
                         crv_kind_info((enum crv_kind)k)->name, (long long)(age.v / CRV_DAY_MS),
                         ev->q->policy.asked[k] ? "" : " where it states no validity"));
  }
  return ok;
}

static bool evaluate_all(struct crv_eval *ev, struct crv_row ***ret, size_t *ret_n) {
  const struct crv_question *q = ev->q;
  const struct crv_offer_rec **recs;
  size_t n, kept = 0;
  if (!crv_catalogue_in_force(q->catalogue, q->catalogue_position, q->as_of, ev->a, &recs, &n,
                              ev->err))
    return false;
  struct crv_row **rows = crv_new_array(ev->a, n ? n : 1, struct crv_row *);
  if (!rows) return false;
  for (size_t i = 0; i < n; i++) {
    if (!crv_filter_passes(&q->filter, recs[i])) continue;
    if (!evaluate_offer(ev, recs[i], &rows[kept++])) return false;
  }
  *ret = rows;
  *ret_n = kept;
  return true;
}

static bool conclude(struct crv_eval *ev, struct crv_shortlist *s, struct crv_row **rows,
                     size_t n) {
  int64_t last;
  if (!sort_out(ev, s, rows, n)) return false;
  s->budget = &ev->budgets[0];
  if (!crv_budget_formats(ev->q->sheet, s->budget, ev->a, &s->formats, ev->err)) return false;
  if (!crv_boundaries(ev->q, ev->q->as_of, ev->a, &last, &s->holds_until, ev->err)) return false;
  crv_funnel_make(s);
  crv_nearest_make(s);
  crv_actions_make(s, ev);
  crv_headline_make(s, ev);
  return assume(ev, s) && !ev->failed;
}

bool crv_decide(const struct crv_question *q, struct crv_arena *a, struct crv_shortlist *ret,
                struct crv_err *err) {
  struct crv_eval *ev = crv_new(a, struct crv_eval);
  struct crv_row **rows;
  size_t n;
  memset(ret, 0, sizeof *ret);
  ret->question = q;
  if (!ev) return crv_fail(err, CRV_OUT_OF_MEMORY, "Out of memory.");
  if (!eval_init(ev, q, a, err)) return false;
  if (evaluate_all(ev, &rows, &n) && conclude(ev, ret, rows, n)) return true;
  if (err->code == CRV_OK) crv_fail(err, CRV_OUT_OF_MEMORY, "Out of memory.");
  return false;
}
