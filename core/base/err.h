/* Errors as values. A function that can fail returns bool and takes struct crv_err *err
   last; on false err is set, on true it is untouched. Field errors gather under one code,
   each with its JSON pointer, so that a client sees all of them at once.
   Must not know: HTTP beyond the status number in errcodes.def. */
#ifndef CRV_BASE_ERR_H
#define CRV_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>

enum crv_code {
  CRV_OK = 0,
#define X(name, status, slug, title, cure) CRV_##name,
#include "errcodes.def"
#undef X
  CRV_CODE_COUNT
};

enum { CRV_ERR_FIELDS = 50 };

struct crv_field_err {
  char ptr[160]; /* RFC 6901 pointer into the body, or the parameter's name */
  char code[32]; /* missing, wrong_type, unknown_field, out_of_range, not_one_of, bad_unit, ... */
  char detail[256];
  char hint[160]; /* what would be accepted; may be empty */
};

struct crv_err {
  enum crv_code code;
  char detail[512]; /* one sentence for the client: never SQL, a path or a stack trace */
  char log[256];    /* for the log only */
  unsigned n;       /* field errors kept, at most CRV_ERR_FIELDS */
  unsigned more;    /* field errors beyond those kept */
  struct crv_field_err at[CRV_ERR_FIELDS];
};

struct crv_code_info {
  enum crv_code code;
  int status;
  const char *slug, *title, *cure;
};

/* The table's row of a code; never NULL (an unknown code gives INTERNAL). */
const struct crv_code_info *crv_code_info(enum crv_code code);
/* The row of a slug, or NULL. */
const struct crv_code_info *crv_code_by_slug(const char *slug);

/* Empties err without touching all of its 26 KB. */
void crv_err_init(struct crv_err *err);

/* Sets code and detail; always returns false, so that callers can return it. */
bool crv_fail(struct crv_err *err, enum crv_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds one field error and sets code INVALID_FIELDS unless another code is set already;
   always returns false. hint may be NULL. */
bool crv_fail_field(struct crv_err *err, const char *ptr, const char *code, const char *hint,
                    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Our own fault: INTERNAL for the client, file:line and the text for the log. Returns false. */
#define crv_bug(err, ...) crv_bug_at((err), __FILE__, __LINE__, __VA_ARGS__)
bool crv_bug_at(struct crv_err *err, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
