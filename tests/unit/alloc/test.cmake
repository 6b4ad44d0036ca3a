# SPDX-License-Identifier: Apache-2.0
# The allocators of libtbb find scalable_malloc in the program, so its symbols have to be visible.
if(TARGET tbb_static)
  target_link_libraries(unit_alloc PRIVATE tbb_static)
endif()
set_target_properties(unit_alloc PROPERTIES ENABLE_EXPORTS ON)

add_test(NAME unit.alloc_header_in_c
  COMMAND cc -std=c99 -pedantic-errors -Wall -Werror -fsyntax-only -I ${PROJECT_SOURCE_DIR}/include -x c
    ${PROJECT_SOURCE_DIR}/include/tbb/scalable_allocator.h ${PROJECT_SOURCE_DIR}/include/ashlar/alloc/malloc_stats.h)
set_tests_properties(unit.alloc_header_in_c PROPERTIES LABELS unit)

# A C program on the shared library, and one that loads and closes it.
if(TARGET tbbmalloc AND NOT ASHLAR_SANITIZE)
  add_test(NAME unit.alloc_in_c
    COMMAND sh -c "folder=$(mktemp -d) && trap 'rm -rf \"$folder\"' EXIT && \
      cc -std=c99 -pedantic-errors -Wall -Wextra -Werror -I '${PROJECT_SOURCE_DIR}/include' -o \"$folder/pure\" \
      '${CMAKE_CURRENT_LIST_DIR}/linked/pure.c' '$<TARGET_FILE:tbbmalloc>' -Wl,-rpath,'$<TARGET_FILE_DIR:tbbmalloc>' && \
      \"$folder/pure\"")
  add_executable(alloc_unloaded "${CMAKE_CURRENT_LIST_DIR}/linked/unloaded.cpp")
  target_link_libraries(alloc_unloaded PRIVATE ashlar_options Threads::Threads)
  add_test(NAME unit.alloc_unloaded COMMAND alloc_unloaded $<TARGET_FILE:tbbmalloc>)
  set_tests_properties(unit.alloc_in_c unit.alloc_unloaded PROPERTIES LABELS unit)
endif()

if(TARGET tbb AND TARGET tbbmalloc AND NOT ASHLAR_SANITIZE)
  add_executable(alloc_binding "${CMAKE_CURRENT_LIST_DIR}/linked/binding.cpp")
  target_link_libraries(alloc_binding PRIVATE ashlar_options tbb Threads::Threads)
  set_target_properties(alloc_binding PROPERTIES SKIP_BUILD_RPATH ON)
  add_test(NAME unit.alloc_binding
    COMMAND "${CMAKE_CURRENT_LIST_DIR}/linked/binding.sh" $<TARGET_FILE:alloc_binding>
      $<TARGET_FILE:tbb> $<TARGET_SONAME_FILE_NAME:tbb> $<TARGET_FILE:tbbmalloc> $<TARGET_SONAME_FILE_NAME:tbbmalloc>)
  set_tests_properties(unit.alloc_binding PROPERTIES LABELS unit)
endif()

# The library loads the allocator while malloc fails; a program with other rights than its caller reads no variables.
if(TARGET tbb AND TARGET tbbmalloc AND NOT ASHLAR_SANITIZE)
  foreach(program IN ITEMS half_loaded privileged)
    add_executable(alloc_${program} "${CMAKE_CURRENT_LIST_DIR}/linked/${program}.cpp")
    target_link_libraries(alloc_${program} PRIVATE ashlar_options tbb Threads::Threads)
    target_include_directories(alloc_${program} PRIVATE ${test_include})
  endforeach()
  target_link_libraries(alloc_privileged PRIVATE tbbmalloc)
  add_dependencies(alloc_half_loaded tbbmalloc)
  add_test(NAME unit.alloc_half_loaded COMMAND alloc_half_loaded)
  add_test(NAME unit.alloc_privileged
    COMMAND "${CMAKE_CURRENT_LIST_DIR}/linked/privileged.sh" $<TARGET_FILE:alloc_privileged>)
  set_tests_properties(unit.alloc_half_loaded unit.alloc_privileged PROPERTIES LABELS unit SKIP_RETURN_CODE 77)
endif()

# The sanitizers replace malloc themselves.
if(TARGET tbbmalloc_proxy AND NOT ASHLAR_SANITIZE)
  add_library(alloc_own_free_library SHARED "${CMAKE_CURRENT_LIST_DIR}/proxy/own_free_library.cpp")
  target_link_libraries(alloc_own_free_library PRIVATE ashlar_options ${CMAKE_DL_LIBS})
  add_executable(alloc_own_free "${CMAKE_CURRENT_LIST_DIR}/proxy/own_free.cpp")
  target_link_libraries(alloc_own_free PRIVATE ashlar_options alloc_own_free_library)
  add_test(NAME unit.alloc_own_free COMMAND alloc_own_free)
  set_tests_properties(unit.alloc_own_free PROPERTIES LABELS unit
    ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:tbbmalloc_proxy>")
  add_executable(alloc_replaced "${CMAKE_CURRENT_LIST_DIR}/proxy/replaced.cpp")
  target_link_libraries(alloc_replaced PRIVATE ashlar_options tbbmalloc_proxy tbbmalloc Threads::Threads)
  target_include_directories(alloc_replaced PRIVATE ${test_include})
  add_test(NAME unit.alloc_replaced COMMAND alloc_replaced)
  add_test(NAME stress.alloc_programs
    COMMAND "${CMAKE_CURRENT_LIST_DIR}/proxy/programs.sh" $<TARGET_FILE:tbbmalloc_proxy>
      "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/include")
  set_tests_properties(unit.alloc_replaced PROPERTIES LABELS unit)
  set_tests_properties(stress.alloc_programs PROPERTIES LABELS stress SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout})
