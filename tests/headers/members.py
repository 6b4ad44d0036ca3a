#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each public class has every member, nested type and operator that the same class of oneTBB 2023.2 and TBB 2020 has for
users and for derived classes: in the oneTBB dialect oneTBB's, in the classic dialect TBB 2020's. Prints the count for each
section of the interface. What only one of the dialects has is in DOCUMENTED, with the reason.

    members.py SOURCE_DIR                               compares ours with members.json
    members.py SOURCE_DIR --record ONETBB TBB2020       writes members.json from the include folders of the peers

A derived class names each member in a using-declaration, which takes overloaded functions, types and constants alike; the
compiler's complaints tell what is not there. Which arguments a function takes is stated by the programs in names/."""
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from visible import CXX, PREVIEWS, candidates  # noqa: E402

CLASSIC = "-DASHLAR_CLASSIC_DIALECT=1"
FLAGS = {"onetbb": ["-w", "-D__TBB_TEST_PREVIEW=1", "-DTBB_PREVIEW_CONCURRENT_HASH_MAP_EXTENSIONS=1"], "tbb2020": [
    "-w", *PREVIEWS, *(f"-DTBB_PREVIEW_{name}=1" for name in (
        "GLOBAL_CONTROL", "ISOLATED_TASK_GROUP", "LOCAL_OBSERVER", "TASK_ARENA", "WAITING_FOR_WORKERS", "SPECULATIVE_SPIN_RW_MUTEX",
        "RESUMABLE_TASKS", "CRITICAL_TASKS", "CONCURRENT_HASH_MAP_EXTENSIONS"))]}
HEADERS = ["tbb/tbb.h", "tbb/memory_pool.h", "tbb/blocked_rangeNd.h", "tbb/concurrent_lru_cache.h", "tbb/concurrent_map.h", "tbb/concurrent_set.h",
           "tbb/aggregator.h", "tbb/pipeline.h", "tbb/parallel_while.h", "tbb/critical_section.h", "tbb/iterators.h", "tbb/runtime_loader.h",
           "tbb/compat/condition_variable", "tbb/compat/ppl.h", "tbb/scalable_allocator.h"]
NEEDED = """#include <functional>
#include <string>
#include <vector>
struct item_body { typedef int argument_type; void operator()(int) const {} };
struct handler { template <typename T> void operator()(T*) {} };
"""
PAIRS = [f"tbb::concurrent_{kind}<int, int>" for kind in ("map", "multimap", "unordered_map", "unordered_multimap")]
KEYS = [f"tbb::concurrent_{kind}<int>" for kind in ("set", "multiset", "unordered_set", "unordered_multiset")]
HASHED = [container for container in [*PAIRS, *KEYS] if "unordered" in container]
NESTED_VECTORS = "tbb::enumerable_thread_specific<std::vector<int>>"
LOCKS = [f"tbb::{name}" for name in ("spin_mutex", "spin_rw_mutex", "queuing_mutex", "queuing_rw_mutex", "null_mutex", "null_rw_mutex", "mutex",
                                     "rw_mutex", "recursive_mutex", "speculative_spin_mutex", "speculative_spin_rw_mutex", "reader_writer_lock",
                                     "critical_section")]


def with_nested(classes, *nested):
    return [*classes, *(f"{one}::{inner}" for one in classes for inner in nested)]


