/* Which parts of a result belong to which kind. The table itself is struct crv_kind_info of
   core/evidence/piece.h. Must not know: verdicts. */
#ifndef CRV_EVIDENCE_KINDS_H
#define CRV_EVIDENCE_KINDS_H

#include "core/evidence/piece.h"

/* May a piece of this kind state the result field of that name? */
bool crv_kind_has_result(enum crv_kind k, const char *field);

#endif
