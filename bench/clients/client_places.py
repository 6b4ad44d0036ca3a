# SPDX-License-Identifier: Apache-2.0
"""Where a client and its libraries come from: wheels and Debian packages in folders of the cache, nothing installed; and for
each library a folder in which it stands under every name that a client asks for."""
import copy
import hashlib
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "harness"), str(HERE.parent / "sources")]

import execute  # noqa: E402  (the harness is no package)
import fetch  # noqa: E402

SCRIPTS = HERE / "programs"
MALLOC = "libtbbmalloc.so.2"


class Client:
    """One entry of clients.toml, ready to run: the command and the environment, but for the library.
    `times`: how many times the short task's work it does."""
    times = 1

    def __init__(self, name, entry, cache):
        self.name, self.entry, self.cache = name, entry, cache
        self.interpreter = entry.get("interpreter", sys.executable)
        self.python_folders, self.program_folders, self.library_folders = [SCRIPTS], [], []
        self.version, self.tree = "", ""
        if "python" in entry:
            self.use_wheels(entry["python"])
        else:
            self.use_packages(entry["debian"].split())
        # Another script makes other inputs.
        self.inputs = cache.folder / "inputs" / f"{name}-{hashlib.sha256((SCRIPTS / entry['script']).read_bytes()).hexdigest()[:12]}"

    def longer(self, times):
        """The same client with a longer task, whose inputs may be others."""
        made = copy.copy(self)
        made.times, made.inputs = times, self.inputs.with_name(f"{self.inputs.name}-{times}")
        return made

    def use_wheels(self, requirements):
        def make(scratch):
            self.cache.run(self.interpreter, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--disable-pip-version-check",
                           "--ignore-installed", "--prefix", scratch / "tree", *requirements)
            return scratch / "tree"
        self.tree = self.cache.once(f"clients/{'-'.join(requirements)}", make)
        self.python_folders += self.tree.glob("lib/python*/site-packages")
        self.version = requirements[0].partition("==")[2]

    def use_packages(self, names):
        """The packages, and those that they need and the system lacks. The version is the first one's."""
        self.cache.use_apt()
        said = self.cache.run("apt-get", "install", "--simulate", "--no-install-recommends", *names)
        needed = [line.split()[1] for line in said.splitlines() if line.startswith("Inst ")]
        trees = {package: self.cache.debian_files(package) for package in dict.fromkeys([*needed, *names])}
        self.version = trees[names[0]][1]
        for tree, _ in trees.values():
            self.program_folders += [tree / "usr/bin"] if (tree / "usr/bin").is_dir() else []
            self.python_folders += [found for found in [tree / "usr/lib/python3/dist-packages"] if found.is_dir()]
            own = {found.parent for found in (tree / "usr/lib").glob("*-linux-gnu/*.so") if found.is_file()}
            self.library_folders += sorted(own | {found.parent for found in (tree / "usr/lib").rglob("*.so.*") if found.is_file()})

    def environment(self, stand_ins):
        """`stand_ins`: a folder of libraries; None: without any (for preparing)."""
        first = [stand_ins] if stand_ins else []
        made = {**execute.environment(), **self.entry.get("environment", {}),
                "PYTHONPATH": os.pathsep.join(map(str, self.python_folders)), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONNOUSERSITE": "1", "CLIENT": str(self.tree),
                "CLIENT_TIMES": str(self.times),
                "PATH": os.pathsep.join([*map(str, self.program_folders), os.environ.get("PATH", "/usr/bin:/bin")]),
                "LD_LIBRARY_PATH": os.pathsep.join(map(str, [*first, *self.library_folders]))}
        if stand_ins and self.entry.get("names"):
            made["LD_PRELOAD"] = " ".join(self.entry["names"])
        return made

    def command(self, what):
        return [self.interpreter, str(SCRIPTS / self.entry["script"]), what, str(self.inputs)]

    def prepare(self, stand_ins):
        """Makes the inputs, once."""
        done = self.inputs / ".done"
        if done.exists():
            return
        self.inputs.mkdir(parents=True, exist_ok=True)
        made = subprocess.run(self.command("prepare"), env=self.environment(stand_ins), capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise fetch.Missing(f"its inputs can't be made: {fetch.last_line(made.stderr or made.stdout)}")
        done.touch()


class Library:
    """A libtbb.so.12 and its libtbbmalloc.so.2. `beside`: what they look for in the folder above theirs."""

    def __init__(self, name, folder, beside=()):
        self.name, self.folder, self.beside = name, pathlib.Path(folder).resolve(), list(beside)

    def stand_ins(self, names, scratch):
        """A folder in which the libraries have the usual names and these."""
        made = pathlib.Path(scratch) / self.name / "libraries"
        made.mkdir(parents=True, exist_ok=True)
        for name in {"libtbb.so.12", MALLOC, *names}:
            link = made / name
            link.unlink(missing_ok=True)
            link.symlink_to(self.folder / (MALLOC if name.startswith("libtbbmalloc") else "libtbb.so.12"))
        for path in self.beside:
            link = made.parent / path.name
            link.unlink(missing_ok=True)
            link.symlink_to(path)
        return made


def empty_library(folder):
    """One that exports nothing: no client may get along with it."""
    folder = pathlib.Path(folder) / "nothing"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("libtbb.so.12", MALLOC):
        subprocess.run(["g++", "-shared", "-fPIC", "-x", "c++", "/dev/null", "-o", folder / name, f"-Wl,-soname,{name}"], check=True)
    return Library("nothing", folder)
