// SPDX-License-Identifier: Apache-2.0
// Compresses log lines block by block: a pipeline that cuts the input (serial), compresses (parallel) and appends to
// the output in order (serial). The coder finds repetitions after Lempel and Ziv (1977) through chains of equal hashes;
// a token is a run of literals and a repetition, each length and distance a number of 7 bits a byte.
#include "common/pipeline.h"
#include "common/random.h"
#include "common/tbb_program.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

using bytes = std::vector<std::uint8_t>;

void put_number(bytes& out, std::size_t n) {
  for (; n >= 128; n >>= 7) out.push_back(static_cast<std::uint8_t>(n | 128));
  out.push_back(static_cast<std::uint8_t>(n));
}

std::size_t get_number(std::uint8_t const*& p) {
  std::size_t n = 0;
  int shift = 0;
  for (; (*p & 128) != 0; shift += 7) n |= static_cast<std::size_t>(*p++ & 127) << shift;
  return n | static_cast<std::size_t>(*p++) << shift;
}

class coder {
 public:
  coder(char const* text, std::size_t size) : text_(text), size_(size), previous_(size, none) {}

  bytes code() {
    out_.reserve(size_ / 3);
    put_number(out_, size_);
    std::size_t literals = 0;  // where the run of literals begins
    std::size_t i = 0;
    while (i + shortest <= size_) {
      repetition const r = longest_at(i);
      if (r.length < shortest) {
        insert(i++);
        continue;
      }
      token(literals, i, r);
      for (std::size_t const end = i + r.length; i < end; ++i) {
        if (i + shortest <= size_) insert(i);
      }
      literals = i;
    }
    token(literals, size_, {});
    return std::move(out_);
  }

 private:
  static constexpr std::size_t shortest = 4;
  static constexpr int depth = 96, hash_bits = 13;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct repetition {
    std::size_t length = 0, distance = 0;
  };

  std::size_t hash(std::size_t i) const {
    std::uint32_t word = 0;
    std::memcpy(&word, text_ + i, sizeof word);
    return (word * 2654435761u) >> (32 - hash_bits);
  }
  void insert(std::size_t i) {
    std::uint32_t& head = heads_[hash(i)];
    previous_[i] = head;
    head = static_cast<std::uint32_t>(i);
  }
  repetition longest_at(std::size_t i) const {
    repetition best;
    std::uint32_t at = heads_[hash(i)];
    for (int tries = 0; tries < depth && at != none; ++tries, at = previous_[at]) {
      std::size_t length = 0;
      while (i + length < size_ && text_[at + length] == text_[i + length]) ++length;
      if (length > best.length) best = {length, i - at};
    }
    return best;
  }
  void token(std::size_t literals, std::size_t end, repetition r) {
    put_number(out_, end - literals);
    out_.insert(out_.end(), text_ + literals, text_ + end);
    put_number(out_, r.length);
    if (r.length != 0) put_number(out_, r.distance);
  }

  char const* const text_;
  std::size_t const size_;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint32_t> heads_ = std::vector<std::uint32_t>(std::size_t{1} << hash_bits, none);
  bytes out_;
};

// Appends the text of one block; returns where the next one begins.
std::uint8_t const* decode(std::uint8_t const* p, std::string& text) {
  std::size_t const end = text.size() + get_number(p);
  for (;;) {
    std::size_t const literals = get_number(p);
    text.append(reinterpret_cast<char const*>(p), literals);
    p += literals;
    std::size_t const length = get_number(p);
    if (length == 0) return text.size() == end ? p : nullptr;
    std::size_t const distance = get_number(p);
    if (distance == 0 || distance > text.size()) return nullptr;
    for (std::size_t i = 0; i < length; ++i) text.push_back(text[text.size() - distance]);
  }
}

std::string log_lines(std::size_t size) {
  static char const* const verbs[] = {"GET", "POST", "PUT", "DELETE"};
  static char const* const things[] = {"users", "orders", "articles", "invoices", "images", "sessions", "search"};
  programs::random_stream random(3);
  std::string text;
  text.reserve(size + 200);
  unsigned long time = 1700000000;
  while (text.size() < size) {
    char line[200];
    time += random.below(3);
    int const n =
        std::snprintf(line, sizeof line, "%lu 10.%zu.%zu.%zu %s /api/%s/%zu status=%d bytes=%zu session=%04llx\n", time,
                      random.below(4), random.below(16), random.below(256), verbs[random.below(4)],
                      things[random.below(7)], random.below(50000), random.below(20) != 0 ? 200 : 404,
                      random.below(9000), static_cast<unsigned long long>(random.below(4096)));
    text.append(line, static_cast<std::size_t>(n));
  }
  text.resize(size);
  return text;
}

class compress {
 public:
  explicit compress(double scale) : text_(log_lines(programs::scaled(scale, std::size_t{16} << 20, 200000))) {}

  void work() {
    using programs::stage;
    using programs::stage_mode;
    struct block {
      char const* begin;
      std::size_t size;
      bytes coded;
    };
    std::size_t at = 0;
    auto const cut = [this, &at](auto& control) -> block* {
      if (at == text_.size()) {
        control.stop();
        return nullptr;
      }
      std::size_t const size = std::min(block_size, text_.size() - at);
      block* const b = new block{text_.data() + at, size, {}};
      at += size;
      return b;
    };
    auto const code = [](block* b) {
      b->coded = coder(b->begin, b->size).code();
      return b;
    };
    auto const append = [this](block* b) {
      std::unique_ptr<block> const owned(b);
      output_.insert(output_.end(), b->coded.begin(), b->coded.end());
    };
    stage<void, block*> const first(stage_mode::serial_in_order, [&cut](auto& control) { return cut(control); });
    stage<block*, block*> const second(stage_mode::parallel, code);
    stage<block*, void> const third(stage_mode::serial_in_order, append);
    tbb::parallel_pipeline(32, first & second & third);
  }

  char const* wrong() const {
    std::string text;
    text.reserve(text_.size());
    std::uint8_t const* p = output_.data();
    while (p != nullptr && p != output_.data() + output_.size()) p = decode(p, text);
    if (p == nullptr || text != text_) return "decompressed text";
    return 2 * output_.size() < text_.size() ? nullptr : "the output is not smaller";
  }

 private:
  static constexpr std::size_t block_size = 65536;

  std::string text_;
  bytes output_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<compress>(argc, argv); }
