// SPDX-License-Identifier: Apache-2.0
// All public headers at once.
#pragma once

#include <tbb/tbb.h>
