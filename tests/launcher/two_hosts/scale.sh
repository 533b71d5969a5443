#!/bin/bash
# scale.sh HOSTS RB2-BIN [OPTIONS of scripts/scale...]: scripts/scale for jobs on so many pretended hosts. Not a test.
set -u
. "$(dirname "$0")/../../slurm_cluster.sh"
in_namespaces "$@" -- --net
. "$(dirname "$0")/hosts.sh"
hosts=$1
bin=$2
shift 2
[ ! -d /run/munge ] || hidden=/run/munge # as in mpirun.sh
make_hosts "$hosts"
on hs0 "$here/../../../scripts/scale" --bin "$bin" --agent "$here/agent.sh" --hosts "$(seq -s , -f b%g "$hosts")" "$@"
