# SPDX-License-Identifier: Apache-2.0
"""The command `ashlar` with programs that were compiled with oneTBB's headers: one function per case of run.py."""
import os
import re
import shutil
import subprocess
from pathlib import Path


class Mismatch(Exception):
    pass


def call(ashlar, *arguments, status=0, environment=None):
    """Its output and what it says on stderr, with the status expected."""
    done = subprocess.run([str(ashlar), *(str(a) for a in arguments)], capture_output=True, text=True, check=False, timeout=300,
                          env=environment or os.environ)
    if done.returncode != status:
        raise Mismatch(f"ashlar {arguments}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def expect(condition, *what):
    if not condition:
        raise Mismatch("\n".join(str(w) for w in what))


def runs(ashlar, client, ours):
    """A program runs on us, nothing is said, and its arguments and statuses pass."""
    output, errors = call(ashlar, "run", client)
    expect(f"library {ours}/libtbb.so.12" in output and errors == "", output, errors)
    errors = call(ashlar, "run", "--stats", "--threads", 3, "--", client)[1]
    expect("statistics of" in errors, errors)
    expect(call(ashlar, "run", "--quiet", "printf", "%s ", "--stats", "--", "-x")[0] == "--stats -- -x ", "arguments")
    errors = call(ashlar, "run", "sh", "-c", "exit 7", status=7)[1]
    expect("sh didn't run on Ashlar: it uses no libtbb.so.12" in errors, errors)
    call(ashlar, "run", "sh", "-c", "kill -TERM $$", status=128 + 15)
    expect("no such program" in call(ashlar, "run", "no-such-program", status=125)[1], "a name without a program")
    expect("which program?" in call(ashlar, "run", status=125)[1], "no program")
    expect("0" in call(ashlar, "run", "--threads", 0, client, status=125)[1], "no threads")


def linked_otherwise(ashlar, static, bundling, name):
    """Programs that can't be reached are told, and how a bundled copy can."""
    errors = call(ashlar, "run", static)[1]
    expect("linked statically" in errors, errors)
    expect("linked statically" in call(ashlar, "doctor", static, status=1)[0], "doctor of a static program")
    output, errors = call(ashlar, "run", bundling)
    expect(f"{name} was loaded besides Ashlar; 'ashlar run --as {name} " in errors, output, errors)
    output, errors = call(ashlar, "run", "--as", name, bundling)
    expect("libtbb-ashlar" in output and f"bundled/{name}" not in output and errors == "", output, errors)
    expect("not the name" in call(ashlar, "run", "--as", "libc.so.6", bundling, status=127)[1], "another library's name")


def examines(ashlar, client, ours):
    """Which libtbb a program would load."""
    output = call(ashlar, "doctor", client)[0]
    expect("membarrier" in output and f"with ashlar run {ours}/libtbb.so.12 " in output, output)
    expect("no libtbb at start" in call(ashlar, "doctor", "true")[0], "doctor of a program without TBB")


def reaches_everywhere(ashlar, client, ours, theirs, folder):
    """Programs that prefer another libtbb.so.12, by DT_RPATH or by what their starters put into LD_LIBRARY_PATH, run on us."""
    def on_us(*command, environment=None, options=()):
        output, errors = call(ashlar, "run", *options, "--", *command, environment=environment)
        expect(f"/libtbb.so.12" in output and "library " + str(theirs) not in output and errors == "", command, output, errors)
        return output
    output = call(ashlar, "doctor", folder / "bound")[0]
    expect(f"by itself       libtbb.so.12 => {theirs}/libtbb.so.12" in output and "WRONG" not in output, output)
    expect(f"library {ours}/libtbb.so.12" in on_us(folder / "bound"))
    script = folder / "starter"
    script.write_text(f"#!/bin/sh\nLD_LIBRARY_PATH={theirs}\nexport LD_LIBRARY_PATH\nexec {client}\n")
    script.chmod(0o755)
    on_us(script)
    on_us("sh", "-c", f"export LD_LIBRARY_PATH={theirs}; {client}; true")
    on_us("sh", "-c", f"cd {client.parent} && env LD_LIBRARY_PATH={theirs} ./{client.name}")
    # A file that is preloaded already stays so, and a path that LD_PRELOAD can't hold does no harm.
    expect("libtbbmalloc_proxy" in on_us(client, environment={**os.environ, "LD_PRELOAD": str(ours / "libtbbmalloc_proxy.so.2")}))
    prefix = folder / "a copied: prefix"
    shutil.rmtree(prefix, ignore_errors=True)
    for name in ("bin/ashlar", "ashlar-compat/libtbb.so.12", "ashlar-compat/libtbbmalloc.so.2", "ashlar-compat/libtbbmalloc_proxy.so.2",
                 "libtbb-ashlar.so.0", "libtbbmalloc-ashlar.so.0"):
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ours.parent / name, prefix / name)
    output, errors = call(prefix / "bin/ashlar", "run", script)
    expect(f"library {prefix}/libtbb-ashlar.so.0" in output and errors == "", output, errors)
    needed = subprocess.run(["readelf", "-d", prefix / "bin/ashlar"], capture_output=True, text=True, check=True).stdout
    surplus = [name for name in re.findall(r"NEEDED.*\[(.*)\]", needed)
               if not name.startswith(("libc.so", "libstdc++.so", "libm.so", "libgcc_s.so", "ld-linux"))]
    expect(not surplus, "the command needs", *surplus)


