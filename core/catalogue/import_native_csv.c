/* Native CSV: each column is an offer field by its dotted path, "key", or a "check." figure. A cell
   becomes the JSON value that the field takes: whole numbers as numbers, everything else as text,
   blank as absent.
   Must not know: what the fields mean. */
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/catalogue/import_native.h"

enum { PATH_BYTES = 120, PATH_DEPTH = 6, NEAR = 3 };

struct column {
  const char *path;
  enum crv_jtype type;
};
struct native_csv {
  struct crv_irun *run;
  struct column *columns;
};

/* -- header ---------------------------------------------------------------------------------- */

struct nearest {
  const char *to;
  size_t distance;
  char best[PATH_BYTES];
};

static void try_path(struct nearest *n, const char *path) {
  size_t d = crv_edit_distance(n->to, path, NEAR);
  if (d > NEAR || (*n->best && d >= n->distance)) return;
  n->distance = d;
  snprintf(n->best, sizeof n->best, "%s", path);
}

static void try_name(struct nearest *n, const char *parent, const char *name, char *path) {
  snprintf(path, PATH_BYTES, "%s%s%s", parent, *parent ? "." : "", name);
  try_path(n, path);
  /* the last name alone: "amount" for "price.amount" */
  if (*parent && !*n->best && !strcmp(n->to, name)) snprintf(n->best, sizeof n->best, "%s", path);
}

/* Tries every path of the table. */
static void try_spec(struct nearest *n, const struct crv_jspec *spec, const char *parent,
                     int depth) {
  char path[PATH_BYTES];
  for (const struct crv_jfield *f = spec->fields; f->name; f++) {
    if (f->alias) try_name(n, parent, f->alias, path);
    try_name(n, parent, f->name, path);
    if (f->type == CRV_JT_OBJECT && depth < PATH_DEPTH) try_spec(n, f->sub, path, depth + 1);
  }
}

static bool unknown(const char *name, struct crv_err *err) {
  struct nearest n = {.to = name};
  char hint[PATH_BYTES + 24], quoted[CRV_QUOTE_ROOM];
  try_spec(&n, &crv_offer_spec, "", 0);
  try_spec(&n, &crv_native_checks_spec, "check", 0);
  if (*n.best)
    snprintf(hint, sizeof hint, "did you mean %s?", n.best);
  else
    snprintf(hint, sizeof hint, "a field of an offer such as price.amount");
  return crv_fail_field(err, "header", "unknown_field", hint, "%s is no field of an offer.",
                        crv_text_quote(name, strlen(name), quoted));
}

static bool no_scalar(const char *name, struct crv_err *err) {
  return crv_fail_field(err, "header", "wrong_type", "use NDJSON for it",
                        "The column %.80s is a list or an object: a cell cannot hold it.", name);
}

static bool one_cell(const struct crv_jfield *f) {
  if (f->type == CRV_JT_OBJECT) return f->sub->short_field != NULL;
  if (f->type == CRV_JT_LIST) return (f->flags & CRV_JF_ONE_OR_LIST) != 0;
  return f->type != CRV_JT_MAP;
}

static bool take_column(struct native_csv *c, size_t i, const char *name, struct crv_err *err) {
  bool check = !strncmp(name, "check.", 6);
  const struct crv_jfield *f = NULL;
  c->columns[i].path = crv_arena_strdup(c->run->a, name);
  if (!c->columns[i].path) return crv_import_oom(err);
  c->columns[i].type = CRV_JT_TEXT;
  if (!strcmp(name, "key") || !strncmp(name, "x-", 2)) return true;
  if (strlen(name) < PATH_BYTES)
    f = check ? crv_jspec_field(&crv_native_checks_spec, name + 6)
              : crv_jspec_field(&crv_offer_spec, name);
  if (!f) return unknown(name, err);
  if (!one_cell(f)) return no_scalar(name, err);
  c->columns[i].type = f->type;
  return true;
}

