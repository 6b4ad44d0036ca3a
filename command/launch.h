// SPDX-License-Identifier: Apache-2.0
// Starts a program on our libtbb.so.12, and tells afterwards which libraries of TBB it loaded.
//
// The proof is the loader's own record (LD_DEBUG=files, into files that we remove): it names what was loaded by the
// program and by all that it started, with dlopen, too.
//
// Our libraries are preloaded by their whole paths. A copy of oneTBB with another name (wheels bundle some, found by
// DT_RPATH before LD_LIBRARY_PATH) is replaced by preloading ours under that name: for the loader a library whose name
// is already there needs no file.
#pragma once

#include "places.h"

#include <sys/types.h>

#include <vector>

namespace ashlar::command {

struct launch {
  std::vector<std::string> program;  // with its arguments
  std::vector<std::string> names;    // of other copies that ours stands in for
  unsigned threads = 0;              // 0: the default
  bool stats = false;
  bool malloc = false;
  bool quiet = false;
  unsigned hang = 0;  // seconds; 0: no report
  std::string trace;  // none
};

// Waits for a child: its status as a shell would tell it.
int wait_for(pid_t child);

// The program's status, as a shell would tell it. Throws failure if it can't be started.
int start(launch const& what);

}  // namespace ashlar::command
