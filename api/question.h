/* A question about a sheet: as a client asks it, and as a stored decision keeps it.
   Must not know: how it is answered. */
#ifndef CRV_API_QUESTION_H
#define CRV_API_QUESTION_H

#include "api/context.h"
#include "core/decide/decide.h"

enum { CRV_ROWS_DEFAULT = 20 };

struct crv_asked {
  struct crv_sheet *sheet;
  const char *name;      /* of a named sheet; NULL: inline without a name */
  int64_t revision;      /* stored one that the question rests on; 0: none, or not stored yet */
  bool put;              /* an inline sheet that becomes the name's next revision */
  const char *canonical; /* of the sheet */
  const char *digest;    /* of canonical */
  const char *raw;       /* the client's bytes of an inline sheet */
  size_t raw_len;
  struct crv_filter filter;
  unsigned limit;
  struct crv_policy policy;
  struct crv_opt_int as_of;    /* unset: the question names no instant */
  const char *question;        /* canonical JSON of all that makes two questions the same */
  const char *question_digest; /* of question */
};

/* Reads rq->json: {sheet, as_of, offers, limit, policy}, or a bare sheet. A sheet named by a text
   must be stored. Everything in the request's arena. INVALID_FIELDS, FORBIDDEN. */
bool crv_asked_read(struct crv_req *rq, struct crv_asked *ret, struct crv_err *err);
/* The question of a stored decision, with its sheet; tx reads the sheet's revision. */
bool crv_asked_stored(struct crv_rtx *tx, const struct crv_decision_row *d, struct crv_arena *a,
                      struct crv_asked *ret, struct crv_err *err);
/* Fills the part of an engine's question that comes from asked. */
void crv_asked_question(const struct crv_asked *asked, struct crv_question *q);

/* Body of POST /v1/decisions, for the OpenAPI document. */
extern const struct crv_jspec crv_ask_spec;

#endif
