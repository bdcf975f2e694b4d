/* The catalogue snapshot: every offer version up to a position, immutable, shared behind a
   reference count, extended by position with only what is newer.
   Must not know: where records are kept. */
#ifndef CRV_CATALOGUE_CATALOGUE_H
#define CRV_CATALOGUE_CATALOGUE_H

#include "core/catalogue/offer.h"

/* One version as stored. Owned by the snapshots that hold it (reference counted). */
struct crv_offer_rec {
  const char *key;
  int64_t version;     /* 1.. */
  int64_t seq;         /* ledger position */
  int64_t recorded_at; /* ms */
  bool withdrawn;      /* a tombstone: offer is NULL */
  const struct crv_offer *offer;
  const char *source_key; /* piece cited or recorded with it; NULL: none */
  int64_t source_version;
  const char *digest; /* sha256 of the canonical content, hex */
  /* private */
  struct crv_arena *arena;
  int refs;
};

/* Builds a record from its stored canonical JSON. json NULL: withdrawn. Returns it with one
   reference, or NULL with err. */
struct crv_offer_rec *crv_offer_rec_new(const char *key, int64_t version, int64_t seq,
                                        int64_t recorded_at, const char *json, size_t len,
                                        const char *source_key, int64_t source_version,
                                        const char *digest, struct crv_err *err);
void crv_offer_rec_unref(struct crv_offer_rec *r);

struct crv_catalogue {
  int64_t position;                  /* highest ledger sequence it has seen of any kind */
  size_t n;                          /* versions */
  const struct crv_offer_rec **recs; /* by key bytewise, then version ascending */
  int refs;
};

/* base (NULL: empty) and n records, any order, with seq > base's: a new snapshot with one
   reference. Takes one reference of each record in every case. NULL: out of memory. */
struct crv_catalogue *crv_catalogue_extend(const struct crv_catalogue *base,
                                           struct crv_offer_rec **add, size_t n, int64_t position);
struct crv_catalogue *crv_catalogue_ref(struct crv_catalogue *c); /* atomic */
void crv_catalogue_unref(struct crv_catalogue *c);                /* NULL allowed */

/* The version of each key in force at position p and time t (the highest version with seq <= p
   whose period contains t; a tombstone hides older ones), keys ascending. Fills a's array; returns
   count. */
bool crv_catalogue_in_force(const struct crv_catalogue *c, int64_t p, int64_t t,
                            struct crv_arena *a, const struct crv_offer_rec ***ret, size_t *ret_n,
                            struct crv_err *err);
/* One version, or the highest with seq <= p when version is 0; NULL when there is none. */
const struct crv_offer_rec *crv_catalogue_find(const struct crv_catalogue *c, const char *key,
                                               int64_t version, int64_t p);

/* Which offers a question or list asks for; NULL or unset fields do not filter. */
struct crv_filter {
  const char *device, *supplier, *region, *currency, *key_prefix;
  struct crv_opt_int min_memory_bytes; /* nominal upper reading at least this */
  struct crv_list keys;                /* const char *: only these */
};
bool crv_filter_passes(const struct crv_filter *f, const struct crv_offer_rec *r);
extern const struct crv_jspec crv_filter_spec;

#endif
