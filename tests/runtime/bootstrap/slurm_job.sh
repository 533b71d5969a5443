#!/bin/bash
# slurm_job.sh SESSION_PROBE: runs the probe under a real Slurm of two nodes on 127.0.0.1, which it starts in a private
# directory and a process namespace of its own, so that every daemon and step ends with it, whatever happens.
# Uses munged if one runs, else starts one the same way. Root only (slurmd is). Exit code 77: Slurm cannot run here.
set -u

if [ "$1" != --inside ]; then
    if [ "$(id -u)" -ne 0 ] || ! unshare --pid --fork --mount-proc true; then
        echo "skipped: slurmd needs root, and this script a process namespace"
        exit 77
    fi
    dir=$(mktemp -d /tmp/rb2-slurm-XXXXXX)
    chmod 755 "$dir" # steps and munged look into it as other users
    unshare --pid --fork --kill-child --mount-proc "$0" --inside "$dir" $$ "$1" &
    inside=$!
    trap 'kill -9 $inside; wait $inside 2>/dev/null; rm -rf "$dir"; exit 130' INT TERM HUP
    wait $inside
    status=$?
    [ $status -eq 0 ] || tail -n 30 "$dir"/log/*
    rm -rf "$dir"
    exit $status
fi
dir=$2
number=$3 # the outer script's process number: $$ is always 1 in here
probe=$4

# Three ports of this run's own, below the range for outgoing connections, away from Slurm's usual ones.
port=$((20000 + number % 4000 * 3))
mkdir -p "$dir"/{log,state,spool/a1,spool/a2,tmp/a1,tmp/a2,munge}

munge_socket=/run/munge/munge.socket.2
if ! munge -n >/dev/null 2>&1; then
    munge_socket=$dir/munge/socket
    head -c 64 /dev/urandom >"$dir/munge/key"
    chmod 600 "$dir/munge/key"
    # --force: the directory is below /tmp, which all may write.
    munged --foreground --force --socket="$munge_socket" --key-file="$dir/munge/key" --pid-file="$dir/munge/pid" \
        --log-file="$dir/log/munged" --seed-file="$dir/munge/seed" >"$dir/log/munged.out" 2>&1 &
fi

cat >"$dir/slurm.conf" <<CONF
ClusterName=rb2test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
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
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
KillWait=2
NodeName=a1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1 RealMemory=100
NodeName=a2 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1 RealMemory=100
PartitionName=p Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:8
CONF
export SLURM_CONF=$dir/slurm.conf

slurmctld -D -f "$SLURM_CONF" >"$dir/log/ctld.out" 2>&1 &
for node in a1 a2; do
    slurmd -D -N $node -f "$SLURM_CONF" >"$dir/log/$node.out" 2>&1 &
done
for _ in $(seq 100); do
    [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c '^idle$')" -eq 2 ] && break
    sleep 0.2
done
sinfo -N || exit 1

failures=0
# expect NAME CODE TEXT COMMAND...
expect() {
    name=$1
    shift
    echo "--- $name"
    sh "$(dirname "$0")/../../expect_exit.sh" "$@" || failures=$((failures + 1))
}

step="timeout 60 srun --kill-on-bad-exit=1 -O"
expect "two nodes" 0 "probe ok: 4 ranks" $step -N2 -n4 --mpi=pmix "$probe" --size 4 --local-size 2
expect "one node" 0 "probe ok: 3 ranks" $step -N1 -n3 --mpi=pmix "$probe" --size 3
expect "one rank" 0 "probe ok: 1 ranks" $step -N1 -n1 --mpi=pmix "$probe" --size 1
expect "no PMIx" 1 "srun --mpi=pmix" $step -N1 -n2 --mpi=none "$probe" --size 2
expect "one rank, no PMIx" 0 "probe ok: 1 ranks" $step -N1 -n1 --mpi=none "$probe" --size 1
expect "allocation shell" 0 "probe ok: 1 ranks" timeout 60 salloc -Q -N2 -n4 -O "$probe" --size 1
expect "abort" 7 "rank 1: abort(7): asked to" $step -N2 -n4 --mpi=pmix "$probe" --size 4 --local-size 2 --abort 1
[ "$failures" -eq 0 ]
