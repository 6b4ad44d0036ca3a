# SPDX-License-Identifier: Apache-2.0
# A program with AddressSanitizer against the libraries as they are installed, without it: no report for a correct
# program, and an overflow of memory that the library has allocated is found.
if(NOT ASHLAR_SANITIZE AND TARGET tbb AND TARGET tbb_static)
  add_library(asan_user_correct OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_LIST_DIR}/correct.cpp")
  target_compile_options(asan_user_correct PRIVATE -fsanitize=address -O1 -g1)
  target_link_libraries(asan_user_correct PRIVATE tbb)
  foreach(library IN ITEMS tbb tbb_debug tbb_static)
    if(NOT TARGET ${library})
      continue()
    endif()
    set(name asan_user_correct_${library})
    add_executable(${name} $<TARGET_OBJECTS:asan_user_correct>)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_options(${name} PRIVATE -fsanitize=address)
    target_link_libraries(${name} PRIVATE ${library})
    add_dependencies(unit_tests ${name})
    add_test(NAME consume.asan_${library} COMMAND ${name})
    set_tests_properties(consume.asan_${library} PROPERTIES
      PASS_REGULAR_EXPRESSION "the end" FAIL_REGULAR_EXPRESSION "FAIL|Sanitizer|ignoring")
    add_test(NAME consume.asan_overflow_${library} COMMAND ${name} overflow)
    set_tests_properties(consume.asan_overflow_${library} PROPERTIES PASS_REGULAR_EXPRESSION "heap-buffer-overflow")
    set_tests_properties(consume.asan_${library} consume.asan_overflow_${library} PROPERTIES
      LABELS unit TIMEOUT ${test_timeout})
  endforeach()
endif()
