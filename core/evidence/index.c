/* The pieces in force at one position and time, and which of them concern an offer. Which piece
   concerns which offer is found by what its scope names, through sorted lists of the names.
   Must not know: verdicts. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/evidence.h"

/* What a scope can name; PIECES_ALL are considered for every offer. */
enum by {
  BY_OFFER,
  BY_REF,
  BY_SUPPLIER,
  BY_DEVICE,
  BY_MODEL,
  BY_ARCHITECTURE,
  PIECES_ALL,
  BY_COUNT
};

struct entry {
  const char *name;
  size_t piece; /* index into all */
};

struct crv_index {
  int64_t p, t;
  struct crv_policy policy;
  struct crv_indexed *all;
  size_t n;
  struct entry *by[BY_COUNT];
  size_t n_by[BY_COUNT];
};

/* -- standing -----------------------------------------------------------------------------------
 */

static bool observed_by(const struct crv_piece *p, int64_t t) {
  return !p->observed_at.set || p->observed_at.v <= t;
}

static enum crv_standing standing(const struct crv_index *ix, const struct crv_piece *p,
                                  struct crv_opt_int expiry) {
  if (p->retracted) return CRV_STANDS_RETRACTED;
  if (!observed_by(p, ix->t)) return CRV_STANDS_NOT_YET;
  if (expiry.set && expiry.v <= ix->t) return CRV_STANDS_EXPIRED;
  return CRV_STANDS;
}

static struct crv_indexed *find(const struct crv_index *ix, const char *key) {
  size_t low = 0, high = ix->n;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    int d = strcmp(ix->all[mid].rec->key, key);
    if (d == 0) return &ix->all[mid];
    if (d < 0)
      low = mid + 1;
    else
      high = mid;
  }
  return NULL;
}

/* A piece replaces those that it names for good, also once it has expired itself; not before it was
   observed, and not when it is retracted. */
static void supersede(struct crv_index *ix) {
  for (size_t i = 0; i < ix->n; i++) {
    const struct crv_piece *p = ix->all[i].rec->piece;
    if (p->retracted || !observed_by(p, ix->t)) continue;
    for (size_t k = 0; k < p->supersedes.n; k++) {
      struct crv_indexed *old = find(ix, *crv_list_at(p->supersedes, const char *, k));
      if (old && old != &ix->all[i] && old->standing != CRV_STANDS_RETRACTED)
        old->standing = CRV_STANDS_SUPERSEDED;
    }
  }
}

/* The highest version <= p of each key that was observed by t; where none was yet, the highest. A
   version replaces the one before from when it was observed. */
static void collect(struct crv_index *ix, const struct crv_evidence *e) {
  for (size_t i = 0, j; i < e->n; i = j) {
    const struct crv_piece_rec *best = NULL;
    for (j = i; j < e->n && !strcmp(e->recs[j]->key, e->recs[i]->key); j++) {
      if (e->recs[j]->seq > ix->p) continue;
      if (!best || observed_by(e->recs[j]->piece, ix->t) || !observed_by(best->piece, ix->t))
        best = e->recs[j];
    }
    if (!best) continue;
    struct crv_opt_int expiry = crv_piece_expiry(best->piece, &ix->policy);
    ix->all[ix->n++] = (struct crv_indexed){best, standing(ix, best->piece, expiry), expiry};
  }
}

/* -- what a scope names ---------------------------------------------------------------------------
 */

static bool is_star(const char *s) {
  return s && s[0] == '*' && s[1] == '\0';
}

static void put(struct crv_index *ix, enum by by, const char *name, size_t piece) {
  if (!name && by != PIECES_ALL) return;
  if (is_star(name)) by = PIECES_ALL;
  ix->by[by][ix->n_by[by]++] = (struct entry){name, piece};
}

/* Kinds whose pieces are about a device. */
static bool is_about_device(enum crv_kind k) {
  return k == CRV_KIND_PROTOCOL_RUN || k == CRV_KIND_FAILURE_REPORT || k == CRV_KIND_DEVICE_REPORT;
}

static bool put_documentation(struct crv_index *ix, const struct crv_scope *s, size_t i,
                              struct crv_arena *a) {
  char *lower = s->architecture ? crv_arena_strdup(a, s->architecture) : NULL;
  if (s->architecture && !lower) return false;
  for (char *c = lower; c && *c; c++) *c = (char)tolower((unsigned char)*c);
  put(ix, BY_ARCHITECTURE, lower, i);
  if (!lower && !s->device) put(ix, PIECES_ALL, NULL, i);
  return true;
}

