// SPDX-License-Identifier: Apache-2.0
#include "os/fork.h"
#include "os/thread_end.h"
#include "os/thread_start.h"

#include <ashlar/base/atomic.h>
#include <ashlar/containers/thread_slots.h>
#include <ashlar/os/memory.h>
#include <ashlar/sync/spin_mutex.h>

#include <cstring>
#include <new>

namespace ashlar::inline v1::containers {
namespace {

thread_slot nobody{0, nullptr};

constexpr std::size_t words = 1024;
constexpr std::size_t no_index = words * 64;

// Small numbers of which each belongs to one holder at a time. The lowest free one is taken: so tables that are indexed
// by them stay small, and there are never more of them than there were holders at once.
struct number_set {
  std::size_t first_free_word = 0;
  std::uint64_t used[words] = {};

  /// no_index if all are taken.
  std::size_t take() noexcept {
    while (first_free_word != words && used[first_free_word] == ~std::uint64_t{0}) ++first_free_word;
    if (first_free_word == words) return no_index;
    auto const bit = static_cast<std::size_t>(__builtin_ctzll(~used[first_free_word]));
    used[first_free_word] |= std::uint64_t{1} << bit;
    return first_free_word * 64 + bit;
  }
  void give_back(std::size_t number) noexcept {
    if (number >= no_index) return;
    used[number / 64] &= ~(std::uint64_t{1} << number % 64);
    if (number / 64 < first_free_word) first_free_word = number / 64;
  }
};

// The living threads' numbers, and who had those that are free. Each is used again, but not by a thread that was there
// before the last holder ended: both may have done a part of the same work, and each expects an element of its own.
class thread_numbers {
 public:
  struct answer {
    std::size_t number;  // no_index if all are taken
    bool second_hand;    // a thread that has ended had it
  };
  // Takes the free number whose last holder had the same thread pointer, and so had ended before this thread began;
  // else the lowest one whose holder had ended by `start`, which 0 means none; else a new one, unless `only_known`.
  answer take(std::uintptr_t thread, std::uint64_t start, bool only_known) noexcept {
    std::size_t found = no_index;
    for (std::size_t n = 0; n != ever_taken_; ++n) {
      holder const& h = holders_[n];
      if (h.ended == 0) continue;
      if (h.thread == thread) {
        found = n;
        break;
      }
      if (found == no_index && h.ended <= start) found = n;
    }
    bool const second_hand = found != no_index;
    if (second_hand) --free_;
    if (!second_hand && !only_known && ever_taken_ != no_index) found = ever_taken_++;
    if (found != no_index) holders_[found] = {thread, 0};
    return {found, second_hand};
  }
  void give_back(std::size_t number, std::uint64_t now) noexcept {
    if (number >= no_index) return;
    holders_[number].ended = now;
    ++free_;
  }
  bool has_free() const noexcept { return free_ != 0; }

 private:
  struct holder {
    std::uintptr_t thread;
    std::uint64_t ended;  // 0: it lives
  };
  std::size_t ever_taken_ = 0;
  std::size_t free_ = 0;
  holder holders_[no_index] = {};
};

// Where the system keeps the thread's own variables: no other thread that lives has the same.
std::uintptr_t thread_pointer() noexcept {
#ifdef __powerpc64__
  std::uintptr_t pointer;  // g++ has no builtin function there
  __asm__("mr %0, 13" : "=r"(pointer));
  return pointer;
#elif __has_builtin(__builtin_thread_pointer)
  return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
#else
  return reinterpret_cast<std::uintptr_t>(&current_thread_slots);
#endif
}

// What all threads share: the indices of the living containers, the containers' numbers, and the threads' numbers.
struct process_numbers {
  ::tbb::spin_mutex lock;
  std::uint64_t containers_made = 0;
  std::uint64_t unnumbered_threads = 0;
  number_set indices;
  thread_numbers threads;

