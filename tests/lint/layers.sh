#!/bin/sh
# No include may break the order of the layers: layers.sh [TOP]
set -eu
. "$(dirname "$0")/lib.sh"
c_files core db server api | run_awk layers.awk
