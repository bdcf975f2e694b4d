/* Runs a fuzz target over the files and folders given as arguments, for compilers without
   libFuzzer. Without arguments, as in `make check`, a target f_NAME replays its own corpus,
   tests/fuzz/corpus/NAME below $top_srcdir. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static int run_file(const char *path) {
  FILE *f = fopen(path, "rb");
  uint8_t *data = malloc(1 << 20);
  if (!f || !data) {
    fprintf(stderr, "cannot read %s\n", path);
    if (f) fclose(f);
    free(data);
    return 1;
  }
  size_t len = fread(data, 1, 1 << 20, f);
  fclose(f);
  /* A block of exactly that size, so that a sanitizer sees a read past its end. */
  uint8_t *exact = malloc(len ? len : 1);
  if (exact) {
    memcpy(exact, data, len);
    LLVMFuzzerTestOneInput(exact, len);
  }
  free(exact);
  free(data);
  return 0;
}

static int run_folder(const char *path, unsigned *count) {
  char name[4096];
  int failed = 0;
  DIR *d = opendir(path);
  if (!d) return 1;
  for (struct dirent *e; (e = readdir(d));) {
    if (e->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    failed |= run_file(name);
    (*count)++;
  }
  closedir(d);
  return failed;
}

static int run_path(const char *path, unsigned *count) {
  struct stat st;
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return run_folder(path, count);
  (*count)++;
  return run_file(path);
}

/* The folder of the target's own corpus. */
static void own_corpus(const char *program, char *out, size_t room) {
  const char *top = getenv("top_srcdir"), *name = strrchr(program, '/');
  name = name ? name + 1 : program;
  if (strncmp(name, "f_", 2) == 0) name += 2;
  snprintf(out, room, "%s/tests/fuzz/corpus/%s", top ? top : ".", name);
}

int main(int argc, char **argv) {
  char corpus[4096];
  unsigned count = 0;
  int failed = 0;
  if (argc < 2) {
    own_corpus(argv[0], corpus, sizeof corpus);
    failed = run_path(corpus, &count);
  }
  for (int i = 1; i < argc; i++) failed |= run_path(argv[i], &count);
  printf("%u inputs replayed\n", count);
  return failed || count == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
