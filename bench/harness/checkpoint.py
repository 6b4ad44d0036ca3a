# SPDX-License-Identifier: Apache-2.0
"""What a long measurement has so far, beside the result file, so that --resume can go on after an interruption."""
import dataclasses
import json
import time

import measure

EVERY_S = 5


class ResumeError(Exception):
    """One line: why the file can't be gone on with."""


def path_for(results):
    return results.with_name(results.name + ".partial")


def identity(facts):
    """What must be the same for rounds to be put together. Their number need not: a measurement may end with fewer rounds than it began
    for, or with more."""
    settings = {name: value for name, value in facts["settings"].items() if name != "rounds"}
    return {"suite": facts["suite"], "commit": facts["commit"], "machine": facts["machine"]["name"], "settings": settings, "peers": {n: p["version"] for n, p in facts["peers"].items()}}


class Checkpoint:
    def __init__(self, results, facts, clock=time.monotonic):
        self.path, self.identity, self.clock = path_for(results), identity(facts), clock
        self.last = None

    def save(self, cells, force=False):
        """At most every EVERY_S seconds; the file is replaced whole."""
        if not force and self.last is not None and self.clock() - self.last < EVERY_S:
            return
        self.last = self.clock()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.path.with_name(self.path.name + ".new")
        scratch.write_text(json.dumps({"identity": self.identity, "cells": [dataclasses.asdict(c) for c in cells]}),
                           encoding="utf-8")
        scratch.replace(self.path)

    def load(self):
        """The cells of the interrupted measurement."""
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            differing = [key for key, value in self.identity.items() if found["identity"][key] != json.loads(json.dumps(value))]
            cells = [measure.Cell(**cell) for cell in found["cells"]]
        except FileNotFoundError as error:
            raise ResumeError(f"nothing to resume: {self.path} does not exist") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ResumeError(f"{self.path} can't be resumed: {error}") from error
        if differing:
            raise ResumeError(f"{self.path} was measured with another {differing[0]}; measure anew without --resume")
        return cells

    def remove(self):
        self.path.unlink(missing_ok=True)
