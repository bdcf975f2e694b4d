# The interface: routes, handlers, formats.
noinst_LIBRARIES += libapi.a
libapi_a_SOURCES = \
	api/answer.c api/answer.h \
	api/auth.c api/auth.h \
	api/catalogue.c api/catalogue.h \
	api/context.c api/context.h \
	api/cursor.c api/cursor.h \
	api/decision.c api/decision.h \
	api/dispatch.c api/dispatch.h \
	api/evaluate.c api/evaluate.h \
	api/gate.c api/gate.h \
	api/handlers.h \
	api/h_budget.c \
	api/h_content.c \
	api/h_decisions.c \
	api/h_decisions_get.c \
	api/h_diagnoses.c api/diagnosis.h \
	api/render_diagnosis.c \
	api/h_evidence.c \
	api/h_evidence_list.c \
	api/h_human.c \
	api/h_imports.c \
	api/h_lists.c \
	api/h_meta.c \
	api/h_offers.c \
	api/h_offers_list.c \
	api/h_sheets.c \
	api/h_shortlist.c \
	api/h_tokens.c \
	api/importing.c api/importing.h \
	api/importing_store.c \
	api/listing.c api/listing.h \
	api/openapi.c api/openapi.h api/openapi_in.h \
	api/openapi_schemas.c \
	api/piece.h \
	api/question.c api/question.h \
	api/record.c api/record.h \
	api/record_write.c \
	api/render.h \
	api/render_csv.c \
	api/render_junit.c \
	api/render_md.c \
	api/render_parts.c \
	api/render_text.c \
	api/render_why.c \
	api/routes.c api/routes.h \
	api/shortlist.h \
	api/show.c api/show.h \
	api/source.c api/source.h \
	api/table.c api/table.h \
	api/token.h \
	api/world.c api/world.h

EXTRA_DIST += static/openapi.json tests/golden

if HAVE_CHECK
check_LIBRARIES += libhttptest.a
libhttptest_a_SOURCES = tests/http/example.c tests/http/http.c tests/http/http.h
libhttptest_a_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(CURL_CFLAGS)
HTTP_TEST_LIBS = libhttptest.a $(CHECK_LIBS) $(CURL_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += tests/http/t_http_decisions \
	tests/http/t_http_evidence \
	tests/http/t_http_example \
	tests/http/t_http_human \
	tests/http/t_http_imports \
	tests/http/t_http_diagnoses \
	tests/http/t_http_lists \
	tests/http/t_http_meta \
	tests/http/t_http_offers \
	tests/http/t_http_sheets \
	tests/http/t_http_shortlist \
	tests/http/t_http_tokens \
	tests/unit/t_table
tests_http_t_http_decisions_SOURCES = tests/http/t_http_decisions.c
tests_http_t_http_decisions_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_decisions_LDADD = $(HTTP_TEST_LIBS)
tests_http_t_http_evidence_SOURCES = tests/http/t_http_evidence.c
tests_http_t_http_evidence_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_evidence_LDADD = $(HTTP_TEST_LIBS)
tests_http_t_http_example_SOURCES = tests/http/t_http_example.c
tests_http_t_http_example_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_example_LDADD = $(HTTP_TEST_LIBS)
tests_http_t_http_human_SOURCES = tests/http/t_http_human.c
tests_http_t_http_human_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_human_LDADD = $(HTTP_TEST_LIBS)
tests_http_t_http_imports_SOURCES = tests/http/t_http_imports.c
tests_http_t_http_imports_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_imports_LDADD = $(HTTP_TEST_LIBS)
tests_http_t_http_diagnoses_SOURCES = tests/http/t_http_diagnoses.c
tests_http_t_http_diagnoses_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_diagnoses_LDADD = $(HTTP_TEST_LIBS)
tests_http_t_http_lists_SOURCES = tests/http/t_http_lists.c
tests_http_t_http_lists_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_lists_LDADD = $(HTTP_TEST_LIBS)
tests_http_t_http_meta_SOURCES = tests/http/t_http_meta.c
tests_http_t_http_meta_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_meta_LDADD = $(HTTP_TEST_LIBS)
tests_http_t_http_offers_SOURCES = tests/http/t_http_offers.c
tests_http_t_http_offers_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_offers_LDADD = $(HTTP_TEST_LIBS)
tests_http_t_http_sheets_SOURCES = tests/http/t_http_sheets.c
tests_http_t_http_sheets_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_sheets_LDADD = $(HTTP_TEST_LIBS)
tests_http_t_http_shortlist_SOURCES = tests/http/t_http_shortlist.c
tests_http_t_http_shortlist_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_shortlist_LDADD = $(HTTP_TEST_LIBS)
tests_http_t_http_tokens_SOURCES = tests/http/t_http_tokens.c
tests_http_t_http_tokens_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_http_t_http_tokens_LDADD = $(HTTP_TEST_LIBS)
tests_unit_t_table_SOURCES = tests/unit/t_table.c
tests_unit_t_table_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_table_LDADD = libapi.a libserver.a $(CORE_LIBS) $(CHECK_LIBS)
endif
