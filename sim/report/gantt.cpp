// SPDX-License-Identifier: Apache-2.0
#include "report/gantt.h"

#include "program/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ashlar::sim {

std::string gantt_json(program const& p, std::string const& title, std::vector<stretch> const& timeline) {
  std::string out = fmt::format(
      "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\","
      "\"args\":{{\"name\":{}}}}}",
      quoted(title));
  auto const add = [&]<typename... Args>(fmt::format_string<Args...> form, Args&&... args) {
    out += ",\n";
    fmt::format_to(std::back_inserter(out), form, std::forward<Args>(args)...);
  };
  std::uint32_t workers = 0;
  for (stretch const& s : timeline) workers = std::max(workers, s.worker + 1);
  for (std::uint32_t w = 0; w < workers; ++w) {
    add("{{\"ph\":\"M\",\"pid\":1,\"tid\":{0},\"name\":\"thread_name\",\"args\":{{\"name\":\"worker {0}\"}}}}", w);
  }
  for (stretch const& s : timeline) {
    char const* const what = activity_names[static_cast<std::size_t>(s.what)];
    std::string const name = s.what == activity::work ? quoted(p.region_name(s.region)) : quoted(what);
    add("{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.6f},\"dur\":{:.6f},\"cat\":\"{}\",\"name\":{}}}", s.worker,
        static_cast<double>(s.begin) / microsecond, static_cast<double>(s.end - s.begin) / microsecond, what, name);
  }
  return out + "\n]}\n";
}

}  // namespace ashlar::sim
