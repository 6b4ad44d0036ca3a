// SPDX-License-Identifier: Apache-2.0
// The user's part of a job's name, and the names of code in this process.
#include "obs/user_name.h"
#include "obs/symbol.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace ashlar::obs;  // NOLINT

namespace {
[[gnu::noinline]] int function_of_the_test(int x) { return x + 1; }
int (*volatile chosen)(int) = &function_of_the_test;
}  // namespace

TEST_CASE("code that no table of dynamic symbols has gets its name from the file") {
  symbol const found = symbol_at(reinterpret_cast<void const*>(chosen));
  CHECK(found.file == "unit_obs");
  CHECK(found.name == "(anonymous namespace)::function_of_the_test(int)");
  CHECK_FALSE(is_of_library(found));
  int local = 0;
  CHECK(symbol_at(&local).file.empty());
}

// ThreadSanitizer has an abort of its own in the program.
TEST_CASE("code of a library that has no full table is known by its exported names" * doctest::skip(ASHLAR_TSAN)) {
  symbol const found = symbol_at(reinterpret_cast<void const*>(&std::abort));
  CHECK(found.name.find("abort") != std::string::npos);
}

TEST_CASE("a name keeps what is the user's") {
  CHECK(user_part("fork_job<fib(int)::{lambda()#2}>::run") == "fork_job<fib(int)::{lambda()#2}>::run");
  CHECK(user_part("void ashlar::v1::fork_job<fib(int)::{lambda()#2}>::run_stolen(ashlar::v1::job*)") ==
        "fib(int)::{lambda()#2}");
  CHECK(user_part("vtable for tbb::detail::function_task<std::tuple<my_task const&> >") == "my_task");
  CHECK(user_part("tbb::empty_task") == "tbb::empty_task");
  CHECK(user_part("ashlar::v1::algo::pipeline_run::run_input(ashlar::v1::job*)") == "parallel_pipeline");
  CHECK(
      user_part(
          "ashlar::v1::flow::message_activation<tbb::flow::function_input<int>, int>::run_it(ashlar::v1::sched::job*, "
          "ashlar::v1::sched::slot&)") == "a flow graph");
  CHECK(user_part("ashlar::v1::flow::graph_core::select(ashlar::v1::sched::job*, ashlar::v1::sched::slot&)") ==
        "a flow graph");
  CHECK(
      user_part("ashlar::v1::sched::fork_job<ashlar::v1::algo::quicksort<int*, ashlar::v1::algo::ascending>::sort(int*)"
                " const::{lambda()#2}>::run_stolen(ashlar::v1::job*)") == "parallel_sort of int");
  CHECK(user_part("ashlar::v1::algo::range_job<ashlar::v1::algo::for_work<tbb::blocked_range<int>, void (*)(int)>,"
                  " ashlar::v1::algo::simple_partition>::run_stolen()") == "parallel_for");
  CHECK(user_part("ashlar::v1::algo::range_job<ashlar::v1::algo::reduce_work<tbb::blocked_range<int>,"
                  " ashlar::v1::algo::value_body<tbb::blocked_range<int>, double, add, join> >, auto>::run_stolen()") ==
        "add");
  CHECK(user_part("go(go(int&)::_Z2goRi.Frame*) [clone .actor]") == "go(int&)");
  CHECK(demangled("_ZN6ashlar2v15sched8fork_jobIZN8unknown") == "parallel_invoke");
  CHECK(user_part("") == "");
}

TEST_CASE("long lists of parameters are left out of a name, short ones are not") {
  CHECK(shortened("count(board const&, std::atomic<long>&)::{lambda()#1}") ==
        "count(board const&, std::atomic<long>&)::{lambda()#1}");
  std::string const iterator = "__gnu_cxx::__normal_iterator<int*, std::vector<int, std::allocator<int> > >";
  CHECK(shortened("sort(" + iterator + ", " + iterator + ")::{lambda(int)#4}") == "sort(…)::{lambda(int)#4}");
  CHECK(shortened("apply<" + iterator + ">::operator()(int)") ==
        "apply<__gnu_cxx::__normal_iterator<…>>::operator()(int)");
  CHECK(shortened("bool operator<(" + iterator + ")") == "bool operator<(__gnu_cxx::__normal_iterator<…>)");
  CHECK(shortened("(((") == "(((");
}
