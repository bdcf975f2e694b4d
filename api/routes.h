/* The route table. */
#ifndef CRV_API_ROUTES_H
#define CRV_API_ROUTES_H

#include "server/route.h"

extern const struct crv_route crv_routes[];
extern const size_t crv_n_routes;

#endif
