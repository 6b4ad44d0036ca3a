# SPDX-License-Identifier: Apache-2.0
"""What gdb knows of Ashlar: pretty-printers for containers, ranges, groups and contexts, and the command `ashlar`, which
lists arenas, threads, who waits for what and the tasks on each thread's stack. It reads memory only, so it works on core
files, too.

Every member of the library's that is read here stands in MEMBERS, and `ashlar members` tells which of them the debug
information lacks. Printers need the program's debug information (-g); the command needs the library's (libtbb_debug, or
a library built with -g)."""
import re

import gdb
import gdb.printing

SCHED = "ashlar::v1::sched::"
# Members by the class that has them.
MEMBERS = {
    SCHED + "statistics": ["first_"],
    SCHED + "statistics::record": ["user", "next"],
    SCHED + "thread_data": ["tid", "is_worker", "waits", "tasks"],
    SCHED + "wait_log": ["entries_"],
    SCHED + "wait_log::entry": ["what", "address", "job_since"],
    SCHED + "task_log": ["entries_"],
    SCHED + "task_log::entry": ["kind", "since"],
    SCHED + "market": ["members_"],
    SCHED + "membership": ["arenas_"],
    SCHED + "arena": ["concurrency_", "reserved_", "priority_", "slots_", "in_use_", "allotted", "active", "slot_waiters",
                      "market_state"],
    SCHED + "arena_state": ["all"],
    SCHED + "arena_links": ["next"],
    SCHED + "slot": ["running_", "root_", "state_"],
    SCHED + "slot_claim": ["occupant_"],
    SCHED + "deque": ["bottom_", "top_"],
    SCHED + "context": ["parent_", "state_"],
}
# The same of class templates and of what only programs instantiate; checked on the values that are printed.
OCCUPANT_FLAGS = 1
CANCELLED, INHERITED, EXCEPTION = 1, 2, 8
STATES = ["application thread", "worker that looks for work", "busy worker"]
PRIORITIES = ["low", "normal", "high"]


class Missing(gdb.GdbError):
    """The debug information doesn't have what the command needs."""


def library_type(name):
    try:
        return gdb.lookup_type(name)
    except gdb.error:
        raise Missing(f"no debug information of {name}: link libtbb_debug, or build the library with -g") from None


def get(value, member):
    """A member, or a base class's, without the library's atomic around it."""
    kind = value.type.strip_typedefs().unqualified()
    if kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF):
        value = value.referenced_value()
    return plain(value[member])


def plain(value):
    kind = value.type.strip_typedefs().unqualified()
    is_atomic = kind.code == gdb.TYPE_CODE_STRUCT and (kind.name or "").startswith("ashlar::v1::atomic<")
    return value["value_"] if is_atomic else value


def number(value, member):
    return int(get(value, member))


def elements_of(array):
    low, high = array.type.strip_typedefs().range()
    return [array[i] for i in range(low, high + 1)]


def at_symbol(name, kind):
    """The object that a symbol names, whether or not the debug information has its type."""
    try:
        address = gdb.parse_and_eval(f"(char*)&'{name}'")
    except gdb.error:
        raise Missing(f"no symbol {name}: the library is not loaded, not used yet, or stripped") from None
    return address.cast(kind.pointer()).dereference()


# ---- the scheduler


def threads():
    """Each thread_data of a living thread."""
    statistics = at_symbol(SCHED + "statistics::get()::the_statistics", library_type(SCHED + "statistics"))
    record = get(statistics, "first_")
    while int(record) != 0:
        if number(record, "user") != 0:
            yield get(record, "user").dereference()
        record = get(record, "next")


def arenas():
    source = at_symbol(SCHED + "worker_source::the_source_", gdb.lookup_type("unsigned long"))
    if int(source) == 0:
        return
    market = source.cast(library_type(SCHED + "market").pointer()).dereference()
    arena = get(get(get(market, "members_"), "arenas_"), "first_")
    while int(arena) != 0:
        yield arena.dereference()
        arena = get(get(get(arena, "market_state"), "all"), "next")


def slots_of(arena):
    # A unique_ptr of an array holds the pointer and nothing else.
    address = get(arena, "slots_").address.cast(library_type(SCHED + "slot").pointer().pointer()).dereference()
    return [address[i] for i in range(number(arena, "in_use_"))]


