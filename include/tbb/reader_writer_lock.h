// SPDX-License-Identifier: Apache-2.0
// Classic TBB's reader_writer_lock, after Microsoft's: many readers or one writer, waiting writers go first. lock() and
// lock_read() by the thread that holds it for writing throw improper_lock; the try_ forms then return false. unlock()
// ends either kind. scoped_lock writes, scoped_lock_read reads. Not recursive for readers either: one that locks again
// while a writer waits waits for ever.
#pragma once

#include <ashlar/base/improper_lock.h>
#include <ashlar/sync/owned_lock.h>
#include <tbb/profiling.h>

#include <tbb/detail/closure/threads.h>
