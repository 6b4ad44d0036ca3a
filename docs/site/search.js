// SPDX-License-Identifier: Apache-2.0
// What the site's search finds: node search.js SITE, with one query on each line of the input; prints for each query a line with a JSON list of the
// pages, best first. It runs the scripts by which a browser searches, with a stand-in for the few things of the browser that they touch.
const fs = require("fs"), path = require("path"), vm = require("vm");

const site = process.argv[2];
const browser = vm.createContext({
  document: { getElementById: () => ({ lastChild: null }) }, localStorage: { setItem() {} }, location: { search: "" }, URLSearchParams,
  SPHINX_HIGHLIGHT_ENABLED: false, _ready() {}, _: (text) => text,
});
browser.window = browser;
for (const script of ["_static/documentation_options.js", "_static/language_data.js", "_static/searchtools.js", "searchindex.js"]) {
  vm.runInContext(fs.readFileSync(path.join(site, script), "utf8"), browser, { filename: script });
}
for (const query of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  browser.query = query;
  browser.location.search = `?q=${encodeURIComponent(query)}`;
  const found = vm.runInContext("Search._performSearch(...Search._parseQuery(query)).reverse()", browser);
  console.log(JSON.stringify([...new Set(found.map((result) => result[0]))]));
}
