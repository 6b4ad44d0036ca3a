// SPDX-License-Identifier: Apache-2.0
// Classic TBB's pipeline of filter objects, beside parallel_pipeline. `filter` has another meaning in oneTBB: it is the
// class of this header in the classic dialect, and wherever this header comes before <tbb/tbb.h>.
#pragma once

#include <ashlar/base/config.h>

#if defined(__TBB_parallel_pipeline_H) && !defined(__TBB_tbb_H) && !ASHLAR_CLASSIC_DIALECT
#error \
    "<tbb/pipeline.h> after <tbb/parallel_pipeline.h>: tbb::filter is oneTBB's class template already. Include one of them per file, or compile with -DASHLAR_CLASSIC_DIALECT=1"
#endif
#if ASHLAR_CLASSIC_DIALECT || !defined(__TBB_parallel_pipeline_H)
// Classic TBB's include guard; it tells what follows that `filter` is the class.
#define __TBB_pipeline_H
#endif

#include <tbb/detail/_filters.h>

#include <ashlar/algo/bound_port.h>

#ifdef __TBB_pipeline_H
namespace tbb {

class pipeline;

/// A stage of a classic pipeline. The first one returns null at the end of the stream, or calls set_end_of_input; the
/// others return what the next one gets. finalize() is called for an item that is dropped before this stage because the
/// pipeline was cancelled, and for the one whose call of this stage's operator has thrown.
class filter {
 public:
  using mode = filter_mode;
  static constexpr mode parallel = filter_mode::parallel;
  static constexpr mode serial_in_order = filter_mode::serial_in_order;
  static constexpr mode serial_out_of_order = filter_mode::serial_out_of_order;
  static constexpr mode serial = serial_in_order;

  virtual ~filter();
  filter(filter const&) = delete;
  filter& operator=(filter const&) = delete;

  bool is_serial() const noexcept { return mode_ != parallel; }
  bool is_ordered() const noexcept { return mode_ == serial_in_order; }
  bool is_bound() const noexcept { return port_ != nullptr; }
  /// Whether null is an item to the next filter, so doesn't end the stream. No filter's null is.
  bool object_may_be_null() const noexcept { return false; }
  virtual void* operator()(void* item) = 0;
  virtual void finalize(void* /*item*/) {}

 protected:
  explicit filter(bool is_serial) noexcept : mode_(is_serial ? serial : parallel) {}
  explicit filter(mode m) noexcept : mode_(m) {}

  // Another way for the first filter to end the stream: what it returns from that call is ignored.
  void set_end_of_input() noexcept { end_of_input_.store(true, ashlar::mo::relaxed); }

 private:
  friend class pipeline;
  friend class thread_bound_filter;

  mode const mode_;
  ashlar::algo::bound_port* port_ = nullptr;
  ashlar::atomic<bool> end_of_input_{false};
  pipeline* in_ = nullptr;
  filter* next_ = nullptr;
};

/// A filter that runs on no worker, but on the thread that calls process_item. That is one thread, and another one than
/// the one that runs the pipeline.
///
/// Each call processes one item, if it is the filter's turn; process_item waits for that, even for the pipeline to run.
/// The thread goes on until it is told the end of the stream, which happens once in a run: as the first filter it ends
/// the stream itself, else it hears of the end when the run is over, cancelled or not. The operator's exception cancels
/// the pipeline and leaves from run().
class thread_bound_filter : public filter {
 public:
  enum result_type { success, item_not_available, end_of_stream };

  result_type process_item() { return static_cast<result_type>(items_.process(true)); }
  result_type try_process_item() { return static_cast<result_type>(items_.process(false)); }

 protected:
  // Throws std::bad_alloc.
  explicit thread_bound_filter(mode m) : filter(m == parallel ? serial_out_of_order : m) { port_ = &items_; }

