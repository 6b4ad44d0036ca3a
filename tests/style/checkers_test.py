#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checkers find what they are there to find: each case is a small tree with one fault."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


class Checkers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        (self.root / "tools").mkdir()
        for tool in ("source_tree.py", "units.py", "check_layers.py", "check_orders.py", "check_budget.py", "check_documents.py", "check_environment.py", "check_files.py", "check_forks.py", "check_ticks.py", "check_pages.py", "check_system.py", "check_braces.py", "check_nulls.py", "check_glossary.py", "budget.toml"):
            shutil.copy(ROOT / "tools" / tool, self.root / "tools")
        layers = (ROOT / "layers.toml").read_text()
        (self.root / "layers.toml").write_text(re.sub(r"(?ms)^\[rooms\..*?(?=^\[|^#)", "", layers))
        if (ROOT / ".venv").is_dir():
            (self.root / ".venv").symlink_to(ROOT / ".venv")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(LICENCE + text)

    def run_checker(self, tool, *arguments):
        run = subprocess.run([sys.executable, str(self.root / "tools" / tool), *arguments],
                             capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr

    def expect(self, tool, code, *words, arguments=()):
        found, output = self.run_checker(tool, *arguments)
        self.assertEqual(found, code, output)
        for word in words:
            self.assertIn(word, output)

    def test_layers_clean(self):
        self.write("include/ashlar/base/a.h", "#include <cstddef>\n")
        self.write("include/ashlar/sched/core/b.h", "#include <ashlar/base/a.h>\n// #include <tbb/nothing.h>\n")
        self.expect("check_layers.py", 0)

    def test_layers_upward(self):
        self.write("include/ashlar/sched/core/b.h", "")
        self.write("include/ashlar/base/a.h", "#include <ashlar/sched/core/b.h>\n")
        self.expect("check_layers.py", 1, "layer base may not include")

    def test_layers_sideways(self):
        self.write("include/ashlar/sched/core/b.h", "")
        self.write("include/ashlar/containers/a.h", "#include <ashlar/sched/core/b.h>\n")
        self.expect("check_layers.py", 1, "layer containers may not include")

    def test_layers_installed_includes_private(self):
        self.write("src/sched/core/b.h", "")
        self.write("include/ashlar/sched/core/a.h", "#include <sched/core/b.h>\n")
        self.expect("check_layers.py", 1, "not installed")

    def test_layers_private(self):
        self.write("src/sched/core/b.h", "")
        self.write("src/algo/a.cpp", '#include "sched/core/b.h"\n')
        self.expect("check_layers.py", 1, "private to layer sched/core")

    def test_layers_missing_file(self):
        self.write("src/sched/core/a.cpp", '#include "sched/core/b.h"\n')
        self.expect("check_layers.py", 1, "there is no sched/core/b.h")

    def test_layers_of_a_family(self):
        self.write("src/sched/park/a.h", "")
        self.write("src/sched/core/b.cpp", '#include "sched/park/a.h"\n')
        self.expect("check_layers.py", 0)
        self.write("src/sched/core/c.h", "")
        self.write("src/sched/park/a.h", '#include "sched/core/c.h"\n')
        self.expect("check_layers.py", 1, "layer sched/park may not include src/sched/core/c.h")

    def test_layers_of_the_flow_graph(self):
        self.write("include/ashlar/flow/engine/a.h", "")
        self.write("include/ashlar/flow/nodes/b.h", "#include <ashlar/flow/engine/a.h>\n")
        self.expect("check_layers.py", 0)
        self.write("include/ashlar/flow/work/c.h", "#include <ashlar/flow/nodes/b.h>\n")
        self.expect("check_layers.py", 1, "layer flow/work may not include include/ashlar/flow/nodes/b.h of layer flow/nodes")

    def test_layers_outside_of_a_family(self):
        for name in ("src/sched/a.h", "src/sched/nowhere/a.h", "include/ashlar/sched/nowhere/a.h"):
            with self.subTest(name=name):
                self.write(name, "")
                self.expect("check_layers.py", 1, f"{name}: belongs to no layer")
                (self.root / name).unlink()

    def test_layers_above_a_family(self):
        self.write("include/ashlar/sched/api/a.h", "")
        self.write("include/ashlar/algo/b.h", "#include <ashlar/sched/api/a.h>\n")
        self.expect("check_layers.py", 0)
        self.write("include/ashlar/sched/park/a.h", "#include <ashlar/algo/b.h>\n")
        self.expect("check_layers.py", 1, "layer sched/park may not include include/ashlar/algo/b.h",
                    "folders include each other: algo -> sched -> algo")

    def test_layers_cycle(self):
        self.write("include/ashlar/base/a.h", "#include <ashlar/base/b.h>\n")
        self.write("include/ashlar/base/b.h", "#include <ashlar/base/a.h>\n")
        self.expect("check_layers.py", 1, "include each other")

    def test_layers_circle_through_the_closure(self):
        self.write("include/ashlar/base/a.h", "#include <ashlar/base/b.h>\n")
        self.write("include/ashlar/base/b.h", "#if !ASHLAR_LEAN_HEADERS\n#include <ashlar/base/a.h>\n#endif\n")
        self.expect("check_layers.py", 0)
        self.write("include/ashlar/base/b.h", "#if !ASHLAR_LEAN_HEADERS\n#endif\n#include <ashlar/base/a.h>\n")
        self.expect("check_layers.py", 1, "include each other")

    def test_layers_units_in_a_circle(self):
        self.write("src/os/a.h", "")
        self.write("src/os/a.cpp", '#include "os/a.h"\n#include "os/b.h"\n')
        self.write("src/os/b.h", "")
        self.write("src/os/b.cpp", '#include "os/b.h"\n#include "os/c.h"\n')
        self.write("src/os/c.h", '')
        self.expect("check_layers.py", 0)
        self.write("src/os/c.h", '#include "os/a.h"\n')
        self.expect("check_layers.py", 1, "3 units include each other: os/a -> os/b -> os/c -> os/a")

    def test_layers_units_of_installed_headers(self):
        self.write("include/ashlar/sync/a.h", "")
        self.write("src/sync/a.cpp", "#include <ashlar/sync/a.h>\n#include <ashlar/sync/b.h>\n")
        self.write("include/ashlar/sync/b.h", "#include <ashlar/sync/a.h>\n")
        self.expect("check_layers.py", 1, "2 units include each other: sync/a -> sync/b -> sync/a")

    def test_layers_rooms(self):
        layers = self.root / "layers.toml"
        layers.write_text(layers.read_text() + '[rooms.alloc]\nlow = ["a"]\nhigh = ["b", "c"]\n')
        self.write("src/alloc/a.h", "")
        self.write("src/alloc/b.h", '#include "alloc/a.h"\n#include "alloc/c.h"\n')
        self.write("src/alloc/c.h", "")
        self.expect("check_layers.py", 0)
        self.write("src/alloc/a.cpp", '#include "alloc/c.h"\n')
        self.expect("check_layers.py", 1, "alloc/a, in room low, may not include alloc/c of room high")
        (self.root / "src/alloc/a.cpp").unlink()
        self.write("src/alloc/d.cpp", "")
        self.expect("check_layers.py", 1, "alloc/d stands in no room of alloc")
        (self.root / "src/alloc/d.cpp").unlink()
        (self.root / "src/alloc/b.h").unlink()
        self.expect("check_layers.py", 1, "alloc/b stands in a room of alloc, and there is no such unit")

    def test_layers_units_everywhere(self):
        for folder, include in (("sim/one", "one"), ("bench/one/two", "two"), ("include/tbb", "tbb")):
            with self.subTest(folder=folder):
                kind = "<{}>" if folder.startswith("include") else '"{}"'
                self.write(f"{folder}/a.h", "")
                self.write(f"{folder}/b.h", "#include " + kind.format(f"{include}/a.h") + "\n")
                self.write(f"{folder}/a.cpp", "#include " + kind.format(f"{include}/b.h") + "\n")
                self.expect("check_layers.py", 1, f"2 units include each other: {folder}/a -> {folder}/b")
                (self.root / folder / "a.cpp").unlink()
                self.expect("check_layers.py", 0)

    def test_layers_folders_in_a_circle(self):
        self.write("sim/one/a.h", "")
        self.write("sim/one/b.h", '#include "two/c.h"\n')
        self.write("sim/two/c.h", "")
        self.expect("check_layers.py", 0)
        self.write("sim/two/d.h", '#include "one/a.h"\n')
        self.expect("check_layers.py", 1, "folders include each other: sim/one -> sim/two -> sim/one")

    def test_layers_known_knot(self):
        knots = self.root / "layers.toml"
        knots.write_text(knots.read_text().partition("\n[knots]")[0] + "\n[knots]\n\"sched/core\" = 2\n")
        self.write("src/sched/core/a.h", "")
        self.write("src/sched/core/a.cpp", '#include "sched/core/b.h"\n')
        self.write("src/sched/core/b.h", "")
        self.expect("check_layers.py", 0, "only 0 units of sched/core include each other: lower the number")
        self.write("src/sched/core/b.h", '#include "sched/core/a.h"\n')
        self.expect("check_layers.py", 0, "0 errors")
        self.write("src/sched/core/b.h", '#include "sched/core/a.h"\n#include "sched/core/c.h"\n')
        self.write("src/sched/core/c.h", '#include "sched/core/a.h"\n')
        self.expect("check_layers.py", 1, "3 units of sched/core include each other, 2 are allowed")

    def test_orders_clean(self):
        self.write("src/sync/a.h", "// [Q1] push: release -> [Q2] pop: acquire\n"
                                   "x.store(1, mo::release);  // [Q1]\nx.load(mo::acquire);  // [Q2]\n"
                                   "x.load(mo::relaxed);\n// mo::seq_cst in a comment\n")
        self.expect("check_orders.py", 0, "2 orders")

    def test_orders_description_over_two_lines(self):
        self.write("src/sync/a.h", "// Ordering  [Q1] push: release\n//   <-> [Q2] pop: acquire\n"
                                   "x.store(1, mo::release);  // [Q1]\nx.load(mo::acquire);  // [Q2]\n")
        self.expect("check_orders.py", 0, "2 orders")

    def test_orders_description_without_arrow(self):
        self.write("src/sync/a.h", "// [Q1] push: release\n// [Q2] a -> [Q2] b\nx.store(1, mo::release);  // [Q1]\n"
                                   "x.load(mo::acquire);  // [Q2]\n")
        self.expect("check_orders.py", 1, "[Q1] is described nowhere")

    def test_orders_tag_at_the_end_of_the_statement(self):
        self.write("src/sync/a.h", "// [Q1] a -> [Q1] b\nx.compare_exchange(a, b, mo::acq_rel,\n    mo::relaxed);  // [Q1]\n"
                                   "x.store(1, mo::release);\ny();  // [Q1]\n")
        self.expect("check_orders.py", 1, "a.h:5: no tag names", "2 orders", "1 error")

    def test_orders_untagged(self):
        self.write("src/sync/a.h", "x.store(1, mo::release);\n")
        self.expect("check_orders.py", 1, "no tag names")

    def test_orders_untagged_fence(self):
        self.write("src/sync/a.h", "  fence_seq_cst();\n")
        self.expect("check_orders.py", 1, "no tag names")

    def test_orders_undescribed(self):
        self.write("src/sync/a.h", "x.store(1, mo::release);  // [Q1]\n")
        self.expect("check_orders.py", 1, "described nowhere")

    def test_orders_unused(self):
        self.write("src/sync/a.h", "// [Q1] push -> [Q2] pop\nx.store(1, mo::release);  // [Q1]\n")
        self.expect("check_orders.py", 1, "[Q2] is described, but no line")

    def test_orders_ambiguous(self):
        line = "// [Q1] push -> [Q1] pop\nx.store(1, mo::acq_rel);  // [Q1]\n"
        self.write("src/sync/a.h", line)
        self.write("src/sync/b.h", line)
        self.expect("check_orders.py", 1, "a tag means one edge")

    def test_orders_described_far_away(self):
        self.write("src/sync/a.h", "// [Q1] push -> [Q2] pop\n")
        self.write("src/sync/b.h", "x.store(1, mo::release);  // [Q1]\nx.load(mo::acquire);  // [Q2]\n")
        self.expect("check_orders.py", 1, "a.h: [Q1] is described here, but none of its ends")
        self.write("src/sync/a.cpp", "x.load(mo::acquire);  // [Q2]\n")
        self.expect("check_orders.py", 0, "3 orders")

    def test_orders_tags_of_several_layers(self):
        text = "// [Q1] push -> [Q1] pop\nx.store(1, mo::acq_rel);  // [Q1]\n"
        self.write("src/sync/a.h", text)
        self.expect("check_orders.py", 0, "1 orders")
        self.write("src/sched/a.h", text)
        self.expect("check_orders.py", 1, "[Q1] is described in several layers: sched, sync")

    def test_orders_standard_atomics(self):
        self.write("src/sync/a.h", "std::atomic<int> x;\n")
        self.expect("check_orders.py", 1, "atomics go through")

    def test_budget_clean(self):
        self.write("src/base/a.cpp", "int x;\n")
        self.expect("check_budget.py", 0)

    def test_budget_long_file(self):
        self.write("src/base/a.cpp", "int x;\n" * 500)
        self.expect("check_budget.py", 1, "501 lines")

    def test_budget_licence(self):
        (self.root / "src/base").mkdir(parents=True)
        (self.root / "src/base/a.cpp").write_text("int x;\n")
        self.expect("check_budget.py", 1, "licence line")

    def test_budget_unfinished(self):
        self.write("src/base/a.cpp", "// TO" "DO: more\n")
        self.expect("check_budget.py", 1, "unfinished")

    def test_budget_machine_path(self):
        self.write("src/base/a.cpp", "// see /ro" "ot/x\n")
        self.expect("check_budget.py", 1, "path of one machine")

    def test_budget_macro(self):
        self.write("src/base/a.cpp", "#define ASHLAR_NEW 1\n")
        self.expect("check_budget.py", 1, "macro ASHLAR_NEW")

    def test_glossary(self):
        def write(entries):
            (self.root / "ARCHITECTURE.md").write_text(f"# A\n\n## Glossary\n{entries}\nNot: `letter`.\n")
        self.write("src/sched/core/a.h", "struct job_queue;\n")
        write("* **job** (`sched/core/a.h`): x\n")
        self.expect("check_glossary.py", 0, "1 terms, 1 words")
        write("* **queued job** (`sched/core/a.h`): x\n* **job** (`sched/core/b.h`): y\n* **job**: z\n")
        self.expect("check_glossary.py", 1, "no name in sched/core/a.h has this word", "there is no sched/core/b.h",
                    "names no file", "job has two entries")
        write("* **job** (`sched/core/a.h`): x\n")
        self.write("src/sched/core/c.h", "struct job_letters;  // a letter\n")
        self.expect("check_glossary.py", 1, "c.h: job_letters has the word letter", "1 error")
        (self.root / "ARCHITECTURE.md").write_text("# A\n\n## Glossary\n* **job** (`sched/core/a.h`): x\nNot: `letter` (but a standard's `job_letters`).\n")
        self.expect("check_glossary.py", 0, "1 terms, 1 words")

    def test_documents(self):
        def write(text):
            (self.root / "ARCHITECTURE.md").write_text(text)
        self.write("src/sched/park/latch.h", "struct latch { void set(); };\n")
        write("`park/latch.h`, `latch.h`, `src/sched/park/latch.{h,h}`, `src/sched`, `src/*/park/*.h`, `latch::set()`, [it](src/sched/park/latch.h#x),\n"
              "[it](#the-latch), [it](ARCHITECTURE.md#the-latch-1), [it](https://a.b/c#d)\n# The `latch`\n## The latch\n"
              "`PREFIX/a.h`, `tbb::`, `[x](y)`\n```\n`src/none.h`\n```\n")
        self.expect("check_documents.py", 0, "1 documents, 0 errors")
        for text, words in (("`src/sched/latch.h`", "there is no src/sched/latch.h"), ("`none.h`", "there is no none.h"),
                            ("`src/sched/park/{latch,none}.h`", "there is no src/sched/park/none.h"), ("`src/none`", "there is no src/none"),
                            ("`src/none/*.h`", "there is no src/none/*.h"), ("`../none.h`", "there is no ../none.h"),
                            ("`latch::unset`", "the code has no latch::unset"), ("[it](src/none.h)", "the link leads to no file: src/none.h"),
                            ("[it](#none)", "the link leads to no heading: #none"),
                            ("[it](ARCHITECTURE.md#none)", "the link leads to no heading: ARCHITECTURE.md#none")):
            with self.subTest(text):
                write("A\n" + text + "\n")
                self.expect("check_documents.py", 1, "ARCHITECTURE.md:2: " + words, "1 error")

    def test_budget_friends(self):
        self.write("src/base/a.h", "int x;\n" * 490)
        self.write("src/base/b.h", "int x;\n" * 490 + "class a {\n  friend bool operator==(a, a) { return true; }\n"
                                   "  friend class b;\n};  // friend class c;\n")
        self.expect("check_budget.py", 1, "2 errors")
        self.write("src/base/c.h", "int x;\n" * 400)
        self.expect("check_budget.py", 0, "1 friends")

    def test_functions_at_limit(self):
        text = "int f%d(int x) {\n" + "  if (x == 1) return 2;\n" * 14 + "  return x;\n}\n"
        self.write("src/base/a.cpp", text % 1 + text % 2)
        if self.run_checker("check_budget.py", "--functions")[0] == 77:
            self.skipTest("lizard is missing")
        self.expect("check_budget.py", 0, arguments=["--functions"])
        self.write("src/base/b.cpp", text % 3)
        self.expect("check_budget.py", 1, "3 functions at the limit", arguments=["--functions"])

    def test_budget_expensive_include(self):
        self.write("include/ashlar/base/a.h", "#include <functional>\n")
        self.expect("check_budget.py", 1, "too expensive")

    def environment(self, rows):
        self.write("src/sched/a.cpp", 'auto a = read("ASHLAR_A");  // "ASHLAR_NOT"\n'
                                      'char const* const kind_names[] = {"one", "two"};\n'
                                      'auto b = choose("ASHLAR_B", kind_names);\n')
        self.write("docs/environment.md", "| variable | accepted | default | what |\n" + "".join(
            f"| `{name}` | {accepted} | {default} | x |\n" for name, accepted, default in rows))
        names = ", ".join(f'"{name.removeprefix("ASHLAR_")}"' for name, *_ in rows)
        self.write("src/os/misspelt.cpp", f"char const* const ours[] = {{{names}}};\n")

    def test_forks(self):
        (self.root / "tools" / "forks.toml").write_text('[held]\n"src/os/a.cpp:lock" = "taken"\n')
        self.write("src/os/a.cpp", "std::mutex lock;\nvoid f() { static int const zero = 0; static int x{1}; }\n")
        self.expect("check_forks.py", 0)
        self.write("src/os/a.cpp", "std::mutex other;\n")
        self.expect("check_forks.py", 1, "a.cpp:other: this lock has no rule", "there is no src/os/a.cpp:lock")
        self.write("src/os/a.cpp", "std::mutex lock;\nvoid f() {\n  static int const made = make();\n}\n")
        self.expect("check_forks.py", 1, "a.cpp:made: this static has no rule")

    def test_ticks(self):
        self.write("src/sync/a.h", "constexpr unsigned long longest = 200'000;\n")
        self.expect("check_ticks.py", 0)
        self.write("src/os/a.h", "constexpr unsigned long some_ticks = 200'000;\n")
        self.expect("check_ticks.py", 0)
        self.write("src/sync/a.h", "// 5000\nbool late() { return ticks() - start > longest + 0x1000 + 999; }\n")
        self.expect("check_ticks.py", 0)
        self.write("src/sync/a.h", "bool late() { return ticks() - start > longest; }\n"
                                   "constexpr unsigned long longest = 200'000;  // a processor's tick\n")
        self.expect("check_ticks.py", 1, "a.h:3: 200000 in a file about ticks")
        self.write("src/sync/a.h", "auto a_ticks = 8000 * ticks_per_ns();\nint b = 5000;  // nanoseconds\n")
        self.expect("check_ticks.py", 0)
        self.write("src/sync/a.h", "constexpr unsigned gap_ticks = 1000u;\n")
        self.expect("check_ticks.py", 1, "a.h:2: 1000 in a file about ticks")

    def test_pages(self):
        fine = ("char name[4096];\nvoid f() { munmap(p, page_size()); }", "constexpr int most = 4096;", "// 4096\nvoid f() { madvise(p, 40960, 4); }",
                "constexpr int pages = 1 << 10;\nvoid f() { mmap(\"4096\"); }", "bool f() { return guard_bytes == 8192; }")
        for text in fine:
            self.write("src/os/a.h", text + "\n")
            self.expect("check_pages.py", 0, "0 errors")
        for written in ("4096", "4'096u", "0x1000", "4 * 1024", "4u << 10", "1 << 12", "std::size_t{4} << 10", "4095", "0xfff"):
            self.write("src/os/a.h", f"void f() {{ munmap(p, (n + 1) & ~({written})); }}\n")
            self.expect("check_pages.py", 1, "a.h:2: ", "as the kernel's page")
        (self.root / "src/os/a.h").unlink()
        for text in ("constexpr std::size_t page_bytes = 65536;", "std::size_t const page{16384};", "inline constexpr int kernel_page = 16 * 1024;",
                     "#define PAGE_SIZE 4096", "#define PAGE_SIZE (1 << 12)", "std::size_t guard = hardened ? 0x10000 : 0;"):
            self.write("command/b.cpp", text + "\n")
            self.expect("check_pages.py", 1, "b.cpp:2: ")
        (self.root / "command/b.cpp").unlink()
        self.write("src/os/a.h", "long page() { return sysconf(_SC_PAGESIZE); }\n")
        self.expect("check_pages.py", 1, "a.h:2: src/os/posix/pages.h asks")
        (self.root / "src/os/a.h").unlink()
        self.write("src/os/posix/pages.h", "long page() { return sysconf(_SC_PAGESIZE); }\n")
        self.expect("check_pages.py", 0)

    def test_system(self):
        fine = ("#include <vector>\n#include <cpuid.h>\n#include <ashlar/os/ticks.h>\nint a;", "// mmap(), <unistd.h>, /proc/self/maps\nint b;",
                "bool open(int); bool c = open(1) && f.write(2) && thing::read(3);", 'char const* d = "pthread_join";')
        for text in fine:
            self.write("src/sync/a.cpp", text + "\n")
            self.expect("check_system.py", 0, "0 errors")
        for text in ("#include <unistd.h>", "#include <linux/futex.h>", "#  include <windows.h>", "int a = getpid();", "long b = syscall(1);",
                     "pthread_t c;", "auto d = dlsym(e, f);", "int g = ::open(h, 0);", "int i = PROT_READ;", 'auto j = read_all("/proc/self/maps");',
                     "#if defined(__APPLE__)\nint k;\n#endif", "#ifdef __GLIBC__\nint l;\n#endif", "timespec t; clock_gettime(CLOCK_MONOTONIC, &t);"):
            with self.subTest(text):
                self.write("src/sync/a.cpp", text + "\n")
                self.expect("check_system.py", 1, "src/sync/a.cpp:2: ", "lies behind src/os")
                self.write("src/sync/a.cpp", "int a;\n")
                self.write("src/os/linux/a.cpp", text + "\n")
                self.expect("check_system.py", 0)
        self.write("include/tbb/compat/thread", "#include <unistd.h>\n")
        self.expect("check_system.py", 1, "include/tbb/compat/thread:2: <unistd.h>")
        self.write("include/tbb/compat/thread", "\n")
        self.write("src/alloc_proxy/libc_override.cpp", "#include <malloc.h>\n")
        self.expect("check_system.py", 0)
        self.write("src/alloc_proxy/libc_override.cpp", "\n")
        self.expect("check_system.py", 1, "src/alloc_proxy/libc_override.cpp needs no exception")

    def test_braces(self):
        fine = ("if (a) f();", "if (a) {\n  f();\n}", "for (int i = 0; i < f(\n    1); ++i) g();", "while (f()) {\n}",
                "do f();\nwhile (a);", "#if defined(A)\nint a;\n#else\nint b;\n#endif", "if (a) {\n} else if (b) {\n}",
                "if (std::any_of(b, e, [](int i) {\n      return i;\n    })) {\n}")
        for text in fine:
            self.write("src/os/a.h", text + "\n")
            self.expect("check_braces.py", 0, "0 errors")
        for text in ("if (a)\n  f();", "for (;;)\n  f();", "while (a ||\n       b)\n  f();", "if (a) {\n} else\n  f();", "if constexpr (a)  // why\n  f();"):
            self.write("src/os/a.h", text + "\n")
            self.expect("check_braces.py", 1, "has no braces")
            self.expect("check_braces.py", 1, "has no braces", arguments=("--fix",))
            self.expect("check_braces.py", 0, "0 errors")

    def test_nulls(self):
        self.write("src/os/b.h", "struct b { int* place_; bool asked; };\n")
        start = '#include "os/b.h"\nint* f(int* p, bool asked, b& x) {\n'
        for line in ("if (p == nullptr) return p;", "if (!asked) return p;", "if (int* q = g()) return q;", "return asked ? p : nullptr;", "int n = 2 * n;"):
            self.write("src/os/a.cpp", start + line + "\n}\n")
            self.expect("check_nulls.py", 0, "0 errors")
        for line in ("if (!p) return p;", "if (p && asked) return p;", "while (p) g();", "if (!x.place_) return p;", "return p ? p : nullptr;", "for (; p; g()) g();"):
            self.write("src/os/a.cpp", start + line + "\n}\n")
            self.expect("check_nulls.py", 1, "a.cpp:4: write ", "1 error", arguments=("--fix",))
            self.expect("check_nulls.py", 0, "0 errors")
        self.write("src/os/a.cpp", "namespace ashlar {\ninline namespace v1 {\nnamespace os {\nint a;\n}  // namespace os\n}  // namespace v1\n}  // namespace ashlar\n")
        self.expect("check_nulls.py", 1, "in three steps")
        self.write("src/os/a.cpp", "namespace ashlar::os {\nint a;\n}  // namespace ashlar::os\n")
        self.expect("check_nulls.py", 1, "without v1")
        self.write("src/os/a.cpp", "namespace ashlar::inline v1::os {\nint a;\n}  // namespace ashlar::inline v1::os\n")
        self.expect("check_nulls.py", 0, "0 errors")

    def test_files(self):
        self.write("tests/a.cpp", 'char name[] = "/tmp/a-XXXXXX"; auto const list = "/tmp";  // "/tmp/a-1"\n')
        self.write("src/os/a.cpp", 'int a = open(p, O_RDONLY); FILE* f = std::fopen(p, "re");\n'
                                   "int b = open(p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);\n")
        self.write("src/os/posix/record_file.cpp", "int a = open(p, O_RDWR | O_CREAT | O_CLOEXEC, 0666);\n")
        self.expect("check_files.py", 0, "0 errors")
        for folder, line, words in (("tests", 'auto name = "/tmp/a-" + pid();', "anybody may have put"),
                                    ("tests", "char* name = std::tmpnam(nullptr);", "another user may take it"),
                                    ("src/os", "int f = ::open(p, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);", "may be there already"),
                                    ("src/os", "int f = open(p, O_CREAT | O_EXCL, 0600);", "lacks O_CLOEXEC"),
                                    ("src/os", "int f = mkstemp(name);", "lacks O_CLOEXEC"),
                                    ("command", 'FILE* f = fopen(p, "w");', "may be there already"),
                                    ("sim", "std::ofstream out(path);", "may be there already")):
            with self.subTest(line):
                self.write(f"{folder}/bad.cpp", line + "\n")
                self.expect("check_files.py", 1, f"{folder}/bad.cpp:2: ", words)
                (self.root / folder / "bad.cpp").unlink()
        self.write("src/os/posix/record_file.cpp", "\n")
        self.expect("check_files.py", 1, "src/os/posix/record_file.cpp has no open that needs the exception")

    def test_environment(self):
        good = [("ASHLAR_A", "a switch", "off"), ("ASHLAR_B", "`one`, `two`", "`one`")]
        self.environment(good)
        self.expect("check_environment.py", 0, "2 variables")
        self.environment(good[1:])
        self.expect("check_environment.py", 1, "reads ASHLAR_A")
        self.environment([*good, ("ASHLAR_C", "1", "0")])
        self.expect("check_environment.py", 1, "lists ASHLAR_C")
        self.environment([good[0], ("ASHLAR_B", "`one`", "`one`")])
        self.expect("check_environment.py", 1, "ASHLAR_B accepts one, two")
        self.environment([good[0], ("ASHLAR_B", "`one`, `two`", "`two`")])
        self.expect("check_environment.py", 1, "ASHLAR_B accepts one, two")
        self.environment(good)
        self.write("src/os/misspelt.cpp", 'char const* const ours[] = {"A"};\n')
        self.expect("check_environment.py", 1, "ASHLAR_B is in the list here or in docs/environment.md")

    def test_environment_of_tests(self):
        self.environment([("ASHLAR_A", "a switch", "off"), ("ASHLAR_B", "`one`, `two`", "`one`")])
        self.write("tests/stress/a.cpp", 'char const* a = std::getenv("ASHLAR_ROUNDS");\n')
        self.expect("check_environment.py", 1, "tests/stress/a.cpp: reads ASHLAR_ROUNDS, which the list of docs/environment.md has not")
        document = self.root / "docs/environment.md"
        document.write_text(document.read_text() + "\n## Of tests\n* `ASHLAR_ROUNDS`: how many\n")
        self.expect("check_environment.py", 0)
        document.write_text(document.read_text() + "* `ASHLAR_HOURS`, `ASHLAR_DAYS`: how long\n")
        self.expect("check_environment.py", 1, "the list has ASHLAR_DAYS, which no test reads", "the list has ASHLAR_HOURS")

    def test_environment_of_policies(self):
        self.environment([("ASHLAR_A", "a switch", "off"), ("ASHLAR_B", "`one`, `two`", "`one`")])
        self.write("include/ashlar/sched/policy/policy.h", "// idle: park (default), spin.\n")
        self.expect("check_environment.py", 1, "the idle policies are ")


if __name__ == "__main__":
    unittest.main()
