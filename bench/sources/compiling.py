# SPDX-License-Identifier: Apache-2.0
"""Compiles foreign files against the headers of a library, as they are, and says what stopped the compiler."""
import dataclasses
import re
import subprocess

SECONDS = 100  # of CPU time: other processes may slow the compiler down
ERROR = re.compile(r"^(.*?:\d+:\d+): (?:fatal )?error: (.*)$", re.M)


@dataclasses.dataclass
class Library:
    name: str
    include: object
    lib: object
    least_standard: int  # the oldest language version that its headers take
    classic: bool = False

    def standard(self, wanted):
        """The project's own language version, or the oldest that the headers take."""
        return f"-std=gnu++{max(int(wanted), self.least_standard)}"


def search_flags(tree, entry, packages):
    """-I for the entry's folders; those that begin with @ lie in an unpacked package."""
    found = []
    for name in entry.get("includes", []):
        roots = packages if name.startswith("@") else [tree]
        pattern = name.lstrip("@")
        found += [f"-I{folder}" for root in roots for folder in ([root] if pattern == "." else sorted(root.glob(pattern))) if folder.is_dir()]
    for package in packages:
        found += [f"-idirafter{folder}" for folder in (package / "usr/include", *sorted((package / "usr/include").glob("*-linux-gnu")))
                  if folder.is_dir()]
    return found


def compile_one(library, path, entry, folders):
    """None, or the first error."""
    command = ["prlimit", f"--cpu={SECONDS}", "g++", library.standard(entry.get("standard", 17)), "-fsyntax-only", "-w", "-fpermissive", f"-I{library.include}",
               *folders, *entry.get("flags", []), "-x", "c++", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return None
    if "Killed" in done.stderr or "CPU time limit" in done.stderr:
        return f"the compiler took more than {SECONDS} s"
    error = ERROR.search(done.stderr)
    return f"{error[1].rsplit('/', 1)[-1]}: {error[2]}" if error else (done.stderr.strip().splitlines() or ["no message"])[-1]
