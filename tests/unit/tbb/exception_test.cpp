// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <tbb/detail/_exception.h>
#include <tbb/tbb_exception.h>

#include <cstring>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace {

struct payload {
  std::string text;
  int* alive;
  payload(std::string t, int* count) : text(std::move(t)), alive(count) { ++*alive; }
  payload(payload const& other) : text(other.text), alive(other.alive) { ++*alive; }
  payload& operator=(payload const&) = default;
  ~payload() { --*alive; }
};

}  // namespace

TEST_CASE("a captured exception keeps copies of its texts") {
  char name[] = "some type";
  char info[] = "some text";
  tbb::captured_exception const original(name, info);
  name[0] = info[0] = '!';
  CHECK(std::strcmp(original.name(), "some type") == 0);
  CHECK(std::strcmp(original.what(), "some text") == 0);

  tbb::captured_exception copy(original);
  CHECK(copy.name() != original.name());
  CHECK(std::strcmp(copy.what(), "some text") == 0);

  tbb::captured_exception assigned("a", "b");
  assigned = copy;
  CHECK(std::strcmp(assigned.what(), "some text") == 0);
  tbb::captured_exception const& same = assigned;
  assigned = same;
  CHECK(std::strcmp(assigned.what(), "some text") == 0);

  copy.set("new type", nullptr);
  CHECK(std::strcmp(copy.name(), "new type") == 0);
  CHECK(copy.what() == nullptr);
  copy.clear();
  CHECK(copy.name() == nullptr);
}

TEST_CASE("a moved captured exception takes the texts along and can be thrown") {
  tbb::captured_exception source("type", "text");
  tbb::tbb_exception* const moved = source.move();
  REQUIRE(moved != nullptr);
  CHECK(source.name() == nullptr);
  CHECK(source.what() == nullptr);
  bool caught = false;
  try {
    moved->throw_self();
  } catch (tbb::captured_exception const& e) {
    caught = std::strcmp(e.name(), "type") == 0 && std::strcmp(e.what(), "text") == 0;
  }
  CHECK(caught);
  moved->destroy();
}

TEST_CASE("a movable exception carries data of any type") {
  int alive = 0;
  {
    tbb::movable_exception<payload> source(payload("first", &alive));
    CHECK(source.data().text == "first");
    CHECK(std::string(source.what()) == "tbb::movable_exception");
    CHECK(std::string(source.name()) == typeid(tbb::movable_exception<payload>).name());

    tbb::tbb_exception* const moved = source.move();
    REQUIRE(moved != nullptr);
    source.data().text = "second";
    bool caught = false;
    try {
      moved->throw_self();
    } catch (tbb::movable_exception<payload>& e) {
      caught = e.data().text == "first";
    }
    CHECK(caught);
    moved->destroy();

    tbb::movable_exception<payload> assigned(payload("third", &alive));
    assigned = source;
    CHECK(static_cast<tbb::movable_exception<payload> const&>(assigned).data().text == "second");
  }
  CHECK(alive == 0);
}

TEST_CASE("the carriers are abstract exceptions that only move() puts on the heap") {
  CHECK(std::is_base_of_v<std::exception, tbb::tbb_exception>);
  CHECK(std::is_abstract_v<tbb::tbb_exception>);
  CHECK(std::is_base_of_v<tbb::tbb_exception, tbb::captured_exception>);
  CHECK_FALSE(std::is_assignable_v<tbb::captured_exception&, int>);
}

TEST_CASE("oneTBB's inner names throw the same exceptions") {
  using tbb::detail::exception_id;
  CHECK_THROWS_AS(tbb::detail::throw_exception(exception_id::user_abort), tbb::detail::r1::user_abort);
  CHECK_THROWS_AS(tbb::detail::r1::throw_exception(exception_id::missing_wait), tbb::missing_wait);
  CHECK(static_cast<int>(exception_id::bad_alloc) == 1);
  CHECK(static_cast<int>(exception_id::last_entry) == 12);
}
