// SPDX-License-Identifier: Apache-2.0
// tbb::flow::resource_limiter, a preview of oneTBB's. Users define TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING or
// TBB_PREVIEW_FLOW_GRAPH_FEATURES and include <tbb/flow_graph.h>.
//
// A resource_limited_node asks the pool itself. As a resource_provider_base a limiter serves consumers of the program's
// own beside the nodes, by the same rule: who asked first is preferred.
//
// Threads    any.
// Invariants RL1 a consumer that is notified has no handle yet: it lies in the pool, and the consumer wakes others if
//                it does not get the handle.
#pragma once

#include <ashlar/base/throw.h>
#include <ashlar/flow/resources/resource_pool.h>
#include <ashlar/flow/resources/resource_provider.h>

#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Keeps handles of a resource, each of which one body or consumer has at a time. It must live as long as messages that
/// need it are under way, and as long as requests last.
template <typename ResourceHandle>
class resource_limiter : public ::ashlar::flow::resource_pool, public resource_provider_base<ResourceHandle> {
  using base = resource_provider_base<ResourceHandle>;
  using use = ::ashlar::flow::resource_use;
  using guard = ::ashlar::flow::guard;
  struct cell : ::ashlar::flow::resource_cell {
    template <typename... Args>
    explicit cell(Args&&... args) : handle(std::in_place, std::forward<Args>(args)...) {}
    std::optional<ResourceHandle> handle;  // nothing: a consumer has it
    std::unique_ptr<cell> older;
  };

 public:
  using resource_handle_type = ResourceHandle;
  using typename base::consumer_type;
  using typename base::optional_type;

  resource_limiter(std::initializer_list<ResourceHandle> handles) : resource_limiter(handles.begin(), handles.end()) {}
  // Throws std::invalid_argument if there is no handle: no body could ever run.
  template <typename Iterator, typename = typename std::iterator_traits<Iterator>::iterator_category>
  resource_limiter(Iterator first, Iterator last) {
    for (; first != last; ++first) add_handle(*first);
    if (cells_ == nullptr) ::ashlar::throw_exception(::ashlar::exception_id::invalid_argument);
  }
  template <typename Sequence, typename = decltype(std::begin(std::declval<Sequence&>())),
            typename = std::enable_if_t<!std::is_base_of_v<resource_limiter, std::decay_t<Sequence>>>>
  resource_limiter(Sequence&& handles) : resource_limiter(std::begin(handles), std::end(handles)) {}
  // A handle of the arguments in each tuple.
  template <typename Tuple, typename... Tuples>
  resource_limiter(std::piecewise_construct_t, Tuple&& arguments, Tuples&&... more) {
    add_piecewise(std::forward<Tuple>(arguments));
    (add_piecewise(std::forward<Tuples>(more)), ...);
  }
  resource_limiter(resource_limiter const&) = delete;
  resource_limiter& operator=(resource_limiter const&) = delete;
  ~resource_limiter() override {
    while (cells_ != nullptr) cells_ = std::move(cells_->older);  // not by recursion
    while (askers_ != nullptr) askers_ = std::move(askers_->next);
  }

