// SPDX-License-Identifier: Apache-2.0
// One program of bench/characterisation by reference: STUDY_PROGRAM is its name, STUDY_SOURCE its file, STUDY_SIZE its
// class of sizes. The work is its version
// with tasks, the check that with the serial version, bit by bit.
#include "common/tbb_program.h"

#include STUDY_SOURCE

namespace {

class by_reference {
 public:
  explicit by_reference(double scale)
      : problem_(study::STUDY_PROGRAM(scale < 0.5 ? study::size_class::test : study::size_class::STUDY_SIZE)) {
    problem_.serial();
  }

  void work() { problem_.tasks(); }

  char const* wrong() const {
    if (!problem_.plausible()) return "result of the serial version";
    return problem_.right() ? nullptr : "differs from the serial version";
  }

 private:
  study::problem problem_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<by_reference>(argc, argv); }