# Section of the interface -> its classes, of either peer.
CLASSES = {
    "configuration, exceptions": [
        "tbb::split", "tbb::proportional_split", "tbb::bad_last_alloc", "tbb::missing_wait", "tbb::user_abort", "tbb::unsafe_wait",
        "tbb::improper_lock", "tbb::invalid_multiple_scheduling", "tbb::tbb_exception", "tbb::captured_exception",
        "tbb::movable_exception<int>", "tbb::aligned_space<int, 3>", "tbb::tick_count", "tbb::tick_count::interval_t", "tbb::runtime_loader"],
    "tasks, arenas, control": [
        "tbb::task", "tbb::empty_task", "tbb::task_list", "tbb::task_scheduler_init", "tbb::tbb_thread", "tbb::tbb_thread::id",
        "tbb::task_group_context", "tbb::task_group", "tbb::isolated_task_group", "tbb::structured_task_group", "tbb::task_handle",
        "tbb::task_handle<void (*)()>", "tbb::task_completion_handle", "tbb::task_arena", "tbb::task_arena::constraints", "tbb::task_arena::parallel_phase",
        "tbb::attach", "tbb::global_control", "tbb::task_scheduler_handle", "tbb::task_scheduler_observer", "tbb::interface6::task_scheduler_observer"],
    "algorithms, ranges": [
        "tbb::blocked_range<int>", "tbb::blocked_range2d<int, long>", "tbb::blocked_range3d<int>", "tbb::blocked_nd_range<int, 2>",
        "tbb::blocked_rangeNd<int, 2>", "tbb::simple_partitioner", "tbb::auto_partitioner", "tbb::static_partitioner", "tbb::affinity_partitioner",
        "tbb::feeder<int>", "tbb::parallel_do_feeder<int>", "tbb::parallel_while<item_body>", "tbb::pre_scan_tag", "tbb::final_scan_tag",
        "tbb::collaborative_once_flag", "tbb::counting_iterator<int>", "tbb::zip_iterator<int*, long*>", "tbb::transform_iterator<std::negate<int>, int*>"],
    "pipeline": ["tbb::filter<int, int>", "tbb::filter_t<int, int>", "tbb::flow_control", "tbb::filter", "tbb::thread_bound_filter", "tbb::pipeline"],
    "containers": [
        *with_nested([*PAIRS, *KEYS], "iterator", "const_iterator", "range_type", "const_range_type", "node_type"), *(f"{one}::local_iterator" for one in HASHED),
        *with_nested(["tbb::concurrent_hash_map<int, int>"], "accessor", "const_accessor", "iterator", "const_iterator", "range_type", "const_range_type"),
        "tbb::tbb_hash_compare<int>", "tbb::tbb_hash<int>",
        *with_nested(["tbb::concurrent_vector<int>"], "iterator", "const_iterator", "range_type", "const_range_type"),
        *with_nested(["tbb::concurrent_queue<int>", "tbb::concurrent_bounded_queue<int>"], "iterator", "const_iterator"), "tbb::concurrent_priority_queue<int>",
        *with_nested(["tbb::concurrent_lru_cache<int, int, int (*)(int)>"], "handle"),
        *with_nested(["tbb::enumerable_thread_specific<int>"], "iterator", "const_iterator", "range_type", "const_range_type"),
        "tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_key_per_instance>",
        *with_nested([f"tbb::flattened2d<{NESTED_VECTORS}>"], "iterator", "const_iterator"), "tbb::combinable<int>",
        "tbb::aggregator", "tbb::aggregator_ext<handler>", "tbb::aggregator_operation"],
    "synchronization": [
        *with_nested(LOCKS, "scoped_lock"), "tbb::reader_writer_lock::scoped_lock_read",
        *(f"tbb::atomic<{of}>" for of in ("int", "bool", "int*", "void*", "double")),
        "tbb::interface5::condition_variable", "tbb::interface5::unique_lock<tbb::mutex>", "tbb::interface5::lock_guard<tbb::mutex>"],
    "memory": [
        *(f"tbb::{kind}<int>" for kind in ("tbb_allocator", "cache_aligned_allocator", "scalable_allocator", "zero_allocator")),
        "tbb::tbb_allocator<void>", "tbb::cache_aligned_allocator<void>", "tbb::scalable_allocator<void>", "tbb::tbb_allocator<int>::rebind<long>",
        "tbb::cache_aligned_resource", "tbb::memory_pool<std::allocator<char>>", "tbb::fixed_pool", "tbb::memory_pool_allocator<int>",
        "rml::MemPoolPolicy", "tbb::profiling::event"],
}
OPERATORS = [f"operator{sign}" for sign in ("()", "[]", "*", "->", "=", "++", "--", "+=", "-=", "&=")]
# What a derived class of the peers' could name, too, and no user is meant to: words of the implementation, protected members and
# the names of bases; in classes of a pattern and, by "", anywhere.
OWN_BUSINESS = {pattern: set(words.split()) for pattern, words in {
    "": """accessor_not_used active add_to_bucket advance allocate_node_copy_construct allocate_node_default_construct allocate_node_helper
    allocate_node_move_construct allocator_base allocator_traits_type allow_multimapping array_type atomic_node_ptr atomic_segment_type bucket
    bucket_accessor bucket_allocator_traits bucket_allocator_type call_clear_on_leave check_mask_race check_rehashing_collision container_traits
    core_type_support_flag create_node current_version deactivate default_flags delete_node delete_segment do_not_allocate_node downgrade
    embedded_block embedded_buckets enable_segment enable_segment_failsafe ets_type exact_exception_flag exact_exception_propagation exclude
    execute_impl fast_leave_policy_flag filter_is_bound filter_is_out_of_order filter_is_serial filter_may_emit_null first_block
    generic_emplace generic_move_insert get_bucket get_item get_key get_leave_policy get_node_ptr hash_compare_is_transparent hashcode_t
    hashcode_type init init_buckets init_buckets_impl initial_bucket_number inner_iterator insert_new_node invalid is_valid item_size
    items_per_page leave_policy_trait list_node_type lock_array lookup mark_rehashed_levels max_level move_content node_allocator_traits
    node_allocator_type node_base node_ptr node_scoped_guard nodeptr_t outer_iterator page pointers_per_table prepare_task
    prepare_task_handle random_level_generator_type raw_const_iterator raw_iterator rehash_bucket search_bucket segment_base segment_index_of
    segment_index_t segment_index_type segment_ptr_t segment_ptr_type segment_size segments_table_t segments_table_type self_type
    set_leave_policy set_midpoint solist_t status_t store_with_release thread_data_type traits_type upgrade version_mask waiting
    waiting_nonblocking
    atomic_impl_with_arithmetic concurrent_queue_iterator concurrent_queue_page_allocator concurrent_skip_list
    enumerable_thread_specific_iterator flist_iterator generic_range_type hash_map_iterator hash_map_range padded_mutex rw_scoped_lock
    segmented_iterator skip_list_iterator solist_iterator unique_scoped_lock vector_iterator""",
    r"hash_map<": "node reserve", r"unordered_": "key_compare", r"unordered_(multi)?set": "mapped_type", r"concurrent_(multi)?(map|set)<":
    "reverse_iterator const_reverse_iterator", r"task_group$": "context", r"mutex$": "state state_t state_type", r"task_arena$":
    "core_type max_threads_per_core", r"mutex::scoped_lock$": "mutex", r"iterator$": "iterator assign", r"::range_type$": "const_range_type",
    r"bounded_queue<": "copy move", r"speculative": "spin_mutex spin_rw_mutex"}.items()}
