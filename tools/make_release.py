# SPDX-License-Identifier: Apache-2.0
"""Makes a release of a committed tree: a commit and a tag in a clone, and of it the source archive, wheels, Debian packages and the site.

The tree itself stays as it is; release.py --make prints how the clone's commit and tag come back. Each part lies in a folder of its own
below OUT: source (the clone), archive, wheels, debian, site; SHA256SUMS has them all."""
import datetime
import hashlib
import os
import re
import shutil
import subprocess
import sys
from email.utils import format_datetime

import project

PARTS = ("archive", "wheels", "debian", "site")
# What the Debian packages' build does not need (packaging/debian_test.py).
LEFT_OUT = ("bench/", "tests/", "docs/study/")
FIRST_PAGE = '<!DOCTYPE html><meta charset="utf-8"><title>Ashlar</title><meta http-equiv="refresh" content="0; url={version}/index.html">\n'


def run(*command, cwd, **options):
    print("$", " ".join(str(part) for part in command), flush=True)
    return subprocess.run([str(part) for part in command], cwd=cwd, check=True, **options)


def date_notes(root, version, now):
    """What stands under [Unreleased] becomes the release's, and Debian's newest entry gets the same day."""
    path = root / "CHANGELOG.md"
    path.write_text(path.read_text().replace("## [Unreleased]\n", f"## [Unreleased]\n\n## [{version}] - {now.date().isoformat()}\n", 1))
    path = root / "debian/changelog"
    path.write_text(re.sub(r"(\n -- .*>  ).*", lambda found: found[1] + format_datetime(now), path.read_text(), count=1))


def prepare(root, version, address, source):
    """A clone with the release's version, address and date, committed."""
    run("git", "clone", "-q", root, source, cwd=root)
    _, known = project.said(source)
    project.write(source, version, known if address is None else address)
    date_notes(source, version, datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0))
    author = {f"GIT_{who}_{what}": subprocess.run(["git", "log", "-1", f"--format=%a{what[0].lower()}"], cwd=root, capture_output=True, text=True, check=True).stdout.strip()
              for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    run("git", "commit", "-q", "-a", "-m", f"release: {version}", cwd=source, env={**os.environ, **author})
    return author


def tag(source, version, author):
    run("git", "tag", "-a", f"v{version}", "-m", f"Ashlar {version}", cwd=source, env={**os.environ, **author})


def make_archive(source, version, out):
    run("git", "archive", f"--prefix=ashlar-{version}/", "-o", out / f"ashlar-{version}.tar.gz", "HEAD", cwd=source)


def make_wheels(source, _, out, targets=()):
    run(sys.executable, "python/wheels.py", out, *targets, cwd=source)


def make_debian(source, version, out):
    """dpkg-buildpackage wants the source in a folder beside which the packages are to lie."""
    tree = out / f"ashlar-{version}"
    names = run("git", "ls-files", "-z", cwd=source, capture_output=True).stdout.decode().split("\0")
    for name in names:
        if name and not name.startswith(LEFT_OUT):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, tree / name)
    run("dpkg-buildpackage", "-us", "-uc", "-b", cwd=tree)
    shutil.rmtree(tree)


def make_site(source, version, out, before=None):
    """The site of this version beside those of `before`, a folder with a folder for each earlier version."""
    if before:
        shutil.copytree(before, out, dirs_exist_ok=True)
    build = source / "build/docs"
    run(sys.executable, "docs/site/build.py", build, "--versions", cwd=source)
    (build / "versions.js").write_text("")  # for the look at links: it lies beside the folders of the versions
    run(sys.executable, "docs/site/check.py", build, cwd=source)
    shutil.rmtree(out / version, ignore_errors=True)
    shutil.copytree(build / "html", out / version)
    write_versions(out)


def write_versions(out):
    """The list that each version's pages read, and the first page, which leads to the newest."""
    numbers = [path.name for path in out.iterdir() if path.is_dir() and project.VERSION.fullmatch(path.name)]
    known = sorted(numbers, key=lambda name: [int(n) for n in re.findall(r"\d+", name)], reverse=True)
    (out / "versions.js").write_text(f"window.ashlar_versions = {known!r};\n")
    (out / "index.html").write_text(FIRST_PAGE.format(version=known[0]))


def sum_up(out):
    """SHA256SUMS of all files but the clone and the site's."""
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(out)}"
             for part in PARTS[:3] for path in sorted((out / part).rglob("*")) if path.is_file()]
    (out / "SHA256SUMS").write_text("\n".join([*lines, ""]))


def make_parts(source, version, out, parts, targets=(), before=None):
    """The named parts of a tagged tree."""
    makers = {"archive": make_archive, "wheels": make_wheels, "debian": make_debian, "site": make_site}
    options = {"wheels": {"targets": targets}, "site": {"before": before}}
    for part in parts:
        (out / part).mkdir(parents=True, exist_ok=True)
        makers[part](source, version, out / part, **options.get(part, {}))
    sum_up(out)