 private:
  ashlar::algo::bound_port items_;
};

/// Filters in a row, by reference. Not copyable; changed while it doesn't run.
class pipeline {
 public:
  pipeline() noexcept = default;
  pipeline(pipeline const&) = delete;
  pipeline& operator=(pipeline const&) = delete;
  virtual ~pipeline() { clear(); }

  void add_filter(filter& f) {
    ASHLAR_ASSERT(f.in_ == nullptr, "a filter is in one pipeline at a time");
    filter** end = &first_;
    while (*end != nullptr) end = &(*end)->next_;
    *end = &f;
    f.in_ = this;
    f.next_ = nullptr;
    ++count_;
  }
  void clear() {
    while (first_ != nullptr) remove(*first_);
  }
  /// As parallel_pipeline. Returns when the threads of all thread-bound filters have done their part.
  void run(std::size_t max_live_tokens) { run_in(max_live_tokens, nullptr); }
  void run(std::size_t max_live_tokens, task_group_context& context) { run_in(max_live_tokens, &context); }

 private:
  friend class filter;

  void remove(filter& f) noexcept {
    for (filter** at = &first_; *at != nullptr; at = &(*at)->next_) {
      if (*at != &f) continue;
      *at = f.next_;
      f.in_ = nullptr;
      f.next_ = nullptr;
      --count_;
      return;
    }
  }
  static filter& of(void const* body) noexcept { return *static_cast<filter*>(const_cast<void*>(body)); }
  static void run_first(void const* body, ashlar::algo::token_value& value, flow_control& control, bool const&) {
    filter& f = of(body);
    void* const item = f(nullptr);
    if (f.end_of_input_.load(ashlar::mo::relaxed) || item == nullptr) return control.stop();
    ashlar::algo::carried<void*>::put(value, [&] { return item; });
  }
  static void run_next(void const* body, ashlar::algo::token_value& value, flow_control&, bool const&) {
    void*& item = ashlar::algo::carried<void*>::get(value);
    ASHLAR_TRY { item = of(body)(item); }
    ASHLAR_CATCH_ALL {
      of(body).finalize(item);
      ASHLAR_RETHROW;
    }
  }
  static void drop(void const* body, ashlar::algo::token_value& value) noexcept {
    of(body).finalize(ashlar::algo::carried<void*>::get(value));
  }

  void run_in(std::size_t tokens, task_group_context* context) {
    if (first_ == nullptr) return;
    struct stages {
      explicit stages(std::size_t n) : list(new ashlar::algo::stage[n]) {}
      stages(stages const&) = delete;
      stages& operator=(stages const&) = delete;
      ~stages() { delete[] list; }
      ashlar::algo::stage* list;
    } all(count_);
    first_->end_of_input_.store(false, ashlar::mo::relaxed);
    ashlar::algo::stage* to = all.list;
    for (filter* f = first_; f != nullptr; f = f->next_) {
      *to++ = {f, f == first_ ? &run_first : &run_next, &drop, f->mode_, f->port_};
    }
    ashlar::algo::run_pipeline(all.list, count_, tokens, context);
  }

  filter* first_ = nullptr;
  std::size_t count_ = 0;
};

inline filter::~filter() {
  if (in_ != nullptr) in_->remove(*this);
}

}  // namespace tbb
#else
namespace tbb {
/// `filter` is oneTBB's class template here, so what derives from it or holds it can't be declared. Who names these two
/// sees what brings the classic classes.
class [[deprecated(
    "tbb::pipeline and classes derived from tbb::filter need <tbb/pipeline.h> before <tbb/tbb.h>, or "
    "-DASHLAR_CLASSIC_DIALECT=1")]] pipeline;
class [[deprecated(
    "tbb::thread_bound_filter needs <tbb/pipeline.h> before <tbb/tbb.h>, or "
    "-DASHLAR_CLASSIC_DIALECT=1")]] thread_bound_filter;
}  // namespace tbb
#endif

#include <tbb/detail/closure/tasks.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/tbb_allocator.h>
#include <cstring>
#endif
