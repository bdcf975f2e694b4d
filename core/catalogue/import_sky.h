/* SkyPilot rows between reading and offers: the profile of a provider and what one row states.
   For core/catalogue/import_sky*.c alone.
   Must not know: CSV quoting, keys. */
#ifndef CRV_CATALOGUE_IMPORT_SKY_H
#define CRV_CATALOGUE_IMPORT_SKY_H

#include "core/catalogue/import_internal.h"

/* What a provider's figures mean. It is stated here for each provider, from its own file's
   consistency, and never guessed from a row's look. */
enum sky_size { SKY_SIZE_DEVICE, SKY_SIZE_LOT };
enum sky_total {
  SKY_TOTAL_ALL,   /* devices x memory of one */
  SKY_TOTAL_ONE,   /* repeats the memory of one device */
  SKY_TOTAL_TWICE, /* devices x the lot's pool: counted twice */
};
/* DECLARED: what the device reports of itself (24564 MiB). CATALOGUE: the provider's own figure,
   usually the vendor's nominal size times 1024 under the name MiB (81920 for "80 GB"). */
enum sky_figure { SKY_FIGURE_CATALOGUE, SKY_FIGURE_DECLARED };
/* Which part of InstanceType names the device, beside AcceleratorName. */
enum sky_name { SKY_NAME_NONE, SKY_NAME_VAST, SKY_NAME_NEBIUS };

struct sky_profile {
  const char *name; /* also the supplier, unless the request names one */
  enum sky_size size;
  enum sky_total total;
  enum sky_figure figure;
  bool gb_as_mib;         /* SizeInMiB holds GB */
  bool spot_zero_is_none; /* SpotPrice 0.00 says that there is no spot price */
  enum sky_name instance_name;
};
const struct sky_profile *crv_sky_profile(const char *name); /* NULL: unknown */

enum sky_column {
  SKY_INSTANCE,
  SKY_ACCELERATOR,
  SKY_COUNT,
  SKY_VCPUS,
  SKY_RAM,
  SKY_GPUINFO,
  SKY_REGION,
  SKY_PRICE,
  SKY_SPOT,
  SKY_ZONE,
  SKY_COLUMNS
};
extern const char *const crv_sky_columns[SKY_COLUMNS];

enum { SKY_MODELS = 8 };
struct sky_models {
  const struct crv_device_model *at[SKY_MODELS];
  size_t n;
};
struct sky_price {
  bool present; /* the row makes an offer of this plan */
  struct crv_opt_int amount;
  const char *raw;
};
struct sky_row {
  struct crv_irow base; /* first */
  const char *instance, *region, *accelerator, *gpuinfo;
  struct crv_opt_int devices, vcpus, ram;
  struct sky_models models;
  struct crv_opt_int
      per_device;          /* bytes of the figure as the profile reads it, also when doubted */
  const char *memory_text; /* that figure as shown in findings */
  bool memory_ok;          /* the figure passed its checks */
  const char *nominal;     /* "80 GiB", "80 GB"; NULL: the figure is device-declared */
  struct sky_price price[CRV_PLANS];
  const char *shape;   /* what the identity doesn't say, as text */
  const char *variant; /* tells it apart from others of its identity; NULL: alone */
  bool dropped;        /* another row of the identity carries the offer */
};
/* The row's cells by column; a column that the file lacks is "". */
struct sky_cells {
  const char *at[SKY_COLUMNS];
};

/* Reads and checks all cells of a row with an accelerator (import_sky_cells.c,
   import_sky_memory.c). False: out of memory. */
bool crv_sky_read_cells(struct sky_row *r, const struct sky_profile *p, const struct sky_cells *c);
void crv_sky_read_memory(struct sky_row *r, const struct sky_profile *p, const char *cell);
/* Of the models named, keeps those that the accepted figure fits. */
void crv_sky_keep_fitting(struct sky_row *r);
/* A decimal text as a whole number >= 0; false when it is none. */
bool crv_sky_whole(const char *s, int64_t *ret);

/* Finds rows of one identity: repeated, in conflict, with other memory (import_sky_groups.c).
   rows are reordered. False: out of memory. */
bool crv_sky_group(struct sky_row **rows, size_t n);

/* Makes the row's offers (import_sky_offers.c); a row that cannot make one gets a finding.
   False: out of memory. */
bool crv_sky_make_offers(struct crv_irun *run, const char *supplier, struct sky_row *r,
                         struct crv_err *err);

#endif
