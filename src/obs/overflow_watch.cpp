// SPDX-License-Identifier: Apache-2.0
#include "obs/overflow_watch.h"

#include "obs/code_name.h"
#include "obs/text_line.h"
#include "os/process.h"
#include "os/stack_fault.h"

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar::inline v1::obs {

namespace {

atomic<overflow_text> the_text{nullptr};

void tell(std::uintptr_t code) noexcept {
  text_line line;
  line.add("ashlar: stack overflow: ");
  line.grow(the_text.load(mo::relaxed));
  line.add("; in ");
  add_code_name(line, code);
  line.add("\n");
  os::write_error(line.text(), line.size());
}

}  // namespace

bool watch_overflows(overflow_text describe) noexcept {
  overflow_text const before = the_text.exchange(describe, mo::relaxed);
  bool const watched = os::watch_stack_faults(&tell);
  if (!watched) the_text.store(before, mo::relaxed);
  return watched;
}

bool watches_overflows() noexcept { return the_text.load(mo::relaxed) != nullptr; }

signal_stack::signal_stack() noexcept {
  if (watches_overflows()) memory_ = os::give_signal_stack(bytes);
}

signal_stack::~signal_stack() {
  if (memory_ != nullptr) os::take_signal_stack(memory_, bytes);
}

}  // namespace ashlar::inline v1::obs
