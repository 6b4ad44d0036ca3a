// SPDX-License-Identifier: Apache-2.0
// parallel_scan by chunks that fit a cache. The range is cut from left to right by one thread at a time (item_walk). A
// chunk whose left neighbour is done is scanned once, finally. Another one is summed up first (pre-scan), waits a
// little for what lies left of it, and is scanned finally while it is in cache. With one thread nothing is ever scanned
// twice.
//
// The sum from the left often comes while a chunk is being summed up. So that is done in slices: once the sum has come,
// the slices that are left are scanned finally, with the sum of those before them, and the first ones afterwards. Thus
// one thread is always on its first and only way through a chunk, and no summing up is in vain. Chunks are sized by
// time.
//
// How the sum of what lies left comes to a chunk: scan_line.h.
#pragma once

#include <ashlar/algo/item_walk.h>
#include <ashlar/algo/partitioner.h>
#include <ashlar/algo/range_traits.h>
#include <ashlar/algo/scan_line.h>
#include <ashlar/os/tuning.h>
#include <ashlar/sched/core/words_scope.h>
#include <ashlar/sched/tasks/task_group_context.h>

namespace tbb {

/// Passed to a body that is to sum up only.
struct pre_scan_tag {
  static constexpr bool is_final_scan() noexcept { return false; }
  constexpr operator bool() const noexcept { return false; }  // NOLINT: implicit
};
/// Passed to a body that is to write the results.
struct final_scan_tag {
  static constexpr bool is_final_scan() noexcept { return true; }
  constexpr operator bool() const noexcept { return true; }  // NOLINT: implicit
};

}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace algo {

template <typename Body, typename Range, typename = void>
inline constexpr bool is_scan_body = false;
template <typename Body, typename Range>
inline constexpr bool
    is_scan_body<Body, Range,
                 std::void_t<decltype(std::declval<Body&>()(std::declval<Range const&>(), tbb::pre_scan_tag())),
                             decltype(std::declval<Body&>()(std::declval<Range const&>(), tbb::final_scan_tag())),
                             decltype(std::declval<Body&>().reverse_join(std::declval<Body&>())),
                             decltype(std::declval<Body&>().assign(std::declval<Body&>()))>> = is_splittable<Body>;
template <typename F, typename Range, typename Value>
inline constexpr bool is_scan_function =
    std::is_invocable_r_v<Value, F const&, Range const&, Value const&, tbb::final_scan_tag>;
template <typename F, typename Value>
inline constexpr bool is_scan_combine = std::is_invocable_r_v<Value, F const&, Value const&, Value const&>;

/// A range in up to 32 parts (8 if it is large), from left to right.
template <typename Range>
class range_slices {
 public:
  range_slices() noexcept = default;
  range_slices(range_slices const&) = delete;
  range_slices& operator=(range_slices const&) = delete;
  ~range_slices() {
    while (size_ != 0) part(--size_)->~Range();
  }

  /// Called once.
  void cut(Range const& whole) {
    Range r(whole);
    cut(r, depth);
  }
  unsigned size() const noexcept { return size_; }
  Range const& operator[](unsigned i) noexcept { return *part(i); }

 private:
  // Between two parts a thread looks whether the sum from the left has come. With 32 of them 0.35 of the elements are
  // summed up first, with 16 of them 0.37; two threads can't do with less than 1/3.
  static constexpr unsigned depth = sizeof(Range) <= 128 ? 5 : 3;

  void cut(Range& r, unsigned halvings) {
    if (halvings != 0 && r.is_divisible()) {
      Range right(r, tbb::split());
      cut(r, halvings - 1);
      cut(right, halvings - 1);
    } else {
      ::new (static_cast<void*>(memory_ + size_ * sizeof(Range))) Range(r);
      ++size_;
    }
  }
  Range* part(unsigned i) noexcept { return std::launder(reinterpret_cast<Range*>(memory_ + i * sizeof(Range))); }

  alignas(Range) unsigned char memory_[sizeof(Range) << depth];
  unsigned size_ = 0;
};

template <typename Range, typename Body>
class scan_work {
 public:
  using line = scan_line<Range, Body>;
  using chunk = typename line::chunk;
  static constexpr unsigned first_depth = 10;

  scan_work(Body& body, sched::context& group, sched::slot& s, unsigned depth) noexcept
      : callers_(body),
        line_(body),
        group_(group),
        counter_(s),
        key_(s.child_key()),
        depth_(s.can_share() ? depth : lone_depth) {}

  sched::context& group() noexcept { return group_; }
  sched::group_counter& counter() noexcept { return counter_; }
  sched::job_key key() const noexcept { return key_; }
  static constexpr std::size_t batch_size() noexcept { return 1; }

  /// How often the range shall be halved for chunks of the right size. The threads share the number without agreeing on
  /// it: any value is right.
  unsigned depth() const noexcept { return depth_.load(mo::relaxed); }

  /// Learns from a chunk that took t.
  void adapt(unsigned of, std::uint64_t t) noexcept {
    if (of != depth()) return;
    if (t > 2 * os::tuned.scan_chunk) {
      if (of < deepest) depth_.store(of + 1, mo::relaxed);
    } else if (t < os::tuned.scan_chunk / 16) {
      depth_.store(of > 3 ? of - 3 : 0, mo::relaxed);
    } else if (t < os::tuned.scan_chunk / 2 && of > least_depth) {
      depth_.store(of - 1, mo::relaxed);
    }
  }

  /// The next chunk. Called by the thread that cuts.
  chunk* cut(Range const& r, unsigned depth) { return line_.cut(r, depth); }

  void run_batch(sched::slot& s, chunk* c, std::size_t) noexcept {
    s.keep_jobs();
    std::uint64_t const start = ticks();
    host here{*this, s};
    if (line::has_prefix(c)) {
      late_.store(false, mo::relaxed);
      unsigned const depth = c->depth;
      line::scan_once(here, c);
      return adapt(depth, ticks() - start);
    }
    slice_host parts{here, start};
    if (!parts.sum_up(c)) {
      late_.store(false, mo::relaxed);
      return line::scan_in_two(parts, c);
    }
    std::uint64_t const summed = ticks();
    adapt(c->depth, summed - start);
    if (line::end_sum(here, c)) return late_.store(false, mo::relaxed);
    // What lies left is about to be done, unless its thread was preempted: then there is better to do than to wait.
    if (!late_.load(mo::relaxed)) {
      std::uint64_t const most = summed - start < os::tuned.scan_chunk ? summed - start : os::tuned.scan_chunk;
      while (ticks() - summed < most) {
        if (line::ready(c)) return line::scan_again(here, c);
        cpu_pause();
      }
      late_.store(true, mo::relaxed);
    }
    line::give_up(here, c);
  }

  /// Waits for all chunks and gives the caller's body the sum.
  void finish(sched::slot& s) {
    if (!counter_.done()) counter_.wait(s);
    auto const all = line_.end();
    if (all.owned) {
      ASHLAR_TRY {
        if (!group_.is_cancelled()) callers_.assign(*all.body);
      }
      ASHLAR_CATCH_ALL { group_.record_exception(); }
      delete all.body;
    }
    if (ASHLAR_UNLIKELY(group_.has_exception())) group_.rethrow();
  }

 private:
  static constexpr unsigned lone_depth = 2;  // where nobody can help: enough to notice a cancellation
  static constexpr unsigned deepest = 24;
  static constexpr unsigned least_depth = 4;  // enough chunks for balance, if they aren't tiny

  // What the line asks for, on the calling thread.
  struct host {
    void join(chunk* c) noexcept {
      ASHLAR_TRY {
        if (c->summary.body != nullptr && !s.cancelled(work.group_)) c->summary.body->reverse_join(*c->prefix.body);
      }
      ASHLAR_CATCH_ALL { work.group_.record_exception(); }
    }
    void scan(chunk* c) noexcept {
      ASHLAR_TRY {
        if (!s.cancelled(work.group_)) (*c->prefix.body)(std::as_const(c->range), tbb::final_scan_tag());
      }
      ASHLAR_CATCH_ALL { work.group_.record_exception(); }
    }
    void scan_later(chunk* c) noexcept { work.spawn_scan(s, c); }

    scan_work& work;
    sched::slot& s;
  };

  // The same on the way through a chunk in slices.
  struct slice_host : host {
    slice_host(host const& h, std::uint64_t now) noexcept : host(h), start(now) {}

    // False if the prefix came before the last slice was summed up.
    bool sum_up(chunk* c) noexcept {
      ASHLAR_TRY {
        if (this->s.cancelled(this->work.group_)) return true;
        // Splitting leaves the caller's body as it is; it may run beside its operator().
        c->summary = {new Body(this->work.callers_, tbb::split()), true};
        slices.cut(c->range);
        do {
          if (summed != 0 && line::has_prefix(c)) return false;
          (*c->summary.body)(slices[summed], tbb::pre_scan_tag());
        } while (++summed != slices.size());
      }
      ASHLAR_CATCH_ALL { this->work.group_.record_exception(); }
      return true;
    }
    void scan_rear(chunk* c) noexcept {
      scan_slices(*c->summary.body, summed, slices.size());
      this->work.adapt(c->depth, ticks() - start);
    }
    void scan_front(chunk* c) noexcept { scan_slices(*c->prefix.body, 0, summed); }

   private:
    void scan_slices(Body& body, unsigned from, unsigned to) noexcept {
      ASHLAR_TRY {
        for (; from != to && !this->s.cancelled(this->work.group_); ++from) body(slices[from], tbb::final_scan_tag());
      }
      ASHLAR_CATCH_ALL { this->work.group_.record_exception(); }
    }

    range_slices<Range> slices;
    unsigned summed = 0;
    std::uint64_t const start;
  };

  void scan_again(sched::slot& s, chunk* c) noexcept {
    host here{*this, s};
    line::scan_again(here, c);
  }

  struct final_scan {
    void operator()() { work.scan_again(sched::this_slot(), c); }
    scan_work& work;
    chunk* c;
  };
  // A job is run, cancelled or not: it has to free the chunk.
  struct final_scan_job : sched::group_job {
    final_scan_job(final_scan f, sched::group_counter& c, sched::context& g, sched::slot& s) noexcept
        : group_job(&run_it, c, g, s), function(f) {}

    static sched::job* run_it(sched::job* self, sched::slot& here) noexcept {
      auto& j = *static_cast<final_scan_job*>(self);
      here.enter(*j.group);
      j.function();
      sched::group_counter& counter = *j.counter;
      sched::slot* const by = j.by;
      here.pool().release(&j, sizeof(final_scan_job), j.home);
      counter.finish(by, here);
      return nullptr;
    }
    final_scan function;
  };
  void spawn_scan(sched::slot& s, chunk* c) noexcept {
    ASHLAR_TRY {
      auto* const j = sched::make_group_job<final_scan_job>(s, counter_, group_, final_scan{*this, c});
      counter_.add(s);
      ASHLAR_TRY {
        s.spawn(*j, key_);
        return;
      }
      ASHLAR_CATCH_ALL {
        counter_.undo(s);
        s.pool().release(j, sizeof(final_scan_job), j->home);
        ASHLAR_RETHROW;
      }
    }
    ASHLAR_CATCH_ALL { scan_again(s, c); }
  }

  Body& callers_;
  line line_;
  sched::context& group_;
  sched::group_counter counter_;
  sched::job_key const key_;
  atomic<unsigned> depth_;
  atomic<bool> late_{false};  // the last prefix that was waited for did not come
};

/// Cuts a range from left to right: down to its grain, or as deep as `work` wants it.
template <typename Range, typename Work>
class chunk_source {
 public:
  using batch = typename Work::chunk*;
  static constexpr std::size_t most = 1;

  chunk_source(Range const& whole, Work& work, bool to_the_grain) : work_(work), to_the_grain_(to_the_grain) {
    push(whole, 0);
  }
  ~chunk_source() {
    while (top_ != nullptr) pop();
  }
  chunk_source(chunk_source const&) = delete;
  chunk_source& operator=(chunk_source const&) = delete;

  static constexpr batch begin_batch() noexcept { return nullptr; }
  bool take(batch& b, std::size_t) {
    split_top();
    b = work_.cut(top_->range, top_->depth);
    pop();
    return top_ != nullptr;
  }
  /// The leftmost piece, for a thread that is alone. Returns its depth.
  template <typename Body>
  unsigned run_next(Body& body) {
    split_top();
    unsigned const depth = top_->depth;
    body(std::as_const(top_->range), tbb::final_scan_tag());
    pop();
    return depth;
  }
  bool empty() const noexcept { return top_ == nullptr; }
  /// From here on several threads take chunks: the last ones are smaller, lest one thread waits for another one's.
  void share() noexcept { finer_at_the_end_ = 3; }

 private:
  struct piece {
    Range range;
    piece* below;
    unsigned depth;
  };

  void push(Range const& r, unsigned depth) { top_ = new piece{r, top_, depth}; }
  void pop() noexcept {
    piece* const p = top_;
    top_ = p->below;
    delete p;
  }
  bool too_large(piece const& p) const {
    unsigned const finer = p.below == nullptr ? finer_at_the_end_ : 0;
    return p.range.is_divisible() && (to_the_grain_ || p.depth < work_.depth() + finer);
  }
  void split_top() {
    while (too_large(*top_)) {
      unsigned const depth = ++top_->depth;
      Range left(top_->range);
      Range right(left, tbb::split());
      piece* const p = new piece{left, nullptr, depth};
      piece* const q = new_piece_or_drop(p, right, depth);
      q->below = top_->below;
      delete top_;
      p->below = q;
      top_ = p;
    }
  }
  static piece* new_piece_or_drop(piece* other, Range const& r, unsigned depth) {
    ASHLAR_TRY { return new piece{r, nullptr, depth}; }
    ASHLAR_CATCH_ALL {
      delete other;
      ASHLAR_RETHROW;
    }
    return nullptr;
  }

  Work& work_;
  bool const to_the_grain_;
  unsigned finer_at_the_end_ = 0;
  piece* top_ = nullptr;
};

/// One more than the depth that this body's last scan (in practice: one place in the program) came to; 0 if that was
/// short or there was none. A hint only.
template <typename Work>
inline atomic<unsigned> long_scan{0};

template <typename Range, typename Body>
void scan_in(sched::slot& s, sched::context& group, Range const& range, Body& body, bool to_the_grain) {
  using work_type = scan_work<Range, Body>;
  sched::group_scope const scope(s, group);
  unsigned const before = long_scan<work_type>.load(mo::relaxed);
  work_type work(body, group, s, before != 0 ? before : work_type::first_depth);
  chunk_source<Range, work_type> source(range, work, to_the_grain);
  bool const alone = !s.can_share();
  // A scan that is over before a thief could help is not offered at all.
  std::uint64_t const start = ticks();
  std::uint64_t now = start;
  while (alone || (!to_the_grain && before == 0 && now - start < os::tuned.small_loop)) {
    if (source.empty() || s.cancelled(group)) return;
    std::uint64_t const begin = now;
    unsigned const depth = source.run_next(body);
    now = ticks();
    work.adapt(depth, now - begin);
  }
  if (source.empty()) return;
  source.share();
  item_walk<chunk_source<Range, work_type>, work_type> walk(source, work, false);
  walk.run(s);
  work.finish(s);
  unsigned const after = ticks() - start > 4 * os::tuned.small_loop ? work.depth() + 1 : 0;
  if (after != before) long_scan<work_type>.store(after, mo::relaxed);
}

template <typename Range, typename Body>
void scan(Range const& range, Body& body, bool to_the_grain) {
  static_assert(is_range<Range>,
                "parallel_scan: a range needs a copy constructor, empty(), is_divisible() and a splitting "
                "constructor range(range& whole, tbb::split)");
  static_assert(is_scan_body<Body, Range>,
                "parallel_scan: the body needs body(range, tbb::pre_scan_tag()), body(range, tbb::final_scan_tag()), "
                "reverse_join(body& left), assign(body&) and a splitting constructor body(body&, tbb::split)");
  if (range.empty()) return;
  sched::slot& s = sched::this_slot();
  sched::words_scope const words(s);
  sched::context group(&s.group());
  scan_in(s, group, range, body, to_the_grain);
}

/// The functional form as a body.
template <typename Range, typename Value, typename Scan, typename Combine>
class scan_value_body {
 public:
  scan_value_body(Value const& identity, Scan const& scan, Combine const& combine)
      : value_(identity), identity_(identity), scan_(scan), combine_(combine) {}
  scan_value_body(scan_value_body& other, tbb::split)
      : value_(other.identity_), identity_(other.identity_), scan_(other.scan_), combine_(other.combine_) {}

  template <typename Tag>
  void operator()(Range const& range, Tag tag) {
    value_ = invoke(scan_, range, std::move(value_), tag);
  }
  void reverse_join(scan_value_body& left) {
    value_ = invoke(combine_, std::as_const(left.value_), std::as_const(value_));
  }
  void assign(scan_value_body& other) { value_ = std::move(other.value_); }
  Value&& result() && noexcept { return std::move(value_); }

 private:
  Value value_;
  Value const& identity_;
  Scan const& scan_;
  Combine const& combine_;
};

template <typename Range, typename Value, typename Scan, typename Combine>
Value scan_values(Range const& range, Value const& identity, Scan const& scan_part, Combine const& combine,
                  bool to_the_grain) {
  static_assert(
      is_scan_function<Scan, Range, Value> ||
          std::is_invocable_v<Scan const&, Range const&, Value, tbb::final_scan_tag>,
      "parallel_scan: the first function must be callable as scan(range, sum, is_final) through a const reference, "
      "and return the sum");
  static_assert(
      is_scan_combine<Combine, Value>,
      "parallel_scan: the second function must be callable as combine(left, right) through a const reference, and "
      "return the sum");
  scan_value_body<Range, Value, Scan, Combine> body(identity, scan_part, combine);
  scan(range, body, to_the_grain);
  return std::move(body).result();
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
