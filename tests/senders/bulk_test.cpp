// SPDX-License-Identifier: Apache-2.0
#include "recording_receiver.h"

#include <tbb/global_control.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

using tbb::execution::get_partitioner;

TEST_CASE("bulk calls the function once for each index, and passes the values on") {
  for (int const n : {0, 1, 2, 1000}) {
    std::vector<std::atomic<int>> calls(std::size_t(n) + 1);
    auto const [value] = ex::sync_wait(ex::schedule(own_scheduler()) | ex::then([] { return 5; }) |
                                       ex::bulk(ex::par, n, [&](int i, int& v) { calls[std::size_t(i)] += v; }))
                             .value();
    CHECK(value == 5);
    for (int i = 0; i < n; ++i) CHECK(calls[std::size_t(i)] == 5);
    CHECK(calls[std::size_t(n)] == 0);
  }
}

TEST_CASE("bulk_chunked gets parts that cover the range, bulk_unchunked each index by itself") {
  std::vector<std::atomic<int>> calls(1000);
  std::atomic<int> chunks{0};
  ex::sync_wait(ex::schedule(own_scheduler()) | ex::bulk_chunked(ex::par, 1000u, [&](unsigned begin, unsigned end) {
                  CHECK(begin < end);
                  ++chunks;
                  for (; begin != end; ++begin) ++calls[begin];
                }));
  CHECK(chunks >= 1);
  ex::sync_wait(ex::schedule(own_scheduler()) | ex::bulk_unchunked(ex::par, 1000u, [&](unsigned i) { ++calls[i]; }));
  for (auto const& c : calls) CHECK(c == 2);
}

TEST_CASE("each index of bulk_unchunked may have a thread of its own") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4, 0);
  std::atomic<int> arrived{0};
  // Each waits for the others: a thread that had two of them could not end the first.
  ex::sync_wait(ex::schedule(arena_scheduler(arena)) | ex::bulk_unchunked(ex::par, 3, [&](int) {
                  ++arrived;
                  while (arrived < 3) std::this_thread::yield();
                }));
  CHECK(arrived == 3);
}

TEST_CASE("a sequential policy calls the function in order on one thread") {
  std::vector<int> order;
  ex::sync_wait(ex::schedule(own_scheduler()) | ex::bulk(ex::seq, 100, [&](int i) { order.push_back(i); }));
  CHECK(order.size() == 100);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("an exception of one body ends the loop and is the error") {
  std::atomic<int> calls{0};
  auto const loop = ex::schedule(own_scheduler()) | ex::bulk(ex::par, 100000, [&](int i) {
                      ++calls;
                      if (i == 0) throw std::runtime_error("body");
                    });
  CHECK_THROWS_WITH_AS(ex::sync_wait(loop), "body", std::runtime_error);
  CHECK(calls <= 100000);
}

TEST_CASE("a stop ends the loop wherever it comes") {
  // Before, during and after the loop, at each of its bodies.
  for (int at = -1; at < 64; at += 3) {
    ex::inplace_stop_source source;
    std::atomic<int> calls{0};
    if (at < 0) source.request_stop();
    record r;
    auto loop = ex::connect(ex::schedule(own_scheduler()) | ex::bulk_unchunked(ex::par, 64,
                                                                               [&](int i) {
                                                                                 ++calls;
                                                                                 if (i == at) source.request_stop();
                                                                               }),
                            recording_receiver(r, source.get_token()));
    ex::start(loop);
    r.wait();
    CHECK(r.completed == record::stopped);
    CHECK((at < 0 ? calls == 0 : calls >= 1));
  }
}

TEST_CASE("a context that is cancelled ends the loops of its scheduler") {
  tbb::task_group_context context;
  std::atomic<int> calls{0};
  auto const done =
      ex::sync_wait(ex::schedule(own_scheduler().in(context)) | ex::bulk_unchunked(ex::par, 100000, [&](int) {
                      if (++calls == 10) context.cancel_group_execution();
                    }));
  CHECK_FALSE(done.has_value());
  CHECK(calls < 100000);
}

TEST_CASE("a sender of a loop may be connected again, and its loops may nest") {
  std::atomic<int> calls{0};
  auto const inner = ex::schedule(own_scheduler()) | ex::bulk(ex::par, 10, [&](int) { ++calls; });
  auto const outer = ex::schedule(own_scheduler()) | ex::bulk(ex::par, 10, [&](int) { ex::sync_wait(inner); });
  ex::sync_wait(outer);
  ex::sync_wait(outer);
  CHECK(calls == 200);
}

namespace {

constexpr int loop_length = 1000;

/// Runs bulk, bulk_chunked and bulk_unchunked, divided as asked, and gives the number of chunks of the second.
template <typename Partitioner>
int chunks_by(arena_scheduler s, Partitioner how) {
  std::vector<std::atomic<int>> calls(loop_length);
  std::atomic<int> chunks{0};
  auto const count = [&](int i) { ++calls[std::size_t(i)]; };
  auto const count_chunk = [&](int begin, int end) {
    ++chunks;
    for (; begin != end; ++begin) count(begin);
  };
  ex::sync_wait(ex::write_env(ex::schedule(s) | ex::bulk(ex::par, loop_length, count) |
                                  ex::bulk_chunked(ex::par, loop_length, count_chunk) | ex::then([] {}) |
                                  ex::bulk_unchunked(ex::par, loop_length, count),
                              ex::prop(get_partitioner, how)));
  for (auto const& c : calls) CHECK(c == 3);
  return chunks;
}

}  // namespace

TEST_CASE("a loop is divided by the partitioner of its environment") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4, 0);
  arena_scheduler const s(arena);
  CHECK(chunks_by(s, tbb::simple_partitioner()) == loop_length);
  CHECK(chunks_by(s, tbb::static_partitioner()) == 4);
  CHECK(chunks_by(s, tbb::auto_partitioner()) < loop_length);
  tbb::affinity_partitioner affinity;
  for (int i = 0; i < 3; ++i) CHECK(chunks_by(s, &affinity) < loop_length);
}

TEST_CASE("a stop in the midst of a loop ends it, whatever the partitioner") {
  auto const stopped_by = [](auto how) {
    ex::inplace_stop_source source;
    std::atomic<int> calls{0};
    record r;
    auto const body = [&](int, int) {
      if (++calls == 2) source.request_stop();
    };
    auto loop = ex::connect(ex::write_env(ex::schedule(own_scheduler()) | ex::bulk_chunked(ex::par, 1000000, body),
                                          ex::prop(get_partitioner, how)),
                            recording_receiver(r, source.get_token()));
    ex::start(loop);
    r.wait();
    CHECK(r.completed == (calls < 2 ? record::value : record::stopped));
    return calls.load();
  };
  CHECK(stopped_by(tbb::simple_partitioner()) < 1000000);
  stopped_by(tbb::auto_partitioner());
  stopped_by(tbb::static_partitioner());
  tbb::affinity_partitioner affinity;
  stopped_by(&affinity);
}
