// SPDX-License-Identifier: Apache-2.0
// What docs/guide/port.md says that each function of a port promises, with nothing of any system's in the test: a new
// port passes it before the rest of the library is built. The other tests of this folder go further, on Linux.
#include "os/allowance.h"
#include "os/backtrace_here.h"
#include "os/clock.h"
#include "os/coarse_clock.h"
#include "os/cpu_exclusion.h"
#include "os/cpu_sets.h"
#include "os/fiber.h"
#include "os/fork.h"
#include "os/fp_control.h"
#include "os/fresh_file.h"
#include "os/futex.h"
#include "os/image_file.h"
#include "os/membarrier.h"
#include "os/modules.h"
#include "os/native_calls.h"
#include "os/numa_memory.h"
#include "os/pages.h"
#include "os/process.h"
#include "os/record_file.h"
#include "os/signal_use.h"
#include "os/stack_fault.h"
#include "os/text_file.h"
#include "os/thread.h"
#include "os/thread_activity.h"
#include "os/thread_backtrace.h"
#include "os/thread_end.h"
#include "os/thread_start.h"
#include "os/topology.h"
#include "os/word_sleep.h"

#include <ashlar/os/monotonic.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace ashlar;

namespace {

bool is_filled(unsigned char const* p, std::size_t bytes, unsigned char with) {
  return std::all_of(p, p + bytes, [with](unsigned char c) { return c == with; });
}

// A name in the folder that the test runs in, for a file that is gone at the end.
struct own_file {
  std::string name = "port_test." + std::to_string(os::process_id());
  ~own_file() { std::remove(name.c_str()); }
};

std::string contents(std::string const& name) { return os::read_text_file(name).value_or("?"); }

}  // namespace

TEST_CASE("port: pages are zeros, can be emptied, protected, moved and given back") {
  std::size_t const page = os::page_size();
  REQUIRE(page >= 4096);
  CHECK((page & (page - 1)) == 0);
  auto* const p = static_cast<unsigned char*>(os::map_pages(4 * page));
  REQUIRE(p != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(p) % page == 0);
  CHECK(is_filled(p, 4 * page, 0));
  std::memset(p, 7, 4 * page);
  REQUIRE(os::empty_pages(p + page, page));
  CHECK(is_filled(p, page, 7));
  CHECK(is_filled(p + page, page, 0));
  CHECK(is_filled(p + 2 * page, 2 * page, 7));
  REQUIRE(os::empty_private_pages(p + 2 * page, page));
  CHECK(is_filled(p + 2 * page, page, 0));
  REQUIRE(os::set_accessible(p, page, false));
  REQUIRE(os::set_accessible(p, page, true));
  CHECK(is_filled(p, page, 7));
  os::want_huge_pages(p, 4 * page);  // a hint: whatever comes of it, nothing changes
  static_cast<void>(os::may_have_huge_pages());
  CHECK(is_filled(p, page, 7));
  auto* const other = static_cast<unsigned char*>(os::map_pages(2 * page));
  REQUIRE(other != nullptr);
  std::memset(other, 9, 2 * page);
  if (os::move_pages(other, 2 * page, p, 2 * page)) {
    CHECK(is_filled(p, 2 * page, 9));
  } else {
    CHECK(is_filled(p, page, 7));
    CHECK(os::unmap_pages(other, 2 * page));
  }
  CHECK(os::unmap_pages(p, 4 * page));
  CHECK(os::map_pages(~std::size_t{0} / page * page) == nullptr);
}

TEST_CASE("port: memory for several nodes is zeros") {
  int const nodes[] = {0, -1};
  std::size_t const bytes = 3 * os::page_size() + 1;
  auto* const p = static_cast<unsigned char*>(os::map_interleaved(bytes, nodes, 2, os::page_size()));
  REQUIRE(p != nullptr);
  CHECK(is_filled(p, bytes, 0));
  std::memset(p, 1, bytes);
  os::unmap_interleaved(p, bytes);
  os::unmap_interleaved(nullptr, 0);
}

TEST_CASE("port: words wake those that sleep on them") {
  atomic<std::uint32_t> word{1};
  os::futex_wait(word, 0);  // holds something else: at once
  os::futex_wake(word, INT_MAX);
  std::uint64_t const start = os::now_ns();
  CHECK_FALSE(os::futex_wait_for(word, 1, 20'000'000));
  CHECK(os::now_ns() - start >= 20'000'000);
  atomic<std::uint32_t> answers{0};
  std::thread sleeper([&] {
    while (word.load(mo::acquire) == 1) os::futex_wait(word, 1);
    while (word.load(mo::acquire) == 2) os::futex_wait_for(word, 2, ~std::uint64_t{0});
    while (word.load(mo::acquire) == 3) os::sleep_on(word, 3);
    answers.store(1, mo::release);
  });
  for (std::uint32_t next : {2u, 3u, 4u}) {
    os::sleep_ns(5'000'000);
    word.store(next, mo::release);
    next == 4 ? os::wake_one(word) : os::futex_wake(word, 1);
  }
  sleeper.join();
  CHECK(answers.load(mo::acquire) == 1);
  int const before = errno = 77;
  os::futex_wait(word, 0);
  CHECK(errno == before);
}

