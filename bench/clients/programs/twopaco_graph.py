# SPDX-License-Identifier: Apache-2.0
"""TwoPaCo: the de Bruijn graph of six genomes that differ in a hundredth of their letters."""
import pathlib
import random

import client_task

LENGTH, GENOMES = 2_000_000 * client_task.times(), 6


def prepare(folder):
    generator = random.Random(1)
    first = generator.choices("ACGT", k=LENGTH)
    for genome in range(GENOMES):
        letters = list(first)
        for at in generator.sample(range(LENGTH), LENGTH // 100):
            letters[at] = generator.choice("ACGT")
        text = "".join(letters)
        with open(pathlib.Path(folder) / f"genome{genome}.fa", "w", encoding="ascii") as file:
            file.write(f">genome{genome}\n" + "\n".join(text[i:i + 80] for i in range(0, LENGTH, 80)) + "\n")


def run(folder):
    folder = pathlib.Path(folder)
    told = client_task.command("twopaco", "-k", 25, "-f", 28 + client_task.times().bit_length() - 1, "-t", 2, "--tmpdir", folder, "-o", folder / "graph.bin", *(folder / f"genome{i}.fa" for i in range(GENOMES)))
    # How many candidates of its Bloom filter were false changes from run to run.
    print(*(line.strip() for line in told.splitlines() if "True junctions" in line), (folder / "graph.bin").stat().st_size, sep="\n")


client_task.client(run, prepare)
