// SPDX-License-Identifier: Apache-2.0
// What the programs share whose lines run.py compares with the peers': a line for what a call did, and a value to move.
#pragma once

#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

inline void tell(char const* what, long long value) { std::printf("%s: %lld\n", what, value); }
inline void tell(char const* what, std::string const& value) { std::printf("%s: %s\n", what, value.c_str()); }

/// The standard class of the exception that f throws, the most derived one.
template <typename F>
std::string thrown(F const& f) {
  try {
    f();
    return "nothing";
  } catch (std::out_of_range&) {
    return "out_of_range";
  } catch (std::length_error&) {
    return "length_error";
  } catch (std::invalid_argument&) {
    return "invalid_argument";
  } catch (std::range_error&) {
    return "range_error";
  } catch (std::runtime_error&) {
    return "runtime_error";
  } catch (std::logic_error&) {
    return "logic_error";
  } catch (std::bad_alloc&) {
    return "bad_alloc";
  } catch (std::exception&) {
    return "exception";
  } catch (int i) {
    return "int " + std::to_string(i);
  }
}

/// What f returns in a child process; 1000 and the signal that ended it.
template <typename F>
int in_child(F const& f) {
  std::fflush(stdout);
  pid_t const child = fork();
  if (child == 0) {
    alarm(20);
    std::fclose(stderr);
    _exit(f());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// A value that can only be moved and has no default.
struct only_moved {
  explicit only_moved(int v) : value(v) {}
  only_moved(only_moved&& other) noexcept : value(std::exchange(other.value, -1)) {}
  only_moved& operator=(only_moved&& other) noexcept {
    value = std::exchange(other.value, -1);
    return *this;
  }
  bool operator<(only_moved const& other) const { return value < other.value; }
  int value;
};
