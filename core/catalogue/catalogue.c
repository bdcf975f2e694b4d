/* Offer versions as immutable snapshots: built from stored records, extended by position, and asked
   which version is in force. Must not know: where records are kept. */
#include "core/catalogue/catalogue.h"

#include "core/base/cleanup.h"
#include "core/base/json.h"

#define SNAP_REC crv_offer_rec
#define SNAP_UNREF crv_offer_rec_unref
#include "core/catalogue/snapshot.h"

/* -- records ------------------------------------------------------------------------------------
 */

static bool no_memory(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

static bool copy(struct crv_arena *a, const char *s, const char **ret) {
  if (!s) return true;
  *ret = crv_arena_strdup(a, s);
  return *ret != NULL;
}

static bool read_content(struct crv_offer_rec *r, const char *json, size_t len,
                         struct crv_err *err) {
  struct crv_offer *offer = NULL;
  if (r->withdrawn) return true;
  _json_ json_t *j = crv_json_parse_stored(json, len, err);
  if (!j || !crv_offer_decode(j, "", false, r->arena, &offer, err)) return false;
  r->offer = offer;
  return true;
}

struct crv_offer_rec *crv_offer_rec_new(const char *key, int64_t version, int64_t seq,
                                        int64_t recorded_at, const char *json, size_t len,
                                        const char *source_key, int64_t source_version,
                                        const char *digest, struct crv_err *err) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_offer_rec *r = a ? crv_new(a, struct crv_offer_rec) : NULL;
  if (!r) return no_memory(err), NULL;
  *r = (struct crv_offer_rec){
      .version = version,
      .seq = seq,
      .recorded_at = recorded_at,
      .withdrawn = !json,
      .source_version = source_version,
      .arena = a,
      .refs = 1,
  };
  if (!copy(a, key, &r->key) || !copy(a, source_key, &r->source_key) ||
      !copy(a, digest, &r->digest))
    return no_memory(err), NULL;
  if (!read_content(r, json, len, err)) return NULL;
  a = NULL;
  return r;
}

void crv_offer_rec_unref(struct crv_offer_rec *r) {
  if (r && __atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) == 0) crv_arena_free(r->arena);
}

/* -- snapshots ------------------------------------------------------------------------------------
 */

struct crv_catalogue *crv_catalogue_extend(const struct crv_catalogue *base,
                                           struct crv_offer_rec **add, size_t n, int64_t position) {
  struct crv_catalogue *c = malloc(sizeof *c);
  if (!c) {
    for (size_t i = 0; i < n; i++) crv_offer_rec_unref(add[i]);
    return NULL;
  }
  *c = (struct crv_catalogue){.position = position, .refs = 1};
  c->recs = snap_merge(base ? base->recs : NULL, base ? base->n : 0, add, n, &c->n);
  if (c->recs) return c;
  free(c);
  return NULL;
}

struct crv_catalogue *crv_catalogue_ref(struct crv_catalogue *c) {
  __atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
  return c;
}

void crv_catalogue_unref(struct crv_catalogue *c) {
  if (!c || __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL) > 0) return;
  snap_unref_all(c->recs, c->n);
  free(c->recs);
  free(c);
}

/* -- what is in force -----------------------------------------------------------------------------
 */

static bool period_contains(const struct crv_offer *o, int64_t t) {
  if (o->effective_from.set && t < o->effective_from.v) return false;
  return !o->effective_until.set || t < o->effective_until.v;
}

/* Among the versions of one key, ascending. A tombstone hides every older one. */
static const struct crv_offer_rec *in_force(const struct crv_offer_rec **recs, size_t n, int64_t p,
                                            int64_t t) {
  for (size_t i = n; i-- > 0;) {
    const struct crv_offer_rec *r = recs[i];
    if (r->seq > p) continue;
    if (r->withdrawn) return NULL;
    if (period_contains(r->offer, t)) return r;
  }
  return NULL;
}

bool crv_catalogue_in_force(const struct crv_catalogue *c, int64_t p, int64_t t,
                            struct crv_arena *a, const struct crv_offer_rec ***ret, size_t *ret_n,
                            struct crv_err *err) {
  const struct crv_offer_rec **out = crv_new_array(a, c->n + 1, const struct crv_offer_rec *);
  size_t n = 0;
  if (!out) return no_memory(err);
  for (size_t i = 0, j; i < c->n; i = j) {
    for (j = i + 1; j < c->n && !strcmp(c->recs[j]->key, c->recs[i]->key);) j++;
    const struct crv_offer_rec *r = in_force(c->recs + i, j - i, p, t);
    if (r) out[n++] = r;
  }
  *ret = out;
  *ret_n = n;
  return true;
}

const struct crv_offer_rec *crv_catalogue_find(const struct crv_catalogue *c, const char *key,
                                               int64_t version, int64_t p) {
  return snap_find(c->recs, c->n, key, version, p);
}
