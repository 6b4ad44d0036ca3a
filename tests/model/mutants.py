#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Leaves out one step of a protocol at a time in a copy of the product's sources, builds the scheduler's models with it, and
expects the model to fail: a model that passes without the step does not check it.

usage: tests/model/mutants.py [--only NAME] [--jobs N] | --check
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILE = ["g++", "-std=c++20", "-O1", "-DASHLAR_MODEL=1", "-DDOCTEST_CONFIG_IMPLEMENT_WITH_MAIN"]
INCLUDE = ["include", "src", "tests/model", "tests"]


def changed(mutant: dict, change: dict) -> str:
    text = (ROOT / change["file"]).read_text()
    if text.count(change["old"]) != 1:
        raise SystemExit(f"mutants: {mutant['name']}: {change['file']} does not contain this once: {change['old']}")
    return text.replace(change["old"], change["new"])


def overlay(place: pathlib.Path, mutant: dict) -> None:
    for change in mutant["change"]:
        to = place / pathlib.Path(change["file"]).relative_to(change["file"].split("/")[0])  # src or include
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(changed(mutant, change))


def check(mutants: list[dict]) -> None:
    """Each step is still in the sources, and each mutant has a model."""
    for mutant in mutants:
        if set(mutant) - {"name", "model", "change"} or any(set(change) != {"file", "old", "new"} for change in mutant["change"]):
            raise SystemExit(f"mutants: {mutant['name']}: other entries than name, model and change with file, old and new")
        if not (ROOT / "tests/model" / f"{mutant.get('model', 'scheduler')}_model.cpp").is_file():
            raise SystemExit(f"mutants: {mutant['name']}: no model is called {mutant['model']}")
        for change in mutant["change"]:
            changed(mutant, change)
    print(f"mutants: {len(mutants)}, all match the sources")


def build(place: pathlib.Path, mutant: dict, engine: list[str]) -> str:
    program = str(place / "model")
    flags = [f'-DASHLAR_SOURCE_DIR="{ROOT}"', f"-I{place}", *(f"-I{ROOT / i}" for i in INCLUDE)]
    flags += [f"-I{(ROOT / change['file']).parent}" for change in mutant["change"]]  # for headers that lie beside it
    subprocess.run([*COMPILE, *flags, str(ROOT / "tests/model" / f"{mutant.get('model', 'scheduler')}_model.cpp"), *engine, "-o", program], check=True)
    return program


def caught(mutant: dict, engine: list[str]) -> str:
    """The failure's first line, or nothing."""
    with tempfile.TemporaryDirectory() as place:
        overlay(pathlib.Path(place), mutant)
        run = subprocess.run([build(pathlib.Path(place), mutant, engine), "-tce=*order*,*membarrier*", "-aa=1"], capture_output=True, text=True)
        if run.returncode == 0:
            return ""
        lines = [line.strip() for line in run.stdout.splitlines() if ": deadlock:" in line or ": assertion:" in line
                 or ": livelock:" in line or ": use after free:" in line or ": data race:" in line]
        if lines:
            return lines[0].removeprefix("logged: ")
        # A run into the engine's own limit says nothing of the step.
        return "" if ": limit:" in run.stdout else f"the model ended with {run.returncode}"


def engine_objects(place: str) -> list[str]:
    objects = []
    for source in sorted((ROOT / "tests/model/engine").glob("*.cpp")):
        objects.append(f"{place}/{source.stem}.o")
        subprocess.run([*COMPILE, "-O2", *(f"-I{ROOT / i}" for i in INCLUDE), "-c", str(source), "-o", objects[-1]], check=True)
    return objects


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="the mutants whose name contains this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="builds nothing: asks whether each step is still in the sources once")
    options = parser.parse_args()
    mutants = tomllib.loads((ROOT / "tests/model/mutants.toml").read_text())["mutant"]
    if options.check:
        check(mutants)
        return 0
    mutants = [m for m in mutants if options.only is None or options.only in m["name"]]
    missed = 0
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        engine = engine_objects(place)
        for mutant, how in zip(mutants, pool.map(lambda m: caught(m, engine), mutants)):
            missed += how == ""
            print(f"{mutant['name']:<50} {how or 'NOT NOTICED'}", flush=True)
    print(f"mutants: {len(mutants)}, not noticed: {missed}")
    return 1 if missed or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
