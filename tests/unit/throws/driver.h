// SPDX-License-Identifier: Apache-2.0
// Every chance of a construct to fail is taken once: the n-th allocation, copy, move, comparison, hash or call of user
// code fails, for every n. A construct is a line in one of the tables (algorithms.cpp, containers.cpp).
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <vector>

namespace throws {

struct fault : std::runtime_error {
  fault() : std::runtime_error("fault") {}
};

// A chance for user code to fail.
void chance();

// No chance is taken while one of these lives: what a check does is no part of the construct.
class calm {
 public:
  calm() noexcept;
  calm(calm const&) = delete;
  calm& operator=(calm const&) = delete;
  ~calm();
};

// Ends the process with a line that names the construct and the place of its fault.
void require(bool right, char const* what);

// Something of the user's, each of whose operations may fail. Those that live are counted. A concurrent_vector fills
// the places of elements that could not be made with zeroes, and destroys those, too: they have not lived.
class item {
 public:
  item() : item(0) {}
  item(int v) : value_(v) {  // NOLINT: implicit
    chance();
    born();
  }
  item(item const& other) : value_(other.value_) {
    chance();
    born();
  }
  item(item&& other) : value_(other.value_) {  // NOLINT: moves may throw
    chance();
    born();
  }
  item& operator=(item const& other) {
    chance();
    value_ = other.value_;
    return *this;
  }
  item& operator=(item&& other) {  // NOLINT: moves may throw
    chance();
    value_ = other.value_;
    return *this;
  }
  ~item() {
    if (lives_) died();
  }

  int value() const noexcept { return value_; }
  static long alive() noexcept;
  friend bool operator<(item const& a, item const& b) {
    chance();
    return a.value_ < b.value_;
  }
  friend bool operator==(item const& a, item const& b) {
    chance();
    return a.value_ == b.value_;
  }

 private:
  static void born() noexcept;
  static void died() noexcept;
  int value_;
  bool lives_ = true;
};

// A function object whose copies may fail, and whose calls may.
struct function : private item {
  void operator()() const { chance(); }
  template <typename T>
  void operator()(T const&) const {
    chance();
  }
};

struct hash {
  std::size_t operator()(item const& i) const {
    chance();
    return static_cast<std::size_t>(i.value() % 7);
  }
};

// A construct: runs, and checks what it left, whether it failed or not.
struct construct {
  char const* name;
  std::function<void()> run;
};

std::vector<construct> algorithms();
std::vector<construct> containers();

// Runs a construct with a failure at its n-th chance, for all n, in this process; returns how many chances it has. The
// ends of failures are checked: a fault of user code comes out as itself, what lived is destroyed.
long fail_everywhere(construct const& c);
// The same with a process of its own for each n; `most` of them.
long fail_everywhere_afresh(construct const& c, long most);

// Blocks of memory that are in use.
long blocks() noexcept;

}  // namespace throws
