// SPDX-License-Identifier: Apache-2.0
// What a graph says of messages that are left in it.
#pragma once

#include <tbb/flow_graph.h>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace test {

inline std::string left_in(tbb::flow::graph& g) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const to = open_memstream(&text, &size);
  REQUIRE(to != nullptr);
  g.explain(to);
  std::fclose(to);
  std::string const all(text, size);
  std::free(text);
  return all;
}

}  // namespace test
