/* Imports of test files and inline text, and the searches that import tests share. */
#include "tests/unit/import_files.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"

static char *read_path(const char *path, size_t *ret_len) {
  FILE *f = fopen(path, "rb");
  struct crv_buf b;
  char part[4096];
  size_t n;
  if (!f) return NULL;
  crv_buf_init(&b, 0);
  while ((n = fread(part, 1, sizeof part, f)) > 0) crv_buf_add(&b, part, n);
  fclose(f);
  return crv_buf_take(&b, ret_len);
}

static const char *top(void) {
  const char *s = getenv("top_srcdir");
  return s ? s : ".";
}

char *import_file(const char *name, size_t *ret_len) {
  char path[1024];
  snprintf(path, sizeof path, "%s/tests/data/catalogues/%s", top(), name);
  char *ret = read_path(path, ret_len);
  ck_assert_msg(ret != NULL, "%s cannot be read", path);
  return ret;
}

char *import_public(const char *name, size_t *ret_len) {
  const char *shared = getenv("CRV_SHARED");
  char path[1024];
  if (shared)
    snprintf(path, sizeof path, "%s/catalogues/%s", shared, name);
  else
    snprintf(path, sizeof path, "%s/../shared/catalogues/%s", top(), name);
  return read_path(path, ret_len);
}

struct imported import_text(const struct crv_import_params *p, const char *data, size_t len) {
  struct imported i = {.arena = crv_arena_new(0)};
  ck_assert_ptr_nonnull(i.arena);
  crv_err_init(&i.err);
  i.ok = crv_import_read(p, data, len, i.arena, &i.r, &i.err);
  return i;
}

struct imported import_named(const struct crv_import_params *p, const char *name) {
  size_t len;
  _free_ char *data = import_file(name, &len);
  struct imported i = import_text(p, data, len);
  ck_assert_msg(i.ok, "%s: %s %s", name, i.err.detail, i.err.at[0].detail);
  return i;
}

struct imported import_sky(const char *profile, const char *data, size_t len) {
  const struct crv_import_params p = {.source = "skypilot", .profile = profile, .currency = "USD"};
  return import_text(&p, data, len);
}

void import_done(struct imported *i) {
  i->arena = crv_arena_free(i->arena);
}

size_t n_offers(const struct imported *i) {
  return i->r.offers.n;
}
size_t n_findings(const struct imported *i) {
  return i->r.findings.n;
}

const struct crv_import_offer *offer_at(const struct imported *i, size_t n) {
  ck_assert_uint_lt(n, i->r.offers.n);
  return crv_list_at(i->r.offers, struct crv_import_offer, n);
}

const struct crv_import_offer *offer_of(const struct imported *i, const char *key) {
  for (size_t n = 0; n < i->r.offers.n; n++)
    if (!strcmp(offer_at(i, n)->key, key)) return offer_at(i, n);
  for (size_t n = 0; n < i->r.offers.n; n++) fprintf(stderr, "  %s\n", offer_at(i, n)->key);
  ck_abort_msg("no offer %s", key);
  return NULL;
}

static const struct crv_row_finding *finding_at(const struct imported *i, size_t n) {
  return crv_list_at(i->r.findings, struct crv_row_finding, n);
}

const struct crv_row_finding *finding_of(const struct imported *i, int64_t row, const char *code) {
  for (size_t n = 0; n < i->r.findings.n; n++) {
    const struct crv_row_finding *f = finding_at(i, n);
    if ((row < 0 || f->row == row) && !strcmp(f->code, code)) return f;
  }
  return NULL;
}

size_t count_findings(const struct imported *i, const char *code) {
  size_t ret = 0;
  for (size_t n = 0; n < i->r.findings.n; n++) ret += !strcmp(finding_at(i, n)->code, code);
  return ret;
}

bool doubted(const struct crv_import_offer *o, const char *field, const char *code) {
  for (size_t n = 0; n < o->offer->findings.n; n++) {
    const struct crv_import_finding *f =
        crv_list_at(o->offer->findings, struct crv_import_finding, n);
    if (!strcmp(f->field, field) && !strcmp(f->code, code)) return true;
  }
  return false;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *dump_offer(const struct crv_import_offer *o) {
  _json_ json_t *j = crv_jspec_encode(&crv_offer_spec, o->offer);
  _free_ char *text = j ? crv_json_canonical(j) : NULL;
  struct crv_buf b;
  ck_assert_ptr_nonnull(text);
  crv_buf_init(&b, 0);
  crv_buf_printf(&b, "%s %s\n", o->key, text);
  return crv_buf_take(&b, NULL);
}

static char *dump_finding(const struct crv_row_finding *f, bool with_rows) {
  struct crv_buf b;
  crv_buf_init(&b, 0);
  crv_buf_printf(&b, "%" PRId64 " %s %s [%s] [%s] %s\n", with_rows ? f->row : 0, f->code,
                 f->column ? f->column : "-", f->value[0] ? f->value[0] : "-",
                 f->value[1] ? f->value[1] : "-", f->effect);
  return crv_buf_take(&b, NULL);
}

char *import_dump(const struct imported *i, bool with_rows) {
  size_t n = 0, all = i->r.offers.n + i->r.findings.n;
  char **line = calloc(all + 1, sizeof *line);
  struct crv_buf b;
  for (size_t k = 0; k < i->r.offers.n; k++) line[n++] = dump_offer(offer_at(i, k));
  for (size_t k = 0; k < i->r.findings.n; k++)
    line[n++] = dump_finding(finding_at(i, k), with_rows);
  qsort(line, n, sizeof *line, by_text);
  crv_buf_init(&b, 0);
  for (size_t k = 0; k < n; k++) {
    crv_buf_str(&b, line[k]);
    free(line[k]);
  }
  free(line);
  return crv_buf_take(&b, NULL);
}

struct imported sky_file(const char *profile, const char *name) {
  const struct crv_import_params p = {.source = "skypilot", .profile = profile, .currency = "USD"};
  return import_named(&p, name);
}

bool memory_unknown(const struct crv_import_offer *o) {
  const struct crv_device *d = o->offer->device;
  return !d->memory_nominal.set && !d->memory_declared_bytes.set;
}

void nominal_is(const struct crv_import_offer *o, int64_t figure, const char *unit) {
  const struct crv_nominal *n = &o->offer->device->memory_nominal;
  ck_assert_msg(n->set && n->micro == figure * CRV_MICRO && crv_streq(n->unit, unit),
                "%s: %" PRId64 " %s", o->key, n->micro, n->unit);
  ck_assert(!o->offer->device->memory_declared_bytes.set);
}

void declared_is(const struct crv_import_offer *o, int64_t mib) {
  const struct crv_device *d = o->offer->device;
  ck_assert_msg(d->memory_declared_bytes.set && d->memory_declared_bytes.v == mib * CRV_MIB,
                "%s: %" PRId64, o->key, d->memory_declared_bytes.v / CRV_MIB);
  ck_assert(!d->memory_nominal.set);
}

void amount_is(const struct crv_import_offer *o, int64_t micro, const char *raw) {
  const struct crv_price *p = o->offer->price;
  ck_assert_msg(p->amount.set && p->amount.v == micro, "%s: %" PRId64, o->key, p->amount.v);
  ck_assert_msg(crv_streq(p->raw, raw), "%s: %s", o->key, p->raw);
}
