// SPDX-License-Identifier: Apache-2.0
// The links of an intrusive list by oneTBB's name, for programs that took its list over. Nothing here uses it.
#pragma once

#include <tbb/version.h>

namespace tbb {
namespace detail {
namespace d1 {
inline namespace ashlar_v1 {

/// Of a node in no list both are null or, with assertions, the node itself.
struct intrusive_list_node {
#if TBB_USE_ASSERT
  intrusive_list_node* my_prev_node = this;
  intrusive_list_node* my_next_node = this;
#else
  intrusive_list_node* my_prev_node = nullptr;
  intrusive_list_node* my_next_node = nullptr;
#endif
};

}  // namespace ashlar_v1
}  // namespace d1
}  // namespace detail
}  // namespace tbb
