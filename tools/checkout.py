#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches what bench/harness/peers.toml pins by a repository and a commit: checkout.py NAME FOLDER

The folder holds that commit afterwards, and no other files of the repository's history. Nothing is fetched if it does already."""
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def git(folder, *words):
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)


def main():
    peers = tomllib.loads((ROOT / "bench/harness/peers.toml").read_text())
    pinned = {name: peer for name, peer in peers.items() if "repository" in peer}
    if len(sys.argv) != 3 or sys.argv[1] not in pinned:
        print(f"{__doc__}\nnames: {', '.join(pinned)}", file=sys.stderr)
        return 2
    peer, folder = pinned[sys.argv[1]], Path(sys.argv[2])
    if (folder / ".git").exists() and git(folder, "rev-parse", "HEAD").stdout.strip() == peer["version"]:
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    for words in (["init", "--quiet"], ["fetch", "--quiet", "--depth", "1", peer["repository"], peer["version"]],
                  ["-c", "advice.detachedHead=false", "checkout", "--quiet", "FETCH_HEAD"]):
        done = git(folder, *words)
        if done.returncode != 0:
            print(f"git {' '.join(words)}: {done.stderr.strip()}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
