/* nvidia-smi's default table, from the layouts of driver 390 to those that print a KMD version; and
   the walk over lines that its CSV and -q forms share. A device takes two lines, three with MIG; a
   table that comes again is a sample in time. Figures are MiB (NVIDIA's nvidia-smi manual,
   "memory"). device.used holds every process and what the driver reserves on older releases.
   Must not know: other tools. */
#include <stdint.h>
#include <string.h>

#include "core/evidence/measure_nvidia.h"

/* -- shared with the CSV and -q forms ---------------------------------------------------------- */

void crv_msmi_sample(struct crv_mrun *run, struct crv_msmi *smi, enum crv_measure_counter c,
                     int64_t device, const struct crv_mfigure *fig) {
  struct crv_mseries key = {.counter = c, .device = {device, true}, .id = device};
  if (c == CRV_MEASURE_DEVICE_USED) crv_mnote(run, CRV_MN_ALL_PROCESSES);
  crv_mseries_add(run, smi->series, &key, fig, smi->now);
}

void crv_msmi_total(struct crv_mrun *run, struct crv_measure_device *d,
                    const struct crv_mfigure *fig) {
  if (!d || d->total_bytes.set) return;
  struct crv_measure_fact f = crv_mfact(run, CRV_MEASURE_DEVICE_TOTAL, CRV_MEASURE_STATED, NULL);
  f.device = (struct crv_opt_int){d->index, true};
  crv_mfact_figure(run, &f, fig, CRV_MU_MIB);
  if (f.bytes.set && f.bytes.v > 0) d->total_bytes = f.bytes;
  crv_mfact_add(run, &f);
}

void crv_msmi_keep(struct crv_mrun *run, const char **field, struct crv_mspan text) {
  text = crv_mtrim(text);
  if (*field || text.len == 0 || text.s[0] == '[' || crv_mspan_is(text, "N/A")) return;
  *field = crv_mcopy(run->a, text, 128);
  if (!*field) run->failed = true;
  if (*field && !**field) *field = NULL; /* bad bytes alone leave nothing */
}

enum crv_tri crv_msmi_enabled(struct crv_mspan word) {
  word = crv_mtrim(word);
  if (crv_mspan_starts(word, "Enabled")) return CRV_TRUE; /* "Enabled*": pending a reset */
  return crv_mspan_starts(word, "Disabled") ? CRV_FALSE : CRV_UNSET;
}

/* Milliseconds of the option's value; scale: of its unit. */
static bool option_ms(struct crv_mspan line, const char *name, int64_t scale, int64_t *ret) {
  size_t at = crv_mspan_find(line, name);
  struct crv_mnumber n;
  int64_t micro;
  if (at == SIZE_MAX || (at > 0 && line.s[at - 1] != ' ')) return false;
  struct crv_mspan rest = crv_mspan_from(line, at + strlen(name));
  while (rest.len && (rest.s[0] == '=' || rest.s[0] == ' ')) rest = crv_mspan_from(rest, 1);
  if (rest.len > 16) rest.len = 16;
  if (!crv_mnumber_read(rest, &n) || !crv_mnumber_micro(&n, &micro) || micro <= 0) return false;
  return crv_muldiv(micro, scale, CRV_MICRO, true, ret);
}

static void query_of(struct crv_msmi *smi, struct crv_mspan line, const char *name, bool apps) {
  size_t at = crv_mspan_find(line, name);
  if (at == SIZE_MAX) return;
  struct crv_mspan rest = crv_mspan_from(line, at + strlen(name));
  while (rest.len && strchr("=\"' ", rest.s[0])) rest = crv_mspan_from(rest, 1);
  size_t n = 0;
  while (n < rest.len && !strchr(" \"'", rest.s[n])) n++;
  smi->query = (struct crv_mspan){rest.s, n};
  smi->query_apps = apps;
}

bool crv_msmi_command(struct crv_msmi *smi, struct crv_mspan line) {
  int64_t ms;
  size_t every = crv_mspan_find(line, "Every ");
  if (line.len > 4096) line.len = 4096;
  if (every == 0 && option_ms(line, "Every", 1000, &ms)) { /* watch: "Every 1.0s: nvidia-smi" */
    smi->every_ms = (struct crv_opt_int){ms, true};
    return true;
  }
  if (crv_mspan_find(line, "nvidia-smi") == SIZE_MAX) return false;
  if (option_ms(line, "-lms", 1, &ms) || option_ms(line, "--loop-ms", 1, &ms) ||
      option_ms(line, "-l", 1000, &ms) || option_ms(line, "--loop", 1000, &ms) ||
      (crv_mspan_find(line, "watch ") != SIZE_MAX &&
       (option_ms(line, "-n", 1000, &ms) || option_ms(line, "--interval", 1000, &ms))))
    smi->every_ms = (struct crv_opt_int){ms, true};
  query_of(smi, line, "--query-gpu", false);
  query_of(smi, line, "--query-compute-apps", true);
  smi->noheader |= crv_mspan_find(line, "noheader") != SIZE_MAX;
  return true;
}

