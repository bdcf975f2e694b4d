# What core/memory adds to the build.
noinst_LIBRARIES += libmemory.a
libmemory_a_SOURCES = \
	core/memory/budget.c core/memory/budget.h \
	core/memory/budget_json.c \
	core/memory/build.h \
	core/memory/formats.c core/memory/formats.def \
	core/memory/training.c
libmemory_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += \
	tests/unit/t_budget
tests_unit_t_budget_SOURCES = tests/unit/t_budget.c
tests_unit_t_budget_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_budget_LDADD = libshapes.a $(MEMORY_LIBS) $(CHECK_LIBS)
endif