def waits_of(thread):
    for entry in elements_of(get(get(thread, "waits"), "entries_")):
        if number(entry, "what") != 0:
            yield get(entry, "what").string(), number(entry, "address"), number(entry, "job_since")


def symbol_of(address):
    text = gdb.execute(f"info symbol {address:#x}", to_string=True)
    if text.startswith("No symbol"):
        return ""
    return re.sub(r" (\+ \d+ )?in section .*", "", text.strip()).replace("vtable for ", "")


LIBRARY = re.compile(r"^(?:[\w ]+ )?(?:ashlar|tbb|oneapi|std|__gnu_cxx|__pstl)::|^_|^(?:clone3?|start_thread|syscall)$")
OURS = re.compile(r"^(?:[\w ]+ )?(?:ashlar|tbb)::")


def users_part(name):
    """The user's function or class in the name of the library's code around it."""
    if not LIBRARY.search(name):
        return name
    for found in re.finditer(r"[<, (]((?!ashlar|tbb|oneapi|std|__gnu)[A-Za-z_(][\w ()~&:#]*?::[<{]lambda\([^<>]*?\)(?:#\d+)?[>}])", name):
        return found.group(1).strip()
    found = re.search(r"[<, ]((?!ashlar|tbb|oneapi|std|unsigned|int|long|char|bool|float|double)[A-Za-z_][\w:]*)[,> &]", name)
    return found.group(1) if found else name


def own_call(name):
    """How a call of the library that the thread itself has made is told, by the outermost of the library's frames; None: no function of the user's is
    in that call. The body that runs in it is no task of the scheduler's."""
    body = users_part(name)
    function = re.search(r"\btbb::\w+", name)
    return None if body == name else f"the thread's own call of {function.group(0) if function else 'the library'}: {body}, called by "


def tasks_on_stack():
    """The tasks of the selected thread, the innermost first: (name, how it waits or None)."""
    frame, section, inner, waits, passed, call = gdb.newest_frame(), [], None, None, None, None
    while frame is not None:
        # The whole name: small debug information has only the last part of it.
        name = "" if frame.type() == gdb.INLINE_FRAME else symbol_of(frame.pc())
        if name.startswith((SCHED + "slot::run", SCHED + "run_observed")):
            if section or inner:
                yield (section[-1] if section else users_part(inner)), waits
            section, inner, waits, passed, call = [], None, None, None, None
        elif name.startswith(SCHED + "slot::wait"):
            waits = "waits in it"
        elif name:
            inner = name
            if not LIBRARY.search(name):
                call = call or passed and own_call(passed)
                section.append(name)
                passed = None
            elif OURS.search(name):
                passed = name
        try:
            frame = frame.older()
        except gdb.error:
            frame = None
    if section and section[-1] != "_start":
        yield (call or "outside of tasks: ") + section[-1], waits


def print_thread(thread, known):
    tid = number(thread, "tid")
    kind = "worker" if bool(get(thread, "is_worker")) else "application"
    of_gdb = known.get(tid)
    print(f"  thread {of_gdb.num if of_gdb else '?'} (LWP {tid}, {kind})")
    for what, address, job_since in waits_of(thread):
        print(f"    waits for {what} ({address:#x})" + ("; there it runs another job" if job_since else ""))
    log = [e for e in elements_of(get(get(thread, "tasks"), "entries_")) if number(e, "kind") != 0]
    for entry in sorted(log, key=lambda e: -number(e, "since")):
        print(f"    task (as logged): {users_part(symbol_of(number(entry, 'kind')))}")
    if of_gdb is None:
        return
    of_gdb.switch()
    for depth, (name, waits) in enumerate(tasks_on_stack()):
        print(f"    #{depth} {name}" + (f", which {waits}" if waits else ""))


def print_arena(arena, owners):
    print(f"  arena {int(arena.address):#x}: {number(arena, 'concurrency_')} slots, {number(arena, 'reserved_')} reserved, "
          f"priority {PRIORITIES[number(arena, 'priority_')]}, workers: {number(arena, 'allotted')} allotted, "
          f"{number(arena, 'active')} there; {number(arena, 'slot_waiters')} wait for a slot")
    for index, slot in enumerate(slots_of(arena)):
        occupant = number(slot, "occupant_") & ~OCCUPANT_FLAGS
        jobs = number(slot, "bottom_") - number(slot, "top_")
        if occupant == 0 and jobs <= 0:
            continue
        who = f"{STATES[number(slot, 'state_')]} {owners.get(occupant, '?')}" if occupant else "nobody"
        inside = occupant and number(get(slot, "running_"), "group") != int(get(slot, "root_").address)
        print(f"    slot {index}: {who}, {max(jobs, 0)} jobs in its deque" + (", inside of a group" if inside else ""))


