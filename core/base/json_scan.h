/* The walk over raw JSON text before jansson sees it. For core/base/json.c and its tests only. */
#ifndef CRV_BASE_JSON_SCAN_H
#define CRV_BASE_JSON_SCAN_H

#include "core/base/buf.h"
#include "core/base/err.h"

struct crv_json_limits {
  size_t depth, tokens; /* tokens: keys, scalars and opening brackets; 0 for no limit */
  bool any_top;         /* else the top level must be an object */
};

/* Text fit for jansson: the given text itself, or a copy with the numbers rewritten. */
struct crv_json_text {
  const char *data;
  size_t len;
  struct crv_buf copy;  /* holds data when a number was rewritten */
  struct crv_buf marks; /* size_t offsets in data of the rewritten tokens */
};

/* RFC 8259 to the letter, and: valid UTF-8, no BOM, no NUL, no \u0000, no text that begins with
   U+0001, the limits. False with MALFORMED_JSON (line and column in the detail) or OUT_OF_MEMORY.
   data must outlive ret; the caller ends with crv_json_text_done in both cases. */
bool crv_json_scan(const char *data, size_t len, const struct crv_json_limits *limits,
                   struct crv_json_text *ret, struct crv_err *err);
void crv_json_text_done(struct crv_json_text *t);
/* The offset in the original text of an offset in t->data. */
size_t crv_json_text_origin(const struct crv_json_text *t, size_t offset);
/* 1-based line, and column in characters, of a byte of the original text. */
void crv_json_position(const char *data, size_t len, size_t offset, unsigned *line,
                       unsigned *column);

#endif
