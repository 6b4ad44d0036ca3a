#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the scenes of this folder: make_scene.py spiral|knot > scenes/NAME.scene

spiral  1500 glossy spheres in a sunflower's order on a rippled dish, chrome balls above it, checker floor
knot    a tessellated torus knot (smooth normals), a ring of spheres, a mirror behind
"""
import colorsys
import math
import sys

GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))


def number(v):
    text = f"{v:.4f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


def line(*words):
    print(*(w if isinstance(w, str) else number(w) for w in words))


def hue(h, saturation=0.75, value=0.9):
    """A colour of the wheel; squared, because scene colours are linear."""
    return [c * c for c in colorsys.hsv_to_rgb(h % 1, saturation, value)]


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def scaled(a, s):
    return [x * s for x in a]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    return scaled(a, 1 / math.sqrt(sum(x * x for x in a)))


def header(title, camera, fog):
    print(f"# {title}\n# made by make_scene.py; the format is described in ../README.md")
    print("image 1920 1080")
    line("camera", *camera)
    line("fog", fog)


def spiral():
    header("Sunflower spiral: 1500 spheres on a rippled dish", [0, 12, -27.5, 0, 0.9, -1.2, 35], 140)
    print("background 0.62 0.74 0.88  0.07 0.17 0.45")
    print("ambient 0.16 0.18 0.24")
    print("light -18 24 -10  1.00 0.94 0.82  1.6")
    print("light 22 16 -16  0.16 0.20 0.30  1.2")
    print("light 4 20 22  0.30 0.25 0.20  1.2")
    print("material floor 0.50 0.50 0.52 diffuse 0.85 specular 0.05 fresnel 0.30 reflect 0.08 checker 2 0.025 0.03 0.045")
    print("material chrome 0.92 0.93 0.95 diffuse 0.08 specular 0.9 shininess 300 reflect 0.86 fresnel 0.1")
    print("material gold 1 0.58 0.10 diffuse 0.35 specular 0.9 shininess 150 reflect 0.65 fresnel 0.15")
    shades = 60
    for i in range(shades):
        line("material", f"shade{i}", *hue(0.5 + 0.64 * i / shades, 0.85, 0.9), "diffuse 0.85 specular 0.8 shininess 160",
             "reflect 0.05 fresnel 0.3")
    print("plane floor 0 0 0  0 1 0")
    count = 1500
    for i in range(1, count + 1):
        share = i / count
        r = 11.2 * math.sqrt(share)
        if r < 1.75:
            continue
        a = i * GOLDEN_ANGLE
        radius = 0.145 + 0.115 * math.sqrt(share)
        height = radius + 0.75 * (1 + math.cos(r * 1.25)) * math.exp(-((r / 9) ** 2))
        line("sphere", f"shade{int(share * (shades - 1))}", r * math.cos(a), height, r * math.sin(a), radius)
    print("sphere chrome 0 2.9 0 1.75")
    for k in range(8):
        a = 2 * math.pi * (k + 0.5) / 8
        line("sphere", "gold" if k % 2 else "chrome", 13.6 * math.cos(a), 0.8, 13.6 * math.sin(a), 0.8)


def knot_point(t, p=2, q=3):
    r = 2.6 + 1.15 * math.cos(q * t)
    return [r * math.cos(p * t), 4.15 + r * math.sin(p * t), 1.3 * math.sin(q * t)]


def knot():
    along, around, thickness = 200, 14, 0.62
    header("Torus knot: 5600 triangles before a mirror", [4.6, 5.4, -15.5, 0.1, 3.75, 0, 36], 110)
    print("background 0.80 0.60 0.45  0.10 0.17 0.40")
    print("ambient 0.15 0.15 0.19")
    print("light -9 15 -12  0.98 0.90 0.80  1.2")
    print("light 14 12 -9  0.26 0.30 0.42  1")
    print("light 0 18 -2  0.25 0.22 0.20  1")
    print("material floor 0.42 0.40 0.38 diffuse 0.85 specular 0.1 reflect 0.14 fresnel 0.35 checker 1.5 0.02 0.024 0.032")
    print("material mirror 0.88 0.92 0.94 diffuse 0.04 specular 0.3 shininess 400 reflect 0.88")
    print("material frame 0.30 0.16 0.07 diffuse 0.8 specular 0.5 shininess 60 reflect 0.04 fresnel 0.3")
    print("material chrome 0.92 0.93 0.95 diffuse 0.06 specular 0.9 shininess 300 reflect 0.88 fresnel 0.08")
    bands = 100
    for i in range(bands):
        line("material", f"band{i}", *hue(i / bands, 0.82, 0.92), "diffuse 0.85 specular 0.8 shininess 90",
             "reflect 0.07 fresnel 0.3")
    print("plane floor 0 0 0  0 1 0")
    # The mirror stands behind the knot, in a frame of four beams.
    left, right, low, high, back, beam = -8.5, 8.5, 0.35, 9.6, 6, 0.35
    print("vertex", left, low, back, "\nvertex", right, low, back, "\nvertex", right, high, back, "\nvertex", left, high, back)
    print("face mirror 1 2 3 4")
    used = 4
    for x0, x1, y0, y1 in ((left - beam, left, 0, high + beam), (right, right + beam, 0, high + beam),
                           (left, right, 0, low), (left, right, high, high + beam)):
        z0, z1 = back - 0.3, back + 0.2
        for x, y, z in ((x0, y0, z0), (x1, y0, z0), (x1, y1, z0), (x0, y1, z0),
                        (x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)):
            line("vertex", x, y, z)
        for corners in ((1, 2, 3, 4), (5, 6, 7, 8), (1, 4, 8, 5), (2, 3, 7, 6), (1, 2, 6, 5), (4, 3, 7, 8)):
            line("face frame", *(str(used + c) for c in corners))
        used += 8
    first = used
    for i in range(along):
        t = 2 * math.pi * i / along
        here, step = knot_point(t), 1e-3
        tangent = unit(sub(knot_point(t + step), knot_point(t - step)))
        # The knot never runs along the z axis, so that the axis can serve to lay out the tube's cross-section.
        side = unit(cross(tangent, [0, 0, 1]))
        other = cross(side, tangent)
        for k in range(around):
            a = 2 * math.pi * k / around
            normal = add(scaled(side, math.cos(a)), scaled(other, math.sin(a)))
            line("vertex", *add(here, scaled(normal, thickness)), *normal)
    for i in range(along):
        for k in range(around):
            corners = (i * around + k, (i + 1) % along * around + k,
                       (i + 1) % along * around + (k + 1) % around, i * around + (k + 1) % around)
            line("face", f"band{i * bands // along}", *(str(first + 1 + c) for c in corners))
    balls = 36
    for k in range(balls):
        a = 2 * math.pi * k / balls
        radius = 0.42 if k % 3 == 0 else 0.24
        line("sphere", "chrome" if k % 3 == 0 else f"band{k * bands // balls}",
             6.0 * math.cos(a), radius, 4.2 * math.sin(a), radius)


if __name__ == "__main__":
    scenes = {"spiral": spiral, "knot": knot}
    if len(sys.argv) != 2 or sys.argv[1] not in scenes:
        sys.exit("usage: make_scene.py " + "|".join(scenes))
    scenes[sys.argv[1]]()
