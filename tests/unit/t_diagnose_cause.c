/* The cause by figures, by the sheet's budget, by what a phase usually means; what is advised for
   it and what is not. */
#include <string.h>

#include "core/base/cleanup.h"
#include "tests/unit/diagnosetest.h"

#define OOM(request, total, used, left, reserved) \
  "CUDA out of memory. Tried to allocate " request " (GPU 0; " total " total capacity; " used \
  " already allocated; " left " free; " reserved " reserved in total by PyTorch)\n"
#define FULL OOM("98.00 MiB", "23.65 GiB", "22.80 GiB", "40.00 MiB", "23.10 GiB")
#define NEW(request, total, left, own, used, idle) \
  "CUDA out of memory. Tried to allocate " request ". GPU 0 has a total capacity of " total \
  " of which " left " is free. Including non-PyTorch memory, this process has " own \
  " memory in use. Of the allocated memory " used " is allocated by PyTorch, and " idle \
  " is reserved by PyTorch but unallocated.\n"
#define TRAINING(model, parameters, format, more) \
  "{'task':'training','model':{'name':'" model "','revision':'r','parameters':" parameters "}," \
  "'precision':{'weights':'" format "'},'sequence':1024,'microbatch':2,'accumulation':4," \
  "'quality_waived':'test'," more "}"
#define FULL_TUNE "'adaptation':{'method':'full','optimizer':'adamw'}"
#define ONE ",'placement':{'devices':1,'strategy':'single'}"

