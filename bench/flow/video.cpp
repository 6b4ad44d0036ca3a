// SPDX-License-Identifier: Apache-2.0
// A program like a video tool: generated frames are unpacked, blurred, put in order, packed against the frame before,
// and written by a thread of the program's own. A limiter bounds the frames on the way. Rows: video, --size frames;
// video_threads, by bare threads that each take a frame from its beginning to the writer; video_loop, by one thread,
// with whose result those of the others are compared.
#include <bench/sampler.h>

#include "dialect.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

namespace flow = tbb::flow;
using bytes = std::vector<std::uint8_t>;
constexpr std::size_t width = 160, height = 120;

struct frame {
  std::size_t number = 0;
  bytes data;
};
using frame_ptr = std::shared_ptr<frame const>;

frame_ptr with(frame const& before, bytes data) {
  return std::make_shared<frame>(frame{before.number, std::move(data)});
}

// A frame as it comes from a file: lengths and values of runs.
bytes packed(std::size_t number) {
  bytes runs;
  std::uint32_t state = static_cast<std::uint32_t>(number) * 2654435761u + 1;
  for (std::size_t left = width * height; left > 0;) {
    state = state * 1664525u + 1013904223u;
    std::size_t const length = std::min<std::size_t>(left, 1 + (state >> 20 & 31));
    runs.push_back(static_cast<std::uint8_t>(length));
    runs.push_back(static_cast<std::uint8_t>(state >> 8));
    left -= length;
  }
  return runs;
}

bytes decoded(bytes const& runs) {
  bytes pixels;
  pixels.reserve(width * height);
  for (std::size_t i = 0; i + 1 < runs.size(); i += 2) pixels.insert(pixels.end(), runs[i], runs[i + 1]);
  return pixels;
}

bytes blurred(bytes const& from) {
  bytes to(from);
  for (std::size_t y = 1; y + 1 < height; ++y) {
    for (std::size_t x = 1; x + 1 < width; ++x) {
      unsigned sum = 0;
      for (std::size_t dy = 0; dy < 3; ++dy) {
        for (std::size_t dx = 0; dx < 3; ++dx) sum += from[(y + dy - 1) * width + x + dx - 1];
      }
      to[y * width + x] = static_cast<std::uint8_t>(sum / 9);
    }
  }
  return to;
}

// Packs the difference to the frame before.
class encoder {
 public:
  bytes encode(bytes const& pixels) {
    bytes out;
    for (std::size_t i = 0; i < pixels.size();) {
      std::uint8_t const difference = static_cast<std::uint8_t>(pixels[i] - before_[i]);
      std::size_t n = 1;
      while (i + n < pixels.size() && n < 255 &&
             static_cast<std::uint8_t>(pixels[i + n] - before_[i + n]) == difference) {
        ++n;
      }
      out.push_back(static_cast<std::uint8_t>(n));
      out.push_back(difference);
      i += n;
    }
    before_ = pixels;
    return out;
  }

 private:
  bytes before_ = bytes(width * height);
};

std::uint64_t checksum(std::uint64_t sum, bytes const& data) {
  for (std::uint8_t const byte : data) sum = (sum ^ byte) * 1099511628211u;
  return sum;
}

// The file: a thread that takes blocks in the order in which they were given, and calls what came with a block.
template <typename Written>
class writer {
 public:
  writer() : thread_([this] { work(); }) {}
  writer(writer const&) = delete;
  ~writer() {
    write(nullptr, {});
    thread_.join();
  }
  void write(frame_ptr block, Written then) {
    std::lock_guard<std::mutex> const lock(mutex_);
    orders_.push_back({std::move(block), then});
    come_.notify_one();
  }
  std::uint64_t sum = 0;

 private:
  struct order {
    frame_ptr block;
    Written then;
  };
  void work() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      come_.wait(lock, [this] { return !orders_.empty(); });
      order const next = orders_.front();
      orders_.pop_front();
      lock.unlock();
      if (next.block == nullptr) return;
      sum = checksum(sum, next.block->data);
      next.then();
    }
  }
  std::mutex mutex_;
  std::condition_variable come_;
  std::deque<order> orders_;
  std::thread thread_;
};

