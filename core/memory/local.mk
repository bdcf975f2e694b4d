# What core/memory adds to the build.
noinst_LIBRARIES += libmemory.a
libmemory_a_SOURCES = \
	core/memory/budget.c core/memory/budget.h \
	core/memory/budget_json.c \
	core/memory/build.h \
	core/memory/formats.c core/memory/formats.def \
	core/memory/training.c
libmemory_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
