// SPDX-License-Identifier: Apache-2.0
// Jobs of an arena that lay at the top of a deque and in the way of a thread that may take some jobs only. The thread
// lays them aside, so that it sees what lies below, and everybody who may take such a job finds it here.
//
// Threads    any.
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/sched/policy/job.h>

#include <mutex>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sched {

class aside_jobs {
 public:
  struct node {
    job* what = nullptr;
    job_key key = 0;
    node* next = nullptr;
  };

  aside_jobs() noexcept = default;
  aside_jobs(aside_jobs const&) = delete;
  aside_jobs& operator=(aside_jobs const&) = delete;

  bool empty() const noexcept { return count_.load(mo::relaxed) == 0; }

  // Owns the node from then on.
  void add(node& n) noexcept {
    std::lock_guard guard(lock_);
    *last_ = &n;
    last_ = &n.next;
    count_.fetch_add(1, mo::relaxed);
  }

  // The first job that is accepted, by itself and its key, which may be changed then; or null.
  template <typename Accept>
  job* take(job_key& key, Accept accept) noexcept {
    if (empty()) return nullptr;
    std::lock_guard guard(lock_);
    for (node** link = &first_; *link != nullptr; link = &(*link)->next) {
      node* const n = *link;
      if (!accept(*n->what, n->key)) continue;
      *link = n->next;
      if (last_ == &n->next) last_ = link;
      count_.fetch_sub(1, mo::relaxed);
      key = n->key;
      job* const what = n->what;
      delete n;
      return what;
    }
    return nullptr;
  }

  // The lock is held while the process forks.
  void before_fork() noexcept { lock_.lock(); }
  void after_fork() noexcept { lock_.unlock(); }

 private:
  std::mutex lock_;
  node* first_ = nullptr;
  node** last_ = &first_;
  atomic<unsigned> count_{0};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
