/* The sheet's field tables: names, units, ranges and meaning, from which decoding, encoding and the
   OpenAPI document come. Must not know: the checks across fields (sheet_check.c). */
#include "core/model/field.h"
#include "core/sheet/check.h"
#include "core/sheet/types.h"

enum { MAX_COUNT = 1000000000, MAX_DEVICES = 1048576, MAX_HOURS = 1000000 };

#define COUNT .flags = CRV_JF_POSITIVE, .max = MAX_COUNT

static const struct crv_jfield precision_fields[] = {
    CRV_FIELD(crv_precision, weights, TEXT, .max = 64,
              .doc = "Format of the weights, such as bf16, fp8 or int4 (GET /v1/formats)."),
    CRV_FIELD(crv_precision, kv_cache, TEXT, .max = 64, .doc = "Format of the key-value cache."),
    CRV_FIELD(crv_precision, compute, TEXT, .max = 64, .doc = "Format of the arithmetic."),
    {.name = NULL},
};
const struct crv_jspec crv_precision_spec = {
    .name = "Precision",
    .size = sizeof(struct crv_precision),
    .fields = precision_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_jfield length_fields[] = {
    CRV_FIELD(crv_length, prompt, INT, .max = MAX_COUNT,
              .doc = "Tokens of the longest prompt, 0 to 1000000000."),
    CRV_FIELD(crv_length, generated, INT, .max = MAX_COUNT,
              .doc = "Tokens generated at most, 0 to 1000000000."),
    {.name = NULL},
};
static const struct crv_jspec length_spec = {
    .name = "Length",
    .size = sizeof(struct crv_length),
    .fields = length_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_jfield adaptation_fields[] = {
    CRV_FIELD(crv_adaptation, method, TEXT, .max = 64, .doc = "full, lora, qlora, ..."),
    CRV_FIELD(crv_adaptation, rank, INT, COUNT, .doc = "Rank of the adapter, from 1."),
    CRV_FIELD(crv_adaptation, target_modules, LIST, .max = 64,
              .doc = "Names of the modules that are adapted, each once."),
    CRV_FIELD(crv_adaptation, optimizer, TEXT, .max = 64,
              .doc = "Optimizer, such as adamw, adamw_8bit or sgd."),
    CRV_FIELD(crv_adaptation, checkpointing, TEXT, .max = 64,
              .doc = "Activation checkpointing: none, full, selective, ..."),
    CRV_FIELD(crv_adaptation, attention, TEXT, .max = 64, .doc = "Attention implementation."),
    CRV_FIELD(crv_adaptation, loss, TEXT, .max = 64, .doc = "Loss implementation."),
    CRV_FIELD(crv_adaptation, fused_backward, BOOL,
              .doc = "False: gradients of the whole model are kept until the optimizer step."),
    {.name = NULL},
};
const struct crv_jspec crv_adaptation_spec = {
    .name = "Adaptation",
    .size = sizeof(struct crv_adaptation),
    .fields = adaptation_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_check_adaptation,
};

static const struct crv_jfield execution_fields[] = {
    CRV_FIELD(crv_execution, engine, TEXT, .max = 128,
              .doc = "Engine, with a version or a rule when it matters: vllm, vllm 0.17.0, vllm "
                     ">=0.17."),
    CRV_FIELD(crv_execution, limits, MAP,
              .doc = "Engine limits by the engine's own names; a run must state the same."),
    CRV_FIELD(crv_execution, offload, TEXT, .max = 64,
              .doc = "What may leave the device: none, weights, kv_cache, optimizer, ..."),
    CRV_FIELD(crv_execution, kv_sharing, TEXT, .max = 64,
              .doc = "How sequences share the key-value cache: none, prefix, ..."),
    {.name = NULL},
};
const struct crv_jspec crv_execution_spec = {
    .name = "Execution",
    .size = sizeof(struct crv_execution),
    .fields = execution_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_jfield input_fields[] = {
    CRV_FIELD(crv_scene_input, name, TEXT, .flags = CRV_JF_REQUIRED, .max = 256,
              .doc = "Name of the input."),
    CRV_FIELD(crv_scene_input, revision, TEXT, .max = 256, .doc = "Its revision."),
    {.name = NULL},
};
static const struct crv_jspec input_spec = {
    .name = "SceneInput",
    .size = sizeof(struct crv_scene_input),
    .fields = input_fields,
    .extras_offset = SIZE_MAX,
    .short_field = "name",
};

static const struct crv_jfield scene_fields[] = {
    CRV_FIELD(crv_scene, application, TEXT, .max = 128, .doc = "Application that does the work."),
    CRV_FIELD(crv_scene, version, TEXT, .max = 64, .doc = "Its version."),
    CRV_FIELD(crv_scene, inputs, LIST, .flags = CRV_JF_ONE_OR_LIST, .sub = &input_spec,
              .doc = "Inputs, each with its revision."),
    CRV_FIELD(crv_scene, largest_input, TEXT, .max = 256,
              .doc = "The input that needs the most memory."),
    CRV_FIELD(crv_scene, resolution, TEXT, .max = 64, .doc = "Resolution, such as 3840x2160."),
    CRV_FIELD(crv_scene, assets, LIST, .sub = &crv_amount_item_spec,
              .doc = "Assets with their bytes on the device."),
    CRV_FIELD(crv_scene, textures, LIST, .sub = &crv_amount_item_spec,
              .doc = "Textures with their bytes on the device."),
    CRV_FIELD(crv_scene, jobs, INT, COUNT, .doc = "Jobs, from 1."),
    {.name = NULL},
};
static const struct crv_jspec scene_spec = {
    .name = "Scene",
    .size = sizeof(struct crv_scene),
    .fields = scene_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_jfield quality_fields[] = {
    CRV_FIELD(crv_quality, metric, TEXT, .flags = CRV_JF_REQUIRED, .max = 128,
              .doc = "Name of the metric."),
    CRV_FIELD(crv_quality, dataset, TEXT, .max = 256, .doc = "Data that it is measured on."),
    CRV_FIELD(crv_quality, dataset_revision, TEXT, .max = 256, .doc = "Revision of the data."),
    CRV_FIELD(crv_quality, at_least, DECIMAL, .alias = "minimum", .min = -INT64_MAX,
              .max = INT64_MAX, .doc = "Least value accepted; exactly one of at_least, at_most."),
    CRV_FIELD(crv_quality, at_most, DECIMAL, .min = -INT64_MAX, .max = INT64_MAX,
              .doc = "Largest value accepted; exactly one of at_least, at_most."),
    CRV_FIELD(crv_quality, share, DECIMAL, .flags = CRV_JF_POSITIVE, .max = CRV_MICRO,
              .doc = "Share of the data that must be evaluated, over 0 to 1; absent: all."),
    {.name = NULL},
};
static const struct crv_jspec quality_spec = {
    .name = "Quality",
    .size = sizeof(struct crv_quality),
    .fields = quality_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_check_quality,
};

static const struct crv_jfield latency_fields[] = {
    CRV_FIELD(crv_latency, p50, INT, COUNT, .doc = "Median, in ms at most."),
    CRV_FIELD(crv_latency, p90, INT, COUNT, .doc = "90th percentile, in ms at most."),
    CRV_FIELD(crv_latency, p95, INT, COUNT, .doc = "95th percentile, in ms at most."),
    CRV_FIELD(crv_latency, p99, INT, COUNT, .doc = "99th percentile, in ms at most."),
    CRV_FIELD(crv_latency, max, INT, COUNT, .doc = "Slowest, in ms at most."),
    {.name = NULL},
};
static const struct crv_jspec latency_spec = {
    .name = "LatencyTargets",
    .size = sizeof(struct crv_latency),
    .fields = latency_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_jfield acceptance_fields[] = {
    CRV_FIELD(crv_acceptance, latency_ms, OBJECT, .alias = "latency", .sub = &latency_spec,
              .doc = "Latency targets in whole milliseconds."),
    CRV_FIELD(crv_acceptance, completion, DECIMAL, .max = CRV_MICRO,
              .doc = "Least share of requests or jobs completed, 0 to 1."),
    CRV_FIELD(crv_acceptance, errors, INT, .max = MAX_COUNT, .doc = "Most errors accepted."),
    CRV_FIELD(crv_acceptance, throughput, DECIMAL, .flags = CRV_JF_POSITIVE,
              .doc = "Least throughput, in throughput_unit."),
    CRV_FIELD(crv_acceptance, throughput_unit, TEXT, .max = 64,
              .doc = "Unit of throughput, such as tokens/s; a run must state the same."),
    {.name = NULL},
};
static const struct crv_jspec acceptance_spec = {
    .name = "Acceptance",
    .size = sizeof(struct crv_acceptance),
    .fields = acceptance_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_check_acceptance,
};

static const struct crv_enum_name span_names[] = {
    {CRV_SPAN_ONE_MACHINE, "one_machine"},
    {CRV_SPAN_ANY, "any"},
    {0, NULL},
};
static const struct crv_jfield placement_fields[] = {
    CRV_FIELD(crv_placement, devices, INT, .flags = CRV_JF_POSITIVE, .max = MAX_DEVICES,
              .doc = "Devices used together, 1 to 1048576."),
    CRV_FIELD(crv_placement, strategy, ENUM, .names = crv_strategy_names,
              .doc = "How the load is spread over them; single for one device."),
    CRV_FIELD(crv_placement, whole, BOOL,
              .doc = "False: a slice of a device is accepted; absent or true: whole devices."),
    CRV_FIELD(crv_placement, span, ENUM, .names = span_names,
              .doc = "one_machine (also when absent), or any: several machines are accepted."),
    {.name = NULL},
};
static const struct crv_jspec placement_spec = {
    .name = "Placement",
    .size = sizeof(struct crv_placement),
    .fields = placement_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_check_placement,
};

static const struct crv_jfield software_fields[] = {
    CRV_FIELD(crv_software, architecture, TEXT, .max = 64,
              .doc = "Device architecture, such as ada or hopper."),
    CRV_FIELD(crv_software, runtime, TEXT, .max = 128,
              .doc = "Runtime: in a sheet a rule such as vllm >=0.17, in an offer a version."),
    CRV_FIELD(crv_software, driver, TEXT, .max = 128,
              .doc = "Driver: in a sheet a rule such as >=580 or 580.*, in an offer a version."),
    {.name = NULL},
};
const struct crv_jspec crv_software_spec = {
    .name = "Software",
    .size = sizeof(struct crv_software),
    .fields = software_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_jfield host_fields[] = {
    CRV_FIELD(crv_host_need, ram, CUSTOM, .custom = &crv_amount_type,
              .doc = "Memory of the host: a text with its unit, {bytes}, or items that add up."),
    CRV_FIELD(crv_host_need, vcpus, INT, COUNT, .doc = "Virtual processors, from 1."),
    CRV_FIELD(crv_host_need, disk, CUSTOM, .custom = &crv_amount_type,
              .doc = "Disk: a text with its unit, {bytes}, or items that add up."),
    {.name = NULL},
};
static const struct crv_jspec host_spec = {
    .name = "HostNeed",
    .size = sizeof(struct crv_host_need),
    .fields = host_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_enum_name interruption_names[] = {
    {CRV_INTERRUPTION_REFUSED, "refused"},
    {CRV_INTERRUPTION_TOLERATED, "tolerated"},
    {0, NULL},
};
static const struct crv_jfield campaign_fields[] = {
    CRV_FIELD(crv_campaign, hours, INT, .flags = CRV_JF_POSITIVE, .max = MAX_HOURS,
              .doc = "Hours that the campaign lasts, 1 to 1000000."),
    CRV_FIELD(crv_campaign, start_by, TIME, .doc = "Latest start, RFC 3339 or a date (UTC)."),
    CRV_FIELD(crv_campaign, currency, CURRENCY, .doc = "Currency of the ceiling and the ranking."),
    CRV_FIELD(crv_campaign, ceiling, DECIMAL, .flags = CRV_JF_POSITIVE,
              .doc = "Most that the whole package may cost, in currency."),
    CRV_FIELD(crv_campaign, tax, ENUM, .names = crv_tax_names,
              .doc = "How prices are compared as to tax; absent: not compared."),
    CRV_FIELD(crv_campaign, interruption, ENUM, .names = interruption_names,
              .doc = "Is a plan that can be interrupted tolerated? absent: taken as refused."),
    CRV_FIELD(crv_campaign, rates, LIST, .flags = CRV_JF_KEYS | CRV_JF_ONE_OR_LIST, .max = 32,
              .doc = "Keys of the exchange_rate pieces to use, each once."),
    {.name = NULL},
};
static const struct crv_jspec campaign_spec = {
    .name = "Campaign",
    .size = sizeof(struct crv_campaign),
    .fields = campaign_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_check_campaign,
};

static const struct crv_jfield headroom_fields[] = {
    CRV_FIELD(crv_headroom, bytes, BYTES, .flags = CRV_JF_REQUIRED,
              .doc = "Bytes to stay free on each device above the measured peak."),
    CRV_FIELD(crv_headroom, why, TEXT, .doc = "Why that much."),
    CRV_FIELD(crv_headroom, evidence, TEXT, .max = 160,
              .doc = "Piece that it rests on, key or key@version."),
    {.name = NULL},
};
static const struct crv_jspec headroom_spec = {
    .name = "Headroom",
    .size = sizeof(struct crv_headroom),
    .fields = headroom_fields,
    .extras_offset = SIZE_MAX,
    .short_field = "bytes",
    .check = crv_check_headroom,
};

static const struct crv_enum_name reserve_basis_names[] = {
    {CRV_RESERVE_MEASURED, "measured"},
    {CRV_RESERVE_ESTIMATED, "estimated"},
    {CRV_RESERVE_UNKNOWN, "unknown"},
    {0, NULL},
};
static const struct crv_enum_name per_names[] = {
    {CRV_PER_DEVICE, "device"},
    {CRV_PER_TOTAL, "total"},
    {0, NULL},
};
static const struct crv_jfield reserve_fields[] = {
    CRV_FIELD(crv_reserve, item, TEXT, .flags = CRV_JF_REQUIRED, .max = 256,
              .doc = "What the memory is kept for, in the sheet's own words, each item once."),
    CRV_FIELD(crv_reserve, bytes, BYTES,
              .doc = "Bytes, or a text with its unit; left out when the basis is unknown."),
    CRV_FIELD(crv_reserve, basis, ENUM, .flags = CRV_JF_REQUIRED, .names = reserve_basis_names,
              .doc = "measured (with evidence), estimated, or unknown (no bytes)."),
    CRV_FIELD(crv_reserve, why, TEXT, .doc = "Where the figure comes from."),
    CRV_FIELD(crv_reserve, evidence, TEXT, .max = 160,
              .doc = "Piece that measured it, key or key@version."),
    CRV_FIELD(crv_reserve, per, ENUM, .names = per_names,
              .doc = "device (also when absent): on each device; total: over all of them."),
    {.name = NULL},
};
static const struct crv_jspec reserve_spec = {
    .name = "ReserveItem",
    .size = sizeof(struct crv_reserve),
    .fields = reserve_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_check_reserve,
};

static const struct crv_jfield requirement_fields[] = {
    CRV_FIELD(crv_requirement, field, TEXT, .flags = CRV_JF_REQUIRED, .max = 128,
              .doc = "Dotted path of a field of the offer, such as host.disk."),
    CRV_FIELD(crv_requirement, op, ENUM, .flags = CRV_JF_REQUIRED, .names = crv_op_names,
              .doc = "How the field is compared; `in` takes a list."),
    CRV_FIELD(crv_requirement, value, CUSTOM, .flags = CRV_JF_REQUIRED,
              .custom = &crv_json_value_type, .doc = "Value as the offer's field takes it."),
    CRV_FIELD(crv_requirement, attested_by, LIST, .flags = CRV_JF_ONE_OR_LIST, .max = 16,
              .doc = "Kinds of piece that may prove it; absent: any that can."),
    CRV_FIELD(crv_requirement, why, TEXT, .doc = "Why it is required."),
    {.name = NULL},
};
static const struct crv_jspec requirement_spec = {
    .name = "Requirement",
    .size = sizeof(struct crv_requirement),
    .fields = requirement_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_check_requirement,
};

static const struct crv_jfield preference_fields[] = {
    CRV_FIELD(crv_preference, field, TEXT, .flags = CRV_JF_REQUIRED, .max = 128,
              .doc = "Dotted path of a field of the offer, such as region."),
    CRV_FIELD(crv_preference, equals, CUSTOM, .custom = &crv_json_value_type,
              .doc = "Value preferred; exactly one of equals, at_least, at_most."),
    CRV_FIELD(crv_preference, at_least, CUSTOM, .custom = &crv_json_value_type,
              .doc = "Least value preferred."),
    CRV_FIELD(crv_preference, at_most, CUSTOM, .custom = &crv_json_value_type,
              .doc = "Largest value preferred."),
    {.name = NULL},
};
static const struct crv_jspec preference_spec = {
    .name = "Preference",
    .size = sizeof(struct crv_preference),
    .fields = preference_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_check_preference,
};

static const struct crv_jfield current_fields[] = {
    CRV_FIELD(crv_current, offer, KEY, .doc = "Key of the offer in use."),
    CRV_FIELD(crv_current, device, TEXT, .max = 128,
              .doc = "Canonical device model in use, such as nvidia/rtx-4090."),
    CRV_FIELD(crv_current, devices, INT, .flags = CRV_JF_POSITIVE, .max = MAX_DEVICES,
              .doc = "Devices in use, 1 to 1048576."),
    CRV_FIELD(crv_current, strategy, ENUM, .names = crv_strategy_names, .doc = "Strategy in use."),
    {.name = NULL},
};
static const struct crv_jspec current_spec = {
    .name = "Current",
    .size = sizeof(struct crv_current),
    .fields = current_fields,
    .extras_offset = SIZE_MAX,
    .short_field = "offer",
    .check = crv_check_current,
};

static const struct crv_jfield sheet_fields[] = {
    CRV_FIELD(crv_sheet, name, KEY, .doc = "Name of the sheet; must equal the path's."),
    CRV_FIELD(crv_sheet, task, ENUM, .flags = CRV_JF_REQUIRED, .names = crv_task_names,
              .doc = "What the load does: it decides which fields the sheet needs."),
    CRV_FIELD(crv_sheet, model, OBJECT, .sub = &crv_model_spec, .doc = "The model."),
    CRV_FIELD(crv_sheet, precision, OBJECT, .sub = &crv_precision_spec, .doc = "Formats."),
    CRV_FIELD(crv_sheet, length, OBJECT, .sub = &length_spec,
              .doc = "Tokens of one sequence, in two parts; or give sequence."),
    CRV_FIELD(crv_sheet, sequence, INT, COUNT, .doc = "Tokens of one sequence, from 1."),
    CRV_FIELD(crv_sheet, concurrency, INT, COUNT, .doc = "Sequences resident together, from 1."),
    CRV_FIELD(crv_sheet, microbatch, INT, COUNT, .doc = "Sequences of one step and device."),
    CRV_FIELD(crv_sheet, accumulation, INT, COUNT, .doc = "Steps gathered into one update."),
    CRV_FIELD(crv_sheet, adaptation, OBJECT, .sub = &crv_adaptation_spec,
              .doc = "How the model is adapted or trained."),
    CRV_FIELD(crv_sheet, execution, OBJECT, .sub = &crv_execution_spec,
              .doc = "Engine and its limits; what a run must have in common with it."),
    CRV_FIELD(crv_sheet, scene, OBJECT, .sub = &scene_spec,
              .doc = "What is rendered or processed."),
    CRV_FIELD(crv_sheet, quality, LIST, .flags = CRV_JF_ONE_OR_LIST, .max = 32,
              .sub = &quality_spec, .doc = "Thresholds, one object or a list."),
    CRV_FIELD(crv_sheet, quality_waived, TEXT, .doc = "Why quality is not demanded, in writing."),
    CRV_FIELD(crv_sheet, acceptance, OBJECT, .sub = &acceptance_spec, .doc = "Service targets."),
    CRV_FIELD(crv_sheet, placement, LIST, .flags = CRV_JF_ONE_OR_LIST, .max = 16,
              .sub = &placement_spec, .doc = "Accepted placements, one object or a list."),
    CRV_FIELD(crv_sheet, interconnect, LIST, .flags = CRV_JF_ONE_OR_LIST, .max = 16,
              .doc = "Accepted interconnects between the devices, any of them."),
    CRV_FIELD(crv_sheet, software, OBJECT, .sub = &crv_software_spec,
              .doc = "Rules that the machine's software must meet."),
    CRV_FIELD_AS(crv_sheet, "service", service_managed, CUSTOM, .custom = &crv_service_type,
                 .doc = "{managed}: must the service be managed, or must it not?"),
    CRV_FIELD(crv_sheet, host, OBJECT, .sub = &host_spec, .doc = "What the host must have."),
    CRV_FIELD(crv_sheet, campaign, OBJECT, .sub = &campaign_spec,
              .doc = "How long, from when, and at what cost."),
    CRV_FIELD(crv_sheet, headroom, OBJECT, .sub = &headroom_spec,
              .doc = "Memory to stay free on each device."),
    CRV_FIELD(crv_sheet, reserve, LIST, .max = 64, .sub = &reserve_spec,
              .doc = "Memory kept for what is not computed, item by item."),
    CRV_FIELD(crv_sheet, requirements, LIST, .max = 64, .sub = &requirement_spec,
              .doc = "Mandatory requirements on any field of the offer."),
    CRV_FIELD(crv_sheet, preferences, LIST, .max = 64, .sub = &preference_spec,
              .doc = "Preferences, the first counts most; they never change a verdict."),
    CRV_FIELD(crv_sheet, phases, LIST, .flags = CRV_JF_ONE_OR_LIST, .max = 2,
              .doc = "Further phases of adaptation or training: evaluation, checkpoint_export."),
    CRV_FIELD(crv_sheet, current, OBJECT, .sub = &current_spec,
              .doc = "The offer in use: its key, or {device, devices, strategy}."),
    CRV_FIELD(crv_sheet, note, TEXT, .flags = CRV_JF_LINES, .max = 4096, .doc = "Free text."),
    {.name = NULL},
};

const struct crv_jspec crv_sheet_spec = {
    .name = "Sheet",
    .size = sizeof(struct crv_sheet),
    .fields = sheet_fields,
    .extras_offset = offsetof(struct crv_sheet, extras),
    .check = crv_check_sheet,
};
