noinst_LIBRARIES += libmodel.a
libmodel_a_SOURCES = \
	core/model/field.c core/model/field.h \
	core/model/model.c core/model/model.h
libmodel_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
