// SPDX-License-Identifier: Apache-2.0
// Whether the test programs are built for an emulator (preset aarch64). qemu-user says yes to limits of the address
// space and to advice on memory and does nothing, and keeps a table of all pages that are mapped: what tests that, is
// left out. qemu-user 7.2 keeps 279 KiB of every thread that has ended, so 100,000 threads would need 28 GB: tests make
// 3000. In a process that forks while another thread makes threads, the child cannot make one: a program of C++'s own
// threads alone hung 20 times of 20, natively never.
#pragma once

namespace test {

#ifdef ASHLAR_TEST_EMULATOR
constexpr bool emulated = true;
#else
constexpr bool emulated = false;
#endif

}  // namespace test
