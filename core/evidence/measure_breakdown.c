/* llama.cpp's tables of memory: the breakdown at exit, and what the fitting projects before it
   loads (common/fit.cpp, src/llama-context.cpp of ggml-org/llama.cpp; MiB, cut down). A breakdown
   printed while fitting is a forecast. What is "unaccounted" may be negative, and wraps in some
   releases. Must not know: other lines of the log. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/evidence/measure_llama.h"

enum { FIGURES = 8 };

/* The numbers of a cell in order, with their signs. */
static size_t numbers(struct crv_mspan s, struct crv_mfigure *out) {
  size_t n = 0;
  for (size_t at = 0; at < s.len && n < FIGURES;) {
    bool starts = (s.s[at] >= '0' && s.s[at] <= '9') ||
                  (s.s[at] == '-' && at + 1 < s.len && s.s[at + 1] >= '0' && s.s[at + 1] <= '9');
    size_t took = starts ? crv_mnumber_read(crv_mspan_from(s, at), &out[n].n) : 0;
    if (took) out[n++].unit[0] = '\0';
    at += took ? took : 1;
  }
  return n;
}

/* "- CUDA0 (RTX 5090)" -> the place; names its device. */
static bool place_of(struct crv_mrun *run, struct crv_mspan cell, struct crv_mplace *ret) {
  if (!crv_mspan_starts(cell, "- ")) return false;
  cell = crv_mspan_from(cell, 2);
  size_t open = crv_mspan_find(cell, " (");
  *ret = crv_mplace_of(crv_mtrim((struct crv_mspan){cell.s, open == SIZE_MAX ? cell.len : open}));
  if (open == SIZE_MAX || !ret->device.set) return true;
  struct crv_mspan name = crv_mspan_from(cell, open + 2);
  while (name.len && name.s[name.len - 1] != ')') name.len--;
  if (name.len) name.len--;
  crv_mdevice_name(run, crv_mdevice(run, ret->device.v), name);
  return true;
}

static void add(struct crv_mrun *run, struct crv_mplace *p, enum crv_measure_counter c,
                enum crv_measure_kind k, const char *item, const struct crv_mfigure *fig) {
  struct crv_measure_fact f = crv_mbuffer(run, p, item, k);
  f.counter = c;
  crv_mfact_figure(run, &f, fig, CRV_MU_MIB);
  crv_mfact_add(run, &f);
}

static void add_used(struct crv_mrun *run, struct crv_mplace *p, const struct crv_mfigure *fig) {
  struct crv_measure_fact f = crv_mbuffer(run, p, NULL, CRV_MEASURE_INSTANT);
  int64_t mib = fig[0].n.mantissa - fig[1].n.mantissa;
  f.counter = CRV_MEASURE_DEVICE_USED;
  f.derived = "total - free";
  if (!crv_mul(mib, CRV_MIB, &f.bytes.v) || mib < 0) return;
  f.bytes.set = true;
  f.means = "MiB";
  crv_mfact_add(run, &f);
  crv_mnote(run, CRV_MN_ALL_PROCESSES);
}

static bool breakdown_row(struct crv_mrun *run, struct crv_mspan line, bool fitting) {
  static const char *const parts[] = {"all buffers", "weights", "kv_cache", "compute"};
  enum crv_measure_kind kind = fitting ? CRV_MEASURE_FORECAST : CRV_MEASURE_STATED;
  struct crv_mspan cells[5];
  struct crv_mfigure fig[FIGURES];
  struct crv_mplace place;
  size_t n = crv_msplit(line, '|', cells, 5), at = 0;
  if (n < 3) return false;
  while (at + 1 < n && !crv_mspan_starts(cells[at], "- ")) at++;
  if (at + 1 >= n || !place_of(run, cells[at], &place)) return false;
  size_t count = numbers(cells[at + 1], fig), first = count >= 7 ? 2 : 0;
  if (count < 4) {
    crv_mnote(run, CRV_MN_CUT);
    return true;
  }
  if (first) {
    add(run, &place, CRV_MEASURE_DEVICE_TOTAL, CRV_MEASURE_STATED, "as the engine prints it",
        &fig[0]);
    add(run, &place, CRV_MEASURE_DEVICE_FREE, CRV_MEASURE_INSTANT, NULL, &fig[1]);
    if (!fitting) add_used(run, &place, fig);
  }
  for (size_t i = 0; i < 4; i++)
    add(run, &place, CRV_MEASURE_ENGINE_DECLARED, kind, parts[i], &fig[first + i]);
  if (first) add(run, &place, CRV_MEASURE_ENGINE_DECLARED, kind, "unaccounted", &fig[6]);
  if (fitting) crv_mnote(run, CRV_MN_FORECAST);
  return true;
}

/* "- CUDA0 (NAME):  24117 total,  20903 used,   2870 free vs. target of   1024",
   "- CUDA0 (NAME): 41 layers (14 overflowing),  15302 MiB used,    328 MiB free" */
static bool projection(struct crv_mrun *run, struct crv_mspan line) {
  size_t dash = crv_mspan_find(line, "- "), end = crv_mspan_find(line, "):");
  size_t used = crv_mspan_find(line, " used,");
  struct crv_mfigure fig[FIGURES];
  struct crv_mplace place;
  if (dash == SIZE_MAX || end == SIZE_MAX || used == SIZE_MAX || used < end || end < dash)
    return false;
  struct crv_mspan cell = {line.s + dash, end + 1 - dash};
  size_t n = numbers((struct crv_mspan){line.s + end + 2, used - end - 2}, fig);
  if (n == 0 || !place_of(run, cell, &place)) return false;
  add(run, &place, CRV_MEASURE_ENGINE_DECLARED, CRV_MEASURE_FORECAST, "all buffers", &fig[n - 1]);
  crv_mnote(run, CRV_MN_FORECAST);
  if (crv_mspan_find(line, "overflowing") != SIZE_MAX && n >= 3 && fig[1].n.mantissa > 0) {
    run->ret->spilled = CRV_TRUE;
    crv_mnote(run, CRV_MN_SPILLED);
  }
  return true;
}

void crv_measure_breakdown(struct crv_mrun *run) {
  struct crv_mlines lines = {.t = &run->text};
  struct crv_mspan line;
  bool fitting = false, table = false;
  while (!run->failed && crv_mline_next(&lines, &line)) {
    run->line = lines.line;
    if (line.len > 1024) line.len = 1024;
    if (crv_mspan_find(line, "params_fit") != SIZE_MAX ||
        crv_mspan_find(line, "fit_params") != SIZE_MAX)
      fitting = true;
    if (crv_mspan_find(line, "load_tensors:") != SIZE_MAX ||
        crv_mspan_find(line, "llama_kv_cache") != SIZE_MAX)
      fitting = false;
    if (crv_mspan_find(line, "memory breakdown [MiB]") != SIZE_MAX)
      table = true;
    else if ((table && breakdown_row(run, line, fitting)) || (fitting && projection(run, line)))
      run->recognised++;
  }
}
