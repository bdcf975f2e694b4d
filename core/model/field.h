/* What the field tables share: a short way to write a row, and the refusals of the checks across
   fields. Must not know: what any field means. */
#ifndef CRV_MODEL_FIELD_H
#define CRV_MODEL_FIELD_H

#include <stddef.h>

#include "core/base/jspec.h"

/* A row for struct owner's member of the same name; further members of struct crv_jfield follow,
   its doc sentence among them. */
#define CRV_FIELD(owner, member, jtype, ...) \
  { .name = #member, .type = CRV_JT_##jtype, .offset = offsetof(struct owner, member), __VA_ARGS__ }
/* Likewise for a member whose JSON name differs. */
#define CRV_FIELD_AS(owner, json_name, member, jtype, ...) \
  { \
    .name = json_name, .type = CRV_JT_##jtype, .offset = offsetof(struct owner, member), \
    __VA_ARGS__ \
  }

/* One field error at ptr + "/" + below (ptr itself when below is NULL); hint may be NULL. Returns
   false. */
bool crv_refuse(struct crv_err *err, const char *ptr, const char *below, const char *code,
                const char *hint, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* "key" or "key@version" as records cite a piece; NULL passes. */
bool crv_check_ref(struct crv_err *err, const char *ptr, const char *below, const char *ref);
/* Texts of a list, each once. */
bool crv_check_distinct(struct crv_err *err, const char *ptr, const char *below,
                        const struct crv_list *texts);
/* Is the member that the row names stated in the struct at obj? */
bool crv_field_is_set(const struct crv_jfield *f, const void *obj);

#endif
