#!/bin/sh
# expect_exit.sh CODE TEXT COMMAND...: passes when COMMAND exits with CODE and prints TEXT (on stdout or stderr).
# LAUNCHER_TRIES=n: runs it again, n times at most, when it crashed or did not end within 10 s.
code=$1
text=$2
shift 2
tries=${LAUNCHER_TRIES:-1}
while :; do
    if [ "$tries" -gt 1 ]; then
        output=$(timeout -k 1 10 "$@" 2>&1)
    else
        output=$("$@" 2>&1)
    fi
    got=$?
    printf '%s\n' "$output"
    [ "$tries" -gt 1 ] || break
    [ "$got" -eq 139 ] || [ "$got" -eq 134 ] || [ "$got" -eq 124 ] || [ "$got" -eq 137 ] || break
    tries=$((tries - 1))
done
if [ "$got" -ne "$code" ]; then
    echo "expected exit code $code, got $got"
    exit 1
fi
case $output in
    *"$text"*) exit 0 ;;
esac
echo "expected the text: $text"
exit 1
