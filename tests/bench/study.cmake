# SPDX-License-Identifier: Apache-2.0
# The programs of bench/characterisation, each against its serial version, and their command line.
set(study_dir "${PROJECT_SOURCE_DIR}/bench/characterisation")
file(GLOB study_sources CONFIGURE_DEPENDS "${study_dir}/common/*.cpp" "${study_dir}/programs/*.cpp")
add_executable(study ${study_sources})
target_compile_features(study PRIVATE cxx_std_17)
target_include_directories(study PRIVATE "${study_dir}" "${PROJECT_SOURCE_DIR}/bench/kernels"
                           "${PROJECT_SOURCE_DIR}/bench/harness/include" "${PROJECT_SOURCE_DIR}/include")
target_include_directories(study SYSTEM PRIVATE "${PROJECT_BINARY_DIR}/forwarding")
target_link_libraries(study PRIVATE tbb_static ashlar_options Threads::Threads)

add_test(NAME bench.study COMMAND study --check --threads 4)
set_tests_properties(bench.study PROPERTIES LABELS bench TIMEOUT ${test_timeout})
if(Python3_FOUND)
  add_test(NAME bench.study_options
           COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_LIST_DIR}/study_options.py" "$<TARGET_FILE:study>")
  set_tests_properties(bench.study_options PROPERTIES LABELS bench TIMEOUT ${test_timeout})
endif()
