// SPDX-License-Identifier: Apache-2.0
#include <ashlar/base/exceptions.h>
#include <ashlar/base/throw.h>
#include <doctest/doctest.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>
#include <typeinfo>

namespace {

using id = ashlar::exception_id;

// The exact type of what the identity throws; its text is not empty.
template <typename Exception>
void expect(id which) {
  try {
    ashlar::throw_exception(which);
  } catch (std::exception const& e) {
    CHECK_MESSAGE(typeid(e) == typeid(Exception),
                  "identity " << static_cast<int>(which) << " threw " << typeid(e).name());
    CHECK(std::strlen(e.what()) > 0);
    return;
  }
}

void expect_system(id which, int error) {
  try {
    ashlar::throw_exception(which);
  } catch (std::system_error const& e) {
    CHECK((e.code() == std::error_code(error, std::generic_category())));
    return;
  }
}

}  // namespace

TEST_CASE("each identity throws exactly the type that TBB documents") {
  expect<std::bad_alloc>(id::bad_alloc);
  expect<tbb::bad_last_alloc>(id::bad_last_alloc);
  expect<tbb::user_abort>(id::user_abort);
  expect<std::invalid_argument>(id::nonpositive_step);
  expect<std::out_of_range>(id::out_of_range);
  expect<std::length_error>(id::reservation_length_error);
  expect<tbb::missing_wait>(id::missing_wait);
  expect<std::out_of_range>(id::invalid_load_factor);
  expect<std::out_of_range>(id::invalid_key);
  expect<std::runtime_error>(id::bad_tagged_msg_cast);
  expect<tbb::unsafe_wait>(id::unsafe_wait);
  expect<std::runtime_error>(id::condvar_wait_failed);
  expect<std::invalid_argument>(id::invalid_swap);
  expect<tbb::invalid_multiple_scheduling>(id::invalid_multiple_scheduling);
  expect<tbb::improper_lock>(id::improper_lock);
  expect<std::invalid_argument>(id::invalid_argument);
  expect<std::system_error>(id::operation_not_permitted);
  expect_system(id::operation_not_permitted, EPERM);
  expect_system(id::possible_deadlock, EDEADLK);
  expect_system(id::blocking_thread_join, EDEADLK);
  expect<std::logic_error>(static_cast<id>(1000));
}

TEST_CASE("the exceptions derive from the standard ones that TBB documents") {
  CHECK(std::is_base_of_v<std::bad_alloc, tbb::bad_last_alloc>);
  CHECK(std::is_base_of_v<std::exception, tbb::user_abort>);
  CHECK(std::is_base_of_v<std::exception, tbb::missing_wait>);
  CHECK(std::is_base_of_v<std::runtime_error, tbb::unsafe_wait>);
  CHECK(std::is_base_of_v<std::exception, tbb::improper_lock>);
  CHECK(std::is_base_of_v<std::exception, tbb::invalid_multiple_scheduling>);
  CHECK(std::strcmp(tbb::unsafe_wait("text").what(), "text") == 0);
}
