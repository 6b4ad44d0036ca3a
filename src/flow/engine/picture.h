// SPDX-License-Identifier: Apache-2.0
// What nodes have told of themselves (include/ashlar/flow/engine/picture.h).
#pragma once

#include <ashlar/flow/engine/picture.h>

#include <string>
#include <vector>

namespace ashlar::inline v1::flow {

struct picture::content {
  struct tally {
    void const* receiver;  // null: whoever has pulled
    std::uint64_t taken;
    std::uint64_t refused;
  };
  struct in_port {
    void const* receiver;
    input_kind kind;
    char const* name;
    std::vector<void const*> pulls_from;
  };
  struct out_port {
    void const* sender;
    output_kind kind;
    remover remove;
    std::vector<void const*> edges;
    std::vector<tally> tallies;
  };
  struct node {
    node_base const* what = nullptr;
    char const* kind = "node of the program";
    bool is_limited = false;
    std::size_t limit = 0;
    std::size_t queued = 0;
    std::size_t busy = 0;
    std::vector<in_port> inputs;
    std::vector<out_port> outputs;
    std::vector<std::string> says;
    std::vector<std::string> warnings;
  };
  explicit content(purpose p) noexcept : reason(p) {}
  node& latest() { return nodes.back(); }

  purpose reason;
  std::vector<node> nodes;
};

}  // namespace ashlar::inline v1::flow
