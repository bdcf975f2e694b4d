/* Who may write and read which pieces. */
#ifndef CRV_API_PIECE_H
#define CRV_API_PIECE_H

#include "core/evidence/piece.h"
#include "server/req.h"

/* FORBIDDEN when the role may not write pieces of that kind. */
bool crv_piece_role(const struct crv_req *rq, enum crv_kind kind, struct crv_err *err);
/* May this request read private pieces? */
bool crv_private_seen(const struct crv_req *rq);
/* CRV_KIND_NONE when there is no kind of that name. */
enum crv_kind crv_kind_of(const char *name);

#endif