/* Each list has room for every piece, and a piece stands in a list once at most; in PIECES_ALL it
   may stand several times. */
static bool put_scope(struct crv_index *ix, size_t i, struct crv_arena *a) {
  const struct crv_piece *p = ix->all[i].rec->piece;
  const struct crv_scope *s = p->scope;
  bool device_kind = is_about_device(p->kind);
  bool named = s->offer || (s->supplier_ref && !is_star(s->supplier_ref));
  put(ix, BY_OFFER, s->offer, i);
  if (!is_star(s->supplier_ref)) put(ix, BY_REF, s->supplier_ref, i);
  if (device_kind || !named) put(ix, BY_DEVICE, s->device, i);
  if (!named && (!device_kind || !s->device)) put(ix, BY_SUPPLIER, s->supplier, i);
  if (p->kind == CRV_KIND_QUALITY_EVALUATION || (!named && !s->device && !s->supplier)) {
    put(ix, BY_MODEL, s->model ? s->model->name : NULL, i);
    put(ix, BY_MODEL, s->application, i);
  }
  return p->kind != CRV_KIND_VENDOR_DOCUMENTATION || put_documentation(ix, s, i, a);
}

static int by_name(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  int d = crv_strorder(x->name, y->name);
  return d ? d : (x->piece > y->piece) - (x->piece < y->piece);
}

struct crv_index *crv_index_new(const struct crv_evidence *e, int64_t p, int64_t t,
                                const struct crv_policy *policy, struct crv_arena *a) {
  enum { PER_PIECE = 4 }; /* most entries of one piece in one list */
  struct crv_index *ix = crv_new(a, struct crv_index);
  if (!ix) return NULL;
  *ix = (struct crv_index){.p = p, .t = t, .policy = *policy};
  ix->all = crv_new_array(a, e->n + 1, struct crv_indexed);
  if (!ix->all) return NULL;
  collect(ix, e);
  supersede(ix);
  for (int by = 0; by < BY_COUNT; by++) {
    ix->by[by] = crv_new_array(a, ix->n * PER_PIECE + 1, struct entry);
    if (!ix->by[by]) return NULL;
  }
  for (size_t i = 0; i < ix->n; i++)
    if (!put_scope(ix, i, a)) return NULL;
  for (int by = 0; by < BY_COUNT; by++)
    qsort(ix->by[by], ix->n_by[by], sizeof(struct entry), by_name);
  return ix;
}

size_t crv_index_all(const struct crv_index *ix, const struct crv_indexed **ret) {
  *ret = ix->all;
  return ix->n;
}

/* -- the pieces of one offer ----------------------------------------------------------------------
 */

struct hits {
  const struct crv_index *ix;
  struct crv_arena *a;
  const struct crv_indexed **at;
  size_t n, cap;
  bool failed;
};

static void hit(struct hits *h, size_t piece) {
  if (h->failed) return;
  if (h->n == h->cap) {
    size_t cap = h->cap ? h->cap * 2 : 16;
    const struct crv_indexed **more = crv_new_array(h->a, cap, const struct crv_indexed *);
    h->failed = !more;
    if (!more) return;
    if (h->n) memcpy(more, h->at, h->n * sizeof *more);
    h->at = more;
    h->cap = cap;
  }
  h->at[h->n++] = &h->ix->all[piece];
}

