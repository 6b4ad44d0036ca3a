// SPDX-License-Identifier: Apache-2.0
#include <ashlar/base/names.h>
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string name_of(void const* object) {
  char buffer[ashlar::object_name_bytes];
  return ashlar::get_object_name(object, buffer) ? buffer : "(none)";
}

}  // namespace

TEST_CASE("an object has the last name that it was given") {
  int object = 0;
  CHECK(name_of(&object) == "(none)");
  ashlar::set_object_name(&object, "first");
  CHECK(name_of(&object) == "first");
  ashlar::set_object_name(&object, "second");
  CHECK(name_of(&object) == "second");
  ashlar::set_object_name(&object, nullptr);
  CHECK(name_of(&object) == "(none)");
}

TEST_CASE("null objects have no name and take none") {
  ashlar::set_object_name(nullptr, "nothing");
  CHECK(name_of(nullptr) == "(none)");
  int object = 0;
  ashlar::set_object_name(&object, nullptr);
  CHECK(name_of(&object) == "(none)");
}

TEST_CASE("a long name is cut") {
  int object = 0;
  std::string const long_name(200, 'x');
  ashlar::set_object_name(&object, long_name.c_str());
  CHECK(name_of(&object) == std::string(ashlar::object_name_bytes - 1, 'x'));
  ashlar::set_object_name(&object, nullptr);
}

TEST_CASE("with more objects than places the newest keep their names") {
  std::vector<std::unique_ptr<int>> objects;
  for (int i = 0; i < 5000; ++i) {
    objects.push_back(std::make_unique<int>(i));
    ashlar::set_object_name(objects.back().get(), ("object " + std::to_string(i)).c_str());
    CHECK(name_of(objects.back().get()) == "object " + std::to_string(i));
  }
  int named = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string const name = name_of(objects[static_cast<std::size_t>(i)].get());
    if (name != "(none)") {
      CHECK(name == "object " + std::to_string(i));
      ++named;
    }
  }
  CHECK(named > 100);
  for (auto const& object : objects) {
    ashlar::set_object_name(object.get(), nullptr);
    CHECK(name_of(object.get()) == "(none)");
  }
}

TEST_CASE("threads name objects at the same time") {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &wrong] {
      int object = t;
      std::string const name = "thread " + std::to_string(t);
      for (int i = 0; i < 2000; ++i) {
        ashlar::set_object_name(&object, name.c_str());
        wrong[static_cast<std::size_t>(t)] += name_of(&object) != name;
      }
      ashlar::set_object_name(&object, nullptr);
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  CHECK(wrong == std::vector<int>(4, 0));
}
