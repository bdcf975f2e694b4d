# shellcheck shell=sh
# What the checks share. A check is called as NAME.sh [TOP], prints one line per violation and
# exits 1 when there was one. TOP is the tree to look at, by default the one the check lies in.
LC_ALL=C
export LC_ALL
lint=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$lint/../..}" || exit

# A check whose tool is not there fails: passing unlooked would be a lie.
need() {
  command -v "$1" >/dev/null || {
    echo "$1 is missing: deploy/deps.sh test installs it"
    exit 1
  }
}

# C files below the folders given, those that exist, one a line.
c_files() {
  for d in "$@"; do
    if [ -d "$d" ]; then find "$d" -type f \( -name '*.c' -o -name '*.h' \); fi
  done | sort
}

# Tracked files and new ones that are not ignored; in an unpacked archive, all files.
tree_files() {
  if [ -e .git ]; then
    git ls-files -co --exclude-standard | while IFS= read -r f; do
      if [ -f "$f" ]; then printf '%s\n' "$f"; fi
    done
  else
    find . -type f | sed 's|^\./||' | grep -v -e '^build' -e '^autom4te.cache/' -e '^configure$'
  fi | sort -u
}

# Runs an awk program of this folder, with c.awk, over the files named on stdin.
run_awk() {
  files=$(cat)
  [ -n "$files" ] || return 0
  # Names of C files hold no blanks here.
  # shellcheck disable=SC2086
  awk -f "$lint/c.awk" -f "$lint/$1" $files
}
