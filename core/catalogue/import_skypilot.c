/* SkyPilot vms.csv: one row an instance type in a region, header-driven, with a profile for each
   provider. This file holds the profiles, the columns and the order of the steps.
   What each provider's figures mean was counted from its own file of the public catalogue
   (skypilot-org/skypilot-catalog, catalogs/v7 and v8).
   Must not know: where records are kept. */
#include <string.h>

#include "core/base/text.h"
#include "core/catalogue/import_sky.h"

static const struct sky_profile profiles[] = {
    /* a market of single machines: the device's own report, summed over the lot; 0.00 for no spot
     */
    {"vast", SKY_SIZE_LOT, SKY_TOTAL_ALL, SKY_FIGURE_DECLARED, false, true, SKY_NAME_VAST},
    {"nebius", SKY_SIZE_DEVICE, SKY_TOTAL_ALL, SKY_FIGURE_CATALOGUE, false, false, SKY_NAME_NEBIUS},
    {"verda", SKY_SIZE_DEVICE, SKY_TOTAL_ALL, SKY_FIGURE_CATALOGUE, false, false, SKY_NAME_NONE},
    {"lambda", SKY_SIZE_DEVICE, SKY_TOTAL_ONE, SKY_FIGURE_CATALOGUE, false, false, SKY_NAME_NONE},
    {"runpod", SKY_SIZE_DEVICE, SKY_TOTAL_ALL, SKY_FIGURE_CATALOGUE, true, false, SKY_NAME_NONE},
    {"primeintellect", SKY_SIZE_LOT, SKY_TOTAL_TWICE, SKY_FIGURE_CATALOGUE, false, false,
     SKY_NAME_NONE},
    {"mithril", SKY_SIZE_DEVICE, SKY_TOTAL_ALL, SKY_FIGURE_CATALOGUE, false, false, SKY_NAME_NONE},
};
const char crv_skypilot_profiles[] = "vast nebius verda lambda runpod primeintellect mithril";

const char *const crv_sky_columns[SKY_COLUMNS] = {
    "InstanceType", "AcceleratorName", "AcceleratorCount", "vCPUs",
    "MemoryGiB",    "GpuInfo",         "Region",           "Price",
    "SpotPrice",    "AvailabilityZone"};
enum { NEEDED = SKY_PRICE + 1 }; /* the columns up to here; the others may be absent */
/* Columns that the schema has and offers have no place for. */
static const char *const unused[] = {"UpstreamCloudId", "Arch"};

struct sky {
  struct crv_irun *run;
  const struct sky_profile *profile;
  size_t at[SKY_COLUMNS]; /* index in the file; SIZE_MAX: absent */
  size_t good;            /* rows that may give offers */
};

const struct sky_profile *crv_sky_profile(const char *name) {
  for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
    if (crv_streq(profiles[i].name, name)) return &profiles[i];
  return NULL;
}

bool crv_skypilot_profile_known(const char *name) {
  return crv_sky_profile(name) != NULL;
}

static bool note_column(struct sky *s, const char *name, struct crv_err *err) {
  for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
    if (!strcmp(unused[i], name)) return true;
  struct crv_irow *r = crv_irow_new(s->run, 0, sizeof *r);
  char quoted[CRV_QUOTE_ROOM];
  if (!r) return crv_import_oom(err);
  crv_ifind(&r->findings, CRV_IC_COLUMN_IGNORED, name, crv_text_quote(name, strlen(name), quoted),
            NULL);
  return true;
}

static int known_column(const char *name) {
  for (int c = 0; c < SKY_COLUMNS; c++)
    if (!strcmp(crv_sky_columns[c], name)) return c;
  return strcmp(name, "GPUInfo") ? -1 : SKY_GPUINFO; /* the catalogue's README spells it so */
}

static bool on_header(void *ctx, const struct crv_csv_row *row, struct crv_err *err) {
  struct sky *s = ctx;
  bool ok = true;
  for (int c = 0; c < SKY_COLUMNS; c++) s->at[c] = SIZE_MAX;
  for (size_t i = 0; i < row->n; i++) {
    int c = known_column(row->cells[i]);
    if (c >= 0)
      s->at[c] = i;
    else if (!note_column(s, row->cells[i], err))
      return false;
  }
  for (int c = 0; c < NEEDED; c++)
    if (s->at[c] == SIZE_MAX)
      ok = crv_fail_field(err, "header", "missing", "a SkyPilot vms.csv with its header line",
                          "The column %s is missing.", crv_sky_columns[c]);
  return ok;
}

