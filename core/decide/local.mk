# What core/decide adds to the build: the engine.
noinst_LIBRARIES += libdecide.a
libdecide_a_SOURCES = \
	core/decide/decide.h core/decide/eval.h core/decide/terms.h core/decide/result.h \
	core/decide/criteria.def core/decide/reasons.def core/decide/conditions.def \
	core/decide/action_text.c \
	core/decide/actions.c \
	core/decide/attest.c \
	core/decide/base.c \
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
	core/decide/crit_support.c \
	core/decide/current.c \
	core/decide/device.c \
	core/decide/evaluate.c \
	core/decide/finding.c \
	core/decide/gate.c \
	core/decide/group.c \
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

if HAVE_CHECK
check_LIBRARIES += libdecidetest.a
libdecidetest_a_SOURCES = tests/unit/decidetest.c tests/unit/decidetest.h
libdecidetest_a_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
DECIDE_TEST_LIBS = libdecidetest.a $(WORLD_LIBS)

check_PROGRAMS += tests/unit/t_actions tests/unit/t_boundaries tests/unit/t_cost tests/unit/t_gate \
	tests/unit/t_headline tests/unit/t_plan tests/unit/t_rank tests/unit/t_result_json \
	tests/unit/t_stale
tests_unit_t_actions_SOURCES = tests/unit/t_actions.c
tests_unit_t_actions_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_actions_LDADD = $(DECIDE_TEST_LIBS)
tests_unit_t_boundaries_SOURCES = tests/unit/t_boundaries.c
tests_unit_t_boundaries_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_boundaries_LDADD = $(DECIDE_TEST_LIBS)
tests_unit_t_cost_SOURCES = tests/unit/t_cost.c
tests_unit_t_cost_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_cost_LDADD = $(DECIDE_TEST_LIBS)
tests_unit_t_gate_SOURCES = tests/unit/t_gate.c
tests_unit_t_gate_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_gate_LDADD = $(DECIDE_TEST_LIBS)
tests_unit_t_headline_SOURCES = tests/unit/t_headline.c
tests_unit_t_headline_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_headline_LDADD = $(DECIDE_TEST_LIBS)
tests_unit_t_plan_SOURCES = tests/unit/t_plan.c
tests_unit_t_plan_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_plan_LDADD = $(DECIDE_TEST_LIBS)
tests_unit_t_rank_SOURCES = tests/unit/t_rank.c
tests_unit_t_rank_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_rank_LDADD = $(DECIDE_TEST_LIBS)
tests_unit_t_result_json_SOURCES = tests/unit/t_result_json.c
tests_unit_t_result_json_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_result_json_LDADD = $(DECIDE_TEST_LIBS)
tests_unit_t_stale_SOURCES = tests/unit/t_stale.c
tests_unit_t_stale_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_stale_LDADD = $(DECIDE_TEST_LIBS)
endif
