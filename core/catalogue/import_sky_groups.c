/* SkyPilot rows beside each other: one instance type with different memory, one identity stated
   twice. The outcome does not depend on the order of the rows.
   An identity is supplier, instance type, region and plan. Rows of one identity that differ in what
   they are (memory, device, counts, host) are different machines and are kept apart; rows that
   differ in nothing but the price cannot be told apart, and their price is unknown.
   Must not know: how cells are written, keys. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/catalogue/import_sky.h"

static int int_order(int64_t a, int64_t b) {
  return a < b ? -1 : a > b;
}

static int memory_order(const struct sky_row *a, const struct sky_row *b) {
  if (a->per_device.set != b->per_device.set) return a->per_device.set ? -1 : 1;
  return int_order(a->per_device.v, b->per_device.v);
}

static struct sky_row *row_at(const void *p) {
  return *(struct sky_row *const *)p;
}

static int by_instance(const void *p, const void *q) {
  const struct sky_row *a = row_at(p), *b = row_at(q);
  int d = strcmp(a->instance, b->instance);
  return d ? d : memory_order(a, b);
}

static int identity_order(const struct sky_row *a, const struct sky_row *b) {
  int d = strcmp(a->instance, b->instance);
  return d ? d : strcmp(a->region, b->region);
}

static int class_order(const struct sky_row *a, const struct sky_row *b) {
  int d = strcmp(a->shape, b->shape);
  return d ? d : memory_order(a, b);
}

static int by_identity(const void *p, const void *q) {
  const struct sky_row *a = row_at(p), *b = row_at(q);
  int d = identity_order(a, b);
  if (!d) d = class_order(a, b);
  if (!d) d = strcmp(a->gpuinfo, b->gpuinfo);
  return d ? d : int_order(a->base.findings.row, b->base.findings.row);
}

static int by_row(const void *p, const void *q) {
  return int_order(row_at(p)->base.findings.row, row_at(q)->base.findings.row);
}

/* The end of the run of rows equal to rows[from]. */
static size_t run_end(struct sky_row **rows, size_t n, size_t from,
                      int (*cmp)(const struct sky_row *, const struct sky_row *)) {
  size_t to = from + 1;
  while (to < n && cmp(rows[from], rows[to]) == 0) to++;
  return to;
}

static int instance_order(const struct sky_row *a, const struct sky_row *b) {
  return strcmp(a->instance, b->instance);
}

/* -- one instance type, several memories ----------------------------------------------------- */

/* rows[0..n) of one instance type by memory ascending; those without a figure are last. */
static void mark_ambiguous(struct sky_row **rows, size_t n) {
  size_t least = run_end(rows, n, 0, memory_order);
  if (least == n || !rows[least]->per_device.set) return;
  for (size_t i = 0; i < n && rows[i]->per_device.set; i++) {
    const struct sky_row *low = i < least ? rows[i] : rows[0];
    const struct sky_row *high = i < least ? rows[least] : rows[i];
    rows[i]->memory_ok = false;
    crv_ifind(&rows[i]->base.findings, CRV_IC_MEMORY_AMBIGUOUS, crv_sky_columns[SKY_GPUINFO],
              low->memory_text, high->memory_text);
  }
}

/* -- one identity, several rows -------------------------------------------------------------- */

static bool set_shape(struct sky_row *r) {
  r->shape =
      crv_arena_printf(r->base.findings.a, "%s x %" PRId64 ", %" PRId64 " vCPUs, %" PRId64 " B",
                       r->accelerator, r->devices.v, r->vcpus.v, r->ram.v);
  return r->shape != NULL;
}

static bool name_variant(struct sky_row *r, bool memory, bool shape) {
  char hex[CRV_SHA256_HEX] = "";
  if (shape) crv_sha256_hex(r->shape, strlen(r->shape), hex);
  const char *figure = !memory ? "" : r->per_device.set ? r->memory_text : "memory unknown";
  r->variant = crv_arena_printf(r->base.findings.a, "%s %.8s", figure, hex);
  return r->variant != NULL;
}

