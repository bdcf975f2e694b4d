# The HTTP process without its main, which the top wires with all layers.
noinst_LIBRARIES += libserver.a
libserver_a_SOURCES = \
	server/access.c \
	server/auth.c server/auth.h \
	server/check.c \
	server/config.c server/config.h server/config.def \
	server/daemon.c server/daemon.h \
	server/decode.c server/decode.h \
	server/etag.c \
	server/exchange.c \
	server/framing.c server/framing.h \
	server/internal.h \
	server/log.c server/log.h \
	server/media.c \
	server/metrics.c server/metrics.h \
	server/negotiate.c server/negotiate.h \
	server/problem.c server/problem.h \
	server/query.c server/query.h \
	server/reply.c server/reply.h \
	server/req.c server/req.h \
	server/route.c server/route.h \
	server/send.c \
	server/watch.c server/watch.h

if HAVE_CHECK
SERVER_TEST_LIBS = $(SERVER_LIBS) $(CHECK_LIBS)
check_PROGRAMS += \
	tests/unit/t_route \
	tests/unit/t_negotiate \
	tests/unit/t_etag \
	tests/unit/t_framing \
	tests/unit/t_reply \
	tests/unit/t_config \
	tests/wire/t_wire \
	tests/wire/t_wire_answers \
	tests/wire/t_wire_endings
tests_unit_t_route_SOURCES = tests/unit/t_route.c
tests_unit_t_route_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_route_LDADD = $(SERVER_TEST_LIBS)
tests_unit_t_negotiate_SOURCES = tests/unit/t_negotiate.c
tests_unit_t_negotiate_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_negotiate_LDADD = $(SERVER_TEST_LIBS)
tests_unit_t_etag_SOURCES = tests/unit/t_etag.c
tests_unit_t_etag_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_etag_LDADD = $(SERVER_TEST_LIBS)
tests_unit_t_framing_SOURCES = tests/unit/t_framing.c
tests_unit_t_framing_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_framing_LDADD = $(SERVER_TEST_LIBS)
tests_unit_t_reply_SOURCES = tests/unit/t_reply.c
tests_unit_t_reply_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_reply_LDADD = $(SERVER_TEST_LIBS)
tests_unit_t_config_SOURCES = tests/unit/t_config.c
tests_unit_t_config_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_config_LDADD = $(SERVER_TEST_LIBS)
tests_wire_t_wire_SOURCES = tests/wire/t_wire.c tests/wire/wire.c tests/wire/wire.h
tests_wire_t_wire_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_wire_t_wire_LDADD = $(SERVER_TEST_LIBS)
tests_wire_t_wire_answers_SOURCES = tests/wire/t_wire_answers.c tests/wire/wire.c tests/wire/wire.h
tests_wire_t_wire_answers_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_wire_t_wire_answers_LDADD = $(SERVER_TEST_LIBS)
tests_wire_t_wire_endings_SOURCES = tests/wire/t_wire_endings.c tests/wire/wire.c tests/wire/wire.h
tests_wire_t_wire_endings_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_wire_t_wire_endings_LDADD = $(SERVER_TEST_LIBS)
endif

FUZZERS += tests/fuzz/f_path tests/fuzz/f_accept tests/fuzz/f_etag
tests_fuzz_f_path_SOURCES = tests/fuzz/f_path.c tests/fuzz/fuzz.h
tests_fuzz_f_accept_SOURCES = tests/fuzz/f_accept.c tests/fuzz/fuzz.h
tests_fuzz_f_etag_SOURCES = tests/fuzz/f_etag.c tests/fuzz/fuzz.h
if !ENABLE_FUZZERS
tests_fuzz_f_path_SOURCES += tests/fuzz/replay_main.c
tests_fuzz_f_accept_SOURCES += tests/fuzz/replay_main.c
tests_fuzz_f_etag_SOURCES += tests/fuzz/replay_main.c
endif
tests_fuzz_f_path_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_f_accept_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_f_etag_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_f_path_LDADD = $(SERVER_LIBS)
tests_fuzz_f_accept_LDADD = $(SERVER_LIBS)
tests_fuzz_f_etag_LDADD = $(SERVER_LIBS)
EXTRA_DIST += tests/fuzz/corpus/path tests/fuzz/corpus/accept tests/fuzz/corpus/etag
