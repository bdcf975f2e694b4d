/* The closed lists of the sheet: tasks, strategies, taxes, operators.
   Must not know: what an evaluation makes of them. */
#include "core/sheet/sheet.h"

const struct crv_enum_name crv_task_names[] = {
    {CRV_TASK_INFERENCE, "inference"},   {CRV_TASK_ADAPTATION, "adaptation"},
    {CRV_TASK_TRAINING, "training"},     {CRV_TASK_RENDERING, "rendering"},
    {CRV_TASK_PROCESSING, "processing"}, {0, NULL},
};

const struct crv_enum_name crv_strategy_names[] = {
    {CRV_STRATEGY_SINGLE, "single"},
    {CRV_STRATEGY_DATA_PARALLEL, "data_parallel"},
    {CRV_STRATEGY_TENSOR_PARALLEL, "tensor_parallel"},
    {CRV_STRATEGY_PIPELINE_PARALLEL, "pipeline_parallel"},
    {CRV_STRATEGY_ZERO1, "zero1"},
    {CRV_STRATEGY_ZERO2, "zero2"},
    {CRV_STRATEGY_ZERO3, "zero3"},
    {CRV_STRATEGY_FSDP, "fsdp"},
    {0, NULL},
};

const struct crv_enum_name crv_tax_names[] = {
    {CRV_TAX_INCLUDED, "included"},
    {CRV_TAX_EXCLUDED, "excluded"},
    {CRV_TAX_NONE, "none"},
    {0, NULL},
};

const struct crv_enum_name crv_op_names[] = {
    {CRV_OP_EQ, "=="}, {CRV_OP_NE, "!="}, {CRV_OP_GE, ">="}, {CRV_OP_LE, "<="},
    {CRV_OP_GT, ">"},  {CRV_OP_LT, "<"},  {CRV_OP_IN, "in"}, {0, NULL},
};

const char *crv_enum_text(const struct crv_enum_name *names, int value) {
  for (; names->name; names++)
    if (names->value == value) return names->name;
  return NULL;
}
