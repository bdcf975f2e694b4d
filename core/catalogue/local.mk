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
