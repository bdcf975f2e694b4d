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
