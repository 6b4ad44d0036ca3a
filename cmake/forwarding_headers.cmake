# SPDX-License-Identifier: Apache-2.0
# include/oneapi/tbb/x.h for every include/tbb/x.h: generated, so that the two can't drift apart.
# A header that the source tree has itself below include/oneapi stays as it is.

file(GLOB_RECURSE ashlar_tbb_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include/tbb"
  "${PROJECT_SOURCE_DIR}/include/tbb/*.h")
set(ashlar_forwarding_dir "${PROJECT_BINARY_DIR}/forwarding")
foreach(header IN LISTS ashlar_tbb_headers)
  if(NOT EXISTS "${PROJECT_SOURCE_DIR}/include/oneapi/tbb/${header}")
    file(CONFIGURE OUTPUT "${ashlar_forwarding_dir}/oneapi/tbb/${header}"
      CONTENT "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#include <tbb/@header@>\n" @ONLY)
  else()
    file(REMOVE "${ashlar_forwarding_dir}/oneapi/tbb/${header}")  # of an earlier configuration
  endif()
endforeach()
