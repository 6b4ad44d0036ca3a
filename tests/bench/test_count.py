# SPDX-License-Identifier: Apache-2.0
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import support  # noqa: F401  pylint: disable=unused-import
import count

PROFILE = """\
positions: instr
events: Ir
ob=/lib/a.so
fl=???
fn=f
0x10 5
0x14 5
cob=/lib/b.so
cfn=g
calls=5 0x99
0x14 700
0x18 2
ob=/lib/b.so
fn=g
0x10 7
0x99 3
"""

DISASSEMBLY = """
0000000000001000 <f>:
    1000:\tlock xadd %eax,(%rdi)
    1005:\txchg   %eax,(%rdi)
    1007:\txchg   %ax,%ax
    1009:\txchg   %rax,%rbx
    100b:\tmfence
    100e:\tlock cmpxchg %rdx,0x8(%rdi)
    1014:\tcall   2000 <pthread_mutex_lock@plt>
    1019:\tlock orl $0x0,-0x8(%rsp)
    101f:\txchg   %r8,0x10(%rax,%rbx,8)
    1024:\tlock addl $0x1,0x0(%rip)        # 4000 <counter>
    102b:\tjmp    1000 <block>
"""

PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
static int word;
__attribute__((noinline)) void counted_section(int n) {
  for (int i = 0; i != n; ++i) {
    asm volatile("lock addl $1, %0" : "+m"(word));
    asm volatile("xchgl %%eax, %0" : "+m"(word) : : "eax");
    asm volatile("nop");
  }
}
int main(int argc, char** argv) {
  int n = 0;
  for (int i = 1; i != argc; ++i) if (!strcmp(argv[i], "--size")) n = atoi(argv[i + 1]);
  for (int i = 0; i != 10 * n; ++i) asm volatile("lock addl $1, %0" : "+m"(word));
  counted_section(n);
  printf("{\\"ok\\":true,\\"samples\\":[],\\"values\\":{\\"ops\\":%d}}\\n", n);
}
"""


class Parse(unittest.TestCase):
    def test_own_costs_only(self):
        counts = count.parse_callgrind(PROFILE.splitlines())
        self.assertEqual(dict(counts), {("/lib/a.so", 0x10): 5, ("/lib/a.so", 0x14): 5, ("/lib/a.so", 0x18): 2,
                                        ("/lib/b.so", 0x10): 7, ("/lib/b.so", 0x99): 3})

    def test_locked_instructions(self):
        self.assertEqual(sorted(count.locked_in_disassembly(DISASSEMBLY)),
                         [0x1000, 0x1005, 0x100b, 0x100e, 0x1019, 0x101f, 0x1024])


@unittest.skipUnless(shutil.which("valgrind") and shutil.which("objdump"), "valgrind or objdump is not installed")
class Run(unittest.TestCase):
    def test_known_loop(self):
        with tempfile.TemporaryDirectory() as scratch:
            source, program = pathlib.Path(scratch) / "p.cpp", pathlib.Path(scratch) / "p"
            source.write_text(PROGRAM)
            subprocess.run(["g++", "-O2", source, "-o", program], check=True)

            class AnyPeer:
                lib = None
            found = count.per_operation(program, "row", [1000, 3000], 1, AnyPeer)
        self.assertEqual(found["locked"], 2)
        self.assertGreaterEqual(found["instructions"], 5)  # the three, and the loop's own
        self.assertLessEqual(found["instructions"], 8)


if __name__ == "__main__":
    unittest.main()
