// SPDX-License-Identifier: Apache-2.0
// How programs begin a pipeline, and take part in one by a port.
#include "pipeline_run.h"
#include "traced_stages.h"

#include <optional>

namespace ashlar::inline v1::algo {

bound_port::bound_port() : queue_(new bound_queue) {}
bound_port::~bound_port() { delete queue_; }

bound_port::result bound_port::process(bool wait) {
  sched::this_slot();  // what it may throw must not come between
  pipeline_run* run = nullptr;
  token* t = nullptr;
  result const r = queue_->take(wait, run, t);
  if (r != success) return r;
  if (t == nullptr) return run->make_bound() ? success : end_of_stream;
  run->process_bound(*t);
  return success;
}

void run_pipeline(stage const* stages, std::size_t count, std::size_t tokens, tbb::task_group_context* context) {
  std::optional<traced_stages> traced;
  if (ASHLAR_UNLIKELY(obs::tracing())) stages = traced.emplace(stages, count).get();
  // More tokens than this in flight gain nothing and cost memory.
  constexpr std::size_t most_tokens = std::size_t{1} << 14;
  if (tokens == 0) tokens = 1;
  if (tokens > most_tokens) tokens = most_tokens;
  sched::slot& s = sched::this_slot();
  if (context == nullptr) {
    sched::words_scope const words(s);
    sched::context group(&s.group());
    sched::group_scope const scope(s, group);
    pipeline_run(stages, count, tokens, group, s).run(s);
  } else {
    sched::settings_scope const settings(s, context->use(s));
    sched::group_scope const scope(s, context->use(s));
    pipeline_run(stages, count, tokens, context->use(s), s).run(s);
  }
}

}  // namespace ashlar::inline v1::algo
