/* Checks of the piece's tables and the type of a result's facts. For core/evidence/piece_spec.c
   only. Each check adds its field errors below ptr and returns whether there was none. */
#ifndef CRV_EVIDENCE_PIECE_CHECK_H
#define CRV_EVIDENCE_PIECE_CHECK_H

#include "core/evidence/piece.h"

bool crv_piece_check_scope(const void *obj, const char *ptr, struct crv_err *err);
bool crv_piece_check_peak(const void *obj, const char *ptr, struct crv_err *err);
bool crv_piece_check_result(const void *obj, const char *ptr, struct crv_err *err);
bool crv_piece_check_content(const void *obj, const char *ptr, struct crv_err *err);
bool crv_piece_check(const void *obj, const char *ptr, struct crv_err *err);

/* struct crv_offer *: a partial offer under nested or dotted names. */
extern const struct crv_jcustom crv_facts_type;

#endif
