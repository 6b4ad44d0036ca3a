# SPDX-License-Identifier: Apache-2.0
"""Reports of the programs that have run so far, kept beside the result file until it is written.

The full sizes take hours; a run that was interrupted goes on with the first program that has no report. A report counts
only for the same commit, program arguments, library and round.
"""
import json


class Finished:
    def __init__(self, path, commit):
        self.path, self.commit, self.reports = path, commit, {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    entry = json.loads(line)
                    self.reports[entry["key"]] = entry["report"]
                except (ValueError, KeyError, TypeError):
                    continue  # the line that was being written when a run ended

    def _key(self, number, figure, library, arguments):
        return " ".join([self.commit, f"round {number} figure {figure} {library}", *arguments])

    def has(self, number, figure, library, arguments):
        return self._key(number, figure, library, arguments) in self.reports

    def report(self, number, figure, library, arguments, run):
        """The stored report, or what run() returns, which is stored."""
        key = self._key(number, figure, library, arguments)
        if key not in self.reports:
            self.reports[key] = run()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                print(json.dumps({"key": key, "report": self.reports[key]}), file=file)
        return self.reports[key]

    def of_this_commit(self):
        """How many reports count."""
        return sum(key.startswith(f"{self.commit} ") for key in self.reports)

    def discard(self):
        self.path.unlink(missing_ok=True)
