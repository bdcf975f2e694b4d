#!/bin/sh
# Banned calls, goto, and what makes core impure: banned.sh [TOP]
set -eu
. "$(dirname "$0")/lib.sh"
c_files core db server api tests | run_awk banned.awk
