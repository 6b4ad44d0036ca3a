# SPDX-License-Identifier: Apache-2.0
# The binary drop-in: libtbb.so.12 and libtbbmalloc{,_proxy}.so.2 for programs that were compiled against oneTBB. A folder
# and an install component of their own, never beside libtbb.so: whoever has the folder in the loader's path runs on us.

set(compat12_folder "ashlar-compat")
file(GLOB compat12_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/compat12/*.cpp")

add_library(compat12_objects OBJECT ${compat12_sources})
ashlar_alone(${compat12_sources})
target_link_libraries(compat12_objects PRIVATE ashlar_options Threads::Threads)
target_compile_features(compat12_objects PRIVATE cxx_std_20)
set_target_properties(compat12_objects PROPERTIES
  POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
# The installed headers only, as any other client of the library; offsets are asked of the contract's polymorphic types.
target_include_directories(compat12_objects PRIVATE "${PROJECT_SOURCE_DIR}/include")
target_compile_options(compat12_objects PRIVATE -fno-plt -Wno-invalid-offsetof)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(compat12_objects PRIVATE -O2)
endif()

# Where the libraries look for the runtime. The folder above, as installed, and their own, for copies and links of both. A link to one of
# them alone, from any folder, has nothing beside it, for the loader goes by the link's place: hence the place that is configured. Where
# an installation goes elsewhere (cmake --install --prefix), which may be a stage on the way, that place is taken out again.
set(compat12_rpath "$ORIGIN/..;$ORIGIN")
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")  # whose folder the loader asks by itself
  list(APPEND compat12_rpath "${CMAKE_INSTALL_FULL_LIBDIR}")
endif()

# compat12_library(TARGET name FILE libx.so.N SOURCES ... NEEDS library): FILE, which loads the library beside its folder.
function(compat12_library target)
  cmake_parse_arguments(arg "" "FILE;NEEDS;MAP" "SOURCES" ${ARGN})
  add_library(${target} SHARED ${arg_SOURCES})
  string(REGEX REPLACE "^lib(.*)[.]so[.][0-9]+$" "\\1" name "${arg_FILE}")
  string(REGEX REPLACE "^.*[.]so[.]([0-9]+)$" "\\1" major "${arg_FILE}")
  set_target_properties(${target} PROPERTIES OUTPUT_NAME "${name}" SOVERSION "${major}" LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${compat12_folder}" INSTALL_RPATH "${compat12_rpath}"
    # The run path as installed, in the build tree too: the libraries lie in the same places there.
    BUILD_WITH_INSTALL_RPATH ON)
  target_link_libraries(${target} PRIVATE ashlar_options Threads::Threads -Wl,--no-as-needed ${arg_NEEDS})
  target_link_options(${target} PRIVATE -Wl,-z,nodelete)
  if(NOT ASHLAR_SANITIZE)  # whose runtime comes with the program
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  if(arg_MAP)
    target_link_options(${target} PRIVATE "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/${arg_MAP}")
    set_target_properties(${target} PROPERTIES LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/${arg_MAP}")
  endif()
  if(ASHLAR_INSTALL)
    install(TARGETS ${target} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/${compat12_folder}" NAMELINK_SKIP
      COMPONENT compat12)
    string(REPLACE ";" ":" linked "${compat12_rpath}")
    install(CODE "if(NOT CMAKE_INSTALL_PREFIX STREQUAL \"${CMAKE_INSTALL_PREFIX}\")
        file(RPATH_CHANGE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/${compat12_folder}/${arg_FILE}\"
          OLD_RPATH \"${linked}\" NEW_RPATH \"\$ORIGIN/..:\$ORIGIN\")
      endif()" COMPONENT compat12)
  endif()
  add_dependencies(compat12 ${target})
endfunction()

add_custom_target(compat12)
file(WRITE "${PROJECT_BINARY_DIR}/compat12_empty.cpp" "")
foreach(suffix IN ITEMS "" _debug)
  compat12_library(compat12_tbb${suffix} FILE libtbb${suffix}.so.12 NEEDS tbb MAP tbb12.map
    SOURCES $<TARGET_OBJECTS:compat12_objects>)
  # All that programs look for is in the library that it needs.
  compat12_library(compat12_tbbmalloc${suffix} FILE libtbbmalloc${suffix}.so.2 NEEDS tbbmalloc
    SOURCES "${PROJECT_BINARY_DIR}/compat12_empty.cpp")
  if(NOT TARGET ashlar_alloc_proxy_objects)
    continue()
  endif()
  # Not so here: the loader looks into libc before it looks into what this one needs.
  compat12_library(compat12_tbbmalloc_proxy${suffix} FILE libtbbmalloc_proxy${suffix}.so.2 NEEDS tbbmalloc
    MAP tbbmalloc_proxy.map SOURCES $<TARGET_OBJECTS:ashlar_alloc_proxy_objects>)
endforeach()
