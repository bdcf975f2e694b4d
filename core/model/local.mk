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
	core/model/arch_llama.c \
	core/model/arch_mixtral.c \
	core/model/arch_phi.c \
	core/model/arch_quant.c \
	core/model/arch_qwen.c \
	core/model/arch_vision.c \
	core/model/field.c core/model/field.h \
	core/model/model.c core/model/model.h
libmodel_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)

MODEL_TEST_LIBS = $(MODEL_LIBS) $(CHECK_LIBS)

if HAVE_CHECK
check_PROGRAMS += tests/unit/t_arch
tests_unit_t_arch_SOURCES = tests/unit/t_arch.c
tests_unit_t_arch_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_arch_LDADD = $(MODEL_TEST_LIBS)
endif
EXTRA_DIST += tests/data/vectors