/* "device" in one cell and "device.model" in another cannot both be told. */
static bool overlap(const struct native_csv *c, size_t n, struct crv_err *err) {
  for (size_t i = 0; i < n; i++) {
    size_t len = strlen(c->columns[i].path);
    for (size_t k = 0; k < n; k++)
      if (!strncmp(c->columns[k].path, c->columns[i].path, len) && c->columns[k].path[len] == '.')
        return crv_fail_field(err, "header", "duplicate", NULL,
                              "The columns %.80s and %.80s state the same object.",
                              c->columns[i].path, c->columns[k].path);
  }
  return true;
}

static bool on_header(void *ctx, const struct crv_csv_row *row, struct crv_err *err) {
  struct native_csv *c = ctx;
  bool ok = true, key = false;
  c->columns = crv_new_array(c->run->a, row->n, struct column);
  if (!c->columns) return crv_import_oom(err);
  for (size_t i = 0; i < row->n; i++) {
    ok = take_column(c, i, row->cells[i], err) && ok;
    key = key || !strcmp(row->cells[i], "key");
  }
  if (!key)
    return crv_fail_field(err, "header", "missing", "key,supplier,device.name,price.amount,...",
                          "The column key is missing.");
  return ok && overlap(c, row->n, err);
}

/* -- rows ------------------------------------------------------------------------------------ */

static bool is_integer(const char *s) {
  size_t sign = *s == '-', n = strspn(s + sign, "0123456789");
  return n > 0 && n <= 18 && s[sign + n] == '\0' && (s[sign] != '0' || n == 1);
}

static json_t *cell_value(enum crv_jtype type, const char *s) {
  bool number = type == CRV_JT_INT || type == CRV_JT_BYTES || type == CRV_JT_CUSTOM;
  if (number && is_integer(s)) return json_integer(strtoll(s, NULL, 10));
  if (type == CRV_JT_BOOL && !strcmp(s, "true")) return json_true();
  if (type == CRV_JT_BOOL && !strcmp(s, "false")) return json_false();
  return json_string(s);
}

/* Puts value at the path, making the objects on its way; takes value. */
static bool put(json_t *doc, const char *path, json_t *value) {
  char name[PATH_BYTES];
  if (!strncmp(path, "x-", 2)) return json_object_set_new(doc, path, value) == 0;
  for (const char *dot = strchr(path, '.'); dot; dot = strchr(path, '.')) {
    snprintf(name, sizeof name, "%.*s", (int)(dot - path), path);
    json_t *sub = json_object_get(doc, name);
    if (!sub) {
      sub = json_object();
      if (json_object_set_new(doc, name, sub) != 0) return json_decref(value), false;
    }
    doc = sub;
    path = dot + 1;
  }
  return json_object_set_new(doc, path, value) == 0;
}

static bool on_row(void *ctx, const struct crv_csv_row *row, struct crv_err *err) {
  struct native_csv *c = ctx;
  _json_ json_t *doc = json_object();
  c->run->ret->rows++;
  for (size_t i = 0; doc && i < row->n; i++) {
    if (!*row->cells[i]) continue;
    json_t *v = cell_value(c->columns[i].type, row->cells[i]);
    if (!v || !put(doc, c->columns[i].path, v)) return crv_import_oom(err);
  }
  if (!doc) return crv_import_oom(err);
  return crv_native_row(c->run, row->row, doc, err);
}

static bool on_bad(void *ctx, int64_t row, enum crv_icode code, const char *v0, const char *v1,
                   struct crv_err *err) {
  struct native_csv *c = ctx;
  c->run->ret->rows++;
  return crv_irow_refuse(c->run, row, code, NULL, v0, v1) || crv_import_oom(err);
}

bool crv_import_native_csv(struct crv_irun *run, const char *data, size_t len,
                           struct crv_err *err) {
  struct native_csv c = {.run = run};
  const struct crv_csv_handler h = {&c, on_header, on_row, on_bad};
  return crv_csv_read(data, len, &h, err) && crv_native_finish(run, err);
}