def missing_members():
    """What MEMBERS names and the debug information lacks."""
    for name, members in MEMBERS.items():
        try:
            kind = gdb.lookup_type(name)
        except gdb.error:
            yield name
            continue
        there = names_in(kind)
        yield from (f"{name}::{m}" for m in members if m not in there)


def names_in(kind):
    found = set()
    for field in kind.strip_typedefs().fields():
        found |= names_in(field.type) if field.is_base_class else {field.name}
    return found


class AshlarCommand(gdb.Command):
    """ashlar: arenas, threads of the library, who waits for what, and the tasks on each stack.
ashlar members: which members this command reads that the debug information lacks."""

    def __init__(self):
        super().__init__("ashlar", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        if argument.strip() == "members":
            lacking = list(missing_members())
            print(f"{sum(map(len, MEMBERS.values()))} members, {len(lacking)} missing", *lacking, sep="\n  ")
            return
        if argument.strip():
            raise gdb.GdbError("ashlar, or ashlar members")
        before, frame = gdb.selected_thread(), gdb.selected_frame()
        try:
            self.show()
        finally:
            before.switch()
            frame.select()

    def show(self):
        known = {t.ptid[1]: t for t in gdb.selected_inferior().threads()}
        everybody = list(threads())
        print("threads")
        for thread in everybody:
            print_thread(thread, known)
        owners = {int(t.address): f"LWP {number(t, 'tid')}" for t in everybody}
        print("arenas")
        for arena in arenas():
            print_arena(arena, owners)


# ---- printers


def segment_of(i):
    return (i | 1).bit_length() - 1


def leading_zeros(i):
    return 64 - i.bit_length()


def from_table(table, element, first, count):
    """Elements of a segment_table. How it finds a segment depends on the processor that it was used on (segment_index.h)."""
    base = number(table, "table_")
    word = gdb.lookup_type("unsigned long").pointer()
    ready = number(table, "ready_")
    there = [i for i in range(first, first + count) if ready >> segment_of(i) & 1]

    def place(i, position):
        return int(gdb.Value(base + position(i) * 8).cast(word).dereference()) + i * element.sizeof

    def fits(position):
        try:
            for i in {segment_of(i): i for i in there}.values():
                gdb.selected_inferior().read_memory(place(i, position), element.sizeof)
            return True
        except gdb.MemoryError:
            return False

    position = next((p for p in (leading_zeros, segment_of) if fits(p)), None)
    for i in there if position else []:
        yield gdb.Value(place(i, position)).cast(element.pointer()).dereference()


class Sequence:
    """A printer of a list of values."""

    def __init__(self, value):
        self.value = value

    def display_hint(self):
        return "array"

    def children(self):
        for i, element in enumerate(self.elements()):
            yield f"[{i}]", element


class Vector(Sequence):
    def array(self):
        return get(self.value, "array_")

    def to_string(self):
        return f"tbb::concurrent_vector of {number(self.array(), 'count_')} elements"

    def elements(self):
        array = self.array()
        return from_table(get(array, "table_"), self.value.type.strip_typedefs().template_argument(0), 0, number(array, "count_"))


class ThreadSpecific(Sequence):
    def to_string(self):
        return f"tbb::enumerable_thread_specific of {number(get(self.value, 'elements_'), 'count_')} threads"

    def elements(self):
        held = get(self.value, "elements_")
        table = get(held, "table_")
        pointer = self.value.type.strip_typedefs().template_argument(0).pointer()
        count, few = number(held, "count_"), elements_of(get(held, "first_"))
        for entry in few[:count] + list(from_table(table, pointer, len(few), max(count - len(few), 0))):
            yield gdb.Value(int(plain(entry))).cast(pointer).dereference()


class Combinable(ThreadSpecific):
    def __init__(self, value):
        super().__init__(get(value, "elements_"))

    def to_string(self):
        return f"tbb::combinable of {number(get(self.value, 'elements_'), 'count_')} threads"


LIVE = 1


class HashTable:
    """Any container on a hash_table: its nodes lie in chunks, each of which ends with a record."""

    def __init__(self, value):
        self.value = value
        self.name = re.sub(r"<.*", "", value.type.strip_typedefs().unqualified().name)

    def table(self):
        names = names_in(self.value.type)
        return get(self.value, "table_") if "table_" in names else get(get(self.value, "engine_"), "table_")

    def nodes(self):
        core = get(self.table(), "core_")
        if int(core) == 0:
            return
        store = get(core, "store")
        kind = store.type.strip_typedefs()
        value = kind.template_argument(0)
        record = gdb.lookup_type(f"ashlar::v1::containers::table_node<{value}>")
        end = get(get(store, "regions_"), "first_")
        while int(end) != 0:
            begin = int(end) - number(end, "nodes") * record.sizeof
            for i in range(number(end, "nodes")):
                node = gdb.Value(begin + i * record.sizeof).cast(record.pointer()).dereference()
                if number(get(node, "state"), "word_") & LIVE:
                    yield get(get(node, "of"), "value")
            end = get(end, "next")

    def values(self):
        for value in self.nodes():
            if "first" not in names_in(value.type) or "second" in names_in(value.type):
                yield value
                continue
            element = get(value, "first")  # of a multi container: a chain that ends with the lowest bit set
            while True:
                yield get(get(element, "of"), "value")
                link = number(element, "next")
                if link & 1 or link == 0:
                    break
                element = gdb.Value(link).cast(element.type)

    def to_string(self):
        return f"{self.name} of {sum(1 for _ in self.values())} elements"

    def display_hint(self):
        return "map" if "map" in self.name else "array"

    def children(self):
        for i, value in enumerate(self.values()):
            if self.display_hint() == "map":
                yield f"[{2 * i}]", value["first"]
                yield f"[{2 * i + 1}]", value["second"]
            else:
                yield f"[{i}]", value


class Ordered(HashTable):
    def table(self):
        return get(self.value, "list_")

    def values(self):
        links = get(self.table(), "links_")
        node = plain(links[links.type.strip_typedefs().range()[1]])
        while int(node) != 0:
            yield get(get(node, "of"), "value")
            link = gdb.Value(int(node) - 8).cast(node.type.pointer())
            node = link.dereference()


class Range:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        v = self.value
        names = names_in(v.type)
        if "begin_" in names:
            return f"[{get(v, 'begin_')}, {get(v, 'end_')}) in grains of {get(v, 'grainsize_')}"
        return " x ".join(Range(get(v, n)).to_string() for n in ("pages_", "rows_", "cols_") if n in names)


class Context:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        v = self.value
        if "actual_" in names_in(v.type):
            v = get(v, "actual_") if number(v, "actual_") else get(v, "node_")
        state = number(v, "state_")
        words = [word for bit, word in ((CANCELLED, "cancelled"), (INHERITED, "cancelled with its parent"), (EXCEPTION, "holds an exception"))
                 if state & bit]
        return f"context below {number(v, 'parent_'):#x}, {', '.join(words) or 'not cancelled'}"


class Group:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        counter = get(self.value, "counter_")
        run = number(counter, "run_here_") + number(counter, "run_elsewhere_")
        over = number(counter, "done_here_") + (number(counter, "done_elsewhere_") >> 1)
        return f"tbb::task_group: {run} tasks run, {run - over} not over; {Context(get(self.value, 'context_')).to_string()}"


PRINTERS = [("concurrent_vector", r"tbb::concurrent_vector<.*>", Vector),
            ("enumerable_thread_specific", r"tbb::(interface\d+::)?enumerable_thread_specific<.*>", ThreadSpecific),
            ("combinable", r"tbb::combinable<.*>", Combinable),
            ("hash containers", r"tbb::(interface\d+::)?concurrent_(hash_map|unordered_(multi)?(map|set))<.*>", HashTable),
            ("ordered containers", r"tbb::(interface\d+::)?concurrent_(multi)?(map|set)<.*>", Ordered),
            ("ranges", r"tbb::blocked_range(2d|3d)?<.*>", Range),
            ("context", r"(tbb::task_group_context|ashlar::v1::sched::context)", Context),
            ("task_group", r"tbb::(isolated_)?task_group", Group)]


def register(objfile=None):
    printers = gdb.printing.RegexpCollectionPrettyPrinter("ashlar")
    for name, pattern, printer in PRINTERS:
        printers.add_printer(name, f"^{pattern}$", printer)
    gdb.printing.register_pretty_printer(objfile, printers, replace=True)
    AshlarCommand()


register()
