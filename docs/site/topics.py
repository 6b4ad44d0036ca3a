# SPDX-License-Identifier: Apache-2.0
"""The reference's index: the public names by topic, each with the first sentence of its page."""
import re

from pages import described, title

# The first that fits an entity's name. What only the classic dialect has, and what is left, comes last.
TOPICS = [
    ("Algorithms", r"tbb::parallel_\w+|tbb::(?:make_filter|filter\w*|flow_control|feeder|pipeline|thread_bound_filter|collaborative_\w+|(?:pre|final)_scan_tag)"),
    ("Ranges, partitioners and iterators", r"tbb::(?:blocked_\w+|\w+_partitioner|split|proportional_split|\w+_iterator)"),
    ("Threads, arenas and limits", r"tbb::(?:task_arena|create_numa_task_arenas|attach|global_control|finalize|task_scheduler_\w+|numa_node_id|core_type_id|"
     r"priority_t|stack_size_type)|tbb::(?:this_task_arena|info)::\w+"),
    ("Tasks", r"tbb::(?:\w*task\w*|co_\w+|\w+_awaiter|is_\w+|own_tasks_only\w*|cancel_callback|make_task)"),
    ("Flow graph", r"tbb::flow::\w+"),
    ("Containers, and one object for each thread", r"tbb::(?:concurrent_\w+|tbb_hash\w*|stable_order|enumerable_thread_specific|ets_\w+|combinable|flatten\w+|deprecated::\w+)"),
    ("Locks and atomics", r"tbb::(?:\w*mutex\w*|reader_writer_lock|critical_section|aggregator\w*|atomic\w*|make_atomic|load|store|memory_semantics)"),
    ("Memory", r"tbb::(?:\w*allocat\w+|\w+_resource|\w+_pool|pool_base|aligned_space)|rml.*|scalable_\w+|ashlar_malloc\w+|\w*Allocat\w+"),
    ("Errors and exceptions", r"tbb::(?:\w+_exception|missing_wait|unsafe_wait|user_abort|improper_lock|bad_last_alloc|invalid_\w+|\w*assertion_handler\w*)"),
    ("Statistics, reports and hooks", r"ashlar.*|tbb::profiling::\w+"),
    ("Time, threads and other tools", r".*"),
]


def topic_of(name):
    return next(topic for topic, pattern in TOPICS if re.fullmatch(pattern, name))


def first_sentence(entity):
    """The first sentence of an entity's comment, in one line; empty if there is none."""
    for member in entity.members:
        for line in described(member):
            if line.strip() and not line.startswith(("..", " ", "*")):
                return re.split(r"(?<=[.:])\s", line, maxsplit=1)[0]
    return ""


def index(entities, headers):
    """The page's lines."""
    lines = [*title("Reference"), "One page for each public name, by topic; the search finds the names of both TBBs. "
             ":doc:`What holds for all of them </docs/guide/conventions>`, :doc:`what a type must be </docs/guide/requirements>`.", ""]
    for topic, _ in TOPICS:
        named = sorted((e for e in entities.values() if topic_of(e.name) == topic), key=lambda e: e.name)
        if named:
            lines += [topic, "-" * len(topic), ""]
            lines += [f"* :doc:`{e.name.removeprefix('tbb::')} <{e.page}>`" + (" (classic)" if e.dialect else "") + (f": {first_sentence(e)}" if first_sentence(e) else "")
                      for e in named] + [""]
    by_header = ", ".join(f":doc:`\\<{header}\\> <header_{re.sub(r'[^a-z0-9A-Z]+', '_', header)}>`" for header in headers)
    return [*lines, "By header", "---------", "", by_header, ""]
