/* Offers in Crivo's own field names: NDJSON, one document a line, and CSV, one field path a column.
   Each row becomes an offer document that the offer's own field table decodes; figures are then
   checked like those of any other file. Two rows with one key that say different things are both
   refused: nothing tells which one is meant.
   Must not know: where records are kept. */
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/catalogue/import_native.h"

struct native_row {
  struct crv_irow base; /* first */
  const char *key;
  char *canonical; /* malloc'ed while keys are compared */
};

/* "/price/amount" -> "price.amount" */
static const char *path_of(char *ptr) {
  if (*ptr == '/') ptr++;
  for (char *s = ptr; *s; s++)
    if (*s == '/') *s = '.';
  return ptr;
}

/* Every field error of the document is a finding; the row is refused once. */
static bool refuse(struct crv_irun *run, int64_t row, struct crv_err *why, struct crv_err *err) {
  if (why->code == CRV_OUT_OF_MEMORY || why->code == CRV_INTERNAL) return *err = *why, false;
  if (why->code != CRV_INVALID_FIELDS || !why->n)
    return crv_irow_refuse(run, row, CRV_IC_ROW_NOT_JSON, NULL, why->detail, NULL) ||
           crv_import_oom(err);
  for (unsigned i = 0; i < why->n; i++)
    if (!crv_irow_refuse(run, row, CRV_IC_OFFER_INVALID, path_of(why->at[i].ptr), why->at[i].detail,
                         *why->at[i].hint ? why->at[i].hint : NULL))
      return crv_import_oom(err);
  run->ret->refused -= (int64_t)why->n - 1;
  return true;
}

/* -- one document ---------------------------------------------------------------------------- */

static bool set_missing(json_t *obj, const char *name, const char *value) {
  if (!value || json_object_get(obj, name)) return true;
  return crv_json_set_text(obj, name, value);
}

/* The request's supplier and currency stand in where the row names none. */
static bool fill_in(const struct crv_import_params *p, json_t *doc) {
  json_t *price = json_object_get(doc, "price");
  return set_missing(doc, "supplier", p->supplier) &&
         (!json_is_object(price) || set_missing(price, "currency", p->currency));
}

