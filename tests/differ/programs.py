# SPDX-License-Identifier: Apache-2.0
"""Random programs for the tester of differences, a kind for each part of the interface: the steps of soak's programs.

Every list of steps is a valid program that ends, whatever its numbers are: what is not allowed at a place the interpreter takes as
something that is. So each part of a program is a program, and the shrinker may leave out what it likes."""
import random


def number(rng, most):
    """Small numbers as often as large ones."""
    return max(1, int(most ** rng.random()))


def step(rng, kind, most=1, body=None, wrong=0):
    made = {"kind": kind, "n": number(rng, most), "a": rng.randrange(1000), "b": rng.randrange(1000)}
    if wrong:
        made["wrong"] = wrong
    if body is not None:
        made["body"] = body
    return made


def group(rng, depth=0):
    weights = {"run": 8, "defer": 4, "cancel": 1, "wait": 3, "run_and_wait": 3, "isolate": 1, "deep": 1}
    body = []
    for _ in range(rng.randint(1, 6 if depth == 0 else 3)):
        kind = rng.choices(list(weights), list(weights.values()))[0]
        inner = group(rng, depth + 1)["body"] if depth < 3 and kind in ("run", "run_and_wait", "defer", "isolate") and rng.random() < 0.35 else None
        wrong = rng.choice((1, 2)) if kind in ("run", "run_and_wait", "defer") and rng.random() < 0.12 else 0
        body.append(step(rng, kind, 30 if not inner else 4, inner, wrong))
    return {"kind": "group", "n": 1, "body": body}


def pipeline(rng):
    n = number(rng, 120)
    body = [step(rng, "filter", wrong=rng.choice((1, 2)) if rng.random() < 0.02 else 0) for _ in range(rng.randint(0, 5))]
    for s in body:
        s["b"] = rng.randrange(2 * n)
    return {**step(rng, "pipeline", body=body), "n": n}


def loops(rng):
    kinds = ("blocks", "indices", "plane", "reduce", "deterministic", "scan", "sort", "each", "feeder", "invoke")
    body = []
    for _ in range(rng.randint(1, 4)):
        kind = rng.choice(kinds)
        wrong = rng.choice((1, 2)) if rng.random() < 0.15 else 0
        body.append(step(rng, kind, 500, wrong=wrong if kind != "sort" else wrong % 2))
    return {"kind": "loops", "n": 1, "body": body}


def nest(rng, depth=0, deepest=None):
    """Algorithms in algorithms, 2 to 12 deep; at each level something may be cancelled."""
    deepest = deepest or rng.randint(2, 12)
    levels = ("loop", "reduce", "invoke", "each", "graph", "group", "pipeline", "loop", "group", "arena", "isolate")
    body = [step(rng, rng.choice(("cancel", "cancel", "cancel", "again", "reset"))) for _ in range(rng.choice((0, 1, 1, 2)))]
    for k in range(rng.choice((1, 1, 2))):
        most = deepest if k == 0 else min(deepest, depth + 2)
        inner = nest(rng, depth + 1, most)["body"] if depth < most else []
        body.append(step(rng, rng.choice(levels), 9, inner))
    if rng.random() < 0.06:
        body.append(step(rng, "throw"))
    rng.shuffle(body)
    return {"kind": "nest", "n": 1, "body": body}


def edges(rng):
    kinds = {"put": 6, "burst": 2, "link": 3, "sink": 3, "double": 1, "all": 2, "reset": 1, "other": 2, "get": 1}
    body = [step(rng, kind, 40 if kind in ("link", "sink") and rng.random() < 0.5 else 5)
            for kind in rng.choices(list(kinds), list(kinds.values()), k=rng.randint(1, 16))]
    return step(rng, "edges", 100 if rng.random() < 0.4 else 6, body=body)


def crowd(rng):
    kinds = ("function", "function", "rejecting", "multifunction", "async", "chain", "limiter", "arena", "pipeline")
    return step(rng, "crowd", body=[step(rng, rng.choice(kinds), 30) for _ in range(rng.randint(1, 2))])


def flow(rng):
    kinds = {"function": 6, "rejecting": 3, "multifunction": 2, "continue": 2, "queue": 2, "buffer": 2, "priority": 2, "broadcast": 2,
             "overwrite": 1, "source": 4, "sequencer": 2, "input": 2, "async": 1, "queueing_join": 2, "reserving_join": 3, "key_join": 2,
             "tag_join": 1, "indexer": 2, "split": 1, "limiter": 3}
    faulty = rng.random() < 0.15
    body = []
    for _ in range(number(rng, 12)):
        kind = rng.choices(list(kinds), list(kinds.values()))[0]
        body.append(step(rng, kind, 60, wrong=rng.choice((1, 2)) if faulty and kind in ("function", "rejecting") else 0))
    return step(rng, "flow", 4, body=body)


