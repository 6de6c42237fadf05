#!/bin/sh
# one_node_slurm.sh COMMAND...: runs COMMAND under a SLURM cluster of its own: munged, slurmctld and slurmd on this machine,
# with all their files in a temporary folder. Exit code 77 where SLURM is not installed or cannot be run.
set -u
for tool in munged slurmctld slurmd srun; do
    PATH="$PATH:/usr/sbin" command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
PATH="$PATH:/usr/sbin"
dir=$(mktemp -d)
pids=""
clean_up() {
    # Asked kindly, slurmd would wait for its controller.
    for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
    wait
    rm -rf "$dir"
}
trap clean_up EXIT
mkdir "$dir/state" "$dir/spool"
# munged and slurmd refuse folders that others may write to.
chmod 711 "$dir"
head -c 1024 /dev/urandom >"$dir/key" && chmod 400 "$dir/key"
host=$(hostname -s)
port=$((20000 + $$ % 10000))
cat >"$dir/slurm.conf" <<END
ClusterName=test$$
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=none
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$dir/slurm.conf"
munged --force -F --key-file "$dir/key" --socket "$dir/munge.socket" --pid-file "$dir/munge.pid" --log-file "$dir/munge.log" \
    --seed-file "$dir/seed" >"$dir/munged.out" 2>&1 &
pids="$!"
slurmctld -D >"$dir/slurmctld.out" 2>&1 &
pids="$! $pids"
slurmd -D -N "$host" >"$dir/slurmd.out" 2>&1 &
pids="$! $pids"
for _ in $(seq 100); do
    if sinfo -h -o %t 2>/dev/null | grep -q idle; then
        "$@"
        exit $?
    fi
    sleep 0.2
done
tail -n 3 "$dir"/*.out
exit 77
