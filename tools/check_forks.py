#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that tools/forks.toml tells of every lock of the library what becomes of it when the process forks.

A lock is what the sources declare with one of the types in LOCK, and each function-local static that is not initialised
by the compiler: its guard is a lock, too. Each is listed under one rule; what is listed and not found is an error as well."""
import re
import sys
import tomllib

import source_tree as tree

LIST = tree.ROOT / "tools" / "forks.toml"
LOCK = re.compile(r"\b(?:std::(?:recursive_|shared_|timed_)?mutex|std::condition_variable(?:_any)?|std::once_flag|pthread_mutex_t|native_mutex|"
                  r"pthread_rwlock_t|(?:::)?(?:tbb::)?(?:spin|queuing|speculative_spin)(?:_rw)?_mutex|(?:[a-z_]+::)*slow_lock|"
                  r"os_mutex|wait_bucket|sem_t)\s+(?:[a-z_]+::)*([a-z_]+)\s*(?:;|\{|=|\[)")
# A static of a function that needs a guard: one with an initialiser that is not a constant.
STATIC = re.compile(r"^\s+(?:alignas\([^)]*\)\s*)?(?:\[\[\w+\]\]\s*)?static\s+(?!constexpr|constinit|ASHLAR_CONSTINIT_MUTEX|inline|_Thread|assert)"
                    r"(?P<type>[^;=({]*?)(?P<name>[a-z_]+)\s*(?P<rest>[=({;].*)?$")
CONSTANT = re.compile(r"^(?:=\s*(?:nullptr|false|true|[0-9'a-fx.]+)|\{[^()]*\})\s*;")
RULES = ("held", "renewed", "finished", "object", "apart")


def statics_with_guard(lines, header):
    """Names of statics within functions that are made at run time. In a header one without initialiser is a member, which is
    defined elsewhere."""
    for line in lines:
        m = STATIC.match(line)
        if not m or "__thread" in m["type"] or "ASHLAR_INITIAL_EXEC" in m["type"]:
            continue
        rest, kind = m["rest"] or "", m["type"]
        # A function, memory, or a word that begins with zero.
        if rest.startswith("(") or not rest or rest.startswith(";") and (
                header or re.search(r"\batomic<|\b(?:int|char|bool|unsigned)\b", kind)):
            continue
        if CONSTANT.match(rest) and not kind.strip().endswith("&"):
            continue
        yield m["name"]


def read_sources():
    found = {}
    for path in tree.files_below("src", "include/ashlar"):
        if tree.relative(path).startswith("src/os/windows/"):
            continue  # a system without fork
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        name = tree.relative(path)
        # Declarations of what is defined in another file.
        text = re.sub(r"\bextern\b[^;]*;", "", text)
        locks = re.sub(r"\bstatic\b[^;(]*;", "", text) if path.suffix == ".h" else text
        for match in LOCK.finditer(locks):
            found[f"{name}:{match.group(1)}"] = "lock"
        for static in statics_with_guard(text.split("\n"), path.suffix == ".h"):
            found[f"{name}:{static}"] = "static"
    return found


def main():
    found = read_sources()
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))
    errors = [f"tools/forks.toml: {rule} is no rule" for rule in listed if rule not in RULES]
    rules = {}
    for rule, locks in listed.items():
        for lock, why in locks.items():
            if lock in rules:
                errors.append(f"tools/forks.toml: {lock} stands under {rules[lock]} and {rule}")
            if not why:
                errors.append(f"tools/forks.toml: {lock} has no reason")
            rules[lock] = rule
    errors += [f"{lock}: this {kind} has no rule in tools/forks.toml" for lock, kind in found.items() if lock not in rules]
    errors += [f"tools/forks.toml: there is no {lock}" for lock in rules if lock not in found]
    return tree.finish("check_forks", errors, f"{len(found)} locks")


if __name__ == "__main__":
    sys.exit(main())
