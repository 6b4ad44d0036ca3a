# SPDX-License-Identifier: Apache-2.0
"""What a reader must know of a machine to interpret how something scales on it: its nodes, cores, caches, quota, clock."""
import os
import pathlib


def read(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def distinct(sysfs, what, processors):
    return {text for cpu in processors if (text := read(sysfs / f"devices/system/cpu/cpu{cpu}/{what}"))}


def nodes(sysfs):
    """The processors of each NUMA node, as the kernel writes them."""
    folders = sorted((sysfs / "devices/system/node").glob("node[0-9]*"), key=lambda folder: int(folder.name[4:]))
    return {folder.name: read(folder / "cpulist") for folder in folders}


def quota(root):
    files = (root / "sys/fs/cgroup/cpu.max", root / "sys/fs/cgroup/cpu/cpu.cfs_quota_us")
    return next((text for file in files if (text := read(file))), "unknown")


def facts(root="/"):
    root = pathlib.Path(root)
    sysfs = root / "sys"
    processors = sorted(os.sched_getaffinity(0)) if str(root) == "/" else list(range(len(list((sysfs / "devices/system/cpu").glob("cpu[0-9]*")))))
    cores = distinct(sysfs, "topology/core_cpus_list", processors)
    caches = distinct(sysfs, "cache/index3/shared_cpu_list", processors)
    return {
        "processors": len(processors),
        "cores": len(cores) or len(processors),
        "packages": len(distinct(sysfs, "topology/physical_package_id", processors)) or 1,
        "third-level caches": len(caches),
        "NUMA nodes": "; ".join(f"{name}: {cpus}" for name, cpus in nodes(sysfs).items()) or "unknown",
        "slower cores": read(sysfs / "devices/cpu_atom/cpus") or "none known",
        "clock governor": ", ".join(sorted(distinct(sysfs, "cpufreq/scaling_governor", processors))) or "unknown",
        "CPU quota": quota(root),
    }
