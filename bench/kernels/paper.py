# SPDX-License-Identifier: Apache-2.0
"""Figures 6 to 9 of Kukanov and Voss, 'The Foundations for Scalable Multi-Core Software in Intel Threading Building Blocks' (2007):
which program each of them shows, and the speed-ups that the text tells (the bars have no printed values). What the paper
claims stands in bench/paper/papers/itj2007.toml. Measured there on two quad-core Xeon X5355.
"""
import dataclasses


@dataclasses.dataclass
class Figure:
    number: int
    kernel: str
    title: str
    # (setting, style, threads) -> the paper's words for the speed-up
    values: dict


FIGURES = {
    6: Figure(6, "fibonacci", "Fibonacci, by style and serial cutoff",
              {("cutoff 12", "TBB", 1): "0.93", ("cutoff 12", "TBB", 8): "7.2", ("cutoff 12", "TBB+CBR", 8): "7.4",
               ("cutoff 20", "TBB", 1): "1", ("cutoff 20", "TBB", 8): "nearly 8"}),
    7: Figure(7, "parallel_for", "parallel_for with an empty body, by style and grain",
              {("grain 100", "TBB", 1): "0.15", ("grain 100", "TBB", 8): "1.19", ("grain 100", "TBB+CBR", 8): "1.34",
               ("grain 10000000", "TBB", 1): "about 1", ("grain 10000000", "TBB+CBR", 8): "close to 8"}),
    8: Figure(8, "sub_string_finder", "sub_string_finder, by style and grain",
              {("grain 100", "TBB+CBR", 8): "close to 8", ("grain 1", "TBB+CBR", 8): "close to 8"}),
    9: Figure(9, "ray_tracer", "ray tracer (the paper: tacheon), by style and grain", {("grain 50", "TBB+CBR", 8): "7.7"}),
}
