// SPDX-License-Identifier: Apache-2.0
// Windows' header with as few of its macros as it allows.
#pragma once

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef NOGDI
#define NOGDI
#endif
#include <windows.h>

// Its words for pointers of the year 1985, which are names here. Its headers go on using the large ones.
#undef near
#undef far
#undef NEAR
#undef FAR
#define NEAR
#define FAR
