#!/bin/bash
# slurm_job.sh SESSION_PROBE PEER_LOSS_PROBE: runs the probes under a real Slurm of two nodes on 127.0.0.1, which it starts
# in a private directory and ends again, whatever happens. Uses munged if one runs, else starts one the same way.
# Root only (slurmd is). Exit code 77: Slurm cannot run here.
set -u
probe=$1
peer_loss_probe=$2

if [ "$(id -u)" -ne 0 ]; then
    echo "skipped: slurmd must be started by root"
    exit 77
fi

dir=$(mktemp -d /tmp/rb2-slurm-XXXXXX)
# slurmd's and munged's children look at the directory as other users.
chmod 755 "$dir"
children=()

finish() {
    status=$?
    # slurmd ends its step daemons itself when it gets a TERM.
    for pid in "${children[@]}"; do kill "$pid" 2>/dev/null; done
    for pid in "${children[@]}"; do
        for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
        kill -9 "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
    done
    [ $status -eq 0 ] || [ $status -eq 77 ] || tail -n 30 "$dir"/log/* 2>/dev/null
    rm -rf "$dir"
    exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# Three ports from the process number, below the range for outgoing connections, away from Slurm's own.
port=$((20000 + $$ % 4000 * 3))
mkdir -p "$dir"/{log,state,spool/a1,spool/a2,tmp/a1,tmp/a2,munge}

munge_socket=/run/munge/munge.socket.2
if ! munge -n >/dev/null 2>&1; then
    munge_socket=$dir/munge/socket
    chmod 700 "$dir/munge"
    head -c 64 /dev/urandom >"$dir/munge/key"
    chmod 600 "$dir/munge/key"
    # The socket must be reachable by all users, its directory may not be hidden; --force accepts that it is not root's only.
    chmod 711 "$dir/munge"
    munged --foreground --force --socket="$munge_socket" --key-file="$dir/munge/key" --pid-file="$dir/munge/pid" \
        --log-file="$dir/log/munged" --seed-file="$dir/munge/seed" >"$dir/log/munged.out" 2>&1 &
    children+=($!)
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
children+=($!)
for node in a1 a2; do
    slurmd -D -N $node -f "$SLURM_CONF" >"$dir/log/$node.out" 2>&1 &
    children+=($!)
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
    sh "$(dirname "$0")/expect_exit.sh" "$@" || failures=$((failures + 1))
}

step="timeout 60 srun --kill-on-bad-exit=1 -O"
expect "two nodes" 0 "probe ok: 4 ranks" $step -N2 -n4 --mpi=pmix "$probe" --size 4 --local-size 2
expect "one node" 0 "probe ok: 3 ranks" $step -N1 -n3 --mpi=pmix "$probe" --size 3
expect "one rank" 0 "probe ok: 1 ranks" $step -N1 -n1 --mpi=pmix "$probe" --size 1
expect "no PMIx" 1 "srun --mpi=pmix" $step -N1 -n2 --mpi=none "$probe" --size 2
expect "one rank, no PMIx" 0 "probe ok: 1 ranks" $step -N1 -n1 --mpi=none "$probe" --size 1
expect "allocation shell" 0 "probe ok: 1 ranks" timeout 60 salloc -Q -N2 -n4 -O "$probe" --size 1
expect "abort" 7 "rank 1: abort(7): asked to" $step -N2 -n4 --mpi=pmix "$probe" --size 4 --local-size 2 --abort 1
expect "peer loss" 0 "" $step -N1 -n3 --mpi=pmix "$peer_loss_probe"
[ "$failures" -eq 0 ]