static size_t first_named(const struct crv_index *ix, enum by by, const char *name) {
  size_t low = 0, high = ix->n_by[by];
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (crv_strorder(ix->by[by][mid].name, name) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

/* Those that name it; supplier: only those that name no other supplier. */
static void hit_named(struct hits *h, enum by by, const char *name, const char *supplier) {
  const struct crv_index *ix = h->ix;
  if (!name) return;
  for (size_t i = first_named(ix, by, name); i < ix->n_by[by]; i++) {
    const struct entry *e = &ix->by[by][i];
    if (!crv_streq(e->name, name)) return;
    const char *of = ix->all[e->piece].rec->piece->scope->supplier;
    if (supplier && of && !is_star(of) && strcmp(of, supplier) != 0) continue;
    hit(h, e->piece);
  }
}

static int by_place(const void *a, const void *b) {
  const struct crv_indexed *x = *(const struct crv_indexed *const *)a;
  const struct crv_indexed *y = *(const struct crv_indexed *const *)b;
  return (x > y) - (x < y);
}

static void hit_architecture(struct hits *h, const char *architecture) {
  char lower[65];
  size_t n = 0;
  if (!architecture || h->ix->n_by[BY_ARCHITECTURE] == 0) return;
  for (; architecture[n] && n + 1 < sizeof lower; n++)
    lower[n] = (char)tolower((unsigned char)architecture[n]);
  lower[n] = '\0';
  hit_named(h, BY_ARCHITECTURE, lower, NULL);
}

static void hit_load(struct hits *h, const char *const *models, size_t n_models,
                     const char *architecture, const char *model_name) {
  hit_named(h, BY_MODEL, model_name, NULL);
  hit_architecture(h, architecture);
  for (size_t i = 0; i < n_models; i++) {
    const struct crv_device_model *m = models[i] ? crv_device_model(models[i]) : NULL;
    hit_named(h, BY_DEVICE, models[i], NULL);
    if (m) hit_architecture(h, m->architecture);
  }
  for (size_t i = 0; i < h->ix->n_by[PIECES_ALL]; i++) hit(h, h->ix->by[PIECES_ALL][i].piece);
}

static void hit_names(struct hits *h, const struct crv_offer_rec *offer) {
  const struct crv_offer *o = offer->offer;
  hit_named(h, BY_OFFER, offer->key, NULL);
  hit_named(h, BY_REF, o->supplier_ref, o->supplier);
  hit_named(h, BY_SUPPLIER, o->supplier, NULL);
}

/* By key, each once. */
static bool seal(struct hits *h, const struct crv_indexed ***ret, size_t *ret_n) {
  size_t n = 0;
  if (h->failed) return false;
  if (h->n > 1) qsort(h->at, h->n, sizeof *h->at, by_place);
  for (size_t i = 0; i < h->n; i++)
    if (n == 0 || h->at[n - 1] != h->at[i]) h->at[n++] = h->at[i];
  *ret = h->at;
  *ret_n = n;
  return true;
}

bool crv_index_for_load(const struct crv_index *ix, const char *const *models, size_t n_models,
                        const char *architecture, const char *model_name, struct crv_arena *a,
                        const struct crv_indexed ***ret, size_t *ret_n) {
  struct hits h = {.ix = ix, .a = a};
  hit_load(&h, models, n_models, architecture, model_name);
  return seal(&h, ret, ret_n);
}

bool crv_index_naming(const struct crv_index *ix, const struct crv_offer_rec *offer,
                      struct crv_arena *a, const struct crv_indexed ***ret, size_t *ret_n) {
  struct hits h = {.ix = ix, .a = a};
  hit_names(&h, offer);
  return seal(&h, ret, ret_n);
}

bool crv_index_for_offer(const struct crv_index *ix, const struct crv_offer_rec *offer,
                         const char *const *models, size_t n_models, const char *model_name,
                         struct crv_arena *a, const struct crv_indexed ***ret, size_t *ret_n) {
  struct hits h = {.ix = ix, .a = a};
  const struct crv_device *d = offer->offer->device;
  hit_names(&h, offer);
  hit_load(&h, models, n_models, d ? d->architecture : NULL, model_name);
  return seal(&h, ret, ret_n);
}

/* -- citations ------------------------------------------------------------------------------------
 */

enum crv_standing crv_citation_standing(const struct crv_index *ix, const struct crv_evidence *e,
                                        const char *key, int64_t version,
                                        const struct crv_piece_rec **ret_rec,
                                        struct crv_opt_int *ret_expiry) {
  const struct crv_piece_rec *cited = crv_evidence_find(e, key, version, ix->p);
  const struct crv_indexed *newest = find(ix, key);
  *ret_rec = cited && cited->seq <= ix->p ? cited : NULL;
  *ret_expiry = (struct crv_opt_int){0, false};
  if (!*ret_rec) return CRV_STANDS_NOT_YET;
  *ret_expiry = crv_piece_expiry(cited->piece, &ix->policy);
  if (newest && newest->rec->piece->retracted) return CRV_STANDS_RETRACTED;
  return standing(ix, cited->piece, *ret_expiry);
}
