// SPDX-License-Identifier: Apache-2.0
// What ashlar-sim reads, under libFuzzer: the first byte says whether the rest is a machine file or a trace. Each is
// read or refused with bad_input; of a trace that is read the graph is built.
#include "machine/machine_file.h"
#include "program/bad_input.h"
#include "trace/graph_builder.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

// A file in memory that has a path.
class memory_file {
 public:
  memory_file(std::uint8_t const* data, std::size_t size) : descriptor_(memfd_create("fuzz", 0)) {
    if (descriptor_ < 0 || write(descriptor_, data, size) != static_cast<ssize_t>(size)) __builtin_trap();
  }
  ~memory_file() { close(descriptor_); }
  memory_file(memory_file const&) = delete;
  memory_file& operator=(memory_file const&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  memory_file const file(data + 1, size - 1);
  try {
    if (data[0] % 2 == 0) {
      (void)ashlar::sim::parse_machine(std::string(reinterpret_cast<char const*>(data + 1), size - 1), "fuzz.json");
    } else {
      (void)ashlar::sim::build_graph(ashlar::sim::read_trace(file.path()));
    }
  } catch (ashlar::sim::bad_input const&) {
  }
  return 0;
}
