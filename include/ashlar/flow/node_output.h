// SPDX-License-Identifier: Apache-2.0
// The output of a node: a sender with a list of successors that keeps nothing.
#pragma once

#include <ashlar/flow/edges.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

template <typename T>
class node_output : public sender<T> {
 public:
  using successor_type = receiver<T>;

  explicit node_output(::ashlar::flow::graph_core& g) noexcept : successors_(g) {}
  bool register_successor(successor_type& r) override {
    successors_.add(r, *this);
    return true;
  }
  bool remove_successor(successor_type& r) override {
    successors_.remove(r, *this);
    return true;
  }
  bool announces() const noexcept final { return true; }
#if ASHLAR_CLASSIC_DIALECT
  std::size_t successor_count() override { return successors_.size(); }
  void copy_successors(typename sender<T>::successor_list_type& to) override {
    successors_.for_each([&to](successor_type& r) { to.push_back(&r); });
  }
#endif

 protected:
  // Null: nobody has taken it.
  ASHLAR_ALWAYS_INLINE ::ashlar::sched::job* broadcast(T& v, ::ashlar::flow::passage p) {
    return successors_.broadcast(v, p, *this);
  }
  void clear_successors() { successors_.clear(*this); }
  void describe_output(::ashlar::flow::picture& to,
                       ::ashlar::flow::picture::output_kind k = ::ashlar::flow::picture::output_kind::loses) {
    to.output(static_cast<sender<T>*>(this), k);
    successors_.describe(to);
  }

  successors<T> successors_;
};

ASHLAR_FLOW_HOME_END
}  // namespace flow
}  // namespace tbb
