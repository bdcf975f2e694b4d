noinst_LIBRARIES += libmodel.a
libmodel_a_SOURCES = \
	core/model/arch.c core/model/arch.h core/model/architectures.def \
	core/model/arch_build.c \
	core/model/arch_decoder.c \
	core/model/arch_deepseek.c \
	core/model/arch_falcon.c \
	core/model/arch_gemma.c \
	core/model/arch_gpt2.c \
	core/model/arch_gpt_neox.c \
	core/model/arch_gpt_oss.c \
	core/model/arch_in.c core/model/arch_in.h \
	core/model/arch_json.c \
	core/model/arch_llama.c \
	core/model/arch_mixtral.c \
	core/model/arch_phi.c \
	core/model/arch_quant.c \
	core/model/arch_qwen.c \
	core/model/arch_skip.c \
	core/model/arch_vision.c \
	core/model/field.c core/model/field.h \
	core/model/gguf.c core/model/gguf.h core/model/gguf_in.h core/model/ggml_types.def \
	core/model/gguf_dims.c \
	core/model/gguf_split.c \
	core/model/model.c core/model/model.h \
	core/model/safetensors.c core/model/safetensors.h core/model/safetensors_types.def \
	core/model/tensors.c core/model/tensors.h
libmodel_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)

if HAVE_CHECK
check_LIBRARIES += libmodeltest.a
libmodeltest_a_SOURCES = tests/unit/modeltest.c tests/unit/modeltest.h tests/unit/ggufhead.h
libmodeltest_a_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
MODEL_TEST_LIBS = libmodeltest.a $(MODEL_LIBS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/t_arch tests/unit/t_arch_fields tests/unit/t_gguf \
	tests/unit/t_gguf_lies tests/unit/t_safetensors
tests_unit_t_arch_SOURCES = tests/unit/t_arch.c
tests_unit_t_arch_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_arch_LDADD = $(MODEL_TEST_LIBS)
tests_unit_t_arch_fields_SOURCES = tests/unit/t_arch_fields.c
tests_unit_t_arch_fields_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_arch_fields_LDADD = $(MODEL_TEST_LIBS)
tests_unit_t_gguf_SOURCES = tests/unit/t_gguf.c
tests_unit_t_gguf_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_gguf_LDADD = $(MODEL_TEST_LIBS)
tests_unit_t_gguf_lies_SOURCES = tests/unit/t_gguf_lies.c
tests_unit_t_gguf_lies_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_gguf_lies_LDADD = $(MODEL_TEST_LIBS)
tests_unit_t_safetensors_SOURCES = tests/unit/t_safetensors.c
tests_unit_t_safetensors_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_safetensors_LDADD = $(MODEL_TEST_LIBS)
endif
EXTRA_DIST += tests/data/vectors

FUZZERS += tests/fuzz/f_config tests/fuzz/f_gguf tests/fuzz/f_safetensors
tests_fuzz_f_config_SOURCES = tests/fuzz/f_config.c tests/fuzz/fuzz.h
tests_fuzz_f_gguf_SOURCES = tests/fuzz/f_gguf.c tests/fuzz/fuzz.h
tests_fuzz_f_safetensors_SOURCES = tests/fuzz/f_safetensors.c tests/fuzz/fuzz.h
if !ENABLE_FUZZERS
tests_fuzz_f_config_SOURCES += tests/fuzz/replay_main.c
tests_fuzz_f_gguf_SOURCES += tests/fuzz/replay_main.c
tests_fuzz_f_safetensors_SOURCES += tests/fuzz/replay_main.c
endif
tests_fuzz_f_config_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_f_gguf_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_f_safetensors_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_f_config_LDADD = $(MODEL_LIBS)
tests_fuzz_f_gguf_LDADD = $(MODEL_LIBS)
tests_fuzz_f_safetensors_LDADD = $(MODEL_LIBS)
EXTRA_DIST += tests/fuzz/corpus/config tests/fuzz/corpus/gguf tests/fuzz/corpus/safetensors
