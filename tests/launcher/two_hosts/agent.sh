#!/bin/sh
# agent.sh [OPTIONS] HOST COMMAND...: stands in for ssh.
while [ "${1#-}" != "$1" ]; do
    shift
done
host=$1
shift
if [ ! -e "$RB2_TEST_HOSTS/host.$host" ]; then
    echo "no such host: $host" >&2
    exit 255
fi
exec "$(dirname "$0")/enter.sh" "$host" sh -c "$*"
