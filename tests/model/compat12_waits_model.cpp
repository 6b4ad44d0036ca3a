// SPDX-License-Identifier: Apache-2.0
// Where the threads of foreign programs sleep: at the addresses of oneTBB's mutexes, and at the two ends of a bounded
// queue. Nobody who may go on sleeps for ever, and what came before a wake-up is seen. address_waiters.cpp,
// queue_monitors.cpp and the parking lot are the real ones; the words and questions are the program's, which changes
// its words by locked instructions and then notifies.
#include <scenes.h>
#include <sleepers.h>

#include "compat12/address_waiters.cpp"
#include "compat12/queue_monitors.cpp"
#include "sync/parker.cpp"
#include "sync/wait_on.cpp"

using namespace ashlar;
namespace r1 = tbb::detail::r1;

namespace ashlar {
inline namespace v1 {

void* allocate_cache_aligned(std::size_t size) { return ::operator new(size, std::align_val_t{no_sharing}); }
void deallocate_cache_aligned(void* p) noexcept { ::operator delete(p, std::align_val_t{no_sharing}); }

}  // namespace v1
}  // namespace ashlar

namespace {

template <typename F>
class question final : public tbb::detail::d1::delegate_base {
 public:
  explicit question(F f) : f_(f) {}
  bool operator()() const override { return f_(); }

 private:
  F f_;
};

// A count of places that threads wait for, in a context each.
struct doorway {
  model::sleepers table;
  atomic<int> places{0};
  model::var<int> made_before{0};

  doorway() { model::label(places, "places"); }
  void enter(std::uintptr_t context) {
    question may_enter([this] { return places.load(mo::relaxed) != 0; });
    for (int n = places.load(mo::acquire);;) {
      if (n == 0) {
        r1::wait_on_address(&places, may_enter, context);
        n = places.load(mo::acquire);
      } else if (places.compare_exchange(n, n - 1, mo::acquire, mo::acquire)) {
        break;
      }
    }
    model::require(made_before.get() != 0, "who enters sees what came before");
  }
  void open(int n) {
    made_before.set(1);
    places.fetch_add(n, mo::seq_cst);
  }
};

// Armed: others sleep in the bucket, for whom the heavy fence was made.
template <std::uintptr_t Context, auto Notify, bool Armed = false>
void one_waiter() {
  doorway d;
  if (Armed) {
    d.table.bucket.armed.store(1, mo::relaxed);
    d.table.bucket.fenced = true;
    d.table.bucket.armed_sleepers = 1;
  }
  model::thread a("waiter", [&d] { d.enter(Context); });
  d.open(1);
  Notify(&d.places);
  a.join();
}
void notify_here(void* address) { r1::notify_by_address(address, 1); }

// Each of two places is told of by itself, whatever the contexts are.
void two_contexts() {
  doorway d;
  model::thread a("waiter 1", [&d] { d.enter(1); });
  model::thread b("waiter 2", [&d] { d.enter(2); });
  d.open(1);
  r1::notify_by_address_one(&d.places);
  d.places.fetch_add(1, mo::seq_cst);
  r1::notify_by_address_one(&d.places);
  a.join();
  b.join();
}
void all_contexts() {
  doorway d;
  model::thread a("waiter 1", [&d] { d.enter(0); });
  model::thread b("waiter 2", [&d] { d.enter(2); });
  d.open(2);
  r1::notify_by_address_all(&d.places);
  a.join();
  b.join();
}

// One end of a bounded queue. An element is there for all tickets below `elements`.
struct queue_end {
  static constexpr std::size_t own_part = no_sharing;

  model::sleepers table;
  std::uint8_t* const rep = r1::allocate_bounded_queue_rep(own_part);
  r1::concurrent_monitor* const monitors = reinterpret_cast<r1::concurrent_monitor*>(rep + own_part);
  atomic<std::ptrdiff_t> elements{0};
  atomic<bool> aborted{false};
  model::var<int> contents[2];

  queue_end() {
    os::tuned.lock_spin = 0;  // time stands still
    model::label(elements, "elements");
    model::label(rep, own_part + sizeof(compat12::queue_monitor) * 2, "monitor");
  }
  ~queue_end() { r1::deallocate_bounded_queue_rep(rep, own_part); }
  void pop(std::ptrdiff_t ticket) {
    question must_wait([this, ticket] {
      if (aborted.load(mo::acquire)) throw ticket;
      return elements.load(mo::acquire) <= ticket;
    });
    r1::wait_bounded_queue_monitor(monitors, 1, ticket, must_wait);
    model::require(contents[ticket].get() == 1, "a pop comes after its push");
  }
  void push(std::ptrdiff_t ticket) {
    contents[ticket].set(1);
    elements.fetch_add(1, mo::acq_rel);
    r1::notify_bounded_queue_monitor(monitors, 1, static_cast<std::size_t>(ticket));
  }
};

void one_element() {
  queue_end q;
  model::thread a("pops", [&q] { q.pop(0); });
  q.push(0);
  a.join();
}
// The first push wakes the first ticket only; whoever has the other one must not be lost with it.
void two_tickets() {
  queue_end q;
  model::thread a("pops 0", [&q] { q.pop(0); });
  model::thread b("pops 1", [&q] { q.pop(1); });
  q.push(0);
  q.push(1);
  a.join();
  b.join();
}
// The question throws while the sleeper is in the list.
void aborted() {
  queue_end q;
  bool thrown = false;
  model::thread a("pops", [&q, &thrown] {
    try {
      q.pop(0);
    } catch (std::ptrdiff_t) {
      thrown = true;
    }
  });
  q.aborted.store(true, mo::release);
  r1::abort_bounded_queue_monitors(q.monitors);
  a.join();
  model::require(thrown, "an aborted wait ends");
  q.aborted.store(false, mo::relaxed);
  q.push(0);
  q.pop(0);
}

model::scene const addresses[] = {{"no context", one_waiter<0, r1::notify_by_address_one>},
                                  {"in a context", one_waiter<1, r1::notify_by_address_one>},
                                  {"all in a context", one_waiter<1, r1::notify_by_address_all>},
                                  {"by its context", one_waiter<1, notify_here>},
                                  {"beside others", one_waiter<1, r1::notify_by_address_one, true>},
                                  {"two contexts", two_contexts, 0},
                                  {"all contexts", all_contexts, 0}};
model::scene const queues[] = {
    {"one element", one_element, 3}, {"two tickets", two_tickets, 0}, {"aborted", aborted, 2}};

}  // namespace

TEST_CASE("who waits at an address goes on") { model::check_all(addresses, {}, 2); }

TEST_CASE("who waits at a queue goes on with its ticket") { model::check_all(queues, {}, 2); }

TEST_CASE("each order is needed") {
  model::check_each_order(addresses, {"src/compat12/address_waiters.cpp"});
  model::check_each_order(queues, {"src/compat12/queue_monitors.cpp"});
}
