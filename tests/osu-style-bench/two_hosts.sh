#!/bin/sh
# two_hosts.sh COMMAND...: makes two network namespaces joined by a wire and runs the command with the options that rb2_tcp
# needs to use them: --first-namespace A --first-address ... Removes them again. Exits 77 where that is not allowed.
set -eu
a="rb2-a-$$"
b="rb2-b-$$"
cleanup() {
    ip netns del "$a" 2>/dev/null || true
    ip netns del "$b" 2>/dev/null || true
}
trap cleanup EXIT INT TERM
ip netns add "$a" 2>/dev/null && ip netns add "$b" || exit 77
ip -n "$a" link add eth0 type veth peer name eth0 netns "$b" || exit 77
for host in "$a:1" "$b:2"; do
    name=${host%:*}
    ip -n "$name" link set lo up
    ip -n "$name" addr add "10.79.0.${host#*:}/24" dev eth0
    ip -n "$name" link set eth0 up
done
"$@" --first-namespace "$a" --first-address 10.79.0.1 --second-namespace "$b" --second-address 10.79.0.2
