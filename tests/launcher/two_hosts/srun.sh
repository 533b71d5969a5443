#!/bin/bash
# srun.sh RB2RUN MPI_PT2PT CLIENT STUCK: rb2run hands jobs to a real Slurm on two pretended hosts.
set -u
. "$(dirname "$0")/../../slurm_cluster.sh"
in_namespaces "$@" -- --net
. "$(dirname "$0")/hosts.sh"
rb2run=$1
pt2pt=$2
client=$3
stuck=$4
make_hosts

slurm_conf "hs0(10.77.0.1)" "TaskPlugin=task/affinity" \
    "NodeName=b1 CPUs=1 RealMemory=100" "NodeName=b2 CPUs=1 RealMemory=100"
on hs0 slurmctld -D -f "$SLURM_CONF" >"$dir/log/ctld.out" 2>&1 &
for node in b1 b2; do
    on $node slurmd -D -N $node -f "$SLURM_CONF" >"$dir/log/$node.out" 2>&1 &
done
sinfo() { on hs0 sinfo "$@"; }
wait_for_nodes 2

# The log-in host with two nodes allocated, and without.
outside="timeout 120 $here/enter.sh hs0 $rb2run"
run="timeout 120 $here/enter.sh hs0 salloc -Q -N2 -n4 -O $rb2run"
where='echo "rank $PMIX_RANK of $RB2_WORLD_SIZE on $(hostname)"'

expect "messages" 0 "rank 3 of 4 on b2" $run -n 4 sh -c "$where; exec $pt2pt"
expect "order and numbers" 0 "rank 1 of 4 on b1" $run -H b2:1,b1:3 sh -c "$where"
expect "more ranks than CPUs" 0 "rank 7 of 8 on b2" $run -n 8 sh -c "$where"
expect "without an allocation" 0 "rank 2 of 3 on b2" $outside --engine srun -H b1:2,b2:1 sh -c "$where"
RB2_FABRICS=tcp expect "two programs, environment" 0 "3 tcp a b;c,'d'= /usr" $run -n 1 -x A=1 "$client" init fence finalize : \
    -n 3 -x "A=a b;c,'d'=" --wdir /usr sh -c '"$0" init fence finalize && echo "$PMIX_RANK $RB2_FABRICS $A $PWD"' "$client"
expect "tags, binding" 0 "1: b2" $run -l --bind-to core --report-bindings -n 2 hostname
expect "mapping by host" 0 "rank 1 of 4 on b2" $run --map-by node -n 4 sh -c "$where"
expect "ranks per host, named hosts" 0 "rank 2 of 4 on b2" $run --map-by ppr:2:node -H b1,b2 sh -c "$where"
expect "ranks per host" 0 "rank 2 of 4 on b2" $run --map-by ppr:2:node -n 4 sh -c "$where"
expect "output files" 0 "" $run --output "$dir/out" -n 2 hostname
expect "output of rank 1" 0 "b2" cat "$dir/out/rank.1.out"
expect "nothing is overwritten" 2 "is not empty" $run --output "$dir/out" -n 2 hostname
expect "standard input" 0 "100000" sh -c 'seq 100000 | "$@" cat | tail -n 1' _ $run -n 2
expect "dry run" 0 "engine srun: in Slurm job" $run -v --dry-run -n 4 true
expect "no equal" 2 "srun has no equal of --kill-wait" $run --kill-wait 3 -n 2 true

# On its only node rb2run starts the ranks itself.
expect "one node" 0 "" timeout 120 "$here/enter.sh" hs0 sbatch -Q -W -N1 -n1 -o "$dir/one" --wrap "$rb2run -v -n 2 $client init fence finalize"
expect "engine on one node" 0 "has this node only" cat "$dir/one"

# Ranks that Slurm ends because another failed count as 143, and the highest counts.
expect "exit code" 143 "task 3: Exited with exit code 3" $run -n 4 sh -c 'test $PMIX_RANK = 3 && exit 3; exec sleep 4711'
expect "killed rank" 143 "task 2: Killed" $run -n 4 sh -c 'test $PMIX_RANK = 2 && kill -9 $$; exec sleep 4711'
expect "no such program" 2 "nope" $run -n 4 nope
expect "no such host" 1 "Requested node configuration is not available" $run -H b1,b9 -n 2 true
expect "time-out" 124 "--timeout: 2 s are over" $run --timeout 2 -n 4 sleep 4711
expect_none sleep 4711
expect "hang report" 124 "deadlock: rank 0 waits for rank 1 (receive, tag 7) -> rank 1 waits for rank 2" $run --timeout 6 -n 3 "$stuck" receive_cycle
expect "summary" 0 "3 of 3 ranks: sent" $run --stats -n 3 "$stuck" known
expect_no_pages
[ "$failures" -eq 0 ]
