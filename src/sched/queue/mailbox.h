// SPDX-License-Identifier: Apache-2.0
// The mailbox of a slot: jobs that were sent to it by affinity, first in, first out. What travels is a proxy. It is
// both in the sender's deque and in the mailbox; the first to take it runs the job, the second frees the proxy.
//
// Threads    post: anyone. receive, and the destructor: the slot's occupant.
// Invariants B1 every proxy is taken exactly twice, once from the deque and once from the mailbox.
//            B2 `last_` points to the link that the next proxy is to be hung into; a proxy whose link is being filled
//               is waited for, never freed.
// Ordering   [B1] post: link release      -> [B2] receive: link acquire (the proxy's contents)
//            [B3] post: last_ exchange    <-> [B4] receive: last_ taken back from the last proxy
//            [B5] first taker, release -> [B5] second taker, acquire (the first has read what it frees)
// Model      tests/model/mailbox_model.cpp
#pragma once

#include "sched/policy/search_limits.h"

#include <ashlar/base/atomic.h>
#include <ashlar/sched/queue/task_pool.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct task_proxy : job {
  task_proxy(job& content, job_key k, task_pool* pool) noexcept : job{&open}, what(&content), key(k), home(pool) {}

  // Runs a proxy that was popped or stolen from a deque, or came out of an arena's queue (affinity.cpp).
  static job* open(job* self, slot& here) noexcept;

  // Takes the proxy, from the deque or from the mailbox. True for the first call, whose caller owns the job.
  bool take() noexcept { return taken.fetch_add(1, mo::acq_rel) == 0; }  // [B5]

  // Frees the proxy, which deque and mailbox have both given up. `own` is the calling thread's pool.
  void free(task_pool& own) noexcept { own.release(this, sizeof(task_proxy), home); }

  job* what;
  job_key key;
  task_pool* home;
  atomic<task_proxy*> next{nullptr};
  atomic<std::uint32_t> taken{0};
};

// The job that a proxy carries; null if `j` is no proxy.
inline job* content_of_proxy(job& j) noexcept {
  return j.run == &task_proxy::open ? static_cast<task_proxy&>(j).what : nullptr;
}

class mailbox {
 public:
  // More proxies than this are not posted to one slot; they are for a thread that perhaps never comes back.
  static constexpr std::uint32_t most_proxies = 4096;

  mailbox() noexcept = default;
  mailbox(mailbox const&) = delete;
  mailbox& operator=(mailbox const&) = delete;
  // Nobody may use the arena any more.
  ~mailbox();

  void post(task_proxy& l) noexcept;
  // The oldest job that the slot's occupant may take, or null. Frees proxies whose job has been taken elsewhere.
  job* receive(task_pool& own, search_limits const& limits, job_key& key) noexcept;

  // In the child of a fork. A sender that is gone may have left a link unfilled, and what it sent may lie on its stack;
  // who is left finds its own jobs in its own deque.
  void forget_senders() noexcept {
    first_.store(nullptr, mo::relaxed);
    last_.store(&first_, mo::relaxed);
    size_.store(0, mo::relaxed);
    idle_.store(false, mo::relaxed);
  }

  bool full() const noexcept { return size_.load(mo::relaxed) >= most_proxies; }
  // The occupant has nothing to do: a hint for senders, who then ask thieves to wait.
  bool idle() const noexcept { return idle_.load(mo::relaxed); }
  void set_idle(bool idle) noexcept {
    if (idle_.load(mo::relaxed) != idle) idle_.store(idle, mo::relaxed);
  }

 private:
  task_proxy* remove_first(task_proxy* first) noexcept;

  atomic<task_proxy*> first_{nullptr};
  atomic<atomic<task_proxy*>*> last_{&first_};
  atomic<std::uint32_t> size_{0};
  atomic<bool> idle_{false};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
