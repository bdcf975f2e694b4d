/* nvidia-smi --query-gpu and --query-compute-apps with --format=csv: any columns in any order, with
   or without units, header once or again in a loop, or known only from the command line. The unit
   of memory is MiB when neither header nor cell says (nvidia-smi --help-query-gpu). Must not know:
   the table's layout. */
#include <stdint.h>
#include <string.h>

#include "core/evidence/measure_nvidia.h"

enum { COLUMNS = 64, IDS = 64, CLOSE_MS = 100 };

enum col {
  C_OTHER,
  C_TIME,
  C_INDEX,
  C_NAME,
  C_UUID,
  C_BUS,
  C_SERIAL,
  C_TOTAL,
  C_USED,
  C_FREE,
  C_RESERVED,
  C_DRIVER,
  C_ECC,
  C_MIG,
  C_CAP,
  C_PID,
  C_APP_USED,
};
static const struct {
  const char *name;
  enum col col;
} names[] = {
    {"timestamp", C_TIME},
    {"index", C_INDEX},
    {"name", C_NAME},
    {"gpu_name", C_NAME},
    {"uuid", C_UUID},
    {"gpu_uuid", C_UUID},
    {"pci.bus_id", C_BUS},
    {"gpu_bus_id", C_BUS},
    {"serial", C_SERIAL},
    {"gpu_serial", C_SERIAL},
    {"memory.total", C_TOTAL},
    {"memory.used", C_USED},
    {"memory.free", C_FREE},
    {"memory.reserved", C_RESERVED},
    {"driver_version", C_DRIVER},
    {"ecc.mode.current", C_ECC},
    {"mig.mode.current", C_MIG},
    {"compute_cap", C_CAP},
    {"pid", C_PID},
    {"used_gpu_memory", C_APP_USED},
    {"used_memory", C_APP_USED},
};

struct row {
  struct crv_mspan cell[C_APP_USED + 1]; /* by column; len 0: absent */
};
struct id {
  char text[64];
};
struct crv_mcsv {
  enum col cols[COLUMNS];
  size_t n; /* 0: no header yet */
  bool apps, has_identity;
  struct id ids[IDS]; /* uuids or bus ids by order of appearance */
  size_t n_ids;
  /* Rows without identity: those with times are parted into passes, in which a row's place is its
     device; those without are told apart only when there is one. */
  int64_t n_loose, first_line;
  struct row first;
  bool alike; /* all name one device and one size */
  struct crv_mseries_set *passes;
  int64_t last_at, place, pass;
  bool uneven; /* passes of different size */
};

struct crv_mcsv *crv_mcsv_new(struct crv_mrun *run) {
  struct crv_mcsv *csv = crv_new(run->a, struct crv_mcsv);
  if (!csv) run->failed = true;
  return csv;
}

/* -- the header ---------------------------------------------------------------------------------
 */

static bool is_field_name(struct crv_mspan s) {
  size_t n = 0;
  while (n < s.len && ((s.s[n] >= 'a' && s.s[n] <= 'z') || (s.s[n] >= '0' && s.s[n] <= '9') ||
                       s.s[n] == '.' || s.s[n] == '_'))
    n++;
  if (n == 0 || !(s.s[0] >= 'a' && s.s[0] <= 'z')) return false;
  return n == s.len || (s.s[n] == ' ' && n + 1 < s.len && s.s[n + 1] == '[');
}

static enum col column_of(struct crv_mspan cell) {
  size_t unit = crv_mspan_find(cell, " [");
  if (unit != SIZE_MAX) cell.len = unit;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (crv_mspan_is(cell, names[i].name)) return names[i].col;
  return C_OTHER;
}

static bool is_identity(enum col c) {
  return c == C_INDEX || c == C_UUID || c == C_BUS || c == C_SERIAL;
}

/* A line of field names of which one at least says something of memory or of the device. */
static bool take_header(struct crv_mcsv *csv, struct crv_mspan line) {
  struct crv_mspan cells[COLUMNS];
  size_t n = crv_msplit(line, ',', cells, COLUMNS), useful = 0;
  struct crv_mcsv h = {.n = n};
  for (size_t i = 0; i < n; i++) {
    if (!is_field_name(cells[i])) return false;
    h.cols[i] = column_of(cells[i]);
    useful += h.cols[i] != C_OTHER;
    h.apps |= h.cols[i] == C_PID || h.cols[i] == C_APP_USED;
    h.has_identity |= is_identity(h.cols[i]);
  }
  if (useful == 0 || (n == 1 && h.cols[0] == C_NAME)) return false;
  memcpy(csv->cols, h.cols, sizeof csv->cols);
  csv->n = n;
  csv->apps = h.apps;
  csv->has_identity = h.has_identity;
  return true;
}

/* -- rows ---------------------------------------------------------------------------------------
 */

