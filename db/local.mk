# Storage: the only SQL of the project. Also owns migrations/.
noinst_LIBRARIES += libdb.a
libdb_a_SOURCES = \
	db/conn.c db/conn.h \
	db/content.c \
	db/decision.c \
	db/fields.c \
	db/group.c \
	db/idem.c \
	db/internal.h \
	db/ledger.c \
	db/lock.c \
	db/maint.c \
	db/migrate.c db/migrate.h \
	db/open.c \
	db/pool.c \
	db/precondition.c \
	db/stats.c \
	db/stmt.c db/stmt.h \
	db/store.h \
	db/token.c \
	db/verify.c \
	db/versions.c \
	db/writer.c
nodist_libdb_a_SOURCES = db/migrations_data.c

# In order; embed.awk fails on a gap.
migrations = migrations/0001_initial.sql
EXTRA_DIST += migrations/embed.awk $(migrations)
CLEANFILES += db/migrations_data.c

db/migrations_data.c: migrations/embed.awk $(migrations)
	$(AM_V_GEN)$(MKDIR_P) db && \
	(cd $(srcdir) && $(AWK) -f migrations/embed.awk $(migrations)) > $@.tmp && mv $@.tmp $@

if HAVE_CHECK
check_LIBRARIES += libstoretest.a
libstoretest_a_SOURCES = \
	tests/fault/shim.c tests/fault/shim.h \
	tests/unit/storetest.c tests/unit/storetest.h
libstoretest_a_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
STORETEST_LIBS = libstoretest.a libdb.a $(BASE_LIBS) $(SQLITE_LIBS) $(CHECK_LIBS)

check_PROGRAMS += \
	tests/unit/t_decision \
	tests/unit/t_idem \
	tests/unit/t_ledger \
	tests/unit/t_migrate \
	tests/unit/t_open \
	tests/unit/t_pages \
	tests/unit/t_stmt \
	tests/unit/t_store \
	tests/unit/t_writer \
	tests/fault/t_disk \
	tests/fault/t_kill
tests_unit_t_decision_SOURCES = tests/unit/t_decision.c
tests_unit_t_decision_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_decision_LDADD = $(STORETEST_LIBS)
tests_unit_t_idem_SOURCES = tests/unit/t_idem.c
tests_unit_t_idem_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_idem_LDADD = $(STORETEST_LIBS)
tests_unit_t_ledger_SOURCES = tests/unit/t_ledger.c
tests_unit_t_ledger_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_ledger_LDADD = $(STORETEST_LIBS)
tests_unit_t_migrate_SOURCES = tests/unit/t_migrate.c
tests_unit_t_migrate_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_migrate_LDADD = $(STORETEST_LIBS)
tests_unit_t_open_SOURCES = tests/unit/t_open.c
tests_unit_t_open_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_open_LDADD = $(STORETEST_LIBS)
tests_unit_t_pages_SOURCES = tests/unit/t_pages.c
tests_unit_t_pages_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_pages_LDADD = $(STORETEST_LIBS)
tests_unit_t_stmt_SOURCES = tests/unit/t_stmt.c
tests_unit_t_stmt_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_stmt_LDADD = $(STORETEST_LIBS)
tests_unit_t_store_SOURCES = tests/unit/t_store.c
tests_unit_t_store_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_store_LDADD = $(STORETEST_LIBS)
tests_unit_t_writer_SOURCES = tests/unit/t_writer.c
tests_unit_t_writer_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_writer_LDADD = $(STORETEST_LIBS)
tests_fault_t_disk_SOURCES = tests/fault/t_disk.c
tests_fault_t_disk_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_fault_t_disk_LDADD = $(STORETEST_LIBS)
tests_fault_t_kill_SOURCES = tests/fault/t_kill.c
tests_fault_t_kill_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_fault_t_kill_LDADD = $(STORETEST_LIBS)
endif
