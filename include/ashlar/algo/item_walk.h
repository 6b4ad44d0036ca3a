// SPDX-License-Identifier: Apache-2.0
// The engine of parallel_for_each and its relatives: items that are found one after the other, and items that bodies
// add. One thread at a time walks the source. It takes a batch of items, offers the rest of the walk as a job, works on
// the batch, and takes the walk back unless a thief went on with it. So without thieves a batch costs one push and one
// pop, and with thieves each steal brings a whole batch. Batches grow until one takes about eight microseconds; one
// that turns out to take longer gives half of what is left away.
//
// Model      tests/model/item_walk_model.cpp
#pragma once

#include <ashlar/algo/small_loop.h>
#include <ashlar/base/invoke.h>
#include <ashlar/os/ticks.h>
#include <ashlar/os/tuning.h>
#include <ashlar/sched/tasks/group_counter.h>

#include <new>
#include <type_traits>

namespace tbb {

/// Through this a body of parallel_for_each adds items to those that are being worked on.
template <typename Item>
class feeder {
 public:
  feeder(feeder const&) = delete;
  feeder& operator=(feeder const&) = delete;

  /// Makes a copy of the item available to all threads. Called by bodies only. Throws what copying throws, and
  /// std::bad_alloc.
  void add(Item const& item) { add_(*this, std::addressof(item), nullptr); }
  void add(Item&& item) { add_(*this, nullptr, std::addressof(item)); }

 protected:
  using add_function = void (*)(feeder& self, Item const* copied, Item* moved);

  explicit feeder(add_function f) noexcept : add_(f) {}
  ~feeder() = default;

