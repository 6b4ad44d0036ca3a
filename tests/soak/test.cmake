# SPDX-License-Identifier: Apache-2.0
# Random programs over the whole interface, and memory that must not grow: a short soak. ./dev soak is the long one.
find_package(nlohmann_json QUIET)
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
if(nlohmann_json_FOUND)
  file(GLOB soak_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*.cpp")
  add_executable(soak ${soak_sources})
  target_compile_features(soak PRIVATE cxx_std_20)
  target_include_directories(soak PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(soak PRIVATE tbb_static tbbmalloc_static ashlar_options nlohmann_json::nlohmann_json Threads::Threads)
  add_test(NAME soak.short COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/soak.py" "$<TARGET_FILE:soak>" --seconds 20)
  add_test(NAME soak.shrink COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/shrink_test.py")
  set_tests_properties(soak.short soak.shrink PROPERTIES LABELS stress TIMEOUT ${test_timeout})
endif()

# Does memory grow? Sanitizers hold freed memory back, and an emulator has memory of its own.
if(NOT ASHLAR_SANITIZE AND NOT CMAKE_CROSSCOMPILING AND TARGET tbbmalloc_static)
  file(GLOB memory_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/memory/*.cpp")
  # The second one's cases leak on purpose: that they are found is a test, too.
  set(verdict_sources "${memory_sources}")
  list(FILTER verdict_sources INCLUDE REGEX "/(leaks|main|meter)\\.cpp$")
  list(FILTER memory_sources EXCLUDE REGEX "/leaks\\.cpp$")
  add_executable(soak_memory ${memory_sources})
  add_executable(soak_memory_verdict ${verdict_sources})
  target_compile_definitions(soak_memory_verdict PRIVATE SOAK_LEAKS=1)
  foreach(program IN ITEMS soak_memory soak_memory_verdict)
    target_compile_features(${program} PRIVATE cxx_std_20)
    target_compile_options(${program} PRIVATE ${ASHLAR_TEST_OPTIONS})  # memory grows at any level; -O1 takes 0.7 of the time
    target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(${program} PRIVATE tbb_static tbbmalloc_static ashlar_options Threads::Threads)
  endforeach()
  add_test(NAME soak.memory COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/memory.py" "$<TARGET_FILE:soak_memory>")
  add_test(NAME soak.memory_verdict COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/memory_test.py"
    "$<TARGET_FILE:soak_memory_verdict>")
  set_tests_properties(soak.memory soak.memory_verdict PROPERTIES LABELS stress TIMEOUT ${test_timeout})
  set_tests_properties(soak.memory PROPERTIES PROCESSORS 2)
endif()
