// SPDX-License-Identifier: Apache-2.0
// doctest's implementation, compiled once.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