 private:
  add_function const add_;
};

#if ASHLAR_CLASSIC_DIALECT
namespace interface9 {
/// The feeder of parallel_do, and of parallel_for_each in this dialect.
template <typename Item>
class parallel_do_feeder : public feeder<Item> {
 protected:
  using feeder<Item>::feeder;
  ~parallel_do_feeder() = default;
};
}  // namespace interface9
using interface9::parallel_do_feeder;
#else
/// The name of the class in TBB 2020.
template <typename Item>
using parallel_do_feeder = feeder<Item>;
namespace interface9 {
using ::tbb::parallel_do_feeder;
}  // namespace interface9
#endif

}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace algo {

template <typename Body, typename Arg, typename Item>
inline constexpr bool takes_feeder = std::is_invocable_v<Body const&, Arg, tbb::parallel_do_feeder<Item>&>;
template <typename Body, typename Arg, typename Item>
inline constexpr bool takes_item = std::is_invocable_v<Body const&, Arg> || takes_feeder<Body, Arg, Item>;

/// The items of one call in flight: batches, added items and the walk, all jobs of one group.
template <typename Body, typename Item>
class item_work : public tbb::parallel_do_feeder<Item> {
 public:
  item_work(Body const& body, sched::context& group, sched::slot& s) noexcept
      : tbb::parallel_do_feeder<Item>(adder()), body_(body), group_(group), counter_(s), key_(s.child_key()) {}

  sched::context& group() noexcept { return group_; }
  /// Asked before each item. The calling thread's slot is the one that the batch runs on.
  ASHLAR_ALWAYS_INLINE bool stopped(sched::slot& s) noexcept { return s.cancelled(group_); }
  sched::group_counter& counter() noexcept { return counter_; }
  sched::job_key key() const noexcept { return key_; }
  std::size_t batch_size() const noexcept { return batch_size_.load(mo::relaxed); }
  Body const& function() const noexcept { return body_; }

  /// Calls the body for an item that is the user's.
  template <typename Arg>
  ASHLAR_ALWAYS_INLINE void visit(Arg&& item) {
    if constexpr (takes_feeder<Body, Arg, Item>) {
      invoke(body_, std::forward<Arg>(item), static_cast<tbb::parallel_do_feeder<Item>&>(*this));
    } else {
      invoke(body_, std::forward<Arg>(item));
    }
  }
  /// The same for an item that nobody needs afterwards.
  void visit_own(Item& item) {
    if constexpr (takes_item<Body, Item, Item>) {
      visit(std::move(item));
    } else {
      visit(item);
    }
  }

  template <typename Batch>
  void run_batch(sched::slot& s, Batch& batch, std::size_t most) noexcept {
    ASHLAR_TRY { work_through(s, batch, most); }
    ASHLAR_CATCH_ALL { group_.record_exception(); }
  }

  /// Waits for everything that was spawned and rethrows the group's exception.
  void wait(sched::slot& s) {
    if (!counter_.done()) counter_.wait(s);
    if (ASHLAR_UNLIKELY(group_.has_exception())) group_.rethrow();
  }

 private:
  static constexpr std::size_t stride_limit = 16;  // items between two looks at the clock

  template <typename Arg>
  struct fed_argument {
    item_work& work;
    Arg&& item;
  };
  struct fed_item {
    template <typename Arg>
    explicit fed_item(fed_argument<Arg> a) : work(a.work), item(std::forward<Arg>(a.item)) {}
    void operator()() { work.visit_own(item); }

    item_work& work;
    Item item;
  };
  template <typename Batch>
  struct given_batch {
    void operator()() { work.run_batch(sched::this_slot(), batch, most); }

    item_work& work;
    Batch batch;
    std::size_t most;
  };

  // Null where the body can't take a value that was added, so doesn't take a feeder: its items are proxies.
  static constexpr typename tbb::feeder<Item>::add_function adder() noexcept {
    if constexpr (takes_item<Body, Item, Item> || takes_item<Body, Item&, Item>) {
      return &add_item;
    } else {
      return nullptr;
    }
  }
  static void add_item(tbb::feeder<Item>& self, Item const* copied, Item* moved) {
    auto& work = static_cast<item_work&>(self);
    if constexpr (std::is_copy_constructible_v<Item>) {
      if (copied != nullptr) return work.template spawn<fed_item>(fed_argument<Item const&>{work, *copied});
    }
    if constexpr (std::is_move_constructible_v<Item>) {
      work.template spawn<fed_item>(fed_argument<Item>{work, std::move(*moved)});
    }
  }

  template <typename F, typename Arg>
  void spawn(Arg&& arg) {
    using job_type = sched::function_job<F>;
    sched::slot& s = sched::this_slot();
    job_type* const j = sched::make_group_job<job_type>(s, counter_, group_, std::forward<Arg>(arg));
    counter_.add(s);
    ASHLAR_TRY { s.spawn(*j, key_); }
    ASHLAR_CATCH_ALL {
      counter_.undo(s);
      job_type::destroy(s, j);
      ASHLAR_RETHROW;
    }
  }

  template <typename Batch>
  void work_through(sched::slot& s, Batch& batch, std::size_t most) {
    std::size_t const all = batch.size();
    std::uint64_t const start = ticks();
    std::uint64_t now = start;
    std::uint64_t window = start;
    std::size_t given = 0;
    std::size_t stride = 1;
    while (batch.size() != 0 && !s.cancelled(group_)) {
      s.keep_jobs();
      batch.run(stride < batch.size() ? stride : batch.size(), *this, s);
      now = ticks();
      if (ASHLAR_UNLIKELY(now - window > os::tuned.small_loop)) {
        stride = 1;
        window = now;
        if (batch.size() > 1 && !s.has_jobs()) {
          given += batch.size() / 2;
          spawn<given_batch<Batch>>(given_batch<Batch>{*this, batch.split(), most});
        }
      } else if (stride < stride_limit) {
        stride *= 2;
      }
    }
    adapt(all - given, now - start, most);
  }

  // Learns from n items that took t. The threads share the size without agreeing on it: any value is right.
  void adapt(std::size_t n, std::uint64_t t, std::size_t most) noexcept {
    std::size_t const size = batch_size();
    if (t > 4 * os::tuned.small_loop && size > 1) batch_size_.store(n > 2 ? n / 2 : 1, mo::relaxed);
    if (t < os::tuned.small_loop && n >= size && size < most) batch_size_.store(2 * size, mo::relaxed);
  }

  Body const& body_;
  sched::context& group_;
  sched::group_counter counter_;
  sched::job_key const key_;  // of all jobs: an added item is no deeper than the one that added it
  atomic<std::size_t> batch_size_{1};
};

/// The walk along a source, by one thread at a time.
template <typename Source, typename Work>
class item_walk : sched::job {
 public:
  item_walk(Source& source, Work& work, bool reserve) noexcept
      : job{&run_stolen}, source_(source), work_(work), reserved_(reserve), start_(ticks()) {}

  /// Goes on with the walk until it is over or in another thread's hands.
  void run(sched::slot& s) noexcept {
    sched::base_scope const scope(s);
    sched::slot::index const base = s.bottom();
    ASHLAR_TRY {
      while (!s.cancelled(work_.group()) && next_batch(s, base)) {
      }
    }
    ASHLAR_CATCH_ALL { work_.group().record_exception(); }
  }

 private:
  static job* run_stolen(job* self, sched::slot& here) noexcept {
    auto& walk = *static_cast<item_walk*>(self);
    sched::group_counter& counter = walk.work_.counter();
    sched::slot* const by = walk.offered_by_;
    here.enter(walk.work_.group());
    walk.reserved_ = false;
    walk.run(here);
    counter.finish(by, here);
    return nullptr;
  }

  // True if the walk is to go on here.
  bool next_batch(sched::slot& s, sched::slot::index base) {
    typename Source::batch batch = source_.begin_batch();
    bool const more = source_.take(batch, work_.batch_size());
    if (more) offer(s);
    work_.run_batch(s, batch, Source::most);
    return more && take_back(s, base);
  }

  void offer(sched::slot& s) {
    if (reserved_ && ticks() - start_ > os::tuned.small_loop) reserved_ = false;
    bool const reserved = reserved_;
    offered_by_ = &s;
    work_.counter().add(s);
    tsan::release(this);
    ASHLAR_TRY { reserved ? s.offer(*this, work_.key()) : s.spawn(*this, work_.key()); }
    ASHLAR_CATCH_ALL {
      work_.counter().undo(s);
      ASHLAR_RETHROW;
    }
  }

  // Works off what the bodies added, then takes the walk back. False if it was stolen.
  bool take_back(sched::slot& s, sched::slot::index base) {
    sched::job_key key;
    while (sched::job* const popped = s.take_back(base, key)) {
      if (popped == this) {
        work_.counter().undo(s);
        return true;
      }
      s.run_own(popped, key);
    }
    return false;
  }

  Source& source_;
  Work& work_;
  sched::slot* offered_by_ = nullptr;
  bool reserved_;
  std::uint64_t const start_;
};

/// Walks the source and waits. Walks that were short lately wake nobody.
template <typename Source, typename Work>
void walk_items(sched::slot& s, Source& source, Work& work) {
  atomic<small_loop_history::word>& memory = small_loop_of<item_walk<Source, Work>>(work.function());
  small_loop_history const before(memory.load(mo::relaxed));
  std::uint64_t const start = ticks();
  item_walk<Source, Work> walk(source, work, before.expects_small(0));
  walk.run(s);
  work.wait(s);
  before.remember(memory, 0, ticks() - start < os::tuned.small_loop);
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
