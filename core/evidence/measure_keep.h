/* What measure_facts.c and measure_gather.c keep during one reading. For them alone. */
#ifndef CRV_EVIDENCE_MEASURE_KEEP_H
#define CRV_EVIDENCE_MEASURE_KEEP_H

#include "core/evidence/measure_internal.h"

enum { CRV_MGROUPS = 8192, CRV_MGROUP = 8, CRV_MSETTINGS = 64, CRV_MPHASES = 16 };

/* Facts that differ in nothing but their figure. */
struct crv_mgroup {
  size_t n;
  unsigned at[CRV_MGROUP]; /* of facts; the last one holds the largest of the rest */
};
struct crv_mfacts {
  struct crv_measure_fact *at;
  size_t n, room;
  size_t n_groups;
  struct crv_mgroup groups[CRV_MGROUPS];
  struct crv_measure_device *devices[CRV_MEASURE_DEVICES];
  size_t n_devices;
  struct crv_measure_note notes[CRV_MEASURE_NOTES];
  size_t n_notes;
  struct crv_pair settings[CRV_MSETTINGS];
  size_t n_settings;
  const char *phases[CRV_MPHASES];
  size_t n_phases;
};

#endif