static const struct {
  const char *text, *context, *sheet, *cause;
  const char *says[4];   /* of try, provide or cause.says */
  const char *silent[3]; /* of try */
} rows[] = {
    /* static shortages */
    {"loss.backward()\n" FULL,
     NULL,
     TRAINING("m", "7000000000", "bf16", FULL_TUNE ONE),
     "static_shortage/weights_and_gradients_do_not_fit",
     {"LoRA", "Shard over several GPUs", "26.08 GiB", "would not have fitted"},
     {"microbatch", "checkpointing"}},
    {"optimizer.step()\nstate['exp_avg'] = torch.zeros_like(p)\n" FULL,
     NULL,
     TRAINING("m", "3500000000", "bf16", FULL_TUNE ONE),
     "static_shortage/optimizer_state_does_not_fit",
     {"LoRA", "8-bit", "26.08 GiB"},
     {"microbatch", "shorter"}},
    {"CUDA out of memory. Tried to allocate 3.35 GiB\nin initialize_optimizer_states",
     NULL,
     TRAINING("m", "3600000000", "bf16", FULL_TUNE ",'placement':{'devices':4,'strategy':'zero2'}"),
     "static_shortage/fp32_copy_of_the_partition",
     {"offload", "ZeRO-3", "More GPUs", "LoRA"},
     {"microbatch", "context"}},
    {"from_pretrained(\n" FULL,
     NULL,
     TRAINING("m", "13000000000", "bf16", "'adaptation':{'method':'lora'}" ONE),
     "static_shortage/weights_do_not_fit_one_device",
     {"ZeRO-3", "Quantise", "24.21 GiB against 23.65 GiB"},
     {"microbatch"}},
    {"from_pretrained(\nLoading checkpoint shards:  25%|## | 1/4 [00:02<00:06]\n" OOM(
         "224.00 MiB", "79.15 GiB", "70.10 GiB", "90.00 MiB", "70.10 GiB"),
     NULL,
     NULL,
     "static_shortage/weights_do_not_fit_one_device",
     {"280.40 GiB by the shards", "Shard the model"},
     {"microbatch"}},
    {"_ddp_init_helper(\n" FULL,
     NULL,
     NULL,
     "static_shortage/gradient_buckets_do_not_fit",
     {"FSDP"},
     {"microbatch"}},
    /* activations, without and with a budget that leaves room */
    {"loss.backward()\n" FULL,
     NULL,
     NULL,
     "activation_peak/activations",
     {"Smaller microbatch", "checkpointing", "Shorter samples", "full fine-tune"},
     {NULL}},
    {"loss.backward()\n" FULL,
     NULL,
     TRAINING("m", "1000000000", "bf16", FULL_TUNE ONE),
     "activation_peak/activations",
     {"Smaller microbatch", "checkpointing"},
     {"full fine-tune", "LoRA"}},
    {"in _convert_to_fp32\n" OOM("3.91 GiB", "23.65 GiB", "20.80 GiB", "1.00 GiB", "21.10 GiB"),
     "model: Qwen2.5-7B",
     NULL,
     "activation_peak/logits",
     {"cross-entropy", "microbatch", "6902 tokens x 152064"},
     {"Quantise"}},
    {"in evaluation_loop\n" FULL,
     NULL,
     NULL,
     "activation_peak/evaluation",
     {"per_device_eval_batch_size", "eval_accumulation_steps"},
     {"training microbatch"}},
    {"model.generate(\n" FULL,
     NULL,
     NULL,
     "activation_peak/generation",
     {"Fewer sequences", "Shorter prompts"},
     {"microbatch"}},
    {"loss.backward()\nMPS backend out of memory (MPS allocated: 20.00 GB, other allocations: 5.00 "
     "GB, max allowed: 27.20 GB). Tried to allocate 3.00 GB on private pool.",
     NULL,
     NULL,
     "activation_peak/over_the_allowed_share_of_unified_memory",
     {"microbatch", "checkpointing", "28.00 GiB with the request against 27.20 GiB"},
     {"nvidia"}},
    /* format */
    {"AutoModel.from_pretrained(\"org/some-7b\", device_map=\"auto\").cuda()\n" OOM(
         "500.00 MiB", "23.65 GiB", "22.90 GiB", "30.00 MiB", "22.90 GiB"),
     NULL,
     NULL,
     "format_not_as_intended/weights_in_32_bits",
     {"16 bits", "13.04 GiB instead of 26.08 GiB, which fits", "defeats device_map"},
     {NULL}},
    {"from_pretrained(\n" OOM("102.00 MiB", "39.39 GiB", "38.80 GiB", "30.00 MiB", "38.90 GiB"),
     NULL,
     TRAINING("m", "12000000000", "nf4", "'adaptation':{'method':'qlora'}" ONE),
     "format_not_as_intended/wider_than_declared",
     {"torch_dtype", "Quantise on the CPU"},
     {"microbatch"}},
    /* one request beyond the device */
    {"in forward\n" OOM("31.00 GiB", "23.65 GiB", "2.10 GiB", "20.00 GiB", "2.40 GiB"),
     NULL,
     NULL,
     "single_tensor_too_large/request_above_the_device",
     {"smaller batch"},
     {"allocator"}},
    {"RuntimeError: Invalid buffer size: 12.25 GiB",
     NULL,
     NULL,
     "single_tensor_too_large/buffer_beyond_the_backend",
     {"chunks"},
     {NULL}},
    /* outside, fragmentation, limits */
    {"loss.backward()\n" OOM("96.00 MiB", "10.76 GiB", "2.01 GiB", "20.00 MiB", "2.20 GiB"),
     NULL,
     NULL,
     "external_use/memory_held_outside_this_allocator",
     {"8.54 GiB", "device counter"},
     {"microbatch", "larger"}},
    {"in forward\n" NEW("1.90 GiB", "8.00 GiB", "0 bytes", "7.10 GiB", "3.90 GiB", "3.05 GiB"),
     NULL,
     NULL,
     "fragmentation/reserved_and_not_usable",
     {"expandable_segments"},
     {"microbatch"}},
    {"in forward\n" NEW("1.90 GiB", "8.00 GiB", "0 bytes", "7.90 GiB", "6.90 GiB", "0.85 GiB"),
     NULL,
     NULL,
     "activation_peak/activations",
     {"microbatch"},
     {"expandable_segments"}},
    {"CUDA out of memory. Tried to allocate 64.00 MiB (GPU 0; 79.15 GiB total capacity; 19.61 GiB "
     "already allocated; 0 bytes free; 19.79 GiB allowed; 19.74 GiB reserved in total by PyTorch)",
     NULL,
     NULL,
     "engine_setting/limit_below_the_device",
     {"limit"},
     {NULL}},
    {"in forward\n" OOM("64.00 MiB", "8.00 GiB", "3.00 GiB", "4.50 GiB", "3.20 GiB"),
     NULL,
     NULL,
     "undetermined/refused_although_free",
     {"limit beside the device", "counter"},
     {"microbatch"}},
    /* copies */
    {"Trial 3 failed because of the following error:\noptimizer.step()\n" FULL,
     "model: x-1.5B, full fine-tune",
     NULL,
     "several_copies/several_model_copies_resident",
     {"how many copies", "22.35 GiB"},
     {"microbatch"}},
    {"optimizer.step()\n" OOM("54.00 MiB", "44.52 GiB", "43.10 GiB", "40.00 MiB", "43.90 GiB"),
     NULL,
     TRAINING("m", "1000000000", "fp32", FULL_TUNE ONE),
     "several_copies/several_model_copies_resident",
     {"how many copies", "14.90 GiB"},
     {NULL}},
    {"optimizer.load_state_dict(torch.load(p))\n" FULL,
     NULL,
     NULL,
     "several_copies/checkpoint_held_on_the_device",
     {"map_location"},
     {"microbatch"}},
    {"from_pretrained(\nLoading checkpoint shards:   0%| | 0/6 [00:00<?, ?it/s]\n" FULL,
     NULL,
     NULL,
     "several_copies/held_before_loading",
     {"earlier model"},
     {"microbatch"}},
    /* export */
    {"model.merge_and_unload()\n" FULL,
     NULL,
     NULL,
     "export_copy/16bit_copy_does_not_fit",
     {"CPU", "Free the training model first", "larger GPU"},
     {"microbatch", "context"}},
    {"in _merge_lora\n" FULL,
     NULL,
     NULL,
     "export_copy/merged_layers_accumulate",
     {"CPU", "disk", "maximum_memory_usage"},
     {"microbatch", "context"}},
    {"fsdp/_state_dict_utils.py\n" FULL,
     NULL,
     NULL,
     "export_copy/full_state_gathered_on_one_device",
     {"sharded"},
     {"microbatch"}},
    {"model.save_pretrained(p)\n" FULL,
     NULL,
     NULL,
     "export_copy/export_needs_more_than_training",
     {"CPU"},
     {"microbatch"}},
    /* caches */
    {"total_gpu_memory (16.00GiB) x gpu_memory_utilization (0.80) = 12.80GiB\nmodel weights take "
     "12.00GiB; non_torch_memory takes 0.10GiB; PyTorch activation peak memory takes 1.90GiB; the "
     "rest of the memory reserved for KV Cache is -1.20GiB.\n# CPU blocks: 2048\nMaximum "
     "concurrency "
     "for 8192 tokens per request: 0.00x\nNo available memory for the cache blocks.",
     NULL,
     NULL,
     "kv_cache_shortage/allowed_fraction_below_weights_and_activations",
     {"Raise gpu_memory_utilization above about 0.938", "max_num_batched_tokens", "context"},
     {"DOWN"}},
    {"total_gpu_memory (16.00GiB) x gpu_memory_utilization (0.80) = 12.80GiB\nmodel weights take "
     "15.00GiB; non_torch_memory takes 0.10GiB; PyTorch activation peak memory takes 1.90GiB; the "
     "rest of the memory reserved for KV Cache is -4.20GiB.\nNo available memory for the cache "
     "blocks.",
     NULL,
     NULL,
     "kv_cache_shortage/device_too_small_for_the_engine",
     {"Shard"},
     {"Raise"}},
    {"The model's max seq len (32768) is larger than the maximum number of tokens that can be "
     "stored "
     "in KV cache (20480).",
     NULL,
     NULL,
     "kv_cache_shortage/context_longer_than_the_cache",
     {"at most 20480", "gpu_memory_utilization"},
     {NULL}},
    {"max seq len (65536), (8.00 GiB KV cache is needed, which is larger than the available KV "
     "cache "
     "memory (2.75 GiB). estimated maximum model length is 22528.",
     NULL,
     NULL,
     "kv_cache_shortage/context_longer_than_the_cache",
     {"at most 22528", "5.25 GiB are missing"},
     {NULL}},
    {"avail mem=9.25 GB, mem usage=70.00 GB.\nLoaded weights leave no GPU memory for the KV cache "
     "under --mem-fraction-static=0.85.",
     "engine: SGLang",
     NULL,
     "kv_cache_shortage/allowed_fraction_below_weights_and_activations",
     {"Raise --mem-fraction-static"},
     {"DOWN"}},
    {"n_ctx_per_seq (8192)\nllama_kv_cache_unified: kv_size = 65536, n_layer = 32\nKV self size  = "
     "8192.00 MiB\nallocating 3000.00 MiB on device 0: cudaMalloc failed: out of memory",
     NULL,
     NULL,
     "kv_cache_shortage/concurrency_multiplies_context",
     {"from 8 ", "1024 MiB of KV", "OLLAMA_NUM_PARALLEL"},
     {"larger card"}},
    {"llama_context: n_ctx = 8192\nKV self size = 1024.00 MiB\nllama_context: failed to allocate "
     "compute buffers\nallocating 3000.00 MiB on device 1: cudaMalloc failed: out of memory",
     NULL,
     NULL,
     "kv_cache_shortage/buffers_of_the_context",
     {"shorter context", "-ub", "fewer layers"},
     {NULL}},
    /* settings of engines */
    {"CUDA out of memory occurred when warming up sampler with 512 dummy requests. vllm",
     NULL,
     NULL,
     "engine_setting/concurrency_at_warm_up",
     {"Lower max_num_seqs (now 512", "must go DOWN"},
     {"Raise"}},
    {"vllm: Capturing the model for CUDA graphs.\n" FULL,
     NULL,
     NULL,
     "engine_setting/graph_capture",
     {"enforce_eager", "DOWN"},
     {NULL}},
    {"vllm in execute_model\n" FULL,
     NULL,
     NULL,
     "engine_setting/fraction_leaves_too_little",
     {"DOWN", "max_num_batched_tokens"},
     {"Raise"}},
    {"vllm in profile_run\n" FULL,
     NULL,
     NULL,
     "engine_setting/trial_run_at_the_limits",
     {"max_num_batched_tokens"},
     {"DOWN", "Raise"}},
    {"Not enough memory to handle 4096 prefill tokens. You need to decrease it",
     NULL,
     NULL,
     "engine_setting/prefill_batch_at_warm_up",
     {"now 4096"},
     {NULL}},
    {"Free memory on device (20.00/80.00 GiB) on startup is less than desired GPU memory "
     "utilization "
     "(0.9, 72.00 GiB)",
     NULL,
     NULL,
     "external_use/free_at_start_below_the_fraction",
     {"60.00 GiB are held", "at most 0.25"},
     {NULL}},
    {"Some modules are dispatched on the CPU or the disk. Make sure you have enough GPU RAM",
     NULL,
     NULL,
     "static_shortage/quantised_model_does_not_fit",
     {"Make room"},
     {"microbatch"}},
    /* compiled programs */
    {"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 9663676416 bytes.\n total "
     "allocation:  21.25GiB",
     NULL,
     NULL,
     "program_too_large/program_needs_more_than_the_device",
     {"more than 21.25 GiB", "a 24 GB card leaves little", "a 32 GB card fits"},
     {NULL}},
    {"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8388608 bytes.\n total "
     "allocation:  "
     "24.00MiB",
     NULL,
     NULL,
     "external_use/memory_held_elsewhere",
     {"XLA_PYTHON_CLIENT_PREALLOCATE", "24 MiB", "device counter"},
     {"larger", "card"}},
    /* the host */
    {"Out of memory: Killed process 7 (python) total-vm:9kB, anon-rss:62914560kB",
     NULL,
     NULL,
     "host_memory/host_ram_exhausted",
     {"host memory", "offload", "sharded", "60.00 GiB"},
     {"larger GPU", "microbatch"}},
    {"Memory cgroup out of memory: Killed process 7 (python) total-vm:9kB, anon-rss:9kB",
     NULL,
     NULL,
     "host_memory/container_limit",
     {"limit"},
     {"larger GPU", "microbatch"}},
    {"failed (exitcode: -9) local_rank: 1",
     NULL,
     NULL,
     "host_memory/killed_by_signal_9",
     {"host memory", "kernel's log"},
     {"larger GPU", "microbatch"}},
    {"DefaultCPUAllocator: can't allocate memory: you tried to allocate 6442450944 bytes.",
     NULL,
     NULL,
     "host_memory/host_allocation_refused",
     {"host memory", "6.00 GiB"},
     {"larger GPU"}},
    {"DataLoader worker (pid 3) is killed by signal: Bus error. out of shared memory. Please try "
     "to "
     "raise your shared memory limit.",
     NULL,
     NULL,
     "host_memory/shared_memory",
     {"shm-size"},
     {"larger GPU"}},
    /* no shortage */
    {"CUDA out of memory. Tried to allocate more than 1EB memory.",
     NULL,
     NULL,
     "invalid_request/size_that_no_tensor_has",
     {"dimension"},
     {"more memory"}},
    {"OutOfResources: out of resource: shared memory, Required: 131072, Hardware limit: 101376.",
     NULL,
     NULL,
     "not_memory/kernel_resources",
     {"block sizes"},
     {"device"}},
    {"OSError: [Errno 28] No space left on device",
     NULL,
     NULL,
     "not_memory/disk_full",
     {NULL},
     {NULL}},
    {"RuntimeError: no kernel image is available for execution on the device",
     NULL,
     NULL,
     "not_memory/unsupported",
     {NULL},
     {NULL}},
    /* honest answers */
    {FULL,
     NULL,
     NULL,
     "undetermined/own_memory_fills_the_device",
     {"traceback", "sheet"},
     {"microbatch", "larger"}},
    {"CUDA out of memory. Tried to allocate 1.00 GiB",
     NULL,
     NULL,
     "undetermined/not_enough_evidence",
     {"full message", "traceback"},
     {"microbatch", "larger"}},
    {"RuntimeError: CUDA error: out of memory",
     NULL,
     NULL,
     "undetermined/no_figures",
     {"full message"},
     {"microbatch"}},
    {"It does not work.", NULL, NULL, "undetermined/no_failure_found", {"error message"}, {NULL}},
};

