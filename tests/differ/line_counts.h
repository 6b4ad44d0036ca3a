// SPDX-License-Identifier: Apache-2.0
// Lines that several threads add, told in their order and with how often each came.
#pragma once

#include "book.h"

namespace differ {

class line_counts {
 public:
  // Certain: the same in every right library; else the line is no more than counted.
  void add(std::string const& line, bool certain) {
    std::lock_guard<std::mutex> const guard(lock_);
    ++(certain ? certain_ : uncertain_)[line];
  }
  void tell(book& told, std::string const& name_of_the_uncertain) const {
    for (auto const& [line, times] : certain_) told.tell(line, times);
    for (auto const& [line, times] : uncertain_) told.open(name_of_the_uncertain, times);
  }

 private:
  std::mutex lock_;
  std::map<std::string, int> certain_, uncertain_;
};

}  // namespace differ
