/* Memory that lives as long as one request, one stored record or one evaluation, freed at once.
   Allocation never returns partial memory; NULL means out of memory or over the cap. */
#ifndef CRV_BASE_ARENA_H
#define CRV_BASE_ARENA_H

#include <stddef.h>

struct crv_arena;

/* cap: most bytes it may hand out, 0 for none. NULL when out of memory. */
struct crv_arena *crv_arena_new(size_t cap);
/* Frees all of it and runs the deferred destructors, newest first; NULL allowed; returns NULL. */
struct crv_arena *crv_arena_free(struct crv_arena *a);
/* Zeroed, aligned for any type. size 0 gives a valid pointer. */
void *crv_arena_alloc(struct crv_arena *a, size_t size);
/* n items of size bytes, overflow checked. */
void *crv_arena_array(struct crv_arena *a, size_t n, size_t size);
char *crv_arena_strdup(struct crv_arena *a, const char *s);
/* Copies len bytes and ends them with NUL. */
char *crv_arena_strndup(struct crv_arena *a, const char *s, size_t len);
char *crv_arena_printf(struct crv_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Runs fn(p) when the arena is freed. Returns 0, or -1 when out of memory (fn was then not run). */
int crv_arena_defer(struct crv_arena *a, void (*fn)(void *), void *p);
/* Bytes handed out so far. */
size_t crv_arena_used(const struct crv_arena *a);

#define crv_new(a, type) ((type *)crv_arena_alloc((a), sizeof(type)))
#define crv_new_array(a, n, type) ((type *)crv_arena_array((a), (n), sizeof(type)))

/* A counted array of one type, as decoded from a JSON list. */
struct crv_list {
  size_t n;
  void *at;
};
#define crv_list_at(list, type, i) (&((type *)(list).at)[i])

static inline void crv_cleanup_arena(struct crv_arena **a) {
  crv_arena_free(*a);
}
#define _arena_ __attribute__((cleanup(crv_cleanup_arena)))

#endif
