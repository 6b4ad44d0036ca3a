# SPDX-License-Identifier: Apache-2.0
# The binary drop-in: clients compiled with oneTBB's headers of several versions (versions.toml), on both libraries.
if(TARGET compat12)
  foreach(case IN ITEMS symbols imports layouts clients_2021_1 clients_2021_13 clients_2022_3 clients_2023_2 nothing lifetimes
      one_process merged command costs)
    add_test(NAME compat12.${case} COMMAND "${consume_python}" "${CMAKE_CURRENT_SOURCE_DIR}/compat12/run.py" ${case}
      --build "${PROJECT_BINARY_DIR}" --source "${PROJECT_SOURCE_DIR}" --work "${PROJECT_BINARY_DIR}/compat12")
    set_tests_properties(compat12.${case} PROPERTIES LABELS compat12 TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77
      RESOURCE_LOCK compat12 ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
  endforeach()
endif()
