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

  # The same with clang, whose sanitizer and code are others, where one that can do so is installed.
  find_program(clang_with_tsan NAMES clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14 clang++)
  if(clang_with_tsan AND NOT DEFINED CACHE{clang_tsan_works})
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/clang_tsan.cpp" "#include <coroutine>\nint main() {}\n")
    execute_process(COMMAND "${clang_with_tsan}" -std=c++20 -fsanitize=thread "${CMAKE_CURRENT_BINARY_DIR}/clang_tsan.cpp"
      -o "${CMAKE_CURRENT_BINARY_DIR}/clang_tsan" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(clang_tsan_works ON CACHE INTERNAL "")
    else()
      set(clang_tsan_works OFF CACHE INTERNAL "")
    endif()
  endif()
  if(clang_with_tsan AND clang_tsan_works)
    foreach(library IN ITEMS tbb tbb_static)
      set(programs "")
      foreach(program IN ITEMS correct racy)
        set(made "${CMAKE_CURRENT_BINARY_DIR}/tsan_clang_${program}_${library}")
        add_custom_command(OUTPUT "${made}" VERBATIM
          COMMAND "${clang_with_tsan}" -std=c++20 -fsanitize=thread -O1 -g1 "-I${PROJECT_SOURCE_DIR}/include"
            "-I${PROJECT_BINARY_DIR}/forwarding" -MD -MF "${made}.d" -MT "${made}" "${CMAKE_CURRENT_LIST_DIR}/${program}.cpp"
            -o "${made}" "$<TARGET_FILE:${library}>" "-Wl,-rpath,$<TARGET_FILE_DIR:tbb>" -pthread
          DEPENDS "${CMAKE_CURRENT_LIST_DIR}/${program}.cpp" ${library} DEPFILE "${made}.d")
        list(APPEND programs "${made}")
      endforeach()
      add_custom_target(tsan_clang_${library} ALL DEPENDS ${programs})
      add_dependencies(unit_tests tsan_clang_${library})
      add_test(NAME consume.tsan_clang_${library} COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/run.py" ${programs})
      set_tests_properties(consume.tsan_clang_${library} PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT ${test_timeout})
    endforeach()
  endif()
endif()
