# SPDX-License-Identifier: Apache-2.0
# The library as its users meet it: installed, found, linked, loaded.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

set(consume_python "${Python3_EXECUTABLE}")
if(EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")  # has pip, which fetches the foreign libraries
  set(consume_python "${PROJECT_SOURCE_DIR}/.venv/bin/python")
endif()

function(consume_test case)
  add_test(NAME consume.${case} COMMAND "${consume_python}" "${CMAKE_CURRENT_SOURCE_DIR}/consume/run.py" ${case}
    --build "${PROJECT_BINARY_DIR}" --source "${PROJECT_SOURCE_DIR}" --work "${PROJECT_BINARY_DIR}/consume")
  set_tests_properties(consume.${case} PROPERTIES
    LABELS consume TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77 FIXTURES_REQUIRED installed ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
endfunction()

if(ASHLAR_INSTALL AND NOT ASHLAR_SANITIZE)
  foreach(case IN ITEMS
      plain modes fork readme static classic pkgconfig cmake_package beside moved own_folder cmake_subdirectory symbols abi soname dlclose onetbb tbb2020 merged semantics module)
    consume_test(${case})
  endforeach()
  set_tests_properties(consume.modes PROPERTIES PROCESSORS 2)
  consume_test(install)
  set_tests_properties(consume.install PROPERTIES FIXTURES_SETUP installed FIXTURES_REQUIRED "")
  set_tests_properties(consume.cmake_subdirectory PROPERTIES FIXTURES_SETUP compiled)
  set_tests_properties(consume.own_folder PROPERTIES FIXTURES_REQUIRED compiled)
endif()
