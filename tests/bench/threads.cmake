# SPDX-License-Identifier: Apache-2.0
# The short form of bench/threads: how work is shared out among 4 to 64 threads whose bodies sleep, with limits that hold
# on a loaded machine, and how many process-wide fences going to sleep costs. A sanitizer has functions of its own where
# the counting ones stand, so these tests do without.
if(NOT ASHLAR_SANITIZE)
  add_executable(threads_check "${PROJECT_SOURCE_DIR}/bench/threads/check.cpp")
  target_compile_features(threads_check PRIVATE cxx_std_17)
  target_include_directories(threads_check PRIVATE "${PROJECT_SOURCE_DIR}/bench/harness/include"
                             "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(threads_check PRIVATE tbb_static ashlar_options Threads::Threads ${CMAKE_DL_LIBS})
  foreach(what IN ITEMS quality counts)
    add_test(NAME bench.threads_${what} COMMAND threads_check ${what})
    set_tests_properties(bench.threads_${what} PROPERTIES LABELS bench TIMEOUT ${test_timeout})
  endforeach()
endif()
