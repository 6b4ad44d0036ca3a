# SPDX-License-Identifier: Apache-2.0
# The programs of bench/programs with Ashlar on small inputs: each checks its own result.
set(programs_dir "${PROJECT_SOURCE_DIR}/bench/programs")

function(program_test name source)
  add_executable(program_${name} "${programs_dir}/${source}")
  target_compile_features(program_${name} PRIVATE cxx_std_17)
  target_include_directories(program_${name} PRIVATE "${PROJECT_SOURCE_DIR}/bench/harness/include" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(program_${name} PRIVATE tbb_static ashlar_options Threads::Threads)
  add_test(NAME bench.program.${name} COMMAND program_${name} ${name} --threads 4 --size 3)
  set_tests_properties(bench.program.${name} PROPERTIES LABELS bench TIMEOUT ${test_timeout})
endfunction()

file(GLOB program_sources CONFIGURE_DEPENDS RELATIVE "${programs_dir}" "${programs_dir}/*.cpp")
list(FILTER program_sources EXCLUDE REGEX "_openmp\\.cpp$")
list(REMOVE_ITEM program_sources study.cpp)
foreach(source IN LISTS program_sources)
  get_filename_component(name "${source}" NAME_WE)
  program_test(${name} ${source})
endforeach()
target_link_libraries(program_strassen PRIVATE tbbmalloc_static)
target_include_directories(program_ray_tracer PRIVATE "${PROJECT_SOURCE_DIR}/bench/kernels")
target_compile_features(program_ray_tracer PRIVATE cxx_std_20)
target_compile_definitions(program_ray_tracer PRIVATE "SCENES=\"${PROJECT_SOURCE_DIR}/bench/kernels/ray_tracer/scenes\"")
target_compile_options(program_ray_tracer PRIVATE -Wno-subobject-linkage)  # it includes sources
# The five of bench/characterisation are tested there; one stands for the way in which they are used here.
program_test(swaptions study.cpp)
target_include_directories(program_swaptions PRIVATE "${PROJECT_SOURCE_DIR}/bench/characterisation" "${PROJECT_SOURCE_DIR}/bench/kernels")
target_compile_definitions(program_swaptions PRIVATE STUDY_PROGRAM=swaptions STUDY_SIZE=simmedium
  "STUDY_SOURCE=\"../characterisation/programs/swaptions.cpp\"")
