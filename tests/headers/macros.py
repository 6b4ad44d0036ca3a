#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles all public headers, in both dialects, after macros of other libraries: macros.py SOURCE_DIR FORWARDING_DIR

Each set stands for a library that programs include before ours, with its macros as it defines them. The headers of the standard
library and of the system come first: what those macros do to them is no matter of ours."""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CXX = os.environ.get("CXX", "g++")
SETS = {
    "Qt": """
emit=
signals=public
slots=
foreach(a,b)=for(a:b)
forever=for(;;)
""",
    "X11": """
None=0L
Bool=int
Status=int
Success=0
Always=2
True=1
False=0
Above=0
Below=1
Complex=0
Convex=2
Nonconvex=1
CurrentTime=0L
Unsorted=0
YSorted=1
KeyPress=2
KeyRelease=3
FocusIn=9
FocusOut=10
Expose=12
CursorShape=0
GrayScale=1
NoSymbol=0L
NotUseful=0
Opposite=4
ControlMask=4
BadValue=2
BadRequest=1
DestroyAll=0
ParentRelative=1L
""",
    "R": """
length=Rf_length
error=Rf_error
warning=Rf_warning
allocVector=Rf_allocVector
append=Rf_append
cons=Rf_cons
copyVector=Rf_copyVector
duplicate=Rf_duplicate
eval=Rf_eval
install=Rf_install
isArray=Rf_isArray
isFunction=Rf_isFunction
isInteger=Rf_isInteger
isNull=Rf_isNull
list1=Rf_list1
match=Rf_match
nrows=Rf_nrows
protect=Rf_protect
unprotect=Rf_unprotect
TRUE=1
FALSE=0
""",
    "Windows": """
min(a,b)=(((a)<(b))?(a):(b))
max(a,b)=(((a)>(b))?(a):(b))
small=char
hyper=long
near=
far=
NEAR=
FAR=
huge=
pascal=
cdecl=
interface=struct
ERROR=0
NO_ERROR=0
IN=
OUT=
OPTIONAL=
CALLBACK=__attribute__((noinline))
CONST=const
VOID=void
DELETE=(0x00010000L)
DOMAIN=1
OVERFLOW=3
UNDERFLOW=4
STRICT=1
DIFFERENCE=11
ABSOLUTE=1
RELATIVE=2
INFINITE=0xFFFFFFFF
PURE==0
THIS_=
THIS=void
UNALIGNED=
RESTRICTED_POINTER=
Yield()=
GetCurrentTime()=0
GetObject=GetObjectA
GetMessage=GetMessageA
MemoryBarrier()=
YieldProcessor()=
""",
    "Apple": """
check(x)=((void)(x))
verify(x)=((void)(x))
require(x,y)=((void)(x))
check_noerr(x)=((void)(x))
verify_noerr(x)=((void)(x))
require_noerr(x,y)=((void)(x))
nil=0
YES=1
NO=0
""",
    "curses": """
OK=(0)
ERR=(-1)
stdscr=0
addch(c)=((void)(c))
attron(a)=((void)(a))
border(a,b)=((void)(a))
box(a,b,c)=((void)(a))
delch()=((void)0)
echo()=((void)0)
getch()=((void)0)
inch()=((void)0)
refresh()=((void)0)
scroll(w)=((void)(w))
timeout(d)=((void)(d))
touchline(a,b,c)=((void)(a))
hline(c,n)=((void)(c))
vline(c,n)=((void)(c))
instr(s)=((void)(s))
insch(c)=((void)(c))
getstr(s)=((void)(s))
getyx(w,y,x)=((void)(w))
attr_get(a,b,c)=((void)(a))
scrl(n)=((void)(n))
standout()=((void)0)
standend()=((void)0)
""",
    "C libraries": """
I=_Complex_I
complex=_Complex
major(x)=((x)>>8)
minor(x)=((x)&255)
makedev(a,b)=((a)<<8|(b))
unix=1
linux=1
B0=0
B50=1
CR0=0
NL1=1
ECHO=8
PAGE_SIZE=4096
stdin=((FILE*)0)
sa_handler=u.h
st_atime=st_atim.tv_sec
""",
    "others": """