TEST_CASE("port: a heavy fence is there or says that it is not") {
  bool const available = os::heavy_fence_available();
  os::heavy_fence();
  CHECK(os::heavy_fence_available() == available);
}

TEST_CASE("port: clocks go on, at the rate of time") {
  std::uint64_t const now = os::now_ns(), raw = os::raw_ns(), coarse = os::coarse_ms(), same = os::monotonic_ns();
  std::uint64_t const boot = os::ns_since_boot(), ticks = os::ticks();
  os::sleep_ns(50'000'000);
  std::uint64_t const passed = os::now_ns() - now;
  CHECK(passed >= 50'000'000);
  for (std::uint64_t other : {os::raw_ns() - raw, (os::coarse_ms() - coarse) * 1'000'000 + 30'000'000,
                              os::monotonic_ns() - same, os::ns_since_boot() - boot}) {
    CHECK(other >= passed * 9 / 10);
  }
  double const counted = static_cast<double>(os::ticks() - ticks) / os::ticks_per_ns();
  CHECK(counted >= static_cast<double>(passed) * 0.9);
  CHECK(os::rough_ticks_per_ns() > os::ticks_per_ns() * 0.9);
}

TEST_CASE("port: a thread's own time counts while it computes, and others can read it") {
  os::cpu_clock const clock = os::own_cpu_clock();
  std::uint64_t const begin = os::thread_cpu_ns();
  while (os::thread_cpu_ns() - begin < 5'000'000) {
  }
  std::uint64_t read = 0;
  std::thread([&] { read = os::read_cpu_clock(clock); }).join();
  CHECK(read >= 5'000'000);
  std::uint64_t const slept = os::thread_cpu_ns();
  os::sleep_ns(30'000'000);
  CHECK(os::thread_cpu_ns() - slept < 30'000'000);
}

TEST_CASE("port: threads start, know their stacks, and are gone when they are") {
  struct about {
    os::stack_bounds stack;
    char const* local = nullptr;
    int id = 0;
    std::uint64_t start = 0;
  } self;
  auto const look = [](void* p) {
    auto& a = *static_cast<about*>(p);
    char here = 0;
    a.local = &here;
    a.stack = os::current_stack();
    a.id = os::thread_id();
    a.start = os::thread_start();
    os::yield();
  };
  os::thread_handle handle = os::start_joinable(look, &self, std::size_t{1} << 20, "port");
  REQUIRE(handle);
  handle.join();
  CHECK(self.id != os::thread_id());
  CHECK(self.start <= os::ns_since_boot());
  if (self.stack.high != nullptr) {
    CHECK(self.local >= self.stack.low);
    CHECK(self.local < self.stack.high);
    CHECK(self.stack.high - self.stack.low >= std::ptrdiff_t{1} << 20);
  }
  os::wait_until_gone(self.id);
  atomic<std::uint32_t> done{0};
  auto const finish = [](void* p) { static_cast<atomic<std::uint32_t>*>(p)->store(1, mo::release); };
  REQUIRE(os::start_detached(finish, &done, 0, nullptr));
  while (done.load(mo::acquire) == 0) os::yield();
}

TEST_CASE("port: calls at a thread's end are made with the last value, and once more when they ask again") {
  static constinit atomic<int> sum{0};
  static int values[] = {1, 10, 100};
  static os::thread_end* again = nullptr;
  auto const add = [](void* value) {
    sum.fetch_add(*static_cast<int*>(value), mo::relaxed);
    if (value == &values[1]) again->ask(&values[2]);
  };
  static constinit os::thread_end end{add};
  again = &end;
  std::thread([] {
    CHECK(end.ask(&values[0]));
    CHECK(end.ask(&values[1]));
  }).join();
  CHECK(sum.load(mo::relaxed) == 110);
  std::thread([] {}).join();
  CHECK(sum.load(mo::relaxed) == 110);
}

