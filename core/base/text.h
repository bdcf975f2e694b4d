/* Small text helpers that libc lacks. Bytewise, never locale-dependent. */
#ifndef CRV_BASE_TEXT_H
#define CRV_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Equal, where NULL equals only NULL. */
bool crv_streq(const char *a, const char *b);
/* The value in a's order: strcmp with NULL after every text. */
int crv_strorder(const char *a, const char *b);
/* Damerau-Levenshtein distance (adjacent letters swapped count as one), or cap + 1 when it is more
   than cap: used for "did you mean". Texts over 64 bytes are equal or further apart than cap. */
size_t crv_edit_distance(const char *a, const char *b, size_t cap);
/* Width in terminal columns: combining marks take none, East Asian wide characters two. */
size_t crv_text_columns(const char *s);
/* Bytes of the longest beginning of s that takes at most columns; *ret_used: what it takes. */
size_t crv_text_fit(const char *s, size_t columns, size_t *ret_used);
/* Is s UTF-8 that can be shown anywhere as it is: no control character (with lines, but LF, CR and
   TAB), no line or paragraph separator, no change of the reading direction, no U+FFFE or U+FFFF? */
bool crv_text_plain(const char *s, bool lines);
/* Makes s valid UTF-8 in place: an incomplete sequence at the end is cut off, any other bad byte
   becomes '?'. */
void crv_text_repair(char *s);
/* Text of a client for an error's detail: in double quotes, at most 40 bytes of it (then "..."),
   control characters and bad bytes escaped. At least CRV_QUOTE_ROOM bytes; returns out. */
enum { CRV_QUOTE_ROOM = 256 };
char *crv_text_quote(const char *s, size_t len, char *out);
/* Length of the valid UTF-8 sequence at s (1 to 4, at most len), 0 when there is none. NUL counts
   as a sequence of one. */
size_t crv_utf8_seq(const char *s, size_t len);

/* A version such as "580.159" or "vllm 0.17.0": compares dotted numbers numerically, then the rest
   bytewise; the name before the number comes first. "580" equals "580.0". <0, 0, >0. */
int crv_version_cmp(const char *a, const char *b);
/* Does version v satisfy rule? ">=580", "<600", "580.*", several joined by ",", or exact text.
   Operators: >= <= > < = == !=. A rule may name what it is about ("vllm >=0.17"): v must then have
   that name; a rule without a name looks at v's number alone. */
bool crv_version_matches(const char *v, const char *rule);

#endif