  slot_key acquire() noexcept {
    ::tbb::spin_mutex::scoped_lock const hold(lock);
    std::size_t const index = indices.take();
    return {++containers_made, index};
  }
  std::uint64_t new_number() noexcept {
    ::tbb::spin_mutex::scoped_lock const hold(lock);
    return ++containers_made;
  }
  void release(std::size_t index) noexcept {
    ::tbb::spin_mutex::scoped_lock const hold(lock);
    indices.give_back(index);
  }
  // A thread asks when it was started only if a number is free that it may not have otherwise. A thread that finds no
  // number gets one that no other thread will have after it.
  thread_numbers::answer acquire_thread() noexcept {
    auto const thread = thread_pointer();
    {
      ::tbb::spin_mutex::scoped_lock const hold(lock);
      thread_numbers::answer const known = threads.take(thread, 0, threads.has_free());
      if (known.number != no_index) return known;
    }
    std::uint64_t const start = os::thread_start();
    ::tbb::spin_mutex::scoped_lock const hold(lock);
    thread_numbers::answer const any = threads.take(thread, start, false);
    return any.number != no_index ? any : thread_numbers::answer{no_index + unnumbered_threads++, false};
  }
  // What the thread has written is seen by the one that gets its number.
  void release_thread(std::size_t number) noexcept {
    ::tbb::spin_mutex::scoped_lock const hold(lock);
    threads.give_back(number, os::ns_since_boot());
  }
};

constinit process_numbers numbers;
__thread std::uint64_t my_number = 0;  // twice 1 + the number; 0: none yet
__thread bool mine_is_second_hand = false;

// Runs after the destructors of thread_local objects. Something that comes later and uses a container again gets a new
// table and a number like another thread's, and this runs once more.
void leave(void*) {
  thread_slot* const table = current_thread_slots.entries;
  current_thread_slots = {0, &nobody};
  if (table != &nobody) deallocate_memory(table);
  if (my_number != 0) numbers.release_thread(my_number / 2 - 1);
  my_number = 0;
}

constinit os::thread_end at_end{leave};

// Has leave() called at the end of the thread.
bool leave_at_exit() noexcept { return at_end.ask(&nobody); }

// The sets are whole in the child. Numbers of threads that the child lacks stay taken there: what these threads own may
// be half written.
[[maybe_unused]] bool const kept_over_fork =
    os::add_fork_hooks({[]() noexcept { numbers.lock.lock(); }, []() noexcept { numbers.lock.unlock(); },
                        []() noexcept { numbers.lock.unlock(); }});

bool enlarge_table(std::size_t index) noexcept {
  std::size_t size = 8;
  while (size <= index) size *= 2;
  thread_slot* bigger = nullptr;
  try {
    bigger = static_cast<thread_slot*>(allocate_memory(size * sizeof(thread_slot)));
  } catch (std::bad_alloc const&) {
    return false;
  }
  if (!leave_at_exit()) {
    deallocate_memory(bigger);
    return false;
  }
  std::memset(bigger, 0, size * sizeof(thread_slot));
  thread_slots const old = current_thread_slots;
  std::memcpy(bigger, old.entries, (old.mask + 1) * sizeof(thread_slot));
  current_thread_slots = {size - 1, bigger};
  if (old.entries != &nobody) deallocate_memory(old.entries);
  return true;
}

}  // namespace

__thread thread_slots current_thread_slots = {0, &nobody};

slot_key acquire_slot_key() noexcept { return numbers.acquire(); }

void release_slot_key(slot_key const& key) noexcept { numbers.release(key.index); }

void renew_slot_key(slot_key& key) noexcept { key.container = numbers.new_number(); }

bool store_slot(slot_key const& key, void* object) noexcept {
  if (key.index == no_index) return false;
  // `nobody` is shared and stays as it is.
  if ((key.index > current_thread_slots.mask || current_thread_slots.entries == &nobody) && !enlarge_table(key.index)) {
    return false;
  }
  current_thread_slots.entries[key.index] = {key.container, object};
  return true;
}

std::uint64_t thread_number() noexcept {
  if (my_number == 0) {
    auto const [number, second_hand] = numbers.acquire_thread();
    mine_is_second_hand = second_hand;
    my_number = (number + 1) * 2;
    leave_at_exit();  // if it fails the number stays taken
  }
  return my_number;
}

bool thread_number_is_second_hand() noexcept { return mine_is_second_hand; }

}  // namespace ashlar::inline v1::containers
