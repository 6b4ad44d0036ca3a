# SPDX-License-Identifier: Apache-2.0
# Arenas as schedulers of std::execution. Its implementations are checkouts of their repositories, which are no part of this one:
# these variables name the folders, or the environment does (bench/harness/peers.toml has the commits). Only tests and examples
# need them.
set(ASHLAR_STDEXEC "$ENV{STDEXEC}" CACHE PATH "A checkout of github.com/NVIDIA/stdexec, or empty")
set(ASHLAR_BEMAN "$ENV{BEMAN_EXECUTION}" CACHE PATH "A checkout of github.com/bemanproject/execution, or empty")

# TBB::parallel_scheduler: a program that links it has the library for the backend of its parallel_scheduler. The program compiles
# the source, with its own implementation.
add_library(tbb_parallel_scheduler INTERFACE)
target_sources(tbb_parallel_scheduler INTERFACE "${PROJECT_SOURCE_DIR}/src/execution/parallel_scheduler.cpp")
target_compile_features(tbb_parallel_scheduler INTERFACE cxx_std_20)
target_link_libraries(tbb_parallel_scheduler INTERFACE TBB::tbb)
add_library(TBB::parallel_scheduler ALIAS tbb_parallel_scheduler)
