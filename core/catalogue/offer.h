/* What a supplier offers: one immutable version. Structs and field table; the alias table that
   turns a device name into a canonical model or candidates; capacity as an interval.
   Must not know: sheets, evidence, verdicts. */
#ifndef CRV_CATALOGUE_OFFER_H
#define CRV_CATALOGUE_OFFER_H

#include "core/base/jspec.h"
#include "core/sheet/sheet.h"

enum crv_memory_kind { CRV_MEM_DEDICATED = 1, CRV_MEM_UNIFIED, CRV_MEM_SLICE, CRV_MEM_SHARED };
extern const struct crv_enum_name crv_memory_kind_names[];

/* A nominal size: the figure as printed and its unit when the source states one. "24 GB" is
   {24000000, "GB"}; {"value":"24","unit":null} has unit NULL and unit_stated true. */
struct crv_nominal {
  bool set;
  int64_t micro;    /* the figure, micro-units */
  const char *unit; /* "GB", "GiB", "MiB", or NULL: the source doesn't say */
};
extern const struct crv_jcustom crv_nominal_type;

struct crv_device {
  const char *name;           /* verbatim */
  const char *model;          /* canonical, "nvidia/rtx-4090"; NULL: unknown or ambiguous */
  struct crv_list candidates; /* const char *: canonical models when the name is ambiguous */
  const char *vendor, *architecture;
  enum crv_memory_kind
      memory_kind; /* 0: not stated, taken as dedicated when the model's row says so */
  struct crv_nominal memory_nominal;
  struct crv_opt_int memory_declared_bytes;
};
struct crv_interconnect {
  const char *kind; /* "nvlink", "pcie", "infiniband" */
  const char *generation;
};
struct crv_lot {
  struct crv_opt_int devices;
  enum crv_tri homogeneous, one_machine;
  struct crv_interconnect *interconnect;
};
enum crv_renewal { CRV_RENEWAL_SAME_PRICE = 1, CRV_RENEWAL_NONE, CRV_RENEWAL_UNKNOWN };
struct crv_plan {
  struct crv_opt_int hours, months; /* one of them, or neither (pay as you go per hour) */
  struct crv_opt_int minimum_hours, maximum_hours;
  enum crv_renewal renewal;
  enum crv_tri interruptible;
};
enum crv_price_basis { CRV_PRICE_PER_LOT = 1, CRV_PRICE_PER_DEVICE };
enum crv_price_per { CRV_PRICE_PER_PLAN = 1, CRV_PRICE_PER_HOUR };
enum crv_extra_per { CRV_EXTRA_ORDER = 1, CRV_EXTRA_LOT, CRV_EXTRA_PERIOD, CRV_EXTRA_HOUR };
struct crv_price_extra {
  const char *item;
  struct crv_opt_int amount;
  enum crv_extra_per per;
};
struct crv_price {
  struct crv_opt_int amount; /* decimal micro */
  const char *currency;
  enum crv_price_basis basis;
  enum crv_price_per per;
  struct crv_opt_int upfront, one_off; /* decimal micro, per order */
  struct crv_list extras;              /* struct crv_price_extra */
  enum crv_tax tax;
  const char *raw; /* the source's text of the amount */
};
struct crv_host {
  struct crv_opt_int ram_bytes, disk_bytes, vcpus;
};
enum crv_schedule_kind { CRV_SCHEDULE_DOCUMENTED = 1, CRV_SCHEDULE_UNDOCUMENTED };
struct crv_schedule {
  enum crv_schedule_kind kind;
  struct crv_opt_int date; /* ms */
  struct crv_opt_int lead_time_hours;
};
struct crv_source {
  const char *evidence; /* "key@version", or NULL when inline */
  const char *uri;
  struct crv_opt_int observed_at, valid_until;
};
/* A doubt about a cell found when the offer was imported: it removes that field's attestation. */
struct crv_import_finding {
  const char *field;  /* dotted path of the offer field it touches */
  const char *code;   /* "memory_ambiguous" */
  const char *detail; /* both values, in words */
};

