/* The offer's field tables: names, units, ranges and meaning, from which decoding, encoding, custom
   requirements and the OpenAPI document come. No field is required by the table, because a piece's
   facts are a part of an offer. Must not know: sheets, the checks across fields (offer_check.c). */
#include "core/catalogue/offer_check.h"
#include "core/model/field.h"
#include "core/sheet/types.h"

enum { MAX_DEVICES = 1048576, MAX_HOURS = 1000000, MAX_MONTHS = 1200 };

const struct crv_enum_name crv_memory_kind_names[] = {
    {CRV_MEM_DEDICATED, "dedicated"},
    {CRV_MEM_UNIFIED, "unified"},
    {CRV_MEM_SLICE, "slice"},
    {CRV_MEM_SHARED, "shared"},
    {0, NULL},
};

static const struct crv_jfield device_fields[] = {
    CRV_FIELD(crv_device, name, TEXT, .max = 256,
              .doc = "Name of the device exactly as the supplier writes it."),
    CRV_FIELD(crv_device, model, TEXT, .max = 128,
              .doc = "Canonical model, such as nvidia/rtx-4090; absent: unknown or ambiguous."),
    CRV_FIELD(crv_device, candidates, LIST, .max = 8,
              .doc = "Canonical models that the name fits when it is ambiguous."),
    CRV_FIELD(crv_device, vendor, TEXT, .max = 64, .doc = "Vendor, such as nvidia."),
    CRV_FIELD(crv_device, architecture, TEXT, .max = 64, .doc = "Architecture, such as ada."),
    CRV_FIELD(crv_device, memory_kind, ENUM, .names = crv_memory_kind_names,
              .doc =
                  "dedicated, unified with the host, a slice with memory of its own, or shared."),
    CRV_FIELD(crv_device, memory_nominal, CUSTOM, .custom = &crv_nominal_type,
              .doc = "Nominal memory of one device as printed: a text with its unit, or {value, "
                     "unit} with unit null when the source states none."),
    CRV_FIELD(crv_device, memory_declared_bytes, BYTES,
              .flags = CRV_JF_ROUND_DOWN | CRV_JF_POSITIVE,
              .doc = "Bytes that the offer says one device declares of itself."),
    {.name = NULL},
};
static const struct crv_jspec device_spec = {
    .name = "Device",
    .size = sizeof(struct crv_device),
    .fields = device_fields,
    .extras_offset = SIZE_MAX,
    .short_field = "name",
    .check = crv_offer_check_device,
};

static const struct crv_jfield interconnect_fields[] = {
    CRV_FIELD(crv_interconnect, kind, TEXT, .max = 64, .doc = "nvlink, pcie, infiniband, ..."),
    CRV_FIELD(crv_interconnect, generation, TEXT, .max = 64, .doc = "Its generation, such as 4."),
    {.name = NULL},
};
const struct crv_jspec crv_interconnect_spec = {
    .name = "Interconnect",
    .size = sizeof(struct crv_interconnect),
    .fields = interconnect_fields,
    .extras_offset = SIZE_MAX,
    .short_field = "kind",
};

