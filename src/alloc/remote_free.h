// SPDX-License-Identifier: Apache-2.0
// How objects that other threads free come back to the heap that owns them. README.md tells the protocol whole.
//
// A message is a chain of objects of one page, linked through their first words. The first object, its head, holds in
// its first word the next message and the place of the chain's next object in the page, and in its second one the
// number of objects beside its signature, so that a head is known for a free object as all others are. Messages travel
// in lists, and an inbox takes a whole list with one compare-exchange. The lowest bit of the inbox says that its owner
// has no thread: the poster who finds it set is the one who has to see to the mail.
//
// Written against ashlar::atomic, so that tests/model/alloc_remote_free_model.cpp checks this very file.
//
// Ordering: [RF1] post: the objects' links -> [RF2] take_all: the owner who follows them.
//           [RF3] close: all that the last owner wrote -> [RF4] post that sees the bit, and open: the next owner.
// Cost: post 1 locked instruction per list, take_all 1 per visit that finds mail, else 1 load.
#pragma once

#include <ashlar/base/atomic.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace alloc {

struct message {
  std::uintptr_t link;  // next message << 16 | place
  std::uintptr_t word;  // number of objects << 48 | signature

  // Objects lie at multiples of 16: a message's address needs 44 bits, and 20 bits tell an object's place in its page.
  static constexpr unsigned address_shift = 16;
  static constexpr std::uintptr_t place_mask = (std::uintptr_t{1} << 20) - 1;
  static constexpr unsigned count_shift = 48;
  static constexpr std::uint32_t most_objects = 0xffff;

  message* next() const noexcept { return reinterpret_cast<message*>((link & ~place_mask) >> address_shift); }
  // page::place_of the chain's next object.
  std::uint32_t place() const noexcept { return static_cast<std::uint32_t>(link & place_mask); }
  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(word >> count_shift); }
  // Of an object that has a signature.
  void set(std::uint32_t count, std::uint32_t place, message* next) noexcept {
    link = reinterpret_cast<std::uintptr_t>(next) << address_shift | place;
    word |= std::uintptr_t{count} << count_shift;
  }
  void set_next(message* next) noexcept {
    link = reinterpret_cast<std::uintptr_t>(next) << address_shift | (link & place_mask);
  }
};

// What the head of a message says besides, if its object is long enough. It saves the owner waits for memory that the
// sender has written to: the chain need not be walked to its end, and later messages are on their way before the list
// leads to them.
struct long_message : message {
  std::uintptr_t more;  // a later message of the list, a hint << 16 | place of the chain's last object

  message* ahead() const noexcept { return reinterpret_cast<message*>((more & ~place_mask) >> address_shift); }
  std::uint32_t last_place() const noexcept { return static_cast<std::uint32_t>(more & place_mask); }
  void set_more(message* ahead, std::uint32_t last_place) noexcept {
    more = reinterpret_cast<std::uintptr_t>(ahead) << address_shift | last_place;
  }
};

class inbox {
 public:
  // Adds the list first..last. True: the owner has no thread.
  bool post(message* first, message* last) noexcept {
    std::uintptr_t seen = word_.load(mo::relaxed);
    for (;;) {
      last->set_next(reinterpret_cast<message*>(seen & ~closed_bit));
      std::uintptr_t const wanted = reinterpret_cast<std::uintptr_t>(first) | (seen & closed_bit);
      if (word_.compare_exchange(seen, wanted, mo::acq_rel, mo::relaxed)) {  // [RF1] [RF4]
        return seen & closed_bit;
      }
    }
  }

  ASHLAR_ALWAYS_INLINE bool has_mail() const noexcept { return word_.load(mo::relaxed) & ~closed_bit; }

  // The newest message, for a look; other threads may change the list meanwhile.
  message* peek() const noexcept { return reinterpret_cast<message*>(word_.load(mo::relaxed) & ~closed_bit); }

  // The owner takes the whole list; the order of the messages means nothing.
  message* take_all() noexcept {
    if (!has_mail()) {
      return nullptr;
    }
    return reinterpret_cast<message*>(word_.exchange(0, mo::acquire));  // [RF2]
  }

  // The owner's thread leaves. False: there is mail to be seen to first.
  bool close() noexcept {
    std::uintptr_t expected = 0;
    return word_.compare_exchange(expected, closed_bit, mo::release, mo::relaxed);  // [RF3]
  }
  // A thread becomes the owner; gives the mail that came meanwhile. The heap must have been handed to this thread
  // alone, by the lock of the registry.
  message* open() noexcept {
    return reinterpret_cast<message*>(word_.exchange(0, mo::acquire) & ~closed_bit);  // [RF2] [RF4]
  }
  // In a forked child: what other threads were posting when they ceased to exist is given up.
  void forget(bool closed) noexcept { word_.store(closed ? closed_bit : 0, mo::relaxed); }

 private:
  static constexpr std::uintptr_t closed_bit = 1;
  atomic<std::uintptr_t> word_{0};
};

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
