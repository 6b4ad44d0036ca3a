# SPDX-License-Identifier: Apache-2.0
"""Random programs: trees of steps for the interpreter, and smaller ones of a program that fails.

A thread that sits in a shared arena enters others in one order only, or again those in which it is: what waits for a slot that its own
waiter holds would wait for ever. So a step that other threads take part in has no shared arena inside if it lies in one."""
import copy
import random

# kind: (weight, most n, may go wrong, has a body)
KINDS = {
    "loop": (8, 4000, True, True), "reduce": (4, 3000, True, True), "scan": (2, 3000, False, False),
    "sort": (2, 6000, True, False), "invoke": (4, 3, True, True), "group": (6, 200, True, True),
    "feeder": (2, 200, True, True), "pipeline": (3, 150, True, True), "arena": (4, 1, False, True),
    "shared": (4, 1, False, True), "enqueue": (4, 100, False, False), "control": (2, 1, False, True),
    "isolate": (2, 1, False, True), "observer": (1, 1, False, True), "suspend": (1, 20, False, True),
    "queues": (2, 1500, False, False), "maps": (2, 1000, False, False), "vectors": (2, 1500, False, False),
    "memory": (2, 1000, False, False), "locks": (1, 500, False, False), "once": (1, 50, False, True),
    "threads": (2, 1, False, True), "fork": (1, 1, False, False), "work": (2, 2000, False, False),
}
NAMES, WEIGHTS = zip(*((name, kind[0]) for name, kind in KINDS.items()))
DEEPEST, LARGEST = 5, 40  # levels of steps, and steps of a program
SERIAL = {"arena", "control", "isolate", "observer"}  # whose bodies their own thread runs


def held_inside(kind, a, held):
    """The shared arenas in which the thread of a step's body is; None: it may enter none."""
    if kind == "shared":
        return {*held, a % 3}
    return held if kind in SERIAL or not held else None


def step(rng, depth, budget, without, held=frozenset()):
    kind = rng.choices(NAMES, WEIGHTS)[0]
    if kind == "shared" and held is None:
        kind = "arena"
    if kind in without:
        kind = "work"
    _, most, may_fail, has_body = KINDS[kind]
    budget[0] -= 1
    # Small numbers as often as large ones.
    made = {"kind": kind, "n": max(1, int(most ** rng.random())) if most > 1 else 1, "a": rng.randrange(1000),
            "b": rng.randrange(1000)}
    if kind == "shared" and held and made["a"] % 3 not in held:
        made["a"] = max(made["a"] % 3, *held)
    if may_fail and rng.random() < 0.15:
        made["wrong"] = rng.choice((1, 2)) if kind != "sort" else 1
    if has_body:
        # Where something may go wrong inside of a feeder or a sort the interpreter knows that tasks may be missing.
        inside = held_inside(kind, made["a"], held)
        made["body"] = [step(rng, depth + 1, budget, without, inside) for _ in range(rng.randint(0 if depth else 1, 3))
                        if depth < DEEPEST and budget[0] > 0]
    return made


def program(seed, without=()):
    rng = random.Random(seed)
    budget = [LARGEST]
    return {"kind": "work", "body": [step(rng, 0, budget, without) for _ in range(rng.randint(1, 6))]}


def size(p):
    return 1 + sum(size(s) for s in p.get("body", []))


def weight(p):
    """Of two programs that fail the lighter one is easier to understand."""
    return sum(weight(s) for s in p.get("body", [])) + 1000 + p.get("n", 1) + (100 if p.get("wrong") else 0)


def paths(p, prefix=()):
    for i, s in enumerate(p.get("body", [])):
        yield prefix + (i,)
        yield from paths(s, prefix + (i,))


def at(p, path):
    for i in path:
        p = p["body"][i]
    return p


def lighter(p):
    """Programs with one step less, one step in place of what it stands in, or smaller numbers; the largest cuts first."""
    def changed(path, change):
        made = copy.deepcopy(p)
        change(at(made, path[:-1])["body"], path[-1])
        return made

    def replace(value):
        return lambda body, i: body.__setitem__(slice(i, i + 1), value)

    for path in sorted(paths(p), key=lambda q: -size(at(p, q))):
        yield changed(path, replace([]))
    for path in list(paths(p)):
        here = at(p, path)
        if here.get("body"):
            yield changed(path, replace(copy.deepcopy(here["body"])))
        if here.get("wrong"):
            yield changed(path, replace([{**copy.deepcopy(here), "wrong": 0}]))
        for n in (1, here["n"] // 8, here["n"] // 2, here["n"] - 1):
            if 1 <= n < here["n"]:
                yield changed(path, replace([{**copy.deepcopy(here), "n": n}]))
