# SPDX-License-Identifier: Apache-2.0
"""Sphinx's settings. No page asks another computer for anything: fonts are the system's, the search index is a file."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import project as places  # noqa: E402

project = "Ashlar"
release = places.said()[0]
version = release
author = "the Ashlar authors"
copyright = author  # noqa: A001
extensions = ["myst_parser", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "fieldlist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"Ashlar {release}"
templates_path = ["templates"]
# furo's own, with the switch between versions
html_sidebars = {"**": ["sidebar/brand.html", "versions.html", "sidebar/search.html", "sidebar/scroll-start.html", "sidebar/navigation.html",
                        "sidebar/scroll-end.html"]}
html_show_sphinx = False
html_copy_source = False
html_static_path = []  # build.py names the folder
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_css_files = ["ashlar.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#7a4a1e", "color-brand-content": "#8a5220"},
    "dark_css_variables": {"color-brand-primary": "#e0a870", "color-brand-content": "#e0a870"},
}
highlight_language = "none"
smartquotes = False  # they take the apostrophe behind a piece of code for an opening quote
toc_object_entries_show_parents = "hide"  # the list at the side has room for the members' own names
primary_domain = "cpp"
cpp_maximum_signature_line_length = 140
suppress_warnings = ["myst.xref_missing", "myst.header"]
copybutton_exclude = ".linenos, .gp, .go"
