// SPDX-License-Identifier: Apache-2.0
// A slot's mailbox: every proxy that is posted is received once, in the order in which one sender posted, and is freed
// by the second of its two takers. mailbox.cpp and task_pool.cpp are the real ones.
#include <scenes.h>

#include "sched/queue/mailbox.cpp"
#include "sched/queue/task_pool.cpp"

#include <new>

using namespace ashlar;

namespace ashlar::inline v1::sched {

std::mutex process_locks::orphans;
job* task_proxy::open(job*, slot&) noexcept { return nullptr; }

}  // namespace ashlar::inline v1::sched

namespace {

constexpr int most_jobs = 3;

struct numbered : sched::job {
  model::var<int> content{0};
  model::var<int> runs{0};
};

struct scene {
  sched::mailbox box;
  sched::task_pool pool;  // the receiver's
  numbered jobs[most_jobs];
  sched::task_proxy* letters[most_jobs] = {};
  int last_received = -1;

  scene() { model::label(box, "mailbox"); }
  // Proxies are large objects of no pool: whoever frees one gives it back to the system.
  sched::task_proxy* make(int i) {
    void* const place = ::operator new(sizeof(sched::task_proxy), std::align_val_t{sched::task_pool::granule});
    jobs[i].content.set(10 * i);
    letters[i] = new (place) sched::task_proxy(jobs[i], static_cast<sched::job_key>(100 + i), nullptr);
    return letters[i];
  }
  void post(int i) { box.post(*make(i)); }
  void run(numbered& j) {
    model::require(j.content.get() == 10 * static_cast<int>(&j - jobs), "a job comes with what was written before");
    j.runs.set(j.runs.get() + 1);
    model::require(j.runs.get() == 1, "a job runs once");
  }
  // The receiver looks once. The number of the job, or -1.
  int receive() {
    sched::job_key key = 0;
    sched::job* const j = box.receive(pool, {}, key);
    if (j == nullptr) return -1;
    auto& mine = *static_cast<numbered*>(j);
    int const i = static_cast<int>(&mine - jobs);
    model::require(key == static_cast<sched::job_key>(100 + i), "a job's key is another's");
    run(mine);
    return i;
  }
  // A thief, or the sender itself, takes the copy in the deque.
  void take_from_deque(int i, sched::task_pool& own) {
    sched::task_proxy& l = *letters[i];
    auto& what = *static_cast<numbered*>(l.what);
    l.take() ? run(what) : l.free(own);
  }
  void take_rest(int n) {
    while (receive() >= 0) {
    }
    for (int i = 0; i < n; ++i) model::require(jobs[i].runs.get() == 1, "a job is lost");
  }
};

// The proxies that were received are freed by their deque's side, and the reverse.
void post_beside_receive() {
  scene s;
  sched::task_pool senders;
  model::thread a("sender", [&] {
    s.post(0);
    s.post(1);
  });
  int const first = s.receive();
  int const second = s.receive();
  model::require(first <= 0 && (second != 0 || first < 0), "letters come in the order of their posting");
  a.join();
  s.take_rest(2);
  for (int i : {0, 1}) s.take_from_deque(i, senders);
}

void two_senders() {
  scene s;
  sched::task_pool senders;
  model::thread a("sender 1", [&] { s.post(0); });
  model::thread b("sender 2", [&] { s.post(1); });
  s.receive();
  a.join();
  b.join();
  s.take_rest(2);
  for (int i : {0, 1}) s.take_from_deque(i, senders);
}

// The last proxy is received while the next one is posted.
void emptied() {
  scene s;
  sched::task_pool senders;
  s.post(0);
  model::thread a("sender", [&] { s.post(1); });
  s.receive();
  s.receive();
  a.join();
  s.take_rest(2);
  for (int i : {0, 1}) s.take_from_deque(i, senders);
}

// A proxy is taken from both sides at once.
void both_sides() {
  scene s;
  s.post(0);
  model::thread thief("thief", [&] {
    sched::task_pool own;
    s.take_from_deque(0, own);
  });
  s.receive();
  thief.join();
  s.take_rest(1);
}

void sender_takes_back() {
  scene s;
  model::thread a("sender", [&] {
    sched::task_pool own;
    s.post(0);
    s.post(1);
    s.take_from_deque(1, own);
    s.take_from_deque(0, own);
  });
  s.receive();
  s.receive();
  a.join();
  s.take_rest(2);
}

model::scene const scenes[] = {{"post beside receive", post_beside_receive},
                               {"two senders", two_senders, 4},
                               {"emptied", emptied},
                               {"both sides", both_sides},
                               {"sender takes back", sender_takes_back, 3}};

}  // namespace

TEST_CASE("letters arrive once and are freed once") { model::check_all(scenes, {}, 1); }

TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"src/sched/queue/mailbox.h", "src/sched/queue/mailbox.cpp"});
}
