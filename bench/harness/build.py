# SPDX-License-Identifier: Apache-2.0
"""Builds a program once per peer: the same source, the peer's optimisation level (-O2), headers, library and run path.

A program is built again only when its source, a header of the harness, the command or the peer's library has
changed: the file name carries a hash of all of them.
"""
import hashlib
import pathlib
import subprocess

HARNESS = pathlib.Path(__file__).resolve().parent
INCLUDE = HARNESS / "include"
COMMON_FLAGS = ["-std=c++17", "-DNDEBUG", "-DTBB_SUPPRESS_DEPRECATED_MESSAGES=1"]


class BuildError(Exception):
    """One line: what could not be built and the compiler's first error."""


def first_error(text):
    for line in text.splitlines():
        if "error" in line:
            return line.strip()
    return text.strip().splitlines()[-1] if text.strip() else "no message"


def digest_of(paths, command):
    digest = hashlib.sha256(repr(command).encode())
    for path in paths:
        digest.update(pathlib.Path(path).read_bytes())
    return digest.hexdigest()[:16]


def peer_inputs(peer):
    """Files that stand for the state of a peer: its library, and our own headers because they change."""
    inputs = []
    if peer.lib:
        inputs.append(peer.lib / "libtbb.so")
    if peer.name.split("@")[0] == "ashlar" and peer.include:
        inputs += sorted(path for path in peer.include.rglob("*") if path.is_file())
    return inputs


def compile_command(peer, source, defines):
    command = [peer.compiler, peer.optimise, *COMMON_FLAGS, *(f"-D{d}" for d in defines), f"-I{INCLUDE}"]
    if peer.include:
        command += ["-isystem", str(peer.include)]
    return [*command, str(source)]


def link_flags(peer):
    flags = [f"-L{peer.lib}", f"-Wl,-rpath,{peer.lib}"] if peer.lib else []
    return flags + peer.flags


def build(directory, peer, source, name, defines=(), flags=()):
    """Returns the path of the program; raises BuildError."""
    command = [*compile_command(peer, source, defines), *flags, *link_flags(peer)]
    headers = [*sorted(INCLUDE.rglob("*.h")), *sorted(pathlib.Path(source).parent.rglob("*.h"))]
    for flag in flags:
        if flag.startswith("-I"):  # a folder of this repository whose programs are used by reference
            headers += sorted(path for suffix in ("*.h", "*.cpp") for path in pathlib.Path(flag[2:]).rglob(suffix))
    digest = digest_of([source, *headers, *peer_inputs(peer)], command)
    target = pathlib.Path(directory) / peer.name / f"{name}-{digest}"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    for old in target.parent.glob(f"{name}-" + "[0-9a-f]" * 16):
        old.unlink()
    done = subprocess.run([*command, "-o", str(target)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{name} does not build for {peer.title}: {first_error(done.stderr)}")
    return target


class NoLibrary:
    """Stands for a peer when a program without any library is built."""
    name, title, dialect, compiler, optimise, flags = "none", "no library", "none", "g++", "-O2", []
    include = lib = None
