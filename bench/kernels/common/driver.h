// SPDX-License-Identifier: Apache-2.0
// What all kernels share: the command line, the repetition of runs, the table on stdout and the JSON file.
// Nothing here depends on the library under test, so it is compiled once and linked to each build of a kernel.
//
//   driver d("fibonacci", "one line", this_library());
//   d.option("--n", n, "which number");
//   d.parse(argc, argv);                                  // ends the program on a wrong option (status 2)
//   d.serial("cutoff 12", work, check);                   // the base of the speed-ups of this setting
//   d.parallel("TBB+C", "cutoff 12", threads, work, check);
//   return d.finish();                                    // 0, or 1 when a result was wrong
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kernels {

struct library;

class driver {
 public:
  using work = std::function<void()>;
  using check = std::function<bool()>;

  driver(std::string kernel, std::string description, library const& lib);
  ~driver();
  driver(driver const&) = delete;
  driver& operator=(driver const&) = delete;

  void option(char const* name, int& value, char const* help, int least, int most);
  void option(char const* name, std::string& value, char const* help);
  void option(char const* name, std::vector<int>& value, char const* help, int least, int most);
  void flag(char const* name, bool& value, char const* help);
  void parse(int argc, char** argv);

  bool quick() const;
  std::vector<int> const& threads() const;
  // Whether the user named the thread counts.
  bool threads_given() const;
  // False if the user asked for other styles only.
  bool wanted(std::string const& style) const;
  // Facts about the run that go into the JSON file.
  void parameter(std::string const& name, std::string const& value);

  // Runs and checks the serial version of a setting; parallel() measures speed-up against it.
  void serial(std::string const& setting, work const& run, check const& correct);
  // Warms, runs the wanted number of times, checks every result.
  void parallel(std::string const& style, std::string const& setting, int threads, work const& run,
                check const& correct);
  // Prints the table's end, writes the JSON file; the program's exit status.
  int finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

// Ends the program with one line on stderr.
[[noreturn]] void fail(std::string const& kernel, std::string const& message, int status);

}  // namespace kernels
