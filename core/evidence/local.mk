# What core/evidence adds to the build.
noinst_LIBRARIES += libevidence.a
libevidence_a_SOURCES = \
	core/evidence/evidence.c core/evidence/evidence.h \
	core/evidence/facts.c \
	core/evidence/index.c \
	core/evidence/kinds.c core/evidence/kinds.h core/evidence/kinds.def \
	core/evidence/piece.c core/evidence/piece.h core/evidence/piece_check.h \
	core/evidence/piece_spec.c \
	core/evidence/policy.c \
	core/evidence/scope.c
libevidence_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