BASES = re.compile(r"(my|internal|m)_.*|_.*|padding|.*(_base|_v\d|_impl|_traits|_)")


def for_users(name, word):
    return not BASES.fullmatch(word) and not any(word in words and re.search(pattern, name) for pattern, words in OWN_BUSINESS.items())


COMPLAINT = re.compile(r"^([TN])_(\d+)(?:_(\d+))?:1:\d+: error: ", re.M)


def probe(classes, names_of):
    """A derived class of each class, which names the members."""
    text = ""
    for at, name in enumerate(classes):
        text += f'#line 1 "T_{at}"\nusing base_{at} = {name};\n#line 1 "T_{at}"\nstruct probe_{at} : base_{at} {{\n'
        text += "".join(f'#line 1 "N_{at}_{member}"\nusing base_{at}::{word};\n' for member, word in enumerate(names_of(name)))
        text += "};\n"
    return text


class Compiler:
    """With the headers read once."""

    def __init__(self, include, flags, folder):
        self.command = [CXX, "-std=c++17", "-fno-diagnostics-show-caret", "-fmax-errors=0", f"-I{include}", *flags]
        self.header = Path(folder) / "all.h"
        self.header.write_text("".join(f"#if __has_include(<{header}>)\n#include <{header}>\n#endif\n" for header in HEADERS) + NEEDED)
        subprocess.run([*self.command, "-x", "c++-header", str(self.header), "-o", f"{self.header}.gch"], check=True)

    def missing(self, classes, names_of):
        """(classes that are not there, (class, member) pairs that are not), by index."""
        run = subprocess.run([*self.command, "-fsyntax-only", "-include", str(self.header), "-x", "c++", "-"], input=probe(classes, names_of),
                             capture_output=True, text=True, check=False)
        found = COMPLAINT.findall(run.stderr)
        if run.returncode and not found:
            raise RuntimeError(run.stderr[:2000])
        return {int(at) for kind, at, _ in found if kind == "T"}, {(int(at), int(member)) for kind, at, member in found if kind == "N"}


