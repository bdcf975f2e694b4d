/* The arena: blocks from calloc, never reused before the arena is freed, so that what it hands
   out is zero without clearing it again. An allocation too large for the current block gets one of
   its own. Must not know: what lives in it. */
#include "core/base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 262144 };

struct block {
  struct block *next;
  size_t size, used;
  alignas(max_align_t) char data[];
};

struct deferred {
  struct deferred *next;
  void (*fn)(void *);
  void *p;
};

struct crv_arena {
  struct block *head; /* the one being filled */
  struct deferred *deferred;
  size_t cap, used, next_size;
};

struct crv_arena *crv_arena_new(size_t cap) {
  struct crv_arena *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->cap = cap;
  a->next_size = FIRST_BLOCK;
  return a;
}

struct crv_arena *crv_arena_free(struct crv_arena *a) {
  if (!a) return NULL;
  for (struct deferred *d = a->deferred, *next; d; d = next) {
    next = d->next;
    d->fn(d->p);
    free(d);
  }
  for (struct block *b = a->head, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  free(a);
  return NULL;
}

static struct block *block_new(size_t size) {
  if (size > SIZE_MAX - sizeof(struct block)) return NULL;
  struct block *b = calloc(1, sizeof *b + size);
  if (b) b->size = size;
  return b;
}

/* A block of its own goes behind the head, whose rest stays usable. */
static void *alloc_large(struct crv_arena *a, size_t size) {
  struct block *b = block_new(size);
  if (!b) return NULL;
  b->used = size;
  if (a->head) {
    b->next = a->head->next;
    a->head->next = b;
  } else {
    a->head = b;
  }
  return b->data;
}

static bool push_block(struct crv_arena *a) {
  struct block *b = block_new(a->next_size);
  if (!b) return false;
  b->next = a->head;
  a->head = b;
  if (a->next_size < LARGEST_BLOCK) a->next_size *= 2;
  return true;
}

void *crv_arena_alloc(struct crv_arena *a, size_t size) {
  const size_t align = alignof(max_align_t);
  if (size == 0) size = 1;
  if (size > SIZE_MAX - align) return NULL;
  size_t room = (size + align - 1) / align * align;
  if (a->cap && (a->used > a->cap || size > a->cap - a->used)) return NULL;
  void *p = NULL;
  if (room > a->next_size / 2) {
    p = alloc_large(a, room);
  } else if ((a->head && a->head->size - a->head->used >= room) || push_block(a)) {
    p = a->head->data + a->head->used;
    a->head->used += room;
  }
  if (p) a->used += size;
  return p;
}

void *crv_arena_array(struct crv_arena *a, size_t n, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(n, size, &total)) return NULL;
  return crv_arena_alloc(a, total);
}

char *crv_arena_strdup(struct crv_arena *a, const char *s) {
  return crv_arena_strndup(a, s, strlen(s));
}

char *crv_arena_strndup(struct crv_arena *a, const char *s, size_t len) {
  if (len == SIZE_MAX) return NULL;
  char *p = crv_arena_alloc(a, len + 1);
  if (p && len) memcpy(p, s, len);
  return p;
}

char *crv_arena_printf(struct crv_arena *a, const char *fmt, ...) {
  va_list ap, again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int len = vsnprintf(NULL, 0, fmt, ap);
  char *p = len < 0 ? NULL : crv_arena_alloc(a, (size_t)len + 1);
  if (p) vsnprintf(p, (size_t)len + 1, fmt, again);
  va_end(again);
  va_end(ap);
  return p;
}

int crv_arena_defer(struct crv_arena *a, void (*fn)(void *), void *p) {
  struct deferred *d = malloc(sizeof *d);
  if (!d) return -1;
  d->fn = fn;
  d->p = p;
  d->next = a->deferred;
  a->deferred = d;
  return 0;
}

size_t crv_arena_used(const struct crv_arena *a) {
  return a->used;
}
