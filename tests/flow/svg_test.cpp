// SPDX-License-Identifier: Apache-2.0
// A graph's drawing as an SVG image. Ours only: no TBB has it.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include "support/death.h"
#include "support/eventually.h"
#include "support/xml.h"

#include <tbb/profiling.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace test;
using namespace tbb::flow;

struct box {
  std::string kind;  // its class
  long left, top, right, bottom;
  std::vector<std::string> lines;
};
struct line {
  long from_x, from_y, to_x, to_y;
  bool back, pulled;
};

// What a drawing shows.
class image {
 public:
  explicit image(graph& g) {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* const to = open_memstream(&text, &size);
    REQUIRE(to != nullptr);
    g.svg(to);
    std::fclose(to);
    std::string const all(text, size);
    std::free(text);
    read(all);
  }
  explicit image(std::string const& document) { read(document); }

  box const& with_name(std::string const& name) const {
    auto const at = std::find_if(boxes.begin(), boxes.end(), [&](box const& b) { return b.lines.at(0) == name; });
    if (at == boxes.end()) throw std::runtime_error("there is no box " + name);
    return *at;
  }
  // The edges from one box to another.
  std::vector<line> between(box const& from, box const& to) const {
    std::vector<line> found;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(found), [&](line const& l) {
      return l.from_x == from.right && l.from_y > from.top && l.from_y < from.bottom && l.to_x == to.left &&
             l.to_y > to.top && l.to_y < to.bottom;
    });
    return found;
  }
  std::size_t backs() const {
    return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [](line const& l) { return l.back; }));
  }

  std::string title;
  std::vector<box> boxes;
  std::vector<line> lines;
  std::vector<std::string> labels;   // of edges
  std::vector<std::string> refused;  // those of what was refused
  std::vector<std::string> ports;

 private:
  void read(std::string const& document) {
    std::vector<xml_element> const all = xml_reader::read(document);
    REQUIRE(all.at(0).name == "svg");
    REQUIRE(all[0].attributes.at("xmlns") == "http://www.w3.org/2000/svg");
    long x, y, width, height;
    REQUIRE(std::sscanf(all[0].attributes.at("viewBox").c_str(), "%ld %ld %ld %ld", &x, &y, &width, &height) == 4);
    for (xml_element const& e : all) {
      if (e.name == "title") title = e.text;
      if (e.name == "g") boxes.push_back({e.attributes.at("class"), 0, 0, 0, 0, {}});
      if (e.name == "rect" && !e.inside.empty()) {
        box& b = boxes.back();
        b.left = e.number("x");
        b.top = e.number("y");
        b.right = b.left + e.number("width");
        b.bottom = b.top + e.number("height");
        CHECK(b.left >= x);
        CHECK(b.top >= y);
        CHECK(b.right <= x + width);
        CHECK(b.bottom <= y + height);
      }
      if (e.name == "text") read_text(e);
      if (e.name == "path" && e.has_class("edge")) read_line(e);
    }
  }
  void read_text(xml_element const& e) {
    if (!e.inside.empty()) {
      box& b = boxes.back();
      b.lines.push_back(e.text);
      CHECK(e.number("x") >= b.left);
      CHECK(e.number("y") <= b.bottom);
    } else if (e.has_class("port")) {
      ports.push_back(e.text);
    } else {
      (e.has_class("refused") ? refused : labels).push_back(e.text);
    }
  }
  void read_line(xml_element const& e) {
    line l{0, 0, 0, 0, e.has_class("back"), e.has_class("pulled")};
    std::string const& d = e.attributes.at("d");
    REQUIRE(std::sscanf(d.c_str(), "M%ld %ldC%*d %*d %*d %*d %ld %ld", &l.from_x, &l.from_y, &l.to_x, &l.to_y) == 4);
    lines.push_back(l);
  }
};

bool overlap(box const& a, box const& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
void check_boxes_apart(image const& i) {
  std::size_t overlaps = 0;
  for (std::size_t a = 0; a < i.boxes.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) overlaps += overlap(i.boxes[a], i.boxes[b]);
  }
  CHECK(overlaps == 0);
}

using lines = std::vector<std::string>;
constexpr auto same = [](int x) { return x; };
using pass = function_node<int, int>;

