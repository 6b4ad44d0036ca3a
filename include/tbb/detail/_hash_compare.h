// SPDX-License-Identifier: Apache-2.0
// <ashlar/containers/hash_compare.h> by the name of oneTBB's inner header, which tools for writing programs insert.
#pragma once

#include <ashlar/containers/hash_compare.h>
