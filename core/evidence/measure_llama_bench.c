/* llama-bench's Markdown table: documented speeds. ggml-org/llama.cpp, tools/llama-bench: pp is the
   prompt, tg what is generated, "@ d" the depth at which it starts; t/s is mean and spread over
   repetitions. "size" is the model's file (GiB), never device memory; there is no memory
   measurement in it. Must not know: the load log. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/evidence/measure_internal.h"

enum { COLUMNS = 48 };

struct bench {
  struct crv_mspan names[COLUMNS];
  size_t n, model, size, params, test, speed; /* columns; SIZE_MAX: none */
  int64_t header;
};

static size_t column(const struct bench *b, const char *name) {
  for (size_t i = 0; i < b->n; i++)
    if (crv_mspan_is(b->names[i], name)) return i;
  return SIZE_MAX;
}

/* The cells between the outer bars. */
static size_t cells_of(struct crv_mspan line, struct crv_mspan *cells) {
  line = crv_mtrim(line);
  while (line.len && strchr("> ", line.s[0])) line = crv_mspan_from(line, 1);
  if (line.len < 2 || line.s[0] != '|') return 0;
  line = crv_mspan_from(line, 1);
  if (line.s[line.len - 1] == '|') line.len--;
  return crv_msplit(line, '|', cells, COLUMNS);
}

static bool take_header(struct crv_mrun *run, struct bench *b, const struct crv_mspan *cells,
                        size_t n) {
  struct bench h = {.n = n, .header = run->line};
  memcpy(h.names, cells, n * sizeof *cells);
  h.test = column(&h, "test");
  h.speed = column(&h, "t/s");
  if (h.test == SIZE_MAX || h.speed == SIZE_MAX) return false;
  h.model = column(&h, "model");
  h.size = column(&h, "size");
  h.params = column(&h, "params");
  *b = h;
  return true;
}

/* "pp16384", "tg128", "pp512+tg128", "tg128 @ d4096" */
static enum crv_measure_counter test_kind(struct crv_mspan test) {
  bool pp = crv_mspan_find(test, "pp") != SIZE_MAX, tg = crv_mspan_find(test, "tg") != SIZE_MAX;
  if (pp && tg) return CRV_MEASURE_SPEED_COMBINED;
  if (pp) return CRV_MEASURE_SPEED_PROMPT;
  return tg ? CRV_MEASURE_SPEED_GENERATION : CRV_MEASURE_NONE;
}

static void copy(char *out, size_t room, struct crv_mspan s) {
  size_t n = s.len < room - 1 ? s.len : room - 1;
  memcpy(out, s.s, n);
  out[n] = '\0';
}

static bool add_speed(struct crv_mrun *run, const struct bench *b, const struct crv_mspan *cells) {
  struct crv_mfigure fig = {.unit = "t/s"};
  struct crv_mnumber spread;
  struct crv_mspan cell = cells[b->speed];
  enum crv_measure_counter c = test_kind(cells[b->test]);
  size_t took = crv_mnumber_read(cell, &fig.n), sign = crv_mspan_find(cell, "\xC2\xB1");
  char test[80], model[64] = "";
  if (!c || took == 0) return false;
  copy(test, sizeof test, cells[b->test]);
  if (b->model != SIZE_MAX) copy(model, sizeof model, cells[b->model]);
  struct crv_measure_fact f = crv_mfact(run, c, CRV_MEASURE_STATED, NULL);
  f.stage = test;
  f.label = model;
  crv_mfact_figure(run, &f, &fig, CRV_MU_BINARY);
  f.means = "tokens/s, mean of the repetitions";
  if (sign != SIZE_MAX) {
    struct crv_mspan rest = crv_mtrim(crv_mspan_from(cell, sign + 2));
    f.spread.set = crv_mnumber_read(rest, &spread) > 0 && crv_mnumber_micro(&spread, &f.spread.v);
  }
  crv_mfact_add(run, &f);
  return true;
}

