/* The two forms of a problem document: the JSON one is declared in reply.h. */
#ifndef CRV_SERVER_PROBLEM_H
#define CRV_SERVER_PROBLEM_H

#include "core/base/buf.h"
#include "server/reply.h"

/* The problem as sentences of at most 100 columns, fit to be read aloud. rq may be NULL. */
void crv_problem_text(const struct crv_req *rq, const struct crv_err *err, struct crv_buf *out);

#endif
