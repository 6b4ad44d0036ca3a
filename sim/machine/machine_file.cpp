// SPDX-License-Identifier: Apache-2.0
#include "machine/machine_file.h"

#include "program/bad_input.h"
#include "program/printable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

namespace ashlar::sim {

namespace {

using json = nlohmann::ordered_json;

constexpr int version = 1;

struct count_entry {
  char const* name;
  unsigned machine::* value;
};
constexpr count_entry counts[] = {
    {"cores", &machine::cores}, {"cluster_size", &machine::cluster_size}, {"socket_size", &machine::socket_size}};

struct line_entry {
  char const* name;
  picoseconds machine::* value;
};
constexpr line_entry lines[] = {{"cluster", &machine::cluster_line},
                                {"socket", &machine::socket_line},
                                {"remote", &machine::remote_line},
                                {"mesh_hop", &machine::mesh_hop},
                                {"line_busy", &machine::line_busy}};
// In line_ns, 0 if it is missing.
constexpr char const* ahead = "line_ahead";

using operations = machine::operations;
struct cost_entry {
  char const* name;
  picoseconds operations::* value;
};
constexpr cost_entry costs[] = {{"cycle", &operations::cycle},
                                {"spawn", &operations::spawn},
                                {"pop", &operations::pop},
                                {"wait", &operations::wait},
                                {"resume", &operations::resume},
                                {"choose", &operations::choose},
                                {"scan_entry", &operations::scan_entry},
                                {"probe", &operations::probe},
                                {"steal", &operations::steal},
                                {"steal_hold", &operations::steal_hold},
                                {"pause", &operations::pause},
                                {"back_off", &operations::back_off},
                                {"yield", &operations::yield},
                                {"fence", &operations::fence},
                                {"fence_hit", &operations::fence_hit},
                                {"wake_call", &operations::wake_call},
                                {"wake_latency", &operations::wake_latency}};

struct power_entry {
  char const* name;
  std::uint64_t machine::milliwatts::* value;
};
constexpr power_entry powers[] = {{"busy", &machine::milliwatts::busy},
                                  {"spinning", &machine::milliwatts::spinning},
                                  {"parked", &machine::milliwatts::parked}};

constexpr char const* protocols[] = {"ashlar", "tbb41"};

// One file while it is read.
class reader {
 public:
  reader(std::string const& text, std::string const& file) : text_(text), file_(file) {}

  machine_file read() {
    json const all = parse();
    if (!all.is_object()) fail("", "a machine is a JSON object");
    only(all, {"ashlar_machine", "name", "source", "cores", "cluster_size", "socket_size", "protocol", "line_ns",
               "cost_ns", "power_mw"});
    if (number(all, "ashlar_machine", 0, 1e6) != version) {
      fail("ashlar_machine", fmt::format("this version reads format {} only", version));
    }
    machine_file result;
    machine& m = result.described;
    m.name = text(all, "name");
    if (!entry(all, "source").is_array()) fail("source", "is not a list of texts");
    for (json const& line : entry(all, "source")) {
      if (!line.is_string()) fail("source", "is not a list of texts");
      result.source.push_back(line.get<std::string>());
    }
    for (auto const& [name, value] : counts) m.*value = static_cast<unsigned>(whole(all, name, 1, 1 << 20));
    if (m.socket_size > m.cores) {
      fail("socket_size", fmt::format("{} is larger than cores, {}", m.socket_size, m.cores));
    }
    if (m.socket_size % m.cluster_size != 0) fail("socket_size", "is not a multiple of cluster_size");
    std::string const protocol = text(all, "protocol");
    auto const* const found = std::find(std::begin(protocols), std::end(protocols), protocol);
    if (found == std::end(protocols)) fail("protocol", fmt::format("'{}' is neither ashlar nor tbb41", protocol));
    m.protocol = static_cast<steal_protocol>(found - protocols);
    section(all, "line_ns", lines, [&](auto const& e, double v) { m.*(e.value) = in_picoseconds(v); }, ahead);
    json const& line_times = all["line_ns"];
    if (line_times.contains(ahead)) m.line_ahead = in_picoseconds(number(line_times, ahead, 0, 1e9));
    section(all, "cost_ns", costs, [&](auto const& e, double v) { m.costs.*(e.value) = in_picoseconds(v); });
    section(all, "power_mw", powers,
            [&](auto const& e, double v) { m.power.*(e.value) = static_cast<std::uint64_t>(as_whole(e.name, v)); });
    // A simulation whose idle workers take next to no time between two looks would not end in any of ours.
    number(all["cost_ns"], "pause", 1, 1e9);
    return result;
  }

