# SPDX-License-Identifier: Apache-2.0
"""salmon: an index of 3000 random transcripts, and the abundances behind 200,000 reads of them."""
import pathlib
import random

import client_task

TRANSCRIPTS, LENGTH, READS, READ = 3000, 1000, 200_000, 75


def prepare(folder):
    folder, generator = pathlib.Path(folder), random.Random(1)
    texts = ["".join(generator.choices("ACGT", k=LENGTH)) for _ in range(TRANSCRIPTS)]
    with open(folder / "transcripts.fa", "w", encoding="ascii") as file:
        file.writelines(f">t{i}\n{text}\n" for i, text in enumerate(texts))
    with open(folder / "reads.fq", "w", encoding="ascii") as file:
        for i in range(READS):
            text, at = texts[int(TRANSCRIPTS * generator.random() ** 2)], generator.randrange(LENGTH - READ)
            file.write(f"@r{i}\n{text[at:at + READ]}\n+\n{'I' * READ}\n")
    client_task.command("salmon", "index", "-t", folder / "transcripts.fa", "-i", folder / "index", "-k", 31, "-p", 2)


def run(folder):
    folder = pathlib.Path(folder)
    client_task.command("salmon", "quant", "-i", folder / "index", "-l", "U", "-r", folder / "reads.fq", "-o", folder / "quant", "-p", 2)
    # How the threads share the reads decides on the last digits.
    with open(folder / "quant" / "quant.sf", encoding="ascii") as file:
        counts = [float(line.split()[4]) for line in list(file)[1:]]
    print(len(counts), round(sum(counts) / READS, 2), sum(count > 20 for count in counts) // 30)


client_task.client(run, prepare)
