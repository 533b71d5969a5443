#!/bin/bash
# What scripts/roce-vm shows of a VM begins behind the firmware's last words, in a line of their own or not.
# roce_vm_output.sh ROCE-VM
set -eu
eval "$(sed -n '/^from_boot_on() {/,/^}/p' "$1")"
for end in '\r\n' ''; do
    shown=$(printf "SeaBIOS\r\n\r\nBooting from ROM..$end\033c\033[?7l\033[2Jfirst\r\nroce-vm-status=0\r\n" | from_boot_on)
    [ "$shown" = $'first\nroce-vm-status=0' ] || { printf 'after "%s": %q\n' "$end" "$shown"; exit 1; }
done