static bool said(const json_t *j, const char *words) {
  const char *says = json_string_value(json_object_get(json_object_get(j, "cause"), "says"));
  return dx_says(j, "try", words) || dx_says(j, "provide", words) || (says && strstr(says, words));
}

START_TEST(causes_and_advice) {
  _json_ json_t *j = dx_run(
      (struct dx_in){.text = rows[_i].text, .context = rows[_i].context, .sheet = rows[_i].sheet});
  dx_cause(j, rows[_i].cause);
  for (size_t i = 0; i < 4 && rows[_i].says[i]; i++)
    ck_assert_msg(said(j, rows[_i].says[i]), "%s: not said: %s", rows[_i].cause, rows[_i].says[i]);
  for (size_t i = 0; i < 3 && rows[_i].silent[i]; i++)
    ck_assert_msg(!dx_says(j, "try", rows[_i].silent[i]), "%s: advised: %s", rows[_i].cause,
                  rows[_i].silent[i]);
}
END_TEST

/* -- the same message, with more and more known ---------------------------------------------------
 */

START_TEST(a_budget_turns_microbatch_advice_into_a_static_shortage) {
  static const char text[] = "run_backward\n" FULL;
  _json_ json_t *without = dx_text(text);
  _json_ json_t *with = dx_run(
      (struct dx_in){.text = text, .sheet = TRAINING("m", "7000000000", "bf16", FULL_TUNE ONE)});
  ck_assert(dx_says(without, "try", "microbatch"));
  ck_assert(!dx_says(with, "try", "microbatch"));
  ck_assert(dx_says(with, "do_not", "microbatch"));
  ck_assert(dx_says(without, "provide", "sheet"));
  ck_assert(!dx_says(with, "provide", "sheet"));
}
END_TEST

