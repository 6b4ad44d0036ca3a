// SPDX-License-Identifier: Apache-2.0
// Included before every other header: the headers then neither throw nor catch; what would be thrown ends the
// program instead. All files of a program must agree.
#pragma once

#undef TBB_USE_EXCEPTIONS
#define TBB_USE_EXCEPTIONS 0
