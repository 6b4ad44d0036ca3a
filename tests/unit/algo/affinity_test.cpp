// SPDX-License-Identifier: Apache-2.0
// What a loop with an affinity_partitioner sends to whom: affinity_partition with a traversal that only writes down.
#include <ashlar/algo/partition.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using ashlar::algo::affinity_partition;
namespace mo = ashlar::mo;
using range = tbb::blocked_range<int>;
using memory = std::vector<ashlar::atomic<std::uint16_t>>;

class recorder {
 public:
  explicit recorder(unsigned slot) : slot_(slot) {}
  recorder& here() { return *this; }
  unsigned position() const { return slot_; }

  template <typename Split>
  void offer_split(range& r, Split how, affinity_partition const&) {
    note(range(r, how), slot_);
  }
  template <typename Split>
  void mail_split(range& r, Split how, affinity_partition const&, unsigned target) {
    note(range(r, how), target);
  }
  void offer_part(range const& r, affinity_partition const&, bool, bool) { note(r, slot_); }
  void mail_part(range const& r, affinity_partition const&, unsigned target) { note(r, target); }
  void leaf(range const& r) { text += "run " + text_of(r); }
  bool stopped() const { return false; }

  unsigned timed = 0;
  std::string text;

 private:
  static std::string text_of(range const& r) { return std::to_string(r.begin()) + ".." + std::to_string(r.end()); }
  void note(range const& r, unsigned target) { text += text_of(r) + " to " + std::to_string(target) + ", "; }

  unsigned slot_;
};

// `owners`: a digit for each part. The loop has two iterations a part.
std::string sent(std::string const& owners, unsigned slot) {
  memory m(owners.size());
  for (std::size_t i = 0; i != m.size(); ++i) m[i].store(static_cast<std::uint16_t>(owners[i] - '0' + 1), mo::relaxed);
  recorder r(slot);
  range whole(0, 2 * static_cast<int>(owners.size()), 2);
  affinity_partition(m.data(), static_cast<unsigned>(m.size())).run(r, whole);
  CHECK(m[0].load(mo::relaxed) == slot + 1);
  return r.text;
}

}  // namespace

TEST_CASE("a thread sends what several others had to each of them itself") {
  CHECK(sent("0011223344556677", 0) ==
        "28..32 to 7, 24..28 to 6, 20..24 to 5, 16..20 to 4, 12..16 to 3, 8..12 to 2, 4..8 to 1, 2..4 to 0, run 0..2");
  CHECK(sent("00002222", 0) == "8..16 to 2, 4..8 to 0, 2..4 to 0, run 0..2");
  CHECK(sent("00012220", 0) == "14..16 to 0, 12..14 to 2, 8..12 to 2, 6..8 to 1, 4..6 to 0, 2..4 to 0, run 0..2");
}

TEST_CASE("a thief sends the rest of what it has stolen to whom it belongs") {
  CHECK(sent("1111", 3) == "4..8 to 1, 2..4 to 1, run 0..2");
}

TEST_CASE("a range that can be divided no further is sent whole, to the owner of its first part") {
  memory m(8);
  for (std::size_t i = 0; i != m.size(); ++i) m[i].store(static_cast<std::uint16_t>(1 + i / 2), mo::relaxed);
  recorder r(0);
  range whole(0, 4, 2);
  affinity_partition(m.data(), 8).run(r, whole);
  CHECK(r.text == "2..4 to 2, run 0..2");
}

TEST_CASE("the first loop goes to all threads in equal blocks") {
  tbb::global_control const control(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4, 4);
  arena.execute([] {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    tbb::affinity_partitioner p;
    affinity_partition const first = ashlar::algo::remembered_partition(s, p);
    REQUIRE(first.parts == 64);
    for (unsigned i = 0; i != 64; ++i) CHECK(first.memory[i].load(mo::relaxed) == (s.position() + i / 16) % 4 + 1);
    first.memory[5].store(3, mo::relaxed);
    CHECK(ashlar::algo::remembered_partition(s, p).memory[5].load(mo::relaxed) == 3);
  });
}
