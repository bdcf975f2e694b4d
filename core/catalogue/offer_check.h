/* Checks across the fields of one table of the offer. For core/catalogue/offer_spec.c only. Each
   adds its field errors below ptr and returns whether there was none. */
#ifndef CRV_CATALOGUE_OFFER_CHECK_H
#define CRV_CATALOGUE_OFFER_CHECK_H

#include "core/catalogue/offer.h"

bool crv_offer_check_device(const void *obj, const char *ptr, struct crv_err *err);
bool crv_offer_check_plan(const void *obj, const char *ptr, struct crv_err *err);
bool crv_offer_check_price(const void *obj, const char *ptr, struct crv_err *err);
bool crv_offer_check_schedule(const void *obj, const char *ptr, struct crv_err *err);
bool crv_offer_check_source(const void *obj, const char *ptr, struct crv_err *err);
bool crv_offer_check_offer(const void *obj, const char *ptr, struct crv_err *err);

#endif
