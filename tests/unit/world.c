/* Builds the engine's inputs from one JSON document; see world.h. */
#include "tests/unit/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/base/text.h"

#define RECORDED_AT INT64_C(1764547200000) /* 2025-12-01: long before any case's as_of */

struct entry {
  const char *key;
  const json_t *doc;
  int64_t version;
  bool piece;
};

json_t *world_patched(const json_t *base, const json_t *patch) {
  if (!json_is_object(patch)) return json_deep_copy(patch);
  json_t *out = json_is_object(base) ? json_copy((json_t *)(uintptr_t)base) : json_object();
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)patch, key, value) {
    if (json_is_null(value))
      json_object_del(out, key);
    else
      json_object_set_new(out, key, world_patched(json_object_get(out, key), value));
  }
  return out;
}

json_t *world_load(const char *path) {
  const char *top = getenv("top_srcdir");
  char full[1024];
  struct crv_err err;
  snprintf(full, sizeof full, "%s/%s", top ? top : ".", path);
  FILE *f = fopen(full, "rb");
  if (!f) {
    fprintf(stderr, "cannot read %s\n", full);
    abort();
  }
  static char text[1 << 20];
  size_t n = fread(text, 1, sizeof text, f);
  fclose(f);
  crv_err_init(&err);
  json_t *j = crv_json_parse_stored(text, n, &err);
  if (!j) {
    fprintf(stderr, "%s: %s\n", full, err.detail);
    abort();
  }
  return j;
}

/* -- records
 * --------------------------------------------------------------------------------------- */

static char *canonical_offer(const json_t *doc, struct world *w) {
  struct crv_offer *o;
  if (!crv_offer_decode(doc, "", false, w->arena, &o, &w->err)) return NULL;
  _json_ json_t *j = crv_jspec_encode(&crv_offer_spec, o);
  return crv_json_canonical(j);
}

static char *canonical_piece(const json_t *doc, struct world *w) {
  struct crv_piece *p;
  if (!crv_piece_decode(doc, "", w->arena, &p, &w->err)) return NULL;
  _json_ json_t *j = crv_jspec_encode(&crv_piece_spec, p);
  return crv_json_canonical(j);
}

static struct crv_offer_rec *offer_rec(const struct entry *e, int64_t seq, int64_t recorded_at,
                                       struct world *w) {
  const char *ref =
      json_string_value(json_object_get(json_object_get(e->doc, "source"), "evidence"));
  const char *source = NULL;
  int64_t version = 0;
  char digest[CRV_SHA256_HEX];
  if (json_is_null(e->doc))
    return crv_offer_rec_new(e->key, e->version, seq, recorded_at, NULL, 0, NULL, 0, "", &w->err);
  _free_ char *text = canonical_offer(e->doc, w);
  if (!text || (ref && !crv_ref_split(ref, w->arena, &source, &version))) return NULL;
  crv_sha256_hex(text, strlen(text), digest);
  return crv_offer_rec_new(e->key, e->version, seq, recorded_at, text, strlen(text), source,
                           version, digest, &w->err);
}

static struct crv_piece_rec *piece_rec(const struct entry *e, int64_t seq, int64_t recorded_at,
                                       struct world *w) {
  char digest[CRV_SHA256_HEX];
  _free_ char *text = canonical_piece(e->doc, w);
  if (!text) return NULL;
  crv_sha256_hex(text, strlen(text), digest);
  return crv_piece_rec_new(e->key, e->version, seq, recorded_at, "test", text, strlen(text), digest,
                           &w->err);
}

/* -- order of insertion
 * ------------------------------------------------------------------------------ */

static size_t gather(const json_t *docs, bool piece, struct entry *out, size_t n, size_t most) {
  const char *key;
  json_t *doc;
  json_object_foreach((json_t *)(uintptr_t)docs, key, doc) {
    size_t versions = json_is_array(doc) ? json_array_size(doc) : 1;
    for (size_t i = 0; i < versions && n < most; i++)
      out[n++] = (struct entry){key, json_is_array(doc) ? json_array_get(doc, i) : doc,
                                (int64_t)i + 1, piece};
  }
  return n;
}

static unsigned next_random(unsigned *state) {
  *state = *state * 1103515245u + 12345u;
  return *state >> 16;
}

/* Versions of one key keep their order: swapping neighbours of different keys never breaks it. */
static void shuffle(struct entry *e, size_t n, unsigned seed) {
  for (size_t round = 0; seed && round < 3 * n; round++) {
    size_t i = n > 1 ? next_random(&seed) % (n - 1) : 0;
    if (n > 1 && strcmp(e[i].key, e[i + 1].key) != 0) {
      struct entry t = e[i];
      e[i] = e[i + 1];
      e[i + 1] = t;
    }
  }
}

