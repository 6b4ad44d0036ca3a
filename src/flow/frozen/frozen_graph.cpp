// SPDX-License-Identifier: Apache-2.0
#include "flow/frozen/frozen_plan.h"

#include <ashlar/flow/frozen/frozen_graph.h>

namespace ashlar::inline v1::flow {

frozen_core::frozen_core(graph_core& g) : plan_(new frozen_plan(g)), size_(plan_->size()) {}

frozen_core::~frozen_core() { delete plan_; }

void frozen_core::run() { plan_->run(); }

}  // namespace ashlar::inline v1::flow