 private:
  [[noreturn]] void fail_at(std::size_t position, std::string const& what) const {
    std::size_t const end = std::min(position, text_.size());
    auto const line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    throw bad_input(fmt::format("{}:{}: {}", file_, line, what));
  }
  // At the line where the entry stands; the first one if it is missing.
  [[noreturn]] void fail(std::string const& name, std::string const& what) const {
    std::size_t const at = text_.find('"' + name + '"');
    std::string line = name.empty() ? what : name + ": " + what;
    std::replace_if(line.begin(), line.end(), [](unsigned char c) { return c < ' '; }, '?');
    fail_at(at == std::string::npos ? 0 : at, line);
  }
  json parse() const {
    std::vector<std::set<std::string>> open;
    auto const watch = [&](int, json::parse_event_t event, json& value) {
      if (event == json::parse_event_t::object_start) open.emplace_back();
      if (event == json::parse_event_t::object_end) open.pop_back();
      if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second) {
        std::string name = value.get<std::string>();
        std::size_t const at = text_.rfind('"' + name + '"');
        std::replace_if(name.begin(), name.end(), [](unsigned char c) { return c < ' '; }, '?');
        fail_at(at == std::string::npos ? 0 : at, name + ": appears twice");
      }
      return true;
    };
    try {
      return json::parse(text_, watch);
    } catch (json::parse_error const& e) {
      fail_at(e.byte == 0 ? 0 : e.byte - 1, "this is not JSON");
    } catch (json::out_of_range const& e) {
      // A number beyond what a double holds; it stands quoted in the message.
      std::string const what = e.what();
      std::size_t const begin = what.find('\'') + 1;
      std::string const number = what.substr(begin, what.rfind('\'') - begin);
      fail_at(text_.find(number), number + " is too large a number");
    }
  }
  void only(json const& object, std::vector<std::string> const& names) const {
    for (auto const& [name, value] : object.items()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) fail(name, "unknown entry");
    }
    for (std::string const& name : names) entry(object, name);
  }
  json const& entry(json const& object, std::string const& name) const {
    auto const it = object.find(name);
    if (it == object.end()) fail(name, "missing");
    return *it;
  }
  std::string text(json const& object, char const* name) const {
    json const& value = entry(object, name);
    if (!value.is_string()) fail(name, "is not a text");
    return printable(value.get<std::string>());
  }
  double number(json const& object, char const* name, double least, double most) const {
    json const& value = entry(object, name);
    if (!value.is_number()) fail(name, "is not a number");
    double const v = value.get<double>();
    if (!(v >= least && v <= most)) fail(name, fmt::format("{} is not between {} and {}", v, least, most));
    return v;
  }
  double as_whole(char const* name, double v) const {
    if (v != std::floor(v)) fail(name, fmt::format("{} is not a whole number", v));
    return v;
  }
  double whole(json const& object, char const* name, double least, double most) const {
    return as_whole(name, number(object, name, least, most));
  }
  template <typename Table, typename Set>
  void section(json const& all, char const* name, Table const& table, Set set, char const* optional = nullptr) const {
    json const& object = entry(all, name);
    if (!object.is_object()) fail(name, "is not an object");
    std::vector<std::string> names;
    for (auto const& e : table) names.emplace_back(e.name);
    if (optional != nullptr && object.contains(optional)) names.emplace_back(optional);
    only(object, names);
    for (auto const& e : table) set(e, number(object, e.name, 0, 1e9));
  }
  static picoseconds in_picoseconds(double ns) { return static_cast<picoseconds>(std::llround(ns * 1000)); }

  std::string const& text_;
  std::string const& file_;
};

