# SPDX-License-Identifier: Apache-2.0
# The scheduler's tests where the system has no heavy fence: its protocols then make full ones.
if(NOT ASHLAR_SANITIZE)
  add_executable(without_membarrier "${CMAKE_CURRENT_SOURCE_DIR}/sandbox/without_membarrier.cpp")
  target_compile_features(without_membarrier PRIVATE cxx_std_20)
  foreach(program IN ITEMS stress_liveness stress_scheduler stress_locks unit_sched)
    if(TARGET ${program})
      add_test(NAME sandbox.${program} COMMAND without_membarrier $<TARGET_FILE:${program}>)
      set_tests_properties(sandbox.${program} PROPERTIES LABELS stress TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77)
    endif()
  endforeach()
endif()
