/* The piece's field tables: scope, result and the piece itself, from which decoding, encoding and
   the OpenAPI document come. Which fields a kind needs or refuses is in kinds.def and piece.c.
   Must not know: verdicts. */
#include "core/evidence/piece_check.h"
#include "core/model/field.h"
#include "core/sheet/types.h"

enum { MAX_COUNT = 1000000000, MAX_DEVICES = 1048576 };

#define COUNT .flags = CRV_JF_POSITIVE, .max = MAX_COUNT

/* -- scope ------------------------------------------------------------------------------------ */

static const struct crv_jfield scope_model_fields[] = {
    CRV_FIELD(crv_scope_model, name, TEXT, .max = 256, .doc = "Name of the model, or *."),
    CRV_FIELD(crv_scope_model, revision, TEXT, .max = 256,
              .doc = "Its revision; * claims every revision."),
    CRV_FIELD(crv_scope_model, fingerprint, TEXT, .max = 128,
              .doc = "SHA-256 over tensor headers and config, as cited."),
    {.name = NULL},
};
static const struct crv_jspec scope_model_spec = {
    .name = "ScopeModel",
    .size = sizeof(struct crv_scope_model),
    .fields = scope_model_fields,
    .extras_offset = SIZE_MAX,
    .short_field = "name",
};

static const struct crv_jfield scope_fields[] = {
    CRV_FIELD(crv_scope, task, ENUM, .names = crv_task_names, .doc = "Task that was run."),
    CRV_FIELD(crv_scope, offer, KEY, .doc = "Key of the offer that it is about."),
    CRV_FIELD(crv_scope, supplier, TEXT, .max = 128, .doc = "Supplier, or *."),
    CRV_FIELD(crv_scope, supplier_ref, TEXT, .max = 256, .doc = "The supplier's own id, or *."),
    CRV_FIELD(crv_scope, region, TEXT, .max = 128, .doc = "Region, or *."),
    CRV_FIELD(crv_scope, device, TEXT, .max = 128,
              .doc = "Canonical device model, such as nvidia/rtx-4090, or *."),
    CRV_FIELD(crv_scope, devices, INT, .flags = CRV_JF_POSITIVE, .max = MAX_DEVICES,
              .doc = "Devices used together (not the size of the lot), 1 to 1048576."),
    CRV_FIELD(crv_scope, strategy, ENUM, .names = crv_strategy_names,
              .doc = "How the load was spread over them."),
    CRV_FIELD(crv_scope, model, OBJECT, .sub = &scope_model_spec, .doc = "The model."),
    CRV_FIELD(crv_scope, precision, OBJECT, .sub = &crv_precision_spec, .doc = "Formats."),
    CRV_FIELD(crv_scope, adapter, TEXT, .max = 256, .doc = "Adapter that was applied, or *."),
    CRV_FIELD(crv_scope, length, INT, COUNT,
              .doc = "Tokens of one sequence: prompt and generated together."),
    CRV_FIELD(crv_scope, concurrency, INT, COUNT, .doc = "Sequences resident together."),
    CRV_FIELD(crv_scope, microbatch, INT, COUNT, .doc = "Sequences of one step and device."),
    CRV_FIELD(crv_scope, rank, INT, COUNT, .doc = "Rank of the adapter."),
    CRV_FIELD(crv_scope, accumulation, INT, COUNT, .doc = "Steps gathered into one update."),
    CRV_FIELD(crv_scope, adaptation, OBJECT, .sub = &crv_adaptation_spec,
              .doc = "Settings of the adaptation, as in a sheet."),
    CRV_FIELD(crv_scope, execution, OBJECT, .sub = &crv_execution_spec,
              .doc = "Settings of the execution, as in a sheet."),
    CRV_FIELD(crv_scope, engine, TEXT, .max = 128, .doc = "Engine with version: vllm 0.17.0."),
    CRV_FIELD(crv_scope, runtime, TEXT, .max = 128, .doc = "Runtime with version."),
    CRV_FIELD(crv_scope, driver, TEXT, .max = 128, .doc = "Driver version."),
    CRV_FIELD(crv_scope, architecture, TEXT, .max = 64, .doc = "Device architecture, or *."),
    CRV_FIELD(crv_scope, application, TEXT, .max = 128, .doc = "Application, or *."),
    CRV_FIELD(crv_scope, application_version, TEXT, .max = 64, .doc = "Its version, or *."),
    CRV_FIELD(crv_scope, input, TEXT, .max = 256, .doc = "Largest input that was run, or *."),
    CRV_FIELD(crv_scope, input_revision, TEXT, .max = 256, .doc = "Its revision, or *."),
    CRV_FIELD(crv_scope, resolution, TEXT, .max = 64, .doc = "Resolution of the result, or *."),
    CRV_FIELD(crv_scope, jobs, INT, COUNT, .doc = "Jobs that ran together; absent: one."),
    CRV_FIELD(crv_scope, metric, TEXT, .max = 128, .doc = "Metric that was evaluated."),
    CRV_FIELD(crv_scope, dataset, TEXT, .max = 256, .doc = "Data that it was evaluated on."),
    CRV_FIELD(crv_scope, dataset_revision, TEXT, .max = 256, .doc = "Revision of the data."),
    CRV_FIELD(crv_scope, from, CURRENCY, .doc = "Exchange rate: currency of the offer."),
    CRV_FIELD(crv_scope, to, CURRENCY, .doc = "Exchange rate: currency of the campaign."),
    CRV_FIELD(crv_scope, quantity, INT, COUNT, .doc = "Lots or devices that are promised."),
    CRV_FIELD(crv_scope, file, TEXT, .max = 512, .doc = "Name of the imported file."),
    {.name = NULL},
};
const struct crv_jspec crv_scope_spec = {
    .name = "Scope",
    .size = sizeof(struct crv_scope),
    .fields = scope_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_piece_check_scope,
};

