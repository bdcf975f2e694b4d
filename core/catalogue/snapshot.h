/* The sorted, immutable arrays of reference-counted record versions that the catalogue and the
   evidence snapshots are made of, written once for both. A file that includes it defines SNAP_REC,
   a record type with key, version, seq and refs, and SNAP_UNREF, which drops one reference.
   Must not know: what a record holds. */
#include <stdlib.h>
#include <string.h>

typedef const struct SNAP_REC *snap_rec;

static int snap_cmp(const void *a, const void *b) {
  const snap_rec x = *(const snap_rec *)a, y = *(const snap_rec *)b;
  int d = strcmp(x->key, y->key);
  return d ? d : (x->version > y->version) - (x->version < y->version);
}

/* Records are shared read-only; only their count of references changes, atomically. */
static struct SNAP_REC *snap_unconst(snap_rec r) {
  return (struct SNAP_REC *)(uintptr_t)r;
}

static snap_rec snap_ref(snap_rec r) {
  __atomic_add_fetch(&snap_unconst(r)->refs, 1, __ATOMIC_RELAXED);
  return r;
}

static void snap_unref_all(snap_rec *recs, size_t n) {
  for (size_t i = 0; i < n; i++) SNAP_UNREF(snap_unconst(recs[i]));
}

/* base and add merged by key, then version; takes one reference of each added record in every
   case and one more of each of base. A version that base holds already is not added. NULL: out of
   memory. malloc'ed. */
static snap_rec *snap_merge(snap_rec *base, size_t n_base, struct SNAP_REC **add, size_t n_add,
                            size_t *ret_n) {
  snap_rec *all = NULL, *sorted = malloc((n_add + 1) * sizeof *sorted);
  if (n_base < SIZE_MAX / sizeof *all - n_add - 1) all = malloc((n_base + n_add + 1) * sizeof *all);
  for (size_t k = 0; sorted && k < n_add; k++) sorted[k] = add[k];
  if (!all || !sorted) {
    for (size_t k = 0; k < n_add; k++) SNAP_UNREF(add[k]);
    free(all);
    free(sorted);
    return NULL;
  }
  qsort(sorted, n_add, sizeof *sorted, snap_cmp);
  size_t i = 0, j = 0, n = 0;
  while (i < n_base || j < n_add) {
    int d = i == n_base ? 1 : j == n_add ? -1 : snap_cmp(&base[i], &sorted[j]);
    if (d > 0)
      all[n++] = sorted[j++];
    else
      all[n++] = snap_ref(base[i++]);
    if (d == 0) SNAP_UNREF(snap_unconst(sorted[j++]));
  }
  free(sorted);
  *ret_n = n;
  return all;
}

/* Index of the first record whose key is not before the given one. */
static size_t snap_first(snap_rec *recs, size_t n, const char *key) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (strcmp(recs[mid]->key, key) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

/* The version, or with version 0 the highest with seq <= p; NULL when there is none. */
static snap_rec snap_find(snap_rec *recs, size_t n, const char *key, int64_t version, int64_t p) {
  snap_rec best = NULL;
  for (size_t i = snap_first(recs, n, key); i < n && !strcmp(recs[i]->key, key); i++)
    if (version ? recs[i]->version == version : recs[i]->seq <= p) best = recs[i];
  return best;
}
