# SPDX-License-Identifier: Apache-2.0
# The checkers of tools/ as tests. One whose own tool is missing exits with 77 and shows as skipped.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

function(style_test name)
  add_test(NAME style.${name} COMMAND Python3::Interpreter ${ARGN})
  set_tests_properties(style.${name} PROPERTIES LABELS style TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77)
endfunction()

style_test(layers "${PROJECT_SOURCE_DIR}/tools/check_layers.py")
style_test(orders "${PROJECT_SOURCE_DIR}/tools/check_orders.py")
style_test(ticks "${PROJECT_SOURCE_DIR}/tools/check_ticks.py")
style_test(forks "${PROJECT_SOURCE_DIR}/tools/check_forks.py")
style_test(environment "${PROJECT_SOURCE_DIR}/tools/check_environment.py")
style_test(budget "${PROJECT_SOURCE_DIR}/tools/check_budget.py")
style_test(functions "${PROJECT_SOURCE_DIR}/tools/check_budget.py" --functions)
style_test(header_cost "${PROJECT_SOURCE_DIR}/tools/check_budget.py" --headers g++)
style_test(checkers "${CMAKE_CURRENT_SOURCE_DIR}/style/checkers_test.py")
style_test(samples "${PROJECT_SOURCE_DIR}/docs/site/samples.py")
if(NOT ASHLAR_SANITIZE)
  style_test(named_tests "${PROJECT_SOURCE_DIR}/docs/site/named_tests.py" "${PROJECT_BINARY_DIR}")
endif()
style_test(figures "${PROJECT_SOURCE_DIR}/tools/figures.py" --check)
style_test(figures_tool "${CMAKE_CURRENT_SOURCE_DIR}/style/figures_test.py")
