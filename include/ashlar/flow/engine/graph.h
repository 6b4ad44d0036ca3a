// SPDX-License-Identifier: Apache-2.0
// tbb::flow::graph and graph_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/engine/abstractions.h>
#include <ashlar/flow/engine/graph_core.h>
#include <ashlar/flow/engine/types.h>
#include <ashlar/sched/api/task_arena.h>
#if ASHLAR_CLASSIC_DIALECT
#include <ashlar/flow/engine/graph_call.h>
#include <ashlar/sched/tasks/classic_task.h>

#include <list>
#include <optional>
#include <tuple>
#endif

#include <cstddef>
#include <string_view>  // the iterators' tags, without the streams of <iterator>

#if ASHLAR_CLASSIC_DIALECT
namespace ashlar {
inline namespace v1 {
namespace flow {

/// An object that the library makes for a program's edge (async_msg.h), and that the graph destroys.
class graph_part {
 public:
  virtual ~graph_part() = default;
  /// Tells whether the object was made for the edge between these two.
  virtual bool joins(void const* from, void const* to) const noexcept = 0;
  graph_part* next = nullptr;  // the next one in the graph's list
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
#endif

namespace tbb {
namespace flow {

#if ASHLAR_CLASSIC_DIALECT
using std::get;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
#endif

ASHLAR_FLOW_HOME(10)
class graph;
ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(10, graph)

ASHLAR_FLOW_HOME(11)

/// The base of all nodes: the constructor registers the node with its graph, the destructor removes it.
class graph_node : public ::ashlar::flow::node_base {
 public:
  explicit graph_node(graph& g);
  graph& graph_reference_of_node() const noexcept { return my_graph; }
#if ASHLAR_CLASSIC_DIALECT && defined(TBB_PREVIEW_FLOW_GRAPH_TRACE)
  void set_name(char const* name) { keep_name(name); }
#endif
#if ASHLAR_CLASSIC_DIALECT && defined(TBB_DEPRECATED_FLOW_NODE_EXTRACTION) && TBB_DEPRECATED_FLOW_NODE_EXTRACTION
  // Removes all edges of the node. No message is under way to it or from it.
  virtual void extract() { core().extract(*this); }
#endif

 protected:
  // Brings the node into its first state; graph::reset() calls this for each node.
  virtual void reset_node(reset_flags f = rf_reset_protocol) = 0;
  ~graph_node() override = default;

  graph& my_graph;

 private:
  void reset_base(unsigned flags) final { reset_node(static_cast<reset_flags>(flags)); }
};

/// Visits the nodes of a graph in the order of their registration.
template <typename Node>
class graph_iterator {
 public:
  using value_type = graph_node;
  using reference = Node&;
  using pointer = Node*;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  using iterator_category = std::forward_iterator_tag;

  graph_iterator() noexcept = default;
  explicit graph_iterator(::ashlar::flow::node_base* at) noexcept : at_(at) {}
  template <typename Other, typename = std::enable_if_t<std::is_convertible_v<Other*, Node*>>>
  graph_iterator(graph_iterator<Other> const& o) noexcept : at_(o.base()) {}  // NOLINT: to a const_iterator

  reference operator*() const noexcept { return *operator->(); }
  pointer operator->() const noexcept { return static_cast<pointer>(at_); }
  /// The end stays the end, as with oneTBB.
  graph_iterator& operator++() noexcept {
    if (at_ != nullptr) at_ = at_->next();
    return *this;
  }
  graph_iterator operator++(int) noexcept {
    graph_iterator const before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(graph_iterator const& a, graph_iterator const& b) noexcept { return a.at_ == b.at_; }
  friend bool operator!=(graph_iterator const& a, graph_iterator const& b) noexcept { return a.at_ != b.at_; }
  ::ashlar::flow::node_base* base() const noexcept { return at_; }

 private:
  ::ashlar::flow::node_base* at_ = nullptr;
};
ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, graph_node)
ASHLAR_FLOW_KNOWN_IN(11, graph_iterator)

ASHLAR_FLOW_HOME(10)

/// A set of nodes, and the work that their messages cause.
///
/// The work belongs to the arena of the thread that constructs the graph, or to the given one. Bodies run in a group of
/// the graph's own, below the given context, or below the group of the task that constructs the graph.
///
/// Thread safety: puts into nodes, reserve_wait, release_wait, cancel and wait_for_all from any thread; nodes and edges
/// may be made while others of the graph run; reset() and destruction only while nothing runs.
class graph : public graph_proxy {
 public:
  using iterator = graph_iterator<graph_node>;
  using const_iterator = graph_iterator<graph_node const>;

#if ASHLAR_CLASSIC_DIALECT
  graph() : context_(&own_context_.emplace()), core_(context_) { switch_on(); }
  explicit graph(task_group_context& its) : context_(&its), core_(&its) { switch_on(); }
#else
  graph() : core_(nullptr) {}
  explicit graph(task_group_context& its) : core_(&its) {}
#endif
  // Ashlar's own: makes a graph whose work runs in this arena.
  explicit graph(task_arena& where) : graph() { attach(where); }
  graph(task_arena& where, task_group_context& its) : graph(its) { attach(where); }
  graph(graph const&) = delete;
  graph& operator=(graph const&) = delete;
  // Waits for the work; an exception of a body is dropped.
#if ASHLAR_CLASSIC_DIALECT
  ~graph() {
    if (root_ != nullptr) task::destroy(*root_);
    if (parts_ != nullptr) end_parts();
  }
#else
  ~graph() = default;
#endif

  // The calling thread takes part in the work and returns when none is left and each reserve_wait has its release_wait.
  // Rethrows the first exception that left a body; then what was under way is dropped, and the graph may be used again.
  // Throws tbb::unsafe_wait in a body of the same graph.
  void wait_for_all() {
#if ASHLAR_CLASSIC_DIALECT
    while (root_ != nullptr && root_->ref_count() > 1) {
      core_.wait_for_all();
      root_->wait_for_all();
    }
#endif
    core_.wait_for_all();
  }
  // Something outside of the graph will put messages into it: waits go on until as many release_wait were called. One
  // without a reserve_wait is ignored, with a line on stderr.
  void reserve_wait() override { core_.reserve_wait(); }
  void release_wait() override { core_.release_wait(); }
  // Bodies that have not started are dropped, and messages that are put before the next wait has ended are refused by
  // every node.
  void cancel() noexcept { core_.cancel(); }
  // Tell how the last wait ended.
  bool is_cancelled() const noexcept { return core_.was_cancelled(); }
  bool exception_thrown() const noexcept { return core_.has_thrown(); }
  // Brings the nodes into their first state, and the graph into the arena of the calling thread. Where something
  // throws, as a sender of the program's that gets its edge back may, throws the first exception when all is done.
  void reset(reset_flags f = rf_reset_protocol) { core_.reset(f); }
  // Ashlar's own: the graph's work runs in this arena from now on. Nothing runs in the graph.
  void attach(task_arena& where) {
    where.execute([this] { core_.attach(); });
  }

  iterator begin() noexcept { return iterator(core_.first()); }
  iterator end() noexcept { return iterator(); }
  const_iterator begin() const noexcept { return const_iterator(core_.first()); }
  const_iterator end() const noexcept { return const_iterator(); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }

#if ASHLAR_CLASSIC_DIALECT
  void increment_wait_count() { reserve_wait(); }
  void decrement_wait_count() { release_wait(); }
  // Calls the body in a task of the graph, and puts what it returns into the receiver.
  template <typename Body>
  void run(Body body) {
    ::ashlar::flow::graph_call<Body>::start(core_, body);
  }
  template <typename Receiver, typename Body>
  void run(Receiver& to, Body body) {
    run([&to, body]() mutable { to.try_put(body()); });
  }
  // Returns a task of the graph's group; wait_for_all waits for its children, too.
  task* root_task() {
    if (root_ == nullptr) {
      root_ = new (task::allocate_root(*context_)) empty_task;
      root_->set_ref_count(1);
    }
    return root_;
  }
  // Keeps what the library has made for one of the program's edges (async_msg.h). The part ends with the graph.
  void adopt(::ashlar::flow::graph_part& p) noexcept {
    ::ashlar::flow::guard const held(parts_lock_);
    p.next = parts_;
    parts_ = &p;
  }
  // The part that was made for the edge between these; null: there is none.
  ::ashlar::flow::graph_part* find_part(void const* from, void const* to) noexcept {
    ::ashlar::flow::guard const held(parts_lock_);
    ::ashlar::flow::graph_part* p = parts_;
    while (p != nullptr && !p->joins(from, to)) p = p->next;
    return p;
  }
#endif

  // ---- Ashlar's own: the graph explains itself. Names are those of tbb::profiling::set_name. No node is made or
  // destroyed meanwhile; messages may be under way: what is printed may be a moment old. Throw std::bad_alloc.
  //
  // Prints the nodes and edges in the language of Graphviz (`dot -Tsvg`): kinds, limits, messages that wait, bodies
  // that run; with count_messages() also what each edge has carried and refused. Edges that are pulled at the moment
  // are dashed.
  void dot(std::FILE* to) { core_.dot(to); }
  /// Draws the same as an SVG image, which any browser shows: columns from left to right, and arcs for what leads back.
  void svg(std::FILE* to) { ::ashlar::flow::write_svg(core_, to); }
  // Prints what is probably wrong with the edges, a line for each: messages that can get lost, edges that were made
  // twice or lead to another graph, sources that are not activated yet, limiters that nobody decrements. Returns their
  // number.
  // The name in parentheses is safe from a macro with arguments, as older headers of Apple's define it.
  std::size_t(check)(std::FILE* to = stderr) { return core_.report_mistakes(to); }
  // Prints why wait_for_all() has not returned yet, or why messages are left.
  void explain(std::FILE* to = stderr) { core_.explain(to); }
  // Begins or ends the counting of messages on each edge. While nothing is counted a message costs nothing more.
  void count_messages(bool on = true) { core_.count_messages(on); }

  // What nodes use of their graph: its group, its count of activations, its arena.
  ::ashlar::flow::graph_core& core() noexcept { return core_; }
  // Stores a copy of the name, which tbb::profiling::set_name gives. Throws std::bad_alloc.
  void keep_name(char const* name) const { core_.keep_name(name); }

 private:
#if ASHLAR_CLASSIC_DIALECT
  std::optional<task_group_context> own_context_;
  task_group_context* context_;
  task* root_ = nullptr;
  // What the program's macros ask for; they are the same in all its sources.
  void switch_on() noexcept {
#if defined(TBB_DEPRECATED_FLOW_ENQUEUE) && TBB_DEPRECATED_FLOW_ENQUEUE
    core_.enqueue_jobs();
#endif
  }
  // The parts are nodes, which need the core, and messages may come to them until the graph has ended.
  void end_parts() {
    ASHLAR_TRY { core_.wait_for_all(); }
    ASHLAR_CATCH_ALL {}
    while (parts_ != nullptr) delete std::exchange(parts_, parts_->next);
  }
  ::ashlar::flow::lock parts_lock_;
  ::ashlar::flow::graph_part* parts_ = nullptr;
#endif
  ::ashlar::flow::graph_core core_;
};
ASHLAR_FLOW_HOME_END

ASHLAR_FLOW_HOME(11)
inline graph_node::graph_node(graph& g) : node_base(g.core()), my_graph(g) {}
ASHLAR_FLOW_HOME_END

}  // namespace flow
}  // namespace tbb

ASHLAR_FLOW_PARTS
using tbb::flow::graph;
using tbb::flow::graph_node;
ASHLAR_FLOW_PARTS_END
