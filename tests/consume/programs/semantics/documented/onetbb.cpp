// SPDX-License-Identifier: Apache-2.0
// Prints what docs/compatibility.md says that oneTBB does otherwise, a line each. run.py wants every line to differ, so
// that no row of the table there outlives its difference.
#define TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING 1
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#include "both.h"

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace {

// Equal only to copies of itself.
template <typename T>
struct own_memory {
  using value_type = T;
  explicit own_memory(int* of) : owner(of) {}
  template <typename U>
  own_memory(own_memory<U> const& other) : owner(other.owner) {}  // NOLINT: implicit
  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
  template <typename U>
  bool operator==(own_memory<U> const& other) const {
    return owner == other.owner;
  }
  template <typename U>
  bool operator!=(own_memory<U> const& other) const {
    return owner != other.owner;
  }
  int* owner;
};

// Equal by its type.
int asked = 0;
int allocations_of_one = 0;
template <typename T>
struct same_memory : std::allocator<T> {
  using propagate_on_container_move_assignment = std::false_type;
  using is_always_equal = std::true_type;
  template <typename U>
  struct rebind {
    using other = same_memory<U>;
  };
  T* allocate(std::size_t n) {
    allocations_of_one += n == 1;
    return std::allocator<T>::allocate(n);
  }
  same_memory() = default;
  template <typename U>
  same_memory(same_memory<U> const&) {}  // NOLINT: implicit
  template <typename U>
  bool operator==(same_memory<U> const&) const {
    return ++asked != 0;
  }
  template <typename U>
  bool operator!=(same_memory<U> const&) const {
    return ++asked == 0;
  }
};

struct positive {
  positive() = default;
  positive(int v) : value(v < 0 ? throw v : v) {}  // NOLINT: implicit
  int value = 0;
};
// Says that it passes only once.
struct input {
  using iterator_category = std::input_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = int const*;
  using reference = int const&;
  int const& operator*() const { return *at; }
  input& operator++() {
    ++at;
    return *this;
  }
  input operator++(int) { return {at++}; }
  friend bool operator==(input const& a, input const& b) { return a.at == b.at; }
  friend bool operator!=(input const& a, input const& b) { return a.at != b.at; }
  int const* at;
};

bool cancelled_graph_hands_on() {
  using namespace tbb::flow;
  graph g;
  function_node<int, int> node(g, serial, [&](int i) {
    g.cancel();
    return i;
  });
  queue_node<int> queue(g);
  make_edge(node, queue);
  node.try_put(1);
  g.wait_for_all();
  int got = 0;
  return queue.try_get(got);
}

// All requests are for one handle.
int notified_consumers() {
  struct consumer : tbb::detail::d2::resource_consumer_base<int> {
    void notify(provider_type&, tbb::detail::d2::request_id) override { ++notified; }
    int notified = 0;
  };
  tbb::flow::resource_limiter<int> limiter{1};
  consumer first, second;
  tbb::detail::d2::request_id const older(1), younger(2);
  limiter.request(first, older);
  limiter.request(second, younger);
  int const notified = first.notified + second.notified;
  limiter.withdraw(first, older);
  limiter.withdraw(second, younger);
  return notified;
}

// How many messages have been processed when a wait for the last of six is over, with one thread.
int before_the_wait_ends() {
  using namespace tbb::flow;
  int processed = 0, before = 0;
  tbb::task_arena(1).execute([&] {
    graph g;
    buffer_node<int> buffer(g);
    function_node<int, int> node(g, serial, [&](int i) noexcept { return ++processed, i; });
    make_edge(buffer, node);
    for (int i = 1; i <= 5; ++i) buffer.try_put(i);
    buffer.try_put_and_wait(6);
    before = processed;
    g.wait_for_all();
  });
  return before;
}

// What a loop in a group throws after another one in it has thrown, and the group was not reset.
std::string second_loop_of_a_failed_group() {
  tbb::task_group_context group;
  auto const loop = [&](bool fails) {
    tbb::parallel_for(
        0, 4,
        [&](int i) {
          if (fails) throw i;
        },
        group);
  };
  thrown([&] { loop(true); });
  return thrown([&] { loop(false); }).substr(0, 3);
}

// 0: the loop throws what its join has thrown.
int join_that_throws() {
  try {
    tbb::parallel_deterministic_reduce(
        tbb::blocked_range<int>(0, 64), 0, [](tbb::blocked_range<int> const&, int) { return 1; },
        [](int, int) -> int { throw 0; });
  } catch (int caught) {
    return caught;
  }
  return 1;
}

long iterations_of_a_wide_loop() {
  std::atomic<long> n{0};
  using small_int = signed char;
  tbb::parallel_for(small_int{-128}, small_int{127}, small_int{5}, [&](small_int) { ++n; });
  return n;
}

// Whether a set that was assigned to another one takes elements again.
bool filled_after_a_move() {
  using hash = std::function<std::size_t(int const&)>;
  using set = tbb::concurrent_unordered_set<int, hash>;
  hash const same = [](int const& i) { return std::size_t(i); };
  set from(8, same), to(8, same);
  from.insert(1);
  to = std::move(from);
  return thrown([&] { from.insert(2); }) == "nothing";
}

bool second_reader() {
  tbb::queuing_rw_mutex mutex;
  tbb::queuing_rw_mutex::scoped_lock const first(mutex, false);
  tbb::queuing_rw_mutex::scoped_lock second;
  return second.try_acquire(mutex, false);
}

int given_beside_a_reservation() {
  tbb::flow::graph g;
  tbb::flow::buffer_node<int> buffer(g);
  buffer.try_put(1);
  g.wait_for_all();
  int reserved = 0, given = 0;
  buffer.try_reserve(reserved);
  buffer.try_get(given);
  buffer.try_release();
  g.wait_for_all();
  return given;
}

long smaller_part() {
  tbb::blocked_range<int> range(0, 3);
  tbb::proportional_split one_to_nine(1, 9);
  tbb::blocked_range<int> const right(range, one_to_nine);
  return long(range.size());
}

}  // namespace

