/* The diagnosis's tables hold together: patterns that can be matched, keys and names that exist,
   and something to say for every cause. */
#include <stdio.h>
#include <string.h>

#include "core/evidence/diagnose_internal.h"
#include "tests/unit/diagnosetest.h"

static const char *const phases[] = {"loading",           "forward",     "backward",
                                     "optimizer_step",    "generation",  "evaluation",
                                     "checkpoint_export", "undetermined"};
/* Names that sentences may use beside those of figures.def and facts.def. */
static const char *const names[] = {"device",
                                    "floor",
                                    "weights_as_declared",
                                    "weights_in_16_bits",
                                    "weights_in_32_bits",
                                    "weights_in_4_bits",
                                    "weights_and_gradients",
                                    "static_part",
                                    "train_state_in_32_bits",
                                    "whole_model",
                                    "not_in_this_allocator",
                                    "not_in_this_process",
                                    "other_processes",
                                    "sum_with_request",
                                    "tokens_implied",
                                    "vocabulary",
                                    "parallel_slots",
                                    "kv_for_one_slot",
                                    "minimum_fraction_before_any_kv",
                                    "minimum_fraction_for_one_request",
                                    "largest_fraction_now",
                                    "held_at_start",
                                    "cache_short_by",
                                    "minimum_device",
                                    "fit_sizes",
                                    "no_sheet",
                                    "training",
                                    "no_weights",
                                    "fits_in_16_bits",
                                    "truncated",
                                    "not_unified",
                                    "moves_all",
                                    "offload_asked",
                                    "no_format",
                                    "batch_tried",
                                    "batch_open"};
static const char *const verifications[] = {"peak", "quality", "output", "latency", "update",
                                            "load", "export",  "host",   "settings"};
static const char *const facts[] = {
#define X(ID, name, type) name,
#include "core/evidence/facts.def"
#undef X
};

static bool among(const char *const *list, size_t n, const char *s, size_t len) {
  for (size_t i = 0; i < n; i++)
    if (strlen(list[i]) == len && memcmp(list[i], s, len) == 0) return true;
  return false;
}
#define AMONG(list, s, len) among(list, sizeof list / sizeof *list, s, len)

static size_t matched_bytes(const char *pattern) {
  size_t n = 0;
  for (const char *s = pattern; *s; s++) n += *s != ' ' && *s != '`' && *s != '|';
  return n;
}

static const struct crv_dx_table *const tables[] = {&crv_dx_clauses, &crv_dx_frames,
                                                    &crv_dx_wordings};

START_TEST(patterns_can_be_matched) {
  const struct crv_dx_table *t = tables[_i];
  for (size_t i = 0; t->pattern(i); i++) {
    const char *p = t->pattern(i);
    ck_assert_msg(matched_bytes(p) >= 4, "%s is too short for the index", p);
    for (const char *s = p; *s; s++)
      ck_assert_msg(*s < 'A' || *s > 'Z', "%s: patterns are written in lower case", p);
  }
}
END_TEST

START_TEST(no_pattern_stands_twice) {
  const struct crv_dx_table *t = tables[_i];
  for (size_t i = 0; t->pattern(i) && t != &crv_dx_clauses; i++)
    for (size_t k = 0; k < i; k++)
      ck_assert_msg(strcmp(t->pattern(i), t->pattern(k)) != 0, "%s", t->pattern(i));
}
END_TEST

static bool is_figure(const char *s, size_t len) {
  for (size_t i = 1; i < CRV_DF_COUNT; i++) {
    const char *name = crv_dx_figure_name((enum crv_dx_figure_id)i);
    if (strlen(name) == len && memcmp(name, s, len) == 0) return true;
  }
  return false;
}

static void check_names(const char *text) {
  int depth = 0;
  for (const char *s = text; *s; s++) {
    depth += (*s == '[') - (*s == ']');
    ck_assert_msg(depth == 0 || depth == 1, "%s: brackets", text);
    if (*s != '{') continue;
    size_t len = strcspn(s + 1, ":}");
    ck_assert_msg(is_figure(s + 1, len) || AMONG(facts, s + 1, len) || AMONG(names, s + 1, len),
                  "%.*s is no known name in: %s", (int)len, s + 1, text);
  }
  ck_assert_msg(depth == 0, "%s: brackets", text);
}

