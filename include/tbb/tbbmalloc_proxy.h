// SPDX-License-Identifier: Apache-2.0
// Replaces malloc and operator new of the program: include this in one source of it and link with
// TBB::tbbmalloc_proxy. Preloading the library has the same effect on a program as it is.
#pragma once

#include <ashlar/base/interface.h>

extern "C" {
/// Does nothing; the reference to it makes the linker keep the library.
void __TBB_malloc_proxy() noexcept;
/// Lists the functions that were not replaced, in an array that ends with null; here always empty. Returns 0.
int TBB_malloc_replacement_log(char*** log) noexcept;
}

namespace ashlar {
inline namespace v1 {
namespace alloc {

struct keep_proxy {
  keep_proxy() noexcept { __TBB_malloc_proxy(); }
};
inline keep_proxy const proxy_kept;

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
