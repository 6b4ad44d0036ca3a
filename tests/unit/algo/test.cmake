# SPDX-License-Identifier: Apache-2.0
# Only a trap shows that an index was computed with a signed overflow.
set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/index_limits_test.cpp" PROPERTIES
                            COMPILE_OPTIONS "-fsanitize=signed-integer-overflow,shift;-fsanitize-undefined-trap-on-error")