/* -- result ----------------------------------------------------------------------------------- */

static const struct crv_enum_name outcome_names[] = {
    {CRV_OUTCOME_PASSED, "passed"},
    {CRV_OUTCOME_FAILED, "failed"},
    {0, NULL},
};
const struct crv_enum_name crv_cause_names[] = {
    {CRV_CAUSE_OUT_OF_MEMORY, "out_of_memory"},
    {CRV_CAUSE_UNSUPPORTED, "unsupported"},
    {CRV_CAUSE_SETTING, "setting"},
    {CRV_CAUSE_EXTERNAL_USE, "external_use"},
    {CRV_CAUSE_FRAGMENTATION, "fragmentation"},
    {CRV_CAUSE_HOST_KILLED, "host_killed"},
    {CRV_CAUSE_UNDETERMINED, "undetermined"},
    {0, NULL},
};
static const struct crv_enum_name stage_names[] = {
    {CRV_STAGE_SHORT, "short"},
    {CRV_STAGE_USUAL, "usual"},
    {CRV_STAGE_LIMIT, "limit"},
    {0, NULL},
};
const struct crv_enum_name crv_counter_names[] = {
    {CRV_COUNTER_TORCH_ALLOCATED, "torch.allocated"},
    {CRV_COUNTER_TORCH_RESERVED, "torch.reserved"},
    {CRV_COUNTER_ENGINE_DECLARED, "engine.declared"},
    {CRV_COUNTER_PROCESS_USED, "process.used"},
    {CRV_COUNTER_DEVICE_USED, "device.used"},
    {CRV_COUNTER_PLATFORM_USED, "platform.used"},
    {0, NULL},
};
static const struct crv_enum_name peak_kind_names[] = {
    {CRV_PEAK_PEAK, "peak"},
    {CRV_PEAK_SAMPLED, "sampled"},
    {CRV_PEAK_INSTANT, "instant"},
    {0, NULL},
};
static const struct crv_enum_name origin_names[] = {
    {CRV_ORIGIN_SUPPLIER, "supplier"},
    {CRV_ORIGIN_THIRD_PARTY, "third_party"},
    {0, NULL},
};

