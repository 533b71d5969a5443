#!/bin/bash
# slurm_job.sh SESSION_PROBE: runs the probe under a real Slurm of two nodes on 127.0.0.1.
set -u
. "$(dirname "$0")/../../slurm_cluster.sh"
in_namespaces "$@" --
probe=$1

# Three ports of this run's own, below the range for outgoing connections, away from Slurm's usual ones.
port=$((20000 + number % 4000 * 3))
here="NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 CPUs=1 RealMemory=100"
slurm_conf "$(hostname -s)(127.0.0.1)" "SlurmctldPort=$port" "TaskPlugin=task/none" \
    "NodeName=a1 Port=$((port + 1)) $here" "NodeName=a2 Port=$((port + 2)) $here"
slurmctld -D -f "$SLURM_CONF" >"$dir/log/ctld.out" 2>&1 &
for node in a1 a2; do
    slurmd -D -N $node -f "$SLURM_CONF" >"$dir/log/$node.out" 2>&1 &
done
wait_for_nodes 2

step="timeout 60 srun --kill-on-bad-exit=1 -O"
expect "two nodes" 0 "probe ok: 4 ranks" $step -N2 -n4 --mpi=pmix "$probe" --size 4 --local-size 2
expect "one node" 0 "probe ok: 3 ranks" $step -N1 -n3 --mpi=pmix "$probe" --size 3
expect "one rank" 0 "probe ok: 1 ranks" $step -N1 -n1 --mpi=pmix "$probe" --size 1
# Both tasks end by themselves: srun is not to kill the slower one.
expect "no PMIx" 1 "srun --mpi=pmix" $step --kill-on-bad-exit=0 -N1 -n2 --mpi=none "$probe" --size 2
expect "one rank, no PMIx" 0 "probe ok: 1 ranks" $step -N1 -n1 --mpi=none "$probe" --size 1
expect "allocation shell" 0 "probe ok: 1 ranks" timeout 60 salloc -Q -N2 -n4 -O "$probe" --size 1
expect "abort" 7 "rank 1: abort(7): asked to" $step -N2 -n4 --mpi=pmix "$probe" --size 4 --local-size 2 --abort 1
[ "$failures" -eq 0 ]
