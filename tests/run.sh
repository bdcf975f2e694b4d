#!/bin/sh
# Runs every test of Crivo: installs what is missing (deploy/deps.sh test), builds under build/,
# then lint, the suite (the fuzz targets over their corpora are part of it), the suite under
# ASan+UBSan and under TSan, and "make distcheck". Goes on past a failure and shows the end of its
# log. The last line is "N passed, N failed": each check of each test program of the plain run
# counts, each lint check and its proofs, each program of the sanitizer runs, distcheck, and that
# the archive is whole. Exits 1 when anything failed. Safe to run twice; a second run builds only
# what changed.
#   tests/run.sh          everything
#   tests/run.sh quick    build and the plain suite only
set -u
cd "$(dirname "$0")/.." || exit 1
top=$(pwd)
build=$top/build
logs=$build/logs
mode=${1:-all}
passed=0
failed=0

finish() {
  echo
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] || exit 1
  exit 0
}

# step NAME SECONDS COMMAND...: runs it into a log; shows the log's end when it fails.
step() {
  name=$1
  limit=$2
  shift 2
  printf '%s ... ' "$name"
  began=$(date +%s)
  if timeout -k 10 "$limit" "$@" >"$logs/$name.log" 2>&1; then
    echo "ok ($(($(date +%s) - began)) s)"
    return 0
  fi
  echo "FAILED ($(($(date +%s) - began)) s), the end of build/logs/$name.log:"
  tail -n 60 "$logs/$name.log" | sed 's/^/  | /'
  return 1
}

# count_programs DIR checks|programs: adds up automake's results below DIR. "checks" counts
# libcheck's checks (a program without such a line is one), "programs" one for each program.
count_programs() {
  find "$1" -path "$1/src" -prune -o -path "$1/build-*" -prune -o -path "$1/crivo-*" -prune -o \
    -name '*.trs' -print |
    sort >"$logs/programs"
  while IFS= read -r trs; do
    awk -v how="$2" -v program="${trs#"$1"/}" '
      FILENAME ~ /\.trs$/ && /^:test-result:/ { ok = $2 == "PASS" || $2 == "SKIP" }
      FILENAME ~ /\.log$/ && /^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+/ {
        gsub(/,/, "")
        checks += $3
        bad += $5 + $7
      }
      END {
        if (how == "programs" || !checks) { checks = 1; bad = !ok }
        if (!ok && !bad) { checks++; bad = 1 }
        print checks - bad, bad, program
      }' "$trs" "${trs%.trs}.log"
  done <"$logs/programs" >"$logs/counted"
  while read -r good bad program; do
    passed=$((passed + good))
    failed=$((failed + bad))
    if [ "$bad" -gt 0 ]; then
      echo "FAILED: $program ($bad of $((good + bad))), the end of its log:"
      tail -n 30 "$1/${program%.trs}.log" | sed 's/^/  | /'
    fi
  done <"$logs/counted"
}

# verdict STATUS FAILED_BEFORE: a failed step of which no failure was counted counts as one.
verdict() {
  if [ "$1" -ne 0 ] && [ "$failed" -eq "$2" ]; then failed=$((failed + 1)); fi
}

count_lint() {
  passed=$((passed + $(grep -c '^PASS: ' "$logs/lint.log")))
  failed=$((failed + $(grep -c '^FAIL: ' "$logs/lint.log")))
}

suite() {
  before=$failed
  find "$build" -path "$build/build-*" -prune -o -path "$build/crivo-*" -prune -o \
    -name '*.trs' -exec rm -f {} +
  step check 900 make -j2 -k -C "$build" check
  status=$?
  count_programs "$build" checks
  verdict $status "$before"
}

# sanitized KIND
sanitized() {
  before=$failed
  if [ -d "$build/build-$1" ]; then find "$build/build-$1" -name '*.trs' -exec rm -f {} +; fi
  step "check-$1" 1200 make -j2 -k -C "$build" "check-$1"
  status=$?
  if [ -d "$build/build-$1" ]; then count_programs "$build/build-$1" programs; fi
  verdict $status "$before"
}

prepare() {
  [ -x configure ] || ./autogen.sh || return 1
  src=$top
  if [ -f config.status ]; then
    echo "configured in place: building from a copy of what the archive holds"
    make -s distdir distdir="$build/src" || return 1
    src=$build/src
  fi
  cd "$build" || return 1
  [ -f config.status ] || "$src/configure" -q --enable-werror || return 1
  make -j2
}

case $mode in
all | quick) ;;
*)
  sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
  exit 64
  ;;
esac

mkdir -p "$logs"
./deploy/deps.sh test || {
  failed=1
  finish
}
if [ "${CRIVO_STEP:-}" = prepare ]; then
  prepare
  exit $?
fi
step build 900 env CRIVO_STEP=prepare "$0" || {
  failed=1
  finish
}
passed=$((passed + 1))
if [ "$mode" = quick ]; then
  suite
  finish
fi
step lint 500 sh tests/lint/run.sh "$top"
status=$?
before=$failed
count_lint
verdict $status "$before"
grep '^FAIL: ' "$logs/lint.log"
suite
sanitized asan
sanitized tsan
# The archive holds every tracked file.
archive_is_whole() {
  git ls-files | grep -v '^\.git' | LC_ALL=C sort >"$logs/tracked"
  tar -tf "$build"/crivo-*.tar.xz | sed 's|^[^/]*/||' | LC_ALL=C sort >"$logs/archived"
  LC_ALL=C comm -23 "$logs/tracked" "$logs/archived" | sed 's/^/not in the archive: /' >"$logs/left-out"
  cat "$logs/left-out"
  [ ! -s "$logs/left-out" ]
}

# The plain run above has tried the many worlds, and optimised.
if CRV_PROPERTY_WORLDS=500 step distcheck 1200 make -j2 -C "$build" distcheck \
  DISTCHECK_CONFIGURE_FLAGS='CFLAGS=-O0'; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
fi
if [ -e .git ]; then
  if archive_is_whole; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
fi
finish
