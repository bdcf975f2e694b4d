/* Frames and wording to the phase, apart from the cause. */
#include <stdio.h>

#include "core/base/cleanup.h"
#include "tests/unit/diagnosetest.h"

#define OOM "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 34.00 MiB\n"
#define TRACE "Traceback (most recent call last):\n"

static const struct {
  const char *text, *phase, *from; /* from: one of phase_from, NULL: not looked at */
} rows[] = {
    /* steps of training: the innermost frame */
    {TRACE "  File \"train.py\", line 40, in train\n    loss.backward()\n" OOM, "backward/-",
     "loss.backward("},
    {TRACE "  File \"trainer.py\", line 3, in training_step\n    self.accelerator.backward(loss)\n"
           "  File \"torch/autograd/graph.py\", line 825, in _engine_run_backward\n" OOM,
     "backward/-", "run_backward"},
    {TRACE "  File \"trainer.py\", line 3, in training_step\n    loss = self.compute_loss(m, i)\n"
           "  File \"modeling_llama.py\", line 9, in forward\n    attn_weights = torch.matmul(q, "
           "k)\n" OOM,
     "forward/attention", "compute_loss"},
    {TRACE "  File \"x.py\", line 3, in forward\n    h = self.block(h)\n" OOM, "forward/-",
     "in forward"},
    {TRACE
     "  File \"x.py\", line 5, in __call__\n    return convert_to_fp32(self.model_forward(*a))\n"
     "  File \"y.py\", line 3, in forward\n" OOM,
     "forward/-", NULL},
    {TRACE
     "  File \"operations.py\", line 781, in _convert_to_fp32\n    return tensor.float()\n" OOM,
     "forward/logits_upcast_to_32_bits", NULL},
    {TRACE "  File \"t.py\", line 3, in loss\n    return F.cross_entropy(logits, labels)\n" OOM,
     "forward/logits_and_loss", NULL},
    {TRACE "  File \"train.py\", line 29, in train\n    optimizer.step()\n" OOM, "optimizer_step/-",
     "optimizer.step("},
    {TRACE "  optimizer.step()\n  File \"torch/optim/adamw.py\", line 90, in step\n"
           "    state['exp_avg_sq'] = torch.zeros_like(p)\n" OOM,
     "optimizer_step/first_step_state_allocation", NULL},
    {TRACE "  File \"torch/optim/adamw.py\", line 480, in _multi_tensor_adamw\n"
           "    exp_avg_sq_sqrt = torch._foreach_sqrt(device_exp_avg_sqs)\n" OOM,
     "optimizer_step/step_temporaries", NULL},
    {TRACE "  deepspeed/runtime/zero/stage_1_and_2.py, in initialize_optimizer_states\n" OOM,
     "optimizer_step/optimizer_state_initialisation", NULL},
    {TRACE "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n" OOM,
     "optimizer_step/gradient_clipping", NULL},
    {TRACE "  File \"torch/nn/parallel/distributed.py\", in __init__\n"
           "    _sync_module_params_and_buffers(module)\n" OOM,
     "loading/sharding_the_model", NULL},
    {TRACE "    grads = tape.gradient(loss, model.trainable_variables)\n" OOM, "backward/-", NULL},
    {TRACE "    optimizer.apply_gradients(zip(grads, weights))\n" OOM, "optimizer_step/-", NULL},
    {TRACE "    log_validation(vae, unet, args)\n    image = unet(latents)\n" OOM, "evaluation/-",
     NULL},
    {TRACE "    text = model.transcribe(path)\n  in forward\n" OOM, "generation/-", NULL},
    /* a step that runs the forward pass inside a closure */
    {TRACE "    optimizer.step(closure=closure)\n  File \"torch/optim/sgd.py\", in step\n"
           "    loss = closure()\n    step_output = self._step_fn()\n"
           "  File \"m.py\", line 5, in training_step\n" OOM,
     "forward/-", "training_step"},
    {TRACE
     "    optimizer.step(closure=closure)\n    loss = closure()\n    self._backward_fn(loss)\n"
     "    loss.backward()\n" OOM,
     "backward/-", NULL},
    /* what has forward passes inside is not ended by them */
    {TRACE "    trainer.evaluate()\n  in evaluation_loop\n  in prediction_step\n"
           "    loss = self.compute_loss(model, inputs)\n  File \"m.py\", line 9, in forward\n" OOM,
     "evaluation/-", "prediction_step"},
    {TRACE "  in evaluation_loop\n    preds_host = nested_concat(preds_host, logits)\n" OOM,
     "evaluation/predictions_kept_on_the_device", NULL},
    {TRACE "  in evaluation_loop\n  in prediction_step\n    model.generate(**inputs)\n" OOM,
     "evaluation/-", NULL},
    {TRACE "    self._maybe_log_save_evaluate(tr_loss)\n    self._save_checkpoint(model)\n"
           "    state = self.accelerator.get_state_dict(model)\n" OOM,
     "checkpoint_export/full_state_gathered", NULL},
    {TRACE "    out = model.generate(**inputs)\n  File \"m.py\", line 9, in forward\n" OOM,
     "generation/-", "model.generate("},
    {TRACE "    model.save_pretrained(path)\n" OOM, "checkpoint_export/-", "save_pretrained"},
    {TRACE "    merged = model.merge_and_unload()\n  in get_delta_weight\n" OOM,
     "checkpoint_export/merge_adapter", NULL},
    {TRACE
     "  # reload the base and merge it with LoRA weights\n    AutoModel.from_pretrained(name)\n"
     "  in set_module_tensor_to_device\n" OOM,
     "checkpoint_export/merge_adapter", "merge it with lora"},
    {TRACE "    model.push_to_hub_gguf(\n  save.py in _merge_lora(layer, name)\n" OOM,
     "checkpoint_export/dequantise_and_merge", NULL},
    /* loading */
    {TRACE "    AutoModelForCausalLM.from_pretrained(name)\n  in _load_pretrained_model\n" OOM,
     "loading/-", NULL},
    {TRACE "    model.to(\"cuda\")\n  File \"module.py\", line 820, in _apply\n"
           "    param_applied = fn(param)\n" OOM,
     "loading/moving_to_the_device", NULL},
    {TRACE "    optimizer.load_state_dict(torch.load(path))\n  torch/serialization.py\n" OOM,
     "loading/resume", NULL},
    {TRACE "    self._ddp_init_helper(\n" OOM, "loading/wrapping_for_data_parallel", NULL},
    {TRACE "    model.from_pretrained(x)\n  in create_quantized_param\n    quantize_4bit(w)\n" OOM,
     "loading/quantising_on_the_device", NULL},
    /* only the last traceback before the message counts */
    {TRACE "    loss.backward()\nKeyError: 1\nThen:\n" TRACE
           "    AutoModel.from_pretrained(name)\n" OOM,
     "loading/-", NULL},
    /* the message may come first */
    {OOM "  File \"trainer.py\", line 2584, in _inner_training_loop\n    self.optimizer.step()\n",
     "optimizer_step/-", NULL},
    /* what engines say themselves */
    {"ValueError: No available memory for the cache blocks.", "generation/kv_cache_budget_at_start",
     "no available memory for the cache blocks"},
    {"The model's max seq len (4096) is larger than the maximum number of tokens that can be "
     "stored "
     "in KV cache (1024).",
     "generation/kv_cache_budget_at_start", NULL},
    {"RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
     "generation/kv_cache_budget_at_start", NULL},
    {"CUDA out of memory occurred when warming up sampler with 256 dummy requests.",
     "generation/sampler_warm_up_at_start", NULL},
    {"Free memory on device (1.0/8.0 GiB) on startup is less than desired GPU memory utilization "
     "(0.9, 7.2 GiB)",
     "loading/check_at_start", NULL},
    {"Not enough memory to handle 2048 prefill tokens. You need to decrease "
     "`--max-batch-prefill-tokens`",
     "generation/prefill_warm_up_at_start", NULL},
    {"load_tensors: loading model tensors\nallocating 900.00 MiB on device 0: cudaMalloc failed: "
     "out "
     "of memory\nllama_model_load: error loading model: unable to allocate CUDA0 buffer\n",
     "loading/weights_buffer", NULL},
    {"load_tensors: loading model tensors\nllama_context: n_ctx = 8192\nllama_kv_cache: KV self "
     "size "
     "= 900 MiB\nallocating 900.00 MiB on device 0: cudaMalloc failed: out of memory\n",
     "generation/context_creation", NULL},
    {"llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv "
     "cache",
     "generation/context_creation", NULL},
    {"INFO Capturing the model for CUDA graphs.\n" OOM, "generation/graph_capture_at_start", NULL},
    {"vllm/worker/worker.py in determine_num_available_blocks\n in profile_run\n" OOM,
     "generation/profile_run_at_start", NULL},
    /* lines of a log, the last one before the message */
    {"Loading checkpoint shards:  50%|#####     | 2/4 [00:05<00:05]\n" OOM, "loading/-", NULL},
    {"Loading checkpoint shards: 100%|####| 4/4\n***** Running Evaluation *****\n" OOM,
     "evaluation/-", NULL},
    {"Saving model checkpoint to ./out\n" OOM, "checkpoint_export/-", NULL},
    {"Before initializing optimizer states\nfailed (exitcode: -9)\n",
     "optimizer_step/optimizer_state_initialisation", NULL},
    /* words of a person */
    {"It fails during evaluation: " OOM, "evaluation/-", "during evaluation"},
    {"when resuming training from a checkpoint I get " OOM, "loading/resume", NULL},
    {OOM "(occurs during ZeRO optimizer state initialization)",
     "optimizer_step/optimizer_state_initialisation", NULL},
    /* a compiled program that fills the device was running; a small one tells nothing */
    {"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 2147483648 bytes.\n"
     "  total allocation:    9.50GiB\n",
     "forward/execution_of_a_compiled_program", NULL},
    {"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4194304 bytes.\n"
     "  total allocation:    8.00MiB\n",
     "undetermined/-", NULL},
    {OOM, "undetermined/-", NULL},
    {"Killed process 9 (python) total-vm:9kB, anon-rss:9kB, shmem-rss:9kB", "undetermined/-", NULL},
    {"nothing", "undetermined/-", NULL},
};

