// SPDX-License-Identifier: Apache-2.0
#include "flow/engine/picture.h"

#include <ashlar/sync/backoff.h>

#include <cstdarg>

namespace ashlar::inline v1::flow {

void picture::next_node(node_base const& n) {
  content_->nodes.emplace_back();
  content_->nodes.back().what = &n;
}

void picture::kind(char const* what) { content_->latest().kind = what; }

void picture::limit(std::size_t bodies) {
  content_->latest().is_limited = true;
  content_->latest().limit = bodies;
}

void picture::input(void const* receiver, input_kind k, char const* name) {
  content_->latest().inputs.push_back({receiver, k, name, {}});
}

void picture::pulls_from(void const* sender) { content_->latest().inputs.back().pulls_from.push_back(sender); }

void picture::output(void const* sender, output_kind k, remover remove) {
  content_->latest().outputs.push_back({sender, k, remove, {}, {}});
}

picture::purpose picture::what_for() const noexcept { return content_->reason; }

void picture::edge(void const* receiver) { content_->latest().outputs.back().edges.push_back(receiver); }

void picture::tally(void const* receiver, std::uint64_t taken, std::uint64_t refused) {
  content_->latest().outputs.back().tallies.push_back({receiver, taken, refused});
}

void picture::queued(std::size_t messages) { content_->latest().queued = messages; }

void picture::busy(std::size_t bodies) { content_->latest().busy = bodies; }

void picture::say(char const* format, ...) {
  char text[160];
  std::va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  content_->latest().says.emplace_back(text);
}

void picture::warn(char const* sentence) { content_->latest().warnings.emplace_back(sentence); }

bool picture::look(lock::scoped_lock& held, lock& l) {
  constexpr int patience = 1000;
  for (int i = 0; i < patience; ++i) {
    if (held.try_acquire(l)) return true;
    cpu_pause();
  }
  say("what it has can't be told: a message is being copied or compared in it");
  return false;
}

}  // namespace ashlar::inline v1::flow