static const char *number_text(const json_t *j, char *out, size_t room) {
  const char *s = json_string_value(j);
  if (json_is_integer(j)) {
    snprintf(out, room, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
    return out;
  }
  return s && *s == CRV_JSON_NUM ? s + 1 : s;
}

/* A price of 0 is taken out before the document is decoded, where it would be refused: the row is
   kept with its price unknown, and the source's text. */
static bool take_zero_price(json_t *doc, bool *ret_zero) {
  json_t *price = json_object_get(doc, "price");
  char text[32];
  int64_t micro;
  struct crv_unit_err ue;
  const char *s = number_text(json_object_get(price, "amount"), text, sizeof text);
  *ret_zero = s && crv_decimal_parse(s, strlen(s), &micro, &ue) && micro == 0;
  if (!*ret_zero) return true;
  if (!set_missing(price, "raw", s)) return false;
  return json_object_del(price, "amount") == 0;
}

static bool read_checks(json_t *doc, struct crv_native_checks *ret, struct crv_arena *a,
                        struct crv_err *err) {
  const json_t *j = json_object_get(doc, "check");
  bool ok = !j || crv_jspec_decode(&crv_native_checks_spec, j, "/check", a, ret, err);
  json_object_del(doc, "check");
  return ok;
}

/* The row's key with the prefix that the request gives, or NULL. */
static const char *key_of(struct crv_irun *run, const json_t *doc) {
  const char *key = json_string_value(json_object_get(doc, "key")), *prefix = run->p->key_prefix;
  if (!key || !prefix) return key ? crv_arena_strdup(run->a, key) : NULL;
  return crv_arena_printf(run->a, "%s-%s", prefix, key);
}

static bool add(struct crv_irun *run, int64_t row, const char *key, struct crv_offer *o,
                const struct crv_native_checks *checks, struct crv_err *err) {
  struct native_row *r = crv_irow_new(run, row, sizeof *r);
  if (!r) return crv_import_oom(err);
  r->base.readable = true;
  r->key = key;
  if (o->source) {
    crv_ifind(&r->base.findings, CRV_IC_SOURCE_REPLACED, "source", o->source->evidence,
              o->source->uri);
    o->source = NULL;
  }
  if (checks->zero_price)
    crv_ifind(&r->base.findings, CRV_IC_PRICE_ZERO, "price.amount", o->price->raw, NULL);
  crv_native_check(&r->base.findings, o, checks);
  r->base.offers[0] = (struct crv_import_offer){key, row, o};
  r->base.n_offers = 1;
  return crv_irow_attach(run->a, &r->base) || crv_import_oom(err);
}

bool crv_native_row(struct crv_irun *run, int64_t row, json_t *doc, struct crv_err *err) {
  struct crv_native_checks checks = {.price_per_device = {0, false}};
  struct crv_offer *o = NULL;
  struct crv_err why;
  const char *key = key_of(run, doc);
  if (!key || !crv_key_ok(key, strlen(key)))
    return crv_irow_refuse(run, row, CRV_IC_KEY_MISSING, "key", key, NULL) || crv_import_oom(err);
  crv_err_init(&why);
  json_object_del(doc, "key");
  if (!fill_in(run->p, doc)) return crv_import_oom(err);
  bool ok = read_checks(doc, &checks, run->a, &why);
  if (!take_zero_price(doc, &checks.zero_price)) return crv_import_oom(err);
  ok = crv_import_decode(doc, run->a, &o, &why) && ok;
  return ok ? add(run, row, key, o, &checks, err) : refuse(run, row, &why, err);
}

/* -- rows with one key ----------------------------------------------------------------------- */

static struct native_row *row_at(const void *p) {
  return *(struct native_row *const *)p;
}

static int by_key(const void *p, const void *q) {
  int d = strcmp(row_at(p)->key, row_at(q)->key);
  int64_t a = row_at(p)->base.findings.row, b = row_at(q)->base.findings.row;
  return d ? d : a < b ? -1 : a > b;
}

static bool same_content(struct native_row *a, struct native_row *b, bool *ret) {
  _json_ json_t *ja = crv_jspec_encode(&crv_offer_spec, a->base.offers[0].offer);
  _json_ json_t *jb = crv_jspec_encode(&crv_offer_spec, b->base.offers[0].offer);
  _free_ char *ta = ja ? crv_json_canonical(ja) : NULL;
  _free_ char *tb = jb ? crv_json_canonical(jb) : NULL;
  *ret = ta && tb && !strcmp(ta, tb);
  return ta && tb;
}

/* rows[0..n) share a key: all the same, the first stays; else all are refused. */
static bool join(struct crv_irun *run, struct native_row **rows, size_t n) {
  bool same = true, one;
  char first[48];
  for (size_t i = 1; i < n; i++) {
    if (!same_content(rows[0], rows[i], &one)) return false;
    same = same && one;
  }
  snprintf(first, sizeof first, "row %lld", (long long)rows[0]->base.findings.row);
  if (!same) run->ret->refused += (int64_t)n;
  for (size_t i = same ? 1 : 0; i < n; i++) {
    struct crv_ifindings *fs = &rows[i]->base.findings;
    rows[i]->base.n_offers = 0;
    if (same)
      crv_ifind(fs, CRV_IC_DUPLICATE_ROW, "key", rows[i]->key, first);
    else
      crv_ifind(fs, CRV_IC_KEY_CONFLICT, "key", rows[i]->key, i ? first : NULL);
  }
  return true;
}

bool crv_native_finish(struct crv_irun *run, struct crv_err *err) {
  size_t n = 0, to;
  struct native_row **rows = crv_new_array(run->a, run->n_rows, struct native_row *);
  if (!rows) return crv_import_oom(err);
  for (struct crv_irow *r = run->first; r; r = r->next)
    if (r->readable) rows[n++] = (struct native_row *)r;
  if (n) qsort(rows, n, sizeof *rows, by_key);
  for (size_t i = 0; i < n; i = to) {
    for (to = i + 1; to < n && !strcmp(rows[i]->key, rows[to]->key);) to++;
    if (to - i > 1 && !join(run, rows + i, to - i)) return crv_import_oom(err);
  }
  return true;
}

/* -- NDJSON ---------------------------------------------------------------------------------- */

enum { LINE_BYTES = 1 << 20 };

static bool read_line(struct crv_irun *run, int64_t row, const char *s, size_t len,
                      struct crv_err *err) {
  struct crv_err why;
  char quoted[CRV_QUOTE_ROOM];
  run->ret->rows++;
  if (len > LINE_BYTES)
    return crv_irow_refuse(run, row, CRV_IC_ROW_TOO_LONG, NULL, crv_text_quote(s, len, quoted),
                           NULL) ||
           crv_import_oom(err);
  crv_err_init(&why);
  _json_ json_t *doc = crv_json_parse(s, len, &why);
  return doc ? crv_native_row(run, row, doc, err) : refuse(run, row, &why, err);
}

static bool is_blank(const char *s, size_t len) {
  while (len && (*s == ' ' || *s == '\t' || *s == '\r')) s++, len--;
  return len == 0;
}

bool crv_import_ndjson(struct crv_irun *run, const char *data, size_t len, struct crv_err *err) {
  int64_t row = 0;
  size_t at = len >= 3 && !memcmp(data, "\xEF\xBB\xBF", 3) ? 3 : 0;
  while (at < len) {
    const char *s = data + at, *end = memchr(s, '\n', len - at);
    size_t n = end ? (size_t)(end - s) : len - at;
    at += n + 1;
    if (is_blank(s, n)) continue;
    if (!read_line(run, ++row, s, n, err)) return false;
  }
  if (!row) return crv_fail_field(err, "body", "missing", NULL, "The file is empty.");
  return crv_native_finish(run, err);
}
