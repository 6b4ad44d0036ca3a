# SPDX-License-Identifier: Apache-2.0
# Golden hang reports: programs that hang in ten ways, and some that don't hang.
if(NOT ASHLAR_SANITIZE AND TARGET tbb_static)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  foreach(program IN ITEMS hangs random_cycles)
    add_executable(${program} "${CMAKE_CURRENT_LIST_DIR}/${program}.cpp")
    target_compile_features(${program} PRIVATE cxx_std_20)
    target_link_libraries(${program} PRIVATE tbb_static ashlar_options Threads::Threads)
    target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_include_directories(${program} SYSTEM PRIVATE "${PROJECT_BINARY_DIR}/forwarding")
    add_dependencies(unit_tests ${program})
  endforeach()
  add_test(NAME unit.hang_reports COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/run.py" $<TARGET_FILE:hangs>)
  set_tests_properties(unit.hang_reports PROPERTIES LABELS unit TIMEOUT ${test_timeout})

  # Random programs with a cycle: each is reported, in time.
  add_test(NAME unit.hang_random_cycles COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/random_cycles.py" $<TARGET_FILE:random_cycles>
           --also 125)  # a task spins on one stack while another stack of its thread waits
  set_tests_properties(unit.hang_random_cycles PROPERTIES LABELS unit RUN_SERIAL TRUE TIMEOUT ${test_timeout})

  # No false alarm: programs that end, with the watch on; the examples have the same test.
  add_test(NAME unit.hang_silence COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/silence.py"
    $<TARGET_FILE:unit_sched> $<TARGET_FILE:unit_algo>)
  set_tests_properties(unit.hang_silence PROPERTIES LABELS unit TIMEOUT ${test_timeout})
endif()
