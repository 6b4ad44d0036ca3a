# SPDX-License-Identifier: Apache-2.0
# The plugin that thread_test.cpp closes while a thread of it runs.
add_library(os_pinned_archive STATIC $<TARGET_OBJECTS:ashlar_base_objects> $<TARGET_OBJECTS:ashlar_os_objects>)
add_library(os_pinned_plugin MODULE "${CMAKE_CURRENT_SOURCE_DIR}/unit/os/plugin/pinned_plugin.cpp")
target_compile_features(os_pinned_plugin PRIVATE cxx_std_20)
target_include_directories(os_pinned_plugin PRIVATE ${test_include})
target_link_libraries(os_pinned_plugin PRIVATE ashlar_options os_pinned_archive ${CMAKE_DL_LIBS})
# A symbol of the kind STB_GNU_UNIQUE in the archive would keep the plugin mapped by itself.
target_link_options(os_pinned_plugin PRIVATE -Wl,--exclude-libs,ALL)
add_dependencies(${test_target} os_pinned_plugin)
target_compile_definitions(${test_target} PRIVATE ASHLAR_TEST_PLUGIN="$<TARGET_FILE:os_pinned_plugin>")
target_link_libraries(${test_target} PRIVATE ${CMAKE_DL_LIBS})
