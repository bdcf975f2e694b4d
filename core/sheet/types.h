/* Field types and tables of the sheet that offers and pieces use as well.
   Must not know: what an evaluation makes of them. */
#ifndef CRV_SHEET_TYPES_H
#define CRV_SHEET_TYPES_H

#include "core/sheet/sheet.h"

/* struct crv_amount: "64 GiB", {"bytes": n} or [{item, bytes, why}]. */
extern const struct crv_jcustom crv_amount_type;
/* const char *: canonical JSON text of a scalar, or of a list of scalars. */
extern const struct crv_jcustom crv_json_value_type;
/* enum crv_tri as {"managed": bool}. */
extern const struct crv_jcustom crv_service_type;

extern const struct crv_jspec crv_amount_item_spec, crv_precision_spec, crv_adaptation_spec,
    crv_execution_spec, crv_software_spec;

#endif
