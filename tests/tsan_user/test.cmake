# SPDX-License-Identifier: Apache-2.0
# Programs with ThreadSanitizer against the libraries as they are installed, without it.
if(NOT ASHLAR_SANITIZE AND TARGET tbb AND TARGET tbb_static)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  foreach(library IN ITEMS tbb tbb_static)
    foreach(program IN ITEMS correct racy)
      set(name tsan_user_${program}_${library})
      add_executable(${name} "${CMAKE_CURRENT_LIST_DIR}/${program}.cpp")
      target_compile_features(${name} PRIVATE cxx_std_20)
      target_compile_options(${name} PRIVATE -fsanitize=thread -O1 -g1)
      target_link_options(${name} PRIVATE -fsanitize=thread)
      target_link_libraries(${name} PRIVATE ${library})
      add_dependencies(unit_tests ${name})
    endforeach()
    add_test(NAME consume.tsan_${library} COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/run.py"
      $<TARGET_FILE:tsan_user_correct_${library}> $<TARGET_FILE:tsan_user_racy_${library}>)
    set_tests_properties(consume.tsan_${library} PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout})
  endforeach()
endif()
