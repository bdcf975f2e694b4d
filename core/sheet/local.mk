noinst_LIBRARIES += libsheet.a
libsheet_a_SOURCES = \
	core/sheet/check.h \
	core/sheet/names.c \
	core/sheet/sheet.c core/sheet/sheet.h \
	core/sheet/sheet_check.c \
	core/sheet/sheet_spec.c \
	core/sheet/types.c core/sheet/types.h
libsheet_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)

if HAVE_CHECK
# Helpers for the tests of the domain's tables.
check_LIBRARIES += libshapes.a
libshapes_a_SOURCES = tests/unit/shapes.c tests/unit/shapes.h
libshapes_a_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)

check_PROGRAMS += \
	tests/unit/t_sheet
tests_unit_t_sheet_SOURCES = tests/unit/t_sheet.c
tests_unit_t_sheet_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_sheet_LDADD = libshapes.a $(SHEET_LIBS) $(CHECK_LIBS)
endif
