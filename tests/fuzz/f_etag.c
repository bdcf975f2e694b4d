/* Any bytes as a list of entity tags: no crash, what holds strongly holds weakly, and a tag put in
   front of a list is found. */
#include <string.h>

#include "server/req.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *list = malloc(size + 16);
  MUST(list);
  memcpy(list, data, size);
  list[size] = '\0';
  bool strong = crv_etag_list_has(list, "\"a\"", false);
  MUST(!strong || crv_etag_list_has(list, "\"a\"", true));
  MUST(!crv_etag_list_has(list, NULL, true));
  crv_etag_list_has("\"a\"", list, true);
  size_t n = strlen(list);
  memmove(list + 5, list, n + 1);
  memcpy(list, "\"a\", ", 5);
  MUST(crv_etag_list_has(list, "\"a\"", false));
  free(list);
  return 0;
}
