/* What the files of jspec share. For core/base/jspec_*.c only. */
#ifndef CRV_BASE_JSPEC_IN_H
#define CRV_BASE_JSPEC_IN_H

#include "core/base/jspec.h"

enum {
  CRV_PTR_ROOM = 160,   /* as struct crv_field_err.ptr */
  CRV_HINT_ROOM = 160,  /* as struct crv_field_err.hint */
  CRV_TEXT_MAX = 1024,  /* bytes of a TEXT without a max of its own */
  CRV_ITEMS_MAX = 256,  /* items of a LIST without a max of its own */
  CRV_PAIRS_MAX = 64,   /* pairs of a MAP */
  CRV_PAIR_NAME = 64,   /* bytes of a MAP's name */
  CRV_EXTRAS_MAX = 256, /* kept fields that the table does not know */
  CRV_EXTRA_NAME = 128, /* bytes of such a field's name */
};

/* What one field error is made from. */
struct crv_jat {
  const struct crv_jfield *field;
  const char *key; /* the name that the client used */
  const char *ptr;
  struct crv_arena *arena;
  struct crv_err *err;
};

bool crv_jspec_is_scalar(enum crv_jtype type);
bool crv_jspec_keeps_extras(const struct crv_jspec *spec);
/* Is a bare integer a number of bytes under this name? */
bool crv_jspec_counts_bytes(const char *name);
/* The field of that name or alias (len bytes), or NULL. */
const struct crv_jfield *crv_jspec_find(const struct crv_jspec *spec, const char *name, size_t len);
/* Range of an INT, BYTES or DECIMAL with its defaults filled in. */
void crv_jspec_range(const struct crv_jfield *f, int64_t *min, int64_t *max);

/* A number token that was kept as text. */
bool crv_jspec_is_number_text(const json_t *j);
/* A text from the client, not a number token. */
bool crv_jspec_is_text(const json_t *j);
/* What the client sent, for a detail; at least CRV_QUOTE_ROOM bytes; returns out. */
char *crv_jspec_got(const json_t *j, char *out);
/* Decodes a scalar into the member at cell. */
bool crv_jspec_decode_scalar(const struct crv_jat *at, const json_t *j, void *cell);
/* A text of at most max bytes, copied; NULL with a field error. */
const char *crv_jspec_text(const struct crv_jat *at, const json_t *j, size_t max);
/* Out of memory; false. */
bool crv_jspec_no_memory(struct crv_err *err);

/* Reads the scalar member at cell. */
void crv_jspec_read(const struct crv_jfield *f, const void *cell, struct crv_value *ret);

/* The nearest of several names to what the client wrote. */
struct crv_near {
  const char *key, *best;
  size_t distance;
};
void crv_near_try(struct crv_near *n, const char *name);
/* "did you mean `x`?", or "" when nothing is near; returns out. */
char *crv_near_hint(const struct crv_near *n, char *out, size_t room);
/* Appends ", name" (or "name" first) as long as it fits, else "..." once; false when full. */
bool crv_names_add(char *out, size_t room, const char *name);

#endif
