# SPDX-License-Identifier: Apache-2.0
"""The files that the checkers look at, and C++ lines without their comments."""
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CXX = {".h", ".cpp"}


def tracked_files():
    """Files of the repository: tracked ones and new ones that git does not ignore; without git, all of them."""
    try:
        listing = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                                 capture_output=True, text=True).stdout.splitlines()
        paths = [ROOT / line for line in listing]
    except (OSError, subprocess.CalledProcessError):
        paths = [p for p in ROOT.rglob("*") if not {"build", ".git", ".venv", "out"} & set(p.relative_to(ROOT).parts)]
    return sorted(p for p in paths if p.is_file())


def files_below(*folders, suffixes=CXX):
    wanted = [ROOT / folder for folder in folders]
    return [p for p in tracked_files() if p.suffix in suffixes and any(w in p.parents for w in wanted)]


_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)


def code_lines(text):
    """The lines of C++ text with comments and the contents of strings blanked out; includes keep theirs."""
    def blank(match):
        token = match.group(0)
        if token.startswith('"'):
            start = text.rfind("\n", 0, match.start()) + 1
            return token if text[start:match.start()].lstrip().startswith("#") else '""'
        if token.startswith("'"):
            return "' '"
        return re.sub(r"[^\n]", " ", token)
    return _TOKEN.sub(blank, text).split("\n")


def relative(path):
    return str(path.relative_to(ROOT))


def finish(name, errors, checked):
    """Prints the verdict of a checker and returns its exit code."""
    for error in errors:
        print(error)
    print(f"{name}: {checked}, {len(errors)} error{'' if len(errors) == 1 else 's'}")
    return 1 if errors else 0
