/* Piece versions as immutable snapshots: built from stored records and extended by position.
   Must not know: where records are kept, verdicts. */
#include "core/evidence/evidence.h"

#include <inttypes.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"

#define SNAP_REC crv_piece_rec
#define SNAP_UNREF crv_piece_rec_unref
#include "core/catalogue/snapshot.h"

static bool no_memory(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

static bool copy(struct crv_arena *a, const char *s, const char **ret) {
  if (!s) return true;
  *ret = crv_arena_strdup(a, s);
  return *ret != NULL;
}

static bool read_content(struct crv_piece_rec *r, const char *json, size_t len,
                         struct crv_err *err) {
  struct crv_piece *piece = NULL;
  _json_ json_t *j = crv_json_parse_stored(json, len, err);
  if (!j || !crv_piece_decode(j, "", r->arena, &piece, err)) return false;
  r->piece = piece;
  return true;
}

struct crv_piece_rec *crv_piece_rec_new(const char *key, int64_t version, int64_t seq,
                                        int64_t recorded_at, const char *recorded_by,
                                        const char *json, size_t len, const char *digest,
                                        struct crv_err *err) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_piece_rec *r = a ? crv_new(a, struct crv_piece_rec) : NULL;
  if (!r) return no_memory(err), NULL;
  *r = (struct crv_piece_rec){
      .version = version, .seq = seq, .recorded_at = recorded_at, .arena = a, .refs = 1};
  r->ref = crv_arena_printf(a, "%s@%" PRId64, key, version);
  if (!r->ref || !copy(a, key, &r->key) || !copy(a, recorded_by, &r->recorded_by) ||
      !copy(a, digest, &r->digest))
    return no_memory(err), NULL;
  if (!read_content(r, json, len, err)) return NULL;
  a = NULL;
  return r;
}

void crv_piece_rec_unref(struct crv_piece_rec *r) {
  if (r && __atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) == 0) crv_arena_free(r->arena);
}

struct crv_evidence *crv_evidence_extend(const struct crv_evidence *base,
                                         struct crv_piece_rec **add, size_t n, int64_t position) {
  struct crv_evidence *e = malloc(sizeof *e);
  if (!e) {
    for (size_t i = 0; i < n; i++) crv_piece_rec_unref(add[i]);
    return NULL;
  }
  *e = (struct crv_evidence){.position = position, .refs = 1};
  e->recs = snap_merge(base ? base->recs : NULL, base ? base->n : 0, add, n, &e->n);
  if (e->recs) return e;
  free(e);
  return NULL;
}

struct crv_evidence *crv_evidence_ref(struct crv_evidence *e) {
  __atomic_add_fetch(&e->refs, 1, __ATOMIC_RELAXED);
  return e;
}

void crv_evidence_unref(struct crv_evidence *e) {
  if (!e || __atomic_sub_fetch(&e->refs, 1, __ATOMIC_ACQ_REL) > 0) return;
  snap_unref_all(e->recs, e->n);
  free(e->recs);
  free(e);
}

const struct crv_piece_rec *crv_evidence_find(const struct crv_evidence *e, const char *key,
                                              int64_t version, int64_t p) {
  return snap_find(e->recs, e->n, key, version, p);
}
