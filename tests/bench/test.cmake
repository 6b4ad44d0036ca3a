# SPDX-License-Identifier: Apache-2.0
# The measurement runner's own tests; they need Python 3.11 and nothing else (valgrind's are skipped without it).
find_package(Python3 3.11 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME bench.harness
           COMMAND "${Python3_EXECUTABLE}" -m unittest discover -s "${CMAKE_CURRENT_SOURCE_DIR}/bench")
  set_tests_properties(bench.harness PROPERTIES LABELS bench TIMEOUT ${test_timeout})
endif()
include("${CMAKE_CURRENT_LIST_DIR}/study.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/programs.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/threads.cmake")
