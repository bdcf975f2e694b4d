/* What programs print of torch's allocator: torch.cuda.memory_summary, and the peaks that trainers
   and scripts write in their own words.
   memory_summary (pytorch/pytorch, torch/cuda/memory.py) divides by 1024 whatever it calls the unit
   (MB before pytorch#91854, MiB after) and cuts the rest off; its Tot columns are traffic.
   torchtune's "GPU peak memory ..." (pytorch/torchtune, torchtune/utils/memory.py) divided by 1e9
   and says GB, later by 1024**3 and says GiB; its step log prints no unit for either.
   llama-cookbook's "CUDA memory" figures (meta-llama/llama-cookbook, utils/memory_utils.py) divide
   by 2**30 and say GB. detectron2's max_mem and MAE's max mem are MiB of max_memory_allocated. A
   script that nobody knows is read as binary, the larger reading, and a note says so. Must not
   know: trainers' tables of metrics. */
#include <stdint.h>
#include <string.h>

#include "core/evidence/measure_internal.h"

/* -- torch.cuda.memory_summary ------------------------------------------------------------------
 */

struct summary {
  struct crv_opt_int device;
  struct crv_opt_int allocated, reserved; /* current, bytes */
  bool open;
};

/* "CUDA OOMs: 1" in a cell. */
static void count_cell(struct crv_mrun *run, struct summary *s, struct crv_mspan cell,
                       const char *name, enum crv_measure_counter c) {
  struct crv_mfigure fig = {.unit = ""};
  if (!crv_mspan_starts(cell, name)) return;
  cell = crv_mtrim(crv_mspan_from(cell, strlen(name)));
  if (crv_mnumber_read(cell, &fig.n) == 0) return;
  struct crv_measure_fact f = crv_mfact(run, c, CRV_MEASURE_STATED, NULL);
  f.device = s->device;
  crv_mfact_figure(run, &f, &fig, CRV_MU_BINARY);
  if (f.micro.set && f.micro.v > 0) {
    crv_mnote(run, CRV_MN_RETRIES);
    if (c == CRV_MEASURE_OOMS && !run->ret->failure_line) run->ret->failure_line = run->line;
  }
  crv_mfact_add(run, &f);
}

static void usage_cell(struct crv_mrun *run, struct summary *s, enum crv_measure_counter c,
                       struct crv_mspan cell, bool peak) {
  struct crv_mfigure fig;
  if (crv_mfigure_read(cell, &fig) == 0) return;
  struct crv_measure_fact f =
      crv_mfact(run, c, peak ? CRV_MEASURE_PEAK : CRV_MEASURE_INSTANT, NULL);
  f.device = s->device;
  f.label = peak ? "Peak Usage" : "Cur Usage";
  crv_mfact_figure(run, &f, &fig, CRV_MU_BINARY);
  crv_mfact_add(run, &f);
  if (peak) return;
  if (c == CRV_MEASURE_TORCH_ALLOCATED) s->allocated = f.bytes;
  if (c == CRV_MEASURE_TORCH_RESERVED) s->reserved = f.bytes;
}

static void reserved_note(struct crv_mrun *run, struct crv_opt_int allocated,
                          struct crv_opt_int reserved) {
  char text[40];
  if (!allocated.set || !reserved.set || reserved.v - allocated.v < CRV_GIB) return;
  crv_mnote_say(
      run, CRV_MN_RESERVED_UNUSED,
      "%s is reserved and not allocated at that moment: fragmentation, or a cache after a "
      "peak.",
      crv_bytes_gib(reserved.v - allocated.v, text, sizeof text));
}

static bool summary_row(struct crv_mrun *run, struct summary *s, struct crv_mspan *cells,
                        size_t n) {
  static const struct {
    const char *name;
    enum crv_measure_counter counter;
  } rows[] = {
      {"Allocated memory", CRV_MEASURE_TORCH_ALLOCATED},
      {"Active memory", CRV_MEASURE_TORCH_ACTIVE},
      {"Requested memory", CRV_MEASURE_TORCH_REQUESTED},
      {"GPU reserved memory", CRV_MEASURE_TORCH_RESERVED},
      {"Non-releasable memory", CRV_MEASURE_TORCH_NON_RELEASABLE},
  };
  if (n < 3) return false;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!crv_mspan_is(cells[0], rows[i].name)) continue;
    usage_cell(run, s, rows[i].counter, cells[1], false);
    usage_cell(run, s, rows[i].counter, cells[2], true);
    if (n > 3) crv_mnote(run, CRV_MN_CUMULATIVE);
    if (rows[i].counter == CRV_MEASURE_TORCH_RESERVED)
      reserved_note(run, s->allocated, s->reserved);
    return true;
  }
  return false;
}

