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

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)
install(DIRECTORY "${PROJECT_BINARY_DIR}/forwarding/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)

# Where the linker's names (libtbb.so, libtbb.a) and the packages of the name TBB lie: a folder of its own lets them stand beside
# another TBB below the same prefix. What has our name (libtbb-ashlar.so.0, find_package(ashlar), pkg-config ashlar) is never in the way.
set(ASHLAR_LINKDIR "${CMAKE_INSTALL_LIBDIR}" CACHE STRING "Folder below the prefix of libtbb.so, libtbb.a, cmake/TBB, pkgconfig/tbb.pc")
set(ASHLAR_INSTALLED_COMPONENTS "")
file(RELATIVE_PATH ASHLAR_PC_PREFIX "/${ASHLAR_LINKDIR}/pkgconfig" "/")
file(RELATIVE_PATH ASHLAR_OWN_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" ASHLAR_OWN_PC_PREFIX "${ASHLAR_OWN_PC_PREFIX}")
file(RELATIVE_PATH libraries_from_links "/${ASHLAR_LINKDIR}" "/${CMAKE_INSTALL_LIBDIR}")
if(libraries_from_links AND NOT libraries_from_links MATCHES "/$")
  string(APPEND libraries_from_links "/")
endif()
string(REGEX REPLACE "/$" "" ASHLAR_PC_PREFIX "${ASHLAR_PC_PREFIX}")
set(pc_text_tbb "a task-parallel runtime with the interface of TBB")
set(pc_text_tbbmalloc "the scalable memory allocator")
set(pc_text_tbbmalloc_proxy "the scalable memory allocator in place of malloc and new")
foreach(component IN ITEMS tbb tbbmalloc tbbmalloc_proxy)
  if(TARGET ${component})
    list(APPEND ASHLAR_INSTALLED_COMPONENTS ${component})
    set(ASHLAR_PC_TEXT "${pc_text_${component}}")
    configure_file(cmake/library.pc.in "${PROJECT_BINARY_DIR}/package/${component}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/package/${component}.pc" DESTINATION "${ASHLAR_LINKDIR}/pkgconfig" COMPONENT dev)
    foreach(suffix IN ITEMS "" _debug)
      if(TARGET ${component}${suffix})
        install(TARGETS ${component}${suffix} ${component}${suffix}_static EXPORT ashlar
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_SKIP
          ARCHIVE DESTINATION "${ASHLAR_LINKDIR}" COMPONENT dev)
        install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${ASHLAR_LINKDIR}\")
          file(CREATE_LINK \"${libraries_from_links}$<TARGET_SONAME_FILE_NAME:${component}${suffix}>\"
            \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${ASHLAR_LINKDIR}/lib${component}${suffix}.so\" SYMBOLIC)
          list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_PREFIX}/${ASHLAR_LINKDIR}/lib${component}${suffix}.so\")"
          COMPONENT dev)
      endif()
    endforeach()
  endif()
endforeach()

# For projects that have this one as a folder: what they install with install(EXPORT) names our libraries TBB::tbb ..., which they find by
# find_dependency(TBB). The file itself is not needed: TBBConfig.cmake makes the targets, of whatever is there.
install(EXPORT ashlar NAMESPACE TBB:: DESTINATION "${ASHLAR_LINKDIR}/cmake/TBB" EXCLUDE_FROM_ALL)

# ashlar_package(name version folder): the CMake package of that name, with targets name::tbb ...
function(ashlar_package ASHLAR_PACKAGE ASHLAR_PACKAGE_VERSION folder)
  configure_package_config_file(cmake/TBBConfig.cmake.in "${PROJECT_BINARY_DIR}/package/${ASHLAR_PACKAGE}Config.cmake"
    INSTALL_DESTINATION "${folder}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_DATADIR ASHLAR_LINKDIR)
  configure_file(cmake/TBBConfigVersion.cmake.in "${PROJECT_BINARY_DIR}/package/${ASHLAR_PACKAGE}ConfigVersion.cmake" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/package/${ASHLAR_PACKAGE}Config.cmake"
    "${PROJECT_BINARY_DIR}/package/${ASHLAR_PACKAGE}ConfigVersion.cmake" DESTINATION "${folder}" COMPONENT dev)
endfunction()
ashlar_package(TBB "${TBB_VERSION}" "${ASHLAR_LINKDIR}/cmake/TBB")
ashlar_package(ashlar "${PROJECT_VERSION}" "${CMAKE_INSTALL_LIBDIR}/cmake/ashlar")
configure_file(cmake/ashlar.pc.in "${PROJECT_BINARY_DIR}/package/ashlar.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/package/ashlar.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

# What TBB::parallel_scheduler compiles.
install(FILES "${PROJECT_SOURCE_DIR}/src/execution/parallel_scheduler.cpp" DESTINATION "${CMAKE_INSTALL_DATADIR}/ashlar" COMPONENT dev)

# For users of gdb and valgrind (docs/debugging.md).
install(FILES "${PROJECT_SOURCE_DIR}/debugger/ashlar_gdb.py" "${PROJECT_SOURCE_DIR}/debugger/ashlar.supp"
  "${PROJECT_SOURCE_DIR}/debugger/ashlar_valgrind.cpp" DESTINATION "${CMAKE_INSTALL_DATADIR}/ashlar" COMPONENT dev)
# gdb finds a script by itself at a path that holds the library's own. That path is known for distributions only: any other
# installation may be moved.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  foreach(suffix IN ITEMS "" _debug)
    if(TARGET tbb${suffix})
      install(FILES "${PROJECT_SOURCE_DIR}/debugger/ashlar_gdb.py" RENAME "libtbb-ashlar${suffix}.so.${PROJECT_VERSION}-gdb.py"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/gdb/auto-load/usr/${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
    endif()
  endforeach()
endif()

if(PROJECT_IS_TOP_LEVEL)
  # Removes what the last installation from this build folder has written.
  add_custom_target(uninstall VERBATIM COMMAND ${CMAKE_COMMAND} -P "${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake"
    "${PROJECT_BINARY_DIR}/install_manifest.txt")
  set(CPACK_PACKAGE_NAME ashlar)
  set(CPACK_GENERATOR TGZ)
  set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
  set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
  include(CPack)
endif()
