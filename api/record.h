/* What sheets, offers and pieces have in common over HTTP: PUT, GET and DELETE of a named record
   with immutable numbered versions, and the list of its versions. Must not know: what a record
   says. */
#ifndef CRV_API_RECORD_H
#define CRV_API_RECORD_H

#include "api/context.h"
#include "core/base/jspec.h"
#include "server/reply.h"

/* One kind of record, as its addresses and fields are named. */
struct crv_record_type {
  enum crv_aggregate agg;
  const char *noun;         /* "sheet" */
  const char *key_name;     /* "name", "key" */
  const char *version_name; /* "revision", "version" */
  const char *base;         /* "/v1/sheets" */
  const char *versions;     /* "revisions" */
  /* Adds what only an answer shows (NULL: nothing); content is the canonical object. */
  bool (*show)(struct crv_req *rq, const struct crv_version *v, const json_t *content, json_t *obj,
               struct crv_err *err);
  /* May this request see the record? NULL: yes. */
  bool (*allowed)(struct crv_req *rq, const struct crv_version *v, const json_t *content,
                  struct crv_err *err);
};
extern const struct crv_record_type crv_sheet_record, crv_offer_record, crv_piece_record;

/* The body without the members that only answers carry (version, digest ...), so that what GET gave
   can be sent back. Lives as long as the request; NULL with err. */
const json_t *crv_record_body(struct crv_req *rq, const struct crv_record_type *t,
                              struct crv_err *err);
/* False with a field error when the body names another key than the path. */
bool crv_record_same_key(const struct crv_record_type *t, const char *in_body, const char *in_path,
                         struct crv_err *err);
/* The canonical JSON of a decoded struct, in the arena; NULL with err. */
const char *crv_record_canonical(const struct crv_jspec *spec, const void *in, struct crv_arena *a,
                                 struct crv_err *err);

/* A PUT: fill type, rq, key, canonical, kind; before (may be NULL) runs inside the write, ahead of
   the record, and may run more than once: it checks and makes what the record cites. */
struct crv_record_put {
  const struct crv_record_type *type;
  struct crv_req *rq;
  struct crv_put put;
  bool (*before)(struct crv_wtx *tx, struct crv_record_put *p, struct crv_err *err);
  void *ctx;
};
bool crv_record_put(struct crv_record_put *p, struct crv_resp *rs, struct crv_err *err);
/* version 0: the newest; a withdrawn newest one is WITHDRAWN. */
bool crv_record_get(struct crv_req *rq, struct crv_resp *rs, const struct crv_record_type *t,
                    const char *key, int64_t version, struct crv_err *err);
bool crv_record_delete(struct crv_req *rq, struct crv_resp *rs, const struct crv_record_type *t,
                       const char *key, struct crv_err *err);
/* The list of a key's versions, newest first. */
bool crv_record_versions(struct crv_req *rq, struct crv_resp *rs, const struct crv_record_type *t,
                         const char *key, struct crv_err *err);
/* A stored version as a new object: key, version, content, then who, when and digest. NULL with
 * err. */
json_t *crv_record_json(struct crv_req *rq, const struct crv_record_type *t,
                        const struct crv_version *v, struct crv_err *err);
/* Reads one version; texts in the request's arena. */
bool crv_record_read(struct crv_req *rq, const struct crv_record_type *t, const char *key,
                     int64_t version, struct crv_version *ret, struct crv_err *err);

#endif
