/* Sentences of the tables with what is known filled in. "{name}" is a figure, a fact or a derived
   value; "{name:mib}" the same in MiB; a bracketed part goes out where a name in it is not known.
   Some names stand for a condition and fill in nothing: the part stays where the condition holds.
   Must not know: which sentences there are. */
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/diagnose_internal.h"

static const struct {
  const char *name;
  enum crv_fact_type type;
} facts[CRV_DN_COUNT] = {
#define INT CRV_FACT_INT
#define DECIMAL CRV_FACT_DECIMAL
#define X(ID, name, type) [CRV_DN_##ID] = {name, type},
#include "core/evidence/facts.def"
#undef X
#undef INT
#undef DECIMAL
};

struct crv_opt_int crv_dx_known(const struct crv_dx *d, const char *name,
                                enum crv_fact_type *type) {
  for (size_t i = 0; i < d->n_derived; i++) {
    if (strcmp(d->derived[i].fact.name, name) != 0) continue;
    *type = d->derived[i].fact.type;
    return (struct crv_opt_int){d->derived[i].fact.i, true};
  }
  *type = CRV_FACT_BYTES;
  if (!strcmp(name, "device")) return d->job.capacity;
  for (size_t i = 1; i < CRV_DF_COUNT; i++) {
    struct crv_opt_int v = crv_dx_bytes(d, (enum crv_dx_figure_id)i);
    if (v.set && !strcmp(crv_dx_figure_name((enum crv_dx_figure_id)i), name)) return v;
  }
  for (size_t i = 1; i < CRV_DN_COUNT; i++) {
    if (!d->fact[i].set || strcmp(facts[i].name, name) != 0) continue;
    *type = facts[i].type;
    return (struct crv_opt_int){d->fact[i].v, true};
  }
  return (struct crv_opt_int){0, false};
}

/* The printed facts, as a list of the answer. */
bool crv_dx_list_facts(struct crv_dx *d) {
  size_t n = 0;
  struct crv_diag_fact *at = crv_new_array(d->a, CRV_DN_COUNT, struct crv_diag_fact);
  struct crv_diag_fact *derived = crv_new_array(d->a, d->n_derived, struct crv_diag_fact);
  if (!at || !derived) return crv_dx_no_memory(d);
  for (size_t i = 1; i < CRV_DN_COUNT; i++) {
    const struct crv_dx_number_fact *f = &d->fact[i];
    if (!f->set) continue;
    at[n++] = (struct crv_diag_fact){
        .fact = {.name = facts[i].name, .type = facts[i].type, .i = f->v},
        .span = crv_flat_span(d->flat, f->from, f->to),
    };
  }
  memcpy(derived, d->derived, d->n_derived * sizeof *derived);
  d->ret->facts = (struct crv_list){n, at};
  d->ret->derived = (struct crv_list){d->n_derived, derived};
  return true;
}

/* -- values
 * ----------------------------------------------------------------------------------------
 */

/* At most two decimals, none that are zero: "12", "314.5". */
static void add_scaled(struct crv_buf *b, int64_t bytes, int64_t unit, const char *name) {
  int64_t hundredths = 0, v = bytes < 0 ? -bytes : bytes;
  char text[48];
  if (!crv_muldiv_half(v, 100, unit, &hundredths)) return;
  snprintf(text, sizeof text, "%s%lld.%02d", bytes < 0 ? "-" : "", (long long)(hundredths / 100),
           (int)(hundredths % 100));
  size_t len = strlen(text);
  if (unit != CRV_GIB) {
    while (text[len - 1] == '0') text[--len] = '\0';
    if (text[len - 1] == '.') text[--len] = '\0';
  }
  crv_buf_printf(b, "%s %s", text, name);
}

static void add_bytes(struct crv_buf *b, int64_t bytes, bool mib) {
  int64_t v = bytes < 0 ? -bytes : bytes;
  if (v < 1024 && !mib)
    crv_buf_printf(b, "%lld bytes", (long long)bytes);
  else if (v >= CRV_GIB && !mib)
    add_scaled(b, bytes, CRV_GIB, "GiB");
  else if (v < CRV_MIB && !mib)
    add_scaled(b, bytes, 1024, "KiB");
  else
    add_scaled(b, bytes, CRV_MIB, "MiB");
}

static void add_value(struct crv_buf *b, enum crv_fact_type type, int64_t v, bool mib) {
  char text[32];
  if (type == CRV_FACT_BYTES)
    add_bytes(b, v, mib);
  else if (type == CRV_FACT_DECIMAL)
    crv_buf_str(b, crv_decimal_text(v, text, sizeof text));
  else
    crv_buf_i64(b, v);
}

/* Nominal sizes on the market, and how a need compares with what such a card really shows: at least
   0.90 of so many GiB, at most all of them. */
