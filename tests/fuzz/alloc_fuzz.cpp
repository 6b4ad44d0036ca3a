// SPDX-License-Identifier: Apache-2.0
// The allocator's interface under libFuzzer: the input is a sequence of operations on 64 objects, checked against a
// shadow model (contents, alignment, msize, zeroes of calloc). An operation is three bytes: what and which object, and
// how large. Two threads' heaps take part: operations of the second kind of thread run in a helper thread that lives
// on.
#include <tbb/scalable_allocator.h>

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

namespace {

void require(bool right, char const* what) {
  if (!right) {
    std::fprintf(stderr, "wrong: %s\n", what);
    std::abort();
  }
}

struct object {
  unsigned char* p = nullptr;
  std::size_t size = 0;
  std::size_t align = 1;
  unsigned char seed = 0;
};

// Runs functions one by one in a thread of its own.
class helper {
 public:
  helper() : thread_([this] { serve(); }) { thread_.detach(); }
  void run(std::function<void()> f) {
    std::unique_lock<std::mutex> lock(mutex_);
    work_ = std::move(f);
    changed_.notify_all();
    changed_.wait(lock, [this] { return !work_; });
  }

 private:
  void serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return static_cast<bool>(work_); });
      work_();
      work_ = nullptr;
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;
  std::thread thread_;
};

// Only the ends of large objects are written and checked.
constexpr std::size_t edge = 300;

unsigned char byte(object const& o, std::size_t i) { return static_cast<unsigned char>(o.seed + i * 31); }

template <typename F>
void for_each_byte(std::size_t size, F f) {
  for (std::size_t i = 0; i < size && i < edge; ++i) {
    f(i);
  }
  for (std::size_t i = size > 2 * edge ? size - edge : edge; i < size; ++i) {
    f(i);
  }
}

void fill(object& o, unsigned char seed) {
  o.seed = seed;
  for_each_byte(o.size, [&](std::size_t i) { o.p[i] = byte(o, i); });
}

void verify(object const& o) {
  for_each_byte(o.size, [&](std::size_t i) { require(o.p[i] == byte(o, i), "contents"); });
}

void settle(object& o, void* p, std::size_t size, std::size_t align, unsigned char seed) {
  require(p != nullptr, "memory");
  require(reinterpret_cast<std::uintptr_t>(p) % align == 0, "alignment");
  require(scalable_msize(p) >= size, "msize");
  o = {static_cast<unsigned char*>(p), size, align, 0};
  fill(o, seed);
}

void release(object& o) {
  verify(o);
  scalable_free(o.p);
  o = object{};
}

std::size_t size_of(unsigned kind, unsigned value) {
  switch (kind & 3) {
    case 0:
      return value + 1;
    case 1:
      return std::size_t{value} * 37 + 1;
    case 2:
      return std::size_t{value} * 1021 + 1;
    default:
      return std::size_t{value} * 9001 + 1;
  }
}

void apply(object& o, unsigned what, std::size_t size, unsigned char seed) {
  switch (what & 7) {
    case 0:
    case 1:
      release(o);
      settle(o, scalable_malloc(size), size, 8, seed);
      break;
    case 2: {
      release(o);
      auto* const p = static_cast<unsigned char*>(scalable_calloc(size, 1));
      for_each_byte(size, [&](std::size_t i) { require(p[i] == 0, "zeroes"); });
      settle(o, p, size, 8, seed);
      break;
    }
    case 3: {
      std::size_t const align = std::size_t{1} << (seed % 17);
      release(o);
      settle(o, scalable_aligned_malloc(size, align), size, align, seed);
      break;
    }
    case 4: {
      object old = o;
      verify(o);
      auto* const p = static_cast<unsigned char*>(scalable_realloc(o.p, size));
      require(p != nullptr, "memory of realloc");
      for (std::size_t i = 0; i < old.size && i < size && i < edge; ++i) {
        require(p[i] == byte(old, i), "contents after realloc");
      }
      settle(o, p, size, 1, seed);
      break;
    }
    case 5:
      scalable_allocation_command(seed & 1 ? TBBMALLOC_CLEAN_ALL_BUFFERS : TBBMALLOC_CLEAN_THREAD_BUFFERS, nullptr);
      break;
    default:
      release(o);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static helper& other = *new helper;  // its thread waits for ever
  object objects[64];
  for (std::size_t i = 0; i + 3 <= size && i < 6000; i += 3) {
    object& o = objects[data[i] & 63];
    unsigned const what = data[i + 1];
    std::size_t const bytes = size_of(what >> 4, data[i + 2]);
    auto const seed = static_cast<unsigned char>(i + data[i + 2]);
    if (what & 8) {
      other.run([&] { apply(o, what, bytes, seed); });
    } else {
      apply(o, what, bytes, seed);
    }
  }
  for (object& o : objects) {
    release(o);
  }
  return 0;
}
