# SPDX-License-Identifier: Apache-2.0
"""Flexbar: adapters taken from 300,000 reads."""
import hashlib
import pathlib
import random

import client_task

READS, READ = 300_000, 100
ADAPTERS = ("AGATCGGAAGAGCACACGTCTGAACTCCAGTCA", "CTGTCTCTTATACACATCTCCGAGCCCACGAGAC")


def prepare(folder):
    generator, folder = random.Random(1), pathlib.Path(folder)
    with open(folder / "reads.fq", "w", encoding="ascii") as file:
        for i in range(READS * client_task.times()):
            length = generator.randrange(30, READ)
            text = ("".join(generator.choices("ACGT", k=length)) + generator.choice(ADAPTERS) + "A" * READ)[:READ]
            file.write(f"@r{i}\n{text}\n+\n{'I' * READ}\n")
    (folder / "adapters.fa").write_text("".join(f">a{i}\n{text}\n" for i, text in enumerate(ADAPTERS)), encoding="ascii")


def run(folder):
    folder = pathlib.Path(folder)
    client_task.command("flexbar", "-r", folder / "reads.fq", "-a", folder / "adapters.fa", "-n", 2, "-t", folder / "trimmed")
    print(hashlib.sha256(b"".join(sorted((folder / "trimmed.fastq").read_bytes().split(b"@r")))).hexdigest())


client_task.client(run, prepare)
