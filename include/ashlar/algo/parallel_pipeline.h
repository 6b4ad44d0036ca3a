// SPDX-License-Identifier: Apache-2.0
// Filters as values: a chain is a tree of shared nodes, flattened into stages when a pipeline runs.
//
// Ordering   [PP1] a reference given up: acq_rel -> [PP2] the last one: acq_rel
// Model      tests/model/filter_chain_model.cpp
#pragma once

#include <ashlar/algo/pipeline_stage.h>
#include <ashlar/base/assert.h>
#include <ashlar/base/atomic.h>

namespace ashlar {
inline namespace v1 {
namespace algo {

struct filter_node {
  explicit filter_node(void (*d)(filter_node*) noexcept) noexcept : destroy(d) {}
  ~filter_node() {
    release(left);
    release(right);
  }
  filter_node(filter_node const&) = delete;
  filter_node& operator=(filter_node const&) = delete;

  static filter_node* share(filter_node* n) noexcept {
    if (n != nullptr) n->references.fetch_add(1, mo::relaxed);
    return n;
  }
  static void release(filter_node* n) noexcept {
    if (n != nullptr && n->references.fetch_sub(1, mo::acq_rel) == 1) n->destroy(n);  // [PP1] [PP2]
  }
  std::size_t count() const noexcept { return left != nullptr ? left->count() + right->count() : 1; }
  stage* write(stage* to) const noexcept {
    if (left != nullptr) return right->write(left->write(to));
    *to = what;
    return to + 1;
  }

  void (*destroy)(filter_node*) noexcept;
  atomic<long> references{1};
  filter_node* left = nullptr;  // both or none
  filter_node* right = nullptr;
  stage what{};
};

template <typename Body>
struct filter_leaf : filter_node {
  explicit filter_leaf(Body const& b) : filter_node(&destroy_it), body(b) { what.body = std::addressof(body); }
  static void destroy_it(filter_node* n) noexcept { delete static_cast<filter_leaf*>(n); }

  Body const body;
};

/// The filters of a chain, untyped. Copies share the chain.
class filter_chain {
 public:
  filter_chain() noexcept = default;
  filter_chain(filter_chain const& o) noexcept : root_(filter_node::share(o.root_)) {}
  filter_chain(filter_chain&& o) noexcept : root_(std::exchange(o.root_, nullptr)) {}
  filter_chain(filter_chain const& a, filter_chain const& b)
      : root_(new filter_node([](filter_node* n) noexcept { delete n; })) {
    ASHLAR_ASSERT(a.root_ != nullptr && b.root_ != nullptr, "an empty filter can't be part of a chain");
    root_->left = filter_node::share(a.root_);
    root_->right = filter_node::share(b.root_);
  }
  filter_chain& operator=(filter_chain o) noexcept {
    std::swap(root_, o.root_);
    return *this;
  }
  ~filter_chain() { filter_node::release(root_); }

  template <typename In, typename Out, typename Body>
  static filter_chain of(tbb::filter_mode mode, Body const& body) {
    auto* const leaf = new filter_leaf<Body>(body);
    leaf->what.run = &run_filter<In, Out, Body>;
#if ASHLAR_TSAN_EDGES
    if (mode == tbb::filter_mode::parallel) leaf->what.run = &run_filter<In, Out, Body, false>;
#endif
    leaf->what.drop_input = &drop_value<In>;
    leaf->what.mode = mode;
    filter_chain chain;
    chain.root_ = leaf;
    return chain;
  }

  void run(std::size_t tokens, tbb::task_group_context* context) const {
    ASHLAR_ASSERT(root_ != nullptr, "an empty filter can't be run");
    if (root_ == nullptr) return;
    filter_chain const alive(*this);  // a body may clear the user's filter
    std::size_t const n = root_->count();
    struct stages {
      explicit stages(std::size_t size) : list(new stage[size]) {}
      stages(stages const&) = delete;
      stages& operator=(stages const&) = delete;
      ~stages() { delete[] list; }
      stage* list;
    } all(n);
    root_->write(all.list);
    run_pipeline(all.list, n, tokens, context);
#if ASHLAR_TSAN_EDGES
    for (std::size_t i = 0; i < n; ++i) tsan::acquire(all.list[i].body);
#endif
  }

 private:
  filter_node* root_ = nullptr;
};

/// Body can be called with an In, or with a flow_control for void, and its result makes an Out.
template <typename In, typename Out, typename Body>
constexpr bool accepts_filter_body() {
  if constexpr (std::is_void_v<In>) {
    return std::is_invocable_r_v<Out, Body const&, tbb::flow_control&>;
  } else {
    return std::is_invocable_r_v<Out, Body const&, In> || std::is_invocable_r_v<Out, Body const&, In&>;
  }
}
template <typename In, typename Out, typename Body>
inline constexpr bool is_filter_body = accepts_filter_body<In, Out, Body>();

/// A chain that takes values of type In and makes values of type Out; <tbb/parallel_pipeline.h> documents it.
template <typename In, typename Out>
class typed_filter {
 public:
  typed_filter() = default;
  template <typename Body>
  ASHLAR_REQUIRES(is_filter_body<In, Out, Body>)
  typed_filter(tbb::filter_mode mode, Body const& body) : chain_(filter_chain::of<In, Out>(mode, body)) {}
  explicit typed_filter(filter_chain chain) noexcept : chain_(std::move(chain)) {}

  /// Appends a filter that keeps the type.
  typed_filter& operator&=(typed_filter<Out, Out> const& next) {
    chain_ = filter_chain(chain_, next.chain());
    return *this;
  }
  /// Forgets the chain; the filter is empty.
  void clear() { chain_ = filter_chain(); }
  /// For the library.
  filter_chain const& chain() const noexcept { return chain_; }

 private:
  filter_chain chain_;
};

/// What a filter makes of values of type In: a value of this pointer's type, or of void's where it takes none.
struct no_output;
template <typename In, typename Out>
Out* output_after(typed_filter<In, Out> const*);
template <typename In>
no_output* output_after(...);
template <typename In, typename F>
using output_of = std::remove_pointer_t<decltype(output_after<In>(static_cast<std::remove_reference_t<F>*>(nullptr)))>;

/// Whether filters that take values of type In follow up to the pipeline's end, and perhaps a context after them.
template <typename In>
constexpr bool ends_pipeline() {
  return std::is_void_v<In>;
}
template <typename In, typename Next, typename... Rest>
constexpr bool ends_pipeline() {
  if constexpr (sizeof...(Rest) == 0 && std::is_same_v<std::remove_reference_t<Next>, tbb::task_group_context>) {
    return std::is_void_v<In>;
  } else if constexpr (std::is_same_v<output_of<In, Next>, no_output>) {
    return false;
  } else {
    return ends_pipeline<output_of<In, Next>, Rest...>();
  }
}

/// A body's input and output as its call operator or function type states them.
template <typename F>
struct filter_signature : filter_signature<decltype(&F::operator())> {};
template <typename Out, typename In>
struct filter_signature<Out (*)(In)> {
  using input = std::conditional_t<std::is_same_v<std::decay_t<In>, tbb::flow_control>, void, std::decay_t<In>>;
  using output = std::decay_t<Out>;
};
template <typename Out, typename In>
struct filter_signature<Out (*)(In) noexcept> : filter_signature<Out (*)(In)> {};
template <typename Out, typename B, typename In>
struct filter_signature<Out (B::*)(In)> : filter_signature<Out (*)(In)> {};
template <typename Out, typename B, typename In>
struct filter_signature<Out (B::*)(In) const> : filter_signature<Out (*)(In)> {};
template <typename Out, typename B, typename In>
struct filter_signature<Out (B::*)(In) noexcept> : filter_signature<Out (*)(In)> {};
template <typename Out, typename B, typename In>
struct filter_signature<Out (B::*)(In) const noexcept> : filter_signature<Out (*)(In)> {};

template <typename Body>
using filter_input = typename filter_signature<std::decay_t<Body>>::input;
template <typename Body>
using filter_output = typename filter_signature<std::decay_t<Body>>::output;

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
