# SPDX-License-Identifier: Apache-2.0
# Golden instruction counts; skipped visibly where g++ 12 or valgrind is missing.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
add_test(NAME golden.scheduler COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/golden.py")
set_tests_properties(golden.scheduler PROPERTIES LABELS "style;golden" TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77 RUN_SERIAL TRUE)
