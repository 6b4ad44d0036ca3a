// SPDX-License-Identifier: Apache-2.0
// What every header of TBB brings along: the names of tbb_stddef.h and the standard headers below it.
//
// The files of this folder are included at the end of public headers, so that a program that relies on what TBB's
// headers include compiles here, too: in the oneTBB dialect the union of what oneTBB 2023.2's and TBB 2020's headers
// bring, in the classic dialect what TBB 2020's bring. ASHLAR_LEAN_HEADERS empties them. tests/headers/visible.py
// compares.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <tbb/tbb_stddef.h>
#endif
