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

EXTRA_DIST += static/openapi.json
