# SPDX-License-Identifier: Apache-2.0
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
add_test(NAME style.headers
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/headers/check.py"
    "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/forwarding")
set_tests_properties(style.headers PROPERTIES LABELS style TIMEOUT ${test_timeout} PROCESSORS 2)
