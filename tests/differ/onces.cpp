// SPDX-License-Identifier: Apache-2.0
// collaborative_call_once: flags whose functions throw first, run loops, take arguments, and are called again.
#define TBB_PREVIEW_COLLABORATIVE_CALL_ONCE 1
#include "subjects.h"

#if DIFFER_ONETBB  // TBB 2020 has none
#include <tbb/collaborative_call_once.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#include <thread>

namespace differ {

namespace {

class scene {
 public:
  void act(step const& s, std::string const& path, book& told) {
    if (s.kind == "new") {
      flag_ = std::make_unique<tbb::collaborative_once_flag>();
      done_ = false;
    } else if (s.kind == "call") {
      told.tell(path + " threw", thrown([&] { call(s.wrong != fault::none, s.n, s.b); }));
    } else if (s.kind == "crowd") {
      crowd(s, path, told);
    } else if (s.kind == "threads") {
      threads(s, path, told);
    } else if (s.kind == "arena") {
      tbb::task_arena other(1 + s.a % 3);
      told.tell(path + " threw", thrown([&] { other.execute([&] { call(s.wrong != fault::none, s.n, s.b); }); }));
    } else if (s.kind == "arguments") {
      arguments(path, told);
    } else if (s.kind == "nested") {
      nested(s, path, told);
    }
    told.tell(path + " begun, ended", text(begun_.load()) + " " + text(ended_.load()) + text(done_.load()));
  }

 private:
  // Some functions run a loop, in which others that wait take part.
  void call(bool fails, int n, int how) {
    tbb::collaborative_call_once(*flag_, [&] {
      ++begun_;
      std::atomic<int> sum{0};
      if (how % 2 == 0) tbb::parallel_for(0, n, [&](int) { ++sum, linger(); });
      if (fails && how % 3 == 0) tbb::parallel_for(0, n, [&](int i) { i == n / 2 ? throw deliberate{how} : linger(); });
      if (fails) throw deliberate{how};
      ended_ += how % 2 != 0 || sum == n ? 1 : 1000;
      done_ = true;
    });
    if (planted("once calls again")) ++begun_;
  }

  // The first attempts fail, each for one caller; each caller tries again until it succeeds.
  void crowd(step const& s, std::string const& path, book& told) {
    std::atomic<int> failures{s.wrong != fault::none ? s.b % 4 : 0};
    std::atomic<int> caught{0}, early{0};
    tbb::parallel_for(0, s.n, [&](int) { insist(failures, caught, early); }, tbb::simple_partitioner());
    told.tell(path + " caught, early", text(caught.load()) + " " + text(early.load()));
  }
  void insist(std::atomic<int>& failures, std::atomic<int>& caught, std::atomic<int>& early) {
    for (;;) {
      try {
        tbb::collaborative_call_once(*flag_, [&] {
          ++begun_;
          linger();
          if (failures.fetch_sub(1) > 0) throw deliberate{3};
          tbb::parallel_for(0, 8, [](int) { linger(); });
          ++ended_;
          done_ = true;
        });
        early += done_ ? 0 : 1;
        return;
      } catch (deliberate const&) {
        ++caught;
      }
    }
  }
  void threads(step const& s, std::string const& path, book& told) {
    std::atomic<int> failures{s.wrong != fault::none ? s.b % 3 : 0};
    std::atomic<int> caught{0}, early{0};
    std::vector<std::thread> all;
    for (int i = 0; i < 2 + s.a % 2; ++i) all.emplace_back([&] { insist(failures, caught, early); });
    for (std::thread& t : all) t.join();
    told.tell(path + " caught, early", text(caught.load()) + " " + text(early.load()));
  }

  void arguments(std::string const& path, book& told) {
    counted kept(4);
    std::string seen = "nothing";
    tbb::collaborative_call_once(
        *flag_,
        [&](counted given, counted& same, std::unique_ptr<int> moved, int number) {
          seen = text(given.value) + text(&same == &kept) + text(*moved) + text(number);
          ++begun_, ++ended_, done_ = true;
        },
        counted(3), kept, std::make_unique<int>(8), 9);
    told.tell(path + " saw", seen);
  }

  // A function that calls by another flag, in a loop.
  void nested(step const& s, std::string const& path, book& told) {
    tbb::collaborative_once_flag inner;
    std::atomic<int> inside{0};
    told.tell(path + " threw", thrown([&] {
                tbb::collaborative_call_once(*flag_, [&] {
                  ++begun_;
                  tbb::parallel_for(0, s.n, [&](int) { tbb::collaborative_call_once(inner, [&] { ++inside; }); });
                  if (s.wrong != fault::none) throw deliberate{s.a};
                  ++ended_, done_ = true;
                });
              }));
    told.tell(path + " inside", inside.load());
  }

  std::unique_ptr<tbb::collaborative_once_flag> flag_ = std::make_unique<tbb::collaborative_once_flag>();
  std::atomic<int> begun_{0}, ended_{0};
  std::atomic<bool> done_{false};
};

void onces(step const& program, book& told) {
  scene one;
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    one.act(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

}  // namespace

void add_onces(subjects& table) { table["once"] = onces; }

}  // namespace differ
#endif
