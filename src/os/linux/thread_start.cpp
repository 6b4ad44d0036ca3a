// SPDX-License-Identifier: Apache-2.0
#include "os/thread_start.h"

#include "os/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <string_view>

namespace ashlar::inline v1::os {

std::uint64_t ns_since_boot() noexcept {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

std::uint64_t thread_start() noexcept {
  int const file = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[1024];
  ssize_t const length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = '\0';
  // "tid (name) state ...", and the name may hold anything; the start is the twentieth field from the state on.
  char const* const name_end = std::strrchr(text, ')');
  if (name_end == nullptr || name_end[1] != ' ') return 0;
  std::string_view fields(name_end + 2);
  for (int before = 0; before != 19; ++before) next_field(fields, ' ');
  unsigned long long const ticks = parse_number(next_field(fields, ' ')).value_or(0);
  long const per_second = sysconf(_SC_CLK_TCK);
  return per_second > 0 ? ticks * (1'000'000'000 / static_cast<std::uint64_t>(per_second)) : 0;
}

}  // namespace ashlar::inline v1::os
