/* The plain cells of a SkyPilot row: identity, counts, host and prices, each checked alone.
   MemoryGiB is the HOST's memory, prices are per hour and lot.
   Must not know: other rows, offers. */
#include <string.h>

#include "core/base/text.h"
#include "core/catalogue/import_sky.h"

enum { MOST_DEVICES = 100000, MOST_VCPUS = 1000000 };

static const char *keep(struct sky_row *r, const char *s) {
  const char *ret = crv_arena_strdup(r->base.findings.a, s);
  if (!ret) r->base.findings.failed = true;
  return ret;
}

bool crv_sky_whole(const char *s, int64_t *ret) {
  int64_t micro;
  struct crv_unit_err ue;
  if (!crv_decimal_parse(s, strlen(s), &micro, &ue) || micro < 0 || micro % CRV_MICRO) return false;
  *ret = micro / CRV_MICRO;
  return true;
}

static void read_devices(struct sky_row *r, const char *cell) {
  int64_t n;
  if (crv_sky_whole(cell, &n) && n > 0 && n <= MOST_DEVICES)
    r->devices = (struct crv_opt_int){n, true};
  else
    crv_ifind(&r->base.findings, CRV_IC_COUNT_UNREADABLE, crv_sky_columns[SKY_COUNT], cell, NULL);
}

static void read_host(struct sky_row *r, const char *vcpus, const char *ram) {
  int64_t n, micro;
  struct crv_unit_err ue;
  if (*vcpus && crv_sky_whole(vcpus, &n) && n > 0 && n <= MOST_VCPUS)
    r->vcpus = (struct crv_opt_int){n, true};
  else if (*vcpus)
    crv_ifind(&r->base.findings, CRV_IC_VCPUS_UNREADABLE, crv_sky_columns[SKY_VCPUS], vcpus, NULL);
  if (!*ram) return;
  if (crv_decimal_parse(ram, strlen(ram), &micro, &ue) && micro > 0 &&
      crv_bytes_scale(micro, CRV_GIB, CRV_ROUND_DOWN, &n) && n <= CRV_INT_MAX)
    r->ram = (struct crv_opt_int){n, true};
  else
    crv_ifind(&r->base.findings, CRV_IC_HOST_RAM_UNREADABLE, crv_sky_columns[SKY_RAM], ram, NULL);
}

/* "US" and zone "US-TX-1" -> "US/US-TX-1": supplier's id and region alone would not tell the zones
   apart. */
static void read_region(struct sky_row *r, const char *region, const char *zone) {
  if (!*zone || !strcmp(region, zone))
    r->region = keep(r, region);
  else if (!*region)
    r->region = keep(r, zone);
  else {
    r->region = crv_arena_printf(r->base.findings.a, "%s/%s", region, zone);
    if (!r->region) r->base.findings.failed = true;
  }
}

static void read_amount(struct sky_row *r, struct sky_price *p, const char *column,
                        const char *cell) {
  struct crv_unit_err ue = {.code = NULL};
  int64_t micro;
  p->present = true;
  p->raw = keep(r, cell);
  if (crv_decimal_parse(cell, strlen(cell), &micro, &ue) && micro >= 0) {
    if (crv_check_price(&r->base.findings, column, micro, r->devices))
      p->amount = (struct crv_opt_int){micro, true};
    return;
  }
  bool precise = *cell != '-' && crv_streq(ue.code, "too_many_decimals");
  crv_ifind(&r->base.findings, precise ? CRV_IC_PRICE_PRECISION : CRV_IC_PRICE_UNREADABLE, column,
            cell, NULL);
}

static bool is_zero(const char *cell) {
  int64_t n;
  return crv_sky_whole(cell, &n) && n == 0;
}

/* One offer for each non-zero price; a 0 under Price still leaves an offer of unknown price, so
   that no row disappears for it. */
static void read_prices(struct sky_row *r, const struct sky_profile *p, const char *price,
                        const char *spot) {
  struct crv_ifindings *fs = &r->base.findings;
  struct sky_price *od = &r->price[CRV_PLAN_ON_DEMAND], *sp = &r->price[CRV_PLAN_SPOT];
  fs->plans = 1u << CRV_PLAN_ON_DEMAND;
  if (*price) read_amount(r, od, crv_sky_columns[SKY_PRICE], price);
  fs->plans = 1u << CRV_PLAN_SPOT;
  if (*spot && !is_zero(spot))
    read_amount(r, sp, crv_sky_columns[SKY_SPOT], spot);
  else if (*spot && !p->spot_zero_is_none)
    crv_ifind_as(fs, CRV_IC_PRICE_ZERO, crv_sky_columns[SKY_SPOT], spot, NULL, NULL,
                 "no spot offer");
  fs->plans = 0;
  if (od->amount.set && sp->amount.set && od->amount.v == sp->amount.v)
    crv_ifind(fs, CRV_IC_PRICE_EQUALS_SPOT, crv_sky_columns[SKY_SPOT], price, spot);
  if (od->present || sp->present) return;
  od->present = true;
  crv_ifind(fs, CRV_IC_PRICE_MISSING, crv_sky_columns[SKY_PRICE], NULL, NULL);
}

bool crv_sky_read_cells(struct sky_row *r, const struct sky_profile *p, const struct sky_cells *c) {
  r->base.readable = true;
  r->instance = keep(r, c->at[SKY_INSTANCE]);
  r->accelerator = keep(r, c->at[SKY_ACCELERATOR]);
  r->gpuinfo = keep(r, c->at[SKY_GPUINFO]);
  read_region(r, c->at[SKY_REGION], c->at[SKY_ZONE]);
  if (r->base.findings.failed) return false;
  read_devices(r, c->at[SKY_COUNT]);
  read_host(r, c->at[SKY_VCPUS], c->at[SKY_RAM]);
  crv_sky_read_memory(r, p, c->at[SKY_GPUINFO]);
  read_prices(r, p, c->at[SKY_PRICE], c->at[SKY_SPOT]);
  return !r->base.findings.failed;
}
