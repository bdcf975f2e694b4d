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

if HAVE_CHECK
check_PROGRAMS += \
	tests/unit/t_index \
	tests/unit/t_piece \
	tests/unit/t_scope
tests_unit_t_index_SOURCES = tests/unit/t_index.c
tests_unit_t_index_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_index_LDADD = libshapes.a $(EVIDENCE_LIBS) $(CHECK_LIBS)
tests_unit_t_piece_SOURCES = tests/unit/t_piece.c
tests_unit_t_piece_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_piece_LDADD = libshapes.a $(EVIDENCE_LIBS) $(CHECK_LIBS)
tests_unit_t_scope_SOURCES = tests/unit/t_scope.c
tests_unit_t_scope_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_scope_LDADD = libshapes.a $(EVIDENCE_LIBS) $(CHECK_LIBS)
endif

include $(top_srcdir)/core/evidence/diagnose.mk
include $(top_srcdir)/core/evidence/measure.mk
