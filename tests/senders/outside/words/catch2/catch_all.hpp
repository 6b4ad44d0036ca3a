// SPDX-License-Identifier: Apache-2.0
// The words of Catch2 that stdexec's tests use, said with doctest's.
#pragma once

#define DOCTEST_CONFIG_NO_SHORT_MACRO_NAMES
#include <doctest/doctest.h>

#define TEST_CASE(name, ...) DOCTEST_TEST_CASE(name)
#define TEST_CASE_METHOD(fixture, name, ...) DOCTEST_TEST_CASE_FIXTURE(fixture, name)
#define TEMPLATE_TEST_CASE(name, tags, ...) DOCTEST_TEST_CASE_TEMPLATE(name, TestType, __VA_ARGS__)
#define SECTION(name, ...) DOCTEST_SUBCASE(name)
#define CHECK(...) DOCTEST_CHECK(static_cast<bool>(__VA_ARGS__))
#define CHECK_FALSE(...) DOCTEST_CHECK_FALSE(static_cast<bool>(__VA_ARGS__))
#define CHECK_NOTHROW(...) DOCTEST_CHECK_NOTHROW(__VA_ARGS__)
#define CHECK_THROWS(...) DOCTEST_CHECK_THROWS(__VA_ARGS__)
#define CHECK_THROWS_AS(expression, ...) DOCTEST_CHECK_THROWS_AS(expression, __VA_ARGS__)
#define REQUIRE(...) DOCTEST_REQUIRE(static_cast<bool>(__VA_ARGS__))
#define REQUIRE_FALSE(...) DOCTEST_REQUIRE_FALSE(static_cast<bool>(__VA_ARGS__))
#define REQUIRE_NOTHROW(...) DOCTEST_REQUIRE_NOTHROW(__VA_ARGS__)
#define REQUIRE_THROWS(...) DOCTEST_REQUIRE_THROWS(__VA_ARGS__)
#define REQUIRE_THROWS_AS(expression, ...) DOCTEST_REQUIRE_THROWS_AS(expression, __VA_ARGS__)
#define STATIC_REQUIRE(...) static_assert(__VA_ARGS__)
#define STATIC_REQUIRE_FALSE(...) static_assert(!(__VA_ARGS__))
#define FAIL(...) DOCTEST_FAIL("" __VA_ARGS__)
#define FAIL_CHECK(...) DOCTEST_FAIL_CHECK("" __VA_ARGS__)
#define SUCCEED(...) DOCTEST_CHECK(true)
#define WARN(...) DOCTEST_MESSAGE(__VA_ARGS__)
#define INFO(...) DOCTEST_INFO(__VA_ARGS__)
