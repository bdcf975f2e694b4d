# The importers of price files, for the catalogue's local.mk.
IMPORT_SOURCES = \
	core/catalogue/checks.c \
	core/catalogue/import.c core/catalogue/import.h core/catalogue/import_codes.def \
	core/catalogue/import_internal.h \
	core/catalogue/import_csv_reader.c \
	core/catalogue/import_findings.c \
	core/catalogue/import_key.c \
	core/catalogue/import_literal.c \
	core/catalogue/import_native.c core/catalogue/import_native.h \
	core/catalogue/import_native_checks.c \
	core/catalogue/import_native_csv.c \
	core/catalogue/import_sky.h \
	core/catalogue/import_sky_cells.c \
	core/catalogue/import_sky_groups.c \
	core/catalogue/import_sky_memory.c \
	core/catalogue/import_sky_offers.c \
	core/catalogue/import_skypilot.c

check_LIBRARIES += libimportfiles.a
libimportfiles_a_SOURCES = tests/unit/import_files.c tests/unit/import_files.h
libimportfiles_a_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
IMPORT_TEST_LIBS = libimportfiles.a $(CATALOGUE_LIBS) $(CHECK_LIBS)

check_PROGRAMS += \
	tests/unit/t_import_checks \
	tests/unit/t_import_csv \
	tests/unit/t_import_literal \
	tests/unit/t_import_native \
	tests/unit/t_import_rows \
	tests/unit/t_import_skypilot
tests_unit_t_import_checks_SOURCES = tests/unit/t_import_checks.c
tests_unit_t_import_checks_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_import_checks_LDADD = $(IMPORT_TEST_LIBS)
tests_unit_t_import_csv_SOURCES = tests/unit/t_import_csv.c
tests_unit_t_import_csv_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_import_csv_LDADD = $(IMPORT_TEST_LIBS)
tests_unit_t_import_literal_SOURCES = tests/unit/t_import_literal.c
tests_unit_t_import_literal_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_import_literal_LDADD = $(IMPORT_TEST_LIBS)
tests_unit_t_import_native_SOURCES = tests/unit/t_import_native.c
tests_unit_t_import_native_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_import_native_LDADD = $(IMPORT_TEST_LIBS)
tests_unit_t_import_rows_SOURCES = tests/unit/t_import_rows.c
tests_unit_t_import_rows_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_import_rows_LDADD = $(IMPORT_TEST_LIBS)
tests_unit_t_import_skypilot_SOURCES = tests/unit/t_import_skypilot.c
tests_unit_t_import_skypilot_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_import_skypilot_LDADD = $(IMPORT_TEST_LIBS)
EXTRA_DIST += tests/data/catalogues

FUZZERS += tests/fuzz/f_import_csv tests/fuzz/f_import_literal
tests_fuzz_f_import_csv_SOURCES = tests/fuzz/f_import_csv.c tests/fuzz/fuzz.h
tests_fuzz_f_import_literal_SOURCES = tests/fuzz/f_import_literal.c tests/fuzz/fuzz.h
if !ENABLE_FUZZERS
tests_fuzz_f_import_csv_SOURCES += tests/fuzz/replay_main.c
tests_fuzz_f_import_literal_SOURCES += tests/fuzz/replay_main.c
endif
tests_fuzz_f_import_csv_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_f_import_literal_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_f_import_csv_LDADD = $(CATALOGUE_LIBS)
tests_fuzz_f_import_literal_LDADD = $(CATALOGUE_LIBS)
EXTRA_DIST += tests/fuzz/corpus/import_csv tests/fuzz/corpus/import_literal
