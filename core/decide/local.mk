# What core/decide adds to the build: the engine.
noinst_LIBRARIES += libdecide.a
libdecide_a_SOURCES = \
	core/decide/decide.h core/decide/eval.h core/decide/terms.h core/decide/result.h \
	core/decide/criteria.def core/decide/reasons.def core/decide/conditions.def \
	core/decide/action_text.c \
	core/decide/actions.c \
	core/decide/attest.c \
	core/decide/boundaries.c \
	core/decide/capacity.c \
	core/decide/condition.c \
	core/decide/cost.c \
	core/decide/crit_acceptance.c \
	core/decide/crit_cost.c \
	core/decide/crit_executed.c \
	core/decide/crit_host.c \
	core/decide/crit_memory.c \
	core/decide/crit_placement.c \
	core/decide/crit_plan.c \
	core/decide/crit_quality.c \
	core/decide/crit_requirements.c \
	core/decide/crit_schedule.c \
	core/decide/crit_sheet.c \
	core/decide/crit_software.c \
	core/decide/current.c \
	core/decide/evaluate.c \
	core/decide/gate.c \
	core/decide/headline.c \
	core/decide/json_parts.c \
	core/decide/matrix.c \
	core/decide/outlook.c \
	core/decide/preference.c \
	core/decide/rank.c \
	core/decide/rates.c \
	core/decide/reach.c \
	core/decide/result_json.c \
	core/decide/row_json.c \
	core/decide/run_demand.c \
	core/decide/runs.c \
	core/decide/shortlist.c \
	core/decide/stale.c \
	core/decide/tables.c \
	core/decide/terms.c
libdecide_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS)
