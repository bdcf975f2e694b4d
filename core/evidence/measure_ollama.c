/* ollama's own lines: what its scheduler forecasts before it loads (memory.required, memory.graph),
   what the runner took by device, and "ollama ps". ollama/ollama, llm/memory.go, ml/device.go,
   server/sched.go: binary units with one decimal (format.HumanBytes2); "ollama ps" alone is decimal
   (format.HumanBytes). Must not know: llama.cpp's lines. */
#include <stdint.h>
#include <string.h>

#include "core/evidence/measure_llama.h"

#define WANT(c, k, i) \
  { .counter = CRV_MEASURE_##c, .kind = CRV_MEASURE_##k, .item = i }
#define FORESEEN(i) WANT(ENGINE_DECLARED, FORECAST, i)
#define SAID(i) WANT(ENGINE_DECLARED, STATED, i)
#define IGNORED \
  { .counter = CRV_MEASURE_NONE }

static struct crv_mspan cap_text(const struct crv_mrun *run, const struct crv_mcap *c) {
  return (struct crv_mspan){run->text.s + c->at, c->len};
}

/* device=CUDA0 size="18.5 GiB"; the rule's want says of what. */
static void by_device(struct crv_mrun *run, const struct crv_mrule *rule,
                      const struct crv_mmatch *m) {
  struct crv_mplace place = crv_mplace_of(cap_text(run, &m->cap[0]));
  struct crv_measure_fact f = crv_mbuffer(run, &place, rule->want[0].item, CRV_MEASURE_STATED);
  crv_mfact_figure(run, &f, &m->cap[1].f, CRV_MU_BINARY);
  crv_mfact_add(run, &f);
}

/* "[7.6 GiB 7.6 GiB]": one figure a device, in order. */
static void list(struct crv_mrun *run, const struct crv_mrule *rule, const struct crv_mmatch *m) {
  struct crv_mspan rest = {run->text.s + m->cap[0].at, run->text.len - m->cap[0].at};
  if (rest.len > 512) rest.len = 512;
  for (int64_t device = 0; device < 64 && rest.len && rest.s[0] != ']'; device++) {
    struct crv_mfigure fig;
    size_t took = crv_mfigure_read(rest, &fig);
    if (took == 0) break;
    struct crv_measure_fact f =
        crv_mfact(run, rule->want[0].counter, rule->want[0].kind, rule->want[0].item);
    f.device = (struct crv_opt_int){device, true};
    crv_mfact_figure(run, &f, &fig, CRV_MU_BINARY);
    crv_mfact_add(run, &f);
    rest = crv_mspan_from(rest, took);
    while (rest.len && rest.s[0] == ' ') rest = crv_mspan_from(rest, 1);
  }
  if (rule->want[0].kind == CRV_MEASURE_FORECAST) crv_mnote(run, CRV_MN_FORECAST);
}

static void forecast(struct crv_mrun *run, const struct crv_mrule *rule,
                     const struct crv_mmatch *m) {
  struct crv_measure_fact f =
      crv_mfact(run, CRV_MEASURE_ENGINE_DECLARED, CRV_MEASURE_FORECAST, rule->want[0].item);
  crv_mfact_figure(run, &f, &m->cap[0].f, CRV_MU_BINARY);
  crv_mfact_add(run, &f);
  crv_mnote(run, CRV_MN_FORECAST);
}

static void layers(struct crv_mrun *run, const struct crv_mrule *rule, const struct crv_mmatch *m) {
  (void)rule;
  if (m->cap[1].f.n.mantissa >= m->cap[0].f.n.mantissa) return;
  run->ret->spilled = CRV_TRUE;
  crv_mnote(run, CRV_MN_SPILLED);
}

/* name="..." in a line of name=value. */
static struct crv_mspan value_of(struct crv_mspan line, const char *name) {
  size_t at = crv_mspan_find(line, name), n = 0;
  struct crv_mspan rest = crv_mspan_from(line, at == SIZE_MAX ? line.len : at + strlen(name));
  while (n < rest.len && rest.s[n] != '"') n++;
  return (struct crv_mspan){rest.s, n};
}

static void compute(struct crv_mrun *run, const struct crv_mrule *rule,
                    const struct crv_mmatch *m) {
  static const struct {
    const char *name;
    enum crv_measure_counter counter;
    enum crv_measure_kind kind;
  } figures[] = {{" total=\"", CRV_MEASURE_DEVICE_TOTAL, CRV_MEASURE_STATED},
                 {" available=\"", CRV_MEASURE_DEVICE_FREE, CRV_MEASURE_INSTANT}};
  struct crv_mspan line = crv_mline_at(&run->text, m->end);
  char label[128] = "";
  struct crv_mspan name = value_of(line, "name=\"");
  struct crv_mspan shown = crv_mspan_is(name, "CUDA0") ? value_of(line, "description=\"") : name;
  (void)rule;
  memcpy(label, shown.s, shown.len < sizeof label - 1 ? shown.len : sizeof label - 1);
  for (size_t i = 0; i < 2; i++) {
    struct crv_mfigure fig;
    if (!crv_mfigure_read(value_of(line, figures[i].name), &fig)) continue;
    struct crv_measure_fact f = crv_mfact(run, figures[i].counter, figures[i].kind,
                                          i ? "at start" : "as the engine prints it");
    f.device_label = label;
    crv_mfact_figure(run, &f, &fig, CRV_MU_BINARY);
    crv_mfact_add(run, &f);
  }
}

static const struct crv_mrule rules[] = {
    {"msg=\"model weights\" device=& size=\"$", {SAID("weights")}, by_device},
    {"msg=\"kv cache\" device=& size=\"$", {SAID("kv_cache")}, by_device},
    {"msg=\"compute graph\" device=& size=\"$", {SAID("compute")}, by_device},
    {"msg=\"total memory\" size=\"$", {SAID("all buffers, host too")}, NULL},
    {"memory.available=\"[$", {WANT(DEVICE_FREE, INSTANT, "at start")}, list},
    {"memory.required.allocations=\"[$", {FORESEEN("all buffers")}, list},
    {"memory.required.full=\"$", {FORESEEN("all buffers, wholly on the device")}, forecast},
    {"memory.required.partial=\"$", {FORESEEN("all buffers, as placed")}, forecast},
    {"memory.required.kv=\"$", {FORESEEN("kv_cache")}, forecast},
    {"memory.weights.total=\"$", {FORESEEN("weights")}, forecast},
    {"memory.weights.repeating=\"$", {FORESEEN("weights, repeating layers")}, forecast},
    {"memory.weights.nonrepeating=\"$", {FORESEEN("weights, other layers")}, forecast},
    {"memory.graph.full=\"$", {FORESEEN("compute, wholly on the device")}, forecast},
    {"memory.graph.partial=\"$", {FORESEEN("compute, as placed")}, forecast},
    {"projector.weights=\"$", {FORESEEN("projector weights")}, forecast},
    {"projector.graph=\"$", {FORESEEN("projector compute")}, forecast},
    {"layers.model=# layers.offload=#", {IGNORED}, layers},
    {"msg=\"inference compute\"", {IGNORED}, compute},
    {"msg=\"gpu memory\" id=& library=& available=\"$\" free=\"$",
     {IGNORED, IGNORED, WANT(DEVICE_FREE, INSTANT, "available at start"),
      WANT(DEVICE_FREE, INSTANT, "at start")},
     NULL},
    {"msg=\"system memory\" total=\"$\" free=\"$",
     {WANT(HOST_TOTAL, STATED, NULL), WANT(HOST_FREE, INSTANT, NULL)},
     NULL},
};

/* -- ollama ps ------------------------------------------------------------------------------------
 */

static bool is_id(struct crv_mspan word) {
  size_t n = 0;
  while (n < word.len && strchr("0123456789abcdef", word.s[n])) n++;
  return n == word.len && n == 12;
}

/* "llama3:70b    bcfb190ca3a7    42 GB     48%/52% CPU/GPU    4 minutes from now" */
static void ps_row(struct crv_mrun *run, struct crv_mspan line) {
  struct crv_mspan name = crv_mword(&line), id = crv_mword(&line);
  struct crv_mfigure fig;
  char model[64] = "";
  line = crv_mtrim(line);
  size_t took = crv_mfigure_read(line, &fig);
  if (!is_id(id) || took == 0 || !fig.unit[0]) return;
  memcpy(model, name.s, name.len < sizeof model - 1 ? name.len : sizeof model - 1);
  struct crv_measure_fact f =
      crv_mfact(run, CRV_MEASURE_ENGINE_DECLARED, CRV_MEASURE_FORECAST, "all buffers, host too");
  f.stage = model;
  crv_mfact_figure(run, &f, &fig, CRV_MU_DECIMAL);
  crv_mfact_add(run, &f);
  run->recognised++;
  crv_mnote(run, CRV_MN_FORECAST);
  if (crv_mspan_find(line, "CPU") == SIZE_MAX) return;
  run->ret->spilled = CRV_TRUE;
  crv_mnote(run, CRV_MN_SPILLED);
}

static void read_ps(struct crv_mrun *run) {
  struct crv_mlines lines = {.t = &run->text};
  struct crv_mspan line, word;
  bool table = false;
  while (!run->failed && crv_mline_next(&lines, &line)) {
    run->line = lines.line;
    if (line.len > 512) line.len = 512;
    struct crv_mspan rest = line;
    word = crv_mword(&rest);
    if (crv_mspan_is(word, "NAME") && crv_mspan_find(rest, "PROCESSOR") != SIZE_MAX)
      table = true;
    else if (table)
      ps_row(run, line);
  }
}

void crv_measure_ollama(struct crv_mrun *run) {
  size_t before = run->recognised;
  crv_mrules_run(run, rules, sizeof rules / sizeof *rules);
  read_ps(run);
  if (run->recognised > before) crv_mengine(run, "ollama", (struct crv_mspan){"", 0});
}
