# SPDX-License-Identifier: Apache-2.0
# The library-independent parts of the kernels, compiled into their test.
set(kernels_dir "${PROJECT_SOURCE_DIR}/bench/kernels")
target_sources(${test_target} PRIVATE
  "${kernels_dir}/fibonacci/serial_fib.cpp"
  "${kernels_dir}/sub_string_finder/longest_match.cpp"
  "${kernels_dir}/ray_tracer/bvh.cpp"
  "${kernels_dir}/ray_tracer/scene_reader.cpp"
  "${kernels_dir}/ray_tracer/tracer.cpp")
target_include_directories(${test_target} PRIVATE "${kernels_dir}" "${PROJECT_SOURCE_DIR}/bench/harness/include")
target_compile_definitions(${test_target} PRIVATE KERNEL_SCENES="${kernels_dir}/ray_tracer/scenes")
# Without libpng the tests of the picture file are left out, as the ray tracer itself would be.
find_package(PNG QUIET)
if(PNG_FOUND)
  target_sources(${test_target} PRIVATE "${kernels_dir}/ray_tracer/image.cpp")
  target_link_libraries(${test_target} PRIVATE PNG::PNG)
  target_compile_definitions(${test_target} PRIVATE KERNEL_PNG=1)
endif()
