/* One pass over the squeezed text for every pattern of every table: a hash of four bytes leads to
   the few patterns that begin so. The work for a byte is bounded by the tables, whatever the text.
   Must not know: what the patterns mean. */
#include <string.h>

#include "core/evidence/diagnose_internal.h"

static const struct crv_dx_table *const tables[] = {&crv_dx_clauses, &crv_dx_frames,
                                                    &crv_dx_wordings};
enum { N_TABLES = sizeof tables / sizeof *tables, HEADS = 4096, KEY = 4 };

struct pattern {
  char *s; /* squeezed */
  size_t n, row;
  unsigned table;
  bool starts_word, ends_word;
  size_t next; /* index + 1 of the next pattern with the same head, 0: none */
};
struct index {
  struct pattern *at;
  size_t n;
  size_t *heads; /* index + 1 */
};

static size_t head_of(const char *s) {
  uint32_t v;
  memcpy(&v, s, KEY);
  return (v * UINT32_C(2654435761)) >> 20;
}

static size_t count_patterns(void) {
  size_t n = 0;
  for (unsigned t = 0; t < N_TABLES; t++)
    for (size_t i = 0; tables[t]->pattern(i); i++) n++;
  return n;
}

/* As the text is squeezed: no white space, lower case, no back-quotes; "|" at an end is a word
   boundary. */
static bool squeeze(struct crv_arena *a, const char *text, struct pattern *p) {
  size_t len = strlen(text);
  p->s = crv_arena_alloc(a, len + 1);
  if (!p->s) return false;
  p->starts_word = len && text[0] == '|';
  p->ends_word = len > 1 && text[len - 1] == '|';
  for (size_t i = p->starts_word; i < len - p->ends_word; i++) {
    char c = text[i];
    if (c == ' ' || c == '`') continue;
    p->s[p->n++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return true;
}

static bool make_index(struct crv_arena *a, struct index *ix) {
  ix->at = crv_new_array(a, count_patterns(), struct pattern);
  ix->heads = crv_new_array(a, HEADS, size_t);
  if (!ix->at || !ix->heads) return false;
  for (unsigned t = 0; t < N_TABLES; t++) {
    for (size_t i = 0; tables[t]->pattern(i); i++) {
      struct pattern *p = &ix->at[ix->n];
      *p = (struct pattern){.row = i, .table = t};
      if (!squeeze(a, tables[t]->pattern(i), p)) return false;
      if (p->n < KEY) continue;
      size_t *head = &ix->heads[head_of(p->s)];
      p->next = *head;
      *head = ++ix->n;
    }
  }
  return true;
}

static bool is_hit(const struct crv_flat *f, const struct pattern *p, size_t at) {
  if (p->n > f->n - at || memcmp(f->s + at, p->s, p->n) != 0) return false;
  if (p->starts_word && !crv_flat_starts_word(f, at)) return false;
  return !p->ends_word || crv_flat_ends_word(f, at + p->n);
}

bool crv_dx_scan(struct crv_dx *d, struct crv_flat *flat, bool context) {
  struct index ix = {0};
  if (!make_index(d->a, &ix)) return crv_dx_no_memory(d);
  d->flat = flat;
  d->in_context = context;
  for (size_t at = 0; at + KEY <= flat->n && !d->failed; at++) {
    for (size_t k = ix.heads[head_of(flat->s + at)]; k; k = ix.at[k - 1].next) {
      const struct pattern *p = &ix.at[k - 1];
      if (is_hit(flat, p, at)) tables[p->table]->hit(d, p->row, at, at + p->n);
    }
  }
  if (!context) crv_dx_messages_end(d);
  return !d->failed;
}