/* -- the table --------------------------------------------------------------------------------- */

enum part { PART_DEVICES, PART_MIG, PART_PROCESSES };
struct table {
  struct crv_msmi smi;
  enum part part;
  struct crv_measure_device *device; /* whose second line is awaited or was read */
  bool had_memory, had_rows;
};

static bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

static size_t hex_run(struct crv_mspan s, size_t at) {
  size_t n = 0;
  while (at + n < s.len && is_hex(s.s[at + n])) n++;
  return n;
}

/* "00000000:4B:00.0" in the line: its offset, and its length in *ret_len; SIZE_MAX: none. */
static size_t find_bus_id(struct crv_mspan s, size_t *ret_len) {
  for (size_t i = 0; i + 12 <= s.len; i++) {
    size_t domain = hex_run(s, i);
    if (domain == 0) continue;
    size_t at = i + domain;
    if ((domain == 4 || domain == 8) && at < s.len && s.s[at] == ':' && hex_run(s, at + 1) == 2 &&
        at + 3 < s.len && s.s[at + 3] == ':' && hex_run(s, at + 4) == 2 && at + 6 < s.len &&
        s.s[at + 6] == '.' && hex_run(s, at + 7) == 1) {
      *ret_len = domain + 8;
      return i;
    }
    i = at;
  }
  return SIZE_MAX;
}

static struct crv_mspan last_word(struct crv_mspan s) {
  s = crv_mtrim(s);
  size_t from = s.len;
  while (from > 0 && s.s[from - 1] != ' ') from--;
  return crv_mspan_from(s, from);
}

/* The name: what stands between the index and the persistence mode or driver model. */
static struct crv_mspan name_of(struct crv_mspan s) {
  static const char *const modes[] = {"On", "Off", "WDDM", "TCC", "MCDM", "N/A", "ERR!"};
  struct crv_mspan word = last_word(s);
  s = crv_mtrim(s);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (crv_mspan_is(word, modes[i])) return crv_mtrim((struct crv_mspan){s.s, s.len - word.len});
  return s;
}

/* First line of a device: "|   0  NAME   Off  | 00000000:4B:00.0 Off |   N/A |". */
static bool identity_line(struct crv_mrun *run, struct table *t, struct crv_mspan line) {
  struct crv_mspan cells[4];
  size_t len, at = find_bus_id(line, &len);
  int64_t index;
  if (at == SIZE_MAX || t->part != PART_DEVICES) return false;
  struct crv_mspan head = {line.s, at}, bus = {line.s + at, len};
  while (head.len && (head.s[head.len - 1] == '|' || head.s[head.len - 1] == ' ')) head.len--;
  while (head.len && (head.s[0] == '|' || head.s[0] == ' ')) head = crv_mspan_from(head, 1);
  if (!crv_mint(crv_mword(&head), &index)) return false;
  struct crv_measure_device *d = crv_mdevice(run, index);
  if (!d) return false;
  crv_mdevice_name(run, d, name_of(head));
  crv_msmi_keep(run, &d->bus_id, bus);
  size_t n = crv_msplit(crv_mspan_from(line, at + len), '|', cells, 4);
  struct crv_mspan ecc = n > 1 ? cells[1] : last_word(cells[0]);
  int64_t errors;
  if (crv_mspan_is(ecc, "Off")) d->ecc = CRV_FALSE; /* "N/A": the device has none or hides it */
  if (crv_mint(ecc, &errors)) d->ecc = CRV_TRUE;
  t->device = d;
  t->had_memory = false;
  t->had_rows = true;
  return true;
}

