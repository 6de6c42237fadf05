#!/bin/sh
# run_program.sh PROGRAM CONFIG: this tutorial's program on one process, on three started by hand and, where it is installed, under
# torchrun. Fails when a fingerprint differs.
set -eu
program=$1
config=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMP_NUM_THREADS=1
expected=""

# compare NAME COMMAND...: runs COMMAND and compares its fingerprint with that of the first run.
compare() {
    name=$1
    shift
    "$@" "$program" "$config" "$dir/result.h5" >"$dir/out" 2>"$dir/err" || { cat "$dir/err"; exit 1; }
    found=$(sed -n 's/^fingerprint //p' "$dir/out")
    echo "$name: $found"
    [ "${expected:=$found}" = "$found" ] && [ -n "$found" ] || { echo "not the same"; exit 1; }
}

compare "one process" env
for rank in 1 2; do
    env HELIORAY_STORE="file://$dir/store" RANK=$rank WORLD_SIZE=3 "$program" "$config" "$dir/result.h5" &
done
compare "three processes" env HELIORAY_STORE="file://$dir/store" RANK=0 WORLD_SIZE=3
wait
torchrun=${HELIORAY_TORCHRUN:-torchrun}
if command -v "$torchrun" >/dev/null; then
    compare torchrun "$torchrun" --no-python --standalone --nproc-per-node 2
fi
echo "all the same"
