/* Capacity of one device from its nominal figure, as an interval: what it surely gives, for
   admitting, and what it cannot exceed, for excluding. Public figures of every card seen lie
   between 0.90 n GiB and n GiB for a card sold as "n GB". The margin reads n as decimal, whichever
   unit the source printed, so that one card has one margin in every price list.
   Must not know: sheets, evidence. */
#include <string.h>

#include "core/catalogue/offer.h"

/* A unit of powers of 1024, or plain bytes, is an exact size; kB, MB, GB, TB and PB are figures of
   the kind that is sold, and mean GiB at most. */
static bool is_binary(const char *unit) {
  return strchr(unit, 'i') || strcmp(unit, "B") == 0;
}

bool crv_capacity_nominal(const struct crv_nominal *n, struct crv_capacity *ret) {
  int64_t exact, lower, upper, decimal;
  *ret = (struct crv_capacity){.from = CRV_CAP_UNKNOWN};
  if (!n->set || n->micro <= 0) return false;
  const char *unit = n->unit ? n->unit : "GB";
  if (!crv_bytes_scale(n->micro, crv_unit_factor(unit), CRV_ROUND_DOWN, &exact)) return false;
  int64_t gib = is_binary(unit) ? 1000000000 : CRV_GIB;
  if (!crv_muldiv(exact, 9 * gib, INT64_C(10000000000), false, &lower)) return false;
  if (!crv_muldiv(exact, gib, 1000000000, false, &upper)) return false;
  if (!crv_muldiv(upper, 1000000000, CRV_GIB, false, &decimal)) return false;
  *ret = (struct crv_capacity){
      .lower = {lower, true},
      .upper = {upper, true},
      .decimal = {decimal, true},
      .from = CRV_CAP_NOMINAL,
  };
  return true;
}
