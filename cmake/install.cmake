# SPDX-License-Identifier: Apache-2.0
# Install rules: headers, libraries with the links that -l needs, the CMake package TBB, pkg-config files.
include(CMakePackageConfigHelpers)

# The package answers with the version of TBB whose interface it has, because that is what programs ask for.
file(STRINGS "${PROJECT_SOURCE_DIR}/include/ashlar/base/interface.h" version_lines
  REGEX "define TBB_(VERSION_STRING|INTERFACE_VERSION) ")
foreach(line IN LISTS version_lines)  # the last definition is the default dialect's
  if(line MATCHES "TBB_VERSION_STRING \"([0-9.]+)\"")
    set(TBB_VERSION "${CMAKE_MATCH_1}")
  elseif(line MATCHES "TBB_INTERFACE_VERSION ([0-9]+)")
    set(TBB_INTERFACE_VERSION "${CMAKE_MATCH_1}")
  endif()
endforeach()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_BINARY_DIR}/forwarding/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

set(ASHLAR_INSTALLED_COMPONENTS "")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/TBB")
file(RELATIVE_PATH ASHLAR_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" ASHLAR_PC_PREFIX "${ASHLAR_PC_PREFIX}")
set(pc_text_tbb "a task-parallel runtime with the interface of TBB")
set(pc_text_tbbmalloc "the scalable memory allocator")
set(pc_text_tbbmalloc_proxy "the scalable memory allocator in place of malloc and new")
foreach(component IN ITEMS tbb tbbmalloc tbbmalloc_proxy)
  if(TARGET ${component})
    list(APPEND ASHLAR_INSTALLED_COMPONENTS ${component})
    set(ASHLAR_PC_TEXT "${pc_text_${component}}")
    configure_file(cmake/library.pc.in "${PROJECT_BINARY_DIR}/package/${component}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/package/${component}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
    foreach(suffix IN ITEMS "" _debug)
      if(TARGET ${component}${suffix})
        install(TARGETS ${component}${suffix} ${component}${suffix}_static
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" NAMELINK_SKIP
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
        install(FILES "$<TARGET_FILE_DIR:${component}${suffix}>/lib${component}${suffix}.so"
          DESTINATION "${CMAKE_INSTALL_LIBDIR}")
      endif()
    endforeach()
  endif()
endforeach()

configure_package_config_file(cmake/TBBConfig.cmake.in "${PROJECT_BINARY_DIR}/package/TBBConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/TBBConfigVersion.cmake"
  VERSION "${TBB_VERSION}" COMPATIBILITY AnyNewerVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/TBBConfig.cmake" "${PROJECT_BINARY_DIR}/package/TBBConfigVersion.cmake"
  DESTINATION "${package_dir}")

# gdb's script, where gdb looks for it by the library's place: it needs no configuration if the prefix is gdb's own (/usr),
# else two lines (docs/debugging.md). The prefix may be chosen when it is installed.
foreach(suffix IN ITEMS "" _debug)
  if(TARGET tbb${suffix})
    install(CODE "file(INSTALL \"${PROJECT_SOURCE_DIR}/debugger/ashlar_gdb.py\" TYPE FILE
      DESTINATION \"\${CMAKE_INSTALL_PREFIX}/share/gdb/auto-load\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\"
      RENAME \"libtbb-ashlar${suffix}.so.${PROJECT_VERSION}-gdb.py\")")
  endif()
endforeach()

# For valgrind's users (docs/debugging.md).
install(FILES "${PROJECT_SOURCE_DIR}/debugger/ashlar.supp" "${PROJECT_SOURCE_DIR}/debugger/ashlar_valgrind.cpp"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/ashlar")
