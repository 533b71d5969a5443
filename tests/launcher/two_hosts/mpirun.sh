#!/bin/bash
# mpirun.sh RB2RUN MPI_PT2PT CLIENT STUCK: rb2run hands jobs on two pretended hosts to Open MPI's mpirun.
set -u
. "$(dirname "$0")/../../slurm_cluster.sh"
in_namespaces "$@" -- --net
. "$(dirname "$0")/hosts.sh"
rb2run=$1
pt2pt=$2
client=$3
stuck=$4
# The PMIx libraries of mpirun and its daemons try for 2 s each to reach a munged that has ended but left its socket.
[ ! -d /run/munge ] || hidden=/run/munge
make_hosts

run="timeout 120 $here/enter.sh hs0 $rb2run --rsh-agent $here/agent.sh"
where='echo "rank $PMIX_RANK of $RB2_WORLD_SIZE on $(hostname)"'

expect "messages" 0 "rank 3 of 4 on b2" $run -H b1,b2 -n 4 sh -c "$where; exec $pt2pt"
printf '# a comment\nb2 slots=1\n\nb1:3 # another\n' >"$dir/hostfile"
expect "fabrics" 0 "tcp: 4 pairs, as ranks 0 and 2: no shm: one machine, but not one /dev/shm" $run --report-fabrics -H b1,b2 -n 4 $pt2pt
RB2_TCP_INCLUDE=eth0 expect "messages over an interface by its name" 0 "" $run -H b1,b2 -n 2 $pt2pt
RB2_TCP_INCLUDE=fd77::/64 expect "messages over IPv6" 0 "" $run -H b1,b2 -n 2 $pt2pt
RB2_TCP_INCLUDE=docker0 expect "an address that both hosts have" 1 "172.17.0.1:" $run -H b1,b2 -n 2 $pt2pt
expect "host file" 0 "rank 1 of 4 on b1" $run --hostfile "$dir/hostfile" sh -c "$where"
RB2_FABRICS=tcp expect "two programs, environment" 0 "3 tcp a b;c,'d'= /usr" $run -H b1:2,b2:2 -n 1 -x A=1 "$client" init fence finalize : \
    -n 3 -x "A=a b;c,'d'=" --wdir /usr sh -c '"$0" init fence finalize && echo "$PMIX_RANK $RB2_FABRICS $A $PWD"' "$client"
expect "tags, binding" 0 "1]<stdout>:b2" $run -l --bind-to core --report-bindings -H b1:1,b2:1 hostname
expect "mapping by host" 0 "rank 1 of 4 on b2" $run --map-by node -H b1:2,b2:2 sh -c "$where"
expect "ranks per host" 0 "rank 2 of 4 on b2" $run --map-by ppr:2:node --timestamp-output -H b1,b2 sh -c "$where"
printf 'rank 0=b2 slot=0\nrank 1=b1 slot=0-1\nrank 2=b2 slot=1\n' >"$dir/rankfile"
expect "rank file" 0 "rank 0 of 3 on b2" $run --rankfile "$dir/rankfile" -H b1:1,b2:2 sh -c "$where; grep Cpus_allowed_list /proc/self/status"
expect "output files" 0 "" $run --output "$dir/out" -H b1:1,b2:1 hostname
expect "output of rank 1" 0 "b2" cat "$dir/out/rank.1/stdout"
expect "nothing is overwritten" 2 "is not empty" $run --output "$dir/out" -H b1:2,b2:2 hostname
expect "standard input" 0 "100000" sh -c 'seq 100000 | "$@" cat | tail -n 1' _ $run -H b1:1,b2:1
expect "dry run" 0 "rank 3 of 4 on b2" sh -c '"$@" | "$0" hs0 sh' "$here/enter.sh" $run -H b1:2,b2:2 --dry-run sh -c "$where"

expect "exit code, time limit" 3 "" $run --timeout 60 -H b1:2,b2:2 sh -c 'test $PMIX_RANK = 3 && exit 3; exec sleep 4711'
expect "killed rank" 137 "rank 2 with PID" $run -H b1:2,b2:2 sh -c 'test $PMIX_RANK = 2 && kill -9 $$; exec sleep 4711'
expect "no such program" 134 "nope" $run -H b1:2,b2:2 nope
expect "no such host" 255 "no such host: b9" $run -H b1:2,b9:2 true
expect "time-out" 124 "--timeout: 2 s are over" $run --timeout 2 -H b1:2,b2:2 sleep 4711
expect_none sleep 4711

# Ranks of both hosts are asked where they are, and what they have exchanged.
expect "hang report" 124 "deadlock: rank 0 waits for rank 1 (receive, tag 7) -> rank 1 waits for rank 2" $run --timeout 6 -H b1:2,b2:1 "$stuck" receive_cycle
expect "summary" 0 "3 of 3 ranks: sent" $run --stats -H b1:2,b2:1 "$stuck" known
expect_no_pages

echo "--- USR1"
$run --timeout 60 -H b1:2,b2:1 "$stuck" receive_cycle >"$dir/asked" 2>&1 &
asked=$!
for _ in $(seq 100); do
    # Of the shells and programs around rb2run only it takes USR1.
    [ "$(count_processes "$stuck" receive_cycle)" -eq 3 ] && break
    sleep 0.1
done
job=$(pgrep -P $asked -x rb2run || echo $asked)
# Asked again until all of them have come to where they wait.
for _ in $(seq 20); do
    sleep 1
    grep -q "deadlock: rank 0 waits for rank 1" "$dir/asked" && break
    kill -USR1 $job
done
kill -TERM $job
wait $asked
cat "$dir/asked"
grep -q "deadlock: rank 0 waits for rank 1" "$dir/asked" || failures=$((failures + 1))
expect_no_pages

# A signal to rb2run alone reaches the engine, whether rb2run has become it or watches it.
for limit in "" "--timeout 60"; do
    echo "--- TERM $limit"
    "$here/enter.sh" hs0 "$rb2run" --rsh-agent "$here/agent.sh" $limit -H b1:1,b2:1 sleep 4712 &
    job=$!
    for _ in $(seq 150); do
        [ "$(count_processes sleep 4712)" -eq 2 ] && break
        sleep 0.2
    done
    kill -TERM $job
    wait $job
    status=$?
    [ $status -eq 1 ] || { echo "expected exit code 1, got $status"; failures=$((failures + 1)); }
    expect_none sleep 4712
done

# Rank 1 can be reached on its own host only: ranks of the other find that out when they meet it. Last, for a job that
# ends while it starts may leave memory.
expect "no fabric at first contact" 1 "have no fabric in common" $run -H b1:2,b2:2 -n 1 $pt2pt : -n 1 -x RB2_FABRICS=shm $pt2pt : -n 2 $pt2pt
[ "$failures" -eq 0 ]