TEST_CASE("port: native locks, conditions and threads") {
  os::native_mutex plain{};
  REQUIRE(os::lock(plain) == 0);
  bool taken = true;
  std::thread([&] { taken = os::try_lock(plain); }).join();
  CHECK_FALSE(taken);
  os::native_condition condition;
  REQUIRE(os::make_condition(condition) == 0);
  bool over = false;
  while (!over) REQUIRE(os::wait_for(condition, plain, os::now_ns() + 2'000'000, over) == 0);
  os::notify_one(condition);
  os::notify_all(condition);
  os::unlock(plain);
  CHECK(os::try_lock(plain));
  os::unlock(plain);
  os::destroy(condition);
  CHECK(os::destroy(plain) == 0);
  os::native_mutex recursive;
  REQUIRE(os::make_recursive(recursive) == 0);
  CHECK(os::lock(recursive) == 0);
  CHECK(os::try_lock(recursive));
  os::unlock(recursive);
  os::unlock(recursive);
  CHECK(os::destroy(recursive) == 0);
  os::native_thread thread{};
  int ran = 0;
  REQUIRE(os::start_native(thread, [](void* p) -> void* { return ++*static_cast<int*>(p), nullptr; }, &ran) == 0);
  CHECK_FALSE(os::is_own(thread));
  CHECK(os::is_own(os::own_native_thread()));
  CHECK(os::join_native(thread) == 0);
  CHECK(ran == 1);
}

TEST_CASE("port: stacks change, with their exceptions and floating-point settings") {
  struct place {
    os::fiber main;
    os::fiber* other = nullptr;
    int caught = 0;
  } p;
  auto const run = [](void* q) noexcept {
    auto& at = *static_cast<place*>(q);
    for (;;) {
      try {
        throw 3;
      } catch (int n) {
        at.main.continue_from(*at.other);  // while an exception is handled
        at.caught += n;
      }
      at.main.continue_from(*at.other);  // nothing is left on this stack that would have to be freed
    }
  };
  os::fiber other(std::size_t{1} << 17, run, &p);
  p.other = &other;
  CHECK(other.middle() != nullptr);
  os::fp_control const control = os::read_fp_control();
  for (int i = 0; i < 6; ++i) {
    try {
      throw 'c';
    } catch (char) {
      other.continue_from(p.main);
      CHECK(std::uncaught_exceptions() == 0);
    }
  }
  CHECK(p.caught == 9);
  os::write_fp_control(control);
  CHECK(os::read_fp_control() == control);
}

TEST_CASE("port: processors are counted, grouped and chosen") {
  unsigned const cpus = os::available_cpus();
  CHECK(cpus >= 1);
  CHECK(os::processors_on_line() >= 1);
  CHECK(os::affinity_cpus() >= cpus);
  CHECK(os::quota_cpus(5) >= 1);
  CHECK(os::refresh_available_cpus() >= 1);
  std::vector<unsigned> const allowed = os::allowed_cpus();
  os::topology const machine = os::read_machine();
  std::size_t in_kinds = 0;
  for (os::cpu_group const& kind : os::core_kinds(machine, allowed)) in_kinds += kind.cpus.size();
  CHECK(in_kinds == allowed.size());
  if (!allowed.empty()) {
    CHECK(os::distance(allowed[0], allowed[0]) == os::same_core);
    os::cpu_mask const before = os::cpu_mask::of_this_thread();
    if (os::cpu_mask({allowed[0]}).apply()) {
      CHECK(os::current_cpu() == allowed[0]);
      CHECK(before.apply());
    }
  }
  os::cpu_exclusion exclusion;
  exclusion.begin(os::thread_id(), os::current_cpu(), os::current_cpu());
  exclusion.end();
  CHECK_FALSE(exclusion.active());
  static_cast<void>(os::cpus_of_all_threads());
}

TEST_CASE("port: the process, its environment and its random bytes") {
  CHECK(os::process_id() > 0);
  os::write_error("", 0);
  char** const entries = os::environment_entries();
  char const* const path = std::getenv("PATH");
  bool found = false;
  for (char** e = entries; e != nullptr && *e != nullptr; ++e) found = found || std::strncmp(*e, "PATH=", 5) == 0;
  CHECK(found == (path != nullptr));
  if (path != nullptr) CHECK(std::string(os::trusted_variable("PATH")) == path);
  CHECK(os::trusted_variable("ASHLAR_NO_SUCH_VARIABLE") == nullptr);
  unsigned char first[32] = {}, second[32] = {};
  if (os::random_bytes(first, sizeof first) && os::random_bytes(second, sizeof second)) {
    CHECK(std::memcmp(first, second, sizeof first) != 0);
  }
  CHECK(os::call_at_fork(nullptr, nullptr, nullptr));
  CHECK(os::add_fork_hooks({}));
}

