// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/resources/provided_request.h>

namespace ashlar::inline v1::flow {

// False: it has thrown, and the graph is cancelled.
template <typename F>
bool provided_request::call_caught(F const& f) noexcept {
  try {
    f();
    return true;
  } catch (...) {
    node_.core().fail_in(node_);
    return false;
  }
}

bool provided_request::acquire() noexcept {
  while (!has_all()) {
    provider_link& next = *links_[got_];
    if (!asked_) {
      missing_.store(2, mo::relaxed);
      asked_ = true;
      if (!call_caught([&] { next.ask(*this); })) {
        asked_ = false;
        return true;
      }
      call_caught([&] { next.report(); });
      if (missing_.fetch_sub(1, mo::acq_rel) != 1) return false;  // [PQ1] [PQ2]
    }
    asked_ = false;
    resource_cell* c = nullptr;
    if (!call_caught([&] { c = next.acquire(*this); })) return true;
    if (c != nullptr) uses_[got_++].cell = c;
  }
  return true;
}

void provided_request::release() noexcept {
  if (std::exchange(asked_, false)) call_caught([this] { links_[got_]->withdraw(*this); });
  while (got_ != 0) {
    --got_;
    call_caught([this] { links_[got_]->release(*this, std::exchange(uses_[got_].cell, nullptr)); });
  }
}

}  // namespace ashlar::inline v1::flow