static int64_t id_index(struct crv_mrun *run, struct crv_mcsv *csv, struct crv_mspan id) {
  if (id.len >= sizeof csv->ids[0].text) id.len = sizeof csv->ids[0].text - 1;
  for (size_t i = 0; i < csv->n_ids; i++)
    if (crv_mspan_is(id, csv->ids[i].text)) return (int64_t)i;
  if (csv->n_ids == IDS || id.len == 0) return -1;
  memcpy(csv->ids[csv->n_ids].text, id.s, id.len);
  csv->ids[csv->n_ids].text[id.len] = '\0';
  crv_mnote(run, CRV_MN_DEVICE_BY_ORDER);
  return (int64_t)csv->n_ids++;
}

/* The device of a row; -1: it names none. */
static int64_t device_of(struct crv_mrun *run, struct crv_mcsv *csv, const struct row *r) {
  int64_t index;
  if (crv_mint(r->cell[C_INDEX], &index)) return index;
  if (r->cell[C_UUID].len) return id_index(run, csv, r->cell[C_UUID]);
  if (r->cell[C_BUS].len) return id_index(run, csv, r->cell[C_BUS]);
  return id_index(run, csv, r->cell[C_SERIAL]);
}

/* The cell as a figure of MiB; one that says there is none counts as missing. */
static bool figure_of(struct crv_mspan cell, struct crv_mfigure *f) {
  if (cell.len == 0) return false;
  if (crv_mfigure_read(cell, f) == 0) {
    f->n.set = false;
    memcpy(f->n.text, cell.s, cell.len < 32 ? cell.len : 32);
  }
  if (f->n.set && !f->unit[0]) memcpy(f->unit, "MiB", 4);
  return true;
}

static void device_fields(struct crv_mrun *run, struct crv_msmi *smi, const struct row *r,
                          int64_t index) {
  static const struct {
    enum col col;
    enum crv_measure_counter counter;
  } memory[] = {{C_USED, CRV_MEASURE_DEVICE_USED},
                {C_FREE, CRV_MEASURE_DEVICE_FREE},
                {C_RESERVED, CRV_MEASURE_DEVICE_RESERVED}};
  struct crv_measure_device *d = crv_mdevice(run, index);
  struct crv_mfigure f;
  if (!d) return;
  crv_mdevice_name(run, d, r->cell[C_NAME]);
  crv_msmi_keep(run, &d->uuid, r->cell[C_UUID]);
  crv_msmi_keep(run, &d->bus_id, r->cell[C_BUS]);
  crv_msmi_keep(run, &d->driver, r->cell[C_DRIVER]);
  crv_msmi_keep(run, &run->ret->driver, r->cell[C_DRIVER]);
  crv_msmi_keep(run, &d->compute_capability, r->cell[C_CAP]);
  if (!d->ecc) d->ecc = crv_msmi_enabled(r->cell[C_ECC]);
  if (!d->mig) d->mig = crv_msmi_enabled(r->cell[C_MIG]);
  if (d->mig == CRV_TRUE) crv_mnote(run, CRV_MN_MIG);
  if (figure_of(r->cell[C_TOTAL], &f)) crv_msmi_total(run, d, &f);
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
    if (figure_of(r->cell[memory[i].col], &f))
      crv_msmi_sample(run, smi, memory[i].counter, index, &f);
}

static void app_row(struct crv_mrun *run, struct crv_msmi *smi, struct crv_mcsv *csv,
                    const struct row *r) {
  struct crv_mfigure f;
  int64_t pid, device = crv_mdevice_by_uuid(run, r->cell[C_UUID]);
  int64_t place = device_of(run, csv, r);
  if (!crv_mint(r->cell[C_PID], &pid)) pid = 0;
  if (!figure_of(r->cell[C_APP_USED], &f)) return;
  struct crv_mseries key = {.counter = CRV_MEASURE_PROCESS_USED,
                            .device = {device, device >= 0},
                            .id = pid * 1024 + place + 1};
  crv_mseries_add(run, smi->series, &key, &f, smi->now);
}

static bool same_cell(struct crv_mspan a, struct crv_mspan b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.s, b.s, a.len) == 0);
}

/* A row of which nobody knows the device. */
static void unknown_row(struct crv_mrun *run, const struct row *r) {
  char name[64] = "";
  struct crv_mfigure fig;
  size_t n = r->cell[C_NAME].len < sizeof name - 1 ? r->cell[C_NAME].len : sizeof name - 1;
  if (n) memcpy(name, r->cell[C_NAME].s, n);
  for (int total = 0; total < 2; total++) {
    if (!figure_of(r->cell[total ? C_TOTAL : C_USED], &fig)) continue;
    struct crv_measure_fact f =
        crv_mfact(run, total ? CRV_MEASURE_DEVICE_TOTAL : CRV_MEASURE_DEVICE_USED,
                  total ? CRV_MEASURE_STATED : CRV_MEASURE_INSTANT, NULL);
    f.device_label = name;
    crv_mfact_figure(run, &f, &fig, CRV_MU_MIB);
    crv_mfact_add(run, &f);
  }
}

