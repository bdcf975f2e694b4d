/* The worked example: a seven-billion model on two cards, and what proves one of them. */
#include "tests/http/http.h"

const char sheet_json[] =
    "{\"task\":\"inference\","
    "\"model\":{\"name\":\"example/seven-b\",\"revision\":\"4f1c2a9\",\"parameters\":7000000000},"
    "\"precision\":{\"weights\":\"bf16\",\"kv_cache\":\"bf16\"},"
    "\"length\":{\"prompt\":6144,\"generated\":2048},\"concurrency\":8,"
    "\"quality\":{\"metric\":\"exact_match\",\"dataset\":\"support-eval\","
    "\"dataset_revision\":\"v3\",\"at_least\":\"0.82\"},"
    "\"reserve\":[{\"item\":\"cache, activations and runtime\",\"bytes\":\"6 GiB\","
    "\"basis\":\"estimated\",\"why\":\"hypothesis to control by a run\"}],"
    "\"placement\":{\"devices\":1,\"strategy\":\"single\"},"
    "\"campaign\":{\"hours\":72,\"currency\":\"USD\",\"ceiling\":\"200\"},"
    "\"preferences\":[{\"field\":\"region\",\"equals\":\"eu-central\"}],"
    "\"current\":\"rtx-4090-3d\"}";

#define OFFER(ref, name, model, memory, amount) \
  "{\"supplier\":\"example-cloud\",\"supplier_ref\":\"" ref "\",\"region\":\"eu-central\"," \
  "\"device\":{\"name\":\"" name "\",\"model\":\"" model "\",\"vendor\":\"nvidia\"," \
  "\"architecture\":\"ada\",\"memory_nominal\":\"" memory "\"},\"lot\":{\"devices\":1}," \
  "\"plan\":{\"hours\":72,\"interruptible\":false},\"price\":{\"amount\":\"" amount "\"," \
  "\"currency\":\"USD\",\"basis\":\"per_lot\",\"per\":\"plan\"}," \
  "\"host\":{\"ram\":\"64 GiB\",\"vcpus\":16,\"disk\":\"500 GB\"}," \
  "\"schedule\":{\"kind\":\"undocumented\"},\"source\":{\"evidence\":\"example-price-list@1\"}}"

const char offer_4090_json[] = OFFER("rtx4090-1", "RTX 4090", "nvidia/rtx-4090", "24 GB", "47.14");
const char offer_6000_json[] =
    OFFER("rtx6000ada-1", "RTX 6000 Ada", "nvidia/rtx-6000-ada", "48 GB", "55.71");

const char price_list_json[] =
    "{\"kind\":\"commercial_sheet\",\"observed_at\":\"2026-11-28T09:00:00Z\","
    "\"valid_until\":\"2099-01-01T00:00:00Z\",\"uri\":\"https://example-cloud.example/prices\","
    "\"scope\":{\"supplier\":\"example-cloud\"},\"result\":{}}";

const char run_json[] =
    "{\"kind\":\"protocol_run\",\"observed_at\":\"2026-11-30T10:00:00Z\","
    "\"valid_until\":\"2099-05-30T00:00:00Z\",\"uri\":\"https://ci.example/run/812\","
    "\"scope\":{\"device\":\"nvidia/rtx-6000-ada\",\"devices\":1,\"strategy\":\"single\","
    "\"model\":{\"name\":\"example/seven-b\",\"revision\":\"4f1c2a9\"},"
    "\"precision\":{\"weights\":\"bf16\",\"kv_cache\":\"bf16\"},\"length\":8192,\"concurrency\":8,"
    "\"runtime\":\"transformers 5.17.0\",\"driver\":\"580.159\"},"
    "\"result\":{\"outcome\":\"passed\",\"stage\":\"limit\",\"truncated\":false,\"errors\":0,"
    "\"phases\":[\"loading\",\"generation\"],"
    "\"peaks\":[{\"phase\":\"generation\",\"device\":0,\"counter\":\"device.used\","
    "\"kind\":\"peak\",\"bytes\":\"21.4 GiB\"},{\"phase\":\"loading\",\"device\":0,"
    "\"counter\":\"device.used\",\"kind\":\"peak\",\"bytes\":\"14.2 GiB\"}],"
    "\"latency_ms\":{\"p95\":410},\"duration_s\":1800}}";

const char quality_json[] =
    "{\"kind\":\"quality_evaluation\",\"observed_at\":\"2026-11-29T10:00:00Z\","
    "\"scope\":{\"model\":{\"name\":\"example/seven-b\",\"revision\":\"4f1c2a9\"},"
    "\"precision\":{\"weights\":\"bf16\",\"kv_cache\":\"bf16\"}},"
    "\"result\":{\"metric\":\"exact_match\",\"dataset\":\"support-eval\","
    "\"dataset_revision\":\"v3\",\"value\":\"0.861\"}}";

void example_put(void) {
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/example-price-list", .json = price_list_json,
           .expect = 201);
  CRV_CALL(.method = "PUT", .path = "/v1/offers/rtx-4090-3d", .json = offer_4090_json,
           .expect = 201);
  CRV_CALL(.method = "PUT", .path = "/v1/offers/rtx-6000-ada-3d", .json = offer_6000_json,
           .expect = 201);
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/support-bot", .json = sheet_json, .expect = 201);
}

void example_prove(void) {
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/run-6000-ada", .json = run_json, .expect = 201);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/quality-bf16", .json = quality_json,
           .expect = 201);
}