static bool summary_cells(struct crv_mrun *run, struct summary *s, struct crv_mspan line) {
  struct crv_mspan cells[8];
  while (line.len && strchr("|> ", line.s[0])) line = crv_mspan_from(line, 1);
  while (line.len && strchr("| ", line.s[line.len - 1])) line.len--;
  size_t n = crv_msplit(line, '|', cells, 8);
  if (n < 2) return false;
  if (!crv_mspan_starts(cells[0], "CUDA OOMs:")) return summary_row(run, s, cells, n);
  count_cell(run, s, cells[0], "CUDA OOMs:", CRV_MEASURE_OOMS);
  count_cell(run, s, cells[1], "cudaMalloc retries:", CRV_MEASURE_RETRIES);
  return true;
}

/* One line of the table; false: it is another text. */
static bool summary_line(struct crv_mrun *run, struct summary *s, struct crv_mspan line) {
  size_t at = crv_mspan_find(line, "memory summary, device ID ");
  if (at != SIZE_MAX) {
    struct crv_mspan rest = crv_mspan_from(line, at + 26);
    int64_t device;
    *s = (struct summary){.open = true};
    if (crv_mint(crv_mword(&rest), &device) && device < CRV_MEASURE_DEVICES)
      s->device = (struct crv_opt_int){device, true};
    return true;
  }
  if (summary_cells(run, s, line)) return true;
  size_t bar = crv_mspan_find(line, "|"); /* a logger's head before the table */
  return bar != SIZE_MAX && bar > 0 && summary_cells(run, s, crv_mspan_from(line, bar));
}

static void read_summaries(struct crv_mrun *run) {
  struct crv_mlines lines = {.t = &run->text};
  struct crv_mspan line;
  struct summary s = {.open = false};
  while (!run->failed && crv_mline_next(&lines, &line)) {
    run->line = lines.line;
    if (line.len > 512 || !memchr(line.s, '|', line.len ? line.len : 0)) {
      if (crv_mtrim(line).len > 0) s.open = false;
      continue;
    }
    if (summary_line(run, &s, crv_mtrim(line))) run->recognised++;
  }
}

/* -- peaks in a script's own words ----------------------------------------------------------------
 */

struct words {
  enum crv_measure_counter counter;
  enum crv_munit unit;
  char unit_word[8]; /* unit that the label states: "(MB)", "_gib" */
  bool more;         /* a comma parts it from further counters: "Peak memory - Allocated: ..." */
};

static bool has(struct crv_mspan label, const char *word) {
  return crv_mspan_find_nocase(label, word) != SIZE_MAX;
}

/* A unit inside the label, as "(MB)", "[GiB]" or a last "_mb". */
static void label_unit(struct crv_mspan label, struct words *w) {
  static const struct {
    const char *text, *unit;
  } units[] = {
      {"(gib)", "GiB"}, {"(mib)", "MiB"}, {"(gb)", "GB"},  {"(mb)", "MB"},    {"[gib]", "GiB"},
      {"[mib]", "MiB"}, {"[gb]", "GB"},   {"[mb]", "MB"},  {"_gib", "GiB"},   {"_mib", "MiB"},
      {"_gb", "GB"},    {"_mb", "MB"},    {"_bytes", "B"}, {"in_bytes", "B"},
  };
  for (size_t i = 0; i < sizeof units / sizeof *units && !w->unit_word[0]; i++)
    if (has(label, units[i].text)) memcpy(w->unit_word, units[i].unit, strlen(units[i].unit) + 1);
}