TEST_CASE("port: functions are found by name, and code by its address") {
  CHECK(os::find_function("no_such_function_anywhere") == nullptr);
  CHECK(os::load_library("no_such_library_anywhere") == nullptr);
  CHECK_FALSE(os::file_exists("no/such/file"));
  char program[512];
  os::program_path(program, sizeof program);
  CHECK(std::string(program).find("unit_os") != std::string::npos);
  auto* const code = reinterpret_cast<void const*>(&is_filled);
  os::module_place module;
  REQUIRE(os::find_module(code, module));
  int modules = 0;
  os::for_each_module([](char const*, std::uintptr_t, void* n) { ++*static_cast<int*>(n); }, &modules);
  CHECK(modules >= 1);
  os::code_place place;
  if (os::find_code(reinterpret_cast<std::uintptr_t>(code), place)) {
    os::image_file const image(place.path);
    std::uintptr_t address = 0;
    REQUIRE(image.find_address(place.offset, address));
    CHECK(address == reinterpret_cast<std::uintptr_t>(code) - module.begin);
    CHECK(image.name_at(address).find("is_filled") != std::string_view::npos);
  }
  CHECK(os::image_file("no/such/file").name_at(0).empty());
}

TEST_CASE("port: files are made, never taken from others, and recorded into") {
  own_file const file;
  bool exists = false;
  CHECK(os::may_replace(file.name.c_str()));
  std::FILE* const made = os::make_file(file.name.c_str(), exists);
  REQUIRE(made != nullptr);
  std::fputs("text", made);
  std::fclose(made);
  CHECK(contents(file.name) == "text");
  CHECK(os::file_exists(file.name.c_str()));
  CHECK(os::may_replace(file.name.c_str()));
  CHECK_FALSE(os::may_replace("."));
  CHECK(os::make_file(file.name.c_str(), exists) == nullptr);
  CHECK(exists);
  CHECK(os::make_file("no/such/folder/file", exists) == nullptr);
  CHECK_FALSE(exists);
  static constinit os::record_file record;
  REQUIRE(record.open(file.name.c_str()) == nullptr);
  std::size_t const bytes = std::size_t{1} << 16;
  auto* const at = static_cast<char*>(record.map(bytes, bytes));
  REQUIRE(at != nullptr);
  std::memcpy(at, "there", 5);
  CHECK(os::unmap_pages(at, bytes));
  std::string const all = contents(file.name);
  CHECK(all.size() == 2 * bytes);
  CHECK(all.substr(bytes, 5) == "there");
  static constinit os::record_file second;
  CHECK(second.open(file.name.c_str()) != nullptr);  // it is taken
  record.close();
  CHECK(second.open(".") != nullptr);
}

TEST_CASE("port: where a thread is and what it does") {
  void* frames[8] = {};
  int const n = os::backtrace_here(frames, 8);
  CHECK(n >= 0);
  CHECK(n <= 8);
  atomic<std::uint32_t> state{0};
  atomic<int> id{0};
  std::thread sleeper([&] {
    id.store(os::thread_id(), mo::release);
    while (state.load(mo::acquire) == 0) os::futex_wait(state, 0);
  });
  while (id.load(mo::acquire) == 0) os::yield();
  os::thread_look const look = os::look_at_thread(id.load(mo::relaxed));
  os::sleep_ns(20'000'000);
  os::thread_look const later = os::look_at_thread(id.load(mo::relaxed));
  if (later.state != '?') CHECK(os::between(look, later) != os::activity::computes);
  os::thread_place place;
  if (os::locate_thread(id.load(mo::relaxed), place)) CHECK(place.count <= os::thread_place::most);
  bool listed = false;
  auto const note = [](int, void* to) noexcept { *static_cast<bool*>(to) = true; };
  os::for_each_thread(note, &listed);
  state.store(1, mo::release);
  os::futex_wake(state, 1);
  sleeper.join();
  os::switches const before = os::own_switches();
  os::sleep_ns(1'000'000);
  CHECK(os::own_switches().voluntary >= before.voluntary);
  static_cast<void>(os::own_queued_ns());
  std::uint64_t from = 5, to = 0;
  if (os::read_memory(&from, &to, sizeof to)) CHECK(to == 5);
  CHECK_FALSE(os::read_memory(nullptr, &to, sizeof to));
  CHECK(os::name_of_call(-1) == nullptr);
}

TEST_CASE("port: signals and their stacks") {
  static int asked = 0;
  std::signal(SIGTERM, SIG_DFL);  // the test framework's handler
  REQUIRE(os::take_signal(SIGTERM, [](int) { ++asked; }, false));
  std::raise(SIGTERM);
  CHECK(asked == 1);
  CHECK_FALSE(os::take_signal(SIGTERM, [](int) {}, false));
  os::release_signal(SIGTERM);
  REQUIRE(os::take_signal(SIGTERM, [](int) { asked += 10; }, false));
  std::raise(SIGTERM);
  CHECK(asked == 11);
  os::release_signal(SIGTERM);
  std::thread([] {
    std::size_t const bytes = std::size_t{64} << 10;
    void* const stack = os::give_signal_stack(bytes);
    if (stack == nullptr) return;
    CHECK(os::give_signal_stack(bytes) == nullptr);  // it has one
    os::take_signal_stack(stack, bytes);
  }).join();
}
