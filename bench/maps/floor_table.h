// SPDX-License-Identifier: Apache-2.0
// What a hash map costs at least: a chained table of fixed size, whose nodes lie in one array in the order of
// insertion, both in huge pages, as the maps' keys are hashed. It never grows and never reuses a node. With Locks it
// pays for what concurrent_hash_map's interface asks for and nothing else: a lock per bucket to insert and erase, and
// per element a reader's lock (two locked instructions) to find. Without, it is for one thread.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>

namespace bench {

template <typename T>
class huge_array {
 public:
  explicit huge_array(std::size_t n) : bytes_(n * sizeof(T) + 2 * page) {
    void* const p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    all_ = p;
    first_ = reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(p) + page - 1) & ~(page - 1));
    (void)madvise(first_, n * sizeof(T) + page, MADV_HUGEPAGE);
  }
  huge_array(huge_array const&) = delete;
  ~huge_array() { munmap(all_, bytes_); }
  T& operator[](std::size_t i) const { return first_[i]; }

 private:
  static constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  std::size_t bytes_;
  void* all_;
  T* first_;
};

template <typename Key, bool Locks>
class floor_table {
  static constexpr unsigned bits = 20;
  static constexpr std::size_t most_nodes = std::size_t{4} << 20;
  struct node {
    std::atomic<std::uint32_t> lock;  // readers
    std::uint32_t next;
    std::uint32_t hash;
    Key key;
    std::int64_t value;
  };
  struct bucket {
    std::atomic<std::uint32_t> locked;
    std::atomic<std::uint32_t> head;  // the number of a node; 0: none
  };
  struct bucket_lock {
    bucket& of;
    explicit bucket_lock(bucket& b) : of(b) {
      if (Locks) {
        while (of.locked.exchange(1, std::memory_order_acquire) != 0) {
        }
      }
    }
    ~bucket_lock() {
      if (Locks) of.locked.store(0, std::memory_order_release);
    }
  };

 public:
  floor_table() : buckets_(std::size_t{1} << bits), nodes_(most_nodes) {}
  ~floor_table() {
    for (std::size_t b = 0; b < std::size_t{1} << bits; ++b) {
      for (std::uint32_t i = buckets_[b].head; i != 0; i = nodes_[i].next) nodes_[i].key.~Key();
    }
  }

  bool insert(Key const& k) {
    std::uint32_t const h = hash_of(k);
    bucket& b = buckets_[h >> (32 - bits)];
    bucket_lock const own(b);
    std::uint32_t const head = b.head.load(std::memory_order_relaxed);
    for (std::uint32_t i = head; i != 0; i = nodes_[i].next) {
      if (nodes_[i].hash == h && nodes_[i].key == k) return false;
    }
    std::uint32_t const i = Locks ? used_.fetch_add(1, std::memory_order_relaxed) : next_++;
    node& n = nodes_[i];
    n.next = head;
    n.hash = h;
    new (&n.key) Key(k);
    n.value = 1;
    b.head.store(i, std::memory_order_release);
    return true;
  }
  bool find(Key const& k) const {
    std::uint32_t const h = hash_of(k);
    std::uint32_t i = buckets_[h >> (32 - bits)].head.load(std::memory_order_acquire);
    for (; i != 0; i = nodes_[i].next) {
      node& n = nodes_[i];
      if (n.hash != h) continue;
      if (Locks) n.lock.fetch_add(1, std::memory_order_acquire);
      bool const good = n.key == k && n.value == 1;
      if (Locks) n.lock.fetch_sub(1, std::memory_order_release);
      if (good) return true;
    }
    return false;
  }
  bool erase(Key const& k) {
    std::uint32_t const h = hash_of(k);
    bucket& b = buckets_[h >> (32 - bits)];
    std::uint32_t before = 0;
    std::uint32_t i;
    {
      bucket_lock const own(b);
      i = b.head.load(std::memory_order_relaxed);
      for (; i != 0; before = i, i = nodes_[i].next) {
        if (nodes_[i].hash == h && nodes_[i].key == k) break;
      }
      if (i == 0) return false;
      node& n = nodes_[i];
      before == 0 ? b.head.store(n.next, std::memory_order_relaxed) : void(nodes_[before].next = n.next);
      if (Locks && n.lock.fetch_add(1u << 31, std::memory_order_acquire) != 0) return false;  // nobody reads meanwhile
    }
    nodes_[i].key.~Key();
    return true;
  }

 private:
  static std::uint32_t hash_of(Key const& k) {
    return static_cast<std::uint32_t>(std::hash<Key>()(k) * std::uint64_t{0x9E3779B97F4A7C15} >> 32);
  }

  huge_array<bucket> buckets_;
  huge_array<node> nodes_;
  std::uint32_t next_ = 1;
  std::atomic<std::uint32_t> used_{1};
};

}  // namespace bench
