#!/bin/sh
# Function length, nesting and file length in every C file: size.sh [TOP]
set -eu
. "$(dirname "$0")/lib.sh"
c_files core db server api tests | run_awk size.awk
