/* GpuInfo of a SkyPilot row: which device it is and how much memory one has.
   What the figures mean is the profile's word. A figure of a CATALOGUE profile that is n x 1024 MiB
   is the nominal size only when n is the vendor's own figure of the device named (81920 MiB, an
   80 GB card): capacity as an interval then starts from the vendor's nominal, never from a figure
   that is already net of what the device keeps (B300: 268288 MiB of "288 GB"). Every other figure
   is device-declared: it can exclude and never admits.
   A figure in doubt is left unknown; the device named stays named, and the nominal size of its
   model is not put in the figure's place.
   Must not know: other rows, offers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/catalogue/import_sky.h"

/* What the cell states, as written. */
struct info {
  const char *name;
  struct crv_opt_int count;
  int64_t size; /* bytes, by the profile's unit */
  struct crv_opt_int total;
};

struct nominals {
  int64_t gb[SKY_MODELS];
  size_t n;
};

static const char *column(void) {
  return crv_sky_columns[SKY_GPUINFO];
}

static void unreadable(struct sky_row *r, const char *cell, const char *why) {
  char quoted[CRV_QUOTE_ROOM];
  crv_ifind(&r->base.findings, CRV_IC_GPUINFO_UNREADABLE, column(),
            crv_text_quote(cell, strlen(cell), quoted), why);
}

/* A member that holds a number, in bytes of unit. */
static bool amount(const struct crv_literal *v, int64_t unit, int64_t *ret) {
  int64_t micro;
  struct crv_unit_err ue;
  return v && v->kind == CRV_LIT_NUMBER &&
         crv_decimal_parse(v->text, strlen(v->text), &micro, &ue) && micro > 0 &&
         crv_bytes_scale(micro, unit, CRV_ROUND_DOWN, ret) && *ret <= CRV_INT_MAX;
}

/* GB under a MiB name is a nominal figure: it is compared as n x 2^30, like any nominal size. */
static int64_t unit_of(const struct sky_profile *p) {
  return p->gb_as_mib ? CRV_GIB : CRV_MIB;
}

static const char *read_info(const struct crv_literal *v, const struct sky_profile *p,
                             struct info *ret) {
  const struct crv_literal *gpus = crv_literal_get(v, "Gpus");
  int64_t n;
  if (!gpus || gpus->kind != CRV_LIT_LIST) return "it has no list Gpus";
  if (gpus->n != 1) return "Gpus does not hold exactly one kind of device";
  const struct crv_literal *name = crv_literal_get(gpus->child, "Name");
  const struct crv_literal *count = crv_literal_get(gpus->child, "Count");
  const struct crv_literal *size =
      crv_literal_get(crv_literal_get(gpus->child, "MemoryInfo"), "SizeInMiB");
  if (!amount(size, unit_of(p), &ret->size)) return "it has no positive SizeInMiB";
  if (name && name->kind == CRV_LIT_TEXT) ret->name = name->text;
  if (count && count->kind == CRV_LIT_NUMBER && crv_sky_whole(count->text, &n) && n > 0)
    ret->count = (struct crv_opt_int){n, true};
  if (amount(crv_literal_get(v, "TotalGpuMemoryInMiB"), unit_of(p), &n))
    ret->total = (struct crv_opt_int){n, true};
  return NULL;
}

/* -- which device ---------------------------------------------------------------------------- */

/* "1x-RTX_4070S_Ti-32-65536" -> "RTX_4070S_Ti"; "gpu-h100-sxm_8gpu-128vcpu-1600gb" -> "h100-sxm".
 */
static bool instance_name(const struct sky_row *r, enum sky_name how, char *out, size_t room) {
  const char *s = r->instance, *from = s, *to = NULL;
  if (how == SKY_NAME_VAST) {
    const char *x = strstr(s, "x-");
    from = x ? x + 2 : s;
    const char *last = strrchr(from, '-');
    for (const char *p = last; p && p > from && !to;)
      if (*--p == '-') to = p;
  } else if (how == SKY_NAME_NEBIUS && !strncmp(s, "gpu-", 4)) {
    from = s + 4;
    to = strchr(from, '_');
  }
  if (!to || to == from || (size_t)(to - from) >= room) return false;
  memcpy(out, from, (size_t)(to - from));
  out[to - from] = '\0';
  return true;
}

static void resolve(const char *name, struct sky_models *ret) {
  ret->n = name ? crv_device_resolve(name, NULL, ret->at) : 0;
}

static bool has(const struct sky_models *m, const struct crv_device_model *model) {
  for (size_t i = 0; i < m->n; i++)
    if (m->at[i] == model) return true;
  return false;
}

