#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses what a system gives outside of the layer os: a port is what lies there (docs/guide/port.md).

In include and src, but for include/ashlar/os and src/os: headers that are neither C++'s nor the compiler's nor ours, calls of the
system and its constants, files below /proc and /sys, and questions which system this is. EXCEPTIONS names the files that may,
with a reason; there are at most five of them, and each needs to be there."""
import re
import sys

import source_tree as tree

EXCEPTIONS = {
    "include/ashlar/base/config.h": "refuses the systems that there is no port for",
    "src/alloc_proxy/libc_override.cpp": "defines the C library's own functions, by that library's names and types",
    "src/execution/parallel_scheduler.cpp": "is compiled by the program, with the program's std::execution",
    "src/compat12/isolated_tasks.cpp": "part of the drop-in for programs of Linux on x86-64, which sees installed headers only",
}
MOST_EXCEPTIONS = 5
THE_LAYER = ("include/ashlar/os/", "src/os/")

STANDARD = set("""algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib
cstring ctime cuchar cwchar cwctype deque exception execution expected filesystem flat_map flat_set format forward_list fstream
functional future generator initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map mdspan memory
memory_resource mutex new numbers numeric optional ostream print queue random ranges ratio regex scoped_allocator semaphore set
shared_mutex source_location span spanstream sstream stack stacktrace stdexcept stdfloat stop_token streambuf string string_view
strstream syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant
vector version stddef.h stdint.h""".split())
COMPILERS = {"cpuid.h", "cxxabi.h", "unwind.h"}
OURS = ("ashlar/", "tbb/", "oneapi/", "engine/")

INCLUDE = re.compile(r"\s*#\s*include\s*<([^>]+)>")
# Names that nobody but a system has; the ones that anybody may have count where they are said to be global.
CALLS = re.compile(r"""\b(pthread_\w+|dl(?:open|close|sym|vsym|addr1?|error|info|_iterate_phdr)|m(?:map|unmap|advise|protect|remap|bind|lock|sync|incore)
    |syscall|SYS_\w+|getpid|gettid|getauxval|sysconf|_SC_\w+|secure_getenv|environ|setenv|clock_(?:gettime|nanosleep|getres)|nanosleep
    |sigaction|sigaltstack|sigprocmask|tgkill|getrandom|getentropy|sched_(?:yield|getcpu|[gs]etaffinity)|cpu_set_t|CPU_(?:SET|CLR|ISSET|ZERO|COUNT|ALLOC)\w*
    |process_vm_readv|getrusage|[gs]etrlimit|readlink|fdopen|fileno|mkostemp|mkstemp|opendir|readdir|usleep|fsync|ftruncate|posix_\w+|flock|fstat|lstat
    |getcontext|makecontext|swapcontext|ucontext_t|backtrace(?:_symbols(?:_fd)?)?(?=\()|malloc_usable_size|mallinfo2?
    |STD(?:IN|OUT|ERR)_FILENO|O_(?:RDONLY|WRONLY|RDWR|CREAT|EXCL|CLOEXEC)|(?:PROT|MAP|MADV|FUTEX|RTLD|RLIMIT|RUSAGE|CLOCK|AT|SA)_[A-Z]\w*
    |(?:pid|clockid|ssize|mode|off|uid)_t|VirtualAlloc|WaitOnAddress|__errno_location)\b
    |(?<![\w:>)])::(?:read|write|open|close|access|unlink|stat|pipe|dup2?|kill|raise|fork|wait|fcntl|ioctl|sleep|alarm)\s*\(""", re.X)
SYSTEMS = re.compile(r"\b(__linux__|__linux|__gnu_linux__|__unix__|__APPLE__|__MACH__|__FreeBSD__|__NetBSD__|__OpenBSD__|__ANDROID__|_WIN32|_WIN64|__MINGW32__"
                     r"|__CYGWIN__|__GLIBC__|__BIONIC__|__EMSCRIPTEN__)\b")
FILES = re.compile(r'"/(?:proc|sys)/')


def objections(code, raw):
    """What a line has of the system's. `code`: without comments and the contents of strings."""
    header = INCLUDE.match(code)
    if header:
        name = header[1]
        if name not in STANDARD | COMPILERS and not name.startswith(OURS):
            yield f"<{name}>"
        return
    yield from (found[0] for found in CALLS.finditer(code))
    yield from (found[0] for found in SYSTEMS.finditer(code))
    if '"' in code and FILES.search(raw):
        yield "a file of the system's"


def check_file(path):
    text = path.read_text(encoding="utf-8")
    for number, (code, raw) in enumerate(zip(tree.code_lines(text), text.split("\n")), 1):
        for what in objections(code, raw):
            yield f"{tree.relative(path)}:{number}: {what}: what the system gives lies behind src/os (docs/guide/port.md)"


def main():
    errors, used = [], set()
    files = [p for p in tree.files_below("include", "src", suffixes=tree.CXX | {""}) if not tree.relative(p).startswith(THE_LAYER)]
    for path in files:
        found = list(check_file(path))
        if found and tree.relative(path) in EXCEPTIONS:
            used.add(tree.relative(path))
        else:
            errors += found
    errors += [f"tools/check_system.py: {name} needs no exception" for name in EXCEPTIONS
               if name not in used and (tree.ROOT / name).exists()]
    if len(EXCEPTIONS) > MOST_EXCEPTIONS:
        errors.append(f"tools/check_system.py: {len(EXCEPTIONS)} exceptions, more than {MOST_EXCEPTIONS}")
    return tree.finish("check_system", errors, f"{len(files)} files")


if __name__ == "__main__":
    sys.exit(main())