  // For consumers of the program's own; any thread. request() throws std::bad_alloc.
  void request(consumer_type& by, request_id id) override {
    auto fresh = std::make_unique<asker>(*this, by, id);
    asker& a = *fresh;
    {
      guard const held(askers_lock_);
      fresh->next = std::move(askers_);
      askers_ = std::move(fresh);
    }
    if (a.acquire()) asker::resume(a);
  }
  /// Nothing: somebody else was faster, or an older request is to have the handle. A handle that can't be moved is
  /// never handed out.
  optional_type acquire(consumer_type& /*by*/, request_id id) override {
    optional_type handle;
    if constexpr (std::is_move_constructible_v<ResourceHandle>) {
      if (cell* const c = static_cast<cell*>(this->take_for(id.age()))) {
        ASHLAR_TRY { handle.emplace(std::move(*c->handle)); }
        ASHLAR_CATCH_ALL {
          this->put_back(*c);
          this->wake_waiters();
          ASHLAR_RETHROW;
        }
        c->handle.reset();
        guard const held(askers_lock_);
        c->next = std::exchange(empty_, c);
        return handle;
      }
    }
    this->wake_waiters();
    return handle;
  }
  /// Throws std::bad_alloc, if the handle is not one of this limiter's, and what its move constructor throws.
  void release(consumer_type& /*by*/, request_id /*id*/, optional_type&& handle) override {
    if constexpr (std::is_move_constructible_v<ResourceHandle>) {
      if (!handle.has_value()) return;
      cell* c;
      {
        guard const held(askers_lock_);
        c = static_cast<cell*>(empty_);
        if (c != nullptr) {
          c->handle.emplace(std::move(*handle));
          empty_ = c->next;
        } else {
          c = &make_cell(std::move(*handle));
        }
      }
      this->put_back(*c);
      this->wake_waiters();
    }
  }
  void withdraw(consumer_type& by, request_id id) override {
    {
      guard const held(askers_lock_);
      std::unique_ptr<asker>* at = &askers_;
      while (*at != nullptr && !((*at)->by == &by && (*at)->id == id)) at = &(*at)->next;
      if (*at != nullptr) {
        (*at)->by = nullptr;  // for a thread that is about to notify it
        if ((*at)->withdraw()) *at = std::move((*at)->next);
      }
    }
    this->wake_waiters();
  }

  // The handle that a use stands for.
  static ResourceHandle& handle_of(use const& u) noexcept { return *static_cast<cell*>(u.cell)->handle; }

 private:
  // A request of a consumer of the program's own, until it is notified.
  struct asking {
    use its;
  };
  struct asker : asking, ::ashlar::flow::resource_request {
    using ::ashlar::flow::resource_request::withdraw;
    asker(resource_limiter& l, consumer_type& consumer, request_id number) noexcept
        : asking{use{&l}}, resource_request(&this->its, 1, &resume), of(l), by(&consumer), id(number) {
      this->set_age(number.age());
    }
    static void resume(::ashlar::flow::resource_request& r) noexcept {
      static_cast<asker&>(r).of.notify(static_cast<asker&>(r));
    }
    resource_limiter& of;
    consumer_type* by;  // null: it has withdrawn
    request_id const id;
    std::unique_ptr<asker> next;
  };

  // It could have a handle.
  void notify(asker& a) noexcept {
    this->put_back(*std::exchange(a.its.cell, nullptr));
    std::unique_ptr<asker> over;
    {
      guard const held(askers_lock_);
      std::unique_ptr<asker>* at = &askers_;
      while (at->get() != &a) at = &(*at)->next;
      over = std::move(*at);
      *at = std::move(over->next);
    }
    if (over->by != nullptr) return over->by->notify(*this, over->id);
    this->wake_waiters();
  }
  template <typename... Args>
  cell& make_cell(Args&&... args) {
    auto fresh = std::make_unique<cell>(std::forward<Args>(args)...);
    fresh->older = std::move(cells_);
    cells_ = std::move(fresh);
    return *cells_;
  }
  template <typename... Args>
  void add_handle(Args&&... args) {
    this->put_back(make_cell(std::forward<Args>(args)...));
  }
  template <typename Tuple>
  void add_piecewise(Tuple&& arguments) {
    std::apply([this](auto&&... a) { add_handle(std::forward<decltype(a)>(a)...); }, std::forward<Tuple>(arguments));
  }
  std::unique_ptr<cell> cells_;
  ::ashlar::flow::lock askers_lock_;
  std::unique_ptr<asker> askers_;
  ::ashlar::flow::resource_cell* empty_ = nullptr;  // of the handles that consumers have
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, resource_limiter)
}  // namespace flow
}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace flow {

// What a node asks for several resources at once; a class derived from resource_limiter may do it in its own way.
template <typename Limiter>
inline constexpr bool is_resource_pool =
    std::is_same_v<Limiter, tbb::flow::resource_limiter<typename Limiter::resource_handle_type>>;

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