START_TEST(phases) {
  _json_ json_t *j = dx_text(rows[_i].text);
  dx_phase(j, rows[_i].phase);
  if (rows[_i].from) ck_assert_msg(dx_says(j, "phase_from", rows[_i].from), "%s", rows[_i].from);
  ck_assert_uint_le(json_array_size(json_object_get(j, "phase_from")), 3);
}
END_TEST

START_TEST(a_phase_tells_where_it_stands) {
  static const char text[] = "x\nTraceback (most recent call last):\n  loss . backward ( )\n" OOM;
  _json_ json_t *j = dx_text(text);
  const json_t *span = json_array_get(json_object_get(j, "phase_spans"), 0);
  _json_ json_t *holder = json_pack("{s:O}", "span", span);
  dx_span(holder, text, "loss . backward (");
  ck_assert_str_eq(json_string_value(json_object_get(j, "phase_basis")), "frames");
}
END_TEST

START_TEST(the_context_is_weaker_than_the_text) {
  _json_ json_t *a = dx_run((struct dx_in){.text = OOM, .context = "save_steps: 1\nmethod: full"});
  _json_ json_t *b =
      dx_run((struct dx_in){.text = TRACE "  loss.backward()\n" OOM, .context = "when saving"});
  dx_phase(a, "checkpoint_export/-");
  ck_assert_str_eq(json_string_value(json_object_get(a, "phase_basis")), "context");
  dx_phase(b, "backward/-");
}
END_TEST

