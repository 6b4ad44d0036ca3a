// SPDX-License-Identifier: Apache-2.0
// Which implementation of std::execution the program uses: the one that it has included before <ashlar/execution.h>.
// `ex` is its namespace here. What depends on it lies in an inline namespace of the implementation's name, so files of
// one program may use different ones. Nothing of an implementation is included by the library.
#pragma once

#include <ashlar/base/config.h>

#if __cplusplus < 202002L
#error "<ashlar/execution.h> needs C++20 or later"
#elif defined(STDEXEC)
#define ASHLAR_SENDERS of_stdexec
#elif defined(INCLUDED_BEMAN_EXECUTION_EXECUTION)
#define ASHLAR_SENDERS of_beman
#elif defined(__cpp_lib_senders)
#define ASHLAR_SENDERS of_std
#else
#error \
    "include <stdexec/execution.hpp>, <beman/execution/execution.hpp>, or C++26's <execution> before <ashlar/execution.h>"
#endif

#ifdef ASHLAR_SENDERS

#define ASHLAR_EXECUTION_PARTS \
  namespace ashlar {           \
  inline namespace v1 {        \
  namespace execution {        \
  inline namespace ASHLAR_SENDERS {
#define ASHLAR_EXECUTION_PARTS_END \
  }                                \
  }                                \
  }                                \
  }

ASHLAR_EXECUTION_PARTS

#if defined(STDEXEC)
namespace ex = ::STDEXEC;
#elif defined(INCLUDED_BEMAN_EXECUTION_EXECUTION)
namespace ex = ::beman::execution;
#else
// The standard spreads the names over three namespaces.
namespace ex {
using namespace ::std;
using namespace ::std::execution;
using namespace ::std::this_thread;
}  // namespace ex
#endif

ASHLAR_EXECUTION_PARTS_END

#endif
