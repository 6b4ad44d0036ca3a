# SPDX-License-Identifier: Apache-2.0
# Thresholds on a processor whose counter is a hundred times slower: told by the hardware, and measured.
if(NOT ASHLAR_SANITIZE)
  ashlar_test(slow_counter unit "${CMAKE_CURRENT_SOURCE_DIR}/slow_counter/slow_counter.cpp"
    "${PROJECT_SOURCE_DIR}/src/os/clock.cpp" "${PROJECT_SOURCE_DIR}/src/os/linux/kernel_clocks.cpp" "${PROJECT_SOURCE_DIR}/src/os/tuning.cpp")
  target_include_directories(slow_counter BEFORE PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/slow_counter")
  add_test(NAME unit.slow_counter_untold COMMAND slow_counter)
  set_tests_properties(unit.slow_counter_untold PROPERTIES LABELS unit TIMEOUT ${test_timeout}
    ENVIRONMENT "ASHLAR_TEST_UNTOLD=1")
endif()
