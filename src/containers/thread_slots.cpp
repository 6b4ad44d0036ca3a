// SPDX-License-Identifier: Apache-2.0
#include "os/fork.h"

#include <ashlar/base/atomic.h>
#include <ashlar/base/memory.h>
#include <ashlar/containers/thread_slots.h>
#include <ashlar/sync/spin_mutex.h>

#include <pthread.h>

#include <cstring>
#include <new>

namespace ashlar::inline v1::containers {
namespace {

thread_slot nobody{0, nullptr};

constexpr std::size_t words = 1024;
constexpr std::size_t no_index = words * 64;

// The numbers of containers, and the indices in use. The lowest free one is taken, so that the tables stay small.
struct index_set {
  ::tbb::spin_mutex lock;
  std::uint64_t containers_made = 0;
  std::size_t first_free_word = 0;
  std::uint64_t used[words] = {};

  slot_key acquire() noexcept {
    ::tbb::spin_mutex::scoped_lock const hold(lock);
    std::size_t const index = take_index();
    return {++containers_made, index};
  }
  std::uint64_t new_number() noexcept {
    ::tbb::spin_mutex::scoped_lock const hold(lock);
    return ++containers_made;
  }
  std::size_t take_index() noexcept {
    while (first_free_word != words && used[first_free_word] == ~std::uint64_t{0}) ++first_free_word;
    if (first_free_word == words) return no_index;
    auto const bit = static_cast<std::size_t>(__builtin_ctzll(~used[first_free_word]));
    used[first_free_word] |= std::uint64_t{1} << bit;
    return first_free_word * 64 + bit;
  }
  void release(std::size_t index) noexcept {
    if (index == no_index) return;
    ::tbb::spin_mutex::scoped_lock const hold(lock);
    used[index / 64] &= ~(std::uint64_t{1} << index % 64);
    if (index / 64 < first_free_word) first_free_word = index / 64;
  }
};

constinit index_set indices;
constinit atomic<std::uint64_t> threads_seen{0};
__thread std::uint64_t my_number = 0;

// Runs after the destructors of thread_local objects; one that comes later and uses a container again makes a new
// table, and this runs once more.
void free_table(void* slots) {
  current_thread_slots = {0, &nobody};
  deallocate_memory(slots);
}

// Two threads may both make one: the first key stays. No static guard: a fork would leave it taken in the child.
bool set_at_exit(void* table) noexcept {
  static atomic<std::uint64_t> made{0};  // 1 + the key
  std::uint64_t known = made.load(mo::relaxed);
  if (known == 0) {
    pthread_key_t key;
    if (pthread_key_create(&key, free_table) != 0) return false;
    if (made.compare_exchange(known, std::uint64_t{key} + 1, mo::relaxed, mo::relaxed)) {
      known = std::uint64_t{key} + 1;
    } else {
      pthread_key_delete(key);
    }
  }
  return pthread_setspecific(static_cast<pthread_key_t>(known - 1), table) == 0;
}

// The set is whole in the child.
[[maybe_unused]] bool const kept_over_fork =
    os::add_fork_hooks({[]() noexcept { indices.lock.lock(); }, []() noexcept { indices.lock.unlock(); },
                        []() noexcept { indices.lock.unlock(); }});

bool enlarge_table(std::size_t index) noexcept {
  std::size_t size = 8;
  while (size <= index) size *= 2;
  thread_slot* bigger = nullptr;
  try {
    bigger = static_cast<thread_slot*>(allocate_memory(size * sizeof(thread_slot)));
  } catch (std::bad_alloc const&) {
    return false;
  }
  if (!set_at_exit(bigger)) {
    deallocate_memory(bigger);
    return false;
  }
  std::memset(bigger, 0, size * sizeof(thread_slot));
  thread_slots const old = current_thread_slots;
  std::memcpy(bigger, old.slots, (old.mask + 1) * sizeof(thread_slot));
  current_thread_slots = {size - 1, bigger};
  if (old.slots != &nobody) deallocate_memory(old.slots);
  return true;
}

}  // namespace

__thread thread_slots current_thread_slots = {0, &nobody};

slot_key acquire_slot_key() noexcept { return indices.acquire(); }

void release_slot_key(slot_key const& key) noexcept { indices.release(key.index); }

void renew_slot_key(slot_key& key) noexcept { key.container = indices.new_number(); }

bool store_slot(slot_key const& key, void* object) noexcept {
  if (key.index == no_index) return false;
  // `nobody` is shared and stays as it is.
  if ((key.index > current_thread_slots.mask || current_thread_slots.slots == &nobody) && !enlarge_table(key.index)) {
    return false;
  }
  current_thread_slots.slots[key.index] = {key.container, object};
  return true;
}

std::uint64_t thread_number() noexcept {
  if (my_number == 0) my_number = (threads_seen.fetch_add(1, mo::relaxed) + 1) * 2;
  return my_number;
}

}  // namespace ashlar::inline v1::containers
