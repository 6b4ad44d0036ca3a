#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# privileged.sh PROGRAM: environment variables speak to the program, but not to a set-gid copy of it. Exit code 77 where a
# file can't be given to another group, or the file system ignores the bit.
set -u
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
export TBB_VERSION=1 ASHLAR_MALLOC_STATS=1 ASHLAR_NUM_THREADS=nonsense TBB_MALLOC_USE_HUGE_PAGES=nonsense
[ "$("$1" 2>&1 | grep -c -e nonsense -e VERSION -e mapped)" -ge 4 ] || { echo "the variables say nothing"; exit 1; }
chmod 755 "$folder"
cp "$1" "$folder/program" && chgrp nogroup "$folder/program" 2>/dev/null && chmod 2755 "$folder/program" || exit 77
findmnt -no OPTIONS -T "$folder" 2>/dev/null | grep -q nosuid && exit 77
said=$("$folder/program" 2>&1) || { echo "failed: $said"; exit 1; }
[ -z "$said" ] || { echo "said: $said"; exit 1; }
