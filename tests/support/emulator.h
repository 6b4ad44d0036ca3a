// SPDX-License-Identifier: Apache-2.0
// Whether the test programs are built for an emulator (preset aarch64). qemu-user says yes to limits of the address
// space and to advice on memory and does nothing, and keeps a table of all pages that are mapped: what tests that, is
// left out.
#pragma once

namespace test {

#ifdef ASHLAR_TEST_EMULATOR
constexpr bool emulated = true;
#else
constexpr bool emulated = false;
#endif

}  // namespace test