// Where others may write, too, they could have put a link to a file of the user's at any name that they guess: the file
// is a new one. Its name, or nothing.
std::string make_new_file(std::string const& stem) {
  for (int i = 0; i < 1000; ++i) {
    std::string name = fmt::format("{}.{}.{}", stem, ::getpid(), i);
    int const file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      ::close(file);
      return name;
    }
    if (errno != EEXIST) break;
  }
  return {};
}

double in_ns(picoseconds t) { return static_cast<double>(t) / 1000; }

}  // namespace

machine_file parse_machine(std::string const& text, std::string const& file_name) {
  // JSON takes many times its size in memory.
  constexpr std::size_t most = 1'000'000;
  if (text.size() > most) {
    throw bad_input(fmt::format("{}: a machine takes less than {} MB", file_name, most / 1'000'000));
  }
  return reader(text, file_name).read();
}

// The described machines: installed beside the program, so that an installation can be moved; else the source's.
static std::string machines_folder() {
  std::error_code none;
  std::filesystem::path const program = std::filesystem::read_symlink("/proc/self/exe", none);
  std::filesystem::path const installed = program.parent_path().parent_path() / "share/ashlar/machines";
  bool const there = std::filesystem::is_directory(installed, none);
  return (there ? installed.string() : std::string(ASHLAR_SIM_FOLDER) + "/machines") + "/";
}

machine_file load_machine(std::string const& name_or_path) {
  bool const path = name_or_path.find_first_of("/.") != std::string::npos;
  std::string const folder = machines_folder();
  std::string const file = path ? name_or_path : folder + name_or_path + ".json";
  if (std::error_code none; !path && !std::filesystem::exists(file, none)) {
    std::vector<std::string> names{"a file"};
    for (auto const& entry : std::filesystem::directory_iterator(folder, none)) names.push_back(entry.path().stem());
    std::sort(names.begin() + 1, names.end());
    throw bad_input::unknown("machine", name_or_path, names);
  }
  return parse_machine(read_file(file), file);
}

std::string to_json(machine_file const& f) {
  machine const& m = f.described;
  json all;
  all["ashlar_machine"] = version;
  all["name"] = m.name;
  all["source"] = f.source;
  for (auto const& [name, value] : counts) all[name] = m.*value;
  all["protocol"] = protocols[static_cast<std::size_t>(m.protocol)];
  for (auto const& e : lines) all["line_ns"][e.name] = in_ns(m.*(e.value));
  if (m.line_ahead != 0) all["line_ns"][ahead] = in_ns(m.line_ahead);
  for (auto const& e : costs) all["cost_ns"][e.name] = in_ns(m.costs.*(e.value));
  for (auto const& e : powers) all["power_mw"][e.name] = m.power.*(e.value);
  return all.dump(2) + "\n";
}

std::string read_file(std::string const& path) {
  constexpr std::size_t most = 100'000'000;
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text;
  for (char piece[4096]; in && text.size() <= most;) {
    in.read(piece, sizeof piece);
    text.append(piece, static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > most) throw bad_input(fmt::format("{}: larger than {} MB", path, most / 1'000'000));
  if (!in.eof()) throw bad_input(fmt::format("{}: {}", path, errno != 0 ? std::strerror(errno) : "can't be read"));
  return text;
}

void write_file(std::string const& path, std::string const& text) {
  std::error_code unknown;
  auto const kind = std::filesystem::status(path, unknown).type();
  // A device, a pipe or a terminal is written into: putting a file in its place would take it from everybody.
  bool const special = kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular &&
                       kind != std::filesystem::file_type::directory && kind != std::filesystem::file_type::none;
  if (special) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (out) return;
    throw bad_input(fmt::format("{}: {}", path, std::strerror(errno)));
  }
  std::string const other = make_new_file(path + ".part");
  if (!other.empty()) {
    std::ofstream out(other, std::ios::binary);
    out << text;
    out.close();
    if (out && std::rename(other.c_str(), path.c_str()) == 0) return;
  }
  std::string const why = std::strerror(errno);
  if (!other.empty()) std::remove(other.c_str());
  throw bad_input(fmt::format("{}: {}", path, why));
}

}  // namespace ashlar::sim
