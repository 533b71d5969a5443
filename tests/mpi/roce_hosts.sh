#!/bin/bash
# Jobs of rb2run on two hosts over RDMA: two VMs on one wire (scripts/roce-vm --hosts 2), in both of which this runs.
# roce_hosts.sh RB2RUN DIR-OF-PROGRAMS. vm1 starts the jobs; vm2 takes commands, and in the end it is gone.
set -u
rb2run=$1 programs=$2
agent=$(cd "$(dirname "$0")" && pwd)/roce_agent.sh
failed=0
export RB2_FABRICS=shm,verbs

if [ "$VM_ID" = 2 ]; then
    echo roce-vm-status=0 # said now: it is switched off before it could say so
    exec busybox nc -ll -p 4022 -e sh
fi

# job SECONDS ARGS...: two ranks on each host; 124 or 137 when it took longer. Output in /tmp/out.
job() {
    local limit=$1
    shift
    timeout -k 5 "$limit" "$rb2run" --rsh-agent "$agent" -H vm1:2,vm2:2 "$@" >/tmp/out 2>&1
}
fail() {
    echo "FAILED $1:"
    tail -n 40 /tmp/out
    failed=1
}

for _ in $(seq 60); do
    "$agent" vm2 true 2>/dev/null && break
    sleep 1
done
for program in mpi_pt2pt mpi_matching; do
    began=$SECONDS
    if job 150 "$programs/$program"; then
        echo "passed $program in $((SECONDS - began)) s"
    else
        fail "$program"
    fi
done

# A host is switched off while all ranks exchange messages: nothing there can say a word of farewell.
job 100 "$programs/mpi_contacts" endless &
job=$!
for _ in $(seq 90); do
    grep -q exchanging /tmp/out && break
    sleep 1
done
"$agent" vm2 'echo b >/proc/sysrq-trigger' &
began=$SECONDS
wait $job
status=$?
ended=$((SECONDS - began))
named=0
grep -q 'rank [23] on vm2 can no longer be reached: verbs: .*GID' /tmp/out && named=1
case $named.$status in
0.* | *.0 | *.124 | *.137) fail "lost host with $status after $ended s" ;;
*) echo "passed lost host: the job ended $ended s later" ;;
esac
exit $failed
