// SPDX-License-Identifier: Apache-2.0
#include "product/processor_files.h"

#include "product/real_calls.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ashlar::sim::product {

namespace {

std::string from_to(nanoseconds first, nanoseconds count, costs const& machine) {
  return std::to_string(first) + "-" + std::to_string(std::min(first + count, machine.processors) - 1) + "\n";
}

// The group of so many neighbours that has the processor.
std::string group(nanoseconds processor, nanoseconds count, costs const& machine) {
  return from_to(processor / count * count, count, machine);
}

// Cuts the word off the text's beginning.
bool take(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

nanoseconds take_number(std::string_view& text) {
  nanoseconds number = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1)) {
    number = 10 * number + (text[0] - '0');
  }
  return number;
}

// Caches of the first and second level are a core's own; the third is the cluster's.
std::string text_of_processor(nanoseconds cpu, std::string_view file, costs const& machine, nanoseconds socket) {
  if (file == "/topology/core_cpus_list") return group(cpu, 1, machine);
  if (file == "/topology/physical_package_id") return std::to_string(cpu / socket) + "\n";
  if (file == "/cache/index0/level") return "2\n";
  if (file == "/cache/index0/shared_cpu_list") return group(cpu, 1, machine);
  if (file == "/cache/index1/level") return "3\n";
  if (file == "/cache/index1/shared_cpu_list") return group(cpu, machine.cluster, machine);
  return "";
}

std::string text_of(std::string_view file, costs const& machine) {
  nanoseconds const socket = machine.socket != 0 ? machine.socket : machine.processors;
  if (file == "cpu/possible") return from_to(0, machine.processors, machine);
  if (file == "node/online") return "0-" + std::to_string((machine.processors - 1) / socket) + "\n";
  if (take(file, "node/node")) {
    nanoseconds const node = take_number(file);
    return file == "/cpulist" ? group(node * socket, socket, machine) : "";
  }
  if (!take(file, "cpu/cpu")) return "";
  nanoseconds const cpu = take_number(file);
  return text_of_processor(cpu, file, machine, socket);
}

}  // namespace

int open_processor_file(costs const& machine, char const* path) {
  std::string_view file = path;
  if (machine.cluster == 0 || !take(file, "/sys/devices/system/")) return not_of_processors;
  std::string const text = text_of(file, machine);
  if (text.empty()) return -1;
  long const made = real_call(SYS_memfd_create, {reinterpret_cast<long>("processors"), 0});
  if (made < 0) return -1;
  real_call(SYS_write, {made, reinterpret_cast<long>(text.data()), static_cast<long>(text.size())});
  real_call(SYS_lseek, {made, 0, SEEK_SET});
  return static_cast<int>(made);
}

}  // namespace ashlar::sim::product
