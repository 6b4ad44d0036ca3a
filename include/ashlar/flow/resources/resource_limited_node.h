// SPDX-License-Identifier: Apache-2.0
// tbb::flow::resource_limited_node, a preview of oneTBB's. Users define TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING or
// TBB_PREVIEW_FLOW_GRAPH_FEATURES and include <tbb/flow_graph.h>.
//
// Invariants RN1 a message that waits for resources has left the queue, has its place, and keeps the graph's count.
#pragma once

#include <ashlar/flow/edges/ports.h>
#include <ashlar/flow/engine/body.h>
#include <ashlar/flow/resources/provided_request.h>
#include <ashlar/flow/resources/resource_limiter.h>
#include <ashlar/flow/work/queued_input.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// The handle that a use stands for, of a limiter or of a provider of the program's own.
template <typename Limiter>
auto& handle_in(resource_use const& u) noexcept {
  if constexpr (is_resource_pool<Limiter>) {
    return Limiter::handle_of(u);
  } else {
    return *static_cast<provided_cell<typename Limiter::resource_handle_type>*>(u.cell)->handle;
  }
}

/// Calls a body with the handles that a request has.
template <typename Input, typename Ports, typename... Limiters>
struct resource_adapter {
  template <typename F>
  static void call(F& f, Input& v, Ports& ports, resource_use const* uses, std::size_t const* places) {
    call_with(f, v, ports, uses, places, std::index_sequence_for<Limiters...>());
  }
  template <typename F>
  static constexpr bool never_throws = false;