/* A second name narrows the first; when they agree on no model both stay open. */
static void narrow(struct sky_row *r, const char *from, const char *name) {
  struct sky_models other, both = {.n = 0};
  resolve(name, &other);
  if (!other.n || !r->models.n) {
    if (other.n) r->models = other;
    return;
  }
  for (size_t i = 0; i < r->models.n; i++)
    if (has(&other, r->models.at[i])) both.at[both.n++] = r->models.at[i];
  if (both.n) {
    r->models = both;
    return;
  }
  for (size_t i = 0; i < other.n && r->models.n < SKY_MODELS; i++)
    r->models.at[r->models.n++] = other.at[i];
  crv_ifind(&r->base.findings, CRV_IC_DEVICE_NAME_CONFLICT, from, r->accelerator, name);
}

static void find_device(struct sky_row *r, const struct sky_profile *p, const char *info_name) {
  char name[64];
  resolve(r->accelerator, &r->models);
  if (info_name && strcmp(info_name, r->accelerator) != 0) narrow(r, column(), info_name);
  if (instance_name(r, p->instance_name, name, sizeof name))
    narrow(r, crv_sky_columns[SKY_INSTANCE], name);
}

/* -- how much memory ------------------------------------------------------------------------- */

/* "A100-80GB" -> 80; 0 when the label names no size. */
static int64_t label_gb(const char *s) {
  size_t n = strlen(s), at;
  int64_t gb;
  if (n < 4 || strcmp(s + n - 2, "GB") != 0) return 0;
  for (at = n - 2; at > 0 && s[at - 1] >= '0' && s[at - 1] <= '9';) at--;
  char digits[8];
  if (n - 2 - at == 0 || n - 2 - at >= sizeof digits) return 0;
  memcpy(digits, s + at, n - 2 - at);
  digits[n - 2 - at] = '\0';
  return crv_sky_whole(digits, &gb) ? gb : 0;
}

static struct nominals nominals_of(const struct sky_row *r) {
  struct nominals ret = {.n = 0};
  int64_t label = label_gb(r->accelerator);
  if (label) ret.gb[ret.n++] = label;
  for (size_t i = 0; !label && i < r->models.n; i++) {
    int64_t gb = r->models.at[i]->nominal_gb;
    bool known = gb == 0;
    for (size_t k = 0; k < ret.n; k++) known = known || ret.gb[k] == gb;
    if (!known) ret.gb[ret.n++] = gb;
  }
  return ret;
}

/* The figure of one device from the cell's size; false with a finding when it can't be told. */
static bool per_device(struct sky_row *r, const struct sky_profile *p, const struct info *in) {
  char pool[32], count[32];
  int64_t bytes = in->size;
  if (p->size == SKY_SIZE_LOT) {
    if (!r->devices.set) return false; /* the count's own finding says why */
    if (bytes % r->devices.v) {
      snprintf(count, sizeof count, "%" PRId64 " devices", r->devices.v);
      crv_ifind(&r->base.findings, CRV_IC_POOL_NOT_DIVISIBLE, column(),
                crv_mib_text(bytes, pool, sizeof pool), count);
      return false;
    }
    bytes /= r->devices.v;
  }
  r->per_device = (struct crv_opt_int){bytes, true};
  if (p->gb_as_mib)
    r->memory_text = crv_arena_printf(r->base.findings.a, "%" PRId64 " GB", bytes / CRV_GIB);
  else
    r->memory_text = crv_arena_strdup(r->base.findings.a, crv_mib_text(bytes, pool, sizeof pool));
  if (!r->memory_text) r->base.findings.failed = true;
  return true;
}

static bool check_count(struct sky_row *r, const struct sky_profile *p, const struct info *in) {
  char have[32], want[32];
  if (!in->count.set || !r->devices.set || in->count.v == r->devices.v) return true;
  snprintf(have, sizeof have, "%" PRId64, in->count.v);
  snprintf(want, sizeof want, "%" PRId64, r->devices.v);
  bool pool = p->size == SKY_SIZE_LOT; /* a pool divided by the wrong count is no figure at all */
  crv_ifind_as(&r->base.findings, CRV_IC_COUNT_MISMATCH, column(), have, want, "lot.devices",
               pool ? "number of devices not attested, device memory left unknown"
                    : "number of devices not attested");
  return !pool;
}

