// SPDX-License-Identifier: Apache-2.0
// Compiler and build switches: the only file (with assert.h) that defines macros of our own.
// Everything the headers need to know about the compiler is decided here and nowhere else.
#pragma once

// What is missing for a port to another system or compiler: docs/guide/port.md.
#if !defined(__GNUC__) && !defined(__clang__)
#error "Ashlar needs g++ or clang: other compilers lack its builtins and attributes"
#elif !defined(__linux__) && !defined(__APPLE__) && !defined(__FreeBSD__) && !defined(_WIN32)
#error "Ashlar has no port to this system: src/os has no folder for it"
#elif __SIZEOF_POINTER__ != 8
#error "Ashlar needs a 64-bit target: its words hold a pointer beside other things"
#endif
#if __cplusplus < 201703L
#error "Ashlar's headers need C++17 or later (-std=c++17)"
#endif

// 1 selects the classic meaning of the names that classic TBB and oneTBB use differently (docs/decisions/0001).
#ifndef ASHLAR_CLASSIC_DIALECT
#define ASHLAR_CLASSIC_DIALECT 0
#endif

// 1 keeps the public headers from including what TBB's headers include besides what they need themselves; that is most
// of their compile time (include/tbb/detail/closure).
#ifndef ASHLAR_LEAN_HEADERS
#define ASHLAR_LEAN_HEADERS 0
#endif

#include <ashlar/base/interface.h>

// A class of the versioned namespace tbb::interface<version> of classic TBB, where programs written for it may declare
// it beforehand: in the classic dialect it lives there, by default in tbb, under a linker name that no real TBB has.
//   ASHLAR_HOME(5) class x { ... }; ASHLAR_HOME_END ASHLAR_KNOWN_IN(5, x)
#if ASHLAR_CLASSIC_DIALECT
#define ASHLAR_HOME(version) namespace interface##version {
#define ASHLAR_HOME_END }
#define ASHLAR_KNOWN_IN(version, name) using interface##version::name;
#else
#define ASHLAR_HOME(version)
#define ASHLAR_HOME_END
#define ASHLAR_KNOWN_IN(version, name) \
  namespace interface##version {       \
    using ::tbb::name;                 \
  }
#endif

// The same for tbb::flow, to be written there. What is not public stands in ashlar::flow; what of it depends on the
// dialect, because public classes do, between ASHLAR_FLOW_PARTS and ASHLAR_FLOW_PARTS_END: programs of both dialects
// may be linked together.
#if ASHLAR_CLASSIC_DIALECT
#define ASHLAR_FLOW_HOME(version) namespace interface##version {
#define ASHLAR_FLOW_HOME_END }
#define ASHLAR_FLOW_KNOWN_IN(version, name) using interface##version::name;
#define ASHLAR_FLOW_DIALECT classic
#else
#define ASHLAR_FLOW_HOME(version)
#define ASHLAR_FLOW_HOME_END
#define ASHLAR_FLOW_KNOWN_IN(version, name) \
  namespace interface##version {            \
    using ::tbb::flow::name;                \
  }
#define ASHLAR_FLOW_DIALECT by_default
#endif
#define ASHLAR_FLOW_PARTS \
  namespace ashlar {      \
  inline namespace v1 {   \
  namespace flow {        \
  inline namespace ASHLAR_FLOW_DIALECT {
#define ASHLAR_FLOW_PARTS_END \
  }                           \
  }                           \
  }                           \
  }

#define ASHLAR_EXPORT __attribute__((visibility("default")))
#define ASHLAR_ALWAYS_INLINE inline __attribute__((always_inline))
#define ASHLAR_NOINLINE __attribute__((noinline))
// For the few shortest functions that programs call most: their way lies in as few lines of the instruction cache as it
// can, wherever other code moves them.
#define ASHLAR_LINE_ALIGNED __attribute__((aligned(64)))
// Out of line, but not `cold`: g++ moves a whole recursive caller to its cold section for one such call.
#define ASHLAR_COLD __attribute__((noinline))
#define ASHLAR_LIKELY(x) __builtin_expect(!!(x), 1)
#define ASHLAR_UNLIKELY(x) __builtin_expect(!!(x), 0)
// A thread-local pointer that costs one load: resolved at load time, never through __tls_get_addr.
#define ASHLAR_INITIAL_EXEC __attribute__((tls_model("initial-exec")))

#if defined(__SANITIZE_THREAD__)
#define ASHLAR_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ASHLAR_TSAN 1
#endif
#endif
#ifndef ASHLAR_TSAN
#define ASHLAR_TSAN 0
#endif

// 1 tells ThreadSanitizer of the library's edges (base/tsan.h). 0 if the library itself is compiled with it.
#ifndef ASHLAR_TSAN_EDGES
#define ASHLAR_TSAN_EDGES ASHLAR_TSAN
#endif

#if defined(__SANITIZE_ADDRESS__)
#define ASHLAR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASHLAR_ASAN 1
#endif
#endif
#ifndef ASHLAR_ASAN
#define ASHLAR_ASAN 0
#endif

// constinit, for objects with a std::mutex: all C++ libraries make one without code, but the one of winpthreads.
#ifdef _WIN32
#define ASHLAR_CONSTINIT_MUTEX
#else
#define ASHLAR_CONSTINIT_MUTEX constinit
#endif

// Exceptions can be switched off by the compiler's flags or by TBB_USE_EXCEPTIONS; the headers then call terminate.
#define ASHLAR_EXCEPTIONS TBB_USE_EXCEPTIONS
// Handlers of any exception in headers: compiled, and never reached, where exceptions are switched off.
#if ASHLAR_EXCEPTIONS
#define ASHLAR_TRY try
#define ASHLAR_CATCH_ALL catch (...)
#define ASHLAR_RETHROW throw
#else
#define ASHLAR_TRY if (true)
#define ASHLAR_CATCH_ALL else
#define ASHLAR_RETHROW (void)0
#endif

// A constraint of a template, written after its parameter list; checked from C++20 on. Classic TBB has none, and a
// program's own declaration of its class templates, which has none either, would be another template's.
//
// ASHLAR_CONSTRAINED: there are constraints. A function with one has a deleted twin without it, which overload
// resolution chooses for arguments that don't fit: the compiler then shows the twin's line, whose comment tells what
// fits. Without constraints static_asserts do.
#if defined(__cpp_concepts) && __cpp_concepts >= 201907L && !ASHLAR_CLASSIC_DIALECT
#define ASHLAR_REQUIRES(...) requires(__VA_ARGS__)
#define ASHLAR_CONSTRAINED 1
#else
#define ASHLAR_REQUIRES(...)
#define ASHLAR_CONSTRAINED 0
#endif

// Sanitizers, by the names that published programs test.
#if ASHLAR_TSAN
#define __TBB_USE_THREAD_SANITIZER 1
#endif
#if ASHLAR_ASAN
#define __TBB_USE_ADDRESS_SANITIZER 1
#endif
#ifndef __TBB_USE_SANITIZERS
#define __TBB_USE_SANITIZERS (ASHLAR_TSAN || ASHLAR_ASAN)
#endif
