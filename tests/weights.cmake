# SPDX-License-Identifier: Apache-2.0
# How many of CTest's slots a test takes. A processor has four (tools/dev.py passes -j accordingly, and two more): a test that computes takes
# them all, and one that sleeps most of its time takes one. Four of these share a processor, or two run beside as many computing ones as
# there are processors. Without weights a sleeping test keeps a processor idle.
set(slots_of_processor 4)

# What takes less than a third of its time on a processor, of those that take longer than five seconds.
set(sleeping_tests
  differ.verdict flow.flow_edge_turns sandbox.delayed_liveness sandbox.stress_liveness sandbox.unit_sched soak.memory_verdict
  stress.stress_alloc_handed_over stress.stress_liveness stress.stress_progress stress.stress_tasks
  unit.hang_silence unit.unit_sched unit.unit_sync)

# The tests of the folder that calls it, after the last of them. PROCESSORS is told in processors before.
function(ashlar_weigh_tests)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    get_test_property(${test} PROCESSORS processors)
    if(NOT processors)
      set(processors 1)
    endif()
    math(EXPR slots "${processors} * ${slots_of_processor}")
    if(test IN_LIST sleeping_tests)
      set(slots 1)
    endif()
    set_tests_properties(${test} PROPERTIES PROCESSORS ${slots})
  endforeach()
endfunction()
