# SPDX-License-Identifier: Apache-2.0
# A program for Helgrind and DRD, compiled as docs/debugging.md says.
find_path(valgrind_include valgrind/helgrind.h)
if(NOT ASHLAR_SANITIZE AND TARGET tbb AND valgrind_include)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_executable(valgrind_user "${CMAKE_CURRENT_LIST_DIR}/program.cpp" "${PROJECT_SOURCE_DIR}/debugger/ashlar_valgrind.cpp")
  target_compile_features(valgrind_user PRIVATE cxx_std_20)
  target_compile_options(valgrind_user PRIVATE -O0 -g)
  target_compile_definitions(valgrind_user PRIVATE ASHLAR_TSAN_EDGES=1)
  target_include_directories(valgrind_user SYSTEM PRIVATE "${valgrind_include}")
  target_link_libraries(valgrind_user PRIVATE tbb)
  add_dependencies(unit_tests valgrind_user)
  add_test(NAME consume.valgrind COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/run.py"
    $<TARGET_FILE:valgrind_user> "${PROJECT_SOURCE_DIR}/debugger/ashlar.supp")
  set_tests_properties(consume.valgrind PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout})
endif()
