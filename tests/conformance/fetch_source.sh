#!/bin/sh
# fetch_source.sh PACKAGE DIR [PATTERN]: the upstream source of a Debian package, unpacked as DIR/PACKAGE; with PATTERN
# only the members that match it. apt checks the archive's signature, as for any package. What apt needs for that is
# kept in DIR, and the machine's own lists stay as they are. Exits with 77 when the source cannot be had, and says why.
set -eu
package=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
pattern=${3:-*}
[ -e "$dir/$package/.complete" ] && exit 0

unavailable() {
    echo "SKIPPED: no source of $package: $1"
    echo "$1" >"$dir/$package.unavailable"
    exit 77
}

command -v apt-get >/dev/null || unavailable "this machine has no apt-get"
mkdir -p "$dir/apt/sources" "$dir/apt/lists" "$dir/apt/cache"
: >"$dir/apt/none"
# The machine's own sources, as sources of source packages.
for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$dir/apt/sources/$(basename "$file")"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] && sed -n 's/^deb /deb-src /p' "$file" >"$dir/apt/sources/$(basename "$file" .list).list"
done
[ -n "$(ls "$dir/apt/sources")" ] || unavailable "apt has no sources"

apt() {
    timeout 120 apt-get -q -o Dir::Etc::sourcelist="$dir/apt/none" -o Dir::Etc::sourceparts="$dir/apt/sources" \
        -o Dir::State::lists="$dir/apt/lists" -o Dir::Cache="$dir/apt/cache" -o APT::Sandbox::User=root \
        -o Acquire::Retries=2 "$@" >"$dir/apt/log" 2>&1
}
apt update || unavailable "apt-get update failed: $(tail -n 1 "$dir/apt/log")"
(cd "$dir" && apt source --tar-only --download-only "$package") ||
    unavailable "apt-get source failed: $(tail -n 1 "$dir/apt/log")"

archive=$(find "$dir" -maxdepth 1 -name "${package}_*.orig.tar.*" | head -n 1)
[ -n "$archive" ] || unavailable "the package has no upstream archive"
rm -rf "$dir/$package"
mkdir "$dir/$package"
tar -xf "$archive" -C "$dir/$package" --strip-components=1 --wildcards "$pattern"
basename "$archive" >"$dir/$package/.complete"
rm -f "$dir/$package.unavailable"
