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
root.dataset.fits = String(root.scrollWidth <= root.clientWidth);