static bool is_cause(const char *s, size_t len) {
  const char *cause, *detail;
  for (size_t i = 0; crv_diag_cause_row(i, &cause, &detail); i++)
    if ((strlen(cause) == len && !memcmp(cause, s, len)) ||
        (strlen(detail) == len && !memcmp(detail, s, len)))
      return true;
  return false;
}

static bool is_engine(const char *s, size_t len) {
  for (size_t i = 0; crv_dx_wording_engine(i); i++)
    if (strlen(crv_dx_wording_engine(i)) == len && !memcmp(crv_dx_wording_engine(i), s, len))
      return true;
  return len == 4 && !memcmp(s, "none", 4);
}

static bool is_phase(const char *s, size_t len) {
  return AMONG(phases, s, len);
}

static bool is_verification(const char *s, size_t len) {
  return AMONG(verifications, s, len);
}

static void check_list(const char *list, bool (*is)(const char *, size_t)) {
  for (const char *s = list; *s;) {
    size_t len = strcspn(s, "|");
    bool any = len == 1 && *s == '*';
    ck_assert_msg(any || is(s, len), "%.*s of %s does not exist", (int)len, s, list);
    s += len;
    s += strspn(s, "|");
  }
}

START_TEST(advice_is_keyed_by_what_exists) {
  const char *r[5];
  for (size_t i = 0; crv_dx_advice_row(i, r); i++) {
    check_list(r[0], is_phase);
    check_list(r[1], is_cause);
    check_list(r[2], is_engine);
    check_names(r[3]);
    check_list(r[4], is_verification);
  }
}
END_TEST

static bool named(const char *list, const char *word) {
  const char *at = strstr(list, word);
  size_t len = strlen(word);
  return at && (at == list || at[-1] == '|') && (at[len] == '\0' || at[len] == '|');
}

START_TEST(every_cause_has_its_sentence_and_its_advice) {
  const char *cause, *detail, *r[5];
  for (size_t i = 0; crv_diag_cause_row(i, &cause, &detail); i++) {
    bool found = false;
    check_names(crv_dx_cause_says(i));
    for (size_t k = 0; crv_dx_advice_row(k, r); k++)
      found |= named(r[1], cause) || named(r[1], detail);
    ck_assert_msg(found, "nothing is said about %s/%s", cause, detail);
  }
}
END_TEST

START_TEST(flags_are_named_once) {
  const char *a, *b, *says;
  for (size_t i = 0; crv_diag_flag_row(i, &a, &says); i++) {
    ck_assert_uint_gt(strlen(says), 20);
    for (size_t k = 0; k < i && crv_diag_flag_row(k, &b, &says); k++) ck_assert_str_ne(a, b);
  }
}
END_TEST

/* Published parameter counts follow from the dimensions, for the plain families among them. */
START_TEST(shapes_agree_with_their_parameter_counts) {
  for (size_t i = 0; i < crv_dx_n_shapes; i++) {
    const struct crv_dx_shape *m = &crv_dx_shapes[i];
    if (!m->intermediate) continue;
    int64_t attention =
        2 * m->heads * m->head_dim * m->hidden + 2 * m->kv_heads * m->head_dim * m->hidden;
    int64_t least =
        m->layers * (attention + 2 * m->intermediate * m->hidden) + m->vocab * m->hidden;
    int64_t most =
        m->layers * (attention + 4 * m->intermediate * m->hidden) + 3 * m->vocab * m->hidden;
    ck_assert_msg(m->parameters > least && m->parameters < most, "%s", m->name);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("diagnose_tables");
  TCase *t = tcase_create("tables");
  tcase_add_loop_test(t, patterns_can_be_matched, 0, sizeof tables / sizeof *tables);
  tcase_add_loop_test(t, no_pattern_stands_twice, 0, sizeof tables / sizeof *tables);
  tcase_add_test(t, advice_is_keyed_by_what_exists);
  tcase_add_test(t, every_cause_has_its_sentence_and_its_advice);
  tcase_add_test(t, flags_are_named_once);
  tcase_add_test(t, shapes_agree_with_their_parameter_counts);
  suite_add_tcase(s, t);
  return dx_main(s);
}
