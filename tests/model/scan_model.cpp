// SPDX-License-Identifier: Apache-2.0
// The line of chunks of a parallel_scan: each chunk is scanned once, with the sum of everything left of it, the last
// sum is that of all, and every chunk and body is freed once. algo/scan_line.h is the real one; the threads are the
// scan's: each cuts a chunk, leaves the rest of the range to the next thread, and works on its chunk in one of the ways
// that parallel_scan.h has.
#include "scenes.h"

#include <ashlar/algo/scan_line.h>

#include <optional>

using namespace ashlar;

namespace {

enum class mistake {
  none,
  scans_early,  // whoever gives up waiting scans, ready or not
  no_join,      // a chunk that was summed up hands on its own sum
  keeps_prefix  // the last user of a body doesn't free it: the checker must see the leak
};
mistake wrong = mistake::none;

// The chunks that were added, as decimal digits from left to right.
struct body {
  model::var<int> sum{0};
  void add(int chunk) { sum.set(sum.get() * 10 + chunk); }
  void join(body const& left) {
    int scale = 1;
    while (scale <= sum.get()) scale *= 10;
    sum.set(left.sum.get() * scale + sum.get());
  }
};
using line = algo::scan_line<int, body>;
using chunk = line::chunk;

constexpr int most = 3;
int up_to(int chunk) { return chunk == 0 ? 0 : up_to(chunk - 1) * 10 + chunk; }

struct scene {
  body callers;
  line all{callers};
  model::var<int> scans[most + 1];
  int const chunks;

  explicit scene(int n) : chunks(n) { model::label(callers, "caller's body"); }

  // Final scans that nobody waits for are run by the thread that finds them, when it is through with its chunk.
  struct host {
    void join(chunk* c) {
      if (wrong != mistake::no_join) c->summary.body->join(*c->prefix.body);
    }
    void scan(chunk* c) {
      model::require(c->prefix.body != nullptr, "a chunk is scanned when its prefix has come");
      model::require(c->prefix.body->sum.get() == up_to(c->range - 1), "the prefix is what lies left of the chunk");
      c->prefix.body->add(c->range);
      of.scans[c->range].set(of.scans[c->range].get() + 1);
    }
    void scan_rear(chunk* c) {
      model::require(c->summary.body->sum.get() == up_to(c->range - 1), "the summary begins with the prefix");
      c->summary.body->add(c->range);
    }
    void scan_front(chunk* c) {
      model::require(c->prefix.body->sum.get() == up_to(c->range - 1), "the prefix stays what lies left of the chunk");
      of.scans[c->range].set(of.scans[c->range].get() + 1);
    }
    void scan_later(chunk* c) {
      c->waiting = later;
      later = c;
    }
    scene& of;
    chunk* later = nullptr;
  };

  void work_on(chunk* c) {
    host here{*this};
    if (line::has_prefix(c)) {
      line::scan_once(here, c);
    } else {
      sum_up(here, c);
    }
    while (here.later != nullptr) {
      chunk* const next = here.later;
      here.later = next->waiting;
      line::scan_again(here, next);
    }
  }
  static void sum_up(host& here, chunk* c) {
    c->summary = {new body, true};
    model::label(*c->summary.body, "body");
    if (line::has_prefix(c)) return line::scan_in_two(here, c);  // nothing is summed up yet: the front is empty
    c->summary.body->add(c->range);
    if (line::end_sum(here, c)) return;
    if (line::ready(c) || wrong == mistake::scans_early) return line::scan_again(here, c);
    line::give_up(here, c);
  }
  // A thread that got the walk before the chunk.
  void walk(int number) {
    chunk* const c = all.cut(number, 0);
    model::label(*c, "chunk");
    std::optional<model::thread> next;
    if (number < chunks) next.emplace("next", [this, number] { walk(number + 1); });
    work_on(c);
    if (next) next->join();
  }
  void run() {
    walk(1);
    auto const sum = all.end();
    model::require(sum.body->sum.get() == up_to(chunks), "the sum of all");
    model::require(sum.owned == (sum.body != &callers), "the caller's body is the caller's");
    if (sum.owned && wrong != mistake::keeps_prefix) delete sum.body;
    for (int i = 1; i <= chunks; ++i) model::require(scans[i].get() == 1, "each chunk is scanned once");
  }
};

void two_chunks() { scene(2).run(); }
void three_chunks() { scene(3).run(); }
constexpr model::scene scenes[] = {{"two chunks", two_chunks, -1}, {"three chunks", three_chunks, 3}};

bool finds(mistake m) {
  wrong = m;
  bool found = false;
  for (model::scene const& s : scenes) found = found || model::check_scene(s, {}).failed;
  wrong = mistake::none;
  return found;
}

}  // namespace

TEST_CASE("each chunk of a scan is scanned once with its prefix") { model::check_all(scenes); }

TEST_CASE("each order is needed") { model::check_each_order(scenes, {"include/ashlar/algo/scan_line.h"}); }

TEST_CASE("the model notices mistakes") {
  CHECK(finds(mistake::scans_early));
  CHECK(finds(mistake::no_join));
  CHECK(finds(mistake::keeps_prefix));
}
