# To be sourced after tests/slurm_cluster.sh, inside in_namespaces ... -- --net: pretended hosts of one network: hs0
# (where users log in) with a bridge, and b1, b2 (or more) on a cable each. A host is a network, host name and mount namespace
# with its own /dev/shm, kept alive by a sleeping process whose number is in $dir/host.NAME; all of it, and with it the
# network, ends with the script. bash.

export RB2_TEST_HOSTS=$dir
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# on HOST COMMAND...
on() {
    local host=$1
    shift
    "$here/enter.sh" "$host" "$@"
}

# make_host NAME: where the variable `hidden` names a directory, it is empty there.
make_host() {
    unshare --net --uts --mount --propagation private sh -c 'hostname "$1"; mount --bind "$2/hosts" /etc/hosts
        [ -z "$3" ] || mount -t tmpfs tmpfs "$3"
        mount -t tmpfs tmpfs /dev/shm; ip link set lo up; : >"$2/ready.$1"; exec sleep infinity' _ "$1" "$dir" "${hidden:-}" &
    echo $! >"$dir/host.$1"
    local _
    for _ in $(seq 100); do
        [ -e "$dir/ready.$1" ] && return
        sleep 0.1
    done
    echo "host $1 did not come up"
    exit 1
}

# make_hosts [N]: b1 to bN, at most 99; two.
make_hosts() {
    local host numbers
    numbers=$(seq "${1:-2}")
    printf '127.0.0.1 localhost\n10.77.0.1 hs0\n' >"$dir/hosts"
    for host in $numbers; do
        echo "10.77.0.1$host b$host" >>"$dir/hosts"
    done
    make_host hs0
    for host in $numbers; do
        make_host b$host
    done
    on hs0 ip link add br0 type bridge
    on hs0 ip addr add 10.77.0.1/24 dev br0
    on hs0 ip link set br0 up
    for host in $numbers; do
        on hs0 ip link add v$host type veth peer name eth0 netns "$(cat "$dir/host.b$host")"
        on hs0 ip link set v$host master br0 up
        on b$host ip addr add 10.77.0.1$host/24 dev eth0
        on b$host ip link set eth0 up
        on b$host ip addr add fd77::1$host/64 dev eth0 nodad
        # What container runtimes leave on every host: one and the same address, which leads to nobody else.
        on b$host ip link add docker0 type veth peer name docker1
        on b$host ip addr add 172.17.0.1/16 dev docker0
        on b$host ip link set docker0 up
        on b$host ip link set docker1 up
    done
}

# The number of processes whose command line is exactly "$*".
count_processes() {
    local wanted count=0 line
    wanted=$(printf '%s ' "$@")
    for line in /proc/[0-9]*/cmdline; do
        [ "$(tr '\0' ' ' 2>/dev/null <"$line")" = "$wanted" ] && count=$((count + 1))
    done
    echo "$count"
}

# expect_none COMMAND...: no process is that, at the latest in 10 s.
expect_none() {
    local _
    for _ in $(seq 50); do
        [ "$(count_processes "$@")" -eq 0 ] && return
        sleep 0.2
    done
    echo "left over: $*"
    failures=$((failures + 1))
}

# expect_no_pages: ranks' pages (rb2stat) are left on no host.
expect_no_pages() {
    local host
    for host in b1 b2; do
        [ -z "$(on $host find /dev/shm -name 'rb2-*')" ] && continue
        echo "left over on $host: $(on $host find /dev/shm -name 'rb2-*')"
        failures=$((failures + 1))
    done
}
