// SPDX-License-Identifier: Apache-2.0
// The line of chunks of a parallel_scan, from left to right: how the sum of everything left of a chunk comes to it, and
// who scans it then. The sum is a body that is handed from chunk to chunk. A chunk that was summed up hands on its own
// body, joined with the one it got, before its final scan.
//
// A `Host` does the work: join(c) adds the prefix to the summary, scan(c) is the final scan, scan_later(c) starts a job
// that calls scan_again. For a chunk whose prefix came when only its front was summed up, scan_rear(c) scans the rest
// with the summary, and scan_front(c) the front with the prefix.
//
// Threads    cut, end: one thread at a time, in order. The others: the thread that works on the chunk.
// Invariants N1 each chunk is scanned finally once, with its prefix, by whoever summed it up unless it gave up waiting.
//            N2 a body is freed by the last chunk that uses it, a chunk by the later of its cutter and its scan.
// Ordering   [SC1] link: exchange acq_rel by who comes first, cutter or giver -> [SC4] by who comes second
//            [SC2] state: fetch_or acq_rel by who sets the first of two bits -> [SC5] by who sets the second
//            [SC3] a chunk's users: down, acq_rel -> [SC6] the last one down, who frees it
// Model      tests/model/scan_model.cpp
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// A body with its owner: the caller's own, or one that was split off.
template <typename Body>
struct scan_sum {
  Body* body;
  bool owned;
};

template <typename Range, typename Body>
struct scan_chunk {
  enum : unsigned { has_prefix = 1, summed = 2, ready = 4, left = 8 };

  scan_chunk(Range const& r, unsigned d) : range(r), depth(d) {}

  Range range;
  unsigned const depth;                    // halvings of the whole range
  scan_sum<Body> prefix{nullptr, false};   // of everything left of the chunk
  scan_sum<Body> summary{nullptr, false};  // of the chunk itself
  atomic<unsigned> state{0};
  atomic<unsigned> users{2};  // the cutter and the final scan
  /// 0, the next chunk, or `handed` once the prefix of the next chunk is in `out`.
  static constexpr std::uintptr_t handed = 1;
  atomic<std::uintptr_t> link{0};
  scan_sum<Body> out{nullptr, false};
  scan_chunk* waiting = nullptr;  // in a list of chunks whose final scan nobody has begun
};

template <typename Range, typename Body>
class scan_line {
 public:
  using chunk = scan_chunk<Range, Body>;
  using sum = scan_sum<Body>;

  explicit scan_line(Body& callers) noexcept : callers_(callers) {}

  /// The next chunk.
  chunk* cut(Range const& r, unsigned depth) {
    auto* const c = new chunk(r, depth);
    chunk* const before = std::exchange(last_, c);
    if (before == nullptr) {
      c->prefix = {std::addressof(callers_), false};
      c->state.store(chunk::has_prefix, mo::relaxed);
      return c;
    }
    if (before->link.exchange(reinterpret_cast<std::uintptr_t>(c), mo::acq_rel) == chunk::handed) {  // [SC1] [SC4]
      c->prefix = before->out;
      c->state.store(chunk::has_prefix, mo::relaxed);
    }
    drop(before);
    return c;
  }

  static bool has_prefix(chunk* c) noexcept { return c->state.load(mo::acquire) & chunk::has_prefix; }  // [SC2] [SC5]
  /// A chunk that was summed up may be scanned.
  static bool ready(chunk* c) noexcept { return c->state.load(mo::acquire) & chunk::ready; }  // [SC2] [SC5]

  /// The only way through a chunk that has its prefix and was not summed up.
  template <typename Host>
  static void scan_once(Host& host, chunk* c) noexcept {
    host.scan(c);
    hand_on(host, c, c->prefix);
  }
  /// The way through a chunk whose prefix came when its front was summed up.
  template <typename Host>
  static void scan_in_two(Host& host, chunk* c) noexcept {
    host.join(c);
    host.scan_rear(c);
    c->users.fetch_add(1, mo::relaxed);
    hand_on(host, c, c->summary);
    host.scan_front(c);
    end_scan(c);
  }
  /// The chunk is summed up. True if its prefix had come: then it has been scanned, too.
  template <typename Host>
  static bool end_sum(Host& host, chunk* c) noexcept {
    if (!(c->state.fetch_or(chunk::summed, mo::acq_rel) & chunk::has_prefix)) return false;  // [SC2] [SC5]
    host.join(c);
    c->users.fetch_add(1, mo::relaxed);
    hand_on(host, c, result(c));
    scan_again(host, c);
    return true;
  }
  /// The calling thread doesn't wait for the prefix any longer; whoever brings it starts the scan.
  template <typename Host>
  static void give_up(Host& host, chunk* c) noexcept {
    if (c->state.fetch_or(chunk::left, mo::acq_rel) & chunk::ready) scan_again(host, c);  // [SC2] [SC5]
  }
  /// Scans a chunk that is ready.
  template <typename Host>
  static void scan_again(Host& host, chunk* c) noexcept {
    if (c->summary.body != nullptr) {  // else the prefix is somebody else's now, and the scan is cancelled
      host.scan(c);
      return end_scan(c);
    }
    drop(c);
  }

  /// The sum of everything, when all is over. Null if there was nothing.
  sum end() noexcept {
    if (last_ == nullptr) return {nullptr, false};
    sum const all = last_->out;
    drop(std::exchange(last_, nullptr));
    return all;
  }

 private:
  // After the final scan of a chunk whose summary was handed on.
  static void end_scan(chunk* c) noexcept {
    if (c->prefix.owned) delete c->prefix.body;
    drop(c);
  }
  static void drop(chunk* c) noexcept {
    if (c->users.fetch_sub(1, mo::acq_rel) == 1) delete c;  // [SC3] [SC6]
  }
  // What a chunk that was summed up hands on. Where there was no memory or an exception, the prefix goes through.
  static sum result(chunk* c) noexcept { return c->summary.body != nullptr ? c->summary : c->prefix; }

  // Gives the sum to the next chunk, and to those after it that are summed up already; drops c.
  template <typename Host>
  static void hand_on(Host& host, chunk* c, sum what) noexcept {
    chunk* waiting = nullptr;
    for (;;) {
      c->out = what;
      std::uintptr_t const next = c->link.exchange(chunk::handed, mo::acq_rel);  // [SC1] [SC4]
      drop(c);
      if (next == 0) break;
      chunk* const n = reinterpret_cast<chunk*>(next);
      n->prefix = what;
      if (!(n->state.fetch_or(chunk::has_prefix, mo::acq_rel) & chunk::summed)) break;  // [SC2] [SC5]
      host.join(n);
      what = result(n);
      n->users.fetch_add(1, mo::relaxed);
      // From here the thread that summed it up scans it, unless it has given up waiting.
      if (n->state.fetch_or(chunk::ready, mo::acq_rel) & chunk::left) {  // [SC2] [SC5]
        n->waiting = waiting;
        waiting = n;
      }
      c = n;
    }
    while (waiting != nullptr) host.scan_later(std::exchange(waiting, waiting->waiting));
  }

  Body& callers_;
  chunk* last_ = nullptr;  // the cutter's
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
