// SPDX-License-Identifier: Apache-2.0
// Vertices of references, one per thread and waiting object: a wait ends after all that was counted in any thread's
// vertex, each reference goes to the object that it was taken for, and a vertex that is in use is given to no other
// parent when a new thread takes its set over. reference_vertices.cpp is the real one.
#include <scenes.h>

#include "compat12/reference_vertices.cpp"

#include <memory>

using namespace ashlar;
namespace d1 = tbb::detail::d1;

namespace {

// What the program waits for, counted by its own locked instructions.
class waited_for final : public d1::wait_tree_vertex_interface {
 public:
  void reserve(std::uint32_t n) override { count_.fetch_add(n, mo::relaxed); }
  void release(std::uint32_t n) override {
    std::uint64_t const before = count_.fetch_sub(n, mo::acq_rel);
    model::require(before >= n, "no reference is given back twice, or to another parent");
  }
  void wait() {
    while (count_.load(mo::acquire) != 0) cpu_pause();
  }

 private:
  atomic<std::uint64_t> count_{0};
};

struct scene {
  std::unique_ptr<waited_for> top = std::make_unique<waited_for>();
  model::var<int> results[3];

  scene() { model::own(compat12::of_thread); }
  void work(int i, d1::wait_tree_vertex_interface& vertex) {
    results[i].set(1);
    vertex.release(1);
  }
  void wait(int tasks) {
    top->wait();
    for (int i = 0; i < tasks; ++i) model::require(results[i].get() == 1, "the wait ends after all tasks");
    top.reset();
  }
};

d1::wait_tree_vertex_interface& vertex_of(waited_for& top) {
  return *tbb::detail::r1::get_thread_reference_vertex(&top);
}
// The end of a thread, whose set the next new one takes.
void end_thread() {
  if (compat12::of_thread != nullptr) compat12::of_thread->abandon();
}

// Two tasks of one vertex end on other threads.
void one_vertex() {
  scene s;
  d1::wait_tree_vertex_interface& v = vertex_of(*s.top);
  v.reserve(2);
  model::thread a("task 1", [&] { s.work(0, v); });
  model::thread b("task 2", [&] { s.work(1, v); });
  s.wait(2);
  a.join();
  b.join();
}

// A task that another thread runs adds one in that thread's vertex.
void two_vertices() {
  scene s;
  d1::wait_tree_vertex_interface& v = vertex_of(*s.top);
  v.reserve(1);
  model::thread a("task 1", [&] {
    d1::wait_tree_vertex_interface& mine = vertex_of(*s.top);
    model::require(&mine != &v, "each thread has its own");
    mine.reserve(1);
    s.work(1, mine);
    s.work(0, v);
  });
  s.wait(2);
  a.join();
}

// The thread adds a task again while the last one before it ends elsewhere.
void used_again() {
  scene s;
  s.top->reserve(1);  // the caller's own
  d1::wait_tree_vertex_interface& v = vertex_of(*s.top);
  v.reserve(1);
  model::thread a("task 1", [&] { s.work(0, v); });
  v.reserve(1);
  s.work(1, v);
  s.top->release(1);
  s.wait(2);
  a.join();
}

// Two objects for which a thread takes the same vertex, if that is free.
struct alike {
  static constexpr int most = 33;  // one more than a set has vertices

  alike() {
    for (second = 1; second < most; ++second) {
      for (first = 0; first < second; ++first) {
        if (vertex_number(first) == vertex_number(second)) return;
      }
    }
  }
  static std::ptrdiff_t vertex_number(int object) {
    auto const set = std::make_unique<compat12::vertex_set>();
    return reinterpret_cast<char*>(set->find(make(object))) - reinterpret_cast<char*>(set.get());
  }
  static waited_for& make(int object) { return *new (places[object]) waited_for; }

  alignas(waited_for) static inline unsigned char places[most][sizeof(waited_for)];
  int first = 0;
  int second = 0;
};
alike const objects;  // found outside of executions

// A thread ends while a task counts in its vertex; a new one takes its set, and wants that vertex for another object.
void taken_over() {
  scene s;
  waited_for& top = alike::make(objects.first);
  waited_for& others = alike::make(objects.second);
  std::unique_ptr<model::thread> task;
  model::thread ending("ends", [&] {
    d1::wait_tree_vertex_interface& v = vertex_of(top);
    v.reserve(1);
    task = std::make_unique<model::thread>("task", [&s, &v] { s.work(0, v); });
    end_thread();
  });
  model::thread fresh("begins", [&] {
    d1::wait_tree_vertex_interface& v = vertex_of(others);
    v.reserve(1);
    v.release(1);
  });
  ending.join();
  fresh.join();
  task->join();
  top.wait();
  others.wait();
  model::require(s.results[0].get() == 1, "the wait ends after the task");
}

model::scene const scenes[] = {{"one vertex", one_vertex},
                               {"two vertices", two_vertices},
                               {"used again", used_again},
                               {"taken over", taken_over, 3}};

// Sets are never freed.
model::options without_leaks() {
  model::options how;
  how.leaks = false;
  return how;
}

}  // namespace

TEST_CASE("a wait ends after all references are gone") { model::check_all(scenes, without_leaks(), 0); }

TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"src/compat12/reference_vertices.cpp"}, {}, without_leaks());
}