/* rows[0..n) of one identity, by class: other machines get other keys. */
static bool tell_apart(struct sky_row **rows, size_t n) {
  const struct sky_row *last = rows[n - 1];
  bool shape = strcmp(rows[0]->shape, last->shape) != 0, memory = false;
  for (size_t i = 1; i < n; i++) memory = memory || memory_order(rows[0], rows[i]) != 0;
  if (!shape && !memory) return true;
  for (size_t i = 0; i < n; i++) {
    if (!name_variant(rows[i], memory, shape)) return false;
    if (!shape) continue; /* memory alone has its own finding */
    const char *other = strcmp(rows[i]->shape, last->shape) ? last->shape : rows[0]->shape;
    crv_ifind(&rows[i]->base.findings, CRV_IC_IDENTITY_CONFLICT, crv_sky_columns[SKY_INSTANCE],
              rows[i]->shape, other);
  }
  return true;
}

static bool same_price(const struct sky_price *a, const struct sky_price *b) {
  if (a->present != b->present || a->amount.set != b->amount.set) return false;
  return a->amount.set ? a->amount.v == b->amount.v : crv_streq(a->raw, b->raw);
}

/* rows[0..n) state one machine with several prices: the first carries it with the price unknown. */
static void conflict(struct sky_row **rows, size_t n, unsigned plan) {
  const char *column = crv_sky_columns[plan == CRV_PLAN_SPOT ? SKY_SPOT : SKY_PRICE];
  const char *first = rows[0]->price[plan].raw, *other = first;
  for (size_t i = 1; i < n && crv_streq(other, first); i++) other = rows[i]->price[plan].raw;
  for (size_t i = 0; i < n; i++) {
    struct crv_ifindings *fs = &rows[i]->base.findings;
    const char *own = rows[i]->price[plan].raw;
    fs->plans = 1u << plan;
    crv_ifind(fs, CRV_IC_PRICE_CONFLICT, column, own, crv_streq(own, first) ? other : first);
    fs->plans = 0;
  }
  rows[0]->price[plan] = (struct sky_price){.present = true};
}

static void join_class(struct sky_row **rows, size_t n) {
  bool repeated = true;
  char first[48];
  for (unsigned plan = 0; plan < CRV_PLANS; plan++) {
    bool same = true;
    for (size_t i = 1; i < n; i++)
      same = same && same_price(&rows[0]->price[plan], &rows[i]->price[plan]);
    if (!same) conflict(rows, n, plan);
    repeated = repeated && same;
  }
  snprintf(first, sizeof first, "row %" PRId64, rows[0]->base.findings.row);
  for (size_t i = 1; i < n; i++) {
    rows[i]->dropped = true;
    if (repeated) crv_ifind(&rows[i]->base.findings, CRV_IC_DUPLICATE_ROW, NULL, first, NULL);
  }
}

static bool join_identity(struct sky_row **rows, size_t n) {
  if (!tell_apart(rows, n)) return false;
  for (size_t i = 0, to; i < n; i = to) {
    to = run_end(rows, n, i, class_order);
    if (to - i > 1) join_class(rows + i, to - i);
  }
  return true;
}

bool crv_sky_group(struct sky_row **rows, size_t n) {
  if (!n) return true;
  for (size_t i = 0; i < n; i++)
    if (!set_shape(rows[i])) return false;
  qsort(rows, n, sizeof *rows, by_instance);
  for (size_t i = 0, to; i < n; i = to) {
    to = run_end(rows, n, i, instance_order);
    mark_ambiguous(rows + i, to - i);
  }
  qsort(rows, n, sizeof *rows, by_identity);
  for (size_t i = 0, to; i < n; i = to) {
    to = run_end(rows, n, i, identity_order);
    if (to - i > 1 && !join_identity(rows + i, to - i)) return false;
  }
  qsort(rows, n, sizeof *rows, by_row);
  return true;
}
