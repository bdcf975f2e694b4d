/* Builds GGUF heads for the tests, byte by byte. */
#ifndef CRV_TESTS_GGUFHEAD_H
#define CRV_TESTS_GGUFHEAD_H

#include <string.h>

#include "core/base/buf.h"

enum { GG_U8, GG_I8, GG_U16, GG_I16, GG_U32, GG_I32, GG_F32, GG_BOOL, GG_TEXT, GG_ARRAY, GG_U64 };

static inline void gg_int(struct crv_buf *b, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; i++) crv_buf_char(b, (char)(i < 8 ? v >> 8 * i : 0));
}
static inline void gg_text(struct crv_buf *b, const char *s) {
  gg_int(b, strlen(s), 8);
  crv_buf_str(b, s);
}
static inline void gg_start(struct crv_buf *b, unsigned version, uint64_t tensors,
                            uint64_t entries) {
  crv_buf_str(b, "GGUF");
  gg_int(b, version, 4);
  gg_int(b, tensors, 8);
  gg_int(b, entries, 8);
}
static inline void gg_u32(struct crv_buf *b, const char *key, uint32_t v) {
  gg_text(b, key);
  gg_int(b, GG_U32, 4);
  gg_int(b, v, 4);
}
static inline void gg_string(struct crv_buf *b, const char *key, const char *v) {
  gg_text(b, key);
  gg_int(b, GG_TEXT, 4);
  gg_text(b, v);
}
static inline void gg_array(struct crv_buf *b, const char *key, unsigned type, uint64_t n) {
  gg_text(b, key);
  gg_int(b, GG_ARRAY, 4);
  gg_int(b, type, 4);
  gg_int(b, n, 8);
}
static inline void gg_tensor(struct crv_buf *b, const char *name, uint64_t rows, uint64_t cols,
                             unsigned type, uint64_t offset) {
  gg_text(b, name);
  gg_int(b, rows ? 2 : 1, 4);
  gg_int(b, cols, 8);
  if (rows) gg_int(b, rows, 8);
  gg_int(b, type, 4);
  gg_int(b, offset, 8);
}

#endif
