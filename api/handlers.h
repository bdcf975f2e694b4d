/* Every handler that the route table names, by resource file. */
#ifndef CRV_API_HANDLERS_H
#define CRV_API_HANDLERS_H

#include "server/reply.h"
#include "server/route.h"

/* h_sheets.c */
crv_handler crv_h_sheets_list, crv_h_sheet_put, crv_h_sheet_get, crv_h_sheet_delete,
    crv_h_sheet_revisions, crv_h_sheet_revision;
/* h_offers.c */
crv_handler crv_h_offers_list, crv_h_offer_put, crv_h_offer_get, crv_h_offer_delete,
    crv_h_offer_versions, crv_h_offer_version;
/* h_evidence.c */
crv_handler crv_h_evidence_list, crv_h_piece_put, crv_h_piece_get, crv_h_piece_versions,
    crv_h_piece_version;
/* h_content.c */
crv_handler crv_h_content_put, crv_h_content_get, crv_h_content_version;
/* h_decisions.c */
crv_handler crv_h_decide, crv_h_decisions_list, crv_h_decision_get, crv_h_decision_offer,
    crv_h_decisions_head;
/* h_shortlist.c */
crv_handler crv_h_shortlist;
/* h_diagnoses.c */
crv_handler crv_h_diagnose;
/* h_budget.c */
crv_handler crv_h_budget_get, crv_h_budget_post, crv_h_sheet_budget;
/* h_imports.c */
crv_handler crv_h_import;
/* h_tokens.c */
crv_handler crv_h_tokens_list, crv_h_token_post, crv_h_token_delete;
/* h_lists.c */
crv_handler crv_h_reason_codes, crv_h_kinds, crv_h_formats;
/* h_meta.c */
crv_handler crv_h_healthz, crv_h_readyz, crv_h_version, crv_h_metrics, crv_h_openapi, crv_h_docs,
    crv_h_problem;
/* h_human.c */
crv_handler crv_h_home, crv_h_human_sheet, crv_h_human_offer, crv_h_human_decision;

#endif
