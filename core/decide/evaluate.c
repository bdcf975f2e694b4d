/* crv_decide: from a question to a shortlist. Every criterion for every offer, under every accepted
   placement and every device that the offer's name may mean; the best placement is the row.
   Must not know: how a single criterion decides. */
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

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
  if (!p.devices.set && p.strategy && p.strategy != CRV_STRATEGY_SINGLE)
    add_missing(ev, "placement.devices", "how many devices the load is spread over");
  else if (!p.devices.set)
    ev->placement_assumed = true;
  if (!p.devices.set) p.devices = (struct crv_opt_int){1, true};
  if (!p.strategy && p.devices.v == 1) p.strategy = CRV_STRATEGY_SINGLE;
  if (!p.strategy) add_missing(ev, "placement.strategy", "how the load is spread over the devices");
  size_t i = ev->n_placements++;
  ev->placements[i] = p;
  return crv_budget_make(ev->q->sheet, p.devices.v, p.strategy, ev->a, &ev->budgets[i], ev->err);
}

static bool make_placements(struct crv_eval *ev) {
  const struct crv_list *list = &ev->q->sheet->placement;
  if (list->n == 0) return one_placement(ev, (struct crv_placement){.strategy = 0});
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

static void evaluate_case(struct crv_case *c) {
  crv_case_capacity(c);
  all_criteria(c);
  if (c->ev->failed) return;
  crv_outlook_make(c);
  crv_preferences_make(c);
  c->row->status = crv_row_worst(c->row);
}

static bool evaluate_placement(struct crv_eval *ev, const struct crv_about *about, size_t placement,
                               struct crv_row *ret) {
  struct crv_row rows[CRV_MAX_MODELS];
  size_t n = about->n_models;
  for (size_t i = 0; i < (n ? n : 1); i++) {
    struct crv_case c;
    case_init(&c, ev, &rows[i], about->rec, placement, n ? about->models[i] : NULL);
    c.about = about;
    c.group = about->group;
    c.candidate = i;
    c.base = crv_base_of(&c, about->group);
    if (!c.base) return false;
    evaluate_case(&c);
    if (ev->failed) return false;
  }
  if (n > 1) crv_rows_merge(ev, rows, n, about->models);
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
  size_t most = 0;
  for (size_t i = 0; i < row->n_findings; i++) most += row->findings[i].n_conditions;
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

/* The bytes that each device must declare: the demand with headroom, or what the device of a run
   declared whose engine filled it by policy. */
static struct crv_opt_int needed(struct crv_eval *ev, const struct crv_row *row) {
  struct crv_case c = {.ev = ev, .offer = row->rec->offer};
  struct crv_opt_int need = {0, false};
  c.demand.device = row->device;
  c.model = row->device ? crv_device_model(row->device) : NULL;
  if (row->demand_bytes.set)
    need.set = crv_case_total(&c, row->demand_bytes.v, &need.v);
  else if (row->demand_run)
    need = row->demand_run->piece->result->declared_bytes;
  return need;
}

/* What to hold against the delivered machine before signing: bytes, driver, what the run used. */
static bool before_order(struct crv_eval *ev, struct crv_row *row) {
  char text[300], value[160];
  if (row->status != CRV_ADMISSIBLE) return true;
  struct crv_opt_int need = needed(ev, row);
  if (need.set && !row->demand_private) {
    snprintf(text, sizeof text, "each device declares at least %lld bytes", (long long)need.v);
    if (!append_text(ev->a, &row->before_order, crv_arena_strdup(ev->a, text))) return false;
  }
  for (size_t i = 0; i < row->n_pins; i++) {
    snprintf(text, sizeof text, "%s: proved with %s", row->pins[i].name,
             crv_fact_text(&row->pins[i], value, sizeof value));
    if (!append_text(ev->a, &row->before_order, crv_arena_strdup(ev->a, text))) return false;
  }
  return true;
}

/* "run@1 is out of date from 30 May 2027"; "": it never is. NULL: out of memory. */
static const char *expiry_text(struct crv_eval *ev, const struct crv_piece_rec *rec) {
  size_t slot = ((uintptr_t)rec >> 6) % (sizeof ev->expiries / sizeof *ev->expiries);
  struct crv_opt_int at = crv_piece_expiry(rec->piece, &ev->q->policy);
  char date[40];
  if (ev->expiries[slot].rec == rec) return ev->expiries[slot].text;
  const char *text = "";
  if (at.set)
    text = crv_arena_printf(ev->a, "%s is out of date from %s", rec->ref,
                            crv_date_text(at.v, date, sizeof date));
  ev->expiries[slot].rec = text ? rec : NULL;
  return ev->expiries[slot].text = text;
}

/* The dates on which the pieces that the row rests on go out of date. */
static bool expiries(struct crv_eval *ev, struct crv_row *row) {
  const struct crv_piece_rec *seen[32];
  size_t n = 0;
  for (size_t i = 0; i < row->n_findings; i++) {
    const struct crv_finding *f = &row->findings[i];
    for (size_t k = 0; k < f->n_cited && f->verdict == CRV_ADMISSIBLE; k++) {
      size_t j = 0;
      while (j < n && seen[j] != f->cited[k]) j++;
      if (j < n || n == 32) continue;
      seen[n++] = f->cited[k];
      const char *text = expiry_text(ev, f->cited[k]);
      if (!text) return false;
      if (*text && !append_text(ev->a, &row->invalidated_by, text)) return false;
    }
  }
  return true;
}

static bool evaluate_offer(struct crv_eval *ev, const struct crv_offer_rec *rec,
                           struct crv_row **ret) {
  struct crv_row *best = crv_new(ev->a, struct crv_row);
  struct crv_row row;
  struct crv_about about;
  if (!best || !crv_about_make(ev, rec, &about)) return false;
  for (size_t i = 0; i < ev->n_placements; i++) {
    if (!evaluate_placement(ev, &about, i, &row)) return false;
    if (i > 0 && !better(&row, best)) continue;
    if (!crv_row_keep(ev, &row)) return false;
    *best = row;
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

static const char *age_text(const struct crv_eval *ev, enum crv_kind kind) {
  int64_t hours = ev->q->policy.max_age[kind].v / CRV_HOUR_MS;
  bool days = hours % 24 == 0;
  return crv_arena_printf(ev->a, "%s counts for %lld %s from its date%s", crv_kind_info(kind)->name,
                          (long long)(days ? hours / 24 : hours), days ? "days" : "hours",
                          ev->q->policy.asked[kind] ? "" : " where it states no validity");
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
  for (int k = 1; k < CRV_KIND_COUNT; k++)
    if (ev->q->policy.max_age[k].set)
      ok = ok && append_text(ev->a, list, age_text(ev, (enum crv_kind)k));
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
