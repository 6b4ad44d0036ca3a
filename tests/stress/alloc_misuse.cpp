// SPDX-License-Identifier: Apache-2.0
// Random programs that misuse the allocator once: two threads allocate, free and resize objects of many sizes in many
// orders, then one of them frees or resizes what is free already (and was not handed out again), or what never was an
// object. Then they go on. Each is a process of its own. 10,000 of 10,000 end with a message; 99 of 100 must, because
// few programs tell little.
//
// alloc_misuse [PROGRAMS [FIRST_SEED]] tells which seeds went unnoticed.
#include <support/death.h>
#include <tbb/scalable_allocator.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {

// Runs functions one by one in a thread of its own.
class helper {
 public:
  helper() : thread_([this] { serve(); }) {}
  ~helper() {
    run([this] { over_ = true; });
    thread_.join();
  }
  void run(std::function<void()> f) {
    std::unique_lock<std::mutex> lock(mutex_);
    work_ = std::move(f);
    changed_.notify_all();
    changed_.wait(lock, [this] { return !work_; });
  }

 private:
  void serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!over_) {
      changed_.wait(lock, [this] { return static_cast<bool>(work_); });
      work_();
      work_ = nullptr;
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;
  bool over_ = false;
  std::thread thread_;
};

class program {
 public:
  explicit program(unsigned seed) : random_(seed), other_(new helper) {}

  void run() {
    unsigned const before = 20 + pick(600);
    for (unsigned i = 0; i < before; ++i) step();
    while (freed_.empty()) step();
    misuse();
    for (unsigned i = 0; i < 400; ++i) step();
    other_.reset();
    for (unsigned i = 0; i < 4200; ++i) step();
  }

 private:
  struct object {
    char* p;
    std::size_t size;
  };

  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  template <typename F>
  void somewhere(F const& f) {
    if (other_ && pick(3) == 0) {
      other_->run(f);
    } else {
      f();
    }
  }

  std::size_t random_size() {
    switch (pick(8)) {
      case 0:
        return 1 + pick(3000);
      case 1:
        return 1 + pick(100000);
      case 2:
        return pick(8) ? 1 + pick(16) : 1 + pick(3000000);
      default:
        return usual_size_;
    }
  }
  void hand_out(void* p, std::size_t size) {
    if (p == nullptr) std::exit(2);
    std::size_t const touched = pick(2) ? std::min<std::size_t>(size, 24) : 0;
    std::memset(p, 0x5a, touched);
    live_.push_back({static_cast<char*>(p), size});
    std::uintptr_t const at = reinterpret_cast<std::uintptr_t>(p);
    freed_.erase(freed_.lower_bound(at), freed_.lower_bound(at + std::max<std::size_t>(size, 16)));
  }
  void free_at(std::size_t k) {
    object const o = live_[k];
    live_.erase(live_.begin() + static_cast<long>(k));
    freed_[reinterpret_cast<std::uintptr_t>(o.p)] = o.size;
    somewhere([&] { scalable_free(o.p); });
  }
  void step() {
    switch (pick(20)) {
      case 0:
        usual_size_ = 1 + pick(pick(2) ? 100 : 700);
        break;
      case 1:  // a batch
        for (unsigned n = pick(80); n; --n) allocate();
        break;
      case 2:  // many, in order
        for (unsigned n = pick(60); n && !live_.empty(); --n) free_at(0);
        break;
      case 3:  // many, backwards
        for (unsigned n = pick(60); n && !live_.empty(); --n) free_at(live_.size() - 1);
        break;
      case 4:
        if (!live_.empty()) {
          object& o = live_[pick(static_cast<unsigned>(live_.size()))];
          object const old = o;
          std::size_t const size = random_size();
          void* p = nullptr;
          somewhere([&] { p = scalable_realloc(old.p, size); });
          std::swap(o, live_.back());
          live_.pop_back();
          freed_[reinterpret_cast<std::uintptr_t>(old.p)] = old.size;
          hand_out(p, size);
        }
        break;
      case 5:
        if (other_ && pick(10) == 0) other_.reset(pick(2) ? new helper : nullptr);
        break;
      default:
        if (live_.empty() || pick(5) < 3) {
          allocate();
        } else {
          free_at(pick(static_cast<unsigned>(live_.size())));
        }
    }
  }
  void allocate() {
    std::size_t const size = random_size();
    void* p = nullptr;
    somewhere([&] { p = scalable_malloc(size); });
    hand_out(p, size);
  }

  void misuse() {
    void* bad = nullptr;
    bool resize = false;
    char here[64];
    unsigned const kind = pick(10);
    if (kind < 8 || live_.empty()) {
      auto it = freed_.begin();
      std::advance(it, static_cast<long>(pick(static_cast<unsigned>(freed_.size()))));
      bad = reinterpret_cast<void*>(it->first);
      resize = kind == 7;
    } else if (kind == 8) {
      object const o = live_[pick(static_cast<unsigned>(live_.size()))];
      bad = o.p + 1 + pick(static_cast<unsigned>(std::min<std::size_t>(o.size, 15)));
    } else {
      static char global[64];
      bad = (pick(2) ? here : global) + pick(64);
    }
    void* volatile hidden = bad;
    somewhere([&] { resize ? static_cast<void>(scalable_realloc(hidden, 50)) : scalable_free(hidden); });
  }

  std::mt19937 random_;
  std::unique_ptr<helper> other_;
  std::size_t usual_size_ = 48;
  std::vector<object> live_;
  std::map<std::uintptr_t, std::size_t> freed_;  // and not handed out again
};

}  // namespace

int main(int argc, char** argv) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::puts("skipped: the sanitizers' own reports come first");
  return 0;
#endif
  unsigned const programs = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 400;
  unsigned const first = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  unsigned stopped = 0;
  for (unsigned seed = first; seed < first + programs; ++seed) {
    test::death const d = test::run_in_child([seed] {
      alarm(20);
      program(seed).run();
    });
    bool const named = d.errors.find("free()") != std::string::npos || d.errors.find("realloc()") != std::string::npos;
    if (d.by_signal(SIGABRT) && named) {
      ++stopped;
    } else {
      std::printf("seed %u: %s %d %s\n", seed, d.exited ? "exit" : "signal", d.code, d.errors.c_str());
    }
  }
  std::printf("%u of %u stopped\n", stopped, programs);
  return programs != 0 && stopped * 100 >= programs * 99 ? 0 : 1;
}