int main() {
  tbb::concurrent_vector<int> v;
  v.grow_by(5);
  tell("grow_to_at_least of less", v.grow_to_at_least(3) - v.begin());
  tell("text of an exception", text_of([&] { v.at(1000); }));
  tbb::concurrent_bounded_queue<int> q;
  tell("capacity by default", q.capacity());
  q.set_capacity(-1);
  tell("capacity of -1", q.capacity());
  tell("buckets at first", long(tbb::concurrent_hash_map<int, int>().bucket_count()));
  tbb::concurrent_unordered_set<int> one{1};
  tell("a range of one element is divisible", one.range().is_divisible());
  tell("fp_settings", tbb::task_group_context::fp_settings);
  using keyed = tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_key_per_instance>;
  keyed from;
  from.local() = 1;
  tbb::enumerable_thread_specific<int> to;
  to = std::move(from);
  tell("thread-local elements that were moved from", long(from.size()));
  int one_memory = 0, other_memory = 0;
  tbb::concurrent_vector<int, own_memory<int>> lost{own_memory<int>(&one_memory)};
  lost.push_back(1);
  tbb::concurrent_vector<int, own_memory<int>> won{std::move(lost), own_memory<int>(&other_memory)};
  tbb::concurrent_vector<int, same_memory<int>> left, right;
  left = std::move(right);
  tell("an allocator that is always equal is asked", asked != 0);
  allocations_of_one = 0;
  tbb::concurrent_hash_map<int, int, tbb::tbb_hash_compare<int>, same_memory<std::pair<int const, int>>> map;
  for (int i = 0; i != 100; ++i) map.insert({i, i});
  tell("allocations of one node for 100 elements", allocations_of_one);
  int const numbers[] = {1, -1, 1};
  tbb::concurrent_vector<positive> failed;
  thrown([&] { failed.assign(input{numbers}, input{numbers + 3}); });
  tell("elements of a failed assign", long(failed.size()));
  tell("elements that were moved to other memory", long(lost.size()));
  tell("a wait for what an overwrite_node keeps ends", in_child([] {
         alarm(2);
         tbb::flow::graph g;
         tbb::flow::overwrite_node<int> node(g);
         node.try_put_and_wait(1);
         return 0;
       }));
  tell("a cancelled graph hands a result on", cancelled_graph_hands_on());
  tell("notified consumers of one handle", notified_consumers());
  tell("messages of a buffer_node before a try_put_and_wait returns", before_the_wait_ends());
  tell("a second loop of a group that has failed throws", second_loop_of_a_failed_group());
  tell("a reduction whose join throws", in_child(join_that_throws));
  tell("iterations of a signed char from -128 to 127 by fives", iterations_of_a_wide_loop());
  tell("a set that was moved from is filled again", filled_after_a_move());
  tell("a reader tries a queuing_rw_mutex that a reader holds", second_reader());
  tell("what a buffer_node gives beside a reservation", given_beside_a_reservation());
  tell("iterations of the smaller part of 3, by 1 to 9", smaller_part());
  differences_from_both();
}
