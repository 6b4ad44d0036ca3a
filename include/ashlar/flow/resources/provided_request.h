// SPDX-License-Identifier: Apache-2.0
// What one message of a node asks of the program's own providers: a handle of each.
//
// It asks one provider after the other, in the order of their addresses, and keeps what it has got: all messages go in
// that order, so that they never wait for each other in a circle. To ask all of them first, and to acquire when all
// have notified, would not do: a provider may notify one of those who wait for a handle, which then waits for another
// one.
//
// Threads    any; the members of a request are called by whoever has the message.
// Invariants PQ1 missing_ counts the provider that is to notify, and whoever is asking it.
// Ordering   [PQ1] the provider has notified, or was asked: release -> [PQ2] whoever is last goes on: acquire
#pragma once

#include <ashlar/flow/resources/resource_provider.h>

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ashlar {
inline namespace v1 {
namespace flow {

class provided_request;

/// A node, as one of its providers sees it. The functions throw what the provider does.
class provider_link {
 public:
  virtual ~provider_link() = default;
  virtual std::unique_ptr<provider_link> clone() const = 0;
  virtual void const* address() const noexcept = 0;  // of the provider
  virtual void ask(provided_request& r) = 0;
  /// Tells the provider how many wait.
  virtual void report() = 0;
  /// Null: the provider has no handle.
  virtual resource_cell* acquire(provided_request& r) = 0;
  virtual void release(provided_request& r, resource_cell* c) = 0;
  virtual void withdraw(provided_request& r) = 0;
};

class provided_request {
 public:
  using links = std::vector<std::unique_ptr<provider_link>>;

  /// The handles come into `uses`, in the order of the links, which is that of addresses. Once it has waited, `resume`
  /// is called by the thread that notifies. What providers throw cancels the graph of the node.
  provided_request(links const& l, resource_use* uses, node_base& n,
                   void (*resume)(provided_request&) noexcept) noexcept
      : id(take_request_number()),
        links_(l.data()),
        number_of_links_(l.size()),
        uses_(uses),
        node_(n),
        resume_(resume) {}
  provided_request(provided_request const&) = delete;
  provided_request& operator=(provided_request const&) = delete;

  /// Goes on to get handles. True: it has all, or a provider has thrown. False: it waits, and may be gone.
  ASHLAR_EXPORT bool acquire() noexcept;
  bool has_all() const noexcept { return got_ == number_of_links_; }
  /// Gives back what it has. It doesn't wait.
  ASHLAR_EXPORT void release() noexcept;
  void notified() noexcept {
    if (missing_.fetch_sub(1, mo::acq_rel) == 1) resume_(*this);  // [PQ1] [PQ2]
  }

  tbb::flow::request_id const id;

 private:
  template <typename F>
  bool call_caught(F const& f) noexcept;

  // No vector: the program's may have another layout than the library's (-D_GLIBCXX_DEBUG).
  std::unique_ptr<provider_link> const* const links_;
  std::size_t const number_of_links_;
  resource_use* const uses_;
  node_base& node_;
  void (*const resume_)(provided_request&) noexcept;
  std::size_t got_ = 0;  // so many handles
  bool asked_ = false;   // the next provider, which has notified
  atomic<int> missing_{0};
};

/// A handle that a provider has given.
template <typename ResourceHandle>
struct provided_cell : resource_cell {
  explicit provided_cell(tbb::flow::resource_handle_optional<ResourceHandle>&& h) : handle(std::move(h)) {}
  tbb::flow::resource_handle_optional<ResourceHandle> handle;
};

template <typename Provider>
class provider_link_of final : public provider_link,
                               public tbb::flow::resource_consumer_base<typename Provider::resource_handle_type> {
  using handle = typename Provider::resource_handle_type;
  using base = tbb::flow::resource_provider_base<handle>;
  using cell = provided_cell<handle>;
  static_assert(std::is_base_of_v<base, Provider>,
                "resource_limited_node: what provides its resources is a resource_limiter, or a class that is derived "
                "from resource_provider_base<Handle> and has Handle as its member type resource_handle_type");

 public:
  explicit provider_link_of(Provider& p) noexcept : provider_(p) {}
  std::unique_ptr<provider_link> clone() const override { return std::make_unique<provider_link_of>(provider_); }
  void const* address() const noexcept override { return &provider(); }

  void ask(provided_request& r) override {
    std::uint64_t const number = r.id.number();
    {
      guard const held(lock_);
      asked_.emplace(number, &r);
    }
    ASHLAR_TRY { provider().request(*this, r.id); }
    ASHLAR_CATCH_ALL {
      if (take(number) == nullptr) return;  // it has notified, too
      ASHLAR_RETHROW;
    }
  }
  void report() override {
    std::size_t waiting;
    {
      guard const held(lock_);
      waiting = asked_.size();
    }
    if (waiting != 0) provider().report_pressure(*this, waiting);
  }
  resource_cell* acquire(provided_request& r) override {
    auto got = provider().acquire(*this, r.id);
    if (!got.has_value()) return nullptr;
    ASHLAR_TRY { return new cell(std::move(got)); }
    ASHLAR_CATCH_ALL {
      provider().release(*this, r.id, std::move(got));
      ASHLAR_RETHROW;
    }
    return nullptr;
  }
  void release(provided_request& r, resource_cell* c) override {
    std::unique_ptr<cell> const it(static_cast<cell*>(c));
    provider().release(*this, r.id, std::move(it->handle));
  }
  void withdraw(provided_request& r) override { provider().withdraw(*this, r.id); }

  /// Who has not asked, or was notified before, is left alone.
  void notify(base&, tbb::flow::request_id id) override {
    if (provided_request* const r = take(id.number())) r->notified();
  }

 private:
  base& provider() const noexcept { return provider_; }
  provided_request* take(std::uint64_t number) {
    guard const held(lock_);
    auto const at = asked_.find(number);
    if (at == asked_.end()) return nullptr;
    provided_request* const r = at->second;
    asked_.erase(at);
    return r;
  }

  Provider& provider_;
  lock lock_;
  std::unordered_map<std::uint64_t, provided_request*> asked_;  // those that wait, by the numbers of their ids
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
