// SPDX-License-Identifier: Apache-2.0
// Tells Helgrind and DRD what the library hands from thread to thread, which they can't see by themselves: it waits on
// futexes and synchronises with atomic operations. Compile the program with -DASHLAR_TSAN_EDGES=1 and this file
// together (docs/debugging.md); the library needs nothing. Outside of valgrind the two functions do next to nothing.
#include <valgrind/drd.h>
#include <valgrind/helgrind.h>

// The names are those that the library's headers call for ThreadSanitizer.
extern "C" __attribute__((visibility("default"))) void __tsan_release(void* address) {
  VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_USERSO_SEND_PRE, address, 0, 0, 0, 0);
  VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_ANNOTATE_HAPPENS_BEFORE, address, 0, 0, 0, 0);
}
extern "C" __attribute__((visibility("default"))) void __tsan_acquire(void* address) {
  VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_USERSO_RECV_POST, address, 0, 0, 0, 0);
  VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_ANNOTATE_HAPPENS_AFTER, address, 0, 0, 0, 0);
}
