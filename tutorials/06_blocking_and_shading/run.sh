#!/bin/sh
# run.sh PROGRAM [FOLDER]: the dense field with a low and a high sun, with and without shading and blocking; results and pictures go
# to FOLDER (default: out/06). Run it from the root of the repository.
set -eu
program=$1
out=${2:-out/06}
here=tutorials/06_blocking_and_shading
mkdir -p "$out"
"$program" scenario generate $here/plant.yaml -o "$out/dense.h5"

# trace NAME AZIMUTH ELEVATION SHADING BLOCKING
trace() {
    "$program" raytrace $here/run.yaml --scenario "$out/dense.h5" -q -o "$out/$1.h5" --set sun.azimuth_deg="$2" --set sun.elevation_deg="$3" \
        --set tracing.shading="$4" --set tracing.blocking="$5"
}

for sun in "low 150 12" "high 180 60"; do
    # shellcheck disable=SC2086 # three words
    set -- $sun
    trace "$1_both" "$2" "$3" true true
    trace "$1_shading" "$2" "$3" true false
    trace "$1_blocking" "$2" "$3" false true
    trace "$1_neither" "$2" "$3" false false
done
"$program" plot "$out/low_both.h5" -o "$out/low_shading.png" --field shading
"$program" plot "$out/high_both.h5" -o "$out/high_blocking.png" --field blocking
