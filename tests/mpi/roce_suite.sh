#!/bin/sh
# The point-to-point programs over RDMA, inside the VM with soft-RoCE. roce_suite.sh RB2RUN DIR-OF-PROGRAMS
# Emulated processors: only what exercises the fabric, not every program there is.
set -u
rb2run=$1 programs=$2
failed=0

# verdict NAME GOOD STATUS: GOOD is 0 if all is well.
verdict() {
    if [ "$2" -eq 0 ]; then
        echo "passed $1"
    else
        echo "FAILED $1 with $3:"
        tail -n 20 /tmp/out
        failed=1
    fi
}

# run NAME FABRICS RANKS PROGRAM [ARGS...]
run() {
    name=$1 fabrics=$2 ranks=$3 program=$4
    shift 4
    RB2_FABRICS=$fabrics timeout 150 ${prefix:-} "$rb2run" -n "$ranks" "$programs/$program" "$@" >/tmp/out 2>&1
    verdict "$name" $? $?
}

# ends NAME TEXT PROGRAM [ARGS...]: two ranks over verbs end with an error that says TEXT.
ends() {
    name=$1 text=$2 program=$3
    shift 3
    RB2_FABRICS=verbs timeout 60 ${prefix:-} "$rb2run" -n 2 "$programs/$program" "$@" >/tmp/out 2>&1
    status=$?
    [ $status -ne 0 ] && [ $status -ne 124 ] && grep -q "$text" /tmp/out
    verdict "$name" $? $status
}

for program in mpi_pt2pt mpi_completion mpi_probe; do run "$program" verbs 2 $program; done
# Beyond the budget ranks meet when they first speak to each other: one by one, all at once, and as their last deed.
export RB2_MESH_BYTES=0
run mpi_persistent.contact verbs 2 mpi_persistent
RB2_VERBS_QPS=3 RB2_DIRECT_BYTES=20000 run contacts.all_at_once verbs 4 mpi_contacts all_at_once
run contacts.at_the_end verbs 4 mpi_contacts at_the_end
unset RB2_MESH_BYTES
run mpi_matching.3 verbs 3 mpi_matching
run mpi_collectives.3 verbs 3 mpi_collectives
run mpi_pt2pt.mixed shm,verbs,tcp 2 mpi_pt2pt : -n 1 env RB2_FABRICS=tcp "$programs/mpi_pt2pt" \
    : -n 1 env RB2_FABRICS=verbs,tcp "$programs/mpi_pt2pt"
RB2_REGISTRATION_CACHE=off run mpi_pt2pt.uncached verbs 2 mpi_pt2pt
RB2_REGISTRATION_CACHE=check run mpi_pt2pt.checked verbs 2 mpi_pt2pt

# The machine has two NUMA nodes (roce-vm --numa), a processor each.
RB2_FABRICS=shm timeout 60 "$rb2run" --bind-to core -n 2 "$programs/mpi_ring_pages" >/tmp/out 2>&1
verdict ring_pages $? $?

# Every k-th registration fails, behind the two of the start: the ring takes over, nothing is lost. Each: the start says why.
for every in 3 4; do
    prefix="env RB2_DIRECT_BYTES=20000 LD_PRELOAD=$programs/libfailing_registration.so RB2_TEST_REGISTRATION_FAILS_EVERY=$every" \
        run mpi_pt2pt.failing.$every verbs 2 mpi_pt2pt
done
prefix="env LD_PRELOAD=$programs/libfailing_registration.so RB2_TEST_REGISTRATION_FAILS_EVERY=1" \
    ends failing.1 "ibv_reg_mr" mpi_pt2pt

# Little lockable memory, without the capability that lifts the limit. Too little for users' buffers: the rings take
# over. Too little for the rings: the start says so.
limited="setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock"
(ulimit -l 2048 && prefix=$limited run mpi_pt2pt.memlock verbs 2 mpi_pt2pt && exit $failed) || failed=1
(ulimit -l 64 && prefix=$limited ends memlock.64 "locked memory" mpi_pt2pt && exit $failed) || failed=1

# An error of the program ends the job, and the reason is told.
ends bad_input "a message of 16 bytes from rank 0 with tag 6 came for a buffer of 4 bytes" mpi_bad_input truncate

# A second device, which reaches this host only: blocks of long messages go over both; not if the user says so; and
# when its link goes down in the middle, over what is left.
ip link add rail1 type dummy numtxqueues 2 && ip addr add 10.8.0.1/24 dev rail1 && ip link set rail1 up &&
    rdma link add rxe1 type rxe netdev rail1 || failed=1
carried() { cat /sys/class/infiniband/rxe1/ports/1/hw_counters/sent_pkts; }
# carries NAME WHETHER: after a job that passed, whether the second device has carried packets since the last call.
before=$(carried)
carries() {
    now=$(carried)
    [ "$([ "$now" -gt $((before + 1000)) ] && echo 1 || echo 0)" = "$2" ]
    verdict "$1.carried" $? "$((now - before)) packets"
    before=$now
}
export RB2_DIRECT_BYTES=20000 RB2_VERBS_RAILS=2
run rails verbs 2 mpi_rails
carries rails 1
RB2_MESH_BYTES=0 RB2_VERBS_QPS=2 run rails.contact verbs 2 mpi_rails
carries rails.contact 1
RB2_VERBS_DEVICE=rxe0 run rails.excluded verbs 2 mpi_rails
carries rails.excluded 0
RB2_VERBS_TIMEOUT=10 run rails.down verbs 2 mpi_rails "ip link set rail1 down"
grep -q "rank [01] writes to rank [01] over one connection less.*device rxe1 port 1" /tmp/out
verdict rails.down.told $? "no word of it"
unset RB2_DIRECT_BYTES RB2_VERBS_RAILS

# The link goes down while messages are under way.
(
    for _ in $(seq 60); do
        grep -q exchanging /tmp/out && break
        sleep 1
    done
    ip link set eth0 down
) &
ends link_down "rank [01] on vm1 can no longer be reached: verbs: " mpi_contacts endless
exit $failed
