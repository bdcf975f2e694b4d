/* Scope-bound ownership: a variable declared with one of these attributes is released
   when its scope ends, so that functions need no goto. crv_steal hands the value on.
   Does not run on exit() nor on longjmp. */
#ifndef CRV_BASE_CLEANUP_H
#define CRV_BASE_CLEANUP_H

#include <jansson.h>
#include <stdlib.h>

static inline void crv_cleanup_free(void *p) {
  free(*(void **)p);
}
static inline void crv_cleanup_json(json_t **p) {
  json_decref(*p);
}

#define _free_ __attribute__((cleanup(crv_cleanup_free)))
#define _json_ __attribute__((cleanup(crv_cleanup_json)))

/* Takes the value out of a cleanup variable and leaves NULL behind. */
#define crv_steal(p) \
  ({ \
    __typeof__(*(p)) crv_stolen_ = *(p); \
    *(p) = NULL; \
    crv_stolen_; \
  })

#endif
