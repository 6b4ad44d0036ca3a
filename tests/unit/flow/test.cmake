# SPDX-License-Identifier: Apache-2.0
# Layouts are private.
set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/layout_test.cpp" PROPERTIES COMPILE_OPTIONS -fno-access-control)