likely(x)=__builtin_expect(!!(x),1)
unlikely(x)=__builtin_expect(!!(x),0)
ASSERT(x)=((void)(x))
CHECK(x)=((void)(x))
REQUIRE(x)=((void)(x))
LOG(x)=std::cerr
DEBUG=1
INFO=2
WARNING=3
FATAL=4
LIKELY(x)=(x)
UNLIKELY(x)=(x)
PAUSE()=((void)0)
YIELD()=((void)0)
barrier()=__asm__ __volatile__("":::"memory")
container_of(a,b,c)=(a)
offsetof_member(a,b)=0
EXPORT=
INLINE=inline
FORCE_INLINE=inline
NOINLINE=
UNUSED=
PACKED=
ALIGN(x)=
SWAP(a,b)=((void)0)
MIN(a,b)=((a)<(b)?(a):(b))
MAX(a,b)=((a)>(b)?(a):(b))
FOREVER=for(;;)
TRY=if(1)
CATCH=else
THROW=
Try=if(1)
Catch=else
BOOL=int
BYTE=unsigned char
WORD=unsigned short
""",
}
NEEDED = '#include "all_system_headers.h"\n'


def system_headers(source):
    """All that the public headers include besides each other."""
    found = set()
    for header in (source / "include").rglob("*.h"):
        for name in re.findall(r"^\s*#\s*include\s*<([^>]+)>", header.read_text(), re.MULTILINE):
            if not name.startswith(("tbb/", "ashlar/", "oneapi/", "proxy/")):
                found.add(name)
    return sorted(found)


def public_headers(source, classic):
    # Coroutines need C++20; pipeline.h is classic TBB's; there are no OpenCL nodes.
    left_out = (["tbb/coroutine.h", "tbb/flow_coroutine.h"] if classic else ["tbb/pipeline.h"]) + ["tbb/flow_graph_opencl_node.h"]
    names = (header.relative_to(source / "include").as_posix() for header in (source / "include/tbb").glob("*.h"))
    return sorted(name for name in names if name not in left_out)


def main():
    source, forwarding = Path(sys.argv[1]), Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        new = ("coroutine",)
        system = "".join(f"#if __has_include(<{name}>){' && __cplusplus >= 202002L' if name in new else ''}\n#include <{name}>\n#endif\n"
                         for name in system_headers(source))
        (Path(folder) / "all_system_headers.h").write_text(system)

        def flags_of(standard, classic):
            return [f"-std={standard}", f"-DASHLAR_CLASSIC_DIALECT={classic}", "-DTBB_SUPPRESS_DEPRECATED_MESSAGES=1", "-w", f"-I{folder}",
                    f"-I{source / 'include'}", f"-I{forwarding}"]

        def compile_system(dialect):
            """Once for all sets: what the macros come after. A compiler that can't take it reads the text."""
            place = Path(folder) / "all_system_headers.h.gch"
            place.mkdir(exist_ok=True)
            subprocess.run([CXX, *flags_of(*dialect), "-x", "c++-header", f"{folder}/all_system_headers.h", "-o", place / dialect[0]], check=True)

        def compile_set(job):
            name, standard, classic = job
            lines = [line for line in SETS[name].split("\n") if line]
            macros = "".join(f"#undef {line.split('=', 1)[0].split('(')[0]}\n#define {line.replace('=', ' ', 1)}\n" for line in lines)
            previews = "".join(f"#define TBB_PREVIEW_{what} 1\n" for what in ("MEMORY_POOL", "FLOW_GRAPH_FEATURES", "CONCURRENT_LRU_CACHE"))
            headers = "".join(f"#include <{header}>\n" for header in public_headers(source, classic))
            text = NEEDED + macros + previews + headers + "#include <oneapi/tbb.h>\n"
            # What a library's macro is put to after our headers works as before.
            for line in lines:
                if "(" not in line.split("=", 1)[0]:
                    text += f"#ifndef {line.split('=', 1)[0]}\n#error {line.split('=', 1)[0]} is gone\n#endif\n"
            run = subprocess.run([CXX, *flags_of(standard, classic), "-fsyntax-only", "-x", "c++", "-"], input=text, capture_output=True, text=True,
                                 check=False)
            if run.returncode == 0:
                return None
            return f"{name}, {standard}, {'classic' if classic else 'onetbb'}: the headers do not compile\n{run.stderr[:3000]}"

        dialects = (("c++17", 1), ("c++20", 0))
        jobs = [(name, standard, classic) for name in SETS for standard, classic in dialects]
        with ThreadPoolExecutor(2) as pool:
            if "clang" not in CXX:  # which takes no folder of such files
                list(pool.map(compile_system, dialects))
            wrong = [said for said in pool.map(compile_set, jobs) if said]
    print("\n".join(wrong) if wrong else f"{len(jobs)} sets of macros leave the headers alone")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
