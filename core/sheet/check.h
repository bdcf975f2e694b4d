/* Checks across the fields of one table of the sheet. For core/sheet/sheet_spec.c only. Each adds
   its field errors below ptr and returns whether there was none. */
#ifndef CRV_SHEET_CHECK_H
#define CRV_SHEET_CHECK_H

#include "core/base/err.h"

bool crv_check_adaptation(const void *obj, const char *ptr, struct crv_err *err);
bool crv_check_quality(const void *obj, const char *ptr, struct crv_err *err);
bool crv_check_acceptance(const void *obj, const char *ptr, struct crv_err *err);
bool crv_check_placement(const void *obj, const char *ptr, struct crv_err *err);
bool crv_check_campaign(const void *obj, const char *ptr, struct crv_err *err);
bool crv_check_headroom(const void *obj, const char *ptr, struct crv_err *err);
bool crv_check_reserve(const void *obj, const char *ptr, struct crv_err *err);
bool crv_check_requirement(const void *obj, const char *ptr, struct crv_err *err);
bool crv_check_preference(const void *obj, const char *ptr, struct crv_err *err);
bool crv_check_current(const void *obj, const char *ptr, struct crv_err *err);
bool crv_check_sheet(const void *obj, const char *ptr, struct crv_err *err);

#endif