 private:
  template <typename F, std::size_t... At>
  static void call_with(F& f, Input& v, Ports& ports, resource_use const* uses, std::size_t const* places,
                        std::index_sequence<At...>) {
    ::ashlar::invoke(f, static_cast<Input const&>(v), ports, handle_in<Limiters>(uses[places[At]])...);
  }
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Calls a body with each message, its output ports and a handle of each limiter, when it can have all of them. `limit`
/// messages at once have left the queue. What asked first is preferred, but others may pass it some times as long as it
/// needs a handle more than they. A cancelled graph's wait lasts until messages that wait for handles have got them.
///
/// In place of a limiter there may be a provider of the program's own (resource_provider.h), also one that is derived
/// from resource_limiter, each at one place only:
/// the constructor throws std::invalid_argument. A message gets the handles of those first, in the order of the
/// providers' addresses, and may have some while it waits for others, and for limiters.
///
/// The body is copied; it is called as body(Input const&, output_ports_type&, Handle&...).
template <typename Input, typename OutputTuple>
class resource_limited_node : public ::ashlar::flow::queued_input<resource_limited_node<Input, OutputTuple>, Input>,
                              public ::ashlar::flow::output_ports_base<OutputTuple>,
                              public ::ashlar::flow::bodied<void(
                                  Input&, typename ::ashlar::flow::output_ports_base<OutputTuple>::output_ports_type&,
                                  ::ashlar::flow::resource_use const*, std::size_t const*)> {
  using input = typename resource_limited_node::queued_input;
  using ports = ::ashlar::flow::output_ports_base<OutputTuple>;
  using with_body = typename resource_limited_node::bodied;
  using job = ::ashlar::sched::job;
  using slot = ::ashlar::sched::slot;
  using graph_core = ::ashlar::flow::graph_core;
  using resource_pool = ::ashlar::flow::resource_pool;
  using resource_request = ::ashlar::flow::resource_request;
  using resource_use = ::ashlar::flow::resource_use;
  using provided_request = ::ashlar::flow::provided_request;
  struct work;
  friend input;
  friend ::ashlar::flow::node_job<work, resource_limited_node>;

 public:
  using typename ports::output_ports_type;

  template <typename Body, typename Limiter, typename... Limiters>
  resource_limited_node(graph& g, std::size_t limit, std::tuple<Limiter&, Limiters&...> limiters, Body body)
      : input(g, limit),
        ports(g),
        with_body(::ashlar::flow::resource_adapter<Input, output_ports_type, Limiter, Limiters...>(), body),
        places_(sort_pools(std::apply(
            [this](auto&... l) { return std::vector<resource_pool*>{this->pool_or_link(l)...}; }, limiters))),
        life_(*this, g.core()) {}
  /// The body that the other one was constructed with, and none of its edges.
  resource_limited_node(resource_limited_node const& other)
      : input(other),
        ports(other),
        with_body(other),
        pools_(other.pools_),
        links_(copies_of(other.links_)),
        places_(other.places_),
        life_(*this, other) {}

 private:
  // A message that has left the queue. The uses of its requests follow it: those of limiters, then those of providers.
  using message_job = ::ashlar::flow::message_job<resource_limited_node, Input, work>;
  struct work : message_job, resource_request {
    enum class state : unsigned char { fresh, notified, complete };
    work(resource_limited_node& n, ::ashlar::sched::task_pool* h, job::entry e) noexcept
        : message_job(n, h, e), resource_request(make_uses(this + 1, n), n.pools_.size(), &resume) {
      if (!n.links_.empty()) provided.emplace(n, *this, uses() + n.pools_.size());
    }
    static std::size_t size_in(resource_limited_node const& n) noexcept {
      return sizeof(work) + n.places_.size() * sizeof(resource_use);
    }
    resource_use* uses() noexcept { return reinterpret_cast<resource_use*>(this + 1); }
    static resource_use* make_uses(void* place, resource_limited_node const& n) noexcept {
      auto* const its = static_cast<resource_use*>(place);
      for (std::size_t i = 0; i < n.places_.size(); ++i) {
        ::new (static_cast<void*>(its + i)) resource_use();
        if (i < n.pools_.size()) its[i].pool = n.pools_[i];
      }
      return its;
    }
    static void resume(resource_request& r) noexcept { static_cast<work&>(r).resume_as(state::complete); }
    // It keeps its count of the graph while it waits, and what is started has one of its own.
    void resume_as(state s) noexcept {
      graph_core& g = this->node->core();
      slot& here = ::ashlar::sched::this_slot();
      has = s;
      g.start(here, *this);
      g.finish(here);
    }
    // Of the program's own providers.
    struct from_providers : provided_request {
      from_providers(resource_limited_node& n, work& w, resource_use* its) noexcept
          : provided_request(n.links_, its, n, &resume), of(&w) {}
      static void resume(provided_request& r) noexcept {
        static_cast<from_providers&>(r).of->resume_as(state::notified);
      }
      work* const of;
    };

    state has = state::fresh;
    std::optional<from_providers> provided;
  };

  job* activate(slot& here, work& w) noexcept {
    graph_core& g = this->core();
    if (w.has == work::state::fresh) waiting_.fetch_add(1, ::ashlar::mo::relaxed);
    if (w.has != work::state::complete && !get_all(here, w)) return nullptr;
    waiting_.fetch_sub(1, ::ashlar::mo::relaxed);
    bool const has_all = w.has == work::state::complete;
    if (has_all && !g.cancelled(here)) call(w);
    if (has_all) {
      w.release();
      if (w.provided) w.provided->release();
    }
    ::ashlar::flow::own_wait const wait(w.token, here);
    w.drop(here);
    work::end(here, w);
    return ::ashlar::flow::pass_on(g, here, this->next_work(here), wait);
  }
  // False: it waits, and may be gone; resume_as() goes on. True: it is complete, or the graph is cancelled, and it has
  // nothing.
  bool get_all(slot& here, work& w) noexcept {
    graph_core& g = this->core();
    if (w.provided) {
      w.has = work::state::notified;  // when acquire() goes on
      if (!g.cancelled(here) && !w.provided->acquire()) return false;
      if (g.cancelled(here) || !w.provided->has_all()) {
        w.provided->release();
        return true;
      }
    } else if (g.cancelled(here)) {
      return true;
    }
    if (!w.acquire()) return false;
    w.has = work::state::complete;
    return true;
  }
  void call(work& w) noexcept {
    ASHLAR_TRY {
      ::ashlar::flow::running_body const scope(w.token);
      this->body_.template call_for<true>(*this, w.message, this->ports_, w.uses(), places_.data());
    }
    ASHLAR_CATCH_ALL { this->core().fail_in(*this); }
  }
  // Null: it is a provider of the program's own, and among the links.
  template <typename Provider>
  resource_pool* pool_or_link(Provider& p) {
    if constexpr (::ashlar::flow::is_resource_pool<Provider>) {
      return &p;
    } else {
      links_.push_back(std::make_unique<::ashlar::flow::provider_link_of<Provider>>(p));
      return nullptr;
    }
  }
  static provided_request::links copies_of(provided_request::links const& its) {
    provided_request::links all;
    for (auto const& l : its) all.push_back(l->clone());
    return all;
  }
  // Requests lock pools, and ask providers, in the order of their addresses. Returns the place of the body's n-th in
  // that: those of the links come behind those of the pools.
  std::vector<std::size_t> sort_pools(std::vector<resource_pool*> const& in_order) {
    for (resource_pool* const p : in_order) {
      if (p != nullptr) pools_.push_back(p);
    }
    std::vector<void const*> providers;
    for (auto const& l : links_) providers.push_back(l->address());
    sort(pools_, [](resource_pool* p) { return p; });
    sort(links_, [](auto const& l) { return l->address(); });
    for (std::size_t i = 1; i < links_.size(); ++i) {
      if (links_[i]->address() == links_[i - 1]->address()) {
        ::ashlar::throw_exception(::ashlar::exception_id::invalid_argument);
      }
    }
    std::vector<bool> used(pools_.size());
    std::size_t link = 0;
    std::vector<std::size_t> places;
    for (resource_pool* const p : in_order) {
      std::size_t place = 0;
      if (p != nullptr) {
        while (pools_[place] != p || used[place]) ++place;
        used[place] = true;
      } else {
        while (links_[place]->address() != providers[link]) ++place;
        ++link;
        place += pools_.size();
      }
      places.push_back(place);
    }
    return places;
  }
  template <typename T, typename Address>
  static void sort(std::vector<T>& v, Address address) {
    for (std::size_t i = 1; i < v.size(); ++i) {
      for (std::size_t j = i; j != 0 && address(v[j]) < address(v[j - 1]); --j) std::swap(v[j], v[j - 1]);
    }
  }

  void reset_node(reset_flags f) override {
    this->settle();
    this->reset_body(f);
    this->reset_ports(f);
  }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("resource_limited_node");
    this->describe_ports(to);
    this->describe_input(to);
    unsigned const waiting = waiting_.load(::ashlar::mo::relaxed);
    if (waiting != 0) to.say("of those under way so many wait for resources: %u", waiting);
  }
  using life = ::ashlar::flow::node_base::life;
  life const& its_life() const noexcept override { return life_; }

  std::vector<resource_pool*> pools_;
  provided_request::links links_;
  std::vector<std::size_t> places_;
  ::ashlar::atomic<unsigned> waiting_{0};
  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, resource_limited_node)
}  // namespace flow
}  // namespace tbb
