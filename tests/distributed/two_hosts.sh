#!/bin/sh
# two_hosts.sh COMMAND...: runs COMMAND as rank 0 and rank 1 in two network and process namespaces, which share neither the
# loopback interface nor process ids, as two hosts do. Prints "host N: EXIT CODE". Exit code 77 where that cannot be done.
set -u
[ "$(id -u)" = 0 ] && command -v ip >/dev/null && command -v unshare >/dev/null || exit 77
name="hr$$"
net=$(($$ % 250))
clean_up() {
    ip netns del "${name}a" 2>/dev/null
    ip netns del "${name}b" 2>/dev/null
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

on_host() {
    space=$1 rank=$2
    shift 2
    ip netns exec "$space" unshare --pid --fork --mount-proc env RANK="$rank" WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 \
        MASTER_ADDR="10.99.$net.1" MASTER_PORT=29500 "$@"
    echo "host $rank: $?"
}
on_host "${name}b" 1 "$@" &
on_host "${name}a" 0 "$@"
wait
exit 0
