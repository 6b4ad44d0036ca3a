# SPDX-License-Identifier: Apache-2.0
"""How far a measurement is and how long it will still take, on a terminal as a bar that is redrawn, else as a line per
tenth of the way."""
import sys
import time

WIDTH = 24


def duration(seconds):
    """A length of time as people say it."""
    seconds = max(0, round(seconds))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"


class Bar:
    def __init__(self, stream=None, clock=time.monotonic):
        self.stream = stream or sys.stderr
        self.clock = clock
        self.total = 0
        self.first = None              # (time, runs done) when the first run began
        self.told = 0                  # tenths of the way that were printed without a terminal

    def left(self, done):
        """Seconds to go at the speed so far, or None."""
        if self.first is None or done <= self.first[1]:
            return None
        return (self.clock() - self.first[0]) / (done - self.first[1]) * (self.total - done)

    def line(self, text, done):
        if done is None or not self.total:
            return text
        part = min(1.0, done / self.total)
        full = round(part * WIDTH)
        left = self.left(done)
        return (f"{'█' * full}{'░' * (WIDTH - full)} {100 * part:3.0f} %"
                + (f", {duration(left)} left" if left is not None else "") + f"  {text}")

    def __call__(self, text, done=None):
        if done is not None and self.first is None:
            self.first = (self.clock(), done)
        if self.stream.isatty():
            print(f"\r\033[K{self.line(text, done)}", end="", file=self.stream, flush=True)
        elif done is not None and self.total and 10 * done // self.total > self.told:
            self.told = 10 * done // self.total
            print(self.line(text, done), file=self.stream, flush=True)

    def end(self):
        if self.stream.isatty():
            print("\r\033[K", end="", file=self.stream, flush=True)
