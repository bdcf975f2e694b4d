/* What people do next: the conditions of all offers that are not excluded, grouped by the one piece
   that would settle them, most unlocking first; and the fewest actions that retain an offer.
   Must not know: how a condition came about. */
#include <stdlib.h>
#include <string.h>

#include "core/decide/result.h"

/* A condition in use. `at` stands by address, for the way from a row's pointer to it. */
struct use {
  struct crv_condition *cond;
  size_t order; /* of first use; SIZE_MAX: not used */
  size_t group;
};
struct group {
  const struct crv_condition **conds; /* by first use */
  size_t n;
  int64_t offers, retains, points;
  size_t seen; /* the last row that counted it, plus one */
  int64_t row_points;
  const char *text;
};
struct gather {
  struct crv_shortlist *s;
  struct crv_arena *a;
  struct use *uses; /* by address */
  size_t n_uses;
  struct group *groups;
  size_t n_groups;
  size_t *set; /* the groups of one row, ascending */
  size_t n_set;
  size_t *sets; /* those of the rows that need the fewest actions */
  size_t n_sets, width;
};

static int by_address(const void *a, const void *b) {
  const struct use *x = a, *y = b;
  return (x->cond > y->cond) - (x->cond < y->cond);
}

static struct use *use_of(struct gather *g, const struct crv_condition *c) {
  size_t low = 0, high = g->n_uses;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (g->uses[mid].cond == c) return &g->uses[mid];
    if (g->uses[mid].cond < c)
      low = mid + 1;
    else
      high = mid;
  }
  return NULL;
}

static bool gather_new(struct gather *g, struct crv_shortlist *s, struct crv_eval *ev) {
  memset(g, 0, sizeof *g);
  g->s = s;
  g->a = ev->a;
  g->n_uses = ev->n_cond;
  g->uses = crv_new_array(g->a, ev->n_cond, struct use);
  s->conditions = crv_new_array(g->a, ev->n_cond, struct crv_condition *);
  g->groups = crv_new_array(g->a, ev->n_cond, struct group);
  g->set = crv_new_array(g->a, ev->n_cond, size_t);
  s->n_conditions = 0;
  if (!g->uses || !s->conditions || !g->groups || !g->set) return false;
  for (size_t i = 0; i < ev->n_cond; i++) {
    ev->cond_order[i]->offers = 0;
    g->uses[i] = (struct use){ev->cond_order[i], SIZE_MAX, 0};
  }
  if (g->n_uses) qsort(g->uses, g->n_uses, sizeof *g->uses, by_address);
  return true;
}

static void count_uses(struct gather *g, struct crv_row *const *rows, size_t n) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < rows[i]->n_conditions; j++) {
      struct use *u = use_of(g, rows[i]->conditions[j]);
      if (!u) continue;
      u->cond->offers++;
      if (u->order != SIZE_MAX) continue;
      u->order = g->s->n_conditions;
      g->s->conditions[g->s->n_conditions++] = u->cond;
    }
}

/* -- groups ---------------------------------------------------------------------------------------
 */

static int by_piece(const void *a, const void *b) {
  const struct use *x = *(struct use *const *)a, *y = *(struct use *const *)b;
  int order = strcmp(x->cond->piece, y->cond->piece);
  return order ? order : (x->order > y->order) - (x->order < y->order);
}

static bool make_groups(struct gather *g) {
  size_t n = g->s->n_conditions;
  struct use **sorted = crv_new_array(g->a, n, struct use *);
  const struct crv_condition **conds = crv_new_array(g->a, n, const struct crv_condition *);
  if (!sorted || !conds) return false;
  for (size_t i = 0; i < n; i++) sorted[i] = use_of(g, g->s->conditions[i]);
  if (n) qsort(sorted, n, sizeof *sorted, by_piece);
  for (size_t i = 0; i < n; i++) {
    conds[i] = sorted[i]->cond;
    if (i == 0 || strcmp(sorted[i - 1]->cond->piece, sorted[i]->cond->piece) != 0)
      g->groups[g->n_groups++].conds = &conds[i];
    g->groups[g->n_groups - 1].n++;
    sorted[i]->group = g->n_groups - 1;
  }
  return true;
}

/* Each open point counts once for each group that it waits for. */
static void count_points(struct gather *g, const struct crv_finding *f) {
  for (size_t i = 0; i < f->n_conditions; i++) {
    const struct use *u = use_of(g, f->conditions[i]);
    bool again = false;
    for (size_t j = 0; u && j < i; j++) {
      const struct use *before = use_of(g, f->conditions[j]);
      again |= before && before->group == u->group;
    }
    if (u && !again) g->groups[u->group].row_points++;
  }
}

