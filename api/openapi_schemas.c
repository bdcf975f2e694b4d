/* Schemas of the OpenAPI document: of what clients send, from the field tables; of what is answered
   beyond that, written here. */
#include <stdio.h>
#include <string.h>

#include "api/diagnosis.h"
#include "api/openapi_in.h"
#include "api/question.h"
#include "api/token.h"
#include "core/base/cleanup.h"
#include "core/evidence/piece.h"

/* -- by route ------------------------------------------------------------------------------ */

static const struct {
  const char *id, *request, *answer;
} bodies[] = {
    {"putSheet", "Sheet", "Sheet"},       {"getSheet", NULL, "Sheet"},
    {"getRevision", NULL, "Sheet"},       {"putOffer", "Offer", "Offer"},
    {"getOffer", NULL, "Offer"},          {"getOfferVersion", NULL, "Offer"},
    {"putPiece", "Piece", "Piece"},       {"getPiece", NULL, "Piece"},
    {"getPieceVersion", NULL, "Piece"},   {"putContent", NULL, "Content"},
    {"importFile", NULL, "ImportReport"}, {"decide", "DecisionRequest", "Decision"},
    {"getDecision", NULL, "Decision"},    {"getShortlist", NULL, "Decision"},
    {"getBudget", NULL, "Budget"},        {"postBudget", "Sheet", "Budget"},
    {"getSheetBudget", NULL, "Budget"},   {"makeToken", "TokenRequest", "Token"},
    {"revokeToken", NULL, "Token"},       {"diagnose", "DiagnosisRequest", "Diagnosis"},
};

const char *crv_openapi_request(const char *id) {
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
    if (strcmp(bodies[i].id, id) == 0) return bodies[i].request;
  return NULL;
}

const char *crv_openapi_answer(const char *id) {
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
    if (strcmp(bodies[i].id, id) == 0) return bodies[i].answer;
  return strncmp(id, "list", 4) == 0 ? "Page" : "Object";
}

/* -- parameters ---------------------------------------------------------------------------- */

#define TEXT "{\"type\":\"string\"}"
#define FLAG "{\"type\":\"boolean\"}"
#define TIME "{\"type\":\"string\",\"format\":\"date-time\"}"
static const struct {
  const char *name, *schema, *doc;
} params[] = {
    {"limit", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000}",
     "Items on a page; 100 without."},
    {"cursor", TEXT, "Opaque: next_cursor of the page before."},
    {"raw", FLAG, "CSV without the guard against formulas."},
    {"prefix", TEXT, "Only keys that begin so."},
    {"withdrawn", FLAG, "Withdrawn ones too."},
    {"as_of", TIME, "The versions in force at that time."},
    {"sort", "{\"type\":\"string\",\"enum\":[\"key\",\"supplier\",\"price\",\"newest\"]}",
     "Order."},
    {"min_memory", TEXT, "Least nominal memory of a device, such as 24 GB."},
    {"status", "{\"type\":\"string\",\"enum\":[\"current\",\"expired\",\"retracted\",\"not_yet\"]}",
     "Whether the piece counts now."},
    {"outcome", "{\"type\":\"string\",\"enum\":[\"retained\",\"needs_confirmation\",\"none\"]}",
     "Only decisions with that outcome."},
    {"gate",
     "{\"type\":\"string\",\"enum\":[\"retained\",\"preselection\",\"workload\",\"current\","
     "\"no-worse\"]}",
     "409 unless it is met; the decision is stored all the same."},
    {"dry_run", FLAG, "Nothing is stored."},
    {"withdraw_missing", FLAG, "Withdraw the offers of this source that the file lacks."},
    {"observed_at", TIME, "When the file was read at its source; now without."},
    {"origin", "{\"type\":\"string\",\"enum\":[\"supplier\",\"third_party\"]}",
     "Whose file it is; third_party without."},
    {"params", TEXT, "Parameters of the model, such as 7e9."},
    {"bits", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":64}",
     "Bits of a weight; 16 without."},
    {"weights", TEXT, "A weight format in place of bits."},
    {"reserve", TEXT, "Reserve on each device, such as 6GiB."},
    {"sheet", TEXT, "Name of the stored sheet of the job."},
    {"capacity", TEXT, "Memory of one device, such as 24GiB."},
    {"devices", "{\"type\":\"integer\",\"minimum\":1}", "Devices used together."},
    {"why", TEXT, "Key of an offer: every criterion of it."},
};

