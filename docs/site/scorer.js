// SPDX-License-Identifier: Apache-2.0
// How the search orders what it finds: a public name by its page, then what is written for users, then the rest. Sphinx's searchtools.js asks it.
var Scorer = {
  // A name that holds the query, and what kinds of entities get besides; searchtools.js takes a qualified C++ name for one word.
  objNameMatch: 6, objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  // The query in a title or in the text, and a part of it.
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  // The pages, by how their names begin: the first that fits. Texts for users go before those for who reads or measures the code.
  pages: [
    ["docs/guide/how_do_i", 1.0, 12],
    [/^docs\/guide\/(how_it_works|add_|port|needs|conventions)/, 0.2, 0],
    [/^docs\/(guide\/|flow_graph|debugging|drop_in|composability|environment|memory|tracing|progress|compatibility)/, 1.0, 8],
    [/^reference\/header_/, 0.2, 0],
    ["reference/", 1.0, 0],
    [/^(docs\/(decisions|study|differences|peer_tests|mechanisms|reliability|releases)|bench|src|sim|ARCHITECTURE|CHANGELOG|CONTRIBUTING)/, 0.05, 0],
  ],
  // Is the entity's name what was asked for? One with a page of its own goes before members of that name.
  named(entity, page) {
    const asked = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase().replace(/\(\)$/, ""), name = entity.toLowerCase();
    return asked && (name === asked || name.endsWith(`::${asked}`)) ? (page === `reference/${entity.replace(/\W+/g, "_")}` ? 60 : 4) : 0;
  },
  score([page, title, anchor, description, score, file, kind]) {
    if (kind === "object") score += this.named(title, page);
    const found = this.pages.find(([name]) => (name instanceof RegExp ? name.test(page) : page.startsWith(name)));
    return found ? score * found[1] + found[2] : score;
  },
};