def own_name(name):
    return re.sub(r"<.*?>(?=$|::)", "", name).rpartition("::")[2].split("<")[0]


def members_of(compiler, name, words):
    words = [word for word in words if word != own_name(name) and for_users(name, word)]
    _, lacks = compiler.missing([name], lambda _: words)
    return [word for at, word in enumerate(words) if (0, at) not in lacks]


def record(source, includes):
    result = {}
    for peer, include in includes.items():
        words = OPERATORS + candidates(include)
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
            compiler = Compiler(include, FLAGS[peer], folder)
            for section, classes in CLASSES.items():
                absent, _ = compiler.missing(classes, lambda _: [])
                present = [name for at, name in enumerate(classes) if at not in absent]
                found = pool.map(lambda name: members_of(compiler, name, words), present)
                result.setdefault(peer, {})[section] = dict(zip(present, found))
    text = json.dumps(result, indent=1)
    (source / "tests/headers/members.json").write_text(re.sub(r"\[\s+([^\]]*?)\s+\]", lambda m: "[" + " ".join(m[1].split()) + "]", text) + "\n")
    return 0


# Dialect -> the peer whose classes it has, and the flags that select it.
DIALECTS = {"oneTBB's, by default": ("onetbb", FLAGS["onetbb"]), "TBB 2020's, classic dialect": ("tbb2020", [*FLAGS["tbb2020"], CLASSIC])}
# (peer, class, member): why it is not there.
DOCUMENTED = {("onetbb", f"tbb::{kind}<void>", member): "an allocator of void allocates nothing" for kind, members in {
    "tbb_allocator": "allocate allocator_type deallocate malloc_type scalable standard", "scalable_allocator": "allocate deallocate",
    "cache_aligned_allocator": "allocate deallocate max_size"}.items() for member in members.split()}


def lacking(source, recorded, flags):
    """(class, member) of what is recorded and ours lacks, member None: the whole class."""
    classes = {name: words for section in recorded.values() for name, words in section.items()}
    names = list(classes)
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(source / "include", flags, folder)
        absent, lacks = compiler.missing(names, classes.get)
    return {(names[at], None) for at in absent} | {(names[at], classes[names[at]][member]) for at, member in lacks if at not in absent}


def compare(source):
    recorded = json.loads((source / "tests/headers/members.json").read_text())
    failures = 0
    print("| section | " + " | ".join(f"{dialect}: members | missing" for dialect in DIALECTS) + " |")
    found = {dialect: lacking(source, recorded[peer], flags) for dialect, (peer, flags) in DIALECTS.items()}
    for section in CLASSES:
        row = [section]
        for dialect, (peer, _) in DIALECTS.items():
            classes = recorded[peer][section]
            row += [str(sum(map(len, classes.values()))), str(sum(name in classes for name, _ in found[dialect]))]
        print(f"| {' | '.join(row)} |")
    for dialect, (peer, _) in DIALECTS.items():
        for name, member in sorted(found[dialect], key=str):
            reason = DOCUMENTED.get((peer, name, member))
            failures += reason is None
            print(f"{dialect}: {name} has no {member or 'body to derive from'}{': ' + reason if reason else ''}")
        for gone in sorted(key for key in DOCUMENTED if key[0] == peer and key[1:] not in found[dialect]):
            failures += 1
            print(f"{gone} is there; take it out of DOCUMENTED")
    total = sum(len(words) for peer in recorded.values() for section in peer.values() for words in section.values())
    print(f"members: {total} of {sum(len(s) for peer in recorded.values() for s in peer.values())} classes, {failures} failures")
    return 1 if failures else 0


def main():
    source = Path(sys.argv[1]).resolve()
    return record(source, dict(zip(("onetbb", "tbb2020"), sys.argv[3:5]))) if "--record" in sys.argv else compare(source)


if __name__ == "__main__":
    sys.exit(main())
