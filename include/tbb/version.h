// SPDX-License-Identifier: Apache-2.0
// The version macros (TBB_VERSION_*, TBB_INTERFACE_VERSION*, ONETBB_SPEC_VERSION; every public header defines
// them) and the functions that ask the loaded library: TBB_runtime_version() and TBB_runtime_interface_version().
#pragma once

#include <ashlar/os/version.h>

// Build scripts read these numbers in the text of this file, without a compiler. ashlar/base/interface.h, which has
// defined the same, is what counts: the compiler compares the two.
#if !ASHLAR_CLASSIC_DIALECT
#define TBB_VERSION_MAJOR 2023
#define TBB_VERSION_MINOR 2
#define TBB_VERSION_PATCH 0
#define TBB_VERSION_STRING "2023.2.0"
#define TBB_INTERFACE_VERSION 12200
#define TBB_COMPATIBLE_INTERFACE_VERSION 2
#define __TBB_BINARY_VERSION 12
#endif

// The lines that a process prints under TBB_VERSION=1, as the program sees them; `name` opens each line.
#ifndef TBB_ENDL
#define TBB_ENDL "\n"
#endif
#define TBB_VERSION_STRINGS_P(name)                                                                                 \
  #name ": SPECIFICATION VERSION\t" __TBB_STRING(ONETBB_SPEC_VERSION) TBB_ENDL #name                                \
      ": VERSION\t\t" TBB_VERSION_STRING TBB_ENDL #name ": INTERFACE VERSION\t" __TBB_STRING(TBB_INTERFACE_VERSION) \
          TBB_ENDL #name ": TBB_USE_DEBUG\t" __TBB_STRING(TBB_USE_DEBUG) TBB_ENDL #name                             \
      ": TBB_USE_ASSERT\t" __TBB_STRING(TBB_USE_ASSERT) TBB_ENDL
#define TBB_VERSION_STRINGS TBB_VERSION_STRINGS_P(oneTBB)
#define TBBMALLOC_VERSION_STRINGS TBB_VERSION_STRINGS_P(TBBmalloc)

#if !ASHLAR_LEAN_HEADERS
#include <cstddef>
#endif
