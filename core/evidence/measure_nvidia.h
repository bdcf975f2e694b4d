/* What the readers of nvidia-smi's two forms share. For core/evidence/measure_nvidia*.c alone. */
#ifndef CRV_EVIDENCE_MEASURE_NVIDIA_H
#define CRV_EVIDENCE_MEASURE_NVIDIA_H

#include "core/evidence/measure_internal.h"

struct crv_msmi {
  struct crv_mseries_set *series;
  struct crv_opt_int now;      /* time of the block or row at hand */
  struct crv_opt_int every_ms; /* interval that a command line or watch states */
  struct crv_mspan query;      /* fields of --query-gpu=..., from a command line in the text */
  bool query_apps, noheader;
};

/* Adds a reading of a device's counter to its series. */
void crv_msmi_sample(struct crv_mrun *run, struct crv_msmi *smi, enum crv_measure_counter c,
                     int64_t device, const struct crv_mfigure *fig);
/* The device's total, once. */
void crv_msmi_total(struct crv_mrun *run, struct crv_measure_device *d,
                    const struct crv_mfigure *fig);
/* An interval or a query on a command line, or what watch prints. False: the line is neither. */
bool crv_msmi_command(struct crv_msmi *smi, struct crv_mspan line);
enum crv_tri crv_msmi_enabled(struct crv_mspan word);
/* Keeps a text field once. */
void crv_msmi_keep(struct crv_mrun *run, const char **field, struct crv_mspan text);

/* One line of CSV: a header, a row, or false for anything else. */
struct crv_mcsv;
struct crv_mcsv *crv_mcsv_new(struct crv_mrun *run);
bool crv_mcsv_line(struct crv_mrun *run, struct crv_msmi *smi, struct crv_mcsv *csv,
                   struct crv_mspan line);
void crv_mcsv_done(struct crv_mrun *run, struct crv_msmi *smi, struct crv_mcsv *csv);

/* One line of "nvidia-smi -q"; false for anything else. */
struct crv_msmi_q {
  struct crv_measure_device *device;
  char section[32];
  int64_t n;
};
bool crv_msmi_q_line(struct crv_mrun *run, struct crv_msmi *smi, struct crv_msmi_q *q,
                     struct crv_mspan line);

#endif
