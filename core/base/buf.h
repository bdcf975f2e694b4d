/* A growable byte buffer with a sticky error: append freely, look at `failed` once at the end. */
#ifndef CRV_BASE_BUF_H
#define CRV_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crv_buf {
  char *data; /* NUL-terminated whenever not NULL */
  size_t len, cap;
  size_t limit; /* most bytes it may hold, 0 for none */
  bool failed;  /* out of memory or over the limit: contents are then not to be used */
};

void crv_buf_init(struct crv_buf *b, size_t limit);
void crv_buf_done(struct crv_buf *b);
void crv_buf_add(struct crv_buf *b, const void *p, size_t len);
void crv_buf_str(struct crv_buf *b, const char *s);
void crv_buf_char(struct crv_buf *b, char c);
void crv_buf_printf(struct crv_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void crv_buf_i64(struct crv_buf *b, int64_t v);
/* Gives the malloc'ed, NUL-terminated contents to the caller and empties b; NULL when failed.
   len may be NULL. */
char *crv_buf_take(struct crv_buf *b, size_t *len);

static inline void crv_cleanup_buf(struct crv_buf *b) {
  crv_buf_done(b);
}
#define _buf_ __attribute__((cleanup(crv_cleanup_buf)))

#endif
