# SPDX-License-Identifier: Apache-2.0
# A few seconds of libFuzzer in the plain build; skipped visibly without clang.
if(NOT ASHLAR_SANITIZE AND EXISTS "${PROJECT_SOURCE_DIR}/src/alloc")
  add_test(NAME fuzz.alloc COMMAND "${CMAKE_CURRENT_LIST_DIR}/run.sh" "${PROJECT_SOURCE_DIR}"
    "${CMAKE_CURRENT_BINARY_DIR}/fuzz" -max_total_time=5 -seed=1 -print_final_stats=1)
  set_tests_properties(fuzz.alloc PROPERTIES LABELS stress SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout})
endif()
