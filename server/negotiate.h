/* Which of a route's formats an answer takes: ?format= first, then Accept (RFC 9110 12.5.1). */
#ifndef CRV_SERVER_NEGOTIATE_H
#define CRV_SERVER_NEGOTIATE_H

#include "core/base/err.h"
#include "server/route.h"

/* formats: the route's bits; param: the value of ?format= or NULL; accept: the header or NULL.
   True with one bit of formats (CRV_F_JSON when formats is 0), or NOT_ACCEPTABLE listing what there
   is. The most specific range decides a format's q; q=0 excludes; on equal q the more specific
   range wins, then the lowest bit. Elements of Accept that are malformed are passed over; a header
   without a usable element counts as a wildcard. */
bool crv_negotiate(unsigned formats, const char *param, const char *accept, enum crv_format *ret,
                   struct crv_err *err);
/* Does Accept rank text/plain above JSON? Decides the shape of a problem document. */
bool crv_accept_prefers_text(const char *accept);
/* "json", "csv" ...; NULL for CRV_F_OTHER. */
const char *crv_format_name(enum crv_format f);

#endif