START_TEST(a_capacity_from_elsewhere_counts_where_the_text_has_none) {
  static const char text[] = "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1 bytes.\n"
                             "total allocation:  3.00GiB\n";
  _json_ json_t *small = dx_run((struct dx_in){.text = text, .capacity = {2 * CRV_GIB, true}});
  _json_ json_t *large = dx_run((struct dx_in){.text = text, .capacity = {80 * CRV_GIB, true}});
  dx_cause(small, "program_too_large/program_needs_more_than_the_device");
  dx_cause(large, "external_use/memory_held_elsewhere");
}
END_TEST

START_TEST(changes_that_cut_a_demand_are_marked) {
  _json_ json_t *j =
      dx_run((struct dx_in){.text = "loss.backward()\n" FULL,
                            .sheet = TRAINING("m", "1000000000", "bf16", FULL_TUNE ONE)});
  size_t i;
  const json_t *t;
  int shorter = 0, smaller = 0;
  json_array_foreach(json_object_get(j, "try"), i, t) {
    const char *change = json_string_value(json_object_get(t, "change"));
    const json_t *meets = json_object_get(t, "meets_the_sheet");
    if (strstr(change, "Shorter samples")) shorter += json_is_false(meets);
    if (strstr(change, "Smaller microbatch")) smaller += json_is_true(meets);
    ck_assert_uint_gt(json_array_size(json_object_get(t, "verify_again")), 0);
  }
  ck_assert_int_eq(shorter, 1);
  ck_assert_int_eq(smaller, 1);
}
END_TEST

START_TEST(phase_and_cause_are_two_answers) {
  _json_ json_t *j = dx_text(
      "optimizer.step()\n" OOM("352.00 MiB", "7.92 GiB", "1.67 GiB", "156.00 MiB", "1.80 GiB"));
  dx_phase(j, "optimizer_step/-");
  dx_cause(j, "external_use/memory_held_outside_this_allocator");
}
END_TEST

int main(void) {
  Suite *s = suite_create("diagnose_cause");
  TCase *t = tcase_create("cause");
  tcase_add_loop_test(t, causes_and_advice, 0, sizeof rows / sizeof *rows);
  tcase_add_test(t, a_budget_turns_microbatch_advice_into_a_static_shortage);
  tcase_add_test(t, a_capacity_from_elsewhere_counts_where_the_text_has_none);
  tcase_add_test(t, changes_that_cut_a_demand_are_marked);
  tcase_add_test(t, phase_and_cause_are_two_answers);
  suite_add_tcase(s, t);
  return dx_main(s);
}
