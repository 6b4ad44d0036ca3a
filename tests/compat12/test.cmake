# SPDX-License-Identifier: Apache-2.0
# The binary drop-in: clients compiled with oneTBB's headers of several versions (versions.toml), on both libraries.
if(TARGET compat12)
  set(compat12_cases clients_2021_1 clients_2023_2 lifetimes unloads isolation)
  if(NOT ASHLAR_SANITIZE)
    list(APPEND compat12_cases symbols imports layouts clients_2021_13 clients_2022_3 nothing one_process beside merged command costs
      wakes wheel abi)
  endif()
  foreach(case IN LISTS compat12_cases)
    add_test(NAME compat12.${case} COMMAND "${consume_python}" "${CMAKE_CURRENT_SOURCE_DIR}/compat12/run.py" ${case}
      --build "${PROJECT_BINARY_DIR}" --source "${PROJECT_SOURCE_DIR}" --work "${PROJECT_BINARY_DIR}/compat12"
      --sanitize "${ASHLAR_SANITIZE}")
    set_tests_properties(compat12.${case} PROPERTIES LABELS compat12 TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77
      RESOURCE_LOCK compat12 ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
  endforeach()
endif()
