// SPDX-License-Identifier: Apache-2.0
// A picture of a graph at a moment: each node tells its part in describe(). graph::dot, check and explain are made of
// it.
//
// Threads    the one that takes the picture. A node is asked while others may use it, and says nothing of what it can't
//            look at because its lock is held: a body may block in a message's constructor.
#pragma once

#include <ashlar/flow/engine/graph_core.h>

namespace ashlar {
inline namespace v1 {
namespace flow {

class picture {
 public:
  /// What an input does with a message that it has no room for.
  enum class input_kind { takes_all, refuses, only_pulls };
  /// What becomes of a message that all successors of an output refuse.
  enum class output_kind { loses, keeps };

  /// Whether a node's outputs are to be shown, or to begin or end to count messages, or to tell all edges: to freeze
  /// the graph, who asks waits for the lock.
  enum class purpose { show, start_counting, stop_counting, freeze };

  // ---- for nodes, in describe(). Throw std::bad_alloc.
  ASHLAR_EXPORT void kind(char const* what);
  /// So many bodies at once; 0: any number.
  ASHLAR_EXPORT void limit(std::size_t bodies);
  /// The receiver<T>, and whom it pulls from.
  ASHLAR_EXPORT void input(void const* receiver, input_kind k, char const* name = nullptr);
  ASHLAR_EXPORT void pulls_from(void const* sender);
  /// The sender<T>. `remove`: how an edge of it is removed, where that is asked for.
  using remover = void (*)(void* sender, void* receiver);
  ASHLAR_EXPORT void output(void const* sender, output_kind k, remover remove = nullptr);
  ASHLAR_EXPORT void edge(void const* receiver);
  ASHLAR_EXPORT void tally(void const* receiver, std::uint64_t taken, std::uint64_t refused);
  ASHLAR_EXPORT void queued(std::size_t messages);
  ASHLAR_EXPORT void busy(std::size_t bodies);
  /// A sentence on the node's state: what it waits for. As printf.
  ASHLAR_EXPORT __attribute__((format(printf, 2, 3))) void say(char const* format, ...);
  /// A sentence on what is probably wrong.
  ASHLAR_EXPORT void warn(char const* sentence);
  ASHLAR_EXPORT purpose what_for() const noexcept;
  /// Tries for a moment; false, and a sentence: somebody holds the lock.
  ASHLAR_EXPORT bool look(lock::scoped_lock& held, lock& l);

  // ---- for graph_core
  void next_node(node_base const& n);
  struct content;
  explicit picture(content& c) noexcept : content_(&c) {}

 private:
  content* const content_;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
