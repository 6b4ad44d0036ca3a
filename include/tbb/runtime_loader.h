// SPDX-License-Identifier: Apache-2.0
// tbb::runtime_loader: classic TBB's preview class that looked for the library when the program runs (for Windows in
// practice). A program that includes this header is linked with Ashlar already, so there is nothing to load: every
// request to load ends with ec_bad_call and says so.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/base/loader_failure.h>

#include <climits>

namespace tbb {
namespace interface6 {

class runtime_loader {
 public:
  /// What a failed request does: sets the status, throws the error_code, or prints one line to stderr and aborts.
  enum error_mode { em_status, em_throw, em_abort };
  enum error_code { ec_ok, ec_bad_call, ec_bad_arg, ec_bad_lib, ec_bad_ver, ec_no_lib };

  explicit runtime_loader(error_mode mode = em_abort) noexcept : mode_(mode) {}
  runtime_loader(char const* path[], int min_ver = TBB_INTERFACE_VERSION, int max_ver = INT_MAX,
                 error_mode mode = em_abort)
      : mode_(mode) {
    load(path, min_ver, max_ver);
  }
  runtime_loader(runtime_loader const&) = delete;
  runtime_loader& operator=(runtime_loader const&) = delete;

  /// ec_bad_arg if there is no path or the range of versions is none, else ec_bad_call: the library is loaded already.
  error_code load(char const* path[], int min_ver = TBB_INTERFACE_VERSION, int max_ver = INT_MAX) {
    if (path == nullptr || min_ver <= 0 || max_ver <= 0 || min_ver > max_ver) {
      return fail(ec_bad_arg, "the path or the range of versions is not valid");
    }
    return fail(ec_bad_call, "the program is linked with the library already; there is nothing to load at run time");
  }
  /// The outcome of the last request.
  error_code status() const noexcept { return status_; }

 private:
  error_code fail(error_code why, char const* text) {
    status_ = why;
    if (mode_ == em_abort) ::ashlar::loader_failure(text);
#if TBB_USE_EXCEPTIONS
    if (mode_ == em_throw) throw why;
#endif
    return why;
  }

  error_mode const mode_;
  error_code status_ = ec_ok;
};

}  // namespace interface6

using interface6::runtime_loader;

}  // namespace tbb

#include <tbb/detail/closure/stddef.h>
#if !ASHLAR_LEAN_HEADERS
#include <climits>
#endif
