// SPDX-License-Identifier: Apache-2.0
// How a program's own provider of resources and those who need them talk to each other (oneTBB has this in the preview
// of resource limiting, in tbb::detail::d2). Users include <tbb/flow_graph.h>.
//
//   consumer to provider        provider to consumer
//   request                     notify: a handle may be there
//   acquire                     a handle, or nothing: then the consumer requests again
//   release
//   withdraw, in place of acquire, when the consumer has no use for it any more
#pragma once

#include <ashlar/flow/resources/resource_pool.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Tells the requests of a consumer apart, and which of two requests is older: to serve older ones first keeps those
/// that need several resources from waiting for ever. It stays the same when a consumer requests again.
class request_id {
 public:
  /// The age is that of this call. Any thread.
  request_id(std::uint64_t const& number) noexcept  // NOLINT: implicit, as in oneTBB
      : number_(number), age_(::ashlar::flow::take_request_number()) {}
  std::uint64_t number() const noexcept { return number_; }
  std::uint64_t age() const noexcept { return age_; }
  /// The older one is less.
  bool operator<(request_id const& other) const noexcept { return age_ < other.age_; }
  bool operator==(request_id const& other) const noexcept { return number_ == other.number_ && age_ == other.age_; }
  struct hash {
    std::size_t operator()(request_id const& r) const noexcept { return static_cast<std::size_t>(r.number_); }
  };

 private:
  std::uint64_t number_;
  std::uint64_t age_;
};

/// A handle of a resource, or nothing.
template <typename ResourceHandle>
class resource_handle_optional : public std::optional<ResourceHandle> {
 public:
  using in_place_t = std::in_place_t;
  resource_handle_optional() = default;
  /// A handle of these arguments.
  template <typename... Args>
  resource_handle_optional(in_place_t, Args&&... args)
      : std::optional<ResourceHandle>(std::in_place, std::forward<Args>(args)...) {}
};

template <typename ResourceHandle>
class resource_provider_base;

/// Who needs a resource.
template <typename ResourceHandle>
class resource_consumer_base {
 public:
  using provider_type = resource_provider_base<ResourceHandle>;
  virtual ~resource_consumer_base() = default;
  /// It is worth while to acquire for this request. Once for each request, in request() or later, by any thread. The
  /// provider holds no lock that acquire() takes.
  virtual void notify(provider_type& from, request_id id) = 0;
};

/// Who hands out a resource. Programs derive from it and give the class a member type resource_handle_type, which is
/// the handle's; a resource_limited_node takes such providers beside resource_limiters. A provider must live as long as
/// messages that need it are under way. All members may be called by several threads at once.
template <typename ResourceHandle>
class resource_provider_base {
 public:
  using resource_handle_type = ResourceHandle;
  using consumer_type = resource_consumer_base<ResourceHandle>;
  using optional_type = resource_handle_optional<ResourceHandle>;

  virtual ~resource_provider_base() = default;
  /// The consumer needs a handle: it is to be notified when one may be there, even if it is only for an instant.
  virtual void request(consumer_type& by, request_id id) = 0;
  /// The consumer was notified. The request is over, whether there is a handle or not.
  virtual optional_type acquire(consumer_type& by, request_id id) = 0;
  /// So many requests of the consumer wait for being notified.
  virtual void report_pressure(consumer_type& /*by*/, std::size_t /*waiting*/) {}
  /// The handle comes back.
  virtual void release(consumer_type& by, request_id id, optional_type&& handle) = 0;
  /// The consumer will not acquire. The request is over.
  virtual void withdraw(consumer_type& by, request_id id) = 0;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, request_id)
ASHLAR_FLOW_KNOWN_IN(11, resource_handle_optional)
ASHLAR_FLOW_KNOWN_IN(11, resource_consumer_base)
ASHLAR_FLOW_KNOWN_IN(11, resource_provider_base)
}  // namespace flow

namespace detail {
namespace d2 {
inline namespace ashlar_v1 {
using ::tbb::flow::request_id;
using ::tbb::flow::resource_consumer_base;
using ::tbb::flow::resource_handle_optional;
using ::tbb::flow::resource_provider_base;
}  // namespace ashlar_v1
}  // namespace d2
}  // namespace detail
}  // namespace tbb
