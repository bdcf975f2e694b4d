/* The interface's description, built from the route table and the field tables. */
#ifndef CRV_API_OPENAPI_H
#define CRV_API_OPENAPI_H

#include <stddef.h>

#include "core/base/err.h"

/* The OpenAPI 3.1 document, indented, malloc'ed; NULL with err. */
char *crv_openapi_make(size_t *ret_len, struct crv_err *err);

#endif
