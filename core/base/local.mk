noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	core/base/arena.c core/base/arena.h \
	core/base/buf.c core/base/buf.h \
	core/base/cleanup.h \
	core/base/decimal.c \
	core/base/err.c core/base/err.h core/base/errcodes.def \
	core/base/hash.c core/base/hash.h \
	core/base/json.c core/base/json.h \
	core/base/json_scan.c core/base/json_scan.h \
	core/base/jspec.h core/base/jspec_in.h \
	core/base/jspec_decode.c \
	core/base/jspec_encode.c \
	core/base/jspec_names.c \
	core/base/jspec_scalar.c \
	core/base/jspec_schema.c \
	core/base/jspec_value.c \
	core/base/math.c \
	core/base/text.c core/base/text.h \
	core/base/time.c \
	core/base/units.c core/base/units.h \
	core/base/version.c
libbase_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS)

BASE_TEST_LIBS = libbase.a $(CHECK_LIBS) $(JANSSON_LIBS) $(SODIUM_LIBS)

check_PROGRAMS += \
	tests/unit/t_err \
	tests/unit/t_arena \
	tests/unit/t_buf \
	tests/unit/t_text \
	tests/unit/t_units \
	tests/unit/t_json \
	tests/unit/t_jsontestsuite \
	tests/unit/t_jspec \
	tests/unit/t_jspec_encode
tests_unit_t_err_SOURCES = tests/unit/t_err.c
tests_unit_t_err_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_err_LDADD = $(BASE_TEST_LIBS)
tests_unit_t_arena_SOURCES = tests/unit/t_arena.c
tests_unit_t_arena_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_arena_LDADD = $(BASE_TEST_LIBS)
tests_unit_t_buf_SOURCES = tests/unit/t_buf.c
tests_unit_t_buf_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_buf_LDADD = $(BASE_TEST_LIBS)
tests_unit_t_text_SOURCES = tests/unit/t_text.c
tests_unit_t_text_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_text_LDADD = $(BASE_TEST_LIBS)
tests_unit_t_units_SOURCES = tests/unit/t_units.c
tests_unit_t_units_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_units_LDADD = $(BASE_TEST_LIBS)
tests_unit_t_json_SOURCES = tests/unit/t_json.c
tests_unit_t_json_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_json_LDADD = $(BASE_TEST_LIBS)
tests_unit_t_jsontestsuite_SOURCES = tests/unit/t_jsontestsuite.c
tests_unit_t_jsontestsuite_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_jsontestsuite_LDADD = $(BASE_TEST_LIBS)
tests_unit_t_jspec_SOURCES = tests/unit/t_jspec.c tests/unit/jspec_thing.h
tests_unit_t_jspec_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_jspec_LDADD = $(BASE_TEST_LIBS)
tests_unit_t_jspec_encode_SOURCES = tests/unit/t_jspec_encode.c tests/unit/jspec_thing.h
tests_unit_t_jspec_encode_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_jspec_encode_LDADD = $(BASE_TEST_LIBS)
EXTRA_DIST += tests/data/jsontestsuite

FUZZERS += tests/fuzz/f_json_body tests/fuzz/f_units
tests_fuzz_f_json_body_SOURCES = tests/fuzz/f_json_body.c tests/fuzz/fuzz.h
tests_fuzz_f_units_SOURCES = tests/fuzz/f_units.c tests/fuzz/fuzz.h
if !ENABLE_FUZZERS
tests_fuzz_f_json_body_SOURCES += tests/fuzz/replay_main.c
tests_fuzz_f_units_SOURCES += tests/fuzz/replay_main.c
endif
tests_fuzz_f_json_body_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_f_units_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_f_json_body_LDADD = libbase.a $(JANSSON_LIBS) $(SODIUM_LIBS)
tests_fuzz_f_units_LDADD = libbase.a $(JANSSON_LIBS) $(SODIUM_LIBS)
EXTRA_DIST += tests/fuzz/corpus/json_body tests/fuzz/corpus/units