using writing = flow::async_node<frame_ptr, flow::continue_msg>;
struct answer {
  void operator()() const {
    way->try_put(flow::continue_msg());
    way->release_wait();
  }
  writing::gateway_type* way;
};

std::uint64_t by_graph(std::size_t frames, int threads) {
  writer<answer> file;
  flow::graph g;
  bench::flow_source<frame_ptr> from(g, [n = std::size_t(0), frames](frame_ptr& out) mutable {
    if (n == frames) return false;
    out = std::make_shared<frame>(frame{n, packed(n)});
    ++n;
    return true;
  });
  flow::limiter_node<frame_ptr> limit(g, static_cast<std::size_t>(4 * threads));
  flow::function_node<frame_ptr, frame_ptr> decode(g, flow::unlimited,
                                                   [](frame_ptr const& f) { return with(*f, decoded(f->data)); });
  flow::function_node<frame_ptr, frame_ptr> filter(g, flow::unlimited,
                                                   [](frame_ptr const& f) { return with(*f, blurred(f->data)); });
  flow::sequencer_node<frame_ptr> order(g, [](frame_ptr const& f) { return f->number; });
  encoder packing;
  flow::function_node<frame_ptr, frame_ptr, flow::rejecting> encode(
      g, flow::serial, [&packing](frame_ptr const& f) { return with(*f, packing.encode(f->data)); });
  flow::sequencer_node<frame_ptr> order_again(g, [](frame_ptr const& f) { return f->number; });
  writing write(g, flow::serial, [&file](frame_ptr const& f, writing::gateway_type& way) {
    way.reserve_wait();
    file.write(f, {&way});
  });
  flow::make_edge(from, limit);
  flow::make_edge(limit, decode);
  flow::make_edge(decode, filter);
  flow::make_edge(filter, order);
  flow::make_edge(order, encode);
  flow::make_edge(encode, order_again);
  flow::make_edge(order_again, write);
  flow::make_edge(write, bench::decrement_of(limit));
  from.activate();
  g.wait_for_all();
  return file.sum;
}

// How many frames have gone through a place, for those that wait until it is their turn.
class passed {
 public:
  void wait_for(std::size_t frames) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return count_ >= frames; });
  }
  void operator++() {
    std::lock_guard<std::mutex> const lock(mutex_);
    ++count_;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_ = 0;
};
struct count_frame {
  void operator()() const { ++*counter; }
  passed* counter;
};

std::uint64_t by_threads(std::size_t frames, int threads) {
  passed encoded, written;
  writer<count_frame> file;
  encoder packing;
  std::atomic<std::size_t> begun{0};
  std::size_t const limit = static_cast<std::size_t>(4 * threads);
  auto const work = [&] {
    for (std::size_t n; (n = begun++) < frames;) {
      if (n >= limit) written.wait_for(n + 1 - limit);
      bytes const pixels = blurred(decoded(packed(n)));
      encoded.wait_for(n);
      file.write(std::make_shared<frame>(frame{n, packing.encode(pixels)}), {&written});
      ++encoded;
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
  written.wait_for(frames);
  return file.sum;
}

std::uint64_t by_loop(std::size_t frames) {
  std::uint64_t sum = 0;
  encoder packing;
  for (std::size_t n = 0; n < frames; ++n) sum = checksum(sum, packing.encode(blurred(decoded(packed(n)))));
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  bool const loop = bench::is_row(o, "video_loop"), bare = bench::is_row(o, "video_threads");
  if (!loop && !bare && !bench::is_row(o, "video")) bench::usage("unknown row", o.row);
  return bench::with_threads(o.threads, [&] {
    bench::report r(o, "us/frame");
    std::size_t const frames = static_cast<std::size_t>(o.size != 0 ? o.size : 200);
    std::uint64_t const expected = by_loop(frames);
    bool right = true;
    auto work = [&] {
      std::uint64_t const sum = loop   ? by_loop(frames)
                                : bare ? by_threads(frames, o.threads)
                                       : by_graph(frames, o.threads);
      right = right && sum == expected;
    };
    r.ops(static_cast<double>(frames));
    if (o.count) {
      bench::counted_section(work);
    } else {
      bench::take_samples(r, work, static_cast<double>(frames), 1e6);
    }
    r.check(right, "checksum of the file");
    return r.finish();
  });
}