/* Bits a weight, in words; once a model. */
static void note_file(struct crv_mrun *run, struct crv_opt_int bytes, struct crv_opt_int params) {
  int64_t bits, thousandths;
  char text[32];
  if (!bytes.set || !params.set || params.v <= 0 || !crv_mul(bytes.v, 8, &bits) ||
      !crv_muldiv_half(bits, INT64_C(1000000000), params.v, &thousandths)) {
    crv_mnote(run, CRV_MN_FILE_SIZE);
    return;
  }
  if (run->noted[CRV_MN_FILE_SIZE]) return;
  crv_mnote_say(
      run, CRV_MN_FILE_SIZE,
      "size is the model's file, not device memory: %s bits a weight; where its parts were "
      "is not in this table.",
      crv_decimal_text(thousandths * 1000, text, sizeof text));
}

/* "672.05 B"; returns the parameters, decimal micro. */
static struct crv_opt_int add_params(struct crv_mrun *run, struct crv_mspan cell,
                                     const char *model) {
  struct crv_opt_int none = {0, false};
  struct crv_mfigure fig;
  memset(&fig, 0, sizeof fig);
  size_t took = crv_mnumber_read(cell, &fig.n);
  struct crv_mspan unit = crv_mtrim(crv_mspan_from(cell, took));
  if (took == 0 || unit.len > 2) return none;
  int64_t scale = crv_mspan_is(unit, "B") ? 1000000000 : crv_mspan_is(unit, "M") ? 1000000 : 0;
  struct crv_measure_fact f =
      crv_mfact(run, CRV_MEASURE_MODEL_PARAMETERS, CRV_MEASURE_STATED, NULL);
  f.stage = model;
  copy(fig.unit, sizeof fig.unit, unit);
  crv_mfact_figure(run, &f, &fig, CRV_MU_BINARY);
  f.means = scale ? "parameters (B: 10^9, M: 10^6)" : NULL;
  f.micro.set = f.micro.set && scale && crv_mul(f.micro.v, scale, &f.micro.v);
  crv_mfact_add(run, &f);
  return f.micro;
}

/* The model's file and parameters, once a model. */
static void add_model(struct crv_mrun *run, const struct bench *b, const struct crv_mspan *cells) {
  struct crv_mfigure fig;
  struct crv_opt_int bytes = {0, false}, params = {0, false};
  char model[64] = "";
  if (b->model != SIZE_MAX) copy(model, sizeof model, cells[b->model]);
  if (b->size != SIZE_MAX && crv_mfigure_read(cells[b->size], &fig)) {
    struct crv_measure_fact f = crv_mfact(run, CRV_MEASURE_MODEL_FILE, CRV_MEASURE_STATED, NULL);
    f.stage = model;
    crv_mfact_figure(run, &f, &fig, CRV_MU_BINARY);
    crv_mfact_add(run, &f);
    bytes = f.bytes;
  }
  if (b->params != SIZE_MAX) params = add_params(run, cells[b->params], model);
  if (bytes.set) note_file(run, bytes, params);
}
static bool bench_row(struct crv_mrun *run, const struct bench *b, const struct crv_mspan *cells,
                      size_t n) {
  if (n != b->n || crv_mspan_starts(cells[0], "--") || crv_mspan_starts(cells[0], ":-"))
    return false;
  if (!add_speed(run, b, cells)) return false;
  add_model(run, b, cells);
  for (size_t i = 0; i < n; i++) {
    char name[64];
    if (i == b->model || i == b->size || i == b->params || i == b->test || i == b->speed) continue;
    copy(name, sizeof name, b->names[i]);
    crv_msetting_once(run, name, cells[i]);
  }
  return true;
}

void crv_measure_llama_bench(struct crv_mrun *run) {
  struct crv_mlines lines = {.t = &run->text};
  struct crv_mspan line, cells[COLUMNS];
  struct bench b = {.n = 0};
  bool rows = false;
  while (!run->failed && crv_mline_next(&lines, &line)) {
    run->line = lines.line;
    if (line.len > 4096) line.len = 4096;
    size_t n = cells_of(line, cells);
    if (n == 0) continue;
    if (take_header(run, &b, cells, n)) {
      run->recognised++;
    } else if (b.n && bench_row(run, &b, cells, n)) {
      run->recognised++;
      rows = true;
    }
  }
  run->line = 0;
  if (!rows) return;
  crv_mnote(run, CRV_MN_NO_MEMORY);
  crv_mengine(run, "llama.cpp", (struct crv_mspan){"", 0});
}
