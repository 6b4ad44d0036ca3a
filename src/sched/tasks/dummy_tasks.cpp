// SPDX-License-Identifier: Apache-2.0
#include "sched/tasks/dummy_tasks.h"

#include <ashlar/sched/tasks/classic_task.h>

#include <memory>

namespace ashlar::inline v1::sched {

struct dummy_tasks::node {
  explicit node(context& group) noexcept : prefix(nullptr, &group, 0, nullptr, 0, tbb::task::executing) {}

  task_prefix prefix;
  tbb::empty_task object;
  node* older = nullptr;
};

dummy_tasks::~dummy_tasks() {
  while (newest_ != nullptr) {
    node* const n = newest_;
    newest_ = n->older;
    delete n;
  }
}

task_prefix& dummy_tasks::get(context& group) {
  node** link = &newest_;
  for (node* n; (n = *link) != nullptr; link = &n->older) {
    if (n->prefix.group == &group || (n->older == nullptr && count_ == most)) {
      *link = n->older;
      n->older = newest_;
      newest_ = n;
      n->prefix.group = &group;
      return n->prefix;
    }
  }
  node* const n = new node(group);
  n->older = newest_;
  newest_ = n;
  ++count_;
  return n->prefix;
}

task_prefix& running_task(slot& s) {
  auto* const t = static_cast<task_prefix*>(s.task());
  // A library algorithm in the task has a group of its own.
  if (t != nullptr && t->group == &s.group()) return *t;
  std::unique_ptr<slot_attachment>& mine = s.home().attachment(s.position());
  if (mine == nullptr) mine = std::make_unique<dummy_tasks>();
  return static_cast<dummy_tasks&>(*mine).get(s.group());
}

}  // namespace ashlar::inline v1::sched
