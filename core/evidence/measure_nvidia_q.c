/* nvidia-smi -q: one figure a line under headings. Of it: name, uuid, driver, ECC and MIG modes and
   the FB memory of each device. Must not know: the table and the CSV form. */
#include <stdint.h>
#include <string.h>

#include "core/evidence/measure_nvidia.h"

/* "Product Name        : NVIDIA L4" -> name and value. False: no such line. */
static bool split_line(struct crv_mspan line, struct crv_mspan *name, struct crv_mspan *value) {
  size_t at = crv_mspan_find(line, " : ");
  if (at == SIZE_MAX) return false;
  *name = crv_mtrim((struct crv_mspan){line.s, at});
  *value = crv_mtrim(crv_mspan_from(line, at + 3));
  return true;
}

/* "GPU 00000000:07:00.0" begins a device; its number is its place. */
static bool device_head(struct crv_mrun *run, struct crv_msmi_q *q, struct crv_mspan line) {
  if (!crv_mspan_starts(line, "GPU 0") || line.len < 16 || crv_mspan_find(line, " : ") != SIZE_MAX)
    return false;
  struct crv_mspan bus = crv_mtrim(crv_mspan_from(line, 4));
  if (bus.len > 16 || crv_mspan_find(bus, ":") == SIZE_MAX) return false;
  q->device = crv_mdevice(run, q->n++);
  q->section[0] = '\0';
  if (q->device) crv_msmi_keep(run, &q->device->bus_id, bus);
  crv_mnote(run, CRV_MN_DEVICE_BY_ORDER);
  return true;
}

static bool memory_value(struct crv_mrun *run, struct crv_msmi *smi, struct crv_msmi_q *q,
                         struct crv_mspan name, struct crv_mspan value) {
  struct crv_mfigure fig;
  if (crv_mfigure_read(value, &fig) == 0) return false;
  if (crv_mspan_is(name, "Total"))
    crv_msmi_total(run, q->device, &fig);
  else if (crv_mspan_is(name, "Used"))
    crv_msmi_sample(run, smi, CRV_MEASURE_DEVICE_USED, q->device->index, &fig);
  else if (crv_mspan_is(name, "Free"))
    crv_msmi_sample(run, smi, CRV_MEASURE_DEVICE_FREE, q->device->index, &fig);
  else if (crv_mspan_is(name, "Reserved"))
    crv_msmi_sample(run, smi, CRV_MEASURE_DEVICE_RESERVED, q->device->index, &fig);
  else
    return false;
  return true;
}

static bool device_value(struct crv_mrun *run, struct crv_msmi *smi, struct crv_msmi_q *q,
                         struct crv_mspan name, struct crv_mspan value) {
  struct crv_measure_device *d = q->device;
  int64_t minor;
  if (!d) return false;
  if (crv_mspan_is(name, "Product Name"))
    crv_mdevice_name(run, d, value);
  else if (crv_mspan_is(name, "GPU UUID"))
    crv_msmi_keep(run, &d->uuid, value);
  else if (crv_mspan_is(name, "Minor Number"))
    return crv_mint(value, &minor);
  else if (strcmp(q->section, "FB Memory Usage") == 0)
    return memory_value(run, smi, q, name, value);
  else if (strcmp(q->section, "ECC Mode") == 0 && crv_mspan_is(name, "Current") && !d->ecc)
    d->ecc = crv_msmi_enabled(value);
  else if (strcmp(q->section, "MIG Mode") == 0 && crv_mspan_is(name, "Current") && !d->mig) {
    d->mig = crv_msmi_enabled(value);
    if (d->mig == CRV_TRUE) crv_mnote(run, CRV_MN_MIG);
  } else
    return false;
  return true;
}

bool crv_msmi_q_line(struct crv_mrun *run, struct crv_msmi *smi, struct crv_msmi_q *q,
                     struct crv_mspan line) {
  struct crv_mspan name, value;
  if (crv_mspan_find(line, "NVSMI LOG") != SIZE_MAX) q->n = 0; /* again, in a loop */
  if (device_head(run, q, line)) return true;
  if (!split_line(line, &name, &value)) {
    size_t n = line.len < sizeof q->section - 1 ? line.len : sizeof q->section - 1;
    if (q->device && line.s[0] >= 'A' && line.s[0] <= 'Z') {
      memcpy(q->section, line.s, n);
      q->section[n] = '\0';
    }
    return false;
  }
  if (crv_mspan_is(name, "Driver Version"))
    crv_msmi_keep(run, &run->ret->driver, value);
  else if (crv_mspan_is(name, "CUDA Version"))
    crv_msmi_keep(run, &run->ret->cuda, value);
  else if (crv_mspan_is(name, "Timestamp")) {
    smi->now.set = crv_mtime_ctime(value, &smi->now.v);
  } else
    return device_value(run, smi, q, name, value);
  return true;
}