static bool add_fit_sizes(const struct crv_dx *d, struct crv_buf *b) {
  static const int sizes[] = {8, 12, 16, 24, 32, 40, 48, 64, 80, 96, 141, 192, 288};
  struct crv_opt_int need = crv_dx_derived(d, "minimum_device");
  bool tight = false;
  if (!need.set) return false;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    int64_t upper = sizes[i] * CRV_GIB, lower = upper / 10 * 9;
    if (upper <= need.v) continue;
    if (lower >= need.v + need.v / 10) {
      crv_buf_printf(b, "a %d GB card fits", sizes[i]);
      return true;
    }
    if (!tight) crv_buf_printf(b, "a %d GB card leaves little or no margin, ", sizes[i]);
    tight = true;
  }
  crv_buf_str(b, "no single card of the usual sizes does");
  return true;
}

static bool trains(const struct crv_dx *d) {
  enum crv_dx_phase p = crv_dx_phase_of(d);
  return p == CRV_DP_FORWARD || p == CRV_DP_BACKWARD || p == CRV_DP_OPTIMIZER_STEP;
}

static bool fits_in_16_bits(const struct crv_dx *d) {
  struct crv_opt_int narrow = crv_dx_derived(d, "weights_in_16_bits"), c = d->job.capacity;
  return narrow.set && c.set && narrow.v < c.v;
}

static bool said(const struct crv_dx *d, enum crv_dx_trait t) {
  return d->trait[t] || d->context_trait[t];
}

static bool offloads(const struct crv_sheet *s) {
  const char *offload = s && s->execution ? s->execution->offload : NULL;
  return offload && strcmp(offload, "none") != 0;
}

/* A name that stands for a condition; *holds says whether it does. */
static bool condition(const struct crv_dx *d, const char *name, bool *holds) {
  const bool *t = d->trait;
  if (!strcmp(name, "no_sheet"))
    *holds = !d->in->sheet;
  else if (!strcmp(name, "training"))
    *holds = trains(d);
  else if (!strcmp(name, "fits_in_16_bits"))
    *holds = fits_in_16_bits(d);
  else if (!strcmp(name, "offload_asked"))
    *holds = said(d, CRV_DT_OFFLOAD) || offloads(d->in->sheet);
  else if (!strcmp(name, "no_format"))
    *holds = !t[CRV_DT_DTYPE] && !t[CRV_DT_BITS4] && !t[CRV_DT_BITS8];
  else if (!strcmp(name, "batch_tried"))
    *holds = said(d, CRV_DT_BATCH_NO_EFFECT);
  else if (!strcmp(name, "batch_open"))
    *holds = !said(d, CRV_DT_BATCH_NO_EFFECT);
  else if (!strcmp(name, "no_weights"))
    *holds = !d->job.weights.set;
  else if (!strcmp(name, "truncated"))
    *holds = d->flag[CRV_DG_MESSAGE_TRUNCATED];
  else if (!strcmp(name, "not_unified"))
    *holds = !t[CRV_DT_UNIFIED];
  else if (!strcmp(name, "moves_all"))
    *holds = said(d, CRV_DT_DOT_CUDA) && said(d, CRV_DT_DEVICE_MAP);
  else
    return false;
  return true;
}

static bool add_name(const struct crv_dx *d, const char *s, size_t len, struct crv_buf *b) {
  char name[48];
  enum crv_fact_type type;
  bool mib = len > 4 && memcmp(s + len - 4, ":mib", 4) == 0, holds;
  if (mib) len -= 4;
  if (len >= sizeof name) return false;
  memcpy(name, s, len);
  name[len] = '\0';
  if (condition(d, name, &holds)) return holds;
  if (!strcmp(name, "fit_sizes")) return add_fit_sizes(d, b);
  struct crv_opt_int v = crv_dx_known(d, name, &type);
  if (v.set) add_value(b, type, v.v, mib);
  return v.set;
}

/* One stretch of a template; false when a name in it is not known. */
static bool stretch(const struct crv_dx *d, const char *s, size_t len, struct crv_buf *b) {
  for (size_t i = 0; i < len; i++) {
    if (s[i] != '{') {
      crv_buf_char(b, s[i]);
      continue;
    }
    const char *end = memchr(s + i, '}', len - i);
    if (!end || !add_name(d, s + i + 1, (size_t)(end - s) - i - 1, b)) return false;
    i = (size_t)(end - s);
  }
  return true;
}

static void optional(const struct crv_dx *d, const char *s, size_t len, struct crv_buf *b) {
  _buf_ struct crv_buf part = {0};
  crv_buf_init(&part, 0);
  bool known = stretch(d, s, len, &part);
  b->failed |= part.failed;
  if (known && part.data) crv_buf_add(b, part.data, part.len);
}

const char *crv_dx_fill(struct crv_dx *d, const char *template_text) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  const char *s = template_text;
  if (!*s) return s;
  while (*s) {
    size_t len = strcspn(s, "[");
    if (!stretch(d, s, len, &b)) return NULL;
    s += len;
    if (*s != '[') continue;
    const char *end = strchr(s, ']');
    if (!end) break;
    optional(d, s + 1, (size_t)(end - s) - 1, &b);
    s = end + 1;
  }
  const char *text = b.failed || !b.data ? NULL : crv_arena_strdup(d->a, b.data);
  if (!text) crv_dx_no_memory(d);
  return text;
}