def is_honest(ashlar, client, theirs, folder):
    """What doesn't run on us is told, with the reason: no TBB at all, another interface, a starter that takes LD_PRELOAD away."""
    errors = call(ashlar, "run", "sh", "-c", "/bin/true; env true")[1]
    expect("sh didn't run on Ashlar: it uses no libtbb.so.12" in errors, errors)
    errors = call(ashlar, "run", folder / "classic")[1]
    expect("libtbb.so.2 was loaded besides Ashlar: programs that were compiled for libtbb.so.2 can't run on Ashlar" in errors, errors)
    expect("--as" not in errors, errors)
    output = call(ashlar, "doctor", folder / "classic", status=1)[0]
    expect(re.search("WRONG: .*/libtbb.so.2 is loaded", output), output)
    output, errors = call(ashlar, "run", "sh", "-c", f"LD_PRELOAD= LD_LIBRARY_PATH={theirs} exec {client}")
    expect(f"library {theirs}" in output and "libtbb.so.12 was loaded instead of Ashlar: LD_PRELOAD didn't reach" in errors, output, errors)
    for options in (["-i"], ["-u", "HOME", "-i"], ["-"], ["--ignore-environment", "A=1"], ["-vi"]):
        errors = call(ashlar, "run", "--", "env", *options, folder / "bound")[1]
        expect("env didn't run on Ashlar: the environment was cleared" in errors, options, errors)
    for options in (["-u", "i"], ["-ui"], ["A=-i"], ["--"]):
        output, errors = call(ashlar, "run", "--", "env", *options, client)
        expect("libtbb-ashlar" in output and errors == "", options, output, errors)
    output, errors = call("/usr/bin/env", "-i", ashlar, "run", client)
    expect("libtbb-ashlar" in output and errors == "", output, errors)


def reports(ashlar, client, loops, folder):
    """Recorded and told in one step, and from a trace that is kept."""
    trace, page = folder / "kept.trace", folder / "page.html"
    output = call(ashlar, "report", "--trace", trace, client)[0]
    expect(trace.exists() and "threads" in output, output)
    # Tasks, stolen or not, are named after the program's own functions, not after those of the drop-in that call them.
    named = call(ashlar, "report", "--trace", folder / "loops.trace", "--", loops, "leaf", 2000)[0]
    expect(re.search(r" 2000  main::\{lambda", named) and "ashlar::v1::compat12" not in named, named)
    expect(" run(…)::{lambda" in output and "ashlar::v1::compat12" not in output, output)
    told = call(ashlar, "report", trace)[0]
    expect(told and output.endswith(told), output, told)
    call(ashlar, "report", "--html", page, trace)
    expect("<html" in page.read_text(), "no page")
    told = call(ashlar, "report", "--trace", folder / "late.trace", client, "--html", page)[1]
    expect("--html stands behind" in told and "before the program" in told, told)
    expect("stands behind" not in call(ashlar, "report", "--trace", folder / "late.trace", "--", client, "--html", page)[1], "said though it is meant")
    call(ashlar, "export", trace, "--chrome", folder / "chrome.json")
    expect((folder / "chrome.json").exists(), "no export")
    expect("ashlar-sim" in call(ashlar, "simulate", "--version")[0], "no simulator")


