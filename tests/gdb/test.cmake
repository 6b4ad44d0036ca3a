# SPDX-License-Identifier: Apache-2.0
# The debugger's view of the library (debugger/ashlar_gdb.py), with Debian's gdb; skipped where there is none. The program
# includes the scheduler's private headers, so that their types are in its debug information with any build of the library.
if(NOT ASHLAR_SANITIZE AND TARGET tbb_static AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_executable(debugged "${CMAKE_CURRENT_LIST_DIR}/debugged.cpp")
  target_compile_features(debugged PRIVATE cxx_std_20)
  target_compile_options(debugged PRIVATE -O0 -g -femit-class-debug-always)
  target_link_libraries(debugged PRIVATE tbb_static ashlar_options Threads::Threads)
  target_include_directories(debugged PRIVATE ${test_include})
  target_include_directories(debugged SYSTEM PRIVATE "${PROJECT_BINARY_DIR}/forwarding")
  add_dependencies(unit_tests debugged)
  add_test(NAME unit.gdb COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/run.py" $<TARGET_FILE:debugged>
    "${PROJECT_SOURCE_DIR}/debugger/ashlar_gdb.py")
  set_tests_properties(unit.gdb PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout})

  # How many files a reader visits who follows a job through the library.
  add_executable(walks "${CMAKE_CURRENT_LIST_DIR}/walks.cpp")
  target_compile_features(walks PRIVATE cxx_std_20)
  target_compile_options(walks PRIVATE -O0 -g)
  target_link_libraries(walks PRIVATE tbb_static ashlar_options Threads::Threads)
  target_include_directories(walks PRIVATE "${PROJECT_SOURCE_DIR}/include")
  add_dependencies(unit_tests walks)
  add_test(NAME unit.walks COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/walks.py" $<TARGET_FILE:walks>)
  set_tests_properties(unit.walks PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout})
endif()
