#!/bin/sh
# two_hosts.sh METHOD COMMAND...: runs COMMAND as ranks on two simulated hosts with separate networks, process ids, names and
# /etc/hosts. As on Debian, the name of each host resolves to 127.0.1.1 on the host itself. METHOD is the way to start the ranks:
#   address   one rank on each host, MASTER_ADDR is an address; prints "host N: EXIT CODE"
#   name      two ranks on each, MASTER_ADDR is the name of the first host
#   file      two ranks on each, HELIORAY_STORE is a file
#   torchrun  two ranks on each, started by $TORCHRUN of both hosts
#   mpiexec   two ranks on each, started by mpiexec.hydra on the first host without any address
#   mpirun    two ranks on each, started by mpirun.openmpi on the first host without any address
# Exit code 77 if the hosts cannot be simulated.
set -u
method=$1
shift
[ "$(id -u)" = 0 ] && command -v ip >/dev/null && command -v unshare >/dev/null || exit 77
name="hr$$"
net=$(($$ % 250))
dir=$(mktemp -d)
clean_up() {
    ip netns del "${name}a" 2>/dev/null
    ip netns del "${name}b" 2>/dev/null
    rm -rf "$dir"
}
trap clean_up EXIT
ip netns add "${name}a" 2>/dev/null && ip netns add "${name}b" 2>/dev/null || exit 77
ip link add "${name}x" type veth peer name "${name}y" 2>/dev/null || exit 77
ip link set "${name}x" netns "${name}a" && ip link set "${name}y" netns "${name}b" || exit 77
ip -n "${name}a" addr add "10.99.$net.1/24" dev "${name}x"
ip -n "${name}b" addr add "10.99.$net.2/24" dev "${name}y"
for side in a b; do ip -n "$name$side" link set lo up; done
ip -n "${name}a" link set "${name}x" up
ip -n "${name}b" link set "${name}y" up
printf '127.0.0.1 localhost\n127.0.1.1 hosta\n10.99.%s.2 hostb\n' "$net" >"$dir/hosts_a"
printf '127.0.0.1 localhost\n127.0.1.1 hostb\n10.99.%s.1 hosta\n' "$net" >"$dir/hosts_b"

# enter.sh a|b COMMAND... runs a command on a host. mpiexec and mpirun call enter.sh -x hosta "COMMAND".
cat >"$dir/enter.sh" <<ENTER
#!/bin/sh
[ "\$1" = -x ] && { side=\${2#host}; shift 2; set -- sh -c "\$*"; } || { side=\$1; shift; }
exec ip netns exec "$name\$side" unshare --pid --fork --mount-proc --uts --mount \\
    sh -c 'hostname "host\$0" && mount --bind "$dir/hosts_\$0" /etc/hosts && exec "\$@"' "\$side" "\$@"
ENTER
chmod +x "$dir/enter.sh"
"$dir/enter.sh" a true 2>/dev/null || exit 77

case $method in
address)
    on_host() {
        "$dir/enter.sh" "$1" env RANK="$2" WORLD_SIZE=2 MASTER_ADDR="10.99.$net.1" MASTER_PORT=29500 "$COMMAND" $ARGUMENTS
        echo "host $2: $?"
    }
    COMMAND=$1
    shift
    ARGUMENTS=$*
    on_host b 1 &
    on_host a 0
    wait
    ;;
name | file)
    [ "$method" = name ] && variables="MASTER_ADDR=hosta MASTER_PORT=29500" || variables="HELIORAY_STORE=file://$dir/store"
    # The ranks of each host are not contiguous.
    "$dir/enter.sh" b env RANK=1 WORLD_SIZE=4 $variables "$@" &
    "$dir/enter.sh" a env RANK=2 WORLD_SIZE=4 $variables "$@" &
    "$dir/enter.sh" b env RANK=3 WORLD_SIZE=4 $variables "$@" &
    "$dir/enter.sh" a env RANK=0 WORLD_SIZE=4 $variables "$@"
    wait
    ;;
torchrun)
    start="--no-python --nnodes 2 --nproc-per-node 2 --master-addr hosta --master-port 29500"
    "$dir/enter.sh" b "$TORCHRUN" $start --node-rank 1 "$@" &
    "$dir/enter.sh" a "$TORCHRUN" $start --node-rank 0 "$@"
    wait
    ;;
mpiexec)
    "$dir/enter.sh" a mpiexec.hydra -launcher ssh -launcher-exec "$dir/enter.sh" -hosts hosta,hostb -n 4 -ppn 2 "$@"
    ;;
mpirun)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    "$dir/enter.sh" a mpirun.openmpi --mca plm_rsh_agent "$dir/enter.sh -x" --host hosta:2,hostb:2 "$@"
    ;;
esac
exit 0
