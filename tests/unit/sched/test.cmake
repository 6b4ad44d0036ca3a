# SPDX-License-Identifier: Apache-2.0
# A part of the tests once more while a trace is recorded: the recorder's hooks lie in all of the scheduler's slow paths.
add_test(NAME unit.${test_target}_traced
         COMMAND ${test_target} "--test-case=*group*,*enqueue*,*steal*,*suspend*")
set_tests_properties(unit.${test_target}_traced PROPERTIES LABELS unit TIMEOUT ${test_timeout}
                     ENVIRONMENT "ASHLAR_TRACE=${CMAKE_CURRENT_BINARY_DIR}/${test_target}.trace")
# Layouts and the measured load are private.
set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/layout_test.cpp" "${CMAKE_CURRENT_LIST_DIR}/enqueue_beside_loops_test.cpp" PROPERTIES COMPILE_OPTIONS -fno-access-control)
