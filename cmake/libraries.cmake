# SPDX-License-Identifier: Apache-2.0
# The libraries. Each layer is compiled once, position-independent, and both the shared and the static library
# are made of its objects.
#
# The file names carry our own soname (libtbb-ashlar.so.0), so that a foreign libtbb.so.12 can live in the same
# process; libtbb.so is a link for the linker.

# ashlar_library(NAME tbb [DEBUG] EXPORTS <version script> FOLDERS <folders below src> [LAST <sources below src>])
# defines NAME (shared, alias TBB::NAME) and NAME_static (alias TBB::NAME_static); with DEBUG, assertions are on. The
# sources of LAST are linked last: their tables are large and touched in few places, and what lies between tables costs
# each process a page of memory of its own.
function(ashlar_library)
  cmake_parse_arguments(arg "DEBUG" "NAME;EXPORTS" "FOLDERS;LAST" ${ARGN})
  set(name ${arg_NAME})
  set(suffix "")
  if(arg_DEBUG)
    set(suffix "_debug")
  endif()
  set(objects "")
  foreach(folder IN LISTS arg_FOLDERS)
    ashlar_layer_sources(${folder} sources)
    set(last_here ${arg_LAST})
    list(FILTER last_here INCLUDE REGEX "^${folder}/")
    foreach(last IN LISTS last_here)
      list(FILTER sources EXCLUDE REGEX "/src/${last}$")
      list(APPEND sources "${PROJECT_SOURCE_DIR}/src/${last}")
    endforeach()
    set(layer ashlar_${folder}${suffix}_objects)
    add_library(${layer} OBJECT ${sources})
    target_link_libraries(${layer} PRIVATE ashlar_options Threads::Threads)
    target_compile_features(${layer} PRIVATE cxx_std_20)
    set_target_properties(${layer} PROPERTIES
      POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_include_directories(${layer} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
    target_compile_definitions(${layer} PRIVATE "ASHLAR_VERSION=\"${ASHLAR_VERSION}\"")
    if(ASHLAR_SANITIZE OR arg_DEBUG)
      ashlar_together(${layer} ${sources})
    else()
      ashlar_alone(${sources})
    endif()
    if(arg_DEBUG)
      target_compile_definitions(${layer} PRIVATE TBB_USE_DEBUG=1)
      target_compile_options(${layer} PRIVATE -O1 -g)
    elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT ASHLAR_SANITIZE)
      target_compile_options(${layer} PRIVATE -O2)
    endif()
    list(APPEND objects $<TARGET_OBJECTS:${layer}>)
  endforeach()

  add_library(${name}${suffix} SHARED ${objects})
  # nodelete: worker threads and thread-exit hooks may outlive the dlclose of the plugin that brought us in.
  target_link_options(${name}${suffix} PRIVATE
    -Wl,-z,nodelete "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/${arg_EXPORTS}")
  if(NOT ASHLAR_SANITIZE)
    target_link_options(${name}${suffix} PRIVATE -Wl,--no-undefined)
  endif()
  set_target_properties(${name}${suffix} PROPERTIES
    OUTPUT_NAME "${name}-ashlar${suffix}" VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LINKER_LANGUAGE CXX LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/${arg_EXPORTS}")
  add_custom_command(TARGET ${name}${suffix} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E create_symlink
      $<TARGET_SONAME_FILE_NAME:${name}${suffix}> $<TARGET_FILE_DIR:${name}${suffix}>/lib${name}${suffix}.so)

  add_library(${name}${suffix}_static STATIC ${objects})
  set_target_properties(${name}${suffix}_static PROPERTIES OUTPUT_NAME "${name}${suffix}" LINKER_LANGUAGE CXX)

  foreach(target IN ITEMS ${name}${suffix} ${name}${suffix}_static)
    # Targets of another project that are exported may link these, so what is only true here is kept out of what they export.
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>")
    target_include_directories(${target} SYSTEM INTERFACE "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/forwarding>")
    target_compile_features(${target} INTERFACE cxx_std_17)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:ashlar_options> INTERFACE Threads::Threads)
    if(arg_DEBUG)
      target_compile_definitions(${target} INTERFACE TBB_USE_DEBUG=1)
    endif()
  endforeach()
  # As a folder of another project, TBB::tbb is what that project's BUILD_SHARED_LIBS asks for. A replacement of malloc is shared always.
  # Both kinds are built and installed nevertheless: what is installed is the same in all cases, and the objects are compiled once.
  set(wanted ${name}${suffix})
  if(NOT PROJECT_IS_TOP_LEVEL AND DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS AND NOT name STREQUAL "tbbmalloc_proxy")
    set(wanted ${name}${suffix}_static)
  endif()
  foreach(namespace IN ITEMS TBB ashlar)
    add_library(${namespace}::${name}${suffix} ALIAS ${wanted})
    add_library(${namespace}::${name}${suffix}_static ALIAS ${name}${suffix}_static)
  endforeach()
endfunction()

if(PROJECT_IS_TOP_LEVEL AND DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  message(NOTICE "Ashlar: BUILD_SHARED_LIBS=OFF changes nothing here: both kinds are built and installed, and a project links TBB::tbb_static")
endif()

# In the order that they are linked in: large tables first, so that what every program touches shares two pages.
set(tbb_folders base containers os obs sync sched algo flow)
ashlar_library(NAME tbb EXPORTS tbb.map FOLDERS ${tbb_folders})
ashlar_library(NAME tbbmalloc EXPORTS tbbmalloc.map FOLDERS alloc LAST alloc/page_map.cpp alloc/huge_cache.cpp alloc/backend.cpp)
ashlar_library(NAME tbbmalloc_proxy EXPORTS tbbmalloc_proxy.map FOLDERS alloc_proxy)
if(ASHLAR_BUILD_DEBUG_LIBRARY)
  ashlar_library(NAME tbb DEBUG EXPORTS tbb.map FOLDERS ${tbb_folders})
endif()
# The allocator throws nothing of its own, and neither library may bring libstdc++ into a C program that preloads it.
if(TARGET tbbmalloc)
  target_compile_options(ashlar_alloc_objects PRIVATE -fno-exceptions
    # Declared without exceptions, for users; here there are none.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-exception-spec>)
  if(ASHLAR_MALLOC_HARDENED)
    target_compile_definitions(ashlar_alloc_objects PRIVATE ASHLAR_MALLOC_HARDENED)
  endif()
  # Each process that preloads the library maps it. So the hardened build's checks are left out where nothing calls them,
  # and what runs once or on demand is short rather than fast.
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/alloc/hardened.cpp" PROPERTIES COMPILE_OPTIONS -ffunction-sections)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/alloc/settings.cpp" "${PROJECT_SOURCE_DIR}/src/alloc/stats.cpp"
    PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release,RelWithDebInfo>:-Os>)
  target_link_options(tbbmalloc PRIVATE -Wl,--as-needed -Wl,--gc-sections)
endif()
if(TARGET tbbmalloc_proxy)
  # malloc is one jump to scalable_malloc; without -fno-plt it would be two.
  target_compile_options(ashlar_alloc_proxy_objects PRIVATE -fno-plt)
  target_link_options(tbbmalloc_proxy PRIVATE -Wl,--as-needed)
  set_target_properties(tbbmalloc_proxy PROPERTIES INSTALL_RPATH "$ORIGIN")
  target_link_libraries(tbbmalloc_proxy PUBLIC tbbmalloc)
endif()

# For targets that precompile <tbb/tbb.h>; TBBConfig.cmake has the same for the installed library.
add_library(tbb_precompiled INTERFACE)
target_link_libraries(tbb_precompiled INTERFACE TBB::tbb)
target_precompile_headers(tbb_precompiled INTERFACE <tbb/tbb.h>)
add_library(TBB::precompiled ALIAS tbb_precompiled)
