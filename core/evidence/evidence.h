/* The evidence snapshot: every piece version up to a position, immutable, shared behind a reference
   count, extended by position; and which pieces concern an offer.
   Must not know: where records are kept, verdicts. */
#ifndef CRV_EVIDENCE_EVIDENCE_H
#define CRV_EVIDENCE_EVIDENCE_H

#include "core/catalogue/catalogue.h"
#include "core/evidence/piece.h"
#include "core/memory/budget.h"

struct crv_piece_rec {
  const char *key;
  int64_t version;
  int64_t seq;             /* ledger position */
  int64_t recorded_at;     /* ms */
  const char *recorded_by; /* token name */
  const struct crv_piece *piece;
  const char *digest;
  const char *ref;         /* "key@version" */
  struct crv_arena *arena; /* private */
  int refs;
};
struct crv_piece_rec *crv_piece_rec_new(const char *key, int64_t version, int64_t seq,
                                        int64_t recorded_at, const char *recorded_by,
                                        const char *json, size_t len, const char *digest,
                                        struct crv_err *err);
void crv_piece_rec_unref(struct crv_piece_rec *r);

struct crv_evidence {
  int64_t position;
  size_t n;
  const struct crv_piece_rec **recs; /* by key bytewise, then version ascending */
  int refs;
};
struct crv_evidence *crv_evidence_extend(const struct crv_evidence *base,
                                         struct crv_piece_rec **add, size_t n, int64_t position);
struct crv_evidence *crv_evidence_ref(struct crv_evidence *e);
void crv_evidence_unref(struct crv_evidence *e);
/* A version, or the highest with seq <= p when version is 0; NULL when there is none. */
const struct crv_piece_rec *crv_evidence_find(const struct crv_evidence *e, const char *key,
                                              int64_t version, int64_t p);

/* max_age by kind, ms; unset: none. Default: 30 days for commercial_sheet and catalogue_import. The
   default applies only to pieces that state no valid_until; an age that the question asks for
   applies to every piece of the kind. */
struct crv_policy {
  struct crv_opt_int max_age[CRV_KIND_COUNT];
  bool asked[CRV_KIND_COUNT];
};
void crv_policy_default(struct crv_policy *p);
/* {"max_age": {kind: age}} for every piece of the kind, {"default_max_age": {kind: age}} for those
   that state no valid_until; an age is "7d", "12h", hours as an integer, or "none". What is not
   named keeps its default. Unknown kinds and other fields are field errors. */
bool crv_policy_decode(const json_t *j, const char *ptr, struct crv_policy *ret,
                       struct crv_err *err);
/* Both maps in whole hours; reading it back gives the same policy. New; NULL: out of memory. */
json_t *crv_policy_json(const struct crv_policy *p);
/* The instant from which the piece no longer counts (valid_until or age); unset: never. */
struct crv_opt_int crv_piece_expiry(const struct crv_piece *p, const struct crv_policy *policy);

/* Why a considered piece doesn't count at a time. */
enum crv_standing {
  CRV_STANDS = 0,
  CRV_STANDS_NOT_YET, /* observed after as_of */
  CRV_STANDS_EXPIRED,
  CRV_STANDS_SUPERSEDED, /* a newer version, or a piece that names it in supersedes */
  CRV_STANDS_RETRACTED,
};

/* The pieces in force at position p and time t, indexed for one evaluation. Lives in an arena. */
struct crv_index;
struct crv_indexed {
  const struct crv_piece_rec *rec; /* the highest version <= p of its key observed by then */
  enum crv_standing standing;
  struct crv_opt_int expiry;
};
struct crv_index *crv_index_new(const struct crv_evidence *e, int64_t p, int64_t t,
                                const struct crv_policy *policy, struct crv_arena *a);
/* Every indexed piece, by key. */
size_t crv_index_all(const struct crv_index *ix, const struct crv_indexed **ret);
/* The pieces that concern an offer, by key: the scope names the offer's key; its supplier_ref (and
   no other supplier); one of its device models (models[n]); for kinds that are not about a device,
   its supplier and neither an offer nor a supplier_ref; for quality evaluations, and for pieces
   that name none of these, the sheet's model (or application: model_name); for documentation, the
   device's architecture, or none. "*" names all. False: out of memory. */
