# SPDX-License-Identifier: Apache-2.0
"""PrusaSlicer: a bumpy ball of 80,000 triangles, made into G-code."""
import math
import pathlib
import re
import struct

import client_task


def prepare(folder):
    n = 200

    def corner(i, j):
        a, b = math.pi * i / n, 2 * math.pi * j / n
        r = 25 + 1.5 * math.sin(9 * a) * math.sin(8 * b)
        return r * math.sin(a) * math.cos(b), r * math.sin(a) * math.sin(b), r * math.cos(a)
    faces = []
    for i in range(n):
        for j in range(n):
            p, q, r, s = corner(i, j), corner(i + 1, j), corner(i + 1, (j + 1) % n), corner(i, (j + 1) % n)
            faces += [(p, q, r)] * (i + 1 < n) + [(p, r, s)] * (i > 0)
    with open(pathlib.Path(folder) / "ball.stl", "wb") as file:
        file.write(bytes(80) + struct.pack("<I", len(faces)))
        for face in faces:
            file.write(struct.pack("<12fH", 0, 0, 0, *(value for point in face for value in point), 0))


def run(folder):
    folder = pathlib.Path(folder)
    client_task.command("prusa-slicer", "--datadir", folder / "data", "--export-gcode", "--support-material", "--fill-density", "25%",
                     "-o", folder / "ball.gcode", folder / "ball.stl")
    text = (folder / "ball.gcode").read_text(encoding="utf-8", errors="replace")
    # The number of moves changes by a few from run to run, with oneTBB's library, too.
    print(len(re.findall(r"^;LAYER_CHANGE", text, re.M)), round(float(re.search(r"filament used \[mm\] = ([0-9.]+)", text)[1])))


client_task.client(run, prepare)
