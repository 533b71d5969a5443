#!/bin/sh
# expect_exit.sh CODE TEXT COMMAND...: passes when COMMAND exits with CODE and prints TEXT (on stdout or stderr).
code=$1
text=$2
shift 2
output=$("$@" 2>&1)
got=$?
printf '%s\n' "$output"
if [ "$got" -ne "$code" ]; then
    echo "expected exit code $code, got $got"
    exit 1
fi
case $output in
    *"$text"*) exit 0 ;;
esac
echo "expected the text: $text"
exit 1
