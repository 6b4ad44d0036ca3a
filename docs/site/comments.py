# SPDX-License-Identifier: Apache-2.0
"""Makes documentation comments of the headers' plain ones, for Doxygen.

A block of `//` lines that stands directly above code documents what follows; so does a comment behind a member. Blocks that
stand alone (the file's own comment) stay plain: pages.py shows those of include/tbb on the header's page; notes on an open namespace or
a macro are for who reads the header. Lines that are set in columns become verbatim, and characters that Doxygen takes for commands are escaped."""
import re

COMMENT = re.compile(r"^\s*///?(?!/)( |$)")
COLUMNS = re.compile(r"\S {2,}\S")
# Of the headers that C programs include, too: above what they document, behind it, and the file's own.
C_COMMENT = re.compile(r"^( *)/\*(?! ?SPDX)(?!\*)(.*?)\*/(?=\n *\S)", re.M | re.S)
C_BEHIND = re.compile(r"^( *\w.*[;,]) +/\* (.*) \*/$", re.M)
C_FILE = re.compile(r"/\* SPDX[^\n]*\n(.*?) ?\*/", re.S)
EDGE = re.compile(r"^\[\w+\] ")  # the proof of an order, which is not for users
BEHIND = re.compile(r"^(\s*[^/\s][^\"]*[;,{]|\s*\w+(?: = [^,]+)?)\s+// (?!NOLINT)(.*)$")
HEADING = re.compile(r"^\s*// ---- (.*)$")  # stands above several members
NOTE_ON = re.compile(r"#\s*define |namespace [\w:]+ \{$")  # "namespace tbb {}" ends a header's text, an open one is code
NO_ENTITY = ("#", "}", "namespace", "static_assert", "using namespace", "template class", "extern template")


def escape(text):
    return re.sub(r"([\\@<>&#])", r"\\\1", text)


def split_heading(block):
    """The lines of a comment's heading, and the others. A heading goes on in the next line if that begins with a small letter."""
    length = 0
    if block[0].startswith("---- "):
        length = next((i for i, line in enumerate(block) if i and not line[:1].islower() and not line.startswith("(")), len(block))
    return block[:length], block[length:]


def headings(lines):
    """(number of the line, text) of each heading in a header's lines."""
    return [(number, heading[1]) for number, line in enumerate(lines, 1) if (heading := HEADING.match(line))]


def grouped(lines):
    """Paragraphs of a comment: (is it set in columns, its lines)."""
    paragraph = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
            continue
        kept = [x for x in paragraph if not EDGE.match(x) and not x.startswith("NOLINT") and "SPDX-License" not in x]
        paragraph = []
        if kept:
            columns = sum(bool(COLUMNS.search(x)) or x.endswith((";", "{", "}")) for x in kept)
            yield columns * 2 > len(kept) or kept[0].startswith("   "), kept


def documentation(lines, indent):
    """The comment's lines as a documentation comment."""
    made = []
    for verbatim, paragraph in grouped(lines):
        made += ["@verbatim", *paragraph, "@endverbatim", ""] if verbatim else [*map(escape, paragraph), ""]
    return [f"{indent}/// {line}".rstrip() for line in made]


def blocks(text):
    """(the lines of a comment, without slashes; its indent; the line of code that follows) and (None, "", line) for code."""
    block, indent = [], ""
    for line in text.split("\n"):
        if COMMENT.match(line):
            if not block:
                indent = line[:len(line) - len(line.lstrip())]
            block.append(re.sub(r"^\s*///? ?", "", line))
        elif block:
            yield block, indent, line
            block = []
        else:
            yield None, "", line
    if block:
        yield block, indent, ""


def documents(code):
    return bool(code.strip()) and not code.strip().startswith(NO_ENTITY)


def standing_alone(text):
    """The comment blocks that document no entity and no code of another kind."""
    file = C_FILE.match(text)
    own = [[re.sub(r"^ \* ?", "", line) for line in file[1].split("\n")]] if file else []
    return own + [block for block, indent, code in blocks(text) if block and not indent and not documents(code) and not NOTE_ON.match(code)]


def documented(text):
    """A header with documentation comments."""
    text = C_COMMENT.sub(lambda found: f"{found[1]}/** {escape(found[2])}*/", text)
    made, text = [], C_BEHIND.sub(lambda found: f"{found[1]}  ///< {escape(found[2])}", text)
    column = -1  # of the comment behind the member above, which may go on in lines of its own
    for block, indent, code in blocks(text):
        if block and len(indent) == column:
            made += [f"{indent}///< {escape(line)}" for line in block]
        elif block and documents(code):
            heading, block = split_heading(block)
            made += [f"{indent}// {' '.join(heading)}"] if heading else []
            made += documentation(block, indent)
        elif block:
            made += [f"{indent}// {line}" for line in block]
        behind = BEHIND.match(code)
        made.append(f"{behind[1]}  ///< {escape(behind[2])}" if behind else code)
        column = behind.start(2) - 3 if behind else -1
    return "\n".join(made)