TEST_CASE("an image has the nodes, the edges and their counts") {
  graph g;
  pass first(g, unlimited, same);
  queue_node<int> second(g);
  function_node<int, continue_msg, rejecting> third(g, serial, [](int) { return continue_msg(); });
  join_node<std::tuple<int, int>> pairs(g);
  tbb::profiling::set_name(g, "the graph");
  tbb::profiling::set_name(first, "first");
  make_edge(first, second);
  make_edge(second, third);
  make_edge(first, input_port<1>(pairs));
  CHECK(image(g).labels.empty());
  g.count_messages();
  for (int i = 0; i < 5; ++i) {
    first.try_put(i);
    g.wait_for_all();
  }
  image const i(g);
  CHECK(i.title == "the graph");
  REQUIRE(i.boxes.size() == 4);
  CHECK(i.with_name("first").lines == lines{"first", "function_node", "unlimited"});
  CHECK(i.with_name("queue_node 1").lines == lines{"queue_node 1"});
  CHECK(i.with_name("function_node 2").lines == lines{"function_node 2", "limit 1"});
  box const& join = i.with_name("join_node 3");
  CHECK(join.lines == lines{"join_node 3", "queued 5", "port 0 has 0 messages", "port 1 has 5 messages"});
  CHECK(join.kind == "node active");
  CHECK(i.lines.size() == 3);
  CHECK(i.between(i.with_name("first"), i.with_name("queue_node 1")).size() == 1);
  CHECK(i.between(i.with_name("queue_node 1"), i.with_name("function_node 2")).size() == 1);
  CHECK(i.between(i.with_name("first"), join).size() == 1);
  CHECK(i.labels == lines{"5", "5", "5"});
  CHECK(i.refused.empty());
  CHECK(i.ports == lines{"1"});
  CHECK(i.backs() == 0);
  check_boxes_apart(i);
}

TEST_CASE("bodies that run, messages that wait, refusals and pulled edges are in the image") {
  with_threads(2, [] {
    graph g;
    std::atomic<bool> may_end{false}, began{false};
    queue_node<int> queue(g);
    function_node<int, continue_msg, rejecting> slow(g, serial, [&](int) {
      began = true;
      while (!may_end) std::this_thread::yield();
      return continue_msg();
    });
    make_edge(queue, slow);
    g.count_messages();
    std::thread other([&] {
      queue.try_put(1);
      g.wait_for_all();
    });
    CHECK(eventually([&] { return began.load(); }));
    queue.try_put(2);
    queue.try_put(3);
    image const i(g);
    CHECK(i.with_name("queue_node 0").lines == lines{"queue_node 0", "queued 2"});
    CHECK(i.with_name("function_node 1").lines == lines{"function_node 1", "limit 1", "busy 1"});
    CHECK(i.with_name("function_node 1").kind == "node active");
    REQUIRE(i.lines.size() == 1);
    CHECK(i.lines[0].pulled);
    CHECK(i.labels == lines{"1"});
    CHECK(i.refused == lines{"refused 1"});
    may_end = true;
    other.join();
    g.wait_for_all();
  });
}

TEST_CASE("an empty graph, and one whose nodes have no edges") {
  graph g;
  CHECK(image(g).boxes.empty());
  CHECK(image(g).title == "graph");
  pass alone(g, unlimited, same);
  composite_node<std::tuple<int>, std::tuple<int>> shell(g);
  image const i(g);
  CHECK(i.boxes.size() == 2);
  CHECK(i.with_name("composite_node 1").lines.size() == 1);
  CHECK(i.lines.empty());
  check_boxes_apart(i);
}

TEST_CASE("what leads back in a loop is an arc, and all else goes to the right") {
  graph g;
  std::vector<std::unique_ptr<pass>> nodes;
  for (int n = 0; n < 6; ++n) nodes.push_back(std::make_unique<pass>(g, unlimited, same));
  // 0 -> 1 -> 2 -> 3 -> 1, 3 -> 4, 4 -> 4, and 5, whose loop with itself has no way in
  constexpr std::size_t edges[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}, {4, 4}, {5, 5}};
  for (auto const& e : edges) make_edge(*nodes[e[0]], *nodes[e[1]]);
  image const i(g);
  check_boxes_apart(i);
  CHECK(i.lines.size() == 7);
  CHECK(i.backs() == 3);
  for (line const& l : i.lines) CHECK((l.to_x > l.from_x) != l.back);
  auto const named = [&](int n) -> box const& { return i.with_name("function_node " + std::to_string(n)); };
  REQUIRE(i.between(named(3), named(1)).size() == 1);
  CHECK(i.between(named(3), named(1))[0].back);
  REQUIRE(i.between(named(4), named(4)).size() == 1);
  CHECK(i.between(named(4), named(4))[0].back);
}

