# SPDX-License-Identifier: Apache-2.0
# Arenas as schedulers of std::execution, with each implementation that there is (cmake/senders.cmake).
file(GLOB senders_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*_test.cpp")

# The target of all that is there.
add_custom_target(senders_tests)

# senders_tests(name checkout header standard): the tests with one implementation; a test that is skipped without it.
function(senders_tests name checkout header standard)
  set(missing "")
  if(NOT EXISTS "${checkout}/include/${header}")
    set(missing "there is no ${header}: name a checkout")
  else()
    set(CMAKE_REQUIRED_INCLUDES "${checkout}/include")
    set(CMAKE_CXX_STANDARD ${standard})
    check_cxx_source_compiles("#include <${header}>\nint main() {}" senders_${name}_compiles)
    if(NOT senders_${name}_compiles)
      set(missing "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} does not compile ${header}")
    endif()
  endif()
  if(missing)
    add_test(NAME senders.senders_${name} COMMAND sh -c "echo 'SKIPPED: ${missing}' && exit 77")
    set_tests_properties(senders.senders_${name} PROPERTIES LABELS senders SKIP_RETURN_CODE 77)
    return()
  endif()
  foreach(program IN ITEMS senders_${name} senders_backend_${name})
    if(program MATCHES backend)
      ashlar_test(${program} senders "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/backend/parallel_scheduler_test.cpp"
        "${PROJECT_SOURCE_DIR}/src/execution/parallel_scheduler.cpp")
    else()
      ashlar_test(${program} senders ${senders_sources})
    endif()
    target_include_directories(${program} SYSTEM PRIVATE "${checkout}/include")
    target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}/tests/senders")
    target_link_libraries(${program} PRIVATE tbb_static)
    add_dependencies(senders_tests ${program})
    target_compile_features(${program} PRIVATE cxx_std_${standard})
    if(name STREQUAL "beman")
      target_compile_definitions(${program} PRIVATE SENDERS_OF_BEMAN=1)
    endif()
  endforeach()
endfunction()
include(CheckCXXSourceCompiles)
senders_tests(stdexec "${ASHLAR_STDEXEC}" stdexec/execution.hpp 20)
senders_tests(beman "${ASHLAR_BEMAN}" beman/execution/execution.hpp 23)

if(Python3_FOUND)
  add_test(NAME senders.refusals COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/refusals.py" "${PROJECT_SOURCE_DIR}/include")
  set_tests_properties(senders.refusals PROPERTIES LABELS senders TIMEOUT ${test_timeout} ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
endif()

# The implementations' own tests of schedulers, with ours.
if(Python3_FOUND AND NOT ASHLAR_SANITIZE)
  foreach(implementation IN ITEMS stdexec beman)
    string(TOUPPER "ASHLAR_${implementation}" checkout)
    add_test(NAME senders.outside_${implementation} COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/outside/outside.py" ${implementation}
      "${${checkout}}" "${PROJECT_SOURCE_DIR}" $<TARGET_FILE:tbb_static> $<TARGET_FILE:test_support> "${PROJECT_BINARY_DIR}/outside_${implementation}")
    set_tests_properties(senders.outside_${implementation} PROPERTIES LABELS senders TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77 PROCESSORS 2
      ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
  endforeach()
endif()
