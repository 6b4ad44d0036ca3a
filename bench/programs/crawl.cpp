// SPDX-License-Identifier: Apache-2.0
// Crawls a web of pages made by hashing: tasks of a group in an arena take page numbers from a concurrent_queue, make
// the page's text, find the links in it and queue those that a concurrent_unordered_set has not seen. Whoever queues
// more than one page runs a task more.
#include "common/random.h"
#include "common/tbb_program.h"

#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

class crawl {
 public:
  explicit crawl(double scale) : pages_(programs::scaled(scale, 120000, 1000)) {}

  void work() {
    tbb::task_arena arena(tbb::this_task_arena::max_concurrency());
    arena.execute([this] {
      seen_.insert(0);
      queue_.push(0);
      // Made here, because in TBB 2020 the first task_group decides how many threads there are.
      tbb::task_group tasks;
      tasks_ = &tasks;
      tasks.run([this] { visit_next(); });
      tasks.wait();
    });
  }

  char const* wrong() {
    std::vector<bool> reached(pages_);
    std::vector<std::size_t> todo{0};
    reached[0] = true;
    std::uint64_t digest = 0;
    for (std::size_t i = 0; i < todo.size(); ++i) {
      digest += programs::mix(todo[i]);
      for (std::size_t link = 0; link < links; ++link) {
        std::size_t const to = target(todo[i], link);
        if (!reached[to]) todo.push_back(to);
        reached[to] = true;
      }
    }
    visited all;
    for (visited const& v : visits_) {
      all.pages += v.pages;
      all.digest += v.digest;
    }
    if (all.pages != todo.size() || seen_.size() != todo.size()) return "number of pages";
    return all.digest == digest && queue_.empty() ? nullptr : "digest of the pages";
  }

 private:
  static constexpr std::size_t links = 8;

  struct visited {
    std::size_t pages = 0;
    std::uint64_t digest = 0;
  };

  std::size_t target(std::size_t page, std::size_t link) const {
    return programs::mix(page * links + link + 1) % pages_;
  }

  std::string text_of(std::size_t page) const {
    std::string text = "<html><title>page " + std::to_string(page) + "</title>\n";
    for (std::size_t link = 0; link < links; ++link) {
      for (std::size_t word = 0; word < 12; ++word) {
        text += "lorem ipsum dolor " + std::to_string(programs::mix(page + word) % 1000) + ' ';
      }
      text += "<a href=\"/" + std::to_string(target(page, link)) + "\">link</a>\n";
    }
    return text + "</html>\n";
  }

  // One page of the queue; there is one task for every page in it.
  void visit_next() {
    std::size_t page = 0;
    while (!queue_.try_pop(page)) {
    }
    visited& mine = visits_.local();
    ++mine.pages;
    mine.digest += programs::mix(page);
    std::string const text = text_of(page);
    static std::string const mark = "href=\"/";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
      at += mark.size();
      std::size_t const to = std::strtoul(text.c_str() + at, nullptr, 10);
      if (!seen_.insert(to).second) continue;
      queue_.push(to);
      tasks_->run([this] { visit_next(); });
    }
  }

  std::size_t const pages_;
  tbb::concurrent_queue<std::size_t> queue_;
  tbb::concurrent_unordered_set<std::size_t> seen_;
  tbb::enumerable_thread_specific<visited> visits_;
  tbb::task_group* tasks_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<crawl>(argc, argv); }
