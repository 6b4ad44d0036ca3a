#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# binding.sh PROGRAM LIBTBB TBB_SONAME LIBTBBMALLOC TBBMALLOC_SONAME: libtbb alone uses the C library's malloc; with
# libtbbmalloc beside it, that one. The program is the same.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cp -L "$2" "$folder/$3"
LD_LIBRARY_PATH=$folder "$1" standard
cp -L "$4" "$folder/$5"
LD_LIBRARY_PATH=$folder "$1" scalable
