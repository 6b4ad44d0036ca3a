# SPDX-License-Identifier: Apache-2.0
"""Fetches foreign code through the package managers: Debian source and binary packages with apt-get, source distributions
of PyPI with pip. Nothing is installed: binary packages are unpacked into folders of the cache.

apt-get works with lists of its own in the cache, because the system's sources seldom name source packages. A folder of the
cache appears complete or not at all; `Missing` says in one line why something can't be had."""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

LISTS = "lists-of-apt"
TARGET = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(SIGNED_BY)"


class Missing(Exception):
    """One line: what can't be had, and why."""


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


class Cache:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = None

    def run(self, *command, cwd=None):
        try:
            done = subprocess.run([str(part) for part in command], cwd=cwd, env=self.environment, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise Missing(f"{command[0]} is not installed") from error
        if done.returncode != 0:
            raise Missing(f"{' '.join(str(part) for part in command[:2])}: {last_line(done.stderr or done.stdout)}")
        return done.stdout

    def use_apt(self):
        """Lists of the packages that this system's own mirrors offer, source packages included."""
        if self.environment:
            return
        targets = self.run("apt-get", "indextargets", "--format", TARGET, "Created-By: Packages", "Origin: Debian").split()
        if not targets:
            raise Missing("no mirror of Debian is configured")
        home = self.folder / LISTS
        for folder in ("lists/partial", "cache/archives/partial"):
            (home / folder).mkdir(parents=True, exist_ok=True)
        lines = []
        for target in targets:
            uri, release, component, key = target.split("|")
            signed = f"[signed-by={key}] " if key and not key.startswith("$") else ""
            lines += [f"{kind} {signed}{uri} {release} {component}\n" for kind in ("deb", "deb-src")]
        settings = {"Dir::Etc::sourcelist": home / "sources.list", "Dir::Etc::sourceparts": "-", "Dir::State::lists": home / "lists",
                    "Dir::Cache": home / "cache", "Acquire::Languages": "none", "APT::Sandbox::User": "root"}
        (home / "sources.list").write_text("".join(lines), encoding="utf-8")
        (home / "apt.conf").write_text("".join(f'{key} "{value}";\n' for key, value in settings.items()), encoding="utf-8")
        self.environment = {**os.environ, "APT_CONFIG": str(home / "apt.conf"), "LC_ALL": "C"}
        if not list((home / "lists").glob("*Sources*")):
            self.run("apt-get", "update", "-qq")

    def once(self, name, make):
        """The folder `name`, which make(scratch) fills."""
        target = self.folder / name
        if not target.is_dir():
            target.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
                make(pathlib.Path(scratch)).rename(target)
        return target

    def debian_source(self, name):
        """The unpacked source package and its version. Where a mirror lacks the patches of Debian it is upstream's tree, and
        the version says so."""
        def make(scratch):
            self.use_apt()
            tree, version = self.patched(name, scratch) or self.upstream(name, scratch)
            (tree / ".version").write_text(version, encoding="utf-8")
            return tree
        tree = self.once(f"source/{name}", make)
        return tree, (tree / ".version").read_text(encoding="utf-8")

    def patched(self, name, scratch):
        try:
            self.run("apt-get", "source", "-qq", "--download-only", name, cwd=scratch)
        except Missing:
            return None
        description, = scratch.glob("*.dsc")
        self.run("dpkg-source", "--no-check", "-x", description, "tree", cwd=scratch)
        return scratch / "tree", self.version_in(description.read_text(encoding="utf-8"))

    def upstream(self, name, scratch):
        self.run("apt-get", "source", "-qq", "--tar-only", name, cwd=scratch)
        tree = scratch / "upstream"
        for archive in sorted(scratch.glob("*.orig*.tar.*")):
            if archive.suffix == ".asc":
                continue
            part = archive.name.split(".orig-")[1].split(".tar")[0] if ".orig-" in archive.name else ""
            (tree / part).mkdir(parents=True, exist_ok=True)
            self.run("tar", "-xf", archive, "-C", tree / part, "--strip-components=1")
        return tree, self.version_in(self.run("apt-cache", "showsrc", name)) + " without Debian's patches"

    @staticmethod
    def version_in(text):
        return next(line.split()[1] for line in text.splitlines() if line.startswith("Version:"))

    def debian_files(self, name):
        """What the binary package would install, unpacked, and its version."""
        def make(scratch):
            self.use_apt()
            self.run("apt-get", "download", "-qq", name, cwd=scratch)
            archive, = scratch.glob("*.deb")
            self.run("dpkg-deb", "-x", archive, scratch / "tree")
            (scratch / "tree" / ".version").write_text(self.run("dpkg-deb", "-f", archive, "Version").strip(), encoding="utf-8")
            return scratch / "tree"
        tree = self.once(f"files/{name}", make)
        return tree, (tree / ".version").read_text(encoding="utf-8")

    def python_source(self, requirement):
        """The unpacked source distribution of NAME==VERSION, and its version."""
        name, _, version = requirement.partition("==")

        def make(scratch):
            # pip asks the distribution for its metadata, so fetches what it is built with, too.
            self.run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", name,
                     "--disable-pip-version-check", "--dest", scratch, requirement)
            archive, = scratch.glob("*.tar.gz")
            with tarfile.open(archive) as packed:
                packed.extractall(scratch / "unpacked", filter="data")
            tree, = (scratch / "unpacked").iterdir()
            return tree
        return self.once(f"python/{name}-{version}", make), version

    def python_files(self, requirement):
        """The unpacked wheel of NAME==VERSION, and its version."""
        name, _, version = requirement.partition("==")

        def make(scratch):
            self.run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                     "--disable-pip-version-check", "--dest", scratch, requirement)
            archive, = scratch.glob("*.whl")
            shutil.unpack_archive(archive, scratch / "tree", "zip")
            return scratch / "tree"
        return self.once(f"wheel/{name}-{version}", make), version
