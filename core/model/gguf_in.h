/* For core/model/gguf*.c only: the cursor over a head's bytes. */
#ifndef CRV_MODEL_GGUF_IN_H
#define CRV_MODEL_GGUF_IN_H

#include "core/model/gguf.h"

struct crv_gguf_in {
  const uint8_t *p;
  size_t len, at;
  size_t rest;  /* bytes that what follows takes at least */
  size_t least; /* bytes that the head has at least, as far as is known */
  const char *ptr;
  struct crv_arena *a;
  struct crv_err *err;
  struct crv_gguf *g;
};

/* Dimensions and layers from the entries. Adds field errors. */
bool crv_gguf_dims(struct crv_gguf_in *in);

#endif
