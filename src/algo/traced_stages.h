// SPDX-License-Identifier: Apache-2.0
// The stages of a pipeline while a trace is recorded: each call of a filter is a region of its own, named after the
// filter's code. Other runs don't pay for it.
#pragma once

#include "obs/trace.h"

#include <ashlar/algo/pipeline_stage.h>

#include <cstring>
#include <vector>

namespace ashlar {
inline namespace v1 {
namespace algo {

class traced_stages {
 public:
  // `plain` must stay.
  traced_stages(stage const* plain, std::size_t count) : stages_(plain, plain + count) {
    for (std::size_t i = 0; i < count; ++i) {
      stages_[i].body = plain + i;
      stages_[i].run = &run;
      stages_[i].drop_input = &drop_input;
    }
  }
  stage const* get() const noexcept { return stages_.data(); }

 private:
  struct region {
    explicit region(stage::run_function of) noexcept {
      void const* code;
      std::memcpy(&code, &of, sizeof code);
      obs::begin_code_region(code);
    }
    ~region() { obs::end_trace_region(); }
    region(region const&) = delete;
    region& operator=(region const&) = delete;
  };

  static void run(void const* of, token_value& value, tbb::flow_control& control, bool const& stopped) {
    stage const& plain = *static_cast<stage const*>(of);
    region const named(plain.run);
    plain.run(plain.body, value, control, stopped);
  }
  static void drop_input(void const* of, token_value& value) noexcept {
    stage const& plain = *static_cast<stage const*>(of);
    plain.drop_input(plain.body, value);
  }

  std::vector<stage> stages_;
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
