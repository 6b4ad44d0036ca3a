// SPDX-License-Identifier: Apache-2.0
#include <ashlar/os/version.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "support/death.h"

namespace {

std::string report(char const* value, int times) {
  return test::run_in_child([&] {
           if (value != nullptr) {
             setenv("TBB_VERSION", value, 1);
           } else {
             unsetenv("TBB_VERSION");
           }
           for (int i = 0; i < times; ++i) {
             ashlar::report_version();
           }
         })
      .errors;
}

}  // namespace

TEST_CASE("the library answers with the version whose interface it has") {
  CHECK(TBB_runtime_interface_version() == TBB_INTERFACE_VERSION);
  CHECK(TBB_INTERFACE_VERSION == 12200);
  CHECK(TBB_INTERFACE_VERSION_MAJOR == 12);
  CHECK(TBB_INTERFACE_VERSION_MINOR == 20);
  CHECK(std::string(TBB_runtime_version()) == "2023.2.0");
}

TEST_CASE("TBB_VERSION=1 shows the banner once, and nothing else does") {
  CHECK(report("1", 3) == ashlar::version_banner());
  for (char const* value : {" 1 ", "1 ", " 1", "\t1\n"}) CHECK(report(value, 1) == ashlar::version_banner());
  for (char const* value : {"0", " 0 ", " ", "2", "1 1", "01", "+1", "1x", "yes"}) CHECK(report(value, 1) == "");
  CHECK(report("", 1) == "");
  CHECK(report(nullptr, 1) == "");
}

TEST_CASE("the banner names interface and implementation") {
  std::string const banner = ashlar::version_banner();
  CHECK(banner.find("oneTBB: VERSION\t\t2023.2.0\n") != std::string::npos);
  CHECK(banner.find("oneTBB: INTERFACE VERSION\t12200\n") != std::string::npos);
  CHECK(banner.find("Ashlar 0.") != std::string::npos);
  CHECK(banner.back() == '\n');
}
