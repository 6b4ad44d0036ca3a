# SPDX-License-Identifier: Apache-2.0
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
add_test(NAME style.headers
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/headers/check.py"
    "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/forwarding")
add_test(NAME style.visible
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/headers/visible.py" "${PROJECT_SOURCE_DIR}")
add_test(NAME style.dialects
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/headers/dialects.py" "${PROJECT_SOURCE_DIR}")
add_test(NAME style.members
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/headers/members.py" "${PROJECT_SOURCE_DIR}")
add_test(NAME style.gaps
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/headers/gaps.py" "${PROJECT_SOURCE_DIR}")
set_tests_properties(style.headers style.visible style.dialects style.members style.gaps PROPERTIES LABELS style TIMEOUT ${test_timeout} PROCESSORS 2)
add_test(NAME style.mistakes
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/headers/mistakes.py" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/forwarding")
set_tests_properties(style.mistakes PROPERTIES LABELS style TIMEOUT ${test_timeout} ENVIRONMENT "CXX=g++")
add_test(NAME style.refusals
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/headers/refusals.py" "${PROJECT_SOURCE_DIR}")
set_tests_properties(style.refusals PROPERTIES LABELS style TIMEOUT ${test_timeout} ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
add_test(NAME style.macros
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/headers/macros.py" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/forwarding")
set_tests_properties(style.macros PROPERTIES LABELS style TIMEOUT ${test_timeout} PROCESSORS 2 ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
add_test(NAME style.warnings
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/headers/warnings.py" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/forwarding")
set_tests_properties(style.warnings PROPERTIES LABELS style TIMEOUT ${test_timeout} PROCESSORS 2 ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
add_test(NAME style.inner
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/headers/inner.py" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/forwarding")
set_tests_properties(style.inner PROPERTIES LABELS style TIMEOUT ${test_timeout} PROCESSORS 2)
add_test(NAME style.traps
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/headers/traps.py" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/forwarding")
set_tests_properties(style.traps PROPERTIES LABELS style TIMEOUT ${test_timeout} PROCESSORS 2 ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
