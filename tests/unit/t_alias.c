/* core/catalogue/alias: device names as people write them, their candidates, and the table itself.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/offer.h"

/* size: "24 GB" or "81559 MiB", or NULL; models in the table's order, "" for none. */
static const struct {
  const char *name, *size, *models;
} names[] = {
    /* four cards that share a number */
    {"RTX 6000", NULL, "quadro-rtx-6000"},
    {"Quadro RTX 6000 (24 GB)", NULL, "quadro-rtx-6000"},
    {"RTX A6000", NULL, "rtx-a6000"},
    {"A6000", NULL, "rtx-a6000"},
    {"RTXA6000", "49140 MiB", "rtx-a6000"},
    {"RTX 6000 Ada", NULL, "rtx-6000-ada"},
    {"NVIDIA RTX 6000 Ada Generation", NULL, "rtx-6000-ada"},
    {"RTX6000-Ada", NULL, "rtx-6000-ada"},
    {"RTX-6000-Ada", "49152 MiB", "rtx-6000-ada"},
    {"RTX_6000Ada", NULL, "rtx-6000-ada"},
    {"RTX 6000", "48 GB", "rtx-6000-ada"},
    {"RTX 6000", "24 GB", "quadro-rtx-6000"},
    {"RTX 6000 (48GB)", NULL, "rtx-6000-ada"},
    {"RTXPRO6000S", "97887 MiB", "rtx-pro-6000-server"},
    {"RTX_PRO_6000_S", NULL, "rtx-pro-6000-server"},
    {"RTX-PRO-6000", "98304 MiB",
     "rtx-pro-6000-max-q rtx-pro-6000-server rtx-pro-6000-workstation"},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition", NULL, "rtx-pro-6000-server"},
    {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", NULL, "rtx-pro-6000-workstation"},
    {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", NULL, "rtx-pro-6000-max-q"},
    {"RTX 8000", NULL, "quadro-rtx-8000"},
    {"RTX5000 (16GB)", NULL, "quadro-rtx-5000"},
    {"RTX 5000", "32 GB", "rtx-5000-ada"},
    {"RTX4000 (8 GB)", NULL, "quadro-rtx-4000"},
    {"RTX 4000 Ada", NULL, "rtx-4000-ada"},
    {"RTX 4000 SFF Ada", NULL, "rtx-4000-sff-ada"},
    {"RTX 5000 Ada Generation", NULL, "rtx-5000-ada"},
    /* hopper */
    {"H100", NULL, "h100-nvl h100-pcie h100-sxm"},
    {"H100", "80 GB", "h100-pcie h100-sxm"},
    {"H100", "81559 MiB", "h100-pcie h100-sxm"},
    {"H100", "95830 MiB", "h100-nvl"},
    {"H100 (80 GB)", NULL, "h100-pcie h100-sxm"},
    {"H100 PCIe (80GB)", NULL, "h100-pcie"},
    {"H100 HGX (80GB)", NULL, "h100-sxm"},
    {"H100_SXM", NULL, "h100-sxm"},
    {"H100_NVL", NULL, "h100-nvl"},
    {"NVIDIA H100 NVL", NULL, "h100-nvl"},
    {"NVIDIA H100 80GB HBM3", NULL, "h100-sxm"},
    {"h100-sxm5-80gb", NULL, "h100-sxm"},
    {"H200", "143771 MiB", "h200-nvl h200-sxm"},
    {"H200 SXM", NULL, "h200-sxm"},
    {"GH200 (96 GB)", NULL, "gh200-96"},
    {"GH200", "144 GB", "gh200-144"},
    {"NVIDIA GH200 480GB", NULL, "gh200-144 gh200-96"},
    {"NVIDIA GH200 144G HBM3e", NULL, "gh200-144"},
    {"H20", NULL, "h20"},
    /* ampere */
    {"A100", NULL, "a100-40-pcie a100-40-sxm4 a100-80-pcie a100-80-sxm4"},
    {"A100 (40 GB)", NULL, "a100-40-pcie a100-40-sxm4"},
    {"A100", "40960 MiB", "a100-40-pcie a100-40-sxm4"},
    {"A100-80GB", NULL, "a100-80-pcie a100-80-sxm4"},
    {"A100-80GB", "81920 MiB", "a100-80-pcie a100-80-sxm4"},
    {"A100 PCIe", NULL, "a100-40-pcie a100-80-pcie"},
    {"A100 PCIe", "80 GB", "a100-80-pcie"},
    {"A100_PCIE", "81920 MiB", "a100-80-pcie"},
    {"A100_SXM4", "40960 MiB", "a100-40-sxm4"},
    {"NVIDIA A100-SXM4-80GB", NULL, "a100-80-sxm4"},
    {"NVIDIA A100 80GB PCIe", NULL, "a100-80-pcie"},
    {"A10", NULL, "a10"},
    {"A10 (24 GB)", NULL, "a10"},
    {"A10G (24 GB)", NULL, "a10g"},
    {"A16", NULL, "a16"},
    {"A2", NULL, "a2"},
    {"A30", NULL, "a30"},
    {"A40", "46068 MiB", "a40"},
    {"A4000 (16 GB)", NULL, "rtx-a4000"},
    {"RTX A4500", NULL, "rtx-a4500"},
    {"A5000", NULL, "rtx-a5000"},
    {"RTXA2000", "6138 MiB", "rtx-a2000-6"},
    {"RTX A2000 12GB", NULL, "rtx-a2000-12"},
    {"RTX A2000", NULL, "rtx-a2000-12 rtx-a2000-6"},
    /* ada and blackwell data centre */
    {"L4", NULL, "l4"},
    {"L40", NULL, "l40"},
    {"L40S", "46068 MiB", "l40s"},
    {"NVIDIA L40S", NULL, "l40s"},
    {"B200", "183359 MiB", "b200"},
    {"B300", "268288 MiB", "b300"},
    {"GB200", NULL, "gb200"},
    /* older */
    {"Tesla T4", NULL, "t4"},
    {"T4 (16 GB)", NULL, "t4"},
    {"K80 (12 GB)", NULL, "k80"},
    {"M60", NULL, "m60"},
    {"P4 (8 GB)", NULL, "p4"},
    {"Tesla P40", NULL, "p40"},
    {"P100 (16 GB)", NULL, "p100-16-pcie p100-16-sxm2"},
    {"Tesla P100-PCIE-16GB", NULL, "p100-16-pcie"},
    {"V100", NULL, "v100-16-pcie v100-16-sxm2 v100-32-pcie v100-32-sxm2 v100-32-sxm3"},
    {"Tesla_V100", "16384 MiB", "v100-16-pcie v100-16-sxm2"},
    {"V100 (32 GB)", NULL, "v100-32-pcie v100-32-sxm2 v100-32-sxm3"},
    {"Tesla V100-SXM2-16GB", NULL, "v100-16-sxm2"},
    {"V100S", NULL, "v100s"},
    {"V100/S", "16 GB", "v100-16-pcie v100-16-sxm2"},
    {"V100/S", "32 GB", "v100-32-pcie v100-32-sxm2 v100-32-sxm3 v100s"},
    {"TITAN RTX", NULL, "titan-rtx"},
    {"GeForce GTX 1080 Ti", NULL, "gtx-1080-ti"},
    {"GTX 1080", NULL, "gtx-1080"},
    {"GTX 1660 SUPER", NULL, "gtx-1660-super"},
    {"GTX_1660_S", NULL, "gtx-1660-super"},
    /* consumer cards: a suffix is another card */
    {"NVIDIA GeForce RTX 2080 Ti", NULL, "rtx-2080-ti"},
    {"RTX 2080", NULL, "rtx-2080"},
    {"RTX3060", "12288 MiB", "rtx-3060"},
    {"RTX 3060", NULL, "rtx-3060"},
    {"RTX_3060_Ti", "8192 MiB", "rtx-3060-ti"},
    {"RTX3070", NULL, "rtx-3070"},
    {"RTX3080", "10240 MiB", "rtx-3080-10"},
    {"RTX 3080 12GB", NULL, "rtx-3080-12"},
    {"3080Ti (12 GB)", NULL, "rtx-3080-ti"},
    {"RTX3090", "24576 MiB", "rtx-3090"},
    {"RTX 3090 Ti", NULL, "rtx-3090-ti"},
    {"RTX 4060", NULL, "rtx-4060"},
    {"RTX_4060_Ti", "16380 MiB", "rtx-4060-ti-16"},
    {"RTX 4060 Ti", NULL, "rtx-4060-ti-16 rtx-4060-ti-8"},
    {"RTX4070", NULL, "rtx-4070"},
    {"RTX_4070S_Ti", "16376 MiB", "rtx-4070-ti-super"},
    {"RTX 4070 Ti Super", NULL, "rtx-4070-ti-super"},
    {"RTX 4070 Ti", NULL, "rtx-4070-ti"},
    {"RTX 4070 SUPER", NULL, "rtx-4070-super"},
    {"RTX_4080S", NULL, "rtx-4080-super"},
    {"RTX 4090", NULL, "rtx-4090"},
    {"RTX4090", "24564 MiB", "rtx-4090"},
    {"RTX4090", "49140 MiB", "rtx-4090"},
    {"GeForce RTX 4090 D", NULL, "rtx-4090-d"},
    {"RTX5090", "32607 MiB", "rtx-5090"},
    {"RTX 5060 Ti 16GB", NULL, "rtx-5060-ti-16"},
    /* other vendors */
    {"AMD Instinct MI300X", NULL, "amd/mi300x"},
    {"MI250X", NULL, "amd/mi250x"},
    {"MI210", NULL, "amd/mi210"},
    {"MI325X", NULL, "amd/mi325x"},
    {"MI355X", NULL, "amd/mi355x"},
    {"Gaudi 2", NULL, "intel/gaudi2"},
    {"Intel Gaudi3", NULL, "intel/gaudi3"},
    {"Radeon RX 7900 XTX", NULL, "amd/rx-7900-xtx"},
    /* slices, shares, unified memory */
    {"nvidia/a100-80@3g.40gb", NULL, "a100-80@3g.40gb"},
    {"NVIDIA A100-SXM4-80GB MIG 3g.40gb", NULL, "a100-80@3g.40gb"},
    {"A100 MIG 3g.20gb", NULL, "a100-40@3g.20gb"},
    {"A100 1g.10gb", NULL, "a100-40@1g.10gb a100-80@1g.10gb"},
    {"H100 1g.10gb", "10 GB", "h100-80@1g.10gb"},
    {"H100 5g.50gb", NULL, ""},
    {"GRID A100-10C", NULL, "vgpu"},
    {"NVIDIA vGPU T4-8Q", NULL, "vgpu"},
    {"GRID K520", NULL, ""},
    {"Apple M2 Ultra", NULL, "apple/m2-ultra"},
    {"M4 Max", NULL, "apple/m4-max"},
    {"Apple M4", NULL, "apple/m4"},
    {"DGX Spark", NULL, "gb10"},
    {"Strix Halo", NULL, "amd/strix-halo"},
    {"Jetson AGX Orin 64GB", NULL, "jetson-agx-orin-64"},
    /* canonical names, and their forms without the vendor */
    {"nvidia/rtx-4090", NULL, "rtx-4090"},
    {"rtx-4090", NULL, "rtx-4090"},
    {"amd/mi300x", NULL, "amd/mi300x"},
    /* never by the beginning of a name */
    {"", NULL, ""},
    {"RTX", NULL, ""},
    {"GeForce RTX", NULL, ""},
    {"GeForce RTX 208...", NULL, ""},
    {"NVIDIA A100-SXM4...", NULL, ""},
    {"GeForce RTX 2080\xE2\x80\xA6", NULL, ""},
    {"NVIDIA GeForce RTX 4090 Laptop GPU", NULL, ""},
    {"RTX 4090 Foo", NULL, ""},
    {"L40X", NULL, ""},
    {"TPU v5e", NULL, ""},
    {"tpu-v4-8", NULL, ""},
    {"AMD RTX 4090", NULL, ""},
    {"GPU", NULL, ""},
    {"80GB", NULL, ""},
    {"1x 2x 3x 4x 5x 6x 7x 8x 9x 10x 11x 12x 13x 14x 15x 16x 17x 18x", NULL, ""},
};

static struct crv_nominal size_of(const char *text) {
  struct crv_nominal n = {.set = false};
  if (!text) return n;
  n.micro = strtoll(text, NULL, 10) * CRV_MICRO;
  n.unit = strchr(text, ' ') + 1;
  n.set = true;
  return n;
}

/* Models joined by spaces, "nvidia/" left out. */
static char *joined(const struct crv_device_model *const *models, size_t n, char *out,
                    size_t room) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < n; i++) {
    const char *m = models[i]->model;
    if (!strncmp(m, "nvidia/", 7)) m += 7;
    used += (size_t)snprintf(out + used, room - used, "%s%s", i ? " " : "", m);
  }
  return out;
}

