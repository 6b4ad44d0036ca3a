// SPDX-License-Identifier: Apache-2.0
// What a model uses: check() runs a body in every interleaving and with every value that weak memory lets a load
// see (or in random ones) and returns what it found. The body makes the shared objects, starts threads, joins them
// and require()s what has to hold. It must be deterministic, keep all its state in objects made during the run, and
// not use thread_local variables or doctest's macros. README.md shows one.
#pragma once

#include <ashlar/base/atomic.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ashlar::model {

inline constexpr int max_threads = 8;  // with the one that runs the body

enum class search { exhaustive, random, pct };

struct options {
  std::string name;
  search how = search::exhaustive;
  int preemptions = -1;  // switches away from a thread that could go on; -1: any number
  bool trim = false;  // with preemptions: prune equal executions as without; may lose some within the bound (README.md)
  std::uint64_t executions = 20'000'000;  // random, pct: how many; exhaustive: give up (result.complete false)
  std::uint64_t seed = 1;
  int pct_depth = 3;         // priority changes of one pct execution, plus one
  int steps = 5000;          // more in one execution are a livelock
  int free_pauses = 0;       // cpu_pause calls per thread that return without waiting for a change
  int spurious = 0;          // futex waits of one execution that may return for no reason
  int timeouts = 0;          // timed futex waits of one execution that may end early
  bool leaks = true;         // memory that the body has not freed is an error
  std::vector<site> weaken;  // lines whose orders become relaxed and whose fences vanish (mutations)
  std::string replay;        // the `replay` of a result: run that one execution
};

struct result {
  bool failed = false;
  bool complete = false;  // exhaustive, and nothing left out but what preemptions and trim leave out
  std::string kind;       // "assertion", "data race", "deadlock", "livelock", "use after free", "leak", "limit"
  std::string report;     // what failed, the interleaving, the replay string
  std::string replay;
  std::uint64_t executions = 0;  // complete ones
  std::uint64_t pruned = 0;      // given up because an equal one was or will be explored
  std::uint64_t steps = 0;
  std::map<std::uint64_t, std::uint64_t> outcomes;  // observe(): how often each
};

result check(options const& how, std::function<void()> const& body);

// The lines of a source file, named relative to the repository, whose code (not comment) carries the tag.
std::vector<site> tagged(std::string const& file, std::string const& tag);
std::set<std::string> tags_of(std::string const& file);

// --- inside a body -------------------------------------------------------------------------------------------

// Ends the execution with a report unless the condition holds.
void require(bool condition, char const* what);
// A free choice of 0 .. n-1: all are tried.
int choose(int n);
// While the body runs: when nobody can go on although threads have not ended, the execution is complete if `fine` says
// so, else a deadlock. `fine` looks at plain variables only.
void may_rest(std::function<bool()> fine);
// While the body runs: accesses to this object are no steps. For counters and logs, which no protocol reads.
void beside(void const* object, std::size_t size);
template <typename T>
void beside(T const& object) {
  beside(&object, sizeof(T));
}
// While the body runs: each thread has a value of its own of this thread-local pointer, null at first.
void own_pointer(void** pointer);
template <typename T>
void own(T*& pointer) {
  own_pointer(reinterpret_cast<void**>(&pointer));
}
// A hardware transaction, from the thread's next access on: nobody else does anything until it is committed, and what
// is loaded in it is ordered as by a locked instruction that changes nothing. An aborted one has had no effect, as if
// it had not been begun: the execution is given up for the one that shows that, where the body chose to begin none.
void begin_transaction();
void commit_transaction();
[[noreturn]] void abort_transaction();
// The outcome of this execution, counted when it ends well.
void observe(std::uint64_t outcome);
// Names the bytes of an object in the printed interleaving.
void label(void const* object, std::size_t size, char const* name);
template <typename T>
void label(T const& object, char const* name) {
  label(&object, sizeof(T), name);
}

// For programs that catch what throw_exception() throws: its argument. Otherwise the call is a failure.
inline bool exceptions_are_caught = false;

class thread {
 public:
  thread(char const* name, std::function<void()> body);
  void join();

 private:
  int id_;
};

// A plain (not atomic) variable: accesses that are not ordered are reported as a data race, those after its end as
// a use after free. Not a scheduling point.
struct plain {
  std::uint32_t written = 0, reads[max_threads] = {};
  unsigned char writer = 0;
  bool dead = false;
};
void on_read(plain& p, void const* address);
void on_write(plain& p, void const* address);

template <typename T>
class var {
 public:
  explicit var(T v = T{}) : value_(v) { on_write(state_, this); }
  var(var const&) = delete;
  var& operator=(var const&) = delete;
  ~var() {
    on_write(state_, this);
    state_.dead = true;
  }
  T get() const {
    on_read(state_, this);
    return value_;
  }
  void set(T v) {
    on_write(state_, this);
    value_ = v;
  }

 private:
  T value_;
  mutable plain state_;
};

}  // namespace ashlar::model
