# What tests adds to the build: the tests that use the whole core.
if HAVE_CHECK
check_LIBRARIES += libworld.a
libworld_a_SOURCES = tests/unit/world.c tests/unit/world.h
libworld_a_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
WORLD_LIBS = libworld.a $(CORE_LIBS) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/t_cases tests/unit/t_property
tests_unit_t_cases_SOURCES = tests/unit/t_cases.c
tests_unit_t_cases_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_cases_LDADD = $(WORLD_LIBS)
tests_unit_t_property_SOURCES = tests/unit/t_property.c
tests_unit_t_property_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_property_LDADD = $(WORLD_LIBS)

# Against the real program: it is killed, fed what it must refuse, fed whole catalogues, called from a
# shell.
check_LIBRARIES += libclienttest.a
libclienttest_a_SOURCES = tests/http/client.c tests/http/client.h tests/http/hostile.c \
	tests/http/hostile.h
libclienttest_a_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(CURL_CFLAGS)
CLIENT_LIBS = libclienttest.a $(HTTP_TEST_LIBS)

check_PROGRAMS += tests/fault/t_http_kill \
	tests/http/t_http_catalogues \
	tests/http/t_http_ci \
	tests/http/t_http_fields \
	tests/http/t_http_hostile \
	tests/http/t_http_lines \
	tests/http/t_http_readers \
	tests/http/t_http_texts \
	tests/wire/t_wire_stop
tests_fault_t_http_kill_SOURCES = tests/fault/t_http_kill.c
tests_fault_t_http_kill_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_fault_t_http_kill_LDADD = $(CLIENT_LIBS)
tests_http_t_http_fields_SOURCES = tests/http/t_http_fields.c
tests_http_t_http_fields_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_fields_LDADD = $(CLIENT_LIBS)
tests_http_t_http_hostile_SOURCES = tests/http/t_http_hostile.c
tests_http_t_http_hostile_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_hostile_LDADD = $(CLIENT_LIBS)
tests_http_t_http_texts_SOURCES = tests/http/t_http_texts.c
tests_http_t_http_texts_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_texts_LDADD = $(CLIENT_LIBS)
tests_http_t_http_catalogues_SOURCES = tests/http/t_http_catalogues.c
tests_http_t_http_catalogues_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_catalogues_LDADD = $(CLIENT_LIBS)
tests_http_t_http_readers_SOURCES = tests/http/t_http_readers.c
tests_http_t_http_readers_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_readers_LDADD = $(CLIENT_LIBS)
tests_wire_t_wire_stop_SOURCES = tests/wire/t_wire_stop.c tests/wire/wire.c tests/wire/wire.h
tests_wire_t_wire_stop_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_wire_t_wire_stop_LDADD = $(SERVER_TEST_LIBS)
tests_http_t_http_ci_SOURCES = tests/http/t_http_ci.c
tests_http_t_http_ci_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_ci_LDADD = $(CLIENT_LIBS)
tests_http_t_http_lines_SOURCES = tests/http/t_http_lines.c
tests_http_t_http_lines_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_lines_LDADD = $(CLIENT_LIBS)
endif
EXTRA_DIST += tests/data/cases