/* "8559MiB / 10989MiB" in the line. */
static bool find_usage(struct crv_mspan line, struct crv_mfigure *used, struct crv_mfigure *total) {
  for (size_t at = 0; at < line.len; at++) {
    const char *slash = memchr(line.s + at, '/', line.len - at);
    if (!slash) return false;
    at = (size_t)(slash - line.s);
    size_t from = at;
    while (from > 0 && line.s[from - 1] == ' ') from--;
    while (from > 0 && line.s[from - 1] != ' ' && line.s[from - 1] != '|') from--;
    struct crv_mspan left = {line.s + from, at - from},
                     right = crv_mtrim(crv_mspan_from(line, at + 1));
    if (right.len > 40) right.len = 40;
    if (crv_mfigure_read(left, used) && crv_mfigure_read(right, total) &&
        strcmp(total->unit, "MiB") == 0 && (strcmp(used->unit, "MiB") == 0 || !used->n.set))
      return true;
  }
  return false;
}

/* "N/A / N/A" or "Not Supported" where the memory would stand. */
static bool says_none(struct crv_mspan line) {
  return crv_mspan_find(line, "N/A / N/A") != SIZE_MAX ||
         crv_mspan_find(line, "Not Supported") != SIZE_MAX;
}

/* A usage whose device's line was filtered away. */
static bool lone_usage(struct crv_mrun *run, const struct crv_mfigure *used) {
  struct crv_measure_fact f = crv_mfact(run, CRV_MEASURE_DEVICE_USED, CRV_MEASURE_INSTANT, NULL);
  crv_mfact_figure(run, &f, used, CRV_MU_MIB);
  crv_mfact_add(run, &f);
  crv_mnote(run, CRV_MN_INSTANT);
  crv_mnote(run, CRV_MN_NO_IDENTITY);
  return true;
}

static bool memory_line(struct crv_mrun *run, struct table *t, struct crv_mspan line) {
  struct crv_mfigure used = {.n = {.text = "N/A"}}, total = used;
  if (t->had_memory || t->part != PART_DEVICES) return false;
  bool found = find_usage(line, &used, &total);
  if (!t->device) return found && lone_usage(run, &used);
  if (!found && !says_none(line)) return false;
  t->had_memory = true;
  crv_msmi_sample(run, &t->smi, CRV_MEASURE_DEVICE_USED, t->device->index, &used);
  crv_msmi_total(run, t->device, &total);
  return true;
}

/* Third line of a device: the MIG mode alone. */
static bool mode_line(struct crv_mrun *run, struct table *t, struct crv_mspan line) {
  while (line.len && strchr("| ", line.s[0])) line = crv_mspan_from(line, 1);
  while (line.len && strchr("| ", line.s[line.len - 1])) line.len--;
  enum crv_tri mig = crv_msmi_enabled(line);
  if (!t->device || !t->had_memory || mig == CRV_UNSET || line.len > 9) return false;
  t->device->mig = mig;
  if (mig == CRV_TRUE) crv_mnote(run, CRV_MN_MIG);
  return true;
}

/* "|  0    1   0   0  |     12MiB / 40192MiB    | ..." */
static bool mig_line(struct crv_mrun *run, struct table *t, struct crv_mspan line) {
  struct crv_mfigure used, total;
  int64_t id[4];
  if (t->part != PART_MIG || !find_usage(line, &used, &total)) return false;
  while (line.len && strchr("| ", line.s[0])) line = crv_mspan_from(line, 1);
  for (int i = 0; i < 4; i++)
    if (!crv_mint(crv_mword(&line), &id[i]) || id[i] >= CRV_MEASURE_DEVICES) return false;
  const char *item = crv_arena_printf(run->a, "mig %d/%d/%d", (int)id[1], (int)id[2], (int)id[3]);
  if (!item) {
    run->failed = true;
    return false;
  }
  for (int i = 0; i < 2; i++) {
    struct crv_measure_fact f =
        crv_mfact(run, i ? CRV_MEASURE_DEVICE_TOTAL : CRV_MEASURE_DEVICE_USED,
                  i ? CRV_MEASURE_STATED : CRV_MEASURE_INSTANT, item);
    f.device = (struct crv_opt_int){id[0], true};
    crv_mfact_figure(run, &f, i ? &total : &used, CRV_MU_MIB);
    crv_mfact_add(run, &f);
  }
  return true;
}

