// SPDX-License-Identifier: Apache-2.0
// Classic TBB's operations on plain words, and the headers that gather names of others.
#include <tbb/compat/ppl.h>
#include <tbb/tbb_machine.h>
#include <tbb/compat/tuple>

#include <doctest/doctest.h>

#include <cstdint>
#include <thread>
#include <tuple>
#include <type_traits>

namespace {

template <typename Word, typename Swap, typename Add, typename Store>
void check_word(Swap swap, Add add, Store store) {
  struct {
    Word before = -1;
    Word word = 3;
    Word after = -1;
  } s;
  CHECK(swap(&s.word, Word(9), Word(4)) == 3);
  CHECK(s.word == 3);
  CHECK(swap(&s.word, Word(9), Word(3)) == 3);
  CHECK(s.word == 9);
  CHECK(add(&s.word, Word(-10)) == 9);
  CHECK(s.word == -1);
  CHECK(store(&s.word, Word(0)) == -1);
  CHECK(s.word == 0);
  CHECK((s.before == -1 && s.after == -1));
}

}  // namespace

TEST_CASE("operations on words of every size touch nothing else") {
  check_word<std::int8_t>(&__TBB_machine_cmpswp1, &__TBB_machine_fetchadd1, &__TBB_machine_fetchstore1);
  check_word<std::int16_t>(&__TBB_machine_cmpswp2, &__TBB_machine_fetchadd2, &__TBB_machine_fetchstore2);
  check_word<std::int32_t>(&__TBB_machine_cmpswp4, &__TBB_machine_fetchadd4, &__TBB_machine_fetchstore4);
  check_word<std::int64_t>(&__TBB_machine_cmpswp8, &__TBB_machine_fetchadd8, &__TBB_machine_fetchstore8);
  check_word<std::intptr_t>(&__TBB_CompareAndSwapW, &__TBB_FetchAndAddW, &__TBB_FetchAndStoreW);
}

TEST_CASE("pointer words, bits and loads") {
  std::intptr_t word = 5;
  CHECK(__TBB_FetchAndIncrementWacquire(&word) == 5);
  CHECK(__TBB_FetchAndDecrementWrelease(&word) == 6);
  __TBB_AtomicOR(&word, 10);
  CHECK(word == 15);
  __TBB_AtomicAND(&word, 6);
  CHECK(__TBB_load_with_acquire(word) == 6);
  __TBB_store_with_release(word, 7);
  CHECK(__TBB_load_relaxed(word) == 7);
  __TBB_store_relaxed(word, 8);
  CHECK(word == 8);
  CHECK(__TBB_Log2(1) == 0);
  CHECK(__TBB_Log2(8) == 3);
  CHECK(__TBB_Log2(~std::uintptr_t{0}) == 63);
}

TEST_CASE("a byte locks, spinning waits for the other thread") {
  __TBB_atomic_flag flag = 0;
  int turn = 0;
  int guarded = 0;
  auto const work = [&](int mine) {
    tbb::internal::spin_wait_until_eq(turn, mine);
    for (int i = 0; i < 1000; ++i) {
      __TBB_LockByte(flag);
      ++guarded;
      __TBB_UnlockByte(flag);
      if (i == 0) __TBB_store_with_release(turn, mine + 1);
    }
  };
  std::thread other(work, 1);
  work(0);
  tbb::internal::spin_wait_while_eq(turn, 1);
  other.join();
  CHECK(guarded == 2000);
  CHECK(__TBB_TryLockByte(flag));
  CHECK_FALSE(__TBB_TryLockByte(flag));
  tbb::internal::atomic_backoff backoff;
  int pauses = 0;
  while (backoff.bounded_pause()) ++pauses;
  CHECK(pauses > 0);
  backoff.reset();
  CHECK(backoff.bounded_pause());
  backoff.pause();
  tbb::internal::atomic_fence();
  __TBB_compiler_fence();
  __TBB_Pause(3);
  __TBB_Yield();
}

TEST_CASE("compat/ppl.h and compat/tuple name what they gather") {
  static_assert(std::is_same_v<Concurrency::critical_section, tbb::critical_section>);
  static_assert(std::is_same_v<Concurrency::reader_writer_lock, tbb::reader_writer_lock>);
  static_assert(std::is_base_of_v<std::exception, Concurrency::improper_lock>);
  static_assert(std::tuple_size_v<std::tuple<int, int>> == 2);
  Concurrency::combinable<int> sum;
  Concurrency::parallel_for(0, 10, [&](int i) { sum.local() += i; });
  Concurrency::parallel_for(0, 10, 2, [&](int i) { sum.local() += i; });
  int const list[] = {1, 2, 3};
  Concurrency::parallel_for_each(list, list + 3, [&](int i) { sum.local() += i; });
  Concurrency::parallel_invoke([&] { sum.local() += 100; }, [&] { sum.local() += 200; });
  auto task = Concurrency::make_task([&] { sum.local() += 1000; });
  Concurrency::structured_task_group group;
  group.run(task);
  CHECK(group.wait() == Concurrency::complete);
  CHECK(sum.combine([](int a, int b) { return a + b; }) == 45 + 20 + 6 + 300 + 1000);
  Concurrency::critical_section section;
  section.lock();
  CHECK_THROWS_AS(section.lock(), Concurrency::improper_lock);
  section.unlock();
}
