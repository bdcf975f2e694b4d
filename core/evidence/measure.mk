# The readers of measurements, for the folder's local.mk.
MEASURE_SOURCES = \
	core/evidence/measure.c core/evidence/measure.h \
	core/evidence/measure_counters.def core/evidence/measure_notes.def \
	core/evidence/measure_internal.h core/evidence/measure_keep.h \
	core/evidence/measure_llama.h core/evidence/measure_nvidia.h \
	core/evidence/measure_breakdown.c \
	core/evidence/measure_deepspeed.c \
	core/evidence/measure_facts.c \
	core/evidence/measure_form.c \
	core/evidence/measure_gather.c \
	core/evidence/measure_json.c \
	core/evidence/measure_llama_bench.c \
	core/evidence/measure_llamacpp.c \
	core/evidence/measure_number.c \
	core/evidence/measure_nvidia_csv.c \
	core/evidence/measure_nvidia_q.c \
	core/evidence/measure_nvidia_smi.c \
	core/evidence/measure_ollama.c \
	core/evidence/measure_result.c \
	core/evidence/measure_series.c \
	core/evidence/measure_text.c \
	core/evidence/measure_time.c \
	core/evidence/measure_torch.c \
	core/evidence/measure_trainer.c \
	core/evidence/measure_vllm.c
libevidence_a_SOURCES += $(MEASURE_SOURCES)

if HAVE_CHECK
check_LIBRARIES += libmeasuretest.a
libmeasuretest_a_SOURCES = tests/unit/measure_test.c tests/unit/measure_test.h
libmeasuretest_a_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
MEASURE_TEST_LIBS = libmeasuretest.a $(EVIDENCE_LIBS) $(CHECK_LIBS)

check_PROGRAMS += \
	tests/unit/t_measure_cases \
	tests/unit/t_measure_llama \
	tests/unit/t_measure_nvidia \
	tests/unit/t_measure_result \
	tests/unit/t_measure_text \
	tests/unit/t_measure_torch \
	tests/unit/t_measure_trainers \
	tests/unit/t_measure_vllm
tests_unit_t_measure_cases_SOURCES = tests/unit/t_measure_cases.c
tests_unit_t_measure_cases_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_measure_cases_LDADD = $(MEASURE_TEST_LIBS)
tests_unit_t_measure_llama_SOURCES = tests/unit/t_measure_llama.c
tests_unit_t_measure_llama_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_measure_llama_LDADD = $(MEASURE_TEST_LIBS)
tests_unit_t_measure_nvidia_SOURCES = tests/unit/t_measure_nvidia.c
tests_unit_t_measure_nvidia_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_measure_nvidia_LDADD = $(MEASURE_TEST_LIBS)
tests_unit_t_measure_result_SOURCES = tests/unit/t_measure_result.c
tests_unit_t_measure_result_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_measure_result_LDADD = $(MEASURE_TEST_LIBS)
tests_unit_t_measure_text_SOURCES = tests/unit/t_measure_text.c
tests_unit_t_measure_text_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_measure_text_LDADD = $(MEASURE_TEST_LIBS)
tests_unit_t_measure_torch_SOURCES = tests/unit/t_measure_torch.c
tests_unit_t_measure_torch_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_measure_torch_LDADD = $(MEASURE_TEST_LIBS)
tests_unit_t_measure_trainers_SOURCES = tests/unit/t_measure_trainers.c
tests_unit_t_measure_trainers_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_measure_trainers_LDADD = $(MEASURE_TEST_LIBS)
tests_unit_t_measure_vllm_SOURCES = tests/unit/t_measure_vllm.c
tests_unit_t_measure_vllm_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_measure_vllm_LDADD = $(MEASURE_TEST_LIBS)
endif

FUZZERS += tests/fuzz/f_measure
tests_fuzz_f_measure_SOURCES = tests/fuzz/f_measure.c tests/fuzz/fuzz.h
if !ENABLE_FUZZERS
tests_fuzz_f_measure_SOURCES += tests/fuzz/replay_main.c
endif
tests_fuzz_f_measure_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_f_measure_LDADD = $(EVIDENCE_LIBS)
EXTRA_DIST += tests/fuzz/corpus/measure