bool crv_index_for_offer(const struct crv_index *ix, const struct crv_offer_rec *offer,
                         const char *const *models, size_t n_models, const char *model_name,
                         struct crv_arena *a, const struct crv_indexed ***ret, size_t *ret_n);
/* The two halves of that: the pieces about a load on one of the device models, whoever offers them
   (architecture: what the offer itself says; NULL), and those that name the offer, its supplier_ref
   or its supplier. A piece may be in both. Each by key; false: out of memory. */
bool crv_index_for_load(const struct crv_index *ix, const char *const *models, size_t n_models,
                        const char *architecture, const char *model_name, struct crv_arena *a,
                        const struct crv_indexed ***ret, size_t *ret_n);
bool crv_index_naming(const struct crv_index *ix, const struct crv_offer_rec *offer,
                      struct crv_arena *a, const struct crv_indexed ***ret, size_t *ret_n);
/* The standing of the cited version of a piece (offers that cite an older version keep a valid
   citation until its own valid_until): expired, retracted (by the newest version) or standing. */
enum crv_standing crv_citation_standing(const struct crv_index *ix, const struct crv_evidence *e,
                                        const char *key, int64_t version,
                                        const struct crv_piece_rec **ret_rec,
                                        struct crv_opt_int *ret_expiry);

/* -- scope --------------------------------------------------------------------------------- */

/* The dimensions on which a criterion matches a piece. */
enum crv_dim_set {
  CRV_DIMS_MEMORY,       /* task, device, devices, strategy, model name+revision (or fingerprint),
                            formats,       every setting that the sheet names */
  CRV_DIMS_QUALITY,      /* model name+revision, formats, adapter */
  CRV_DIMS_LATENCY,      /* memory plus supplier and supplier_ref */
  CRV_DIMS_SUPPLIER,     /* supplier and supplier_ref, or a lot of the supplier */
  CRV_DIMS_OFFER,        /* the offer version */
  CRV_DIMS_ARCHITECTURE, /* device or architecture */
  CRV_DIMS_RUNTIME,      /* runtime or engine that the sheet's software names */
};
struct crv_demand { /* what one offer is asked under one accepted placement */
  const struct crv_sheet *sheet;
  const struct crv_offer_rec *offer;
  const char *device; /* the canonical model being considered (one of the candidates) */
  int64_t devices;
  enum crv_strategy strategy;
  struct crv_opt_int length, concurrency, microbatch, rank, jobs;
};
/* NULL when the piece covers the demand on the set's categorical dimensions; else the name of the
   first dimension that doesn't ("device", "precision.weights", "model.revision", ...), static text.
   *ret_omitted tells whether the piece left it out (unknown) rather than stating another value. */
const char *crv_scope_mismatch(enum crv_dim_set set, const struct crv_piece *p,
                               const struct crv_demand *d, bool *ret_omitted);
/* Joint monotone magnitudes. A pass covers when every demanded magnitude is stated and executed >=
   demanded; a failure when every demanded one is stated and every stated one is demanded and <=
   that. NULL: covered; else "length_short", "concurrency_short", "microbatch_short", "rank_short",
   "jobs_short" for a pass, "length_beyond", ... for a failure, "length_unknown", ... for both. */
const char *crv_scope_magnitudes(const struct crv_piece *p, const struct crv_demand *d,
                                 bool failure);
/* Names of an architecture are compared without regard to case: "Ada" is "ada". */
bool crv_architecture_is(const char *a, const char *b);
/* "vllm" is met by "vllm 0.17.0", "vllm >=0.17" by what the rule takes. */
bool crv_software_is(const char *rule, const char *stated);
/* What the piece states beyond the sheet, as pins: facts name -> text ("runtime" ->
   "transformers 5.17.0", "driver" -> "580.159"). At most 12; returns how many. */
size_t crv_scope_pins(const struct crv_piece *p, const struct crv_demand *d,
                      struct crv_fact ret[12]);

#endif