def says_nothing_of_our_files(ashlar, client, ours, folder):
    """The report tells what the program lacks for better names, and not what the library lacks: that is stripped where it is installed."""
    drop_in, trace = folder / "stripped/ashlar-compat", folder / "stripped.trace"
    drop_in.mkdir(parents=True)
    for name in ("libtbb.so.12", "../libtbb-ashlar.so.0"):
        subprocess.run(["strip", "-o", drop_in / name, Path(ours, name).resolve()], check=True)
    subprocess.run([client], check=True, capture_output=True, env={
        **os.environ, "LD_LIBRARY_PATH": f"{drop_in}:{drop_in.parent}:{ours}", "ASHLAR_TRACE": str(trace), "ASHLAR_NUM_THREADS": "4"})
    told = "".join(call(ashlar, "report", trace))
    expect(str(drop_in).encode() in trace.read_bytes(), "another library was loaded")
    expect(not re.search(r"^warning: \S*libtbb", told, re.M), told)


def is_described(ashlar, source):
    """The manual and the completion know the subcommands and options that the command has, and no others."""
    expect(re.fullmatch(r"ashlar \d+\.\d+\.\d+(-dev)?\n", call(ashlar, "--version")[0]))
    subcommands = re.findall(r"^  (\w+) +[A-Za-z]", call(ashlar, "--help")[0].partition("Subcommands:")[2], re.M)
    expect(subcommands, call(ashlar, "--help")[0])
    options = {sub: set(re.findall(r"--[a-z-]+", "\n".join(re.findall(r"^  (?:-\w,)?--[a-z-]+", call(ashlar, sub, "--help")[0], re.M))))
               for sub in ("run", "report", "doctor")}
    manual = (source / "command/ashlar.1").read_text()
    flags = {f"--{name}" for name in re.findall(r"Fl -([a-z][a-z-]*)", manual)}
    expect(flags == set().union(*options.values(), {"--version", "--chrome"}), flags, options)
    expect(set(re.findall(r"^\.It Cm (\w+)", manual, re.M)) == set(subcommands), manual)
    if shutil.which("groff"):
        shown = subprocess.run(["groff", "-mdoc", "-ww", "-Tascii", source / "command/ashlar.1"], capture_output=True, text=True, check=False)
        expect(shown.returncode == 0 and shown.stderr == "" and "report" in shown.stdout, shown.stderr, shown.stdout)

    for sub in ("run", "report"):
        expect(f"ashlar {sub} [OPTIONS] PROGRAM" in call(ashlar, sub, "--help")[0], call(ashlar, sub, "--help")[0])

    def completions(*words):
        script = (f"source '{source}/command/ashlar.bash'; COMP_WORDS=({' '.join(words)} ''); COMP_CWORD={len(words)}; _ashlar; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        if words[-1] == "-":
            script = script.replace(" '')", ")").replace(f"CWORD={len(words)}", f"CWORD={len(words) - 1}")
        return set(subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split())
    expect(completions("ashlar") == {*subcommands, "--help", "--version"}, completions("ashlar"))
    for sub, known in options.items():
        expect(completions("ashlar", sub, "-") == known, sub, completions("ashlar", sub, "-"), known)
    expect("--stats" not in completions("ashlar", "run", "true", "-"))
    expect(completions("ashlar", "run", "--threads") == set())
