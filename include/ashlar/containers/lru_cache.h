// SPDX-License-Identifier: Apache-2.0
// tbb::concurrent_lru_cache: a map under a lock, and the list of its unused entries. include/tbb/concurrent_lru_cache.h
// documents it.
//
// Invariants LC-I1 an entry is in the list if and only if it has a value and no users; one without either goes.
//            LC-I2 a value is made under its entry's own lock, so that others get at theirs meanwhile, and it is
//                  destroyed under no lock.
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/sync/mutex.h>

#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace tbb {
ASHLAR_HOME(6)

template <typename Key, typename Value, typename ValueFunction = Value (*)(Key)>
class concurrent_lru_cache {
  struct entry;
  using storage = std::map<Key, entry>;
  using place = typename storage::iterator;
  using lock = ::ashlar::sync::adaptive_mutex::scoped_lock;

  struct entry {
    ::ashlar::sync::adaptive_mutex making;
    std::optional<Value> value;
    std::size_t users = 0;
    // Neighbours in the list of unused entries.
    entry* older = nullptr;
    entry* newer = nullptr;
    place self;
  };

 public:
  using key_type = Key;
  using value_type = Value;
  using pointer = Value*;
  using reference = Value&;
  using const_pointer = Value const*;
  using const_reference = Value const&;
  using value_function_type = ValueFunction;
  class handle_object;
  using handle = handle_object;

  // Keeps the value in the cache. Belongs to one thread; must not outlive the cache.
  class handle_object {
   public:
    handle_object() noexcept = default;
    handle_object(handle_object&& other) noexcept
        : cache_(std::exchange(other.cache_, nullptr)), entry_(std::exchange(other.entry_, nullptr)) {}
    handle_object& operator=(handle_object&& other) noexcept {
      if (this != &other) {
        release();
        cache_ = std::exchange(other.cache_, nullptr);
        entry_ = std::exchange(other.entry_, nullptr);
      }
      return *this;
    }
    ~handle_object() { release(); }

    operator bool() const noexcept { return entry_ != nullptr; }
    Value& value() noexcept {
      ASHLAR_ASSERT(entry_, "value() of an empty handle");
      return *entry_->value;
    }

   private:
    friend concurrent_lru_cache;
    handle_object(concurrent_lru_cache& c, entry& e) noexcept : cache_(&c), entry_(&e) {}
    void release() noexcept {
      if (entry_ != nullptr) cache_->leave(*entry_);
      entry_ = nullptr;
    }

    concurrent_lru_cache* cache_ = nullptr;
    entry* entry_ = nullptr;
  };

  concurrent_lru_cache(ValueFunction function, std::size_t history)
      : function_(std::move(function)), history_(history) {}
  concurrent_lru_cache(concurrent_lru_cache const&) = delete;
  concurrent_lru_cache& operator=(concurrent_lru_cache const&) = delete;
  ~concurrent_lru_cache() = default;

  handle operator[](Key key) {
    entry& e = enter(key);
    e.making.lock();
    ASHLAR_TRY {
      if (!e.value) e.value.emplace(function_(key));
    }
    ASHLAR_CATCH_ALL {
      give_up(e);
      ASHLAR_RETHROW;
    }
    e.making.unlock();
    return handle(*this, e);
  }

 private:
  entry& enter(Key const& key) {
    lock const guard(mutex_);
    auto const [where, fresh] = entries_.try_emplace(key);
    entry& e = where->second;
    if (fresh) e.self = where;
    if (e.users++ == 0 && e.value) unlink(e);
    return e;
  }
  void leave(entry& e) noexcept {
    typename storage::node_type gone;
    lock const guard(mutex_);
    if (--e.users != 0) return;
    append(e);
    if (unused_ > history_) {
      entry& oldest = *oldest_;
      unlink(oldest);
      gone = entries_.extract(oldest.self);
    }
  }

  // The value of `e` could not be made. Who waits to make it next must not find this thread among the users: the value
  // would count as used beyond its last handle.
  void give_up(entry& e) noexcept {
    typename storage::node_type gone;
    {
      lock const guard(mutex_);
      if (--e.users == 0) gone = entries_.extract(e.self);
    }
    e.making.unlock();
  }

  void append(entry& e) noexcept {
    e.older = newest_;
    (newest_ ? newest_->newer : oldest_) = &e;
    newest_ = &e;
    ++unused_;
  }
  void unlink(entry& e) noexcept {
    (e.older ? e.older->newer : oldest_) = e.newer;
    (e.newer ? e.newer->older : newest_) = e.older;
    e.older = e.newer = nullptr;
    --unused_;
  }

  ValueFunction function_;
  std::size_t const history_;
  ::ashlar::sync::adaptive_mutex mutex_;
  storage entries_;
  entry* oldest_ = nullptr;
  entry* newest_ = nullptr;
  std::size_t unused_ = 0;
};

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(6, concurrent_lru_cache)

}  // namespace tbb
