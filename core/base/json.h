/* The one door for JSON from outside, and canonical JSON.
   The raw body is walked once before jansson sees it: depth, token count, UTF-8, NUL; number
   tokens with '.', 'e' or 'E' are kept as text (CRV_JSON_NUM followed by the token), so that no
   value ever passes through a double. */
#ifndef CRV_BASE_JSON_H
#define CRV_BASE_JSON_H

#include <jansson.h>

#include "err.h"
#include "units.h"

enum { CRV_JSON_DEPTH = 32, CRV_JSON_TOKENS = 100000 };
/* First byte of a text that was a number token with a fraction or an exponent. */
#define CRV_JSON_NUM '\001'

/* Deeper than the door's limit, because a stored answer holds bodies that came through the door. */
enum { CRV_JSON_STORED_DEPTH = 64 };

/* Parses one JSON object. NULL with MALFORMED_JSON naming line and column (depth, tokens, bad
   UTF-8, NUL, duplicate keys, trailing text, a text that begins with CRV_JSON_NUM itself, a top
   level that is no object). Tokens are keys, scalars and opening brackets. An integer beyond int64
   is kept as text too, so that the field's decoder can refuse it with its pointer. The caller owns
   it. */
json_t *crv_json_parse(const char *data, size_t len, struct crv_err *err);
/* As above, without the token limit and for any top level: for text that we stored ourselves. */
json_t *crv_json_parse_stored(const char *data, size_t len, struct crv_err *err);

/* Keys sorted by UTF-8 bytes, no white space. A number kept as text is written as the plain text of
   its token. malloc'ed; NULL when out of memory or when j holds a real. */
char *crv_json_canonical(const json_t *j);
/* Compact, keys in insertion order, otherwise as above. malloc'ed. */
char *crv_json_compact(const json_t *j);

/* Constructors that keep answers short to write. They take NULL values as "leave the key out" and
   never fail half: false when out of memory. */
bool crv_json_set_text(json_t *obj, const char *key, const char *value);
bool crv_json_set_int(json_t *obj, const char *key, int64_t value);
bool crv_json_set_bool(json_t *obj, const char *key, bool value);
bool crv_json_set_opt(json_t *obj, const char *key, struct crv_opt_int value); /* null when unset */
bool crv_json_set_decimal(json_t *obj, const char *key, int64_t micro);        /* as text */
bool crv_json_set_money(json_t *obj, const char *key, int64_t micro); /* as crv_decimal_text */
bool crv_json_set_time(json_t *obj, const char *key, int64_t ms);
bool crv_json_set_steal(json_t *obj, const char *key, json_t *value); /* takes value */

#endif
