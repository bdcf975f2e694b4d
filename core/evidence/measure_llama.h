/* What the readers of llama.cpp, its breakdown and ollama share. For core/evidence/measure_*.c. */
#ifndef CRV_EVIDENCE_MEASURE_LLAMA_H
#define CRV_EVIDENCE_MEASURE_LLAMA_H

#include "core/evidence/measure_internal.h"

/* Where a buffer is: "CUDA0" is device 0, "CUDA_Host" and "CPU_Mapped" are the host. */
struct crv_mplace {
  struct crv_opt_int device;
  bool host;
  char label[64];
};
struct crv_mplace crv_mplace_of(struct crv_mspan label);
/* An engine.declared fact of that place; valid while p is. */
struct crv_measure_fact crv_mbuffer(struct crv_mrun *run, struct crv_mplace *p, const char *item,
                                    enum crv_measure_kind kind);

crv_mreader crv_measure_breakdown, crv_measure_ollama;

#endif
