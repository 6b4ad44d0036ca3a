// SPDX-License-Identifier: Apache-2.0
// Classic TBB's preview of nodes that run on OpenCL devices. They are not part of Ashlar: with TBB_PREVIEW_OPENCL_NODE
// <tbb/flow_graph.h> says so. Without it this header was empty in TBB, too.
#pragma once

#include <tbb/flow_graph.h>