/* The counter that the label's words are of; NONE when they do not say. */
static struct words read_words(const struct crv_mrun *run, size_t at, struct crv_mspan label) {
  struct words w = {.unit = CRV_MU_ASSUMED};
  if (has(label, "for training") || has(label, "%")) return w; /* Unsloth's shares */
  struct crv_mspan before = {run->text.s + (at > 4 ? at - 4 : 0), at > 4 ? 4 : at};
  if (has(label, "reserved") || has(label, "cached"))
    w.counter = CRV_MEASURE_TORCH_RESERVED;
  else if (has(label, "alloc"))
    w.counter = CRV_MEASURE_TORCH_ALLOCATED;
  else if (has(label, "active"))
    w.counter = CRV_MEASURE_TORCH_ACTIVE;
  label_unit(label, &w);
  if (has(before, "GPU ") && has(label, "peak memory ")) w.unit = CRV_MU_DECIMAL;
  if (has(label, "CUDA memory")) w.unit = CRV_MU_BINARY;
  if (w.counter) return w;
  if (has(label, "max mem") || has(label, "max_mem")) {
    w.counter = crv_mspan_find_nocase(label, "memory") == SIZE_MAX ? CRV_MEASURE_TORCH_ALLOCATED
                                                                   : CRV_MEASURE_NONE;
    w.unit = CRV_MU_MIB;
  }
  return w;
}

/* The label's end: a ':' or '=' or " was "; SIZE_MAX: it is no label of a figure. */
static size_t label_end(const struct crv_mtext *t, size_t at) {
  size_t most = at + 96 < t->len ? at + 96 : t->len;
  for (size_t i = at; i < most; i++) {
    char c = t->s[i];
    if (c == '\n' || c == ';' || c == ',' || c == '|') return SIZE_MAX;
    if ((c == ':' || c == '=') && !(i + 1 < t->len && t->s[i + 1] == ':')) return i;
    if (c == ' ' && i + 5 <= t->len &&
        (!memcmp(t->s + i, " was ", 5) || !memcmp(t->s + i, " is ", 4)))
      return i;
  }
  return SIZE_MAX;
}

/* Where the figure may stand: past the separator, quotes and blanks. */
static size_t figure_start(const struct crv_mtext *t, size_t at) {
  size_t most = at + 24 < t->len ? at + 24 : t->len;
  if (at < most && t->s[at] == ' ') at++; /* " was " */
  while (at < most && ((t->s[at] >= 'a' && t->s[at] <= 'z') || strchr(" \t:='\"*`", t->s[at])))
    at++;
  return at;
}

static void add_peak(struct crv_mrun *run, struct crv_mspan label, const struct words *w,
                     struct crv_mfigure *fig, struct crv_mspan line) {
  char text[81];
  struct crv_measure_fact f = crv_mfact(run, w->counter, CRV_MEASURE_PEAK, NULL);
  size_t n = label.len < sizeof text - 1 ? label.len : sizeof text - 1;
  memcpy(text, label.s, n);
  text[n] = '\0';
  f.label = text;
  f.device = crv_mdevice_of(line);
  if (!fig->unit[0]) memcpy(fig->unit, w->unit_word, sizeof w->unit_word);
  crv_mfact_figure(run, &f, fig, w->unit);
  crv_mfact_add(run, &f);
}

/* Does the label name torch's own function, which gives bytes? */
static bool names_call(struct crv_mspan label) {
  return has(label, "memory_allocated") || has(label, "memory_reserved") ||
         has(label, "memory_cached");
}

/* "max ... : 12.3 GB" from a word "max" or "peak" on. */
static void peak_words(struct crv_mrun *run, const struct crv_mrule *rule,
                       const struct crv_mmatch *m) {
  const struct crv_mtext *t = &run->text;
  size_t end = label_end(t, m->at);
  (void)rule;
  run->recognised--;
  if (end == SIZE_MAX) return;
  struct crv_mspan label = crv_mtrim((struct crv_mspan){t->s + m->at, end - m->at});
  struct words w = read_words(run, m->at, label);
  size_t at = figure_start(t, end);
  struct crv_mspan rest = {t->s + at, t->len - at < 64 ? t->len - at : 64};
  struct crv_mfigure fig;
  if (crv_mfigure_read(rest, &fig) == 0) return;
  run->recognised++;
  run->skip = at;
  if (!fig.unit[0] && fig.n.places == 0 && fig.n.mantissa >= CRV_MIB && names_call(label))
    memcpy(fig.unit, "B", 2);
  if (w.counter)
    add_peak(run, label, &w, &fig, crv_mline_at(t, m->at));
  else if (has(label, "mem"))
    crv_mnote(run, CRV_MN_COUNTER_UNKNOWN);
}

