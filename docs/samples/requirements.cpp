// SPDX-License-Identifier: Apache-2.0
// The smallest types that meet each named requirement of docs/guide/requirements.md, each used by what requires it.
#include <tbb/blocked_range.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/partitioner.h>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <new>
#include <utility>
#include <vector>

namespace {

using part = tbb::blocked_range<int>;

class halves {
 public:
  explicit halves(int size) : size_(size) {}
  halves(halves const&) = default;
  halves(halves& whole, tbb::split) : size_(whole.size_ / 2) { whole.size_ -= size_; }

  bool empty() const { return size_ == 0; }
  bool is_divisible() const { return size_ > 1; }
  int size() const { return size_; }

 private:
  int size_;
};

struct counts_parts {
  void operator()(halves const& part) const { *sum += part.size(); }

  std::atomic<int>* sum;
};

bool range_and_body() {
  std::atomic<int> sum{0};
  tbb::parallel_for(halves(100), counts_parts{&sum});
  return sum == 100;
}

struct sum_body {
  sum_body() = default;
  sum_body(sum_body&, tbb::split) {}
  void operator()(part const& r) {
    for (int i = r.begin(); i != r.end(); ++i) sum += i;
  }
  void join(sum_body& right) { sum += right.sum; }

  int sum = 0;
};

bool reduction() {
  sum_body body;
  tbb::parallel_reduce(part(0, 100), body);
  auto const accumulate = [](part const& r, int value) {
    for (int i = r.begin(); i != r.end(); ++i) value += i;
    return value;
  };
  auto const combine = [](int left, int right) { return left + right; };
  return body.sum == 4950 && tbb::parallel_reduce(part(0, 100), 0, accumulate, combine) == 4950;
}

struct running_sum {
  explicit running_sum(int* out) : sums(out) {}
  running_sum(running_sum& other, tbb::split) : sums(other.sums) {}
  template <typename Tag>
  void operator()(part const& r, Tag) {
    for (int i = r.begin(); i != r.end(); ++i) {
      sum += i;
      if (Tag::is_final_scan()) sums[i] = sum;
    }
  }
  void reverse_join(running_sum& left) { sum += left.sum; }
  void assign(running_sum& other) { sum = other.sum; }

  int* sums;
  int sum = 0;
};

bool scan() {
  std::vector<int> sums(100);
  running_sum body(sums.data());
  tbb::parallel_scan(part(0, 100), body);
  return body.sum == 4950 && sums[3] == 6;
}

struct doubles {
  void operator()(int item, tbb::feeder<int>& more) const {
    ++*called;
    if (item < 8) more.add(2 * item);
  }

  std::atomic<int>* called;
};

bool items() {
  std::atomic<int> called{0};
  std::vector<int> const first{1};
  tbb::parallel_for_each(first.begin(), first.end(), doubles{&called});
  return called == 4;
}

struct source {
  int operator()(tbb::flow_control& control) const {
    if (*left == 0) control.stop();
    return (*left)--;
  }

  int* left;
};

struct sink {
  void operator()(int item) const { *sum += item; }

  int* sum;
};

bool filters() {
  int left = 10, sum = 0;
  tbb::parallel_pipeline(4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, source{&left}) &
                                tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, sink{&sum}));
  return sum == 55;
}

struct square {
  int operator()(int const& message) const { return message * message; }
};

struct odd_only {
  using node = tbb::flow::multifunction_node<int, std::tuple<int>>;
  void operator()(int const& message, node::output_ports_type& ports) const {
    if (message % 2 != 0) std::get<0>(ports).try_put(message);
  }
};

bool nodes() {
  tbb::flow::graph g;
  tbb::flow::function_node<int, int> first(g, tbb::flow::unlimited, square());
  odd_only::node second(g, tbb::flow::unlimited, odd_only());
  tbb::flow::queue_node<int> out(g);
  tbb::flow::make_edge(first, second);
  tbb::flow::make_edge(tbb::flow::output_port<0>(second), out);
  first.try_put(2);
  first.try_put(3);
  g.wait_for_all();
  int got = 0;
  return out.try_get(got) && got == 9 && !out.try_get(got);
}

struct point {
  int x, y;
};

struct by_column {
  std::size_t hash(point const& key) const { return std::size_t(key.x); }
  bool equal(point const& a, point const& b) const { return a.x == b.x; }
};

bool keys() {
  tbb::concurrent_hash_map<point, int, by_column> map;
  return map.insert({point{1, 2}, 1}) && !map.insert({point{1, 3}, 2});
}

class flag_mutex {
 public:
  class scoped_lock {
   public:
    scoped_lock() = default;
    explicit scoped_lock(flag_mutex& mutex) { acquire(mutex); }
    scoped_lock(scoped_lock const&) = delete;
    scoped_lock& operator=(scoped_lock const&) = delete;
    ~scoped_lock() {
      if (mutex_ != nullptr) release();
    }
    void acquire(flag_mutex& mutex) {
      while (!try_acquire(mutex)) {
      }
    }
    bool try_acquire(flag_mutex& mutex) {
      if (mutex.taken_.exchange(true)) return false;
      mutex_ = &mutex;
      return true;
    }
    void release() { std::exchange(mutex_, nullptr)->taken_ = false; }

   private:
    flag_mutex* mutex_ = nullptr;
  };
  static constexpr bool is_rw_mutex = false, is_recursive_mutex = false, is_fair_mutex = false;

 private:
  std::atomic<bool> taken_{false};
};

bool mutex() {
  flag_mutex lock;
  int count = 0;
  tbb::parallel_for(0, 100, [&](int) {
    flag_mutex::scoped_lock const alone(lock);
    ++count;
  });
  return count == 100;
}

template <typename T>
struct plain_allocator {
  using value_type = T;
  plain_allocator() = default;
  template <typename U>
  plain_allocator(plain_allocator<U> const&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T))); }
  void deallocate(T* p, std::size_t) { ::operator delete(p); }
  template <typename U>
  bool operator==(plain_allocator<U> const&) const {
    return true;
  }
  template <typename U>
  bool operator!=(plain_allocator<U> const&) const {
    return false;
  }
};

bool allocator() {
  using element = std::pair<int const, int>;
  tbb::concurrent_hash_map<int, int, tbb::tbb_hash_compare<int>, plain_allocator<element>> map;
  return map.insert({1, 2});
}

}  // namespace

int main() {
  bool const right =
      range_and_body() && reduction() && scan() && items() && filters() && nodes() && keys() && mutex() && allocator();
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