void crv_openapi_param(const char *name, const char **ret_schema, const char **ret_doc) {
  *ret_schema = TEXT;
  *ret_doc = NULL;
  for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
    if (strcmp(params[i].name, name) != 0) continue;
    *ret_schema = params[i].schema;
    *ret_doc = params[i].doc;
  }
}

json_t *crv_openapi_ref(const char *schema) {
  return json_pack("{s:s+}", "$ref", "#/components/schemas/", schema);
}

/* -- answers ------------------------------------------------------------------------------- */

/* Members as name:type. Types: i integer, t text, b truth value, o object, l list; in capitals null
   is possible; a longer word is another schema. */
static const struct {
  const char *name, *members;
} answers[] = {
    {"Object", ""},
    {"Page", "items:l next_cursor:T total:i position:i"},
    {"Content", "key:t version:i sha256:t media_type:t bytes:i"},
    {"Token", "id:i name:t role:t created_at:t expires_at:t revoked_at:t last_used_at:t token:T"},
    {"ImportReport", "source:t profile:t dry_run:b rows:i skipped:i offers:o evidence:t sha256:t "
                     "same_file:b missing:l missing_count:i withdrawn:i withdrawal_withheld:t "
                     "findings:l more_findings:i"},
    {"Budget", "parameters:I weights_bytes:I kv_bytes_per_token:I kv_bytes:I headroom_bytes:I "
               "floor_bytes:I reserve_bytes:I envelope_bytes:I complete:b devices:l items:l "
               "phases:l unknown:l left_out:l formats:l"},
    {"Decision", "decision:I decision_status:t stale_because:l headline:t outcome:t holds_until:T "
                 "as_of:t decided_at:T rules:t sheet:o catalogue:o evidence:o question:o counts:o "
                 "shown:o outlook:o funnel:l budget:Budget retained:l preselection:l actions:l "
                 "conditions:l assumptions:l waivers:l excluded:o current:o alternatives:l "
                 "invalidated_by:l question_digest:t result_digest:t digest:T matrix_digest:t "
                 "previous_digest:T"},
    {"Diagnosis", "phase:t phase_from:l cause:o figures:l flags:l explained_by:o try:l do_not:l "
                  "provide:l draft:o"},
    {"Problem", "type:t title:t status:i code:t detail:t instance:t request_id:t errors:l "
                "more_errors:i gate:t decision:I outcome:t headline:t counts:o actions:l"},
};

static json_t *member_type(const char *type) {
  static const struct {
    char letter;
    const char *name;
  } types[] = {
      {'i', "integer"}, {'t', "string"}, {'b', "boolean"}, {'o', "object"}, {'l', "array"}};
  if (strlen(type) > 1) return crv_openapi_ref(type);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (types[i].letter == type[0]) return json_pack("{s:s}", "type", types[i].name);
    if (types[i].letter - 'a' == type[0] - 'A')
      return json_pack("{s:[s,s]}", "type", types[i].name, "null");
  }
  return NULL;
}

static json_t *answer_schema(const char *members) {
  _json_ json_t *props = json_object();
  char name[64], type[32];
  for (const char *s = members; props && *s; s += strspn(s, " ")) {
    int n = (int)strcspn(s, ":"), len = (int)strcspn(s, " ");
    snprintf(name, sizeof name, "%.*s", n, s);
    snprintf(type, sizeof type, "%.*s", len - n - 1, s + n + 1);
    if (json_object_set_new(props, name, member_type(type)) != 0) return NULL;
    s += len;
  }
  return json_pack("{s:s,s:O}", "type", "object", "properties", props);
}

struct schemas {
  json_t *j;
  bool failed;
};

static void add_spec(const struct crv_jspec *spec, void *ctx) {
  struct schemas *s = ctx;
  if (json_object_get(s->j, spec->name)) return;
  if (json_object_set_new(s->j, spec->name, crv_jspec_schema(spec)) != 0) s->failed = true;
}

json_t *crv_openapi_schemas(void) {
  const struct crv_jspec *specs[] = {&crv_sheet_spec, &crv_offer_spec, &crv_piece_spec,
                                     &crv_ask_spec,   &crv_token_spec, &crv_diagnosis_ask_spec};
  struct schemas s = {json_object(), false};
  if (!s.j) return NULL;
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) crv_jspec_each(specs[i], add_spec, &s);
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    if (json_object_set_new(s.j, answers[i].name, answer_schema(answers[i].members)) != 0)
      s.failed = true;
  }
  if (!s.failed) return s.j;
  json_decref(s.j);
  return NULL;
}
