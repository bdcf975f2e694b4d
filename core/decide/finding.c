/* Findings under work and how they are kept. Those of the case at hand stand in rooms that the next
   case uses again; a row that is kept takes exact copies. Must not know: any criterion. */
#include <string.h>

#include "core/decide/eval.h"

/* What one finding can hold while it is made. */
struct room {
  struct crv_fact demanded[CRV_MAX_FACTS], observed[CRV_MAX_FACTS], pins[CRV_MAX_FACTS];
  const struct crv_piece_rec *cited[CRV_MAX_CITED];
  struct crv_set_aside aside[CRV_MAX_CITED];
  const struct crv_condition *conditions[CRV_MAX_CONDITIONS];
};

struct crv_rooms {
  struct crv_finding *at;
  struct room **rooms; /* of the findings in the same order; never moved */
  size_t n, cap;
};

static bool grow(struct crv_eval *ev, struct crv_rooms *r) {
  size_t cap = r->cap ? r->cap * 2 : 32;
  struct crv_finding *at = crv_new_array(ev->a, cap, struct crv_finding);
  struct room **rooms = crv_new_array(ev->a, cap, struct room *);
  if (!at || !rooms) return false;
  if (r->n) memcpy(at, r->at, r->n * sizeof *at);
  if (r->n) memcpy(rooms, r->rooms, r->n * sizeof *rooms);
  for (size_t i = r->n; i < cap; i++) {
    rooms[i] = crv_new(ev->a, struct room);
    if (!rooms[i]) return false;
  }
  r->at = at;
  r->rooms = rooms;
  r->n = r->cap = cap;
  return true;
}

static struct crv_finding begin(struct room *room) {
  return (struct crv_finding){
      .demanded = room->demanded,
      .observed = room->observed,
      .cited = room->cited,
      .aside = room->aside,
      .conditions = room->conditions,
      .pins = room->pins,
  };
}

struct crv_finding *crv_find(struct crv_case *c, enum crv_criterion id, enum crv_verdict v,
                             enum crv_reason r) {
  static _Thread_local struct room spare; /* after a failure the result is thrown away */
  static _Thread_local struct crv_finding scratch;
  struct crv_eval *ev = c->ev;
  struct crv_row *row = c->row;
  struct crv_rooms *rooms = ev->rooms[c->candidate];
  if (!rooms) rooms = ev->rooms[c->candidate] = crv_new(ev->a, struct crv_rooms);
  if (!rooms || (row->n_findings == rooms->n && !grow(ev, rooms))) {
    ev->failed = true;
    scratch = begin(&spare);
    return &scratch;
  }
  row->findings = rooms->at;
  struct crv_finding *f = &row->findings[row->n_findings];
  *f = begin(rooms->rooms[row->n_findings++]);
  f->criterion = id;
  f->verdict = v;
  f->reason = r;
  return f;
}

/* -- keeping --------------------------------------------------------------------------------------
 */

/* The next part of a block that holds all lists of a row. */
static void *take(char **at, const void *from, size_t n, size_t size) {
  if (n == 0) return NULL;
  void *to = *at;
  memcpy(to, from, n * size);
  *at += n * size;
  return to;
}

static size_t bytes_of(const struct crv_finding *f) {
  return (f->n_demanded + f->n_observed + f->n_pins) * sizeof *f->demanded +
         f->n_cited * sizeof *f->cited + f->n_aside * sizeof *f->aside +
         f->n_conditions * sizeof *f->conditions;
}

bool crv_row_keep(struct crv_eval *ev, struct crv_row *row) {
  size_t n = row->n_findings, bytes = n * sizeof *row->findings;
  for (size_t i = 0; i < n; i++) bytes += bytes_of(&row->findings[i]);
  char *at = crv_arena_alloc(ev->a, bytes);
  if (!at) return false;
  struct crv_finding *kept = take(&at, row->findings, n, sizeof *kept);
  for (size_t i = 0; i < n; i++) {
    struct crv_finding *f = &kept[i];
    f->demanded = take(&at, f->demanded, f->n_demanded, sizeof *f->demanded);
    f->observed = take(&at, f->observed, f->n_observed, sizeof *f->observed);
    f->pins = take(&at, f->pins, f->n_pins, sizeof *f->pins);
    f->aside = take(&at, f->aside, f->n_aside, sizeof *f->aside);
    f->cited = take(&at, f->cited, f->n_cited, sizeof *f->cited);
    f->conditions = take(&at, f->conditions, f->n_conditions, sizeof *f->conditions);
  }
  row->findings = kept;
  return true;
}

