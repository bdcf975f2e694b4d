/* Every address: method, pattern, handler, roles, body, limit, query parameters, formats, id,
   summary. Nothing else stands here. */
#include "api/routes.h"

#include "api/handlers.h"

#define NONE CRV_ROLE_NONE
#define ANY CRV_ROLE_ANY
#define ADMIN CRV_ROLE_ADMIN
#define ENGINEER (CRV_ROLE_CI | CRV_ROLE_ADMIN)
#define BUYER (CRV_ROLE_PROCUREMENT | CRV_ROLE_ADMIN)
#define WRITER (CRV_ROLE_CI | CRV_ROLE_PROCUREMENT | CRV_ROLE_ADMIN)

#define ONE CRV_F_JSON
#define WORDS (CRV_F_JSON | CRV_F_TEXT)
#define ROWS (CRV_F_JSON | CRV_F_TEXT | CRV_F_CSV | CRV_F_NDJSON)
#define SHOWN (CRV_F_JSON | CRV_F_TEXT | CRV_F_CSV | CRV_F_MD | CRV_F_JUNIT)
#define PAGE (CRV_F_TEXT | CRV_F_HTML)

const struct crv_route crv_routes[] = {
    {CRV_M_GET, "/v1/sheets", crv_h_sheets_list, ANY, CRV_BODY_NONE, 0,
     "prefix withdrawn limit cursor raw", ROWS, "listSheets", "List the sheets."},
    {CRV_M_PUT, "/v1/sheets/{name}", crv_h_sheet_put, ENGINEER, CRV_BODY_JSON, 0, "", ONE,
     "putSheet", "Store a sheet as its next revision."},
    {CRV_M_GET, "/v1/sheets/{name}", crv_h_sheet_get, ANY, CRV_BODY_NONE, 0, "", ONE, "getSheet",
     "Read a sheet's newest revision."},
    {CRV_M_DELETE, "/v1/sheets/{name}", crv_h_sheet_delete, ENGINEER, CRV_BODY_NONE, 0, "", ONE,
     "withdrawSheet", "Withdraw a sheet; its revisions stay readable."},
    {CRV_M_GET, "/v1/sheets/{name}/revisions", crv_h_sheet_revisions, ANY, CRV_BODY_NONE, 0,
     "limit cursor raw", ROWS, "listRevisions", "List a sheet's revisions, newest first."},
    {CRV_M_GET, "/v1/sheets/{name}/revisions/{n}", crv_h_sheet_revision, ANY, CRV_BODY_NONE, 0, "",
     ONE, "getRevision", "Read one revision of a sheet."},
    {CRV_M_GET, "/v1/sheets/{name}/budget", crv_h_sheet_budget, ANY, CRV_BODY_NONE, 0, "", WORDS,
     "getSheetBudget", "The memory budget of a stored sheet."},
    {CRV_M_GET, "/v1/sheets/{name}/shortlist", crv_h_shortlist, ANY, CRV_BODY_NONE, 0, "raw", SHOWN,
     "getShortlist", "The newest decision of a sheet, and whether it still is the answer."},

    {CRV_M_GET, "/v1/offers", crv_h_offers_list, ANY, CRV_BODY_NONE, 0,
     "device supplier region currency min_memory prefix withdrawn as_of sort limit cursor raw",
     ROWS, "listOffers", "List the offers."},
    {CRV_M_PUT, "/v1/offers/{key}", crv_h_offer_put, BUYER, CRV_BODY_JSON, 0, "", ONE, "putOffer",
     "Store an offer as its next version."},
    {CRV_M_GET, "/v1/offers/{key}", crv_h_offer_get, ANY, CRV_BODY_NONE, 0, "as_of", ONE,
     "getOffer", "Read an offer's newest version, or the one in force at a time."},
    {CRV_M_DELETE, "/v1/offers/{key}", crv_h_offer_delete, BUYER, CRV_BODY_NONE, 0, "", ONE,
     "withdrawOffer", "Withdraw an offer; its versions stay readable."},
    {CRV_M_GET, "/v1/offers/{key}/versions", crv_h_offer_versions, ANY, CRV_BODY_NONE, 0,
     "limit cursor raw", ROWS, "listOfferVersions", "List an offer's versions, newest first."},
    {CRV_M_GET, "/v1/offers/{key}/versions/{n}", crv_h_offer_version, ANY, CRV_BODY_NONE, 0, "",
     ONE, "getOfferVersion", "Read one version of an offer."},

    {CRV_M_GET, "/v1/evidence", crv_h_evidence_list, ANY, CRV_BODY_NONE, 0,
     "kind offer device supplier model status prefix limit cursor raw", ROWS, "listEvidence",
     "List the pieces of evidence."},
    {CRV_M_PUT, "/v1/evidence/{key}", crv_h_piece_put, WRITER, CRV_BODY_JSON, 0, "", ONE,
     "putPiece", "Record a piece as its next version."},
    {CRV_M_GET, "/v1/evidence/{key}", crv_h_piece_get, ANY, CRV_BODY_NONE, 0, "", ONE, "getPiece",
     "Read a piece's newest version."},
    {CRV_M_GET, "/v1/evidence/{key}/versions", crv_h_piece_versions, ANY, CRV_BODY_NONE, 0,
     "limit cursor raw", ROWS, "listPieceVersions", "List a piece's versions, newest first."},
    {CRV_M_GET, "/v1/evidence/{key}/versions/{n}", crv_h_piece_version, ANY, CRV_BODY_NONE, 0, "",
     ONE, "getPieceVersion", "Read one version of a piece."},
    {CRV_M_PUT, "/v1/evidence/{key}/content", crv_h_content_put, WRITER, CRV_BODY_CONTENT, 0, "",
     ONE, "putContent", "Attach a piece's document."},
    {CRV_M_GET, "/v1/evidence/{key}/content", crv_h_content_get, ANY, CRV_BODY_NONE, 0, "",
     CRV_F_OTHER, "getContent", "Read the document of a piece's newest version."},
    {CRV_M_GET, "/v1/evidence/{key}/versions/{n}/content", crv_h_content_version, ANY,
     CRV_BODY_NONE, 0, "", CRV_F_OTHER, "getVersionContent",
     "Read the document of one version of a piece."},

    {CRV_M_POST, "/v1/imports", crv_h_import, BUYER, CRV_BODY_IMPORT, 0,
     "source profile supplier currency key key_prefix file uri origin observed_at dry_run "
     "withdraw_missing raw",
     CRV_F_JSON | CRV_F_TEXT | CRV_F_CSV, "importFile",
     "Import a price file, whole or not at all."},

    {CRV_M_GET, "/v1/decisions", crv_h_decisions_list, ANY, CRV_BODY_NONE, 0,
     "sheet outcome limit cursor raw", ROWS, "listDecisions", "List the decisions, newest first."},
    {CRV_M_POST, "/v1/decisions", crv_h_decide, WRITER, CRV_BODY_JSON, 0, "gate dry_run raw", SHOWN,
     "decide", "Answer a question about a sheet, and store the answer."},
    {CRV_M_GET, "/v1/decisions/head", crv_h_decisions_head, ANY, CRV_BODY_NONE, 0, "", ONE,
     "getHead", "Size and digest of the chain over every record."},
    {CRV_M_GET, "/v1/decisions/{n}", crv_h_decision_get, ANY, CRV_BODY_NONE, 0, "raw", SHOWN,
     "getDecision", "Read a decision."},
    {CRV_M_GET, "/v1/decisions/{n}/offers/{key}", crv_h_decision_offer, ANY, CRV_BODY_NONE, 0, "",
     WORDS, "getDecisionRow", "Every criterion of one offer of a decision."},

    {CRV_M_GET, "/v1/budget", crv_h_budget_get, NONE, CRV_BODY_NONE, 0,
     "params bits weights reserve devices strategy", WORDS, "getBudget", "The memory calculator."},
    {CRV_M_POST, "/v1/budget", crv_h_budget_post, ANY, CRV_BODY_JSON, 0, "", WORDS, "postBudget",
     "The memory budget of a sheet in the body."},
    {CRV_M_POST, "/v1/diagnoses", crv_h_diagnose, ANY, CRV_BODY_IMPORT, 16 << 20,
     "sheet capacity device devices", WORDS, "diagnose",
     "Phase, cause and single changes from an out-of-memory text."},
    {CRV_M_GET, "/v1/reason-codes", crv_h_reason_codes, NONE, CRV_BODY_NONE, 0, "raw", ROWS,
     "listReasonCodes", "Why a criterion has its verdict: the closed list."},
    {CRV_M_GET, "/v1/kinds", crv_h_kinds, NONE, CRV_BODY_NONE, 0, "raw", ROWS, "listKinds",
     "Kinds of evidence and what they can prove."},
    {CRV_M_GET, "/v1/formats", crv_h_formats, NONE, CRV_BODY_NONE, 0, "raw", ROWS, "listFormats",
     "Weight formats and their bits."},

    {CRV_M_GET, "/v1/tokens", crv_h_tokens_list, ADMIN, CRV_BODY_NONE, 0, "limit cursor raw", ROWS,
     "listTokens", "List the tokens, without their secrets."},
    {CRV_M_POST, "/v1/tokens", crv_h_token_post, ADMIN, CRV_BODY_JSON, 0, "", ONE, "makeToken",
     "Make a token; it is shown once."},
    {CRV_M_DELETE, "/v1/tokens/{id}", crv_h_token_delete, ADMIN, CRV_BODY_NONE, 0, "", ONE,
     "revokeToken", "Revoke a token."},

    {CRV_M_GET, "/", crv_h_home, NONE, CRV_BODY_NONE, 0, "", PAGE, "home", "Help for people."},
    {CRV_M_GET, "/s/{sheet}", crv_h_human_sheet, ANY, CRV_BODY_NONE, 0, "why raw",
     CRV_F_TEXT | CRV_F_CSV | CRV_F_MD | CRV_F_HTML, "showSheet",
     "A sheet's shortlist as a page; ?why=offer tells every criterion."},
    {CRV_M_GET, "/o/{offer}", crv_h_human_offer, ANY, CRV_BODY_NONE, 0, "", PAGE, "showOffer",
     "An offer as a page."},
    {CRV_M_GET, "/d/{n}", crv_h_human_decision, ANY, CRV_BODY_NONE, 0, "why raw",
     CRV_F_TEXT | CRV_F_CSV | CRV_F_MD | CRV_F_HTML, "showDecision",
     "A decision as a page; ?why=offer tells every criterion."},

    {CRV_M_GET, "/healthz", crv_h_healthz, NONE, CRV_BODY_NONE, 0, "", WORDS, "getHealth",
     "Does the process turn?"},
    {CRV_M_GET, "/readyz", crv_h_readyz, NONE, CRV_BODY_NONE, 0, "", WORDS, "getReadiness",
     "Named checks of whether requests can be served."},
    {CRV_M_GET, "/version", crv_h_version, NONE, CRV_BODY_NONE, 0, "", WORDS, "getVersion",
     "Version, rules and limits."},
    {CRV_M_GET, "/metrics", crv_h_metrics, ANY, CRV_BODY_NONE, 0, "", CRV_F_TEXT, "getMetrics",
     "Metrics as Prometheus text."},
    {CRV_M_GET, "/openapi.json", crv_h_openapi, NONE, CRV_BODY_NONE, 0, "", ONE, "getOpenapi",
     "This interface as OpenAPI 3.1."},
    {CRV_M_GET, "/docs", crv_h_docs, NONE, CRV_BODY_NONE, 0, "", PAGE, "getDocs",
     "The operations as a page."},
    {CRV_M_GET, "/problems/{slug}", crv_h_problem, NONE, CRV_BODY_NONE, 0, "", PAGE, "getProblem",
     "What a problem means and what helps."},
};
const size_t crv_n_routes = sizeof crv_routes / sizeof *crv_routes;
