// SPDX-License-Identifier: Apache-2.0
// Misuse that is detected by default ends the process with a line that names the pointer.
#include <doctest/doctest.h>

#include <support/death.h>
#include <tbb/scalable_allocator.h>

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>

namespace {

template <typename Misuse>
void must_abort(char const* text, Misuse misuse) {
  auto const run = [&] {
    return test::run_in_child([&] {
      void* const bad = misuse(false);
      std::fprintf(stderr, "pointer %p\n", bad);
      misuse(true);
    });
  };
  // Where the machine stands still for half a second between the two, the memory has gone back: then the line is
  // another one.
  test::death d = run();
  for (int i = 0; i < 10 && d.errors.find(text) == std::string::npos; ++i) d = run();
  CAPTURE(d.errors);
  CHECK(d.by_signal(SIGABRT));
  CHECK(d.errors.find(text) != std::string::npos);
  std::size_t const at = d.errors.find("pointer ");
  REQUIRE(at != std::string::npos);
  std::string const address = d.errors.substr(at + 8, d.errors.find('\n') - at - 8);
  CHECK(d.errors.find(address, d.errors.find('\n')) != std::string::npos);
}

// The misuse functions prepare and return the pointer, and free it wrongly the second time.
template <typename Prepare>
auto freeing(Prepare prepare) {
  return [p = static_cast<void*>(nullptr), prepare](bool now) mutable {
    if (!now) {
      p = prepare();
    } else {
      scalable_free(p);
    }
    return p;
  };
}

}  // namespace

TEST_CASE("the last object freed is freed again") {
  for (std::size_t size : {8ul, 100ul, 1000ul, 20000ul, 100000ul, 200000ul, 1ul << 20}) {
    CAPTURE(size);
    must_abort("double free", freeing([=] {
                 // What is to go back to the system by now goes with this one, and not with the next.
                 scalable_free(scalable_malloc(size));
                 void* const p = scalable_malloc(size);
                 scalable_free(p);
                 return p;
               }));
  }
}

TEST_CASE("objects freed in the order of their addresses are freed again") {
  for (bool const backwards : {false, true}) {
    CAPTURE(backwards);
    must_abort("double free", freeing([=] {
                 // More than a page of them, so that the first page is full; neighbours are neighbours there.
                 static void* objects[2000];
                 for (void*& p : objects) {
                   p = scalable_malloc(64);
                 }
                 for (int i = 0; i < 8; ++i) {
                   scalable_free(objects[backwards ? 700 - i : 700 + i]);
                 }
                 return objects[backwards ? 698 : 702];
               }));
  }
}

TEST_CASE("another thread frees what its owner has freed in order, and one out of order after it") {
  for (int const victim : {700, 703, 707, 710}) {
    CAPTURE(victim);
    auto prepare = freeing([=] {
      static void* objects[2000];
      for (void*& p : objects) {
        p = scalable_malloc(64);
      }
      for (int i = 700; i < 708; ++i) {
        scalable_free(objects[i]);
      }
      scalable_free(objects[710]);
      return objects[victim];
    });
    must_abort("double free", [=](bool now) mutable {
      if (now) {
        std::thread([&] { prepare(true); }).join();
        return static_cast<void*>(nullptr);
      }
      return prepare(false);
    });
  }
}

TEST_CASE("an object is freed again after others") {
  for (int const victim : {0, 1, 50, 98}) {
    CAPTURE(victim);
    must_abort("double free", freeing([=] {
                 static void* objects[100];
                 for (void*& p : objects) {
                   p = scalable_malloc(48);
                 }
                 for (void* p : objects) {
                   scalable_free(p);
                 }
                 return objects[victim];
               }));
  }
}

TEST_CASE("another thread frees an object twice") {
  must_abort("double free", freeing([] {
               void* p = nullptr;
               std::thread([&] { p = scalable_malloc(100); }).join();
               void* const keep = p;
               scalable_free(p);
               return keep;
             }));
}

TEST_CASE("an object is freed again that was sent to its owner and waits there") {
  for (int const others : {0, 3}) {
    CAPTURE(others);
    must_abort("double free", freeing([=] {
                 static void* objects[4];
                 static std::atomic<bool> made{false};
                 std::thread([] {
                   for (void*& p : objects) {
                     p = scalable_malloc(100);
                   }
                   made = true;
                   pause();  // the owner lives on, and looks at no mail
                 }).detach();
                 while (!made) {
                   std::this_thread::yield();
                 }
                 for (int i = 0; i <= others; ++i) {
                   scalable_free(objects[i]);
                 }
                 scalable_allocation_command(TBBMALLOC_CLEAN_THREAD_BUFFERS, nullptr);  // sends them
                 return objects[others];  // the one that was freed last is the head of the message
               }));
  }
}

TEST_CASE("a pointer into an object is freed") {
  for (std::size_t size : {48ul, 64ul, 100ul, 1000ul, 3000ul, 50000ul}) {
    for (std::size_t offset : {1ul, 8ul, 16ul, 32ul}) {
      CAPTURE(size);
      CAPTURE(offset);
      must_abort("not the start", freeing([=] { return static_cast<char*>(scalable_malloc(size)) + offset; }));
    }
  }
  must_abort("not the start", freeing([] { return static_cast<char*>(scalable_malloc(1 << 20)) + 64; }));
  must_abort("not the start", freeing([] {
               char* p = nullptr;
               std::thread([&] { p = static_cast<char*>(scalable_malloc(96)); }).join();
               return p + 16;
             }));
}

TEST_CASE("a pointer from elsewhere is freed") {
  static int global;
  must_abort("not allocated here", freeing([] { return static_cast<void*>(&global); }));
  must_abort("not allocated here", freeing([] { return reinterpret_cast<void*>(std::uintptr_t{64}); }));
  must_abort("not allocated here", freeing([] { return reinterpret_cast<void*>(std::uintptr_t{0x123456789ab0}); }));
  must_abort("not allocated here", freeing([] { return reinterpret_cast<void*>(std::uintptr_t{0xffff800012345670}); }));
}

TEST_CASE("an object moves 4 GB away: the page of the near table does not take it") {
  must_abort("not allocated here", freeing([] {
               return static_cast<void*>(static_cast<char*>(scalable_malloc(64)) + (std::size_t{1} << 32));
             }));
  must_abort("not allocated here", freeing([] {
               return static_cast<void*>(static_cast<char*>(scalable_malloc(64)) - (std::size_t{7} << 32));
             }));
}

TEST_CASE("realloc of freed and wild pointers") {
  for (std::size_t offset : {8ul, 16ul}) {
    must_abort("realloc()", [offset, p = static_cast<char*>(nullptr)](bool now) mutable {
      if (!now) {
        p = static_cast<char*>(scalable_malloc(100)) + offset;
      } else {
        void* const q = scalable_realloc(p, 200);
        std::fprintf(stderr, "%p", q);
      }
      return static_cast<void*>(p);
    });
  }
}
