/* The tensor whose size is that of the failed request: among the tensors and matrices that the
   caller gives, the sheet's own products (logits, attention, cache, copies of the parameters) and
   the matrices of published models. Arithmetic, never a statement of the text; where several
   differing shapes fit and nothing tells them apart, none is named. Must not know: causes, advice.
 */
#include <string.h>

#include "core/evidence/diagnose_internal.h"

enum { CANDIDATES = 3, GRANULE = 2 << 20, LARGE = 10 << 20 };

struct search {
  struct crv_dx *d;
  const struct crv_dx_figure *request;
  bool torch;
  struct crv_diag_tensor *found;
  size_t n;
};

/* torch's allocator rounds requests of 10 MiB and more up to whole 2 MiB
   (pytorch c10/cuda/CUDACachingAllocator: kMinLargeAlloc, kRoundLarge). */
static bool equals(const struct search *s, int64_t bytes, int64_t slack) {
  int64_t rounded = bytes, want = s->request->bytes.v, step = s->request->half_step;
  if (s->torch && bytes >= LARGE) rounded = crv_cdiv(bytes, GRANULE) * GRANULE;
  if (slack < step) slack = step;
  int64_t a = want > bytes ? want - bytes : bytes - want;
  int64_t b = want > rounded ? want - rounded : rounded - want;
  return a <= slack || b <= slack;
}

static void add(struct search *s, const char *basis, int64_t bytes, const char *tensor,
                const char *how) {
  if (!tensor || !how || s->n == CANDIDATES) return;
  for (size_t i = 0; i < s->n; i++)
    if (strcmp(s->found[i].tensor, tensor) == 0) return;
  s->found[s->n++] =
      (struct crv_diag_tensor){.tensor = tensor, .how = how, .bytes = bytes, .basis = basis};
}

/* -- what the caller gives
 * -------------------------------------------------------------------------
 */

static void from_tensors(struct search *s) {
  const struct crv_list *l = &s->d->in->tensors;
  for (size_t i = 0; i < l->n; i++) {
    const struct crv_diag_named *t = crv_list_at(*l, struct crv_diag_named, i);
    if (t->bytes > 0 && equals(s, t->bytes, 0))
      add(s, "tensors", t->bytes, crv_dx_text(s->d, "%s", t->name),
          crv_dx_text(s->d, "%lld bytes", (long long)t->bytes));
  }
}

static bool product(int64_t rows, int64_t cols, int64_t each, int64_t *ret) {
  return rows > 0 && cols > 0 && crv_mul(rows, cols, ret) && crv_mul(*ret, each, ret);
}

static const char *width_words(int64_t bytes) {
  return bytes == 4 ? "32 bits" : bytes == 2 ? "16 bits" : "8 bits";
}

static void from_dims(struct search *s) {
  static const int64_t widths[] = {2, 4, 1};
  const struct crv_list *l = &s->d->in->dims;
  for (size_t i = 0; i < l->n; i++) {
    const struct crv_diag_dims *m = crv_list_at(*l, struct crv_diag_dims, i);
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
      int64_t bytes;
      if (!product(m->rows, m->cols, widths[k], &bytes) || !equals(s, bytes, 0)) continue;
      add(s, "dimensions", bytes, crv_dx_text(s->d, "%s in %s", m->name, width_words(widths[k])),
          crv_dx_text(s->d, "%lld x %lld x %d bytes", (long long)m->rows, (long long)m->cols,
                      (int)widths[k]));
    }
  }
}

/* -- copies of the parameters
 * ----------------------------------------------------------------------
 */

