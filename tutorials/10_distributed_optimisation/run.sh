#!/bin/sh
# run.sh PROGRAM [RAYS]: the tutorial as 1, 2, 3, 4 and 14 ranks, started by hand. Fails when a digit of the output differs; prints how
# long a step took.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMP_NUM_THREADS=1
for ranks in 1 2 3 4 14; do
    rank=1
    while [ "$rank" -lt "$ranks" ]; do
        HELIORAY_STORE="file://$dir/store$ranks" RANK=$rank WORLD_SIZE=$ranks "$@" >"$dir/other" &
        rank=$((rank + 1))
    done
    HELIORAY_STORE="file://$dir/store$ranks" RANK=0 WORLD_SIZE=$ranks "$@" >"$dir/$ranks" 2>"$dir/err" || { cat "$dir/err"; exit 1; }
    wait
    grep "rank(s)" "$dir/err"
    cmp "$dir/1" "$dir/$ranks" || { echo "not the same"; exit 1; }
done
cat "$dir/1"
echo "all the same"