static bool on_bad(void *ctx, int64_t row, enum crv_icode code, const char *v0, const char *v1,
                   struct crv_err *err) {
  struct sky *s = ctx;
  s->run->ret->rows++;
  return crv_irow_refuse(s->run, row, code, NULL, v0, v1) || crv_import_oom(err);
}

static bool is_zero(const char *s) {
  int64_t n;
  return crv_sky_whole(s, &n) && n == 0;
}

static bool refuse(struct sky *s, int64_t row, enum crv_icode code, enum sky_column c,
                   const char *value, struct crv_err *err) {
  return crv_irow_refuse(s->run, row, code, crv_sky_columns[c], value, NULL) || crv_import_oom(err);
}

static bool on_row(void *ctx, const struct crv_csv_row *row, struct crv_err *err) {
  struct sky *s = ctx;
  struct sky_cells c;
  s->run->ret->rows++;
  for (int i = 0; i < SKY_COLUMNS; i++) c.at[i] = s->at[i] == SIZE_MAX ? "" : row->cells[s->at[i]];
  const char *count = c.at[SKY_COUNT];
  if (!*c.at[SKY_ACCELERATOR]) {
    if (*count && !is_zero(count))
      return refuse(s, row->row, CRV_IC_ACCELERATOR_MISSING, SKY_ACCELERATOR, count, err);
    s->run->ret->skipped++;
    return true;
  }
  if (!*c.at[SKY_INSTANCE]) return refuse(s, row->row, CRV_IC_KEY_MISSING, SKY_INSTANCE, NULL, err);
  struct sky_row *r = crv_irow_new(s->run, row->row, sizeof *r);
  if (!r || !crv_sky_read_cells(r, s->profile, &c)) return crv_import_oom(err);
  s->good++;
  return true;
}

/* The rows that may give offers, in the file's order. */
static struct sky_row **good_rows(struct sky *s) {
  struct sky_row **rows = crv_new_array(s->run->a, s->good, struct sky_row *);
  size_t n = 0;
  for (struct crv_irow *r = s->run->first; rows && r && n < s->good; r = r->next)
    if (r->readable) rows[n++] = (struct sky_row *)r;
  return rows;
}

static bool give_keys(struct sky *s, const char *prefix, struct crv_err *err) {
  static const char *const plans[CRV_PLANS] = {"od", "spot"};
  struct crv_ikey *k = crv_new_array(s->run->a, s->good * CRV_PLANS, struct crv_ikey);
  size_t n = 0;
  if (!k) return crv_import_oom(err);
  for (struct crv_irow *r = s->run->first; r; r = r->next) {
    for (size_t i = 0; i < r->n_offers; i++) {
      const struct sky_row *row = (const struct sky_row *)r;
      k[n++] = (struct crv_ikey){.prefix = prefix,
                                 .instance = row->instance,
                                 .region = row->region,
                                 .variant = row->variant,
                                 .plan = plans[r->plan[i]],
                                 .offer = &r->offers[i]};
    }
  }
  return crv_ikeys_assign(k, n, s->run->a, err);
}

static bool make_all(struct sky *s, struct crv_err *err) {
  const struct crv_import_params *p = s->run->p;
  const char *supplier = p->supplier ? p->supplier : s->profile->name;
  struct sky_row **rows = good_rows(s);
  if (!rows || !crv_sky_group(rows, s->good)) return crv_import_oom(err);
  for (size_t i = 0; i < s->good; i++) {
    if (rows[i]->dropped) continue;
    if (!crv_sky_make_offers(s->run, supplier, rows[i], err)) return false;
  }
  return give_keys(s, p->key_prefix ? p->key_prefix : supplier, err);
}

bool crv_import_skypilot(struct crv_irun *run, const char *data, size_t len, struct crv_err *err) {
  struct sky s = {.run = run, .profile = crv_sky_profile(run->p->profile)};
  const struct crv_csv_handler h = {&s, on_header, on_row, on_bad};
  return crv_csv_read(data, len, &h, err) && make_all(&s, err);
}