/* -- filling --------------------------------------------------------------------------------------
 */

void crv_find_cite(struct crv_finding *f, const struct crv_piece_rec *rec) {
  if (!rec) return;
  for (size_t i = 0; i < f->n_cited; i++)
    if (f->cited[i] == rec) return;
  if (f->n_cited < CRV_MAX_CITED)
    f->cited[f->n_cited++] = rec;
  else
    f->more_cited++;
}

void crv_find_aside(struct crv_finding *f, const struct crv_piece_rec *rec, enum crv_aside why,
                    const char *dimension) {
  for (size_t i = 0; i < f->n_cited; i++)
    if (f->cited[i] == rec) return;
  size_t at = f->n_aside;
  while (at > 0 && strcmp(rec->key, f->aside[at - 1].rec->key) < 0) at--;
  if (at > 0 && f->aside[at - 1].rec == rec) return;
  if (f->n_aside == CRV_MAX_CITED) {
    f->more_aside++;
    if (at == CRV_MAX_CITED) return;
    f->n_aside--;
  }
  memmove(&f->aside[at + 1], &f->aside[at], (f->n_aside - at) * sizeof *f->aside);
  f->aside[at] = (struct crv_set_aside){rec, why, dimension};
  f->n_aside++;
}

/* The first ones are named; of the others only their number counts, without those that are cited.
 */
void crv_find_asides(struct crv_finding *f, const struct crv_set_aside *at, size_t n) {
  size_t i = 0;
  for (; i < n && i < CRV_MAX_CITED + f->n_cited; i++)
    crv_find_aside(f, at[i].rec, at[i].why, at[i].dimension);
  f->more_aside += n - i;
  for (size_t k = 0; k < f->n_cited && i < n; k++) {
    size_t low = i, high = n;
    while (low < high) {
      size_t mid = low + (high - low) / 2;
      if (strcmp(at[mid].rec->key, f->cited[k]->key) < 0)
        low = mid + 1;
      else
        high = mid;
    }
    if (low < n && at[low].rec == f->cited[k]) f->more_aside--;
  }
}

void crv_find_condition(struct crv_finding *f, const struct crv_condition *cond) {
  if (!cond) return;
  for (size_t i = 0; i < f->n_conditions; i++)
    if (f->conditions[i] == cond) return;
  if (f->n_conditions < CRV_MAX_CONDITIONS) f->conditions[f->n_conditions++] = cond;
}

static void fact_add(struct crv_fact *facts, size_t *n, struct crv_fact f) {
  if (*n < CRV_MAX_FACTS) facts[(*n)++] = f;
}
void crv_demanded(struct crv_finding *f, struct crv_fact fact) {
  if (fact.type == CRV_FACT_NULL) return; /* nothing is demanded of it */
  fact_add(f->demanded, &f->n_demanded, fact);
}
void crv_observed(struct crv_finding *f, struct crv_fact fact) {
  fact_add(f->observed, &f->n_observed, fact);
}

void crv_find_conflict(struct crv_case *c, struct crv_finding *f, const struct crv_piece_rec *a,
                       const struct crv_piece_rec *b, const char *what) {
  struct crv_fact p[] = {crv_f_text("first", a->ref), crv_f_text("second", b->ref),
                         crv_f_text("what", what)};
  f->verdict = CRV_TO_CONFIRM;
  f->reason = CRV_REASON_EVIDENCE_CONFLICT;
  crv_find_cite(f, a);
  crv_find_cite(f, b);
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_CONFLICT, p, 3,
                                 crv_arena_printf(c->ev->a, "conflict %s %s", a->ref, b->ref)));
}