static void untimed_row(struct crv_mrun *run, struct crv_mcsv *csv, const struct row *r) {
  int64_t line = run->line;
  if (csv->n_loose == 1) {
    csv->first = *r;
    csv->first_line = line;
    csv->alike = true;
    return;
  }
  csv->alike &= same_cell(r->cell[C_NAME], csv->first.cell[C_NAME]) &&
                same_cell(r->cell[C_TOTAL], csv->first.cell[C_TOTAL]);
  if (csv->n_loose == 2) {
    run->line = csv->first_line;
    unknown_row(run, &csv->first);
    run->line = line;
  }
  unknown_row(run, r);
}

static void timed_row(struct crv_mrun *run, struct crv_msmi *smi, struct crv_mcsv *csv,
                      const struct row *r) {
  int64_t apart =
      smi->every_ms.set && smi->every_ms.v / 2 < CLOSE_MS ? smi->every_ms.v / 2 : CLOSE_MS;
  struct crv_msmi own = *smi;
  if (!csv->passes) csv->passes = crv_mseries_new(run);
  if (csv->n_loose == 1) {
    csv->place = 0;
  } else if (smi->now.v - csv->last_at < apart) {
    csv->place++;
  } else {
    if (csv->pass && csv->pass != csv->place + 1) csv->uneven = true;
    csv->pass = csv->place + 1;
    csv->place = 0;
  }
  csv->last_at = smi->now.v;
  own.series = csv->passes;
  device_fields(run, &own, r, csv->place);
}

static bool take_row(struct crv_mrun *run, struct crv_msmi *smi, struct crv_mcsv *csv,
                     const struct row *r) {
  int64_t at;
  smi->now.set = false;
  if (crv_mtime_stamp(r->cell[C_TIME], &at)) smi->now = (struct crv_opt_int){at, true};
  if (csv->apps) {
    app_row(run, smi, csv, r);
    return true;
  }
  if (!csv->has_identity) {
    csv->n_loose++;
    crv_msmi_keep(run, &run->ret->driver, r->cell[C_DRIVER]);
    if (smi->now.set)
      timed_row(run, smi, csv, r);
    else
      untimed_row(run, csv, r);
    return true;
  }
  int64_t index = device_of(run, csv, r);
  if (index >= 0) device_fields(run, smi, r, index);
  return true;
}

/* Does a row hold what its columns promise? Another log's lines do not. */
static bool row_fits(const struct crv_mcsv *csv, const struct row *r) {
  static const enum col figures[] = {C_TOTAL, C_USED, C_FREE, C_RESERVED, C_APP_USED};
  struct crv_mfigure f;
  int64_t v;
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    struct crv_mspan cell = r->cell[figures[i]];
    if (cell.len && cell.s[0] != '[' && !crv_mfigure_read(cell, &f)) return false;
  }
  if (r->cell[C_INDEX].len && !crv_mint(r->cell[C_INDEX], &v)) return false;
  return csv->n > 1 || r->cell[csv->cols[0]].len > 0;
}

bool crv_mcsv_line(struct crv_mrun *run, struct crv_msmi *smi, struct crv_mcsv *csv,
                   struct crv_mspan line) {
  struct crv_mspan cells[COLUMNS];
  struct row r;
  if (!csv || run->failed) return false;
  if (take_header(csv, line)) return true;
  if (csv->n == 0 && smi->noheader && smi->query.len) take_header(csv, smi->query);
  if (csv->n == 0) {
    if (crv_mspan_find(line, " MiB,") != SIZE_MAX) crv_mnote(run, CRV_MN_NO_HEADER);
    return false;
  }
  if (crv_msplit(line, ',', cells, COLUMNS) != csv->n) return false;
  memset(&r, 0, sizeof r);
  for (size_t i = 0; i < csv->n; i++) r.cell[csv->cols[i]] = cells[i];
  return row_fits(csv, &r) && take_row(run, smi, csv, &r);
}

void crv_mcsv_done(struct crv_mrun *run, struct crv_msmi *smi, struct crv_mcsv *csv) {
  if (!csv || csv->n_loose == 0) return;
  if (csv->passes) {
    if (csv->pass && csv->place + 1 > csv->pass) csv->uneven = true; /* the last may be cut */
    crv_mnote(run, csv->uneven ? CRV_MN_NO_IDENTITY : CRV_MN_DEVICE_BY_ORDER);
    crv_mseries_done(run, csv->passes, smi->every_ms, csv->uneven);
    return;
  }
  struct row only = csv->first;
  run->line = csv->first_line;
  smi->now.set = false;
  if (csv->n_loose > 1) {
    crv_mnote(run, CRV_MN_NO_IDENTITY);
    if (!csv->alike) return;
    only.cell[C_USED].len = only.cell[C_FREE].len = only.cell[C_RESERVED].len = 0;
    only.cell[C_TOTAL].len = 0; /* stated with each row */
  } else {
    crv_mnote(run, CRV_MN_DEVICE_BY_ORDER);
  }
  device_fields(run, smi, &only, 0);
}
