/* Body of POST /v1/tokens, for the OpenAPI document. */
#ifndef CRV_API_TOKEN_H
#define CRV_API_TOKEN_H

#include "core/base/jspec.h"

extern const struct crv_jspec crv_token_spec;

#endif