/* "'allocated_bytes.all.peak': 123" of torch.cuda.memory_stats, in any spelling of a dictionary. */
static void stat_value(struct crv_mrun *run, const struct crv_mrule *rule,
                       const struct crv_mmatch *m) {
  const struct crv_mtext *t = &run->text;
  size_t at = m->end, most = at + 16 < t->len ? at + 16 : t->len;
  struct crv_mfigure fig = {.unit = ""};
  while (at < most && strchr("\"' \t:=|,", t->s[at])) at++;
  struct crv_mspan rest = {t->s + at, t->len - at < 32 ? t->len - at : 32};
  run->recognised--;
  if (crv_mnumber_read(rest, &fig.n) == 0) return;
  run->recognised++;
  struct crv_measure_fact f = crv_mfact(run, rule->want[0].counter, rule->want[0].kind, NULL);
  f.label = rule->form;
  crv_mfact_figure(run, &f, &fig, CRV_MU_BYTES);
  crv_mfact_add(run, &f);
}

#define WANT(c, k, u) \
  { .counter = CRV_MEASURE_TORCH_##c, .kind = CRV_MEASURE_##k, .unit = CRV_MU_##u }
#define PEAK(c, u) WANT(c, PEAK, u)
#define NOW(c, u) WANT(c, INSTANT, u)
#define SHARE \
  { .counter = CRV_MEASURE_MEMORY_SHARE, .kind = CRV_MEASURE_STATED }
#define IGNORED \
  { .counter = CRV_MEASURE_NONE }

static const struct crv_mrule rules[] = {
    /* NVIDIA/Megatron-LM, megatron/training/utils.py: bytes / 1024 / 1024. */
    {"memory (MB) | allocated: # | max allocated: # | reserved: # | max reserved: #",
     {NOW(ALLOCATED, MIB), PEAK(ALLOCATED, MIB), NOW(RESERVED, MIB), PEAK(RESERVED, MIB)},
     NULL},
    /* pytorch/torchtitan, torchtitan/metrics.py: bytes of the reserved peak / 1024^3. */
    {"memory: $(#%)", {PEAK(RESERVED, BINARY), SHARE}, NULL},
    /* huggingface/nanotron: bytes / 1024^2. */
    {"Memory usage: $. Peak allocated $. Peak reserved: $",
     {NOW(ALLOCATED, BINARY), PEAK(ALLOCATED, BINARY), PEAK(RESERVED, BINARY)},
     NULL},
    {"allocated_bytes.all.peak", {PEAK(ALLOCATED, BYTES)}, stat_value},
    {"allocated_bytes.all.current", {NOW(ALLOCATED, BYTES)}, stat_value},
    {"active_bytes.all.peak", {PEAK(ACTIVE, BYTES)}, stat_value},
    {"reserved_bytes.all.peak", {PEAK(RESERVED, BYTES)}, stat_value},
    {"reserved_bytes.all.current", {NOW(RESERVED, BYTES)}, stat_value},
    {"!peak memory - allocated: $, reserved: $",
     {PEAK(ALLOCATED, ASSUMED), PEAK(RESERVED, ASSUMED)},
     NULL},
    {"!max", {IGNORED}, peak_words},
    {"!peak", {IGNORED}, peak_words},
    {"!memory allocated: $", {NOW(ALLOCATED, ASSUMED)}, NULL},
    {"!memory reserved: $", {NOW(RESERVED, ASSUMED)}, NULL},
    {"memory_allocated(): $", {NOW(ALLOCATED, ASSUMED)}, NULL},
    {"memory_reserved(): $", {NOW(RESERVED, ASSUMED)}, NULL},
};

void crv_measure_torch(struct crv_mrun *run) {
  read_summaries(run);
  crv_mrules_run(run, rules, sizeof rules / sizeof *rules);
}
