# SPDX-License-Identifier: Apache-2.0
"""The libraries that are measured: ours and the peers.

A peer that cannot be had is not an error: it is a Peer whose `missing` says why, and every table names it.
Run as a program, it fetches the peers and lists them.
"""
import dataclasses
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = pathlib.Path(__file__).with_name("peers.toml")
OURS = "ashlar"


@dataclasses.dataclass
class Peer:
    name: str
    title: str
    dialect: str = "tbb"
    interface: str = ""
    compiler: str = "g++"
    optimise: str = "-O2"
    variant: str = ""              # another build of the peer that bears the name before the @
    flags: list = dataclasses.field(default_factory=list)
    include: pathlib.Path | None = None
    lib: pathlib.Path | None = None
    preload: pathlib.Path | None = None   # what replaces malloc; None for the C library's own
    built_for: "Peer | None" = None        # whose programs run on this library, unchanged; None: its own
    version: str = ""
    missing: str | None = None

    def describe(self):
        """What the result file records about it."""
        return {"title": self.title, "version": self.version, "compiler": self.compiler, "missing": self.missing}


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME")
    return pathlib.Path(base) / "ashlar" / "peers" if base else ROOT / "build" / "peers"


def load_spec(path=SPEC):
    with open(path, "rb") as file:
        return tomllib.load(file)


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def first_error(text):
    """What stopped a build: the compiler's or linker's first complaint, not the build tool's."""
    for sign in (" error: ", "undefined reference", "Error"):
        for line in text.splitlines():
            if sign in line:
                return line.strip()
    return last_line(text)


def download_wheel(name, version, into):
    """pip's own download; returns the wheel's path or raises OSError with one line."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
               "--disable-pip-version-check", "--dest", str(into), f"{name}=={version}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = sorted(pathlib.Path(into).glob(f"{name.replace('-', '_')}-{version}-*.whl"))
    if done.returncode != 0 or not found:
        raise OSError(f"pip could not download {name} {version}: {last_line(done.stderr)}")
    return found[0]


def unpack_wheel(wheel, into):
    """Copies the include and lib trees of a wheel's data part; other files are of no use here."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.namelist():
            parts = pathlib.PurePosixPath(entry).parts
            if entry.endswith("/") or len(parts) < 4 or not parts[0].endswith(".data") or parts[1] != "data":
                continue
            if parts[2] not in ("include", "lib") or ".." in parts:
                continue
            target = pathlib.Path(into, *parts[2:])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(entry))


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def fetch_wheels(name, spec, cache, download=download_wheel):
    """Puts the peer under cache/<name>-<version> unless it is there; the directory appears complete or not at all."""
    version = spec["wheels"][0]["version"]
    target = pathlib.Path(cache) / f"{name}-{version}"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        tree = pathlib.Path(scratch) / "tree"
        for wheel in spec["wheels"]:
            path = download(wheel["name"], wheel["version"], scratch)
            if sha256(path) != wheel["sha256"]:
                raise OSError(f"{wheel['name']} {wheel['version']}: the sha256 sum differs from peers.toml")
            unpack_wheel(path, tree)
        if not (tree / "include").is_dir() or not (tree / "lib").is_dir():
            raise OSError(f"{name} {version}: the wheels hold no include and lib tree")
        tree.rename(target)
    return target


def compiler_version(compiler):
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout else ""


def probe_compiler(peer):
    """A compiler peer is there if it builds and runs a parallel region (a serial one without OpenMP)."""
    if not shutil.which(peer.compiler):
        peer.missing = f"{peer.compiler} is not installed"
        return
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch) / "probe.cpp"
        source.write_text("#ifdef _OPENMP\n#include <omp.h>\n#endif\nint main() { int n = 0;\n#pragma omp parallel reduction(+ : n)\nn += 1;\nreturn n < 1; }\n")
        program = pathlib.Path(scratch) / "probe"
        build = subprocess.run([peer.compiler, "-O2", str(source), "-o", str(program), *peer.flags],
                               capture_output=True, text=True, check=False)
        if build.returncode != 0 or subprocess.run([program], check=False).returncode != 0:
            peer.missing = f"{peer.compiler} {' '.join(peer.flags)} does not work: {last_line(build.stderr)}"
        else:
            peer.version = compiler_version(peer.compiler)


def resolve_preload(name, spec, cache, download):
    peer = Peer(name, spec["title"], "malloc")
    base = ""
    if "of" in spec:
        owner = resolve_peer(spec["of"], load_spec()[spec["of"]], cache, download)
        if owner.missing:
            peer.missing = owner.missing
            return peer
        base, peer.version = owner.lib, owner.version
    found = [pathlib.Path(base, file).resolve() for file in spec["files"] if pathlib.Path(base, file).exists()]
    if found:
        peer.preload = found[0]
        peer.version = peer.version or found[0].name
    elif spec["files"]:
        peer.missing = f"{pathlib.Path(spec['files'][0]).name} is not installed"
    return peer


