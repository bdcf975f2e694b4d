/* The newest decision of a sheet as an answer, shared by /v1 and the short human addresses. */
#ifndef CRV_API_SHORTLIST_H
#define CRV_API_SHORTLIST_H

#include "api/show.h"

/* why: key of an offer whose every criterion is shown instead, or NULL. */
bool crv_shortlist_show(struct crv_req *rq, struct crv_resp *rs, const char *sheet, const char *why,
                        struct crv_err *err);

#endif
