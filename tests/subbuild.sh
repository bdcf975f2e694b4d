#!/bin/sh
# Configures and builds the tree once more in a folder of its own, with other flags, and runs the
# tests there: what "make check-asan" and its kin do.
#   subbuild.sh check-asan|check-tsan|check-valgrind|fuzz-smoke|coverage SRCDIR BUILDDIR
# The folder is BUILDDIR/build-KIND and is kept, so that a second run builds only what changed.
# Variables: MAKE (with its flags), FUZZ_SECONDS (a target, default 10), FUZZ_RUNS and FUZZ_SEED (the
# same inputs each time; default: as many as fit, at random), CK_TIMEOUT_MULTIPLIER,
# CRV_PROPERTY_WORLDS (fewer here by default: the plain run tries ten thousand).
# Without --enable-werror where gcc instruments: it then warns of what cannot happen.
set -eu
kind=$1
src=$2
top=$3
make=${MAKE:-make}
dir=$top/build-${kind#check-}
mkdir -p "$dir"

# A tree that was configured in place cannot be built elsewhere too: take a copy of what it ships.
if [ -f "$src/config.status" ]; then
  (cd "$src" && $make -s distdir distdir="$dir/src" >/dev/null)
  src=$dir/src
fi
cd "$dir"

configure() {
  if ! [ -f config.status ]; then "$src/configure" -q "$@"; fi
}

worlds() {
  CRV_PROPERTY_WORLDS=${CRV_PROPERTY_WORLDS:-$1}
  export CRV_PROPERTY_WORLDS
}

# Sanitizers write their reports to files, so that those of a daemon started by a test are seen too.
check_reports() {
  status=$1
  for f in "$dir"/reports/*; do
    [ -f "$f" ] || continue
    echo "report: $f"
    head -60 "$f"
    status=1
  done
  return "$status"
}

run_sanitized() {
  rm -rf reports
  mkdir reports
  log="log_path=$dir/reports/r"
  ASAN_OPTIONS="$log:detect_leaks=1:detect_stack_use_after_return=1" \
    UBSAN_OPTIONS="$log:print_stacktrace=1" TSAN_OPTIONS="$log:second_deadlock_stack=1" \
    CK_TIMEOUT_MULTIPLIER="${CK_TIMEOUT_MULTIPLIER:-3}" $make check || { check_reports 1; exit 1; }
  check_reports 0
}

case $kind in
check-asan)
  configure --enable-sanitizers=address,undefined CFLAGS='-g -O1'
  worlds 1000
  run_sanitized
  ;;
check-tsan)
  configure --enable-sanitizers=thread CFLAGS='-g -O1'
  worlds 200
  run_sanitized
  ;;
check-valgrind)
  configure CFLAGS='-g -O1'
  worlds 100
  CK_FORK=no CK_TIMEOUT_MULTIPLIER="${CK_TIMEOUT_MULTIPLIER:-10}" $make check \
    LOG_COMPILER=valgrind LOG_FLAGS='-q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite'
  ;;
fuzz-smoke)
  configure CC=clang --enable-werror --enable-fuzzers --enable-sanitizers=address,undefined CFLAGS='-g -O1'
  $make fuzzers
  for f in tests/fuzz/f_*; do
    if ! [ -x "$f" ] || ! [ -f "$f" ]; then continue; fi
    name=${f##*/f_}
    mkdir -p "found/$name"
    set -- "found/$name"
    if [ -d "$src/tests/fuzz/corpus/$name" ]; then set -- "$@" "$src/tests/fuzz/corpus/$name"; fi
    echo "fuzz: $name"
    "$f" -max_total_time="${FUZZ_SECONDS:-10}" -runs="${FUZZ_RUNS:--1}" -seed="${FUZZ_SEED:-0}" -timeout=25 -rss_limit_mb=2048 -print_final_stats=1 \
      -verbosity=0 -artifact_prefix="found/$name-" "$@"
  done
  ;;
coverage)
  configure --enable-coverage CFLAGS='-g -O0'
  $make check
  find . -name '*.gcda' | while IFS= read -r f; do
    gcov -n -o "$(dirname "$f")" "$f" 2>/dev/null
  done | awk '
    /^File / { file = $2; gsub(/\047/, "", file); own = file ~ /(core|db|server|api)\/.*\.c$/ }
    /^Lines executed/ && own {
      split($0, part, /[:% ]+/)
      lines = $NF
      hit = part[3] * lines / 100
      if (hit > best[file]) best[file] = hit
      total[file] = lines
      own = 0
    }
    END {
      for (f in total) {
        name = f
        if (match(f, /\/(core|db|server|api)\/[^.]*\.c$/)) name = substr(f, RSTART + 1)
        printf "%6.1f%% of %4d  %s\n", 100 * best[f] / total[f], total[f], name
        all += total[f]
        reached += best[f]
      }
      if (all) printf "%6.1f%% of %4d  all\n", 100 * reached / all, all
    }' | sort -k4
  ;;
*)
  echo "subbuild: unknown kind: $kind" >&2
  exit 64
  ;;
esac