/* GB under a MiB name: read by the profile, said aloud, without attestation. */
static bool check_unit(struct sky_row *r, const struct sky_profile *p) {
  char shown[48], effect[96], ignored[32];
  int64_t bytes = r->per_device.v, n = bytes / CRV_GIB;
  if (!p->gb_as_mib)
    return crv_check_unit(&r->base.findings, column(), bytes,
                          crv_mib_text(bytes, ignored, sizeof ignored));
  snprintf(shown, sizeof shown, "%" PRId64 " MiB", n);
  if (n > 1024 || n == 0) return crv_check_unit(&r->base.findings, column(), INT64_MAX, shown);
  snprintf(effect, sizeof effect, "read as %s, as this source writes it; not attested",
           r->memory_text);
  crv_ifind_as(&r->base.findings, CRV_IC_MEMORY_IMPOSSIBLE_UNIT, column(), shown, r->memory_text,
               "device.memory_nominal", effect);
  return true;
}

static bool total_as_known(const struct sky_row *r, const struct sky_profile *p, int64_t total) {
  int64_t want = r->per_device.v;
  if (p->total == SKY_TOTAL_ONE) return total == want;
  if (!crv_mul(want, r->devices.v, &want)) return false;
  if (p->total == SKY_TOTAL_TWICE && !crv_mul(want, r->devices.v, &want)) return false;
  return total == want;
}

static bool check_total(struct sky_row *r, const struct sky_profile *p, const struct info *in) {
  if (!in->total.set || !r->devices.set) return true;
  bool known = total_as_known(r, p, in->total.v);
  return crv_check_total(&r->base.findings, column(), r->devices.v, r->per_device.v, in->total.v,
                         known,
                         r->nominal ? "device.memory_nominal" : "device.memory_declared_bytes") ||
         known;
}

/* The nominal size that the figure is, or NULL: then it is device-declared. */
static const char *nominal_text(struct sky_row *r, const struct sky_profile *p,
                                const struct nominals *known) {
  int64_t n = r->per_device.v / CRV_GIB;
  if (p->gb_as_mib) return r->memory_text;
  if (p->figure == SKY_FIGURE_DECLARED || r->per_device.v % CRV_GIB) return NULL;
  bool vendors = known->n == 0;
  for (size_t i = 0; i < known->n; i++) vendors = vendors || known->gb[i] == n;
  if (!vendors) return NULL;
  const char *ret = crv_arena_printf(r->base.findings.a, "%" PRId64 " GiB", n);
  if (!ret) r->base.findings.failed = true;
  return ret;
}

void crv_sky_keep_fitting(struct sky_row *r) {
  struct sky_models fit = {.n = 0};
  /* which of two names is right is not for a figure to say */
  if (crv_ifound(&r->base.findings, CRV_IC_DEVICE_NAME_CONFLICT)) return;
  for (size_t i = 0; r->memory_ok && i < r->models.n; i++) {
    int64_t gb = r->models.at[i]->nominal_gb;
    if (!gb || crv_declared_fits(r->per_device.v, gb)) fit.at[fit.n++] = r->models.at[i];
  }
  if (fit.n) r->models = fit;
}

static void read_figure(struct sky_row *r, const struct sky_profile *p, const struct info *in) {
  if (!check_count(r, p, in) || !per_device(r, p, in) || !check_unit(r, p)) return;
  struct nominals known = nominals_of(r);
  r->nominal = nominal_text(r, p, &known);
  /* every check is made, so that each finding is there */
  bool ratio = crv_check_declared(&r->base.findings, column(), r->per_device.v, known.gb, known.n);
  bool total = check_total(r, p, in);
  bool host = !r->ram.set || crv_check_host_ram(&r->base.findings, column(), r->ram.v,
                                                r->per_device.v, r->devices.set ? r->devices.v : 1);
  r->memory_ok = ratio && total && host;
}

void crv_sky_read_memory(struct sky_row *r, const struct sky_profile *p, const char *cell) {
  _arena_ struct crv_arena *scratch = crv_arena_new(0); /* the tree isn't kept */
  struct info in = {.name = NULL};
  const char *why = NULL;
  if (!*cell) {
    find_device(r, p, NULL);
    crv_ifind(&r->base.findings, CRV_IC_GPUINFO_MISSING, column(), NULL, NULL);
    return;
  }
  if (!scratch) {
    r->base.findings.failed = true;
    return;
  }
  const struct crv_literal *v = crv_literal_read(cell, strlen(cell), scratch, &why);
  if (crv_streq(why, crv_literal_no_memory)) r->base.findings.failed = true;
  if (v) why = read_info(v, p, &in);
  find_device(r, p, in.name);
  if (why)
    unreadable(r, cell, why);
  else
    read_figure(r, p, &in);
}
