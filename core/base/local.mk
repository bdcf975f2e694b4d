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
