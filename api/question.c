/* From a request's body, or from a stored decision, to the question. */
#include "api/question.h"

#include <stddef.h>
#include <string.h>

#include "api/answer.h"
#include "api/record.h"
#include "core/base/cleanup.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/evidence/piece.h"

/* -- the body ------------------------------------------------------------------------------ */

/* A member whose JSON is looked at by the handler; borrowed from the request. */
struct any {
  const json_t *j;
};
struct ask {
  struct any sheet, policy;
  struct crv_opt_int as_of, limit;
  struct crv_filter *offers;
};

static bool any_decode(const json_t *j, const char *ptr, struct crv_arena *a, void *out,
                       struct crv_err *err) {
  (void)ptr;
  (void)a;
  (void)err;
  ((struct any *)out)->j = j;
  return true;
}

static json_t *any_encode(const void *in) {
  return json_incref((json_t *)(uintptr_t)((const struct any *)in)->j);
}

static bool any_set(const void *in) {
  return ((const struct any *)in)->j != NULL;
}

static const struct crv_jcustom sheet_type = {
    sizeof(struct any), any_decode, any_encode, any_set,
    "{\"oneOf\":[{\"type\":\"string\",\"description\":\"Name of a stored sheet.\"},"
    "{\"$ref\":\"#/components/schemas/Sheet\"}]}"};
static const struct crv_jcustom policy_type = {
    sizeof(struct any), any_decode, any_encode, any_set,
    "{\"type\":\"object\",\"properties\":{\"max_age\":{\"type\":\"object\","
    "\"description\":\"By kind of piece: hours, or days as \\\"30d\\\".\"}}}"};

static const struct crv_jfield ask_fields[] = {
    {.name = "sheet",
     .type = CRV_JT_CUSTOM,
     .flags = CRV_JF_REQUIRED,
     .offset = offsetof(struct ask, sheet),
     .custom = &sheet_type,
     .doc = "Name of a stored sheet, or the sheet itself; with a name it is stored with the "
            "decision."},
    {.name = "as_of",
     .type = CRV_JT_TIME,
     .offset = offsetof(struct ask, as_of),
     .doc = "Instant of the answer; absent: the last one at which something counted changed."},
    {.name = "offers",
     .type = CRV_JT_OBJECT,
     .offset = offsetof(struct ask, offers),
     .sub = &crv_filter_spec,
     .doc = "Which offers are considered; absent: all."},
    {.name = "limit",
     .type = CRV_JT_INT,
     .offset = offsetof(struct ask, limit),
     .min = 1,
     .max = 1000,
     .doc = "Rows shown over retained, then preselection; absent: 20."},
    {.name = "policy",
     .type = CRV_JT_CUSTOM,
     .offset = offsetof(struct ask, policy),
     .custom = &policy_type,
     .doc = "How old pieces of a kind may be; absent: 30 days for prices."},
    {.name = NULL},
};
const struct crv_jspec crv_ask_spec = {.name = "DecisionRequest",
                                       .size = sizeof(struct ask),
                                       .fields = ask_fields,
                                       .extras_offset = SIZE_MAX};

/* -- the sheet ----------------------------------------------------------------------------- */

static bool digest_set(struct crv_asked *asked, struct crv_arena *a, struct crv_err *err) {
  char hex[CRV_SHA256_HEX];
  asked->digest =
      crv_arena_strdup(a, crv_sha256_hex(asked->canonical, strlen(asked->canonical), hex));
  return asked->digest || crv_no_memory(err);
}

static bool sheet_inline(struct crv_req *rq, const json_t *j, const char *ptr,
                         struct crv_asked *ret, struct crv_err *err) {
  if (!crv_sheet_decode(j, ptr, rq->arena, &ret->sheet, err) ||
      !crv_sheet_check_demands(ret->sheet, ptr, err))
    return false;
  ret->name = ret->sheet->name;
  ret->put = ret->name != NULL;
  ret->sheet->name = NULL;
  ret->canonical = crv_record_canonical(&crv_sheet_spec, ret->sheet, rq->arena, err);
  return ret->canonical && digest_set(ret, rq->arena, err);
}

