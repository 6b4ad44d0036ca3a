"use strict";
const root = document.documentElement;
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
// The browser test reads this: how many drawings really take up room, and whether anything is wider than the page.
const drawn = [...document.querySelectorAll("svg.chart")].filter((svg) => {
  const box = svg.getBoundingClientRect();
  return box.width > 200 && box.height > 100;
});
root.dataset.drawn = String(drawn.length);
// How many labels of a drawing lie upon each other or outside of it.
const clashes = drawn.map((svg) => {
  const frame = svg.getBoundingClientRect();
  const boxes = [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
  const outside = boxes.filter((b) => b.left < frame.left - 1 || b.right > frame.right + 1 || b.bottom > frame.bottom + 1);
  const upon = boxes.filter((a, i) => boxes.some((b, j) => j < i && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.35 * a.height));
  return outside.length + upon.length;
});
root.dataset.clashes = clashes.join(",");
root.dataset.fits = String(root.scrollWidth <= root.clientWidth);
