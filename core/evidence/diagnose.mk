# The diagnosis of out-of-memory messages, for the folder's local.mk.
libevidence_a_SOURCES += \
	core/evidence/diagnose.c core/evidence/diagnose.h core/evidence/diagnose_internal.h \
	core/evidence/advice.def core/evidence/causes.def core/evidence/clauses.def \
	core/evidence/facts.def core/evidence/figures.def core/evidence/flags.def \
	core/evidence/frames.def core/evidence/shapes.def core/evidence/wordings.def \
	core/evidence/diagnose_advice.c \
	core/evidence/diagnose_cause.c \
	core/evidence/diagnose_clause.c \
	core/evidence/diagnose_derive.c \
	core/evidence/diagnose_draft.c \
	core/evidence/diagnose_explain.c \
	core/evidence/diagnose_fill.c \
	core/evidence/diagnose_flags.c \
	core/evidence/diagnose_flat.c \
	core/evidence/diagnose_frames.c \
	core/evidence/diagnose_job.c \
	core/evidence/diagnose_json.c \
	core/evidence/diagnose_message.c \
	core/evidence/diagnose_number.c \
	core/evidence/diagnose_prefix.c \
	core/evidence/diagnose_scan.c \
	core/evidence/diagnose_words.c

if HAVE_CHECK
check_LIBRARIES += libdiagnosetest.a
libdiagnosetest_a_SOURCES = tests/unit/diagnosetest.c tests/unit/diagnosetest.h
libdiagnosetest_a_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
DIAGNOSE_TEST_LIBS = libdiagnosetest.a $(EVIDENCE_LIBS) $(CHECK_LIBS)

check_PROGRAMS += \
	tests/unit/t_diagnose_cases \
	tests/unit/t_diagnose_cause \
	tests/unit/t_diagnose_draft \
	tests/unit/t_diagnose_explain \
	tests/unit/t_diagnose_message \
	tests/unit/t_diagnose_phase \
	tests/unit/t_diagnose_tables \
	tests/unit/t_diagnose_text
tests_unit_t_diagnose_cases_SOURCES = tests/unit/t_diagnose_cases.c
tests_unit_t_diagnose_cases_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_diagnose_cases_LDADD = $(DIAGNOSE_TEST_LIBS)
tests_unit_t_diagnose_cause_SOURCES = tests/unit/t_diagnose_cause.c
tests_unit_t_diagnose_cause_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_diagnose_cause_LDADD = $(DIAGNOSE_TEST_LIBS)
tests_unit_t_diagnose_draft_SOURCES = tests/unit/t_diagnose_draft.c
tests_unit_t_diagnose_draft_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_diagnose_draft_LDADD = $(DIAGNOSE_TEST_LIBS)
tests_unit_t_diagnose_explain_SOURCES = tests/unit/t_diagnose_explain.c
tests_unit_t_diagnose_explain_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_diagnose_explain_LDADD = $(DIAGNOSE_TEST_LIBS)
tests_unit_t_diagnose_message_SOURCES = tests/unit/t_diagnose_message.c
tests_unit_t_diagnose_message_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_diagnose_message_LDADD = $(DIAGNOSE_TEST_LIBS)
tests_unit_t_diagnose_phase_SOURCES = tests/unit/t_diagnose_phase.c
tests_unit_t_diagnose_phase_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_diagnose_phase_LDADD = $(DIAGNOSE_TEST_LIBS)
tests_unit_t_diagnose_tables_SOURCES = tests/unit/t_diagnose_tables.c
tests_unit_t_diagnose_tables_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_diagnose_tables_LDADD = $(DIAGNOSE_TEST_LIBS)
tests_unit_t_diagnose_text_SOURCES = tests/unit/t_diagnose_text.c
tests_unit_t_diagnose_text_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_diagnose_text_LDADD = $(DIAGNOSE_TEST_LIBS)
endif

FUZZERS += tests/fuzz/f_diagnose
tests_fuzz_f_diagnose_SOURCES = tests/fuzz/f_diagnose.c tests/fuzz/fuzz.h
if !ENABLE_FUZZERS
tests_fuzz_f_diagnose_SOURCES += tests/fuzz/replay_main.c
endif
tests_fuzz_f_diagnose_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_f_diagnose_LDADD = $(EVIDENCE_LIBS)
EXTRA_DIST += tests/fuzz/corpus/diagnose