static bool records(struct world *w, const json_t *doc, unsigned seed) {
  size_t most = 4096;
  struct entry *e = crv_new_array(w->arena, most, struct entry);
  struct crv_offer_rec **offers = crv_new_array(w->arena, most, struct crv_offer_rec *);
  struct crv_piece_rec **pieces = crv_new_array(w->arena, most, struct crv_piece_rec *);
  size_t n_offers = 0, n_pieces = 0, n = gather(json_object_get(doc, "offers"), false, e, 0, most);
  bool ok = true;
  n = gather(json_object_get(doc, "evidence"), true, e, n, most);
  shuffle(e, n, seed);
  for (size_t i = 0; i < n && ok; i++) {
    int64_t seq = (int64_t)i + 1;
    int64_t at = RECORDED_AT + (seed ? seq * 37 * CRV_DAY_MS : 0); /* shuffled: also after as_of */
    if (e[i].piece)
      ok = (pieces[n_pieces] = piece_rec(&e[i], seq, at, w)) != NULL && ++n_pieces;
    else
      ok = (offers[n_offers] = offer_rec(&e[i], seq, at, w)) != NULL && ++n_offers;
    if (!ok)
      fprintf(stderr, "%s@%d: %s %s %s\n", e[i].key, (int)e[i].version, w->err.detail,
              w->err.n ? w->err.at[0].ptr : "", w->err.n ? w->err.at[0].detail : "");
  }
  w->catalogue = crv_catalogue_extend(NULL, offers, n_offers, (int64_t)n);
  w->evidence = crv_evidence_extend(NULL, pieces, n_pieces, (int64_t)n);
  return ok && w->catalogue && w->evidence;
}

static bool question(struct world *w, const json_t *doc) {
  struct crv_question *q = &w->question;
  struct crv_unit_err ue;
  const char *as_of = json_string_value(json_object_get(doc, "as_of"));
  const json_t *filter = json_object_get(doc, "filter"), *policy = json_object_get(doc, "policy");
  memset(q, 0, sizeof *q);
  crv_policy_default(&q->policy);
  if (!crv_sheet_decode(json_object_get(doc, "sheet"), "", w->arena, &w->sheet, &w->err))
    return false;
  if (policy && !crv_policy_decode(policy, "", &q->policy, &w->err)) return false;
  if (filter && !crv_jspec_decode(&crv_filter_spec, filter, "", w->arena, &q->filter, &w->err))
    return false;
  if (!as_of || !crv_time_parse(as_of, strlen(as_of), &q->as_of, &ue)) return false;
  q->sheet = w->sheet;
  q->sheet_name = "sheet";
  q->sheet_revision = 1;
  q->sheet_digest = "";
  q->catalogue = w->catalogue;
  q->evidence = w->evidence;
  q->catalogue_position = w->catalogue->position;
  q->evidence_position = w->evidence->position;
  q->limit = 1000;
  return true;
}

bool world_make(struct world *w, const json_t *doc, unsigned seed) {
  memset(w, 0, sizeof *w);
  crv_err_init(&w->err);
  w->arena = crv_arena_new(0);
  return w->arena && records(w, doc, seed) && question(w, doc) &&
         crv_decide(&w->question, w->arena, &w->list, &w->err);
}

void world_done(struct world *w) {
  crv_catalogue_unref(w->catalogue);
  crv_evidence_unref(w->evidence);
  crv_arena_free(w->arena);
}

/* -- looking
 * --------------------------------------------------------------------------------------------- */

static const struct crv_row *row_in(struct crv_row *const *rows, size_t n, const char *offer) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(rows[i]->rec->key, offer)) return rows[i];
  return NULL;
}

const struct crv_row *world_row(const struct world *w, const char *offer, const char **ret_list) {
  const struct crv_shortlist *s = &w->list;
  const struct crv_row *row = row_in(s->retained, s->n_retained, offer);
  *ret_list = "retained";
  if (row) return row;
  *ret_list = "preselection";
  row = row_in(s->preselection, s->n_preselection, offer);
  if (row) return row;
  *ret_list = "excluded";
  return row_in(s->excluded, s->n_excluded, offer);
}

const struct crv_finding *world_finding(const struct crv_row *row, const char *criterion,
                                        const char *subject) {
  for (size_t i = 0; i < row->n_findings; i++) {
    const struct crv_finding *f = &row->findings[i];
    if (!strcmp(crv_criterion_info(f->criterion)->id, criterion) &&
        (!subject || crv_streq(subject, f->subject)))
      return f;
  }
  return NULL;
}
