# SPDX-License-Identifier: Apache-2.0
"""conan create packaging/conan: packages this tree. The package is found as TBB and as ashlar."""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Ashlar(ConanFile):
    name = "ashlar"
    version = "0.2.0-dev"
    description = "A task-parallel runtime with the interface of TBB"
    license = "Apache-2.0"
    topics = ("parallelism", "tbb", "tasks")
    package_type = "shared-library"  # TBB::tbb; the static kind is there, too, as TBB::tbb_static
    settings = "os", "compiler", "build_type", "arch"

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "cmake/*", "include/*", "src/*", "debugger/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in ("TESTS", "BENCH", "SIM", "DEBUG_LIBRARY"):
            toolchain.variables[f"ASHLAR_BUILD_{option}"] = False
        toolchain.variables["ASHLAR_COMPAT12"] = False
        toolchain.variables["CMAKE_INSTALL_LIBDIR"] = "lib"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # The package brings the files that find_package(TBB) and find_package(ashlar) look for.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/TBB", "lib/cmake/ashlar"]
        self.cpp_info.libs = ["tbb"]
        self.cpp_info.system_libs = ["pthread", "dl"]