struct crv_offer {
  const char *key; /* optional in the body, must equal the path's */
  const char *supplier, *supplier_ref, *region;
  struct crv_device *device;
  struct crv_lot *lot;
  struct crv_plan *plan;
  struct crv_price *price;
  struct crv_host *host;
  struct crv_software *software; /* driver and runtime installed, as stated */
  enum crv_tri service_managed;  /* service {managed} */
  struct crv_schedule *schedule;
  const char *stock, *order_environment;
  struct crv_opt_int effective_from, effective_until;
  struct crv_source *source;
  struct crv_list findings; /* struct crv_import_finding */
  const char *note;
  struct crv_list extras; /* struct crv_extra: x-... */
};

extern const struct crv_jspec crv_offer_spec, crv_host_spec, crv_interconnect_spec;

/* Decodes and checks an offer; partial: no field is required (facts of a piece). */
bool crv_offer_decode(const json_t *j, const char *ptr, bool partial, struct crv_arena *a,
                      struct crv_offer **ret, struct crv_err *err);

/* Has the text the shape of a canonical model ("nvidia/rtx-4090", "nvidia/a100-80@3g.40gb")? */
bool crv_device_model_ok(const char *model);
/* Field error when the text is no canonical model (NULL passes); the hint names what it resolves
 * to. */
bool crv_check_device_model(struct crv_err *err, const char *ptr, const char *below,
                            const char *model);

/* The field at a dotted path that a requirement or preference may name: a single value of the
   offer, service.managed included; NULL for any other path. */
const struct crv_jfield *crv_offer_field(const char *path);
/* Requirements and preferences against the offer's own fields: known single values, a value that
   the field takes, an order only where the field has one. Field errors at /requirements/0/field and
   the like; the kinds in attested_by are not looked at (crv_attested_by_check). */
bool crv_requirements_check(const struct crv_sheet *s, struct crv_err *err);
/* Likewise for a sheet that stands at ptr of the body ("/sheet"). */
bool crv_requirements_check_at(const struct crv_sheet *s, const char *ptr, struct crv_err *err);

/* "key@12" -> key and 12. False when it has another form. */
bool crv_ref_split(const char *ref, struct crv_arena *a, const char **ret_key,
                   int64_t *ret_version);

/* -- devices ------------------------------------------------------------------------------- */

/* One canonical device model; facts carry their source in devices.def. */
struct crv_device_model {
  const char *model;   /* "nvidia/l40s", or a slice "nvidia/a100-80@3g.40gb" */
  const char *display; /* "L40S" */
  const char *vendor, *architecture;
  enum crv_memory_kind memory_kind;
  int64_t nominal_gb; /* the vendor's figure; 0 for slices without one of their own */
};
const struct crv_device_model *crv_device_model(const char *model); /* NULL: unknown */
extern const struct crv_device_model crv_device_models[];
extern const size_t crv_n_device_models;
/* Version of the alias table, part of every decision's rules. */
extern const int crv_alias_version;
/* Resolves a verbatim name ("RTX6000-Ada", "NVIDIA A100-SXM4-80GB", "H100"), with the nominal size
   as a hint when known (A100 + 40 GB). Fills ret with canonical models: one = identified, several =
   candidates, none = unknown. Returns how many (at most 8). A truncated name ("GeForce RTX ...") is
   not identified. */
size_t crv_device_resolve(const char *name, const struct crv_nominal *size_hint,
                          const struct crv_device_model *ret[8]);

/* Capacity of one device, per domain.md "Capacity". */
struct crv_capacity {
  struct crv_opt_int lower,
      upper;                  /* bytes: admitting, excluding; equal when exact; unset: unknown */
  struct crv_opt_int decimal; /* the margin's reading: exact, else nominal x 10^9 */
  enum { CRV_CAP_UNKNOWN = 0, CRV_CAP_NOMINAL, CRV_CAP_REPORTED } from;
};
/* From the nominal figure alone: lower = 0.90 n 2^30 (down), upper = n 2^30, decimal = n 10^9.
   A unit of MiB or GiB in the nominal is a binary figure: n is then the size in GiB for lower and
   upper, and decimal is the exact product. Unit NULL reads as GB for the interval. */
bool crv_capacity_nominal(const struct crv_nominal *n, struct crv_capacity *ret);

#endif
