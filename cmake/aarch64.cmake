# SPDX-License-Identifier: Apache-2.0
# The toolchain file of the preset aarch64: Debian's g++-aarch64-linux-gnu, and qemu-user runs the tests. That shows what the code does, not that
# its memory orderings hold on such a machine: the emulator translates them for the host, and the models (tests/model) are what checks them.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(ASHLAR_QEMU NAMES qemu-aarch64 qemu-aarch64-static REQUIRED)  # of Debian's qemu-user or qemu-user-static
set(CMAKE_CROSSCOMPILING_EMULATOR "${ASHLAR_QEMU}" -L /usr/aarch64-linux-gnu)
