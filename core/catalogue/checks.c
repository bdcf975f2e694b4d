/* The checks of a price file that can be made without asking anyone (domain.md, "Import checks").
   Each compares figures that the caller has read and adds a finding with both of them; none
   repairs. Must not know: which source or column layout the figures came from. */
#include <inttypes.h>
#include <stdio.h>

#include "core/catalogue/import_internal.h"

enum {
  FITS_LOW = 90, /* hundredths of the nominal size x 2^30: B300 "288 GB" reports 268288 MiB, 0.91 */
  FITS_HIGH = 102,
};
/* Outside of these no device exists: a figure under a wrong unit's name. */
#define DEVICE_MIN CRV_GIB
#define DEVICE_MAX (INT64_C(2048) * CRV_GIB)

char *crv_mib_text(int64_t bytes, char *out, size_t room) {
  if (bytes % CRV_MIB == 0)
    snprintf(out, room, "%" PRId64 " MiB", bytes / CRV_MIB);
  else
    snprintf(out, room, "%" PRId64 " B", bytes);
  return out;
}

bool crv_declared_fits(int64_t bytes, int64_t nominal_gb) {
  int64_t size, low, high, hundred;
  return crv_mul(nominal_gb, CRV_GIB, &size) && crv_mul(size, FITS_LOW, &low) &&
         crv_mul(size, FITS_HIGH, &high) && crv_mul(bytes, 100, &hundred) && hundred >= low &&
         hundred <= high;
}

bool crv_check_declared(struct crv_ifindings *fs, const char *column, int64_t bytes,
                        const int64_t *nominal_gb, size_t n) {
  char have[32], want[256];
  size_t at = 0;
  if (!n) return true;
  for (size_t i = 0; i < n; i++)
    if (crv_declared_fits(bytes, nominal_gb[i])) return true;
  want[0] = '\0';
  for (size_t i = 0; i < n && at < sizeof want; i++)
    at += (size_t)snprintf(want + at, sizeof want - at, "%s%" PRId64 " GB", i ? " or " : "",
                           nominal_gb[i]);
  crv_ifind(fs, CRV_IC_DECLARED_OUT_OF_RANGE, column, crv_mib_text(bytes, have, sizeof have), want);
  return false;
}

bool crv_check_total(struct crv_ifindings *fs, const char *column, int64_t devices,
                     int64_t per_device, int64_t total, bool explained, const char *kept_field) {
  int64_t product;
  char have[32], want[96], one[32];
  if (crv_mul(devices, per_device, &product) && product == total) return true;
  crv_mib_text(total, have, sizeof have);
  snprintf(want, sizeof want, "%" PRId64 " x %s", devices,
           crv_mib_text(per_device, one, sizeof one));
  if (explained)
    crv_ifind_as(fs, CRV_IC_TOTAL_MISMATCH, column, have, want, kept_field,
                 "memory per device kept, not attested");
  else
    crv_ifind(fs, CRV_IC_TOTAL_MISMATCH, column, have, want);
  return false;
}

bool crv_check_unit(struct crv_ifindings *fs, const char *column, int64_t bytes,
                    const char *shown) {
  if (bytes >= DEVICE_MIN && bytes <= DEVICE_MAX) return true;
  crv_ifind(fs, CRV_IC_MEMORY_IMPOSSIBLE_UNIT, column, shown, NULL);
  return false;
}

bool crv_check_host_ram(struct crv_ifindings *fs, const char *column, int64_t ram,
                        int64_t per_device, int64_t devices) {
  int64_t total;
  char device[32], host[64], text[32];
  bool same = ram == per_device || (crv_mul(per_device, devices, &total) && ram == total);
  if (!same) return true;
  snprintf(host, sizeof host, "%s of host RAM", crv_mib_text(ram, text, sizeof text));
  crv_ifind(fs, CRV_IC_HOST_RAM_AS_MEMORY, column, crv_mib_text(per_device, device, sizeof device),
            host);
  return false;
}

bool crv_check_price(struct crv_ifindings *fs, const char *column, int64_t amount,
                     struct crv_opt_int devices) {
  char price[32], count[48];
  int64_t micro;
  crv_decimal_text(amount, price, sizeof price);
  if (amount == 0) {
    crv_ifind(fs, CRV_IC_PRICE_ZERO, column, price, NULL);
    return false;
  }
  if (!devices.set || !crv_mul(devices.v, CRV_MICRO, &micro) || micro != amount) return true;
  snprintf(count, sizeof count, "%" PRId64 " %s", devices.v, devices.v == 1 ? "device" : "devices");
  crv_ifind(fs, CRV_IC_PRICE_EQUALS_DEVICES, column, price, count);
  return true;
}

bool crv_check_price_product(struct crv_ifindings *fs, const char *column, int64_t per_device,
                             int64_t devices, int64_t lot) {
  int64_t product;
  char have[32], want[96], one[32];
  if (crv_mul(per_device, devices, &product) && product == lot) return true;
  snprintf(want, sizeof want, "%" PRId64 " x %s", devices,
           crv_decimal_text(per_device, one, sizeof one));
  crv_ifind(fs, CRV_IC_PRICE_PRODUCT_MISMATCH, column, crv_decimal_text(lot, have, sizeof have),
            want);
  return false;
}
