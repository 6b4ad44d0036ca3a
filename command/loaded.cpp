// SPDX-License-Identifier: Apache-2.0
#include "loaded.h"
#include "elf_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

namespace ashlar::command {

namespace {

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

bool below(fs::path const& file, fs::path const& folder) {
  return begins(file.lexically_normal().string(), folder.lexically_normal().string() + "/");
}

// tbbbind has no tasks, and is loaded by oneTBB's own library only.
bool of_tbb(std::string const& name) {
  return name.find(".so") != std::string::npos && begins(name, "libtbb") && !begins(name, "libtbbbind");
}
bool of_allocator(std::string const& name) { return begins(name, "libtbbmalloc"); }
// Programs compiled with our headers load libtbb-ashlar.so.0, from anywhere.
bool native(std::string const& name) { return name.find("-ashlar.so") != std::string::npos; }

// One line of the record that tells something.
struct event {
  enum class kind { needed_by, started, begins, opened } what;
  std::string text;
};

// What stands between a mark and the end of the line, or before the second mark.
bool tells(std::string const& line, std::string_view mark, std::string_view end, std::string& text) {
  std::size_t const at = line.find(mark);
  if (at == std::string::npos) return false;
  text = line.substr(at + mark.size());
  if (!end.empty()) text.resize(std::min(text.rfind(end), text.size()));
  return true;
}

bool read_event(std::string const& line, event& e) {
  using k = event::kind;
  e.what = k::needed_by;
  if (tells(line, ";  needed by ", " [", e.text)) return true;
  e.what = k::started;
  if (tells(line, "calling init: ", "", e.text)) return true;
  e.what = k::begins;
  if (tells(line, "initialize program: ", "", e.text)) return true;
  e.what = k::opened;
  return tells(line, "opening file=", " [", e.text);
}

// A process writes one file, in which each program that it becomes by exec follows the one before. A program's part
// begins with the first library that it needs itself, and its name is told when all that it starts with was loaded.
std::vector<std::vector<event>> programs_of(fs::path const& record) {
  std::vector<std::vector<event>> programs(1);
  std::vector<event> since;
  std::ifstream in(record);
  event e;
  for (std::string line; std::getline(in, line);) {
    if (!read_event(line, e)) continue;
    since.push_back(e);
    if (e.what != event::kind::begins) continue;
    auto const first = std::find_if(since.begin(), since.end(), [&](event const& other) {
      return other.what == event::kind::needed_by && other.text == e.text;
    });
    programs.back().insert(programs.back().end(), since.begin(), first);
    programs.emplace_back(first, since.end());
    since.clear();
  }
  programs.back().insert(programs.back().end(), since.begin(), since.end());
  return programs;
}

bool needs_tbb(fs::path const& file) {
  std::vector<std::string> const needed = read_elf(file).needed;
  return std::any_of(needed.begin(), needed.end(),
                     [](std::string const& name) { return of_tbb(name) && !of_allocator(name); });
}

bool has_interface_of_onetbb(fs::path const& library) {
  std::ifstream in(library, std::ios::binary);
  std::string const content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return content.find("N3tbb6detail2r1") != std::string::npos;
}

// The program's name is what it was called by: a path, or a name that the shell has looked for.
bool program_may_need_tbb(std::string const& name) {
  try {
    fs::path const file = program_file(name);
    return !read_elf(file).elf || needs_tbb(file);
  } catch (failure const&) {
    return true;
  }
}

void look_at(std::vector<event> const& program, fs::path const& ours, fs::path const& links, loaded_libraries& found) {
  bool there = false;
  bool asked = false;
  std::vector<fs::path> others;
  for (event const& e : program) {
    fs::path const file = e.text;
    std::string const name = file.filename();
    bool const own = native(name) || below(file, ours) || below(file, links);
    if (e.what == event::kind::begins) asked = asked || program_may_need_tbb(e.text);
    if (e.what == event::kind::opened) asked = asked || (own && of_tbb(name) && !of_allocator(name));
    if (e.what != event::kind::started) continue;
    if (!of_tbb(name)) {
      asked = asked || needs_tbb(file);
    } else if (!own) {
      others.push_back(file);
    } else {
      there = there || !of_allocator(name);
    }
  }
  found.used = found.used || (there && asked);
  for (fs::path const& other : others) {
    other_kind const kind = of_allocator(other.filename())   ? other_kind::allocator
                            : has_interface_of_onetbb(other) ? other_kind::copy
                                                             : other_kind::classic;
    found.others[other] = {kind, there};
  }
}

}  // namespace

loaded_libraries read_record(fs::path const& folder, fs::path const& ours, fs::path const& links) {
  loaded_libraries found;
  for (auto const& entry : fs::directory_iterator(folder)) {
    if (!begins(entry.path().filename().string(), "record")) continue;
    found.recorded = true;
    for (std::vector<event> const& program : programs_of(entry.path())) look_at(program, ours, links, found);
  }
  return found;
}

}  // namespace ashlar::command
