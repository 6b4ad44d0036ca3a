# SPDX-License-Identifier: Apache-2.0
# Random programs over the whole interface: a short soak. ./dev soak is the long one.
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
