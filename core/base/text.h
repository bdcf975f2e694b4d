/* Small text helpers that libc lacks. Bytewise, never locale-dependent. */
#ifndef CRV_BASE_TEXT_H
#define CRV_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Equal, where NULL equals only NULL. */
bool crv_streq(const char *a, const char *b);
/* The value in a's order: strcmp with NULL after every text. */
int crv_strorder(const char *a, const char *b);
/* Damerau-Levenshtein distance, capped: used for "did you mean". */
size_t crv_edit_distance(const char *a, const char *b, size_t cap);
/* Width in terminal columns, counting code points (combining marks as 0). */
size_t crv_text_columns(const char *s);

/* A version such as "580.159" or "vllm 0.17.0": compares dotted numbers numerically, then the rest
   bytewise. <0, 0, >0. */
int crv_version_cmp(const char *a, const char *b);
/* Does version v satisfy rule? ">=580", "<600", "580.*", several joined by ",", or exact text. */
bool crv_version_matches(const char *v, const char *rule);

#endif