/* The client's bytes of the sheet: the body itself, or the member as compact JSON. */
static bool raw_set(struct crv_req *rq, const json_t *j, struct crv_asked *ret,
                    struct crv_err *err) {
  ret->raw = rq->body;
  ret->raw_len = rq->body_len;
  if (j == rq->json) return true;
  _free_ char *text = crv_json_compact(j);
  ret->raw = text ? crv_arena_strdup(rq->arena, text) : NULL;
  ret->raw_len = ret->raw ? strlen(ret->raw) : 0;
  return ret->raw || crv_no_memory(err);
}

static bool sheet_named(struct crv_req *rq, const json_t *j, struct crv_asked *ret,
                        struct crv_err *err) {
  const char *name = json_string_value(j);
  if (!name || !crv_key_ok(name, json_string_length(j)))
    return crv_fail_field(err, "/sheet", "wrong_type", "a sheet's name, or the sheet itself",
                          "Expected the name of a stored sheet, or a sheet.");
  ret->name = crv_arena_strdup(rq->arena, name);
  return ret->name || crv_no_memory(err);
}

/* -- the stored revision ------------------------------------------------------------------- */

struct newest {
  struct crv_req *rq;
  struct crv_asked *asked;
  struct crv_version found;
};

static bool read_newest(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct newest *n = ctx;
  return crv_rd_version(tx, CRV_AGG_SHEET, n->asked->name, 0, 0, n->rq->arena, &n->found, err);
}

static bool adopt(struct crv_req *rq, const struct crv_version *v, struct crv_asked *asked,
                  struct crv_err *err) {
  if (v->withdrawn)
    return crv_fail_field(err, "/sheet", "withdrawn", "a sheet that is stored",
                          "The sheet %s was withdrawn.", asked->name);
  _json_ json_t *j = crv_json_parse_stored(v->canonical, v->canonical_len, err);
  asked->canonical = v->canonical;
  asked->digest = v->digest;
  return j && crv_sheet_decode(j, "", rq->arena, &asked->sheet, err);
}

/* Ties a named sheet to its newest revision: the inline one only when it is the same. */
static bool bind_revision(struct crv_req *rq, struct crv_asked *asked, struct crv_err *err) {
  struct newest n = {.rq = rq, .asked = asked};
  bool is_inline = asked->canonical != NULL;
  if (!asked->name) return true;
  bool found = crv_store_read(crv_api_of(rq)->store, read_newest, &n, err);
  if (!found && err->code != CRV_NOT_FOUND) return false;
  if (!found) crv_err_init(err);
  if (!found && !is_inline)
    return crv_fail_field(err, "/sheet", "not_found", "GET /v1/sheets lists those that are stored",
                          "There is no sheet %s.", asked->name);
  if (!is_inline && !adopt(rq, &n.found, asked, err)) return false;
  bool same = found && !n.found.withdrawn && crv_streq(n.found.digest, asked->digest);
  if (same) asked->revision = n.found.version;
  asked->put = is_inline && !same;
  if (!asked->put || rq->who.role != CRV_ROLE_PROCUREMENT) return true;
  return crv_fail(
      err, CRV_FORBIDDEN,
      "An inline sheet with a name is stored, which is for the roles ci and admin; leave "
      "its name out, or ask about a stored sheet.");
}

/* -- what makes two questions the same ------------------------------------------------------ */

static json_t *identity_json(const struct crv_asked *asked) {
  _json_ json_t *j = json_object();
  json_t *sheet = json_object();
  bool ok = crv_json_set_text(sheet, "name", asked->name) &&
            crv_json_set_text(sheet, "digest", asked->digest);
  ok = crv_json_set_steal(j, "sheet", sheet) && ok &&
       crv_json_set_steal(j, "offers", crv_jspec_encode(&crv_filter_spec, &asked->filter)) &&
       crv_json_set_int(j, "limit", asked->limit) &&
       crv_json_set_steal(j, "policy", crv_policy_json(&asked->policy));
  if (ok && asked->as_of.set) ok = crv_json_set_time(j, "as_of", asked->as_of.v);
  return ok ? crv_steal(&j) : NULL;
}

