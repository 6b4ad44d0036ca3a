// SPDX-License-Identifier: Apache-2.0
// doctest's implementation, compiled once.
#define DOCTEST_CONFIG_IMPLEMENT
#include "support/stuck_test.h"

DOCTEST_REGISTER_LISTENER("stuck_test", 1, support::stuck_test);
