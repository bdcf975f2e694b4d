/* What handlers of every resource share: headers, tags, texts in the request's arena, one JSON
   object as an answer. Must not know: any resource. */
#ifndef CRV_API_ANSWER_H
#define CRV_API_ANSWER_H

#include "api/context.h"
#include "server/reply.h"

/* OUT_OF_MEMORY; returns false. */
bool crv_no_memory(struct crv_err *err);
/* A header whose value we made ourselves. value NULL: OUT_OF_MEMORY. */
bool crv_answer_header(struct crv_resp *rs, const char *name, const char *value,
                       struct crv_err *err);
/* Strong tag of this representation of what `seed` identifies: format, pretty and the query count.
   In the arena. */
bool crv_answer_tag(struct crv_req *rq, struct crv_resp *rs, const char *seed, struct crv_err *err);
/* A buffer as the answer in the negotiated format. */
bool crv_answer_buf(struct crv_req *rq, struct crv_resp *rs, int status, struct crv_buf *b,
                    struct crv_err *err);
/* Compact JSON text as the answer; indented when asked. */
bool crv_answer_json_text(struct crv_req *rq, struct crv_resp *rs, int status, const char *json,
                          size_t len, struct crv_err *err);
/* Members of `from` (borrowed) added to obj unless there already. False: out of memory. */
bool crv_json_merge(json_t *obj, const json_t *from);
/* Text member at a dotted path ("cost.amount"); NULL when absent or no text. */
const char *crv_json_text(const json_t *j, const char *path);
const json_t *crv_json_at(const json_t *j, const char *path);
int64_t crv_json_int(const json_t *j, const char *path, int64_t dflt);
/* RFC 3339 text of a time, in the arena. */
const char *crv_time_of(struct crv_arena *a, int64_t ms);
/* A query parameter as a time (RFC 3339 or a date); unset when absent. BAD_PARAMETER. */
bool crv_req_param_time(const struct crv_req *rq, const char *name, struct crv_opt_int *ret,
                        struct crv_err *err);
/* A query parameter that is one of the words (separated by spaces); NULL when absent. */
bool crv_req_param_word(const struct crv_req *rq, const char *name, const char *words,
                        const char **ret, struct crv_err *err);
/* Monotonic microseconds, for Server-Timing. */
int64_t crv_now_us(void);

#endif
