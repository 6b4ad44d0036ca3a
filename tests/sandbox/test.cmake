# SPDX-License-Identifier: Apache-2.0
# Programs on a poorer system: no task is lost there. Where such a system can't be made, its test is skipped and says so.
if(NOT ASHLAR_SANITIZE)
  set(sandbox_sources "${CMAKE_CURRENT_SOURCE_DIR}/sandbox")
  add_executable(sandbox "${sandbox_sources}/sandbox.cpp")
  target_compile_features(sandbox PRIVATE cxx_std_20)
  target_link_libraries(sandbox PRIVATE ashlar_options)
  foreach(weather IN ITEMS storm clock_jumps delays)
    add_library(${weather} MODULE "${sandbox_sources}/${weather}.cpp")
    target_compile_features(${weather} PRIVATE cxx_std_20)
    target_link_libraries(${weather} PRIVATE ashlar_options Threads::Threads ${CMAKE_DL_LIBS})
  endforeach()
  find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

  # sandbox_test(name conditions program arguments...)
  function(sandbox_test name conditions)
    add_test(NAME sandbox.${name} COMMAND sandbox "${conditions}" ${ARGN})
    set_tests_properties(sandbox.${name} PROPERTIES LABELS stress TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77)
  endfunction()

  # The scheduler's tests where the system has no heavy fence: its protocols then make full ones.
  foreach(program IN ITEMS stress_liveness stress_scheduler stress_locks unit_sched)
    sandbox_test(${program} no-membarrier $<TARGET_FILE:${program}>)
  endforeach()

  # With delays of up to milliseconds between the steps of the scheduler's protocols.
  foreach(program IN ITEMS many_threads liveness)
    sandbox_test(delayed_${program} preload=$<TARGET_FILE:delays> $<TARGET_FILE:stress_${program}>)
  endforeach()

  # sandbox_script(name arguments...): name.py, which a poorer system may skip.
  function(sandbox_script name)
    add_test(NAME sandbox.${name} COMMAND Python3::Interpreter ${ARGN})
    set_tests_properties(sandbox.${name} PROPERTIES LABELS stress TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77)
  endfunction()
  sandbox_script(conditions "${sandbox_sources}/conditions_test.py" $<TARGET_FILE:sandbox> $<TARGET_FILE:storm> $<TARGET_FILE:clock_jumps>)

  # Random programs under each condition.
  if(TARGET soak)
    foreach(name IN ITEMS no-memfd no-proc no-sys one-cpu pauses storm clock_jumps delays)
      set(condition ${name})
      if(TARGET ${name})
        set(condition preload=$<TARGET_FILE:${name}>)
      endif()
      sandbox_script(${name} "${CMAKE_CURRENT_SOURCE_DIR}/soak/soak.py" $<TARGET_FILE:soak> --seconds 2
                     --inside "$<TARGET_FILE:sandbox> ${condition}")
    endforeach()
    sandbox_script(set_uid "${sandbox_sources}/set_uid_test.py" $<TARGET_FILE:soak>)
    if(ASHLAR_BUILD_SIM)
      sandbox_script(disk "${sandbox_sources}/disk_test.py" $<TARGET_FILE:sandbox> $<TARGET_FILE:storm> $<TARGET_FILE:soak>
                     $<TARGET_FILE:ashlar-sim>)
    endif()
  endif()
endif()