static const struct crv_jfield executed_fields[] = {
    CRV_FIELD(crv_executed, length, INT, COUNT, .doc = "Tokens of one sequence."),
    CRV_FIELD(crv_executed, concurrency, INT, COUNT, .doc = "Sequences resident together."),
    CRV_FIELD(crv_executed, microbatch, INT, COUNT, .doc = "Sequences of one step and device."),
    CRV_FIELD(crv_executed, rank, INT, COUNT, .doc = "Rank of the adapter."),
    CRV_FIELD(crv_executed, jobs, INT, COUNT, .doc = "Jobs that ran together."),
    {.name = NULL},
};
static const struct crv_jspec executed_spec = {
    .name = "Executed",
    .size = sizeof(struct crv_executed),
    .fields = executed_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_jfield peak_fields[] = {
    CRV_FIELD(crv_peak, phase, TEXT, .max = 64, .doc = "Phase; absent: the whole run."),
    CRV_FIELD(crv_peak, device, INT, .max = MAX_DEVICES,
              .doc = "Index of the device, from 0; absent: the largest of all devices."),
    CRV_FIELD(crv_peak, counter, ENUM, .flags = CRV_JF_REQUIRED, .names = crv_counter_names,
              .doc = "Counter that was read; counters are never added."),
    CRV_FIELD(crv_peak, kind, ENUM, .flags = CRV_JF_REQUIRED, .names = peak_kind_names,
              .doc =
                  "peak: a maximum that the counter keeps; sampled: largest of samples from start "
                  "to exit; instant: one reading, which proves nothing."),
    CRV_FIELD(crv_peak, interval_ms, INT, COUNT, .doc = "Sampled: ms between two samples."),
    CRV_FIELD(crv_peak, samples, INT, COUNT, .doc = "Sampled: how many samples, from 2."),
    CRV_FIELD(crv_peak, bytes, BYTES, .flags = CRV_JF_REQUIRED | CRV_JF_POSITIVE,
              .doc = "Bytes, or a text with its unit."),
    {.name = NULL},
};
static const struct crv_jspec peak_spec = {
    .name = "Peak",
    .size = sizeof(struct crv_peak),
    .fields = peak_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_piece_check_peak,
};

static const struct crv_jfield pool_fields[] = {
    CRV_FIELD(crv_pool, bytes, BYTES, .flags = CRV_JF_REQUIRED | CRV_JF_POSITIVE,
              .doc = "Bytes that the engine's pool took on each device."),
    CRV_FIELD(crv_pool, tokens, INT, .flags = CRV_JF_REQUIRED | CRV_JF_POSITIVE,
              .doc = "Tokens that the pool holds."),
    {.name = NULL},
};
static const struct crv_jspec pool_spec = {
    .name = "Pool",
    .size = sizeof(struct crv_pool),
    .fields = pool_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_jfield latency_fields[] = {
    CRV_FIELD(crv_latency_result, p50, INT, .max = MAX_COUNT, .doc = "Median, ms."),
    CRV_FIELD(crv_latency_result, p90, INT, .max = MAX_COUNT, .doc = "90th percentile, ms."),
    CRV_FIELD(crv_latency_result, p95, INT, .max = MAX_COUNT, .doc = "95th percentile, ms."),
    CRV_FIELD(crv_latency_result, p99, INT, .max = MAX_COUNT, .doc = "99th percentile, ms."),
    CRV_FIELD(crv_latency_result, max, INT, .max = MAX_COUNT, .doc = "Slowest, ms."),
    {.name = NULL},
};
static const struct crv_jspec latency_spec = {
    .name = "LatencyResult",
    .size = sizeof(struct crv_latency_result),
    .fields = latency_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_jfield result_fields[] = {
    CRV_FIELD(crv_result, outcome, ENUM, .names = outcome_names, .doc = "passed or failed."),
    CRV_FIELD(crv_result, cause, ENUM, .names = crv_cause_names, .doc = "Cause of a failure."),
    CRV_FIELD(crv_result, stage, ENUM, .names = stage_names,
              .doc = "Stage of the protocol: short, usual or the limit that is really needed."),
    CRV_FIELD(crv_result, phase, TEXT, .max = 64, .doc = "Phase in which a failure came."),
    CRV_FIELD(crv_result, executed, OBJECT, .sub = &executed_spec,
              .doc = "Dimensions that were executed, where they differ from the scope."),
    CRV_FIELD(crv_result, truncated, BOOL, .doc = "True: inputs were cut."),
    CRV_FIELD(crv_result, errors, INT, .max = MAX_COUNT, .doc = "Errors counted."),
    CRV_FIELD(crv_result, phases, LIST, .max = 16, .doc = "Phases that were executed."),
    CRV_FIELD(crv_result, peaks, LIST, .max = 4096, .sub = &peak_spec,
              .doc = "Memory by phase, device and counter."),
    CRV_FIELD(crv_result, pool, OBJECT, .sub = &pool_spec,
              .doc = "Memory that the engine fills by policy."),
    CRV_FIELD(crv_result, free_at_start_bytes, BYTES, .flags = CRV_JF_ROUND_DOWN,
              .doc = "Bytes free on the device before the run."),
    CRV_FIELD(crv_result, spilled, BOOL, .doc = "True: the run spilled to host memory."),
    CRV_FIELD(crv_result, latency_ms, OBJECT, .alias = "latency", .sub = &latency_spec,
              .doc = "Latencies in whole milliseconds."),
    CRV_FIELD(crv_result, completion, DECIMAL, .max = CRV_MICRO,
              .doc = "Share of requests or jobs completed, 0 to 1."),
    CRV_FIELD(crv_result, throughput, DECIMAL, .doc = "Throughput, in throughput_unit."),
    CRV_FIELD(crv_result, throughput_unit, TEXT, .max = 64, .doc = "Such as tokens/s."),
    CRV_FIELD(crv_result, duration_s, INT, .max = MAX_COUNT, .doc = "Seconds that it took."),
    CRV_FIELD(crv_result, settings, MAP, .doc = "Further settings by the engine's own names."),
    CRV_FIELD(crv_result, declared_bytes, BYTES, .flags = CRV_JF_ROUND_DOWN | CRV_JF_POSITIVE,
              .doc = "Total memory that the device declares of itself, as the driver shows it."),
    CRV_FIELD(crv_result, ecc, BOOL, .doc = "True: error correction is on."),
    CRV_FIELD(crv_result, mig, BOOL, .doc = "True: the device is partitioned."),
    CRV_FIELD(crv_result, driver, TEXT, .max = 128, .doc = "Driver version."),
    CRV_FIELD(crv_result, compute_capability, TEXT, .max = 32, .doc = "Such as 8.9."),
    CRV_FIELD(crv_result, host, OBJECT, .sub = &crv_host_spec, .doc = "The host as it reports."),
    CRV_FIELD(crv_result, interconnect, OBJECT, .sub = &crv_interconnect_spec,
              .doc = "The interconnect as the machine reports it."),
    CRV_FIELD(crv_result, supports, LIST, .doc = "What the documentation says is supported."),
    CRV_FIELD(crv_result, unsupported, LIST, .doc = "What it says is not supported."),
    CRV_FIELD(crv_result, metric, TEXT, .max = 128, .doc = "Metric that was evaluated."),
    CRV_FIELD(crv_result, dataset, TEXT, .max = 256, .doc = "Data that it was evaluated on."),
    CRV_FIELD(crv_result, dataset_revision, TEXT, .max = 256, .doc = "Revision of the data."),
    CRV_FIELD(crv_result, value, DECIMAL, .min = -INT64_MAX, .max = INT64_MAX,
              .doc = "Value of the metric, at most six decimals."),
    CRV_FIELD(crv_result, share, DECIMAL, .flags = CRV_JF_POSITIVE, .max = CRV_MICRO,
              .doc = "Share of the data that was evaluated, over 0 to 1."),
    CRV_FIELD(crv_result, date, TIME, .doc = "Delivery: promised date; rate: its date."),
    CRV_FIELD(crv_result, lead_time_hours, INT, .max = MAX_DEVICES,
              .doc = "Hours from the order to the delivery."),
    CRV_FIELD(crv_result, quantity, INT, COUNT, .doc = "Lots or devices promised or in stock."),
    CRV_FIELD(crv_result, held, BOOL,
              .doc = "True: a reservation is confirmed, or an instance is held running."),
    CRV_FIELD(crv_result, rate, DECIMAL, .flags = CRV_JF_POSITIVE,
              .doc = "1 unit of `from` is this much of `to`, over 0."),
    CRV_FIELD(crv_result, origin, ENUM, .names = origin_names,
              .doc = "Who made the file: the supplier, or a third party."),
    CRV_FIELD(crv_result, rows, INT, .doc = "Data rows in the file."),
    CRV_FIELD(crv_result, facts, CUSTOM, .custom = &crv_facts_type,
              .doc = "Fields of the offer as the document states them, nested or dotted."),
    CRV_FIELD(crv_result, text, TEXT, .flags = CRV_JF_LINES, .max = 16384,
              .doc = "What the document says, in words."),
    {.name = NULL},
};
const struct crv_jspec crv_result_spec = {
    .name = "Result",
    .size = sizeof(struct crv_result),
    .fields = result_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_piece_check_result,
};

/* -- piece ------------------------------------------------------------------------------------ */

static const struct crv_jfield content_fields[] = {
    CRV_FIELD(crv_piece_content, sha256, TEXT, .max = 64, .doc = "SHA-256 of the document, hex."),
    CRV_FIELD(crv_piece_content, media_type, TEXT, .max = 128, .doc = "Its media type."),
    CRV_FIELD(crv_piece_content, locator, TEXT, .max = 512,
              .doc = "Where in it: a page, a row, a line."),
    {.name = NULL},
};
static const struct crv_jspec content_spec = {
    .name = "Content",
    .size = sizeof(struct crv_piece_content),
    .fields = content_fields,
    .extras_offset = SIZE_MAX,
    .check = crv_piece_check_content,
};

static const struct crv_jfield piece_fields[] = {
    CRV_FIELD(crv_piece, key, KEY, .doc = "Key of the piece; must equal the path's."),
    CRV_FIELD(crv_piece, kind, ENUM, .flags = CRV_JF_REQUIRED, .names = crv_kind_names,
              .doc = "What it is; decides what it can prove (GET /v1/kinds)."),
    CRV_FIELD(crv_piece, scope, OBJECT, .flags = CRV_JF_REQUIRED, .sub = &crv_scope_spec,
              .doc = "What it is about; what is left out is unknown, * claims every value."),
    CRV_FIELD(crv_piece, result, OBJECT, .sub = &crv_result_spec, .doc = "What it states."),
    CRV_FIELD(crv_piece, uri, TEXT, .max = 2048, .doc = "Where the document is."),
    CRV_FIELD(crv_piece, content, OBJECT, .sub = &content_spec,
              .doc = "Digest and place of its document."),
    CRV_FIELD(crv_piece, observed_at, TIME, .doc = "When it was measured or read."),
    CRV_FIELD(crv_piece, valid_until, TIME, .doc = "Until when it holds; absent: none stated."),
    CRV_FIELD(crv_piece, supersedes, LIST, .flags = CRV_JF_KEYS | CRV_JF_ONE_OR_LIST, .max = 64,
              .doc = "Keys of the pieces that it replaces."),
    CRV_FIELD(crv_piece, retracted, TEXT, .doc = "Why it is withdrawn; it then proves nothing."),
    CRV_FIELD_AS(crv_piece, "private", is_private, BOOL, .doc = "True: not for a public page."),
    CRV_FIELD(crv_piece, note, TEXT, .flags = CRV_JF_LINES, .max = 4096, .doc = "Free text."),
    {.name = NULL},
};
const struct crv_jspec crv_piece_spec = {
    .name = "Piece",
    .size = sizeof(struct crv_piece),
    .fields = piece_fields,
    .extras_offset = offsetof(struct crv_piece, extras),
    .check = crv_piece_check,
};