static int by_size(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/* The groups that a row waits for, into g->set. False when no action is known to retain it:
   something open has no condition, the best figure exceeds the card on paper, or the sheet lacks a
   field, whose demand must be proved once it is stated. */
static bool row_set(struct gather *g, const struct crv_row *row, size_t stamp) {
  bool known = row->outlook != CRV_EXCEEDS_ON_PAPER;
  g->n_set = 0;
  for (size_t i = 0; i < row->n_conditions; i++) {
    const struct use *u = use_of(g, row->conditions[i]);
    const char *by = row->conditions[i]->settled_by;
    if (row->conditions[i]->code == CRV_COND_SHEET_FIELD || (by && !*by)) known = false;
    if (!u || g->groups[u->group].seen == stamp) continue;
    g->groups[u->group].seen = stamp;
    g->groups[u->group].row_points = 0;
    g->set[g->n_set++] = u->group;
  }
  for (size_t i = 0; i < row->n_findings; i++) {
    const struct crv_finding *f = &row->findings[i];
    if (f->verdict != CRV_TO_CONFIRM) continue;
    if (f->n_conditions == 0) known = false;
    count_points(g, f);
  }
  if (g->n_set) qsort(g->set, g->n_set, sizeof *g->set, by_size);
  return known && g->n_set > 0;
}

static void count_row(struct gather *g, const struct crv_row *row, size_t stamp) {
  bool known = row_set(g, row, stamp);
  for (size_t i = 0; i < g->n_set; i++) {
    struct group *p = &g->groups[g->set[i]];
    p->offers++;
    if (p->row_points > p->points) p->points = p->row_points;
    if (known && g->n_set == 1) p->retains++;
  }
  if (known && (g->width == 0 || g->n_set < g->width)) g->width = g->n_set;
}

/* -- the fewest actions
 * ----------------------------------------------------------------------------- */

struct set_ref {
  const size_t *at;
  size_t width;
};

static int by_set(const void *a, const void *b) {
  const struct set_ref *x = a, *y = b;
  for (size_t i = 0; i < x->width; i++)
    if (x->at[i] != y->at[i]) return x->at[i] < y->at[i] ? -1 : 1;
  return 0;
}

/* Of the rows that need the fewest actions, the largest group that needs the same ones. */
static bool fewest(struct gather *g) {
  struct crv_shortlist *s = g->s;
  size_t n = 0, run = 0, best = 0;
  s->unlock_actions = (int64_t)g->width;
  s->unlock_offers = 0;
  if (g->width == 0) return true;
  struct set_ref *refs = crv_new_array(g->a, s->n_preselection, struct set_ref);
  if (!refs) return false;
  for (size_t i = 0; i < s->n_preselection; i++) {
    /* stamps beyond those of count_row */
    bool known = row_set(g, s->preselection[i], s->n_preselection + i + 1);
    if (!known || g->n_set != g->width) continue;
    size_t *kept = crv_new_array(g->a, g->width, size_t);
    if (!kept) return false;
    memcpy(kept, g->set, g->width * sizeof *kept);
    refs[n++] = (struct set_ref){kept, g->width};
  }
  if (n) qsort(refs, n, sizeof *refs, by_set);
  for (size_t i = 0; i < n; i++) {
    run = i > 0 && by_set(&refs[i - 1], &refs[i]) == 0 ? run + 1 : 1;
    if (run > best) best = run;
  }
  s->unlock_offers = (int64_t)best;
  return true;
}

/* -- actions
 * ---------------------------------------------------------------------------------------- */

static int by_reach(const struct group *x, const struct group *y) {
  if (x->retains != y->retains) return x->retains > y->retains ? -1 : 1;
  if (x->offers != y->offers) return x->offers > y->offers ? -1 : 1;
  return 0;
}

static int farthest(const void *a, const void *b) {
  return by_reach(*(struct group *const *)a, *(struct group *const *)b);
}

static int most_unlocking(const void *a, const void *b) {
  const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;
  int order = by_reach(x, y);
  if (order == 0) order = strcmp(x->text, y->text);
  return order ? order : strcmp(x->conds[0]->piece, y->conds[0]->piece);
}

/* Brings the first n to the front. Sentences are only made of those that their reach may bring
   there. */
static bool in_reach(struct gather *g, struct group **sorted, size_t n) {
  size_t near = n;
  if (n == 0) return true;
  qsort(sorted, g->n_groups, sizeof *sorted, farthest);
  while (near < g->n_groups && by_reach(sorted[near], sorted[n - 1]) == 0) near++;
  for (size_t i = 0; i < near; i++) {
    struct group *p = sorted[i];
    p->text = crv_action_text(g->a, p->conds, p->n, p->points, p->offers);
    if (!p->text) return false;
  }
  qsort(sorted, near, sizeof *sorted, most_unlocking);
  return true;
}

static bool make_actions(struct gather *g) {
  struct crv_shortlist *s = g->s;
  struct group **sorted = crv_new_array(g->a, g->n_groups, struct group *);
  if (!sorted) return false;
  for (size_t i = 0; i < g->n_groups; i++) sorted[i] = &g->groups[i];
  s->n_actions = g->n_groups < CRV_MAX_ACTIONS ? g->n_groups : CRV_MAX_ACTIONS;
  if (!in_reach(g, sorted, s->n_actions)) return false;
  s->actions = crv_new_array(g->a, s->n_actions, struct crv_action);
  if (!s->actions) return false;
  for (size_t i = 0; i < s->n_actions; i++) {
    const struct group *p = sorted[i];
    s->actions[i] = (struct crv_action){
        p->text, p->conds, p->n, p->offers, p->retains, crv_condition_info(p->conds[0]->code)->ask};
  }
  return true;
}

void crv_actions_make(struct crv_shortlist *s, struct crv_eval *ev) {
  struct gather g;
  if (ev->failed || !gather_new(&g, s, ev)) {
    ev->failed = true;
    return;
  }
  count_uses(&g, s->retained, s->n_retained);
  count_uses(&g, s->preselection, s->n_preselection);
  bool ok = make_groups(&g);
  for (size_t i = 0; ok && i < s->n_preselection; i++) count_row(&g, s->preselection[i], i + 1);
  if (!ok || !fewest(&g) || !make_actions(&g)) ev->failed = true;
}
