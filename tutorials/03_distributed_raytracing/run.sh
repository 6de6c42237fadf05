#!/bin/sh
# run.sh PROGRAM CONFIG [OPTION...]: the same run on one process and on two under every launcher that is installed. Fails when a
# fingerprint differs.
set -eu
program=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
expected=""

# trace NAME COMMAND...: runs COMMAND and compares its fingerprint with that of the first run.
trace() {
    name=$1
    shift
    "$@" --json -o "$dir/result.h5" --image "$dir/result.png" >"$dir/out" 2>"$dir/err" || { cat "$dir/err"; exit 1; }
    found=$(sed -n 's/.*"fingerprint": *"\([0-9a-f]*\)".*/\1/p' "$dir/out")
    echo "$name: $found"
    [ "${expected:=$found}" = "$found" ] && [ -n "$found" ] || { echo "not the same"; exit 1; }
}

trace "one process" "$program" raytrace "$@"
trace "--ranks 2" "$program" raytrace "$@" --ranks 2
trace "--ranks 2, dynamic" "$program" raytrace "$@" --ranks 2 --set distributed.schedule=dynamic
torchrun=${HELIORAY_TORCHRUN:-torchrun}
if command -v "$torchrun" >/dev/null; then
    trace torchrun "$torchrun" --no-python --standalone --nproc-per-node 2 "$program" raytrace "$@"
fi
if command -v mpirun.openmpi >/dev/null; then trace "Open MPI" mpirun.openmpi -n 2 --oversubscribe "$program" raytrace "$@"; fi
if command -v mpiexec.hydra >/dev/null; then trace MPICH mpiexec.hydra -n 2 "$program" raytrace "$@"; fi
if command -v sinfo >/dev/null && sinfo -h -o %t 2>/dev/null | grep -q idle; then trace SLURM srun -n 2 --mpi=none "$program" raytrace "$@"; fi
HELIORAY_STORE="file://$dir/store" RANK=1 WORLD_SIZE=2 "$program" raytrace "$@" -o "$dir/result.h5" --image "$dir/result.png" &
HELIORAY_STORE="file://$dir/store" RANK=0 WORLD_SIZE=2 trace "by hand, store in a file" "$program" raytrace "$@"
wait
echo "all the same"
