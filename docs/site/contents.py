#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each Markdown page of the site stands in a table of contents, of which Sphinx makes the list of pages at the side; else `./dev docs` fails."""
import sys
from pathlib import Path

from build import MARKDOWN, ROOT, SITE, is_orphan

FENCE = "```{toctree}"


def listed(page):
    """The pages that the tables of contents in `page` name."""
    folder = ROOT if page.parent == SITE else page.parent  # index.md becomes the site's root
    for block in page.read_text().split(FENCE)[1:]:
        for entry in block.split("```")[0].split():
            if not entry.startswith(":"):
                yield from (path.resolve() for path in folder.glob(f"{entry}.md")) if "*" in entry else [(folder / f"{entry}.md").resolve()]


def main():
    pages = {path for pattern in MARKDOWN for path in ROOT.glob(pattern) if "site" not in path.parts and not is_orphan(path)}
    known = {aim for page in (*pages, SITE / "index.md") for aim in listed(page)}
    missing = sorted(str(page.relative_to(ROOT)) for page in pages - known)
    print("\n".join([*(f"{page} is in no table of contents (docs/site/index.md, docs/guide/how_it_works.md)" for page in missing),
                     f"{len(pages)} pages, {len(missing)} of them in no table of contents"]))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
