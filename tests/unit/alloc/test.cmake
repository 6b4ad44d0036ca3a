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

# The sanitizers replace malloc themselves.
if(TARGET tbbmalloc_proxy AND NOT ASHLAR_SANITIZE)
  add_executable(alloc_replaced "${CMAKE_CURRENT_LIST_DIR}/proxy/replaced.cpp")
  target_link_libraries(alloc_replaced PRIVATE ashlar_options tbbmalloc_proxy tbbmalloc Threads::Threads)
  add_test(NAME unit.alloc_replaced COMMAND alloc_replaced)
  add_test(NAME stress.alloc_programs
    COMMAND "${CMAKE_CURRENT_LIST_DIR}/proxy/programs.sh" $<TARGET_FILE:tbbmalloc_proxy>
      "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/include")
  set_tests_properties(unit.alloc_replaced PROPERTIES LABELS unit)
  set_tests_properties(stress.alloc_programs PROPERTIES LABELS stress SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