static void from_parameters(struct search *s) {
  const struct crv_dx_job *j = &s->d->job;
  int64_t n = j->devices > 1 ? j->devices : 1, bytes;
  if (!j->parameters.set || s->request->bytes.v < CRV_GIB / 2) return;
  int64_t slack = j->nominal ? s->request->bytes.v / 64 : 0;
  for (int64_t width = 4; width >= 2; width -= 2) {
    for (int64_t parts = n; parts >= 1; parts = parts > 1 ? 1 : 0) {
      if (!crv_mul(j->parameters.v, width, &bytes)) continue;
      bytes = crv_cdiv(bytes, parts);
      if (!equals(s, bytes, slack)) continue;
      const char *how = parts > 1
                            ? crv_dx_text(s->d, "%lld parameters x %d bytes / %lld devices",
                                          (long long)j->parameters.v, (int)width, (long long)parts)
                            : crv_dx_text(s->d, "%lld parameters x %d bytes",
                                          (long long)j->parameters.v, (int)width);
      add(s, j->from_sheet ? "sheet" : "model_name", bytes,
          crv_dx_text(s->d, "copy of %s in %s",
                      parts > 1 ? "one device's part of all parameters" : "all parameters",
                      width_words(width)),
          how);
    }
  }
}

/* -- products of the sheet's own dimensions
 * --------------------------------------------------------
 */

static void from_logits(struct search *s) {
  const struct crv_dx_job *j = &s->d->job;
  int64_t tokens, bytes;
  if (!j->shape || !j->length.set || !j->microbatch.set) return;
  if (!crv_mul(j->length.v, j->microbatch.v, &tokens)) return;
  for (int64_t width = 4; width >= 2; width -= 2)
    if (product(tokens, j->shape->vocab, width, &bytes) && equals(s, bytes, 0))
      add(s, "sheet", bytes, crv_dx_text(s->d, "logits in %s", width_words(width)),
          crv_dx_text(s->d, "%lld tokens x %lld entries of the vocabulary x %d bytes",
                      (long long)tokens, (long long)j->shape->vocab, (int)width));
}

static void from_attention(struct search *s) {
  const struct crv_dx_job *j = &s->d->job;
  int64_t rows, bytes;
  if (!j->shape || !j->length.set || !j->microbatch.set) return;
  if (!crv_mul(j->microbatch.v, j->shape->heads, &rows) || !crv_mul(rows, j->length.v, &rows))
    return;
  for (int64_t width = 4; width >= 2; width -= 2)
    if (product(rows, j->length.v, width, &bytes) && equals(s, bytes, 0))
      add(s, "sheet", bytes, crv_dx_text(s->d, "attention scores in %s", width_words(width)),
          crv_dx_text(s->d, "%lld x %lld heads x %lld x %lld tokens x %d bytes",
                      (long long)j->microbatch.v, (long long)j->shape->heads,
                      (long long)j->length.v, (long long)j->length.v, (int)width));
}

/* -- the log's own figures
 * -------------------------------------------------------------------------
 */

static void from_log(struct search *s) {
  static const enum crv_dx_figure_id ids[] = {CRV_DF_TEMP, CRV_DF_LIVE_OUT, CRV_DF_PARAMETERS};
  static const char *const says[] = {"the program's block for intermediates",
                                     "the program's outputs", "the program's inputs"};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    const struct crv_dx_figure *f = crv_dx_figure(s->d, ids[i]);
    if (!f || !f->bytes.set || f->bytes.v <= 0 || !equals(s, f->bytes.v, f->half_step)) continue;
    add(s, "log", f->bytes.v, says[i],
        crv_dx_text(s->d, "%s of the same log", crv_dx_figure_name(ids[i])));
    return;
  }
}

/* -- published models
 * ------------------------------------------------------------------------------
 */

struct matrix {
  const char *what;
  int64_t rows, cols;
};

static size_t matrices(const struct crv_dx_shape *m, struct matrix ret[4]) {
  ret[0] = (struct matrix){"an MLP matrix", m->intermediate, m->hidden};
  ret[1] = (struct matrix){"an embedding or head", m->vocab, m->hidden};
  ret[2] = (struct matrix){"an attention matrix", m->heads * m->head_dim, m->hidden};
  ret[3] = (struct matrix){"a key or value matrix", m->kv_heads * m->head_dim, m->hidden};
  return 4;
}

