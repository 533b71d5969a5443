#!/bin/sh
# The point-to-point programs over RDMA, inside the VM with soft-RoCE. roce_suite.sh RB2RUN DIR-OF-PROGRAMS
# Emulated processors: only what exercises the fabric, not every program there is.
set -u
rb2run=$1 programs=$2
failed=0

# run NAME FABRICS RANKS PROGRAM [ARGS...]
run() {
    name=$1 fabrics=$2 ranks=$3 program=$4
    shift 4
    if RB2_FABRICS=$fabrics timeout 150 "$rb2run" -n "$ranks" "$programs/$program" "$@" >/tmp/out 2>&1; then
        echo "passed $name"
    else
        echo "FAILED $name with $?:"
        tail -n 20 /tmp/out
        failed=1
    fi
}

for program in mpi_pt2pt mpi_completion mpi_probe mpi_persistent; do run "$program" verbs 2 $program; done
run mpi_matching.3 verbs 3 mpi_matching
run mpi_collectives.3 verbs 3 mpi_collectives
run mpi_pt2pt.mixed shm,verbs,tcp 2 mpi_pt2pt : -n 1 env RB2_FABRICS=tcp "$programs/mpi_pt2pt" \
    : -n 1 env RB2_FABRICS=verbs,tcp "$programs/mpi_pt2pt"
RB2_REGISTRATION_CACHE=off run mpi_pt2pt.uncached verbs 2 mpi_pt2pt
RB2_REGISTRATION_CACHE=check run mpi_pt2pt.checked verbs 2 mpi_pt2pt

# Too little lockable memory for users' buffers: the rings take over, nothing fails.
(ulimit -l 2048 && run mpi_pt2pt.memlock verbs 2 mpi_pt2pt && exit $failed) || failed=1

# A killed peer ends the job, and the reason is told.
if text=$(RB2_FABRICS=verbs timeout 60 "$rb2run" -n 2 "$programs/mpi_bad_input" truncate 2>&1); then
    echo "FAILED bad_input: it succeeded"
    failed=1
elif echo "$text" | grep -q "a message of 16 bytes from rank 0 with tag 6 came for a buffer of 4 bytes"; then
    echo "passed bad_input"
else
    echo "FAILED bad_input: $text"
    failed=1
fi
exit $failed
