// SPDX-License-Identifier: Apache-2.0
#include "trace/chrome.h"

#include "program/format.h"
#include "trace/lane_cursor.h"

#include <fmt/format.h>

#include <iterator>

namespace ashlar::sim {

namespace {

class chrome_writer {
 public:
  chrome_writer(trace const& t, task_graph const& g) : trace_(t), graph_(g) {}

  std::string write() {
    for (std::string const& name : graph_.regions) names_.push_back(quoted(name));
    out_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
    event("{{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{{\"name\":{}}}}}", quoted(trace_.program));
    for (std::size_t i = 0; i < trace_.lanes.size(); ++i) write_lane(i);
    for (auto const& m : trace_.moments) {
      event("{{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"cat\":\"event\",\"name\":{}}}", m.lane,
            us(m.ticks), quoted(trace_.names[m.name]));
    }
    for (std::size_t i = 1; i < graph_.tasks.size(); ++i) write_task(i, graph_.tasks[i]);
    out_ += "\n]}\n";
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void event(fmt::format_string<Args...> form, Args&&... args) {
    if (!first_) out_ += ",\n";
    first_ = false;
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
  }

  double us(std::uint64_t ticks) const { return static_cast<double>(ticks) / trace_.ticks_per_ns / 1000; }

  void write_lane(std::size_t i) {
    lane const& l = trace_.lanes[i];
    std::string const name = i == 0 ? "main thread" : "thread";
    event("{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"{} {}\"}}}}", i, name,
          l.thread);
    std::uint64_t parked = 0;
    lane_cursor events(trace_, i);
    for (sim::event e{}; events.next(e);) {
      if (e.kind == trace_event::park) parked = e.ticks;
      if (e.kind == trace_event::wake && parked != 0) {
        event("{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},\"cat\":\"idle\",\"name\":\"parked\"}}",
              i, us(parked), us(e.ticks - parked));
        parked = 0;
      }
    }
  }

  void write_task(std::size_t number, traced_task const& t) {
    if (!t.ran) return;
    std::uint64_t const end = t.ended > t.begun ? t.ended : t.begun;
    event(
        "{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},\"cat\":\"task\",\"name\":{},"
        "\"args\":{{\"work_us\":{:.3f}}}}}",
        t.lane, us(t.begun), us(end - t.begun), names_[t.region], static_cast<double>(t.work) / microsecond);
    if (t.lane == t.spawn_lane) return;
    event("{{\"ph\":\"s\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"id\":{},\"cat\":\"steal\",\"name\":\"steal\"}}",
          t.spawn_lane, us(t.spawned), number);
    event(
        "{{\"ph\":\"f\",\"bp\":\"e\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"id\":{},\"cat\":\"steal\",\"name\":\"steal\"}"
        "}",
        t.lane, us(t.begun), number);
  }

  trace const& trace_;
  task_graph const& graph_;
  std::vector<std::string> names_;
  std::string out_;
  bool first_ = true;
};

}  // namespace

std::string to_chrome_json(trace const& t, task_graph const& g) { return chrome_writer(t, g).write(); }

}  // namespace ashlar::sim
