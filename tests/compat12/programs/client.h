// SPDX-License-Identifier: Apache-2.0
// For programs that are compiled with oneTBB's own headers and run on its library and on ours: each prints lines that
// must be the same, and at last which libraries were loaded.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <thread>

inline void line(char const* what, long value) { std::printf("%s: %ld\n", what, value); }
inline void line(char const* what, char const* value) { std::printf("%s: %s\n", what, value); }

// Of oneTBB's, the paths from which they come.
struct report_libraries {
  ~report_libraries() {
    std::ifstream maps("/proc/self/maps");
    std::set<std::string> paths;
    for (std::string text; std::getline(maps, text);) {
      std::size_t const slash = text.find('/');
      if (slash != std::string::npos && text.find("/libtbb", slash) != std::string::npos) {
        paths.insert(text.substr(slash));
      }
    }
    for (std::string const& path : paths) std::printf("library %s\n", path.c_str());
    std::fflush(stdout);
  }
};
static report_libraries const reported_at_end;

template <typename F>
void threads(int count, F f) {
  std::thread all[16];
  for (int i = 0; i < count; ++i) all[i] = std::thread(f, i);
  for (int i = 0; i < count; ++i) all[i].join();
}

template <typename F>
char const* thrown(F f) {
  try {
    f();
  } catch (std::exception const& e) {
    static std::string text;
    return (text = e.what()).c_str();
  } catch (...) {
    return "something";
  }
  return "nothing";
}
