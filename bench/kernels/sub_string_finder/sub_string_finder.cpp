// SPDX-License-Identifier: Apache-2.0
// The paper's sub_string_finder (figure 8) on real text: for each position, the longest substring starting there that
// occurs elsewhere too, in parallel over the positions with grain 100 and grain 1.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include "common/driver.h"
#include "common/library.h"
#include "sub_string_finder/longest_match.h"

#if KERNEL_CLASSIC_TASKS
#include "common/switchable_parallel_for.h"
#endif

namespace {

namespace fs = std::filesystem;
using range = tbb::blocked_range<int>;
char const* const kernel = "sub_string_finder";

class finder {
 public:
  finder(std::string_view text, std::vector<kernels::match>& found) : text_(text), found_(found) {}

  void operator()(range const& r) const {
    for (int i = r.begin(); i != r.end(); ++i) {
      found_[static_cast<std::size_t>(i)] = kernels::longest_match(text_, i);
    }
  }

 private:
  std::string_view text_;
  std::vector<kernels::match>& found_;
};

// The longest licence that Debian installs.
std::optional<fs::path> longest_licence() {
  std::error_code error;
  fs::path longest;
  std::uintmax_t most = 0;
  for (fs::directory_entry const& e : fs::directory_iterator("/usr/share/common-licenses", error)) {
    std::uintmax_t const size = e.is_regular_file(error) ? e.file_size(error) : 0;
    if (!error && (size > most || (size == most && e.path() < longest))) {
      most = size;
      longest = e.path();
    }
  }
  return most ? std::optional(longest) : std::nullopt;
}

std::string read_text(std::string const& path, int length) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) {
    text.resize(static_cast<std::size_t>(length));
    file.read(text.data(), length);
    text.resize(static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof() && file.fail()) {
    kernels::fail(kernel, "cannot read " + path + ": " + std::strerror(errno), 2);
  }
  if (text.size() < 2) {
    kernels::fail(kernel, path + ": a text of at least two characters is needed", 2);
  }
  return text;
}

class measurement {
 public:
  measurement(kernels::driver& d, std::string text, std::vector<int> grains)
      : driver_(d), text_(std::move(text)), grains_(std::move(grains)), expected_(text_.size()), found_(text_.size()) {}

  void serial() {
    for (int g : grains_) {
      driver_.serial(setting(g), [this] { finder(text_, expected_)(positions(1)); }, [this] { return proven(); });
    }
  }
  void parallel(int threads) {
    for (int g : grains_) {
      run("parallel_for", g, threads,
          [](range const& r, finder const& f) { tbb::parallel_for(r, f, tbb::simple_partitioner()); });
#if KERNEL_CLASSIC_TASKS
      for (kernels::style s : kernels::all_styles) {
        run(kernels::paper_name(s), g, threads, [s](range const& r, finder const& f) {
          kernels::switchable_parallel_for(s, r, f, kernels::split_to_grain());
        });
      }
#endif
    }
  }
  // The longest substring that occurs twice, for the reader.
  void print_longest() const {
    auto const longest = std::max_element(expected_.begin(), expected_.end(),
                                          [](auto const& a, auto const& b) { return a.length < b.length; });
    auto const position = static_cast<std::size_t>(longest - expected_.begin());
    std::string shown = text_.substr(position, std::min<std::size_t>(60, static_cast<std::size_t>(longest->length)));
    std::replace_if(shown.begin(), shown.end(), [](unsigned char c) { return c < ' '; }, ' ');
    std::printf("longest substring found twice: %d characters at %zu and %d: \"%s%s\"\n", longest->length, position,
                longest->position, shown.c_str(), longest->length > 60 ? "..." : "");
  }

 private:
  static std::string setting(int grain) { return "grain " + std::to_string(grain); }
  range positions(int grain) const { return range(0, static_cast<int>(text_.size()), static_cast<std::size_t>(grain)); }
  // Each match found is one, and can't be made longer: a check that does not trust the search.
  bool proven() const {
    int const n = static_cast<int>(text_.size());
    for (int i = 0; i < n; ++i) {
      auto const [length, position] = expected_[static_cast<std::size_t>(i)];
      if (position < 0) {
        if (std::count(text_.begin(), text_.end(), text_[static_cast<std::size_t>(i)]) != 1) {
          return false;
        }
        continue;
      }
      char const* const a = text_.data() + i;
      char const* const b = text_.data() + position;
      bool const maximal = std::max(i, position) + length == n || a[length] != b[length];
      if (position == i || length < 1 || !std::equal(a, a + length, b) || !maximal) {
        return false;
      }
    }
    return true;
  }
  template <typename Loop>
  void run(std::string const& style, int grain, int threads, Loop const& loop) {
    if (driver_.wanted(style)) {
      driver_.parallel(
          style, setting(grain), threads,
          [&] {
            std::fill(found_.begin(), found_.end(), kernels::match());
            loop(positions(grain), finder(text_, found_));
          },
          [&] { return found_ == expected_; });
    }
  }

  kernels::driver& driver_;
  std::string text_;
  std::vector<int> grains_;
  std::vector<kernels::match> expected_, found_;
};

}  // namespace

int main(int argc, char** argv) {
  kernels::driver d(kernel, "for each position of a text, the longest substring found elsewhere too",
                    kernels::this_library());
  std::string path;
  int length = 0;
  std::vector<int> grains{100, 1};
  d.option("--file", path, "the text (default: the longest licence under /usr/share/common-licenses)");
  d.option("--length", length, "use only so many characters (default 40000; with --quick 12000)", 2, 10000000);
  d.option("--grains", grains, "grain sizes (default 100,1)", 1, 1000000);
  d.parse(argc, argv);
  if (path.empty()) {
    auto const licence = longest_licence();
    if (!licence) {
      kernels::fail(kernel, "no licence text found; name a text with --file", 2);
    }
    path = licence->string();
  }
  std::string text = read_text(path, length ? length : d.quick() ? 12000 : 40000);
  d.parameter("file", path);
  d.parameter("length", std::to_string(text.size()));

  measurement m(d, std::move(text), grains);
  m.serial();
  m.print_longest();
  for (int threads : d.threads()) {
    kernels::with_threads(threads, [&] { m.parallel(threads); });
  }
  return d.finish();
}