/* "|    0   N/A  N/A      1234      C   python3      7383MiB |", "|    0      1234      C   ..." */
static bool process_line(struct crv_mrun *run, struct table *t, struct crv_mspan line) {
  struct crv_mfigure fig;
  int64_t device, pid = 0;
  if (t->part != PART_PROCESSES) return false;
  while (line.len && strchr("| ", line.s[0])) line = crv_mspan_from(line, 1);
  while (line.len && strchr("| ", line.s[line.len - 1])) line.len--;
  struct crv_mspan last = last_word(line);
  if (!crv_mint(crv_mword(&line), &device)) return false;
  for (int i = 0; i < 3; i++) { /* instance ids, when there are any, and the process last */
    struct crv_mspan word = crv_mword(&line);
    if (!crv_mint(word, &pid) && !crv_mspan_is(word, "N/A")) break;
  }
  if (pid <= 0 || device >= CRV_MEASURE_DEVICES || !crv_mfigure_read(last, &fig) ||
      (fig.n.set && !fig.unit[0]))
    return false;
  struct crv_mseries key = {.counter = CRV_MEASURE_PROCESS_USED,
                            .device = {device, true},
                            .id = pid * 1024 + device % 1024};
  crv_mseries_add(run, t->smi.series, &key, &fig, t->smi.now);
  return true;
}

static void version_after(struct crv_mrun *run, const char **field, struct crv_mspan line,
                          const char *name) {
  size_t at = crv_mspan_find(line, name);
  if (at == SIZE_MAX) return;
  struct crv_mspan rest = crv_mspan_from(line, at + strlen(name));
  crv_msmi_keep(run, field, crv_mword(&rest));
}

/* Titles of the table and of its parts. */
static bool title_line(struct crv_mrun *run, struct table *t, struct crv_mspan line) {
  int64_t at;
  if (crv_mtime_ctime(line, &at)) {
    t->smi.now = (struct crv_opt_int){at, true};
    return true;
  }
  if (crv_mspan_find(line, "MIG devices:") != SIZE_MAX)
    t->part = PART_MIG;
  else if (crv_mspan_find(line, "Processes:") != SIZE_MAX)
    t->part = PART_PROCESSES;
  else if (crv_mspan_find(line, "NVIDIA-SMI") != SIZE_MAX) {
    t->part = PART_DEVICES;
    t->device = NULL;
    version_after(run, &run->ret->driver, line, "Driver Version:");
    version_after(run, &run->ret->driver, line, "KMD Version:");
    version_after(run, &run->ret->cuda, line, "CUDA Version:");
    version_after(run, &run->ret->cuda, line, "CUDA UMD Version:");
  } else {
    return false;
  }
  return true;
}

/* "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-...)" of nvidia-smi -L. */
static bool list_line(struct crv_mrun *run, struct crv_mspan line) {
  size_t uuid = crv_mspan_find(line, " (UUID: ");
  int64_t index;
  if (!crv_mspan_starts(line, "GPU ") || uuid == SIZE_MAX) return false;
  struct crv_mspan head = {line.s + 4, uuid - 4};
  size_t colon = crv_mspan_find(head, ":");
  if (colon == SIZE_MAX || !crv_mint((struct crv_mspan){head.s, colon}, &index)) return false;
  struct crv_measure_device *d = crv_mdevice(run, index);
  if (!d) return false;
  crv_mdevice_name(run, d, crv_mspan_from(head, colon + 1));
  struct crv_mspan id = crv_mspan_from(line, uuid + 8);
  if (id.len && id.s[id.len - 1] == ')') id.len--;
  crv_msmi_keep(run, &d->uuid, id);
  return true;
}

static bool table_line(struct crv_mrun *run, struct table *t, struct crv_mspan line) {
  return title_line(run, t, line) || identity_line(run, t, line) || memory_line(run, t, line) ||
         mode_line(run, t, line) || mig_line(run, t, line) || process_line(run, t, line) ||
         list_line(run, line);
}

void crv_measure_nvidia_smi(struct crv_mrun *run) {
  struct crv_mlines lines = {.t = &run->text};
  struct crv_mspan line;
  struct table t = {.smi.series = crv_mseries_new(run)};
  struct crv_msmi_q q = {.device = NULL};
  struct crv_mcsv *csv = crv_mcsv_new(run);
  while (!run->failed && crv_mline_next(&lines, &line)) {
    run->line = lines.line;
    if (line.len > 8192) line.len = 8192;
    while (line.len && strchr("> ", line.s[0])) line = crv_mspan_from(line, 1);
    line = crv_mtrim(line);
    if (line.len == 0) continue;
    if (crv_msmi_command(&t.smi, line)) continue;
    if (table_line(run, &t, line) || crv_msmi_q_line(run, &t.smi, &q, line) ||
        crv_mcsv_line(run, &t.smi, csv, line))
      run->recognised++;
  }
  crv_mcsv_done(run, &t.smi, csv);
  crv_mseries_done(run, t.smi.series, t.smi.every_ms, false);
  if (t.had_rows && t.device && !t.had_memory) crv_mnote(run, CRV_MN_CUT);
}