endif()

# The hardened build of the allocator is always tested, whatever the build's own option says; under the sanitizers it is
# not, because their handlers catch the faults first.
if(TARGET tbbmalloc AND NOT ASHLAR_SANITIZE)
  file(GLOB allocator_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/alloc/*.cpp")
  add_library(alloc_hardened STATIC EXCLUDE_FROM_ALL ${allocator_sources})
  ashlar_together(alloc_hardened ${allocator_sources})
  target_link_libraries(alloc_hardened PRIVATE ashlar_options)
  target_compile_features(alloc_hardened PRIVATE cxx_std_20)
  target_include_directories(alloc_hardened PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  target_compile_definitions(alloc_hardened PRIVATE
    ASHLAR_MALLOC_HARDENED "ASHLAR_VERSION=\"${ASHLAR_VERSION}\"")
  set(here "${CMAKE_CURRENT_LIST_DIR}")
  ashlar_test(unit_alloc_hardened unit
    ${here}/hardened/hardened.cpp ${here}/c_api_test.cpp ${here}/limits_test.cpp ${here}/misuse_test.cpp)
  ashlar_test(stress_alloc_shadow_hardened stress "${PROJECT_SOURCE_DIR}/tests/stress/alloc_shadow.cpp")
  ashlar_test(stress_alloc_mistakes_hardened stress "${PROJECT_SOURCE_DIR}/tests/stress/alloc_mistakes.cpp")
  foreach(program IN ITEMS unit_alloc_hardened stress_alloc_shadow_hardened stress_alloc_mistakes_hardened)
    target_link_libraries(${program} PRIVATE alloc_hardened)
    target_compile_definitions(${program} PRIVATE ASHLAR_MALLOC_HARDENED)
  endforeach()
  add_dependencies(unit_tests unit_alloc_hardened)
  add_dependencies(stress_tests stress_alloc_shadow_hardened stress_alloc_mistakes_hardened)
endif()

# Kernels whose pages are longer than 4 KiB: the system's calls are wrapped, which wants static libraries.
if(TARGET tbb_static AND TARGET tbbmalloc_static AND TARGET alloc_hardened)
  foreach(build IN ITEMS ordinary hardened)
    set(program alloc_kernel_pages_${build})
    add_executable(${program}
      "${CMAKE_CURRENT_LIST_DIR}/kernel_pages/objects.cpp" "${CMAKE_CURRENT_LIST_DIR}/kernel_pages/kernel.cpp")
    target_link_libraries(${program} PRIVATE ashlar_options Threads::Threads ${CMAKE_DL_LIBS})
    foreach(function IN ITEMS mmap munmap madvise mprotect mremap sysconf)
      target_link_options(${program} PRIVATE -Wl,--wrap=${function})
    endforeach()
    set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON)
    add_dependencies(unit_tests ${program})
    add_test(NAME unit.${program}
      COMMAND sh -c "folder=$(mktemp -d) && trap 'rm -rf \"$folder\"' EXIT && for bytes in 4096 16384 65536; do \
        KERNEL_PAGE=$bytes ASHLAR_TRACE=\"$folder/trace\" '$<TARGET_FILE:${program}>' || exit 1; done")
    set_tests_properties(unit.${program} PROPERTIES LABELS unit)
  endforeach()
  target_compile_definitions(alloc_kernel_pages_ordinary PRIVATE WITH_TASKS)
  target_link_libraries(alloc_kernel_pages_ordinary PRIVATE tbb_static tbbmalloc_static)
  target_include_directories(alloc_kernel_pages_hardened PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(alloc_kernel_pages_hardened PRIVATE alloc_hardened)

  add_executable(alloc_descriptor_places "${CMAKE_CURRENT_LIST_DIR}/descriptor_places/objects.cpp")
  target_link_libraries(alloc_descriptor_places PRIVATE ashlar_options tbbmalloc_static Threads::Threads)
  target_link_options(alloc_descriptor_places PRIVATE -Wl,--wrap=mmap)
  add_dependencies(unit_tests alloc_descriptor_places)
  add_test(NAME unit.alloc_descriptor_places
    COMMAND sh -c "for before in 0 4096 8192 12288 16384 20480 24576 28672 32768 36864 40960 45056 49152 53248 57344 61440; do \
      '$<TARGET_FILE:alloc_descriptor_places>' $before || exit 1; done")
  set_tests_properties(unit.alloc_descriptor_places PROPERTIES LABELS unit)
endif()
