# The importers of price files, for the catalogue's local.mk.
IMPORT_SOURCES = \
	core/catalogue/checks.c \
	core/catalogue/import.c core/catalogue/import.h core/catalogue/import_codes.def \
	core/catalogue/import_internal.h \
	core/catalogue/import_csv_reader.c \
	core/catalogue/import_findings.c \
	core/catalogue/import_key.c \
	core/catalogue/import_literal.c \
	core/catalogue/import_native.c core/catalogue/import_native.h \
	core/catalogue/import_native_checks.c \
	core/catalogue/import_native_csv.c \
	core/catalogue/import_sky.h \
	core/catalogue/import_sky_cells.c \
	core/catalogue/import_sky_groups.c \
	core/catalogue/import_sky_memory.c \
	core/catalogue/import_sky_offers.c \
	core/catalogue/import_skypilot.c
