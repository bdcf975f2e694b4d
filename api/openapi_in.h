/* What the two files of the OpenAPI document share. */
#ifndef CRV_API_OPENAPI_IN_H
#define CRV_API_OPENAPI_IN_H

#include <jansson.h>

#include "server/route.h"

/* Schemas of answers and request bodies by name: components.schemas. NULL: out of memory. */
json_t *crv_openapi_schemas(void);
/* Names of the schemas of a route's request body and of its answer; NULL: none. */
const char *crv_openapi_request(const char *id);
const char *crv_openapi_answer(const char *id);
/* The parameter's schema and description; both static. */
void crv_openapi_param(const char *name, const char **ret_schema, const char **ret_doc);
/* {"$ref": "#/components/schemas/NAME"}. */
json_t *crv_openapi_ref(const char *schema);

#endif
