# SPDX-License-Identifier: Apache-2.0
"""The sources of a layer for one system (src/os/systems.txt)."""
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def folders(system, root=ROOT):
    for line in (root / "src/os/systems.txt").read_text(encoding="utf-8").splitlines():
        name, _, rest = line.partition(":")
        if name == system:
            return rest.split()
    raise KeyError(system)


def layer_sources(layer, system="Linux", root=ROOT):
    """In the order of their paths."""
    found = sorted((root / "src" / layer).rglob("*.cpp"))
    if layer != "os":
        return found
    chosen = {}
    for folder in (".", *folders(system, root)):
        for path in sorted((root / "src/os" / folder).glob("*.cpp")):
            chosen.setdefault(path.name if folder != "." else str(path), path)
    return [path for path in found if path in chosen.values()]
