// SPDX-License-Identifier: Apache-2.0
// parallel_pipeline of foreign programs: their filters as stages of our pipeline. A token's value is the pointer that
// they pass from filter to filter.
#include "class_region.h"
#include "contexts.h"
#include "running.h"

#include <ashlar/algo/pipeline_stage.h>
#include <ashlar/os/memory.h>
#include <ashlar/sched/core/words_scope.h>

#include <cstring>
#include <vector>

namespace ashlar::inline v1::compat12 {

namespace {

// The first filter, in the call under way, has called set_end_of_input.
ASHLAR_INITIAL_EXEC __thread bool input_has_ended = false;

struct filter_of_run {
  d1::base_filter* filter;
  foreign_context* group;
};

// A filter's call, which is a task of the group for current_context.
class filter_call {
 public:
  explicit filter_call(filter_of_run const& f) noexcept : named_(f.filter, 0) {
    data_.context = f.group;
    data_.original_slot = data_.affinity_slot = d1::no_slot;
    data_.here = sched::current_slot;
    data_.what = nullptr;
    data_.outer = innermost();
    set_innermost(&data_);
  }
  filter_call(filter_call const&) = delete;
  filter_call& operator=(filter_call const&) = delete;
  ~filter_call() { set_innermost(data_.outer); }

 private:
  class_region const named_;  // of the filter's operator()
  running data_;
};

void*& pointer_in(algo::token_value& v) noexcept { return *reinterpret_cast<void**>(v.bytes); }

void run_first(void const* body, algo::token_value& value, tbb::flow_control& control, bool const&) {
  auto const& f = *static_cast<filter_of_run const*>(body);
  filter_call const call(f);
  struct kept_flag {
    bool const outer = input_has_ended;
    kept_flag() noexcept { input_has_ended = false; }
    ~kept_flag() { input_has_ended = outer; }
  } const flag;
  void* const item = (*f.filter)(nullptr);
  bool const by_call = (f.filter->mode & d1::base_filter::may_make_null) != 0;
  if (by_call ? input_has_ended : item == nullptr) {
    control.stop();
  } else {
    new (value.bytes) void*(item);
  }
}

void run_later(void const* body, algo::token_value& value, tbb::flow_control&, bool const&) {
  auto const& f = *static_cast<filter_of_run const*>(body);
  filter_call const call(f);
  try {
    pointer_in(value) = (*f.filter)(pointer_in(value));
  } catch (...) {
    f.filter->finalize(pointer_in(value));
    throw;
  }
}

void drop_input(void const* body, algo::token_value& value) noexcept {
  static_cast<filter_of_run const*>(body)->filter->finalize(pointer_in(value));
}

// The filters of a chain, from its leaves, and their end.
class filters {
 public:
  filters(d1::filter_node const& chain, foreign_context& group) {
    std::vector<d1::filter_node const*> open{&chain};
    while (!open.empty()) {
      d1::filter_node const& n = *open.back();
      open.pop_back();
      if (n.left != nullptr) {
        open.push_back(n.right);
        open.push_back(n.left);
      } else {
        all_.push_back({nullptr, &group});
        all_.back().filter = n.create_filter();
      }
    }
  }
  filters(filters const&) = delete;
  filters& operator=(filters const&) = delete;
  ~filters() {
    for (filter_of_run const& f : all_) {
      if (f.filter == nullptr) continue;
      f.filter->~base_filter();
      deallocate_memory(f.filter);
    }
  }
  std::vector<algo::stage> stages() const {
    std::vector<algo::stage> made;
    for (filter_of_run const& f : all_) {
      made.push_back({&f, made.empty() ? &run_first : &run_later, &drop_input, mode_of(f), nullptr});
    }
    return made;
  }

 private:
  static tbb::filter_mode mode_of(filter_of_run const& f) noexcept {
    unsigned const mode = f.filter->mode;
    if ((mode & d1::base_filter::serial) == 0) return tbb::filter_mode::parallel;
    return (mode & d1::base_filter::out_of_order) == 0 ? tbb::filter_mode::serial_in_order
                                                       : tbb::filter_mode::serial_out_of_order;
  }

  std::vector<filter_of_run> all_;
};

}  // namespace

}  // namespace ashlar::inline v1::compat12

namespace tbb::detail::r1 {

using namespace ashlar::compat12;

ASHLAR_EXPORT void set_end_of_input(d1::base_filter&) { input_has_ended = true; }

// Throws the first exception of a filter, and leaves the group cancelled then.
ASHLAR_EXPORT void parallel_pipeline(d1::task_group_context& group, std::size_t tokens, d1::filter_node const& chain) {
  filters const all(chain, group);
  std::vector<ashlar::algo::stage> const stages = all.stages();
  ashlar::sched::slot& here = ashlar::sched::this_slot();
  ashlar::sched::context& node = use(group, here);
  ashlar::sched::settings_scope const settings(here, node);
  ashlar::sched::group_scope const scope(here, node);
  try {
    ashlar::algo::run_pipeline(stages.data(), stages.size(), tokens, nullptr);
  } catch (...) {
    node.cancel();
    throw;
  }
}

}  // namespace tbb::detail::r1