static const struct crv_jfield lot_fields[] = {
    CRV_FIELD(crv_lot, devices, INT, .flags = CRV_JF_POSITIVE, .max = MAX_DEVICES,
              .doc = "Devices bought together, 1 to 1048576."),
    CRV_FIELD(crv_lot, homogeneous, BOOL, .doc = "True: all devices of the lot are alike."),
    CRV_FIELD(crv_lot, one_machine, BOOL, .doc = "True: they stand in one machine."),
    CRV_FIELD(crv_lot, interconnect, OBJECT, .sub = &crv_interconnect_spec,
              .doc = "What joins the devices."),
    {.name = NULL},
};
static const struct crv_jspec lot_spec = {
    .name = "Lot",
    .size = sizeof(struct crv_lot),
    .fields = lot_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_enum_name renewal_names[] = {
    {CRV_RENEWAL_SAME_PRICE, "same_price"},
    {CRV_RENEWAL_NONE, "none"},
    {CRV_RENEWAL_UNKNOWN, "unknown"},
    {0, NULL},
};
static const struct crv_jfield plan_fields[] = {
    CRV_FIELD(crv_plan, hours, INT, .flags = CRV_JF_POSITIVE, .max = MAX_HOURS,
              .doc = "Hours that one price covers; hours or months, or neither (by the hour)."),
    CRV_FIELD(crv_plan, months, INT, .flags = CRV_JF_POSITIVE, .max = MAX_MONTHS,
              .doc = "Months that one price covers, 672 to 744 hours each."),
    CRV_FIELD(crv_plan, minimum_hours, INT, .max = MAX_HOURS, .doc = "Least hours that are paid."),
    CRV_FIELD(crv_plan, maximum_hours, INT, .flags = CRV_JF_POSITIVE, .max = MAX_HOURS,
              .doc = "Most hours that can be had."),
    CRV_FIELD(crv_plan, renewal, ENUM, .names = renewal_names,
              .doc = "Can a further period be had: same_price, none or unknown?"),
    CRV_FIELD(crv_plan, interruptible, BOOL, .doc = "True: the supplier may interrupt it."),
    {.name = NULL},
};
static const struct crv_jspec plan_spec = {
    .name = "Plan",
    .size = sizeof(struct crv_plan),
    .fields = plan_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_offer_check_plan,
};

static const struct crv_enum_name extra_per_names[] = {
    {CRV_EXTRA_ORDER, "order"},
    {CRV_EXTRA_LOT, "lot"},
    {CRV_EXTRA_PERIOD, "period"},
    {CRV_EXTRA_HOUR, "hour"},
    {0, NULL},
};
static const struct crv_jfield extra_fields[] = {
    CRV_FIELD(crv_price_extra, item, TEXT, .flags = CRV_JF_REQUIRED, .max = 256,
              .doc = "What is paid for besides."),
    CRV_FIELD(crv_price_extra, amount, DECIMAL,
              .doc = "Its price in the offer's currency; absent: not known."),
    CRV_FIELD(crv_price_extra, per, ENUM, .flags = CRV_JF_REQUIRED, .names = extra_per_names,
              .doc = "How often it is paid: once per order, lot, period or hour."),
    {.name = NULL},
};
static const struct crv_jspec extra_spec = {
    .name = "PriceExtra",
    .size = sizeof(struct crv_price_extra),
    .fields = extra_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_enum_name basis_names[] = {
    {CRV_PRICE_PER_LOT, "per_lot"},
    {CRV_PRICE_PER_DEVICE, "per_device"},
    {0, NULL},
};
static const struct crv_enum_name per_names[] = {
    {CRV_PRICE_PER_PLAN, "plan"},
    {CRV_PRICE_PER_HOUR, "hour"},
    {0, NULL},
};
static const struct crv_jfield price_fields[] = {
    CRV_FIELD(crv_price, amount, DECIMAL,
              .doc = "Price of one period, over 0, at most six decimals; absent: not known."),
    CRV_FIELD(crv_price, currency, CURRENCY, .doc = "ISO 4217 code; absent: not known."),
    CRV_FIELD(crv_price, basis, ENUM, .names = basis_names,
              .doc = "per_lot, or per_device: times the devices of the lot."),
    CRV_FIELD(crv_price, per, ENUM, .names = per_names,
              .doc = "plan: the amount covers the plan; hour: times its hours."),
    CRV_FIELD(crv_price, upfront, DECIMAL, .doc = "Paid once before, per order."),
    CRV_FIELD(crv_price, one_off, DECIMAL, .doc = "Paid once, per order."),
    CRV_FIELD(crv_price, extras, LIST, .max = 32, .sub = &extra_spec,
              .doc = "What is paid besides: storage, traffic, ..."),
    CRV_FIELD(crv_price, tax, ENUM, .names = crv_tax_names,
              .doc = "Tax included, excluded or none; absent: not known."),
    CRV_FIELD(crv_price, raw, TEXT, .max = 128, .doc = "The source's own text of the amount."),
    {.name = NULL},
};
static const struct crv_jspec price_spec = {
    .name = "Price",
    .size = sizeof(struct crv_price),
    .fields = price_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_offer_check_price,
};

static const struct crv_jfield host_fields[] = {
    CRV_FIELD(crv_host, ram_bytes, BYTES, .alias = "ram",
              .flags = CRV_JF_ROUND_DOWN | CRV_JF_POSITIVE,
              .doc = "Memory of the host in bytes, or as ram a text with its unit."),
    CRV_FIELD(crv_host, disk_bytes, BYTES, .alias = "disk",
              .flags = CRV_JF_ROUND_DOWN | CRV_JF_POSITIVE,
              .doc = "Disk in bytes, or as disk a text with its unit."),
    CRV_FIELD(crv_host, vcpus, INT, .flags = CRV_JF_POSITIVE, .max = MAX_DEVICES,
              .doc = "Virtual processors, 1 to 1048576."),
    {.name = NULL},
};
const struct crv_jspec crv_host_spec = {
    .name = "Host",
    .size = sizeof(struct crv_host),
    .fields = host_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_enum_name schedule_names[] = {
    {CRV_SCHEDULE_DOCUMENTED, "documented"},
    {CRV_SCHEDULE_UNDOCUMENTED, "undocumented"},
    {0, NULL},
};
static const struct crv_jfield schedule_fields[] = {
    CRV_FIELD(crv_schedule, kind, ENUM, .names = schedule_names,
              .doc = "documented (with date or lead_time_hours) or undocumented."),
    CRV_FIELD(crv_schedule, date, TIME, .doc = "Delivery, RFC 3339 or a date (UTC)."),
    CRV_FIELD(crv_schedule, lead_time_hours, INT, .max = MAX_HOURS,
              .doc = "Hours from the order to the delivery."),
    {.name = NULL},
};
static const struct crv_jspec schedule_spec = {
    .name = "Schedule",
    .size = sizeof(struct crv_schedule),
    .fields = schedule_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_offer_check_schedule,
};

static const struct crv_jfield source_fields[] = {
    CRV_FIELD(crv_source, evidence, TEXT, .max = 160,
              .doc = "Piece that the offer cites, key@version; or give the source inline."),
    CRV_FIELD(crv_source, uri, TEXT, .max = 2048,
              .doc = "Inline: where the supplier's document is; recorded as a commercial_sheet."),
    CRV_FIELD(crv_source, observed_at, TIME, .doc = "Inline: when it was read."),
    CRV_FIELD(crv_source, valid_until, TIME, .doc = "Inline: until when it holds."),
    {.name = NULL},
};
static const struct crv_jspec source_spec = {
    .name = "Source",
    .size = sizeof(struct crv_source),
    .fields = source_fields,
    .extras_offset = SIZE_MAX,
    .short_field = "evidence",
    .check = crv_offer_check_source,
};

static const struct crv_jfield finding_fields[] = {
    CRV_FIELD(crv_import_finding, field, TEXT, .flags = CRV_JF_REQUIRED, .max = 128,
              .doc = "Dotted path of the field that it touches."),
    CRV_FIELD(crv_import_finding, code, TEXT, .flags = CRV_JF_REQUIRED, .max = 64,
              .doc = "What was found, such as memory_ambiguous."),
    CRV_FIELD(crv_import_finding, detail, TEXT, .doc = "Both values, in words."),
    {.name = NULL},
};
static const struct crv_jspec finding_spec = {
    .name = "ImportFinding",
    .size = sizeof(struct crv_import_finding),
    .fields = finding_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_jfield offer_fields[] = {
    CRV_FIELD(crv_offer, key, KEY, .doc = "Our key of the offer; must equal the path's."),
    CRV_FIELD(crv_offer, supplier, TEXT, .max = 128, .doc = "Who offers it; needed in an offer."),
    CRV_FIELD(crv_offer, supplier_ref, TEXT, .max = 256, .doc = "The supplier's own id of it."),
    CRV_FIELD(crv_offer, region, TEXT, .max = 128, .doc = "Where it stands."),
    CRV_FIELD(crv_offer, device, OBJECT, .sub = &device_spec,
              .doc = "The device; needed in an offer, with its name or model."),
    CRV_FIELD(crv_offer, lot, OBJECT, .sub = &lot_spec, .doc = "What is bought as a unit."),
    CRV_FIELD(crv_offer, plan, OBJECT, .sub = &plan_spec, .doc = "How long one price covers."),
    CRV_FIELD(crv_offer, price, OBJECT, .sub = &price_spec, .doc = "What it costs."),
    CRV_FIELD(crv_offer, host, OBJECT, .sub = &crv_host_spec,
              .doc = "The machine that holds one lot."),
    CRV_FIELD(crv_offer, software, OBJECT, .sub = &crv_software_spec,
              .doc = "Software that is installed, as stated."),
    CRV_FIELD_AS(crv_offer, "service", service_managed, CUSTOM, .custom = &crv_service_type,
                 .doc = "{managed}: is it a managed service?"),
    CRV_FIELD(crv_offer, schedule, OBJECT, .sub = &schedule_spec, .doc = "When it is delivered."),
    CRV_FIELD(crv_offer, stock, TEXT, .max = 256,
              .doc = "Stock as declared; it proves nothing about delivery."),
    CRV_FIELD(crv_offer, order_environment, TEXT, .max = 256,
              .doc = "Environment asked for in the order; a preparation preference."),
    CRV_FIELD(crv_offer, effective_from, TIME, .doc = "From when the offer holds."),
    CRV_FIELD(crv_offer, effective_until, TIME, .doc = "Until when it holds, itself not included."),
    CRV_FIELD(crv_offer, source, OBJECT, .sub = &source_spec,
              .doc = "What the offer rests on: a cited piece, or the document inline."),
    CRV_FIELD(crv_offer, findings, LIST, .max = 64, .sub = &finding_spec,
              .doc = "Doubts of the import; each removes its field's attestation."),
    CRV_FIELD(crv_offer, note, TEXT, .flags = CRV_JF_LINES, .max = 4096, .doc = "Free text."),
    {.name = NULL},
};

const struct crv_jspec crv_offer_spec = {
    .name = "Offer",
    .size = sizeof(struct crv_offer),
    .fields = offer_fields,
    .extras_offset = offsetof(struct crv_offer, extras),
    .check = crv_offer_check_offer,
};