WHOLE = ("copy", "copy", "copy_assign", "self", "copy_with", "move", "move_with", "copy_assign", "move_assign", "swap", "clear", "exchange", "exchange")
CONTAINERS = {
    "vector": ("push_back emplace_back grow_by grow_by_range grow_by_list grow_to_at_least parallel resize assign assign_range assign_list "
               "make reserve shrink at ends compare backwards iterate range broken_copy"),
    "queue": "pop pop push_many push_many emplace broken_push parallel size make",
    "bounded_queue": "pop pop push_many push_many emplace broken_push parallel size capacity capacity try_push try_push abort make",
    "priority_queue": "pop pop push_many push_many emplace broken_push parallel size compare assign make",
    "hash_map": ("insert insert insert insert_plain emplace insert_range insert_list write parallel broken_insert find find erase erase_held "
                 "erase_read erase_beside make rehash range equal_range compare"),
}
TABLE = ("insert insert insert_moved insert_hint insert_range insert_list emplace emplace parallel broken_insert erase erase_at erase_range "
         "extract merge merge_relatives find find equal_range range own own make compare")
CONTAINERS.update({prefix + name: TABLE for prefix in ("", "unordered_") for name in ("map", "multimap", "set", "multiset")})


def container(kind):
    def make(rng):
        kinds = CONTAINERS[kind].split()
        most = 40 if rng.random() < 0.85 else 2500  # more than a segment, or a region, of any container holds
        body = [step(rng, rng.choice(WHOLE) if rng.random() < 0.2 else rng.choice(kinds), most) for _ in range(number(rng, 14))]
        return step(rng, kind, 9, body=body)
    return make


STEPS = {
    "cache": "look look look release move write round broken parallel",
    "observer": "control control uncontrol watch watch watch unwatch loop loop nested group enqueue",
    "buffers": "put put put get get reserve reserve release release consume consume own reset",
    "limiter": "put put put consume cut reset",
    "local": "local local parallel parallel copy move copy_assign move_assign exchange swap clear broken combinable",
    "memory": "malloc malloc calloc realloc realloc aligned_malloc aligned_realloc memalign free size command",
    "pool": "malloc malloc malloc realloc realloc free command",
}


def steps(kind, most):
    def make(rng):
        return step(rng, kind, 9, body=[step(rng, rng.choice(STEPS[kind].split()), most) for _ in range(rng.randint(1, 14))])
    return make


def arena(rng, depth=0):
    body = []
    for _ in range(rng.randint(1, 4 if depth == 0 else 2)):
        kind = rng.choice(("in_arena", "in_arena", "enqueue", "limits", "loop", "isolate", "attach", "group"))
        inner = arena(rng, depth + 1)["body"] if depth < 3 and kind in ("in_arena", "limits", "isolate", "attach") and rng.random() < 0.5 else None
        body.append(step(rng, kind, 30, inner, 1 if kind == "in_arena" and rng.random() < 0.1 else 0))
    return step(rng, "arena", body=body)


def task(rng, depth=0):
    kinds = {"leaf": 4, "block": 4, "additional": 2, "spread": 1, "continuation": 4, "recycle": 2, "safe": 2, "child": 2, "again": 1,
             "enqueued": 1, "outside": 1, "destroyed": 1, "root": 2}
    body = []
    for _ in range(rng.randint(1, 4 if depth == 0 else 3)):
        kind = rng.choices(list(kinds), list(kinds.values()))[0]
        inner = task(rng, depth + 1)["body"] if depth < 3 and kind not in ("leaf", "again") else None
        wrong = rng.choice((1, 2)) if rng.random() < 0.04 else 0
        body.append(step(rng, kind, 3 if inner else 12, inner, wrong))
    return step(rng, "task", body=body)


def filters(rng):
    body = [step(rng, "filter", wrong=rng.choice((1, 2)) if rng.random() < 0.06 else 0) for _ in range(rng.randint(1, 5))]
    if rng.random() < 0.6:
        for s in body:
            s["b"] += s["b"] % 4 == 0  # none is bound to a thread
    return {**step(rng, "filters", body=body), "n": number(rng, 60)}


def put_wait(rng):
    """Nodes that pass on whom they wait for, and keep nothing for good."""
    kinds = {"function": 5, "rejecting": 3, "continue": 2, "queue": 2, "buffer": 2, "broadcast": 2, "source": 4,
             "sequencer": 1, "key_join": 2, "tag_join": 1, "indexer": 2, "split": 1, "gate": 2}
    faulty = rng.random() < 0.1
    if faulty:  # what keeps messages may keep them, and the wait lasts for ever in oneTBB
        kinds = {kind: weight for kind, weight in kinds.items() if kind in ("function", "continue", "broadcast", "source", "indexer", "split")}
    body = []
    for _ in range(number(rng, 10)):
        kind = rng.choices(list(kinds), list(kinds.values()))[0]
        body.append(step(rng, kind, 60, wrong=rng.choice((1, 2)) if faulty and kind in ("function", "rejecting") else 0))
        if kind == "continue":
            body[-1]["b"] %= 3  # it waits for one message
    return step(rng, "put_wait", body=body)