struct hit {
  const struct crv_dx_shape *model;
  struct matrix m;
  int64_t width, bytes;
  bool several; /* matrices of differing shape fit */
};

static void try_model(const struct search *s, const struct crv_dx_shape *model, struct hit *h) {
  struct matrix all[4];
  size_t n = matrices(model, all);
  for (size_t i = 0; i < n; i++) {
    for (int64_t width = 2; width <= 4; width += 2) {
      int64_t bytes;
      if (!product(all[i].rows, all[i].cols, width, &bytes) || !equals(s, bytes, 0)) continue;
      bool same =
          h->model && h->m.rows == all[i].rows && h->m.cols == all[i].cols && h->width == width;
      if (h->model && !same) h->several = true;
      if (!h->model) *h = (struct hit){model, all[i], width, bytes, false};
    }
  }
}

static void report(struct search *s, const struct hit *h, const char *basis) {
  if (!h->model || h->several) return;
  add(s, basis, h->bytes,
      crv_dx_text(s->d, "%s in %s, as in %s", h->m.what, width_words(h->width), h->model->name),
      crv_dx_text(s->d, "%lld x %lld x %d bytes", (long long)h->m.rows, (long long)h->m.cols,
                  (int)h->width));
}

static bool is_of_size(const struct crv_dx_job *j, const struct crv_dx_shape *m) {
  int64_t p = j->parameters.v;
  if (j->size) return m->size == j->size;
  return m->parameters > p - p / 8 && m->parameters < p + p / 8;
}

/* By the job's model, else by models of its size, else by all where one shape alone fits. */
static void from_models(struct search *s) {
  const struct crv_dx_job *j = &s->d->job;
  struct hit h = {0};
  if (s->request->half_step > CRV_MIB || s->request->bytes.v < LARGE) return;
  if (j->shape) {
    try_model(s, j->shape, &h);
    h.several = false;
  }
  bool sized = !j->shape && (j->size || j->parameters.set);
  for (size_t i = 0; i < crv_dx_n_shapes && sized; i++)
    if (is_of_size(j, &crv_dx_shapes[i])) try_model(s, &crv_dx_shapes[i], &h);
  /* powers of two are sizes of everything */
  bool none = !sized && !j->shape && (s->request->bytes.v & (s->request->bytes.v - 1)) != 0;
  for (size_t i = 0; i < crv_dx_n_shapes && none; i++) try_model(s, &crv_dx_shapes[i], &h);
  report(s, &h, none ? "shapes" : "model_name");
  if (none && !h.several) s->d->job.like = h.model;
}

static bool is_block(const struct search *s) {
  return s->torch && (s->request->bytes.v == GRANULE || s->request->bytes.v == 10 * GRANULE);
}

bool crv_dx_explain(struct crv_dx *d) {
  struct search s = {.d = d, .request = crv_dx_figure(d, CRV_DF_REQUESTED)};
  const struct crv_dx_mark *device = &d->mark[CRV_DE_DEVICE];
  if (!s.request || !s.request->bytes.set || s.request->bytes.v <= 0) return true;
  s.torch = device->engine && !strcmp(device->engine, "torch");
  s.found = crv_new_array(d->a, CANDIDATES, struct crv_diag_tensor);
  if (!s.found) return crv_dx_no_memory(d);
  from_tensors(&s);
  from_dims(&s);
  if (is_block(&s)) d->flag[CRV_DG_ALLOCATOR_BLOCK] = true;
  if (!is_block(&s) && !s.n) {
    from_log(&s);
    from_parameters(&s);
    from_logits(&s);
    from_attention(&s);
    if (!s.n) from_models(&s);
  }
  d->ret->explained = (struct crv_list){s.n, s.found};
  return !d->failed;
}
