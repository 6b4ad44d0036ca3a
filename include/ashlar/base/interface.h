// SPDX-License-Identifier: Apache-2.0
// What a program may rely on after including any public header: the version and switch macros of TBB, the
// feature tests, and the namespaces. Names and values are those of oneTBB 2023.2 and classic TBB 2020.2; with
// ASHLAR_CLASSIC_DIALECT the version macros are the classic ones (docs/decisions/0001). Features that are
// "preview" in TBB are always on, so the macros TBB_PREVIEW_* that ask for them are accepted and have no effect.
//
// The names that begin with __TBB are not documented anywhere, but published programs test them.
#pragma once

// For the macros of the standard library. TBB 2020's headers do without <version>, which C++17 does not need here.
#if defined(ASHLAR_CLASSIC_DIALECT) && ASHLAR_CLASSIC_DIALECT && __cplusplus <= 201703L
#include <new>
#elif __has_include(<version>)
#include <version>
#endif

namespace tbb {
// Where oneTBB keeps its names: found there, too, but defined and specialised in tbb itself.
namespace v1 {
using namespace ::tbb;
}
}  // namespace tbb
namespace oneapi {
namespace tbb = ::tbb;
}

// ---- version
#if defined(ASHLAR_CLASSIC_DIALECT) && ASHLAR_CLASSIC_DIALECT
#define TBB_VERSION_MAJOR 2020
#define TBB_VERSION_MINOR 2
#define TBB_VERSION_STRING "2020.2"
#define TBB_INTERFACE_VERSION 11102
#else
#define TBB_VERSION_MAJOR 2023
#define TBB_VERSION_MINOR 2
#define TBB_VERSION_STRING "2023.2.0"
#define TBB_INTERFACE_VERSION 12200
#endif
#define TBB_VERSION_PATCH 0
#define ONETBB_SPEC_VERSION 104
#define TBB_INTERFACE_VERSION_MAJOR (TBB_INTERFACE_VERSION / 1000)
#define TBB_INTERFACE_VERSION_MINOR (TBB_INTERFACE_VERSION % 1000 / 10)
#define TBB_COMPATIBLE_INTERFACE_VERSION 2
#define __TBB_BINARY_VERSION 12

// ---- switches that the user may set
// _DEBUG asks for a debug build when it is empty or not zero; an empty one makes the expression 1 - -1.
#ifndef TBB_USE_DEBUG
#if defined(_DEBUG) && (1 - _DEBUG - 1)
#define TBB_USE_DEBUG 1
#else
#define TBB_USE_DEBUG 0
#endif
#endif
#ifndef TBB_USE_ASSERT
#ifdef TBB_DO_ASSERT
#define TBB_USE_ASSERT TBB_DO_ASSERT
#else
#define TBB_USE_ASSERT TBB_USE_DEBUG
#endif
#endif
#ifndef TBB_USE_PROFILING_TOOLS
#define TBB_USE_PROFILING_TOOLS 0
#endif
#ifndef TBB_USE_THREADING_TOOLS
#ifdef TBB_DO_THREADING_TOOLS
#define TBB_USE_THREADING_TOOLS TBB_DO_THREADING_TOOLS
#else
#define TBB_USE_THREADING_TOOLS TBB_USE_PROFILING_TOOLS
#endif
#endif
#ifndef TBB_USE_PERFORMANCE_WARNINGS
#define TBB_USE_PERFORMANCE_WARNINGS TBB_USE_DEBUG
#endif
#ifndef TBB_USE_EXCEPTIONS
#ifdef __cpp_exceptions
#define TBB_USE_EXCEPTIONS 1
#else
#define TBB_USE_EXCEPTIONS 0
#endif
#elif TBB_USE_EXCEPTIONS && !defined(__cpp_exceptions)
#error "TBB_USE_EXCEPTIONS is set, but the compiler's exceptions are switched off"
#endif
#ifndef TBB_USE_CAPTURED_EXCEPTION
#define TBB_USE_CAPTURED_EXCEPTION 0
#endif
#ifndef TBB_USE_GCC_BUILTINS
#define TBB_USE_GCC_BUILTINS 1
#endif
#ifndef TBB_IMPLEMENT_CPP0X
#define TBB_IMPLEMENT_CPP0X 0
#endif

// ---- feature tests
#define TBB_HAS_PARALLEL_PHASE 202608
#define TBB_HAS_TASK_ARENA_CORE_TYPE_SELECTOR 202603
#define TBB_HAS_TASK_GROUP_DEPENDENCIES 202603
#define TBB_HAS_TASK_GROUP_WAIT_FOR_SINGLE_TASK 202603
#define TBB_HAS_NUMA_ALLOCATION 202605
#define TBB_HAS_CUSTOM_ASSERTION_HANDLER 202608
#define TBB_EXT_CUSTOM_ASSERTION_HANDLER 202510

#ifdef _VARIADIC_MAX
#define __TBB_VARIADIC_MAX _VARIADIC_MAX
#else
#define __TBB_VARIADIC_MAX 15
#endif

#define __TBB_PREVIEW_CONCURRENT_HASH_MAP_EXTENSIONS 1
#define __TBB_PREVIEW_FLOW_GRAPH_NODE_SET 1
#define __TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#define __TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#define __TBB_PREVIEW_MEMORY_POOL 1
#define __TBB_PREVIEW_NUMA_ALLOCATION 1
#define __TBB_PREVIEW_TASK_ARENA_CORE_TYPE_SELECTOR 1
#define __TBB_PREVIEW_TASK_GROUP_EXTENSIONS 1
#define __TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#if !(defined(ASHLAR_CLASSIC_DIALECT) && ASHLAR_CLASSIC_DIALECT)
#if defined(TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING) && TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING
#define __TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING 1
#elif defined(TBB_PREVIEW_FLOW_GRAPH_FEATURES) && TBB_PREVIEW_FLOW_GRAPH_FEATURES
#define __TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING 1
#endif
#ifdef __TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING
#define TBB_HAS_FLOW_GRAPH_RESOURCE_LIMITING 202608
#endif
#endif
#define __TBB_PREVIEW_MESSAGE_BASED_KEY_MATCHING 1
#define __TBB_PREVIEW_CRITICAL_TASKS 1
#define __TBB_PREVIEW_RESUMABLE_TASKS 1
#define __TBB_RESUMABLE_TASKS 1
#define __TBB_CRITICAL_TASKS 1
#define __TBB_TASK_GROUP_CONTEXT 1
#define __TBB_TASK_ISOLATION 1
#define __TBB_TASK_PRIORITY 1
#define __TBB_FP_CONTEXT 1
#define __TBB_SCHEDULER_OBSERVER 1
#define __TBB_ARENA_OBSERVER 1
#define __TBB_ENQUEUE_ENFORCED_CONCURRENCY 1
#define __TBB_SUPPORTS_WORKERS_WAITING_IN_TERMINATE 1
#define __TBB_DYNAMIC_LOAD_ENABLED 1
#define __TBB_WEAK_SYMBOLS_PRESENT 1
#define __TBB_USE_POSIX 1
#define __TBB_DEFAULT_PARTITIONER tbb::auto_partitioner

#include <ashlar/base/language_macros.h>