def suspend(rng, depth=0):
    kinds = ("loop", "loop", "group", "group", "nested", "isolated", "node", "filter", "last", "thread")
    body = []
    for _ in range(rng.randint(1, 3 if depth == 0 else 2)):
        kind = rng.choice(kinds)
        inner = suspend(rng, depth + 1)["body"] if depth < 2 and kind in ("nested", "isolated", "thread") else None
        body.append(step(rng, kind, 30, inner, rng.choice((1, 2)) if rng.random() < 0.15 else 0))
    return step(rng, "suspend", body=body)


def order(rng):
    """Tasks that start after others, whatever these are by then; one of a program's may fail."""
    kinds = {"run": 5, "later": 3, "enqueue": 3, "enqueue_here": 1, "returns": 2, "run_and_wait": 2, "run_and_wait_for": 2, "call_and_wait": 2,
             "wait": 3, "arena_wait": 1, "wait_for": 2, "arena_wait_for": 1, "handles": 1}
    body = [step(rng, kind, 9) for kind in rng.choices(list(kinds), list(kinds.values()), k=rng.randint(2, 14))]
    if rng.random() < 0.12:
        rng.choice(body)["wrong"] = rng.choice((1, 2))
    return step(rng, "order", body=body)


def wrong_steps(kind, most, faults, share=0.2):
    """Steps some of which fail."""
    def make(rng):
        return step(rng, kind, 9, body=[step(rng, rng.choice(STEPS[kind].split()), most, wrong=rng.choice(faults) if rng.random() < share else 0)
                                        for _ in range(rng.randint(1, 5))])
    return make


STEPS["ports"] = "put put put put follow follow cut get get reserve reserve ask reset"
STEPS["entry"] = "full full many enqueue enqueue fails isolate isolate made results"
STEPS["items"] = "plain feed"
STEPS["once"] = "call call crowd crowd threads arena arguments nested new new"
STEPS["forms"] = "loop reduce deterministic reduce_body deterministic_body scan scan indices invoke"
STEPS["sort"] = "vector vector deque"
STEPS["mutex"] = "acquire acquire acquire try try construct release release change change members parallel"
STEPS.update(priority="enqueued loops nodes changed", splits="reduce reduce deterministic scan scan")


# A kind: what makes a program, how often, whether the dialect of TBB 2020 has it; "classic": that one alone.
SUBJECTS = {
    "group": (group, 4, True),
    "flow": (flow, 6, True),
    "nest": (nest, 2, False),  # TBB 2020 does not cancel contexts below another one
    "edges": (edges, 5, True),
    "crowd": (crowd, 1, True),
    "loops": (loops, 3, True),
    "pipeline": (pipeline, 3, True),
    "arena": (arena, 2, True),
    **{name: (steps(name, most), 2 if name == "buffers" else 1, name != "observer")
       for name, most in (("buffers", 5), ("limiter", 6), ("local", 60), ("memory", 8), ("pool", 8), ("cache", 30), ("observer", 30))},
    "task": (task, 4, "classic"),
    "filters": (filters, 2, "classic"),
    "priority": (steps("priority", 40), 1, True),
    "put_wait": (put_wait, 3, False),
    # Nobody has yet compared what follows with TBB 2020.
    "order": (order, 3, False),
    "mutex": (steps("mutex", 40), 3, False),
    "items": (wrong_steps("items", 60, (1, 1, 2), 0.3), 2, False),
    "ports": (steps("ports", 6), 3, False),
    "entry": (wrong_steps("entry", 20, (1,), 0.4), 2, False),
    "once": (wrong_steps("once", 30, (1,), 0.4), 2, False),
    "forms": (steps("forms", 400), 3, False),
    "sort": (wrong_steps("sort", 3000, (1,), 0.1), 1, False),
    "splits": (steps("splits", 300), 1, True),
    "suspend": (suspend, 2, False),
    **{name: (container(name), 2 if name in ("vector", "hash_map") else 1, name in ("vector", "hash_map")) for name in CONTAINERS},
}
CLASSIC_ALONE = [name for name, (_, _, dialect) in SUBJECTS.items() if dialect == "classic"]


def program(seed, only=None, classic=False):
    rng = random.Random(seed)
    names = [name for name, (_, _, old) in SUBJECTS.items() if (not only or name in only) and (old if classic else old != "classic")]
    name = rng.choices(names, [SUBJECTS[n][1] for n in names])[0]
    made = SUBJECTS[name][0](rng)
    if classic and name == "flow":
        for s in made["body"]:
            s.pop("wrong", None)  # TBB 2020's graph waits for ever in a round after one that was stopped
    return made
