# To be sourced: a private Slurm that needs nothing of the machine's own, for tests. bash.
#
#   in_namespaces "$@" -- UNSHARE_FLAGS   first; from then on $dir is a private directory, $number tells this run from
#                                         others, and whatever the script starts ends with it, whatever happens
#   slurm_conf CONTROLLER LINE...         writes $SLURM_CONF (exported); starts munged unless one runs
#   wait_for_nodes N                      until N nodes are idle
#   expect NAME CODE TEXT COMMAND...      counts in $failures
# Root only (slurmd is). Exit code 77: it cannot run here.

failures=0
expect_exit=$(dirname "${BASH_SOURCE[0]}")/expect_exit.sh

# Runs the script again with all its arguments, as the first process of new namespaces.
in_namespaces() {
    local arguments=()
    while [ "$1" != -- ]; do
        arguments+=("$1")
        shift
    done
    shift
    if [ -n "${RB2_TEST_CLUSTER:-}" ]; then
        read -r dir number <<<"$RB2_TEST_CLUSTER"
        unset RB2_TEST_CLUSTER
        return
    fi
    if [ "$(id -u)" -ne 0 ] || ! unshare --pid --fork --mount-proc "$@" true; then
        echo "skipped: this needs root, and namespaces of its own: --pid $*"
        exit 77
    fi
    dir=$(mktemp -d /tmp/rb2-slurm-XXXXXX)
    chmod 755 "$dir" # steps and munged look into it as other users
    RB2_TEST_CLUSTER="$dir $$" unshare --pid --fork --kill-child --mount-proc "$@" "$0" "${arguments[@]}" &
    local inside=$!
    trap 'kill -9 $inside; wait $inside 2>/dev/null; rm -rf "$dir"; exit 130' INT TERM HUP
    wait $inside
    local status=$?
    [ $status -eq 0 ] || [ ! -d "$dir/log" ] || tail -n 30 "$dir"/log/*
    rm -rf "$dir"
    exit $status
}

# Sets $munge_socket.
start_munge() {
    munge_socket=/run/munge/munge.socket.2
    if ! munge -n >/dev/null 2>&1; then
        munge_socket=$dir/munge/socket
        mkdir -p "$dir/munge"
        head -c 64 /dev/urandom >"$dir/munge/key"
        chmod 600 "$dir/munge/key"
        # --force: the directory is below /tmp, which all may write.
        munged --foreground --force --socket="$munge_socket" --key-file="$dir/munge/key" --pid-file="$dir/munge/pid" \
            --log-file="$dir/log/munged" --seed-file="$dir/munge/seed" >"$dir/log/munged.out" 2>&1 &
    fi
}

slurm_conf() {
    local controller=$1
    shift
    mkdir -p "$dir"/{log,state,spool,tmp}
    start_munge
    export SLURM_CONF=$dir/slurm.conf
    cat >"$SLURM_CONF" <<CONF
ClusterName=rb2test
SlurmctldHost=$controller
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$munge_socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
TmpFS=$dir/tmp/%n
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/%n.pid
SlurmctldLogFile=$dir/log/ctld
SlurmdLogFile=$dir/log/%n
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
KillWait=2
SchedulerParameters=sched_interval=1,bf_interval=1
PartitionName=p Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:8
CONF
    printf '%s\n' "$@" >>"$SLURM_CONF"
    local node
    for node in $(sed -n 's/^NodeName=\([^ ]*\).*/\1/p' "$SLURM_CONF"); do
        mkdir -p "$dir"/{spool,tmp}/"$node"
    done
}

wait_for_nodes() {
    local _
    for _ in $(seq 150); do
        [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c '^idle$')" -eq "$1" ] && return
        sleep 0.2
    done
    sinfo -N
    exit 1
}

expect() {
    echo "--- $1"
    shift
    sh "$expect_exit" "$@" || failures=$((failures + 1))
}
