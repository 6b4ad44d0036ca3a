# SPDX-License-Identifier: Apache-2.0
"""Command lines whose mistakes are told in one line."""
import argparse


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message}; --help explains\n")
