/* Figures of messages of every kind: names, exact bytes, counters, units, devices, spans, flags. */
#include <string.h>

#include "core/base/cleanup.h"
#include "tests/unit/diagnosetest.h"

enum { MAX = 9 };
struct want {
  const char *name;
  int m; /* message, 0: the log */
  int64_t bytes;
};
static const struct {
  const char *text;
  struct want want[MAX];
  const char *absent; /* a figure that is not in the text */
  const char *backend;
} kinds[] = {
    /* torch, oldest wording: "cached" is on top of "allocated" */
    {"RuntimeError: CUDA out of memory. Tried to allocate 144.50 MiB (GPU 2; 10.92 GiB total "
     "capacity; 3.25 GiB already allocated; 61.44 MiB free; 212.75 MiB cached)",
     {{"requested", 1, MIB(14450)},
      {"capacity", 1, GIB(1092)},
      {"allocated", 1, GIB(325)},
      {"free", 1, MIB(6144)},
      {"cached_beyond_allocated", 1, MIB(21275)}},
     "reserved",
     "cuda"},
    /* second wording, and 0 bytes free */
    {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 98.00 MiB (GPU 1; 15.90 "
     "GiB total capacity; 14.01 GiB already allocated; 0 bytes free; 14.33 GiB reserved in total "
     "by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb",
     {{"requested", 1, MIB(9800)},
      {"capacity", 1, GIB(1590)},
      {"allocated", 1, GIB(1401)},
      {"free", 1, 0},
      {"reserved", 1, GIB(1433)}},
     "cached_beyond_allocated",
     "cuda"},
    /* third wording, misspelt as its first release was */
    {"CUDA out of memory. Tried to allocate 2.15 GiB. GPU 3 has a total capacty of 31.75 GiB of "
     "which 1.06 GiB is free. Including non-PyTorch memory, this process has 30.68 GiB memory in "
     "use. Of the allocated memory 28.10 GiB is allocated by PyTorch, and 1.40 GiB is reserved by "
     "PyTorch but unallocated. If reserved but unallocated memory is large",
     {{"requested", 1, GIB(215)},
      {"capacity", 1, GIB(3175)},
      {"free", 1, GIB(106)},
      {"process_in_use", 1, GIB(3068)},
      {"allocated", 1, GIB(2810)},
      {"reserved_unallocated", 1, GIB(140)}},
     "reserved",
     "cuda"},
    /* its private pools, and another way to name the process */
    {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total "
     "capacity of 47.44 GiB of which 210.06 MiB is free. Process 51234 has 47.23 GiB memory in "
     "use. Of the allocated memory 44.90 GiB is allocated by PyTorch, with 98.00 MiB allocated in "
     "private pools (e.g., CUDA Graphs), and 301.50 MiB is reserved by PyTorch but unallocated.",
     {{"requested", 1, MIB(51200)},
      {"capacity", 1, GIB(4744)},
      {"free", 1, MIB(21006)},
      {"process_in_use", 1, GIB(4723)},
      {"allocated", 1, GIB(4490)},
      {"private_pools", 1, MIB(9800)},
      {"reserved_unallocated", 1, MIB(30150)}},
     "reserved",
     "cuda"},
    /* a limit of the process */
    {"CUDA out of memory. Tried to allocate 64.00 MiB (GPU 0; 79.15 GiB total capacity; 19.61 GiB "
     "already allocated; 58.20 GiB free; 19.79 GiB allowed; 19.74 GiB reserved in total by "
     "PyTorch)",
     {{"max_allowed", 1, GIB(1979)}, {"reserved", 1, GIB(1974)}},
     "process_in_use",
     "cuda"},
    {"HIP out of memory. Tried to allocate 640.00 MiB. GPU 0 has a total capacity of 23.98 GiB of "
     "which 404.00 MiB is free. Of the allocated memory 22.01 GiB is allocated by PyTorch, and "
     "512.25 MiB is reserved by PyTorch but unallocated.",
     {{"requested", 1, MIB(64000)}, {"capacity", 1, GIB(2398)}, {"allocated", 1, GIB(2201)}},
     "process_in_use",
     "hip"},
    {"RuntimeError: NPU out of memory. Tried to allocate 2.50 GiB (NPU 5; 60.97 GiB total "
     "capacity; "
     "57.25 GiB already allocated; 57.25 GiB current active; 1.82 GiB free; 58.10 GiB reserved in "
     "total by PyTorch)",
     {{"requested", 1, GIB(250)}, {"active", 1, GIB(5725)}, {"reserved", 1, GIB(5810)}},
     "process_in_use",
     "npu"},
    /* MPS: GB and MB are powers of 1024 */
    {"RuntimeError: MPS backend out of memory (MPS allocated: 7.23 GB, other allocations: 1.54 GB, "
     "max allowed: 9.07 GB). Tried to allocate 896.00 MB on private pool.",
     {{"allocated", 1, GIB(723)},
      {"other", 1, GIB(154)},
      {"max_allowed", 1, GIB(907)},
      {"requested", 1, MIB(89600)}},
     "capacity",
     "mps"},
    /* cudaMallocAsync */
    {"Allocation on device 1 would exceed allowed memory. (out of memory)\nCurrently allocated     "
     ": 21.34 GiB\nRequested               : 37.50 MiB\nDevice limit            : 23.65 GiB\nFree "
     "(according to CUDA): 14.25 MiB\nPyTorch limit (set by user-supplied memory fraction)\n       "
     "                 : 17179869184.00 GiB",
     {{"allocated", 1, GIB(2134)},
      {"requested", 1, MIB(3750)},
      {"capacity", 1, GIB(2365)},
      {"free", 1, MIB(1425)}},
     "reserved",
     "cuda"},
    /* XLA mixes bytes, KiB, MiB, GiB without a space */
    {"XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 3221225472 "
     "bytes.\nBufferAssignment OOM Debugging.\nBufferAssignment stats:\n             parameter "
     "allocation:  812.50MiB\n              constant allocation:    16.0KiB\n        "
     "maybe_live_out allocation:    2.25GiB\n     preallocated temp allocation:    3.00GiB\n       "
     "          total allocation:    6.04GiB\n              total fragmentation:   12.00MiB "
     "(0.19%)\n",
     {{"requested", 1, INT64_C(3221225472)},
      {"parameters", 0, MIB(81250)},
      {"constants", 0, 16384},
      {"live_out", 0, GIB(225)},
      {"temp", 0, GIB(300)},
      {"total", 0, GIB(604)},
      {"fragmentation", 0, MIB(1200)}},
     "capacity",
     "xla"},
    /* the exact figure beside the rounded one counts */
    {"Resource exhausted: Failed to allocate request for 1.17GiB (1255145472B) on device ordinal 3",
     {{"requested", 1, INT64_C(1255145472)}},
     "capacity",
     "xla"},
    {"Ran out of memory in memory space hbm. Used 19.25G of 15.48G hbm. Exceeded hbm capacity by "
     "3.77G.",
     {{"program_used", 0, GIB(1925)},
      {"program_capacity", 0, GIB(1548)},
      {"exceeded_by", 0, GIB(377)}},
     "requested",
     "tpu"},
    {"OOM when allocating tensor with shape[16,1024,1024,3] and type half on "
     "/job:localhost/replica:0/task:0/device:GPU:1 by allocator GPU_1_bfc",
     {{"requested", 1, INT64_C(100663296)}},
     "capacity",
     "cuda"},
    /* llama.cpp: bytes beside MiB are one request; a decimal comma */
    {"ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4096.25 MiB on device 2: cudaMalloc "
     "failed: out of memory\nggml_gallocr_reserve_n: failed to allocate CUDA2 buffer of size "
     "4295229440\n",
     {{"requested", 1, INT64_C(4295229440)}},
     "capacity",
     "cuda"},
    {"ggml_cuda_device_malloc: allocating 7321,50 MiB on device 0: out of memory",
     {{"requested", 1, MIB(732150)}},
     "capacity",
     NULL},
    {"llm_load_tensors:      CUDA0 buffer size =  9011.25 MiB\nllm_load_tensors:        CPU buffer "
     "size =   512.00 MiB\nllama_kv_cache_init:      CUDA1 KV buffer size =   768.00 "
     "MiB\nllama_new_context_with_model:  CUDA_Host  output buffer size =     1.95 MiB\n"
     "llama_new_context_with_model:      CUDA0 compute buffer size =   672.01 MiB\n"
     "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 700.00 MiB on device 1: cudaMalloc "
     "failed: out of memory\n",
     {{"weights_buffer", 0, MIB(901125)},
      {"kv_buffer", 0, MIB(76800)},
      {"compute_buffer", 0, MIB(67201)},
      {"requested", 1, MIB(70000)}},
     "output_buffer",
     "cuda"},
    {"ggml_vulkan: Device memory allocation of size 2147483648 failed.\nggml_vulkan: "
     "vk::Device::allocateMemory: ErrorOutOfDeviceMemory",
     {{"requested", 1, INT64_C(2147483648)}},
     "capacity",
     "vulkan"},
    /* separators of thousands */
    {"OutOfMemoryError: Out of memory allocating 2,684,354,560 bytes (allocated so far: "
     "9,663,676,416 bytes, limit set to: 10,737,418,240 bytes).",
     {{"requested", 1, INT64_C(2684354560)},
      {"allocated", 1, INT64_C(9663676416)},
      {"max_allowed", 1, INT64_C(10737418240)}},
     "capacity",
     "cuda"},
    {"Out of memory error on GPU 4. Cannot allocate 1.500000GB memory on GPU 4, 30.250000GB memory "
     "has been allocated and available memory is only 512.000000MB.",
     {{"requested", 1, GIB(150)}, {"process_in_use", 1, GIB(3025)}, {"free", 1, MIB(51200)}},
     "capacity",
     "cuda"},
    /* vLLM: GB stands for GiB, a remainder stays negative */
    {"Loading model weights took 14.9595 GB\nthe current vLLM instance can use total_gpu_memory "
     "(15.77GiB) x gpu_memory_utilization (0.90) = 14.19GiB\nmodel weights take 14.96GiB; "
     "non_torch_memory takes 0.06GiB; PyTorch activation peak memory takes 0.48GiB; the rest of "
     "the memory reserved for KV Cache is -1.31GiB.\nValueError: No available memory for the cache "
     "blocks.",
     {{"total", 0, GIB(1577)},
      {"allowed", 0, GIB(1419)},
      {"weights", 0, GIB(1496)},
      {"non_torch", 0, GIB(6)},
      {"activation_peak", 0, GIB(48)},
      {"kv_cache", 0, -GIB(131)}},
     "requested",
     NULL},
    {"ValueError: To serve at least one request with the models's max seq len (65536), (8.00 GiB "
     "KV cache is needed, which is larger than the available KV cache memory (2.75 GiB).",
     {{"kv_cache_needed", 0, GIB(800)}, {"kv_cache_available", 0, GIB(275)}},
     "requested",
     NULL},
    {"ValueError: Free memory on device cuda:3 (10.25/23.57 GiB) on startup is less than desired "
     "GPU "
     "memory utilization (0.95, 22.39 GiB).",
     {{"free_at_start", 0, GIB(1025)}, {"total", 0, GIB(2357)}, {"desired", 0, GIB(2239)}},
     "requested",
     NULL},
    {"Error: model requires more system memory (61.5 GiB) than is available (29.3 GiB)",
     {{"host_needed", 0, GIB(6150)}, {"host_available", 0, GIB(2930)}},
     "requested",
     NULL},
    /* the kernel's kB are 1024 bytes */
    {"Out of memory: Killed process 4711 (python3) total-vm:91234560kB, anon-rss:48234496kB, "
     "file-rss:1024kB, shmem-rss:2097152kB, UID:0",
     {{"host_total_vm", 0, INT64_C(91234560) * 1024},
      {"host_anon_rss", 0, INT64_C(48234496) * 1024},
      {"host_file_rss", 0, 1024 * 1024},
      {"host_shmem_rss", 0, INT64_C(2097152) * 1024}},
     "requested",
     NULL},
    {"DefaultCPUAllocator: can't allocate memory: you tried to allocate 6442450944 bytes.",
     {{"host_requested", 0, INT64_C(6442450944)}},
     "requested",
     NULL},
    {"Memory on the node where the task was running was 121.50GB / 124.25GB (0.977867), which "
     "exceeds the memory usage threshold of 0.95. Task was killed due to the node running low on "
     "memory.",
     {{"host_used", 0, GIB(12150)}, {"host_total", 0, GIB(12425)}},
     "requested",
     NULL},
};

START_TEST(figures_of_every_kind) {
  _json_ json_t *j = dx_text(kinds[_i].text);
  for (size_t i = 0; i < MAX && kinds[_i].want[i].name; i++)
    dx_bytes(j, kinds[_i].want[i].name, kinds[_i].want[i].m, kinds[_i].want[i].bytes);
  ck_assert_msg(!dx_has_figure(j, kinds[_i].absent), "%s was made up", kinds[_i].absent);
  const char *backend = json_string_value(json_object_get(j, "backend"));
  if (kinds[_i].backend) ck_assert_str_eq(backend ? backend : "", kinds[_i].backend);
}
END_TEST

static const char plain[] =
    "x\nRuntimeError: CUDA out of memory. Tried to allocate 1.50 GiB (GPU 1; 7.79 GiB total "
    "capacity; 5.00 GiB already allocated; 1.02 GiB free; 5.51 GiB reserved in total by "
    "PyTorch)\ny";

START_TEST(a_figure_tells_its_counter_unit_and_place) {
  _json_ json_t *j = dx_text(plain);
  const json_t *a = dx_figure(j, "allocated", 1), *r = dx_figure(j, "requested", 1);
  ck_assert_str_eq(json_string_value(json_object_get(a, "counter")), "torch.allocated");
  ck_assert(json_is_null(json_object_get(r, "counter")));
  ck_assert_str_eq(json_string_value(json_object_get(dx_figure(j, "reserved", 1), "counter")),
                   "torch.reserved");
  ck_assert_str_eq(json_string_value(json_object_get(r, "printed")), "1.50 GiB");
  ck_assert_str_eq(json_string_value(json_object_get(r, "unit")), "GiB");
  ck_assert_int_eq(json_integer_value(json_object_get(r, "plus_minus_bytes")), 5368710);
  ck_assert_int_eq(json_integer_value(json_object_get(a, "device")), 1);
  dx_span(r, plain, "Tried to allocate 1.50 GiB");
  dx_span(a, plain, "5.00 GiB already allocated");
  dx_span(dx_figure(j, "free", 1), plain, "1.02 GiB free;");
  ck_assert_int_eq(json_integer_value(json_object_get(j, "gpu_index")), 1);
}
END_TEST

START_TEST(a_label_that_is_not_the_unit_is_said) {
  _json_ json_t *j =
      dx_text("MPS backend out of memory (MPS allocated: 2.00 GB, other allocations: "
              "1.00 GB, max allowed: 3.10 GB). Tried to allocate 256 bytes on "
              "shared pool.");
  ck_assert_str_eq(json_string_value(json_object_get(dx_figure(j, "other", 1), "unit_means")),
                   "GiB");
  ck_assert(dx_has_flag(j, "unit_is_binary"));
  ck_assert(dx_has_flag(j, "limit_is_a_policy"));
  dx_bytes(j, "requested", 1, 256);
}
END_TEST

#define G2(request, total, used, left, reserved) \
  "CUDA out of memory. Tried to allocate " request " (GPU 0; " total " total capacity; " used \
  " already allocated; " left " free; " reserved " reserved in total by PyTorch)"
static const struct {
  const char *text, *flag;
} odd[] = {
    {G2("96.00 MiB", "8.00 GiB", "6.10 GiB", "0 bytes", "7.02 GiB"), "no_free_memory"},
    {G2("96.00 GiB", "8.00 GiB", "6.10 GiB", "1.00 GiB", "6.60 GiB"), "request_above_capacity"},
    {G2("96.00 MiB", "8.00 GiB", "2.10 GiB", "4.00 GiB", "2.60 GiB"), "request_below_free"},
    {G2("96.00 MiB", "8.00 GiB", "17.20 GiB", "0 bytes", "19.15 GiB"), "allocated_above_capacity"},
    {G2("96.00 MiB", "8.00 GiB", "6.10 GiB", "5.00 GiB", "6.60 GiB"), "sum_above_capacity"},
    {G2("96.00 MiB", "8.00 GiB", "1.10 GiB", "9.00 GiB", "1.60 GiB"), "free_above_capacity"},
    {G2("17179869184.00 GiB", "8.00 GiB", "1.10 GiB", "6.00 GiB", "1.60 GiB"), "wrapped_number"},
    {G2("18446744073709551615 bytes", "8.00 GiB", "1.10 GiB", "6.00 GiB", "1.60 GiB"),
     "wrapped_number"},
    {G2("5000000.00 GiB", "8.00 GiB", "1.10 GiB", "6.00 GiB", "1.60 GiB"), "impossible_number"},
    {G2("20.00 MiB", "8.00 GiB", "7.10 GiB", "12.00 MiB", "7.60 GiB"), "allocator_block"},
    {G2("2.00 MiB", "8.00 GiB", "7.10 GiB", "0 bytes", "7.60 GiB"), "allocator_block"},
    {G2("96.00 MiB", "8.00 GiB", "2.10 GiB", "64.00 MiB", "2.60 GiB"), "other_memory"},
    {"Currently allocated : 1.00 GiB\nRequested : 4.00 MiB\nPyTorch limit (set by user-supplied "
     "memory fraction)\n: 17179869184.00 GiB",
     "no_limit_set"},
    {"the rest of the memory reserved for KV Cache is -0.75GiB.", "negative_remainder"},
    {"CUDA out of memory. Tried to allocate 330.00 MiB. GPU 0 has a total capacity of 14.74 GiB of "
     "w",
     "message_truncated"},
    {"CUDA out of memory. Tried to allocate 330.00 MiB (GPU 0; 14.74 GiB total capacity; 13.9",
     "message_truncated"},
    {"RuntimeError: CUDA out of memory. Tried to allocate", "message_truncated"},
    {"CUDA out of memory. Tried to allocate 330.00 Mi", "cut_figure"},
    {"CUDA out of memory. Tried to allocate 330.00 of something", "unit_missing"},
    {"Out of memory: Killed process 1 (x) total-vm:26,184,840kB, anon-rss:153,700,88kB",
     "unclear_number"},
    {G2("96.00 MiB", "8.00 GiB", "7.10 GiB", "0 bytes",
        "7.60 GiB") "\n" G2("96.00 MiB", "8.00 GiB", "7.10 GiB", "0 bytes", "7.60 GiB"),
     "repeated_message"},
    {"Killed process 12 (python) total-vm:1kB, anon-rss:1kB", "not_a_device_failure"},
    {"nothing of interest", "no_failure_found"},
    {"RuntimeError: CUDA error: out of memory", "no_figures"},
};

START_TEST(odd_figures_are_flagged_and_kept) {
  _json_ json_t *j = dx_text(odd[_i].text);
  ck_assert_msg(dx_has_flag(j, odd[_i].flag), "%s: %s", odd[_i].text, odd[_i].flag);
}
END_TEST

START_TEST(a_sound_message_has_no_flag) {
  _json_ json_t *j = dx_text(G2("96.00 MiB", "8.00 GiB", "7.10 GiB", "64.00 MiB", "7.60 GiB"));
  ck_assert_uint_eq(json_array_size(json_object_get(j, "flags")), 0);
}
END_TEST

START_TEST(a_size_beyond_any_device_has_no_bytes) {
  _json_ json_t *j =
      dx_text(G2("17179869184.00 GiB", "8.00 GiB", "1.10 GiB", "6.00 GiB", "1.60 GiB"));
  const json_t *f = dx_figure(j, "requested", 1);
  ck_assert(json_is_null(json_object_get(f, "bytes")));
  ck_assert_str_eq(json_string_value(json_object_get(f, "printed")), "17179869184.00 GiB");
}
END_TEST

static const char ranks[] =
    "(VllmWorker rank=1 pid=2978) ERROR [multiproc_executor.py:375] torch.OutOfMemoryError: CUDA "
    "out of memory. Tried to allocate 1.10 GiB. GPU 1 has a total capacity of 23.57 GiB of which "
    "605.88 MiB is free. Process 8 has 22.97 GiB memory in use. Of the allocated memory 20.21 GiB "
    "is allocated by PyTorch, and 185.98 MiB is reserved by PyTorch but unallocated.\n"
    "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.20 GiB. GPU 0 has a "
    "total capacity of 23.57 GiB of which 594.88 MiB is free. Process 7 has 22.97 GiB memory in "
    "use. Of the allocated memory 20.30 GiB is allocated by PyTorch, and 186.00 MiB is reserved by "
    "PyTorch but unallocated.\n";

START_TEST(ranks_are_kept_apart) {
  _json_ json_t *j = dx_text(ranks);
  dx_bytes(j, "requested", 1, GIB(110));
  dx_bytes(j, "requested", 2, GIB(120));
  dx_bytes(j, "free", 1, MIB(60588));
  dx_bytes(j, "free", 2, MIB(59488));
  ck_assert_int_eq(json_integer_value(json_object_get(dx_figure(j, "free", 1), "rank")), 1);
  ck_assert_int_eq(json_integer_value(json_object_get(dx_figure(j, "free", 2), "rank")), 0);
  ck_assert_int_eq(json_integer_value(json_object_get(dx_figure(j, "free", 2), "device")), 0);
  ck_assert_uint_eq(json_array_size(json_object_get(j, "messages")), 2);
  ck_assert(dx_has_flag(j, "several_devices"));
}
END_TEST

START_TEST(processes_of_one_message_are_listed_singly) {
  _json_ json_t *j =
      dx_text("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 39.39 "
              "GiB of which 1.20 GiB is free. Process 1111 has 20.10 GiB memory in use. Process "
              "2222 has 18.05 GiB memory in use. Of the allocated memory 17.20 GiB is allocated by "
              "PyTorch, and 300.00 MiB is reserved by PyTorch but unallocated.");
  dx_derived(j, "other_processes",
             json_integer_value(json_object_get(dx_figure(j, "process_in_use", 1), "bytes")));
  dx_cause(j, "external_use/other_processes");
}
END_TEST

START_TEST(numbers_that_are_no_sizes_are_facts) {
  _json_ json_t *j = dx_text("llama_context: n_ctx_per_seq (4096)\nllama_kv_cache_unified: kv_size "
                             "= 16384, type_k = 'f16', n_layer = 24\nmax_num_seqs=512\n"
                             "gpu_memory_utilization=0.85\nGPU KV cache size: 230,528 tokens\n"
                             "Loading checkpoint shards:  40%|####      | 2/5 [00:03<00:05]\n");
  ck_assert_int_eq(json_integer_value(dx_named(j, "facts", "context_per_sequence")), 4096);
  ck_assert_int_eq(json_integer_value(dx_named(j, "facts", "kv_tokens_total")), 16384);
  ck_assert_int_eq(json_integer_value(dx_named(j, "facts", "layers")), 24);
  ck_assert_int_eq(json_integer_value(dx_named(j, "facts", "max_num_seqs")), 512);
  ck_assert_int_eq(json_integer_value(dx_named(j, "facts", "cache_tokens")), 230528);
  ck_assert_int_eq(json_integer_value(dx_named(j, "facts", "shards_loaded")), 2);
  ck_assert_int_eq(json_integer_value(dx_named(j, "facts", "shards")), 5);
  ck_assert_str_eq(json_string_value(dx_named(j, "facts", "fraction")), "0.85");
}
END_TEST

START_TEST(an_announced_allocation_is_no_failed_request) {
  _json_ json_t *j = dx_text("Max tokens in paged KV cache: 117760. Allocating 54022635520 bytes.\n"
                             "everything went well and more is written here\n");
  ck_assert(!dx_has_figure(j, "requested"));
  ck_assert(dx_has_flag(j, "no_failure_found"));
}
END_TEST

int main(void) {
  Suite *s = suite_create("diagnose_message");
  TCase *t = tcase_create("messages");
  tcase_add_loop_test(t, figures_of_every_kind, 0, sizeof kinds / sizeof *kinds);
  tcase_add_loop_test(t, odd_figures_are_flagged_and_kept, 0, sizeof odd / sizeof *odd);
  tcase_add_test(t, a_figure_tells_its_counter_unit_and_place);
  tcase_add_test(t, a_label_that_is_not_the_unit_is_said);
  tcase_add_test(t, a_sound_message_has_no_flag);
  tcase_add_test(t, a_size_beyond_any_device_has_no_bytes);
  tcase_add_test(t, ranks_are_kept_apart);
  tcase_add_test(t, processes_of_one_message_are_listed_singly);
  tcase_add_test(t, numbers_that_are_no_sizes_are_facts);
  tcase_add_test(t, an_announced_allocation_is_no_failed_request);
  suite_add_tcase(s, t);
  return dx_main(s);
}
