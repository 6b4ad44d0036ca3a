#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0, its tbb.pc (PyPI: tbb, tbb-devel)
# Expected: libdir of a .pc file is the folder that the libraries are installed in, by the convention of pkg-config's
#   guide, and build systems ask for it by name to set a search path for running. After an installation into a prefix
#   libtbb.so lies in $(pkg-config --variable=libdir tbb).
# Seen: libdir names lib/intel64/gcc4.8 below the prefix, a folder that no package makes. A second -L with lib keeps
#   linking alive, so that the fault shows only where libdir itself is used. includedir is right.
set -euo pipefail
command -v pkg-config >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip download -q --disable-pip-version-check --no-deps -d "$folder/wheels" tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
python3 -m pip install -q --disable-pip-version-check --no-deps --no-index --ignore-installed --no-warn-script-location \
  --root-user-action ignore --prefix "$folder/prefix" "$folder"/wheels/*.whl
pc=$(find "$folder/prefix" -name tbb.pc)
value() { PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --variable="$1" tbb; }
there() { if [[ -e $1 ]]; then echo there; else echo missing; fi; }
printed="includedir: header $(there "$(value includedir)/tbb/tbb.h"); libdir: folder $(there "$(value libdir)")"
printed+=", libtbb.so in lib $(there "$(value prefix)/lib/libtbb.so")"
seen='includedir: header there; libdir: folder missing, libtbb.so in lib there'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
