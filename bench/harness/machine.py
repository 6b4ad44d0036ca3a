# SPDX-License-Identifier: Apache-2.0
"""What a result has to say about the machine it was measured on."""
import os
import pathlib
import platform
import re


def _read(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def cpu_field(cpuinfo, name):
    match = re.search(rf"^{re.escape(name)}\s*:\s*(.*)$", cpuinfo, re.MULTILINE)
    return match.group(1).strip() if match else ""


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def facts(cpuinfo=None, cmdline=None):
    cpuinfo = _read("/proc/cpuinfo") if cpuinfo is None else cpuinfo
    cmdline = _read("/proc/cmdline") if cmdline is None else cmdline
    flags = cpu_field(cpuinfo, "flags").split()
    memory = re.search(r"MemTotal:\s*(\d+)", _read("/proc/meminfo"))
    found = {
        "cpu": cpu_field(cpuinfo, "model name"),
        "family": cpu_field(cpuinfo, "cpu family"),
        "model": cpu_field(cpuinfo, "model"),
        "cpus": len(os.sched_getaffinity(0)),
        "virtual": "hypervisor" in flags,
        "memory_kib": int(memory.group(1)) if memory else 0,
        "kernel": platform.release(),
        "libc": " ".join(platform.libc_ver()),
        # Some kernels put a woken thread on the waker's CPU even when another one idles; see bench/README.md.
        "packs_threads": "sched_vcpu_pack" in cmdline,
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else [],
    }
    found["name"] = slug(f"{found['cpu']} f{found['family']} {found['cpus']}cpu" + (" vm" if found["virtual"] else ""))
    return found
