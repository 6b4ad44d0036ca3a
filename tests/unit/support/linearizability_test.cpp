// SPDX-License-Identifier: Apache-2.0
#include <support/linearizability.h>

#include <doctest/doctest.h>

#include <mutex>

namespace {

// A register that holds one integer.
struct register_specification {
  struct operation {
    bool write;
    int value;  // written or read
  };
  int value = 0;

  bool apply(operation const& op) {
    if (op.write) {
      value = op.value;
      return true;
    }
    return value == op.value;
  }
  auto operator<=>(register_specification const&) const = default;
};

using history = std::vector<test::timed_operation<register_specification::operation>>;

bool accepted(history const& h) { return test::linearizable<register_specification>(h); }

constexpr bool write = true;
constexpr bool read = false;

TEST_CASE("sequential histories are judged by the specification") {
  CHECK(accepted({}));
  CHECK(accepted({{{write, 1}, 0, 1}, {{read, 1}, 2, 3}}));
  CHECK_FALSE(accepted({{{write, 1}, 0, 1}, {{read, 0}, 2, 3}}));
  CHECK_FALSE(accepted({{{read, 1}, 0, 1}, {{write, 1}, 2, 3}}));
}

TEST_CASE("an operation may take effect at any moment between its invocation and its response") {
  CHECK(accepted({{{write, 1}, 0, 5}, {{read, 0}, 1, 2}, {{read, 1}, 3, 4}}));
  CHECK(accepted({{{write, 1}, 0, 5}, {{read, 1}, 1, 2}, {{read, 1}, 3, 4}}));
}

TEST_CASE("a value that was seen can't be unseen") {
  CHECK_FALSE(accepted({{{write, 1}, 0, 5}, {{read, 1}, 1, 2}, {{read, 0}, 3, 4}}));
}

TEST_CASE("two readers can't disagree about the order of two writes") {
  // Both writes overlap all reads; one reader sees 1 then 2, the other 2 then 1.
  CHECK_FALSE(accepted({{{write, 1}, 0, 20},
                        {{write, 2}, 1, 21},
                        {{read, 1}, 2, 3},
                        {{read, 2}, 4, 5},
                        {{read, 2}, 6, 7},
                        {{read, 1}, 8, 9}}));
}

TEST_CASE("histories too long to be searched are rejected") {
  history h;
  for (unsigned i = 0; i != 65; ++i) h.push_back({{write, 1}, 2 * i, 2 * i + 1});
  CHECK_FALSE(accepted(h));
  h.pop_back();
  CHECK(accepted(h));
}

TEST_CASE("recorded histories of a locked register are linearizable, and no longer so with a value replaced") {
  std::mutex lock;
  int value = 0;
  history h = test::record_history<register_specification>(3, [&](unsigned thread, auto& record) {
    for (int i = 0; i != 4; ++i) {
      record([&] {
        std::lock_guard<std::mutex> const hold(lock);
        value = static_cast<int>(thread) * 10 + i;
        return register_specification::operation{write, value};
      });
      record([&] {
        std::lock_guard<std::mutex> const hold(lock);
        return register_specification::operation{read, value};
      });
    }
  });
  CHECK(h.size() == 24);
  CHECK(accepted(h));
  h[1].what.value = 99;  // nobody wrote it
  CHECK_FALSE(accepted(h));
}

}  // namespace