/* Offload buffers are pinned, so loading was over; the launcher alone, or private memory alone,
   shows nothing. */
START_TEST(pinned_memory_of_a_killed_job_points_at_saving) {
  static const char launcher[] = "[launch.py:319:sigkill_handler] Killing subprocess 10\n";
  static const char killed[] = "Out of memory: Killed process 10 (python) total-vm:9kB, "
                               "anon-rss:30000000kB, shmem-rss:%s";
  char text[300];
  snprintf(text, sizeof text, "%s%s20000000kB", launcher, "Killed process 1 (p) shmem-rss:");
  _json_ json_t *a = dx_text(text);
  snprintf(text, sizeof text, "%s%s200kB", launcher,
           "Killed process 1 (p) total-vm:1kB shmem-rss:");
  _json_ json_t *b = dx_text(text);
  snprintf(text, sizeof text, killed, "20000000kB");
  _json_ json_t *c = dx_text(text);
  dx_phase(a, "checkpoint_export/-");
  ck_assert_str_eq(json_string_value(json_object_get(a, "phase_basis")), "arithmetic");
  dx_phase(b, "undetermined/-");
  dx_phase(c, "undetermined/-");
}
END_TEST

int main(void) {
  Suite *s = suite_create("diagnose_phase");
  TCase *t = tcase_create("phase");
  tcase_add_loop_test(t, phases, 0, sizeof rows / sizeof *rows);
  tcase_add_test(t, a_phase_tells_where_it_stands);
  tcase_add_test(t, the_context_is_weaker_than_the_text);
  tcase_add_test(t, pinned_memory_of_a_killed_job_points_at_saving);
  suite_add_tcase(s, t);
  return dx_main(s);
}
