# SPDX-License-Identifier: Apache-2.0
# The programs of bench/programs with Ashlar on small inputs: each checks its own result.
set(programs_dir "${PROJECT_SOURCE_DIR}/bench/programs")
file(GLOB program_sources CONFIGURE_DEPENDS "${programs_dir}/*.cpp")
list(FILTER program_sources EXCLUDE REGEX "_openmp\\.cpp$")
foreach(source IN LISTS program_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(program_${name} "${source}")
  target_compile_features(program_${name} PRIVATE cxx_std_17)
  target_include_directories(program_${name} PRIVATE "${PROJECT_SOURCE_DIR}/bench/harness/include" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(program_${name} PRIVATE tbb_static ashlar_options Threads::Threads)
  # g++ 12 does not see that task_pool::release never gets a body of 4 KB for its free lists.
  target_compile_options(program_${name} PRIVATE -Wno-array-bounds)
  add_test(NAME bench.program.${name} COMMAND program_${name} ${name} --threads 4 --size 3)
  set_tests_properties(bench.program.${name} PROPERTIES LABELS bench TIMEOUT ${test_timeout})
endforeach()