TEST_CASE("names of any text stay within their boxes") {
  graph g;
  pass strange(g, unlimited, same), broken(g, unlimited, same), several(g, unlimited, same), wide(g, unlimited, same);
  tbb::profiling::set_name(g, "<a> & \"b\"");
  tbb::profiling::set_name(strange, "</text><script>&amp;'\x01");
  tbb::profiling::set_name(broken, "\xC3\xA9 \xE2\x82\xAC \xFF \xC3 \xC0\x80 \xED\xA0\x80 \xF0\x9F\x98\x80 \xE2\x82");
  tbb::profiling::set_name(several, "above\nbelow");
  tbb::profiling::set_name(wide, "a name with so many words that the box would be wider than a column should be");
  image const i(g);
  CHECK(i.title == "<a> & \"b\"");
  CHECK(i.with_name("</text><script>&amp;'\xEF\xBF\xBD").lines.size() == 3);
  std::string const bad = "\xEF\xBF\xBD";
  i.with_name("\xC3\xA9 \xE2\x82\xAC " + bad + ' ' + bad + ' ' + bad + bad + ' ' + bad + bad + bad +
              " \xF0\x9F\x98\x80 " + bad + bad);
  CHECK(i.with_name("above").lines == lines{"above", "below", "function_node", "unlimited"});
  box const& b = i.with_name("a name with so many words that the box would");
  CHECK(b.lines == lines{"a name with so many words that the box would", "be wider than a column should be",
                         "function_node", "unlimited"});
  CHECK(b.right - b.left < 400);
}

// A receiver and a sender of the program's own.
struct taker : receiver<int> {
  explicit taker(graph& g) : its(g) {}
  graph_task* try_put_task(int const&) override { return nullptr; }
  graph& graph_reference() const override { return its; }
  graph& its;
};
struct giver : sender<int> {
  bool register_successor(successor_type&) override { return true; }
  bool remove_successor(successor_type&) override { return true; }
};

TEST_CASE("what is not in the graph has boxes, too, and sources that nobody activated are marked") {
  graph g;
  test::source<int> begin(g, [](int&) { return false; });
  tbb::profiling::set_name(begin, "begin");
  broadcast_node<int> all(g);
  taker one(g), two(g);
  make_edge(begin, all);
  make_edge(all, one);
  make_edge(all, two);
  limiter_node<int> limit(g, 1);
  giver outside;
  limit.register_predecessor(outside);
  image const i(g);
  CHECK(i.boxes.size() == 6);
  CHECK(i.with_name("begin").kind == "node wrong");
  CHECK(i.between(i.with_name("sender of the program"), i.with_name("limiter_node 2")).size() == 1);
  CHECK(std::count_if(i.boxes.begin(), i.boxes.end(),
                      [](box const& b) { return b.lines[0] == "receiver of the program"; }) == 2);
  check_boxes_apart(i);
  all.remove_successor(one);
  all.remove_successor(two);
  limit.remove_predecessor(outside);
}

