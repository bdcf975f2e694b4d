noinst_LIBRARIES += libsheet.a
libsheet_a_SOURCES = \
	core/sheet/check.h \
	core/sheet/names.c \
	core/sheet/sheet.c core/sheet/sheet.h \
	core/sheet/sheet_check.c \
	core/sheet/sheet_spec.c \
	core/sheet/types.c core/sheet/types.h
libsheet_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
