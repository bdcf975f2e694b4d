/* What offers share: the pieces about the load on one set of device models, found once; and of each
   offer the pieces that name it. Must not know: what a piece proves. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

bool crv_hits_room(struct crv_eval *ev, struct crv_hits *list, size_t n) {
  list->n = 0;
  list->at = crv_new_array(ev->a, n ? n : 1, const struct crv_indexed *);
  if (!list->at) ev->failed = true;
  return list->at != NULL;
}

void crv_hit(struct crv_hits *list, const struct crv_indexed *ix) {
  list->at[list->n++] = ix;
}

/* -- groups ---------------------------------------------------------------------------------------
 */

/* By what pieces name the load: its model, or the application. */
static const char *load_name(const struct crv_sheet *s) {
  if (crv_task_has_model(s->task)) return s->model ? s->model->name : NULL;
  return s->scene ? s->scene->application : NULL;
}

static const char *architecture_of(const struct crv_offer_rec *rec) {
  return rec->offer->device ? rec->offer->device->architecture : NULL;
}

static bool is_note(enum crv_kind k) {
  return k == CRV_KIND_ORDER_PREFERENCE || k == CRV_KIND_STOCK_DECLARATION;
}

/* A driver on whatever machine of a supplier, or of all. */
static bool is_open_machine(const struct crv_piece *p) {
  bool machine = p->kind == CRV_KIND_DEVICE_REPORT || p->kind == CRV_KIND_PROTOCOL_RUN;
  bool open = !p->scope->supplier_ref || !strcmp(p->scope->supplier_ref, "*");
  return machine && open && p->scope->supplier && (p->scope->driver || p->result->driver);
}

static void sort_piece(struct crv_group *g, const struct crv_indexed *ix) {
  const struct crv_piece *p = ix->rec->piece;
  if (p->kind == CRV_KIND_DEVICE_REPORT && p->result && p->result->declared_bytes.set)
    crv_hit(&g->reports, ix);
  if (p->result && is_open_machine(p)) crv_hit(&g->machines, ix);
  if (is_note(p->kind)) crv_hit(&g->notes, ix);
}

static struct crv_group *new_group(struct crv_eval *ev, const struct crv_about *about) {
  struct crv_group *g = crv_new(ev->a, struct crv_group);
  if (!g) return NULL;
  memcpy(g->models, about->models, sizeof g->models);
  g->n_models = about->n_models;
  g->architecture = architecture_of(about->rec);
  g->quality = crv_new_array(ev->a, ev->q->sheet->quality.n + 1, struct crv_evaluated *);
  if (!g->quality ||
      !crv_index_for_load(ev->index, g->models, g->n_models, g->architecture,
                          load_name(ev->q->sheet), ev->a, &g->pieces.at, &g->pieces.n))
    return NULL;
  size_t n = g->pieces.n;
  if (!crv_hits_room(ev, &g->reports, n) || !crv_hits_room(ev, &g->machines, n) ||
      !crv_hits_room(ev, &g->notes, n))
    return NULL;
  for (size_t i = 0; i < n; i++) sort_piece(g, g->pieces.at[i]);
  return g;
}

static size_t mix(size_t h, const char *text) {
  for (const char *p = text ? text : ""; *p; p++) h = (h ^ (unsigned char)*p) * 16777619u;
  return (h ^ 0xffu) * 16777619u;
}

static size_t hash_of(const char *const *models, size_t n, const char *architecture) {
  size_t h = mix(2166136261u, architecture);
  for (size_t i = 0; i < n; i++) h = mix(h, models[i]);
  return h ^ (h >> 15);
}

static bool is_group(const struct crv_group *g, const struct crv_about *about) {
  if (g->n_models != about->n_models || !crv_streq(g->architecture, architecture_of(about->rec)))
    return false;
  for (size_t i = 0; i < g->n_models; i++)
    if (strcmp(g->models[i], about->models[i]) != 0) return false;
  return true;
}

static bool grow_groups(struct crv_eval *ev) {
  if (ev->n_groups * 2 < ev->cap_groups) return true;
  size_t cap = ev->cap_groups ? ev->cap_groups * 2 : 64;
  struct crv_group **table = crv_new_array(ev->a, cap, struct crv_group *);
  if (!table) return false;
  for (size_t i = 0; i < ev->cap_groups; i++) {
    struct crv_group *g = ev->groups[i];
    if (!g) continue;
    size_t at = hash_of(g->models, g->n_models, g->architecture) & (cap - 1);
    while (table[at]) at = (at + 1) & (cap - 1);
    table[at] = g;
  }
  ev->groups = table;
  ev->cap_groups = cap;
  return true;
}

static struct crv_group *group_of(struct crv_eval *ev, const struct crv_about *about) {
  if (!grow_groups(ev)) return NULL;
  size_t at = hash_of(about->models, about->n_models, architecture_of(about->rec));
  for (at &= ev->cap_groups - 1; ev->groups[at]; at = (at + 1) & (ev->cap_groups - 1))
    if (is_group(ev->groups[at], about)) return ev->groups[at];
  struct crv_group *g = new_group(ev, about);
  if (g) ev->n_groups++;
  return ev->groups[at] = g;
}

/* -- one offer ------------------------------------------------------------------------------------
 */

/* Pieces of one index stand in memory by key. */
static bool holds(const struct crv_hits *list, const struct crv_indexed *ix) {
  size_t low = 0, high = list->n;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (list->at[mid] == ix) return true;
    if (list->at[mid] < ix)
      low = mid + 1;
    else
      high = mid;
  }
  return false;
}

bool crv_about_make(struct crv_eval *ev, const struct crv_offer_rec *rec, struct crv_about *ret) {
  memset(ret, 0, sizeof *ret);
  ret->rec = rec;
  if (!crv_index_naming(ev->index, rec, ev->a, &ret->named.at, &ret->named.n)) return false;
  ret->n_models = crv_models_of(rec, &ret->named, ret->models, &ret->identified);
  ret->group = group_of(ev, ret);
  if (!ret->group || !crv_hits_room(ev, &ret->extra, ret->named.n) ||
      !crv_hits_room(ev, &ret->own, ret->named.n))
    return false;
  for (size_t i = 0; i < ret->named.n; i++) {
    const struct crv_indexed *ix = ret->named.at[i];
    if (!holds(&ret->group->pieces, ix)) crv_hit(&ret->extra, ix);
    if (ix->standing == CRV_STANDS && crv_scoped_to_offer(ix->rec->piece, rec))
      crv_hit(&ret->own, ix);
  }
  return true;
}