TEST_CASE("an image of a thousand nodes is drawn at once, whatever their edges") {
  constexpr std::size_t number = 1000;
  struct shape {
    char const* name;
    std::size_t (*successor)(std::size_t node, std::size_t edge);
    std::size_t edges;
  };
  shape const shapes[] = {
      {"chain", [](std::size_t n, std::size_t) { return n + 1; }, 1},
      {"loop", [](std::size_t n, std::size_t) { return (n + 1) % number; }, 1},
      {"star", [](std::size_t n, std::size_t) { return n == 0 ? number : std::size_t{0}; }, 1},
      {"layers", [](std::size_t n, std::size_t e) { return (n / 100 + 1) * 100 + (n * 7 + e * 13) % 100; }, 8},
      {"everywhere", [](std::size_t n, std::size_t e) { return (n * 31 + e * 467 + 1) % number; }, 8}};
  for (shape const& s : shapes) {
    CAPTURE(s.name);
    graph g;
    std::vector<std::unique_ptr<pass>> nodes;
    for (std::size_t n = 0; n < number; ++n) nodes.push_back(std::make_unique<pass>(g, unlimited, same));
    std::size_t edges = 0;
    for (std::size_t n = 0; n < number; ++n) {
      for (std::size_t e = 0; e < s.edges; ++e) {
        std::size_t const to = s.successor(n, e);
        if (to >= number) continue;
        make_edge(*nodes[n], *nodes[to]);
        ++edges;
      }
    }
    g.count_messages();
    // A slow machine takes several times of what ours does; who draws in the square of the nodes' number takes longer.
    double seconds = 1e9;
    for (int i = 0; i < 5 && seconds >= 1.0; ++i) {
      std::FILE* const to = std::tmpfile();
      REQUIRE(to != nullptr);
      std::clock_t const before = std::clock();
      g.svg(to);
      seconds = std::min(seconds, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
      std::fclose(to);
    }
    CHECK(seconds < 1.0);
    image const i(g);
    CHECK(i.boxes.size() == number);
    CHECK(i.lines.size() == edges);
    check_boxes_apart(i);
    CHECK(std::all_of(i.lines.begin(), i.lines.end(), [](line const& l) { return (l.to_x > l.from_x) != l.back; }));
  }
}

TEST_CASE("an image can be drawn while messages run") {
  with_threads(4, [] {
    graph g;
    std::atomic<int> ended{0};
    pass first(g, unlimited, same);
    queue_node<int> queue(g);
    function_node<int, continue_msg, rejecting> last(g, serial, [&](int) { return ++ended, continue_msg(); });
    make_edge(first, queue);
    make_edge(queue, last);
    g.count_messages();
    std::atomic<bool> stop{false};
    std::thread painter([&] {
      while (!stop) {
        if (image(g).boxes.size() != 3) std::abort();
      }
    });
    for (int i = 0; i < 2000; ++i) first.try_put(i);
    g.wait_for_all();
    stop = true;
    painter.join();
    CHECK(ended == 2000);
    CHECK(image(g).labels == lines{"2000", "2000"});
  });
}

TEST_CASE("messages that several receivers have pulled are told at the node that had them") {
  with_threads(4, [] {
    graph g;
    queue_node<int> queue(g);
    using slow = function_node<int, continue_msg, rejecting>;
    auto const body = [](int) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      return continue_msg();
    };
    slow first(g, serial, body), second(g, serial, body);
    make_edge(queue, first);
    make_edge(queue, second);
    g.count_messages();
    for (int i = 0; i < 200; ++i) queue.try_put(i);
    g.wait_for_all();
    image const i(g);
    REQUIRE(i.labels.size() == 2);
    int sum = std::stoi(i.labels[0]) + std::stoi(i.labels[1]);
    lines const& told = i.with_name("queue_node 0").lines;
    REQUIRE(told.size() == 2);
    REQUIRE(told[1].substr(0, 7) == "pulled ");
    sum += std::stoi(told[1].substr(7));
    CHECK(sum == 200);
  });
}

// Run again by the next one.
TEST_CASE("a graph to be drawn" * doctest::skip()) {
  graph g;
  pass first(g, unlimited, same);
  queue_node<int> second(g);
  make_edge(first, second);
  for (int i = 0; i < 5; ++i) first.try_put(i);
  g.wait_for_all();
}

TEST_CASE("ASHLAR_FLOW_DOT names an image, if the file's name ends so") {
  char name[] = "/tmp/ashlar_flow_XXXXXX.svg";
  int const fd = mkstemps(name, 4);
  REQUIRE(fd >= 0);
  close(fd);
  test::death const end = test::run_in_child([&] {
    setenv("ASHLAR_FLOW_DOT", name, 1);
    execl("/proc/self/exe", "flow_svg", "--no-skip", "--out=/dev/null", "--test-case=a graph to be drawn",
          static_cast<char*>(nullptr));
    _exit(127);
  });
  CHECK(end.code == 0);
  CHECK(end.errors.empty());
  std::ifstream from(name);
  std::string const text((std::istreambuf_iterator<char>(from)), std::istreambuf_iterator<char>());
  std::remove(name);
  CHECK(image(text).labels == lines{"5"});
}

}  // namespace
