# SPDX-License-Identifier: Apache-2.0
"""Joules of the processors' packages, where the machine counts them (RAPL, told by Linux in /sys/class/powercap). Most virtual
machines don't, and most systems let only root read them."""
import pathlib
import re

FOLDER = pathlib.Path("/sys/class/powercap")
NONE = "no energy counters could be read (/sys/class/powercap)"


def number(path):
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def packages(folder=FOLDER):
    """Microjoules of each package so far and where its counter begins again; parts of packages are in these."""
    found = {}
    for zone in sorted(folder.glob("*")) if folder.is_dir() else []:
        count, most = number(zone / "energy_uj"), number(zone / "max_energy_range_uj")
        if re.fullmatch(r"intel-rapl:\d+", zone.name) and count is not None and most is not None:
            found[zone.name] = (count, most)
    return found


def joules(before, after):
    """What was used between two readings; None if there is no counter, or not the same ones. A counter that has become less has begun
    again once: after some minutes at full load."""
    if not before or before.keys() != after.keys():
        return None
    total = 0
    for name, (count, most) in before.items():
        used = after[name][0] - count
        total += used if used >= 0 else used + most + 1
    return total / 1e6
