# SPDX-License-Identifier: Apache-2.0
# Compiler settings: ashlar_options is linked by everything of this project and by nothing that is installed.

add_library(ashlar_options INTERFACE)
target_compile_options(ashlar_options INTERFACE -Wall -Wextra)
# Our own code includes what it uses; what TBB's headers bring along would double its build time.
target_compile_definitions(ashlar_options INTERFACE ASHLAR_LEAN_HEADERS=1)
if(ASHLAR_WERROR)
  target_compile_options(ashlar_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ begins to collect garbage at 512 MB, not at 128: large files take 5 to 7 % less time and a fifth more memory.
  target_compile_options(ashlar_options INTERFACE --param=ggc-min-heapsize=524288)
  # With -O3, g++ 12 warns of strings that are put together with + where nothing overlaps.
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(ashlar_options INTERFACE -Wno-restrict)
  endif()
endif()
if(ASHLAR_ASSERTIONS)
  target_compile_definitions(ashlar_options INTERFACE TBB_USE_ASSERT=1)
endif()
if(ASHLAR_SANITIZE)
  target_compile_options(ashlar_options INTERFACE -fsanitize=${ASHLAR_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(ashlar_options INTERFACE -fsanitize=${ASHLAR_SANITIZE})
  if(ASHLAR_SANITIZE MATCHES thread)
    target_compile_definitions(ashlar_options INTERFACE ASHLAR_TSAN_EDGES=0)  # the sanitizer sees the library itself
  endif()
  if(ASHLAR_SANITIZE MATCHES undefined)
    target_compile_options(ashlar_options INTERFACE -fno-sanitize-recover=undefined)
  endif()
  if(ASHLAR_SANITIZE MATCHES address)
    target_compile_definitions(ashlar_options INTERFACE _GLIBCXX_ASSERTIONS)
  endif()
endif()

# ashlar_together(target sources...): the sources are one translation unit. The compiler reads the headers once, which takes
# a quarter of the time or less; the functions are the same. It is for what is compiled a second time, under a sanitizer or with
# other definitions: the first time each file is compiled by itself, so that it includes what it uses.
function(ashlar_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  ashlar_alone(${ARGN})
endfunction()

# ashlar_layer_sources(layer out): the sources of a layer for the system that is built for (src/os/systems.txt).
function(ashlar_layer_sources layer out)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${layer}/*.cpp")
  if(layer STREQUAL "os")
    file(STRINGS "${PROJECT_SOURCE_DIR}/src/os/systems.txt" folders REGEX "^${CMAKE_SYSTEM_NAME}:")
    string(REGEX REPLACE "^[^:]*: *" "" folders "${folders}")
    separate_arguments(folders)
    list(FILTER sources EXCLUDE REGEX "/src/os/[^/]+/")
    set(names "")
    foreach(folder IN LISTS folders)
      file(GLOB found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/os/${folder}/*.cpp")
      foreach(source IN LISTS found)
        cmake_path(GET source FILENAME name)
        if(NOT name IN_LIST names)
          list(APPEND names "${name}")
          list(APPEND sources "${source}")
        endif()
      endforeach()
    endforeach()
    list(SORT sources)
  endif()
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# Files whose names without linkage stand in other files of their folder, too, or in a type. A project that we are a folder
# of may set CMAKE_UNITY_BUILD, so this holds always.
set(ashlar_alone_files
  src/alloc/backend_system src/base/stack_identity src/compat12/rtm_locks src/os/linux/thread_backtrace src/os/posix/topology_hwloc
  src/sched/core/suspension_log src/sched/tasks/watch_group src/sync/queuing_rw_mutex)

function(ashlar_alone)
  foreach(source IN LISTS ARGN)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE name)
    cmake_path(REMOVE_EXTENSION name)
    if(name IN_LIST ashlar_alone_files)
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()
