/* What every fuzz target is: libFuzzer's entry point, and a check that aborts. */
#ifndef CRV_TESTS_FUZZ_H
#define CRV_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) \
  do { \
    if (!(cond)) { \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #cond); \
      abort(); \
    } \
  } while (0)

#endif
