// SPDX-License-Identifier: Apache-2.0
// A control group of this process's own whose CPU quota can be changed while it runs; version 1 or 2, whichever has the
// cpu controller. Where none can be made (no root, a container without the right to), the program ends with a line that
// says so, and the row is a gap.
#pragma once

#include <bench/options.h>

#include <fstream>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace bench {

class cpu_group {
 public:
  cpu_group() {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
      std::size_t const first = line.find(':'), second = line.find(':', first + 1);
      std::string const controllers = "," + line.substr(first + 1, second - first - 1) + ",";
      if (controllers.find(",cpu,") != std::string::npos) {
        old_ = "/sys/fs/cgroup/cpu" + line.substr(second + 1);
        unified_ = false;
        break;
      }
      if (controllers == ",,") old_ = "/sys/fs/cgroup" + line.substr(second + 1);
    }
    own_ = old_ + "/ashlar-bench-" + std::to_string(getpid());
    if (mkdir(own_.c_str(), 0755) != 0 || !write(own_ + "/cgroup.procs", std::to_string(getpid())) || !limit(4096)) {
      leave();
      usage("no control group with a CPU quota can be made here", own_.c_str());
    }
    unlimited();
  }
  ~cpu_group() { leave(); }
  cpu_group(cpu_group const&) = delete;
  cpu_group& operator=(cpu_group const&) = delete;

  // So many processors' time; the kernel hands it out per period of 100 ms.
  bool limit(double processors) {
    std::string const quota = std::to_string(static_cast<long>(processors * 1e5));
    return unified_ ? write(own_ + "/cpu.max", quota + " 100000") : write(own_ + "/cpu.cfs_quota_us", quota);
  }
  void unlimited() {
    if (unified_) {
      write(own_ + "/cpu.max", "max");
    } else {
      write(own_ + "/cpu.cfs_quota_us", "-1");
    }
  }
  // Seconds that this group's processors were kept from running it so far.
  double throttled() const {
    std::ifstream stat(own_ + "/cpu.stat");
    for (std::string name; stat >> name;) {
      double value = 0;
      stat >> value;
      if (name == "throttled_time") return value * 1e-9;
      if (name == "throttled_usec") return value * 1e-6;
    }
    return 0;
  }

 private:
  static bool write(std::string const& path, std::string const& text) {
    std::ofstream file(path);
    file << text << std::flush;
    return file.good();
  }
  void leave() {
    unlimited();
    write(old_ + "/cgroup.procs", std::to_string(getpid()));
    rmdir(own_.c_str());
  }

  std::string old_;
  std::string own_;
  bool unified_ = true;
};

}  // namespace bench
