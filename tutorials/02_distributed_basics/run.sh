#!/bin/sh
# run.sh PROGRAM: the tutorial as four ranks, started by hand; the output of rank 0.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HELIORAY_STORE="file://$dir/store" WORLD_SIZE=4 OMP_NUM_THREADS=1
for rank in 1 2 3; do RANK=$rank "$1" >"$dir/$rank" & done
RANK=0 "$1"
wait
grep -q "rank 3 received 20 from rank 2" "$dir/3"
grep -q "rank 3: place 1 of its pair, whose ranks add up to 5" "$dir/3"