START_TEST(names_resolve) {
  const struct crv_device_model *models[8];
  char text[512];
  struct crv_nominal size = size_of(names[_i].size);
  size_t n = crv_device_resolve(names[_i].name, size.set ? &size : NULL, models);
  joined(models, n, text, sizeof text);
  ck_assert_msg(!strcmp(text, names[_i].models), "%s (%s) gives \"%s\", expected \"%s\"",
                names[_i].name, names[_i].size ? names[_i].size : "-", text, names[_i].models);
}
END_TEST

START_TEST(the_table_is_sorted_and_found) {
  for (size_t i = 0; i < crv_n_device_models; i++) {
    const struct crv_device_model *m = &crv_device_models[i];
    if (i > 0) ck_assert_msg(strcmp(m[-1].model, m->model) < 0, "%s", m->model);
    ck_assert_msg(crv_device_model(m->model) == m, "%s is not found", m->model);
    ck_assert_msg(crv_device_model_ok(m->model), "%s has another shape", m->model);
    ck_assert_msg(!strncmp(m->model, m->vendor, strlen(m->vendor)), "%s", m->model);
    ck_assert_msg((m->memory_kind == CRV_MEM_SLICE) == (strchr(m->model, '@') != NULL), "%s",
                  m->model);
    if (m->memory_kind == CRV_MEM_DEDICATED || m->memory_kind == CRV_MEM_SLICE)
      ck_assert_msg(m->nominal_gb > 0, "%s has no nominal memory", m->model);
  }
  ck_assert_ptr_null(crv_device_model("nvidia/rtx-4090-x"));
  ck_assert_int_ge(crv_alias_version, 1);
}
END_TEST

/* What the table itself calls a card must lead back to it. */
START_TEST(every_display_name_leads_back_to_its_row) {
  for (size_t i = 0; i < crv_n_device_models; i++) {
    const struct crv_device_model *m = &crv_device_models[i], *found[8];
    bool back = false;
    size_t n = crv_device_resolve(m->display, NULL, found);
    for (size_t k = 0; k < n; k++) back |= found[k] == m;
    if (!strchr(m->display, '(')) ck_assert_msg(back, "%s is not found by its name", m->display);
  }
}
END_TEST

#define LOOP(tc, test, table) tcase_add_loop_test(tc, test, 0, sizeof table / sizeof *table)

int main(void) {
  Suite *s = suite_create("alias");
  TCase *tc = tcase_create("alias");
  LOOP(tc, names_resolve, names);
  tcase_add_test(tc, the_table_is_sorted_and_found);
  tcase_add_test(tc, every_display_name_leads_back_to_its_row);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
