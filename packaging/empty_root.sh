#!/usr/bin/env bash
# Runs a static command in a folder that has nothing else, as in an image made FROM scratch:
#   packaging/empty_root.sh FABRICSIM
# Needs root, or a kernel that gives user namespaces to everybody.
set -euo pipefail
command=$(realpath "$1")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -m 1777 "$root/tmp"
mkdir "$root/bin" "$root/out"
cp "$command" "$root/bin/fabricsim"

# within ARGUMENTS...: the command, with the empty folder as its root.
within() {
    if [ "$(id -u)" -eq 0 ]; then
        chroot "$root" /bin/fabricsim "$@"
    else
        unshare --map-root-user chroot "$root" /bin/fabricsim "$@"
    fi
}
within --version
within run --quiet --out /out/default
here=$(mktemp -d)
"$command" run --quiet --out "$here/default"
cmp "$root/out/default/fct.csv" "$here/default/fct.csv"
rm -rf "$here"
sed -n 's/^  "checksum": "\(.*\)",$/checksum \1, as outside of the empty root/p' "$root/out/default/summary.json"
