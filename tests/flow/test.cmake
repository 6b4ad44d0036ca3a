# SPDX-License-Identifier: Apache-2.0
# The flow graph: each file here is a program, which is built in both dialects and, by peers.py, with both TBBs. The nodes land
# one after the other: flow_programs are those whose nodes are all there.
set(flow_programs async_msg bad_input bodies bounded buffers cancelled classic continue continue_receiver control coroutine edge_turns edges enqueue explain extraction failures feedback fragile frozen function given_back graph joins large limiter limiter_consumers no_task providers random reserving reset resources successors svg switches wait_ends waiting without_memory)
set(flow_onetbb_only fragile limiter_consumers no_task providers resources wait_ends waiting without_memory)  # peers.py knows them as well
set(flow_classic_only async_msg classic continue_receiver enqueue extraction switches)
# What runs with the unit tests of the sanitizers; flow_random has nodes of most kinds. ThreadSanitizer's list leaves out what takes
# more than ten seconds and has a model, or whose nodes the random graphs have as well.
set(flow_sanitized cancelled random wait_ends waiting)
set(flow_classic_sanitized random)
if(ASHLAR_SANITIZE MATCHES address)
  list(APPEND flow_sanitized edge_turns edges fragile without_memory)
elseif(ASHLAR_SANITIZE MATCHES thread)
  list(APPEND flow_sanitized bounded continue coroutine edge_turns explain failures feedback frozen given_back joins limiter_consumers reserving resources)
endif()

foreach(name IN LISTS flow_programs)
  foreach(dialect IN ITEMS "" _classic)
    if(dialect AND (name IN_LIST flow_onetbb_only OR (ASHLAR_SANITIZE AND NOT name IN_LIST flow_classic_sanitized)))
      continue()
    endif()
    if(NOT dialect AND name IN_LIST flow_classic_only)
      continue()
    endif()
    ashlar_test(flow_${name}${dialect} flow "${CMAKE_CURRENT_LIST_DIR}/${name}_test.cpp")
    target_include_directories(flow_${name}${dialect} PRIVATE "${CMAKE_CURRENT_LIST_DIR}")
    target_link_libraries(flow_${name}${dialect} PRIVATE tbb_static)
    if(dialect)
      target_compile_definitions(flow_${name}${dialect} PRIVATE ASHLAR_CLASSIC_DIALECT=1)
      if(NOT name IN_LIST flow_classic_only AND NOT ASHLAR_SANITIZE)
        target_compile_options(flow_${name}${dialect} PRIVATE -O0)  # the other dialect's program is optimised; this takes 0.4 of its time
      endif()
    endif()
  endforeach()
endforeach()
if(ASHLAR_SANITIZE)
  list(TRANSFORM flow_classic_sanitized APPEND _classic)
  foreach(name IN LISTS flow_sanitized flow_classic_sanitized)
    add_dependencies(unit_tests flow_${name})
    set_tests_properties(flow.flow_${name} PROPERTIES LABELS unit)
    if(name MATCHES "_classic$")
      set_tests_properties(flow.flow_${name} PROPERTIES ENVIRONMENT FLOW_SHORT=1)
    endif()
  endforeach()
endif()

if(Python3_FOUND AND NOT ASHLAR_SANITIZE)
  # How far a message goes from body to body, and that the tools which count that and the lines run.
  add_test(NAME flow.way COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/flow_way.py" --library $<TARGET_FILE:tbb_static>
    --most 13 36)
  add_test(NAME flow.lines COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/flow_lines.py")
  set_tests_properties(flow.way flow.lines PROPERTIES LABELS flow TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77)
  add_test(NAME flow.errors COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/errors.py" "${PROJECT_SOURCE_DIR}/include")
  set_tests_properties(flow.errors PROPERTIES LABELS flow TIMEOUT ${test_timeout} ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
  foreach(peer IN ITEMS onetbb tbb2020)
    add_test(NAME flow.${peer} COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/peers.py" ${peer} "${PROJECT_SOURCE_DIR}"
      "${PROJECT_BINARY_DIR}/flow" $<TARGET_FILE:test_support>)
    set_tests_properties(flow.${peer} PROPERTIES LABELS flow TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77 PROCESSORS 2
      ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
  endforeach()
endif()

# The scalability report tells by which node a graph is limited.
if(ASHLAR_BUILD_SIM AND Python3_FOUND AND NOT ASHLAR_SANITIZE)
  add_executable(flow_frames "${CMAKE_CURRENT_LIST_DIR}/report/frames.cpp")
  target_link_libraries(flow_frames PRIVATE tbb_static ashlar_options)
  add_test(NAME flow.report COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/report/report.py" $<TARGET_FILE:flow_frames>
    $<TARGET_FILE:ashlar-sim>)
  set_tests_properties(flow.report PROPERTIES LABELS flow TIMEOUT ${test_timeout} PROCESSORS 2)
endif()