def resolve_checkout(name, spec):
    """A library of headers alone, in a folder that the environment names."""
    peer = Peer(name, spec["title"], spec["dialect"], compiler=spec["compiler"], flags=list(spec["flags"]), version=spec["version"])
    folder = os.environ.get(spec["variable"])
    if not folder:
        peer.missing = f"{spec['variable']} names no checkout of {spec['version']}"
    elif not pathlib.Path(folder, spec["header"]).is_file():
        peer.missing = f"no {spec['header']} in {folder}, which {spec['variable']} names"
    else:
        peer.include = pathlib.Path(folder).resolve()
    return peer


def resolve_peer(name, spec, cache, download=download_wheel):
    if spec["kind"] == "preload":
        return resolve_preload(name, spec, cache, download)
    if spec["kind"] == "checkout":
        return resolve_checkout(name, spec)
    peer = Peer(name, spec["title"], spec["dialect"], spec.get("interface", ""), spec["compiler"],
                flags=list(spec.get("flags", [])))
    if spec["kind"] == "compiler":
        probe_compiler(peer)
        return peer
    peer.version = spec["wheels"][0]["version"]
    try:
        tree = fetch_wheels(name, spec, cache, download)
        peer.include, peer.lib = tree / "include", tree / "lib"
    except OSError as error:
        peer.missing = str(error)
    return peer


def build_ours(build):
    """Builds the library as the release preset does, without tests, and installs it; returns the prefix."""
    prefix = build / "ashlar"
    tree = build / "ashlar-build"
    steps = [
        ["cmake", "-S", str(ROOT), "-B", str(tree), "-DCMAKE_BUILD_TYPE=Release", "-DASHLAR_BUILD_TESTS=OFF",
         "-DASHLAR_BUILD_BENCH=OFF", "-DASHLAR_BUILD_DEBUG_LIBRARY=OFF", "-DCMAKE_INSTALL_LIBDIR=lib"],
        ["cmake", "--build", str(tree), "--parallel", str(os.cpu_count() or 1)],
        ["cmake", "--install", str(tree), "--prefix", str(prefix)],
    ]
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise OSError(f"'{' '.join(step[:2])}' failed: {first_error(done.stdout + done.stderr)}")
    return prefix


def resolve_ours(prefix, build):
    ours = Peer(OURS, "Ashlar", "tbb", "both", "g++", flags=["-pthread", "-ltbb"])
    try:
        tree = pathlib.Path(prefix).resolve() if prefix else build_ours(pathlib.Path(build))
        ours.include = tree / "include"
        ours.lib = next((tree / d for d in ("lib", "lib64", "lib/x86_64-linux-gnu")
                         if (tree / d / "libtbb.so").exists()), None)
        if not (ours.include / "tbb").is_dir():
            ours.missing = f"no include/tbb in {tree.name}"
        elif ours.lib is None:
            ours.missing = f"no libtbb.so in {tree.name}"
        else:
            ours.version = git_version()
            proxy = ours.lib / "libtbbmalloc_proxy.so"
            ours.preload = proxy.resolve() if proxy.exists() else None
    except OSError as error:
        ours.missing = str(error)
    return ours


def drop_in(ours, peer):
    """Our libtbb.so.12 under the programs that are built for that peer."""
    made = dataclasses.replace(peer, name=OURS, title=f"{ours.title} under {peer.title}'s programs", version=ours.version,
                               missing=ours.missing or peer.missing, built_for=peer)
    if not made.missing:
        made.lib = ours.lib / "ashlar-compat"
        if not (made.lib / "libtbb.so.12").exists():
            made.missing = f"no ashlar-compat/libtbb.so.12 in {ours.lib}"
    return made


def git_version():
    """Commit of the tree, with a + if it has changes."""
    def git(*arguments):
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""
    commit = git("rev-parse", "--short=10", "HEAD")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "include", "src", "cmake", "bench")
    return commit + ("+" if changed else "") if commit else "unknown"


def variant_of(peer, name, variant):
    """The same library built by another compiler or with another optimisation level."""
    made = dataclasses.replace(peer, name=name, title=f"{peer.title}, {variant['title']}", variant=name.split("@")[1],
                               compiler=variant["compiler"], optimise=variant["optimise"])
    if not made.missing and not shutil.which(made.compiler):
        made.missing = f"{made.compiler} is not installed"
    return made


def resolve(names, prefix=None, build=None, cache=None, variants=None):
    """Peers by name, ours included when it is named; order kept. NAME@VARIANT is another build of NAME, which need not be
    named itself. Raises KeyError for an unknown name.
    """
    spec = load_spec()
    build = build or ROOT / "build" / "bench"
    cache = cache or cache_dir()
    variants = variants or {}
    known = [OURS, *spec]
    unknown = [name for name in names if name.split("@")[0] not in known or name.split("@")[1:] not in ([], *([v] for v in variants))]
    if unknown:
        raise KeyError(f"unknown peer '{unknown[0]}'; known: {', '.join(known)}")
    bases = {base: resolve_ours(prefix, build) if base == OURS else resolve_peer(base, spec[base], cache)
             for base in dict.fromkeys(name.split("@")[0] for name in names)}
    return {name: variant_of(bases[name.split("@")[0]], name, variants[name.split("@")[1]]) if "@" in name else bases[name]
            for name in names}


def main():
    for peer in resolve(sys.argv[1:] or list(load_spec())).values():
        print(f"{peer.title:16} {peer.missing or 'ready: ' + str(peer.include.parent if peer.include else peer.version)}")


if __name__ == "__main__":
    main()
