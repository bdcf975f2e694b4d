# What core/catalogue adds to the build. The importers of price files list themselves in import.mk.
include $(top_srcdir)/core/catalogue/import.mk

noinst_LIBRARIES += libcatalogue.a
libcatalogue_a_SOURCES = \
	core/catalogue/alias.c core/catalogue/devices.def \
	core/catalogue/capacity.c \
	core/catalogue/catalogue.c core/catalogue/catalogue.h core/catalogue/snapshot.h \
	core/catalogue/filter.c \
	core/catalogue/nominal.c \
	core/catalogue/offer.c core/catalogue/offer.h core/catalogue/offer_check.h \
	core/catalogue/offer_spec.c \
	core/catalogue/requirement.c \
	$(IMPORT_SOURCES)
libcatalogue_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += \
	tests/unit/t_alias \
	tests/unit/t_capacity \
	tests/unit/t_catalogue \
	tests/unit/t_offer \
	tests/unit/t_requirement
tests_unit_t_alias_SOURCES = tests/unit/t_alias.c
tests_unit_t_alias_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_alias_LDADD = libshapes.a $(CATALOGUE_LIBS) $(CHECK_LIBS)
tests_unit_t_capacity_SOURCES = tests/unit/t_capacity.c
tests_unit_t_capacity_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_capacity_LDADD = libshapes.a $(CATALOGUE_LIBS) $(CHECK_LIBS)
tests_unit_t_catalogue_SOURCES = tests/unit/t_catalogue.c
tests_unit_t_catalogue_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_catalogue_LDADD = libshapes.a $(CATALOGUE_LIBS) $(CHECK_LIBS)
tests_unit_t_offer_SOURCES = tests/unit/t_offer.c
tests_unit_t_offer_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_offer_LDADD = libshapes.a $(CATALOGUE_LIBS) $(CHECK_LIBS)
tests_unit_t_requirement_SOURCES = tests/unit/t_requirement.c
tests_unit_t_requirement_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_t_requirement_LDADD = libshapes.a $(CATALOGUE_LIBS) $(CHECK_LIBS)
endif
