#!/bin/sh
# expect_failure.sh STATUS TEXT COMMAND...: passes when the command ends with that exit status and prints the text.
status=$1
text=$2
shift 2
output=$("$@" 2>&1)
actual=$?
printf '%s\n' "$output"
[ $actual -eq "$status" ] || { echo "exit status $actual, expected $status"; exit 1; }
case $output in
    *"$text"*) ;;
    *) echo "the output does not have: $text"; exit 1 ;;
esac
