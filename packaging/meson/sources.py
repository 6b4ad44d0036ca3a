#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""For meson.build: lists the sources of folders below src, and writes oneapi/tbb/x.h for each tbb/x.h.

    sources.py list SOURCE_DIR FOLDER ...
    sources.py forwarding SOURCE_DIR OUT_DIR"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))
from layer_sources import layer_sources  # noqa: E402


def main():
    command, root, rest = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    if command == "list":
        print("\n".join(str(path.relative_to(root)) for folder in rest for path in layer_sources(folder, root=root)))
        return
    for header in sorted((root / "include/tbb").rglob("*.h")):
        name = header.relative_to(root / "include/tbb")
        if not (root / "include/oneapi/tbb" / name).exists():
            made = Path(rest[0]) / "oneapi/tbb" / name
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(f"// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#include <tbb/{name}>\n")


main()