static bool identity_set(struct crv_asked *asked, struct crv_arena *a, struct crv_err *err) {
  char hex[CRV_SHA256_HEX];
  _json_ json_t *j = identity_json(asked);
  _free_ char *text = j ? crv_json_canonical(j) : NULL;
  asked->question = text ? crv_arena_strdup(a, text) : NULL;
  if (!asked->question) return crv_no_memory(err);
  asked->question_digest = crv_arena_strdup(a, crv_sha256_hex(text, strlen(text), hex));
  return asked->question_digest || crv_no_memory(err);
}

static bool rest_set(const struct ask *ask, struct crv_asked *ret, struct crv_err *err) {
  ret->limit = ask->limit.set ? (unsigned)ask->limit.v : CRV_ROWS_DEFAULT;
  ret->as_of = ask->as_of;
  if (ask->offers) ret->filter = *ask->offers;
  crv_policy_default(&ret->policy);
  return !ask->policy.j || crv_policy_decode(ask->policy.j, "/policy", &ret->policy, err);
}

bool crv_asked_read(struct crv_req *rq, struct crv_asked *ret, struct crv_err *err) {
  struct ask ask = {0};
  const json_t *j = rq->json;
  const char *ptr = "";
  *ret = (struct crv_asked){0};
  bool bare = json_object_get(j, "task") && !json_object_get(j, "sheet");
  if (!bare) {
    if (!crv_jspec_decode(&crv_ask_spec, j, "", rq->arena, &ask, err)) return false;
    j = ask.sheet.j;
    ptr = "/sheet";
  }
  bool ok = json_is_object(j) ? sheet_inline(rq, j, ptr, ret, err) && raw_set(rq, j, ret, err)
                              : sheet_named(rq, j, ret, err);
  ok = rest_set(&ask, ret, err) && ok;
  return ok && bind_revision(rq, ret, err) && identity_set(ret, rq->arena, err);
}

/* -- stored -------------------------------------------------------------------------------- */

static bool stored_sheet(struct crv_rtx *tx, const struct crv_decision_row *d, struct crv_arena *a,
                         struct crv_asked *ret, struct crv_err *err) {
  struct crv_version v = {.canonical = d->sheet_json};
  if (d->sheet_name &&
      !crv_rd_version(tx, CRV_AGG_SHEET, d->sheet_name, d->sheet_revision, 0, a, &v, err))
    return false;
  if (!v.canonical) return crv_bug(err, "decision %lld without its sheet", (long long)d->number);
  _json_ json_t *j = crv_json_parse_stored(v.canonical, strlen(v.canonical), err);
  ret->canonical = v.canonical;
  return j && crv_sheet_decode(j, "", a, &ret->sheet, err);
}

static bool stored_filter(const json_t *j, struct crv_arena *a, struct crv_asked *ret,
                          struct crv_err *err) {
  const json_t *offers = json_object_get(j, "offers");
  const json_t *policy = json_object_get(j, "policy");
  ret->limit = (unsigned)crv_json_int(j, "limit", CRV_ROWS_DEFAULT);
  crv_policy_default(&ret->policy);
  return (!offers || crv_jspec_decode(&crv_filter_spec, offers, "", a, &ret->filter, err)) &&
         (!policy || crv_policy_decode(policy, "", &ret->policy, err));
}

bool crv_asked_stored(struct crv_rtx *tx, const struct crv_decision_row *d, struct crv_arena *a,
                      struct crv_asked *ret, struct crv_err *err) {
  *ret = (struct crv_asked){.name = d->sheet_name,
                            .revision = d->sheet_revision,
                            .digest = d->sheet_digest,
                            .as_of = {d->as_of, d->as_of_given},
                            .question = d->question_json,
                            .question_digest = d->question_digest};
  _json_ json_t *j = crv_json_parse_stored(d->question_json, strlen(d->question_json), err);
  return j && stored_filter(j, a, ret, err) && stored_sheet(tx, d, a, ret, err);
}

void crv_asked_question(const struct crv_asked *asked, struct crv_question *q) {
  *q = (struct crv_question){.sheet = asked->sheet,
                             .sheet_name = asked->name,
                             .sheet_revision = asked->revision,
                             .sheet_digest = asked->digest,
                             .filter = asked->filter,
                             .limit = asked->limit,
                             .policy = asked->policy};
}
