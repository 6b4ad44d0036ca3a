// SPDX-License-Identifier: Apache-2.0
// enumerable_thread_specific and combinable.
#include "subjects.h"

#include <tbb/combinable.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#include <numeric>

namespace differ {

namespace {

template <typename Locals>
class scene {
 public:
  explicit scene(step const& program) : first_(program.b % 5), way_(program.n % 3), x_(made()), y_(made()) {}

  void act(step const& s, std::string const& path, book& told) {
    if (s.kind == "local") {
      bool exists = false;
      counted& mine = x_->local(exists);
      told.tell(path + " was there", exists);
      mine.value += 1;
    } else if (s.kind == "parallel") {
      tbb::parallel_for(0, s.n,
                        [&](int i) { x_->local().value += planted("local forgets an update") && i == 3 ? 0 : 1; });
      told.tell(path + " elements",
                x_->size() <= static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()) + 1 + others_);
    } else if (s.kind == "copy") {
      x_ = std::make_unique<Locals>(*y_);
    } else if (s.kind == "move") {
      x_ = std::make_unique<Locals>(std::move(*y_));
      told.tell(path + " moved from", y_->empty());
      y_ = made();  // what is moved from has no more function that makes elements
    } else if (s.kind == "copy_assign") {
      *x_ = *y_;
    } else if (s.kind == "move_assign") {
      *x_ = std::move(*y_);
      told.open("a moved-from one that is empty", y_->empty() ? 1 : 0);
      y_->clear();
    } else if (s.kind == "exchange") {
      std::swap(x_, y_);
    } else if (s.kind == "swap") {
      std::swap(*x_, *y_);
    } else if (s.kind == "clear") {
      x_->clear();
    } else if (s.kind == "broken") {
      if (way_ == 0) broken(path, told);
    } else if (s.kind == "combinable") {
      combine(s, path, told);
    }
    tell(path, told);
  }

 private:
  // Copies and moves of a combinable keep what was counted, and the function that makes more.
  void combine(step const& s, std::string const& path, book& told) {
    tbb::combinable<counted> one([first = first_] { return counted(first); });
    bool there = true;
    one.local(there).value += s.a;
    tbb::combinable<counted> copy(one);
    tbb::combinable<counted> moved(std::move(one));
    tbb::combinable<counted> assigned;
    assigned = copy;
    if (s.b % 2 == 0) copy.clear();
    if (s.b % 3 == 0) assigned = std::move(moved);
    auto const sum = [](counted const& a, counted const& b) { return counted(a.value + b.value); };
    int each = 0;
    assigned.combine_each([&](counted const& c) { each += c.value; });
    told.tell(path + " combined", text(there) + text(copy.combine(sum).value) + " " + text(copy.local().value) + " " +
                                      text(assigned.combine(sum).value) + " " + text(assigned.local(there).value) +
                                      text(there) + text(each));
  }
  // Its elements are made by a function, as copies of a value, or of arguments.
  std::unique_ptr<Locals> made() const {
    if (way_ == 1) return std::make_unique<Locals>(counted(first_));
    if (way_ == 2) return std::make_unique<Locals>(first_);
    return std::make_unique<Locals>([first = first_] {
      may_throw(calls_left);
      return counted(first);
    });
  }
  void broken(std::string const& path, book& told) {
    x_->clear();
    calls_left = 0;
    told.tell(path + " threw", thrown([&] { x_->local(); }));
    calls_left = -1;
    told.known("failed local", path + " left", x_->size());
    x_->clear();
  }
  // How many elements there are depends on the threads; how often they were raised does not.
  void tell(std::string const& path, book& told) {
    long raised = 0;
    for (counted const& c : *x_) raised += c.value - first_;
    told.tell(path + " raised", raised);
    long by_range = 0;
    for (counted const& c : x_->range(1)) by_range += c.value - first_;
    told.tell(path + " by its range", by_range);
    long by_each = 0;
    x_->combine_each([&](counted const& c) { by_each += c.value - first_; });
    told.tell(path + " by each", by_each);
    told.tell(path + " empty", text(x_->empty()) + text(x_->size() == 0) + text(x_->begin() == x_->end()));
    if (!x_->empty()) {
      counted const all = x_->combine([](counted const& a, counted const& b) { return counted(a.value + b.value); });
      told.tell(path + " combined", all.value - first_ * static_cast<int>(x_->size()));
    }
    if (x_->size() > others_) others_ = x_->size();
  }

  int const first_;
  int const way_;
  std::size_t others_ = 0;
  std::unique_ptr<Locals> x_, y_;
};

template <typename Locals>
void play(step const& program, book& told) {
  scene<Locals> one(program);
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    one.act(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

void locals(step const& program, book& told) {
  if (program.a % 2 == 0) return play<tbb::enumerable_thread_specific<counted>>(program, told);
  play<tbb::enumerable_thread_specific<counted, tbb::cache_aligned_allocator<counted>, tbb::ets_key_per_instance>>(
      program, told);
}

}  // namespace

void add_locals(subjects& table) { table["local"] = locals; }

}  // namespace differ
