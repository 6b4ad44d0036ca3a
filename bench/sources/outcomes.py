# SPDX-License-Identifier: Apache-2.0
"""What the compilers' answers mean. A file is ours if we compile it, lost if a peer does and we don't, a gap if nobody does:
then it says nothing about us and is never counted as a pass."""

KINDS = ("ours", "lost", "gap")


def kind_of(file):
    errors = file["errors"]
    if errors["ashlar"] is None:
        return "ours"
    if any(error is None for name, error in errors.items() if name != "ashlar"):
        return "lost"
    return "gap"


def counts(result):
    kinds = [kind_of(file) for file in result["files"]]
    return {kind: kinds.count(kind) for kind in KINDS}


def test_words(result):
    return ", ".join(f"{name} {'passes' if error is None else 'FAILS'}" for name, error in result["tests"].items())


def line(result):
    if result["missing"]:
        return f"{result['title']}: not to be had: {result['missing']}"
    words = [f"{number} {kind}" for kind, number in counts(result).items() if number]
    return f"{result['title']} {result['version']}: {len(result['files'])} files: {', '.join(words)}" + \
           (f"; its test: {test_words(result)}" if result["tests"] else "")


def complaints(result, verbose):
    """The files that only we refuse, and with `verbose` those that nobody compiles."""
    for file in result["files"]:
        kind = kind_of(file)
        if kind == "lost" or verbose and kind != "ours":
            yield f"{kind}: {file['file']}: {file['errors']['ashlar']}"
    for name, error in result["tests"].items():
        if error:
            yield f"test with {name}: {error}"


def test_differs(result):
    """Our test fails where a peer's passes."""
    return result["tests"].get("ashlar") is not None and None in [error for name, error in result["tests"].items() if name != "ashlar"]


def failed(document):
    return any(counts(result)["lost"] or test_differs(result) for result in document["results"])


def table(document):
    """One row per code base."""
    lines = [f"{'code base':34} {'files':>6}" + "".join(f" {name:>5}" for name in KINDS) + "  its test"]
    total = dict.fromkeys(KINDS, 0)
    there = [result for result in document["results"] if not result["missing"]]
    for result in there:
        found = counts(result)
        total = {name: total[name] + found[name] for name in KINDS}
        lines.append(f"{result['title'][:34]:34} {len(result['files']):6}" + "".join(f" {found[name]:5}" for name in KINDS) +
                     f"  {test_words(result) or '-'}")
    lines.append(f"{f'{len(there)} code bases':34} {sum(total.values()):6}" + "".join(f" {total[name]:5}" for name in KINDS))
    lines += [f"Missing: {result['title']}: {result['missing']}" for result in document["results"] if result["missing"]]
    lines += [f"Missing: {peer['title']}: {peer['missing']}" for peer in document["peers"].values() if peer["missing"]]
    lines += [f"Nobody compiles {result['title']}: {file['file']}: {file['errors']['ashlar']}"
              for result in there for file in result["files"] if kind_of(file) == "gap"]
    return "\n".join(lines)
