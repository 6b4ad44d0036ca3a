// SPDX-License-Identifier: Apache-2.0
#include "trace/source_place.h"

#include "obs/user_name.h"

#if ASHLAR_HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace ashlar::sim {

namespace {

bool is_library_file(std::string const& path) {
  for (char const* const part :
       {"include/ashlar/", "include/tbb/", "include/oneapi/", "include/c++/", "/include/pstl/"}) {
    if (path.find(part) != std::string::npos) return true;
  }
  return path.rfind("/usr/include", 0) == 0;
}

// "dir/main.cpp", 12 -> "main.cpp:12"; empty for a library's file.
std::string place(char const* path, int line) {
  if (path == nullptr || line == 0) return {};
  std::string const file = path;
  if (is_library_file(file)) return {};
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(line);
}

std::string place_of(Dwarf_Die& die) {
  int line = 0;
  if (dwarf_decl_line(&die, &line) != 0) return {};
  if (char const* const file = dwarf_decl_file(&die)) return place(file, line);
  // DWARF 5 counts files from 0, the unit's own, which elfutils before 0.189 take for none.
  Dwarf_Attribute a;
  Dwarf_Word number = 1;
  Dwarf_Die unit;
  bool const own = dwarf_attr_integrate(&die, DW_AT_decl_file, &a) != nullptr && dwarf_formudata(&a, &number) == 0 &&
                   number == 0 && dwarf_diecu(&die, &unit, nullptr, nullptr) != nullptr;
  return own ? place(dwarf_diename(&unit), line) : std::string();
}

// Of a lambda that clang describes by its name only, "(lambda at main.cpp:12:3)", in the name of the template.
std::string place_in_name(char const* name) {
  if (name == nullptr) return {};
  std::string const text = name;
  constexpr char const* word = "(lambda at ";
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    std::size_t const begin = at + std::strlen(word), end = text.find(')', begin);
    std::string const all = text.substr(begin, end - begin);
    std::size_t const column = all.rfind(':');
    std::size_t const colon = column != std::string::npos ? all.rfind(':', column - 1) : column;
    if (colon == std::string::npos) continue;
    std::string const found = place(all.substr(0, colon).c_str(), std::atoi(all.c_str() + colon + 1));
    if (!found.empty()) return found;
  }
  return {};
}

// "(anonymous namespace)::spin(int)::body" -> "spin::body": debug information keeps no parameters in names.
std::string without_parameters(std::string const& name) {
  std::string out;
  int depth = 0;
  for (char const c : name) {
    if (c == '(') ++depth;
    if (depth == 0) out += c;
    if (c == ')') --depth;
  }
  while (out.rfind("::", 0) == 0) out.erase(0, 2);
  for (std::size_t at = out.find("::::"); at != std::string::npos; at = out.find("::::")) out.erase(at, 2);
  return out;
}

}  // namespace

class source_places::reader {
 public:
  explicit reader(std::string const& file) {
    static Dwfl_Callbacks callbacks = [] {
      Dwfl_Callbacks c{};
      c.find_elf = dwfl_build_id_find_elf;
      c.find_debuginfo = dwfl_standard_find_debuginfo;
      c.section_address = dwfl_offline_section_address;
      return c;
    }();
    session_ = dwfl_begin(&callbacks);
    if (session_ == nullptr) return;
    module_ = dwfl_report_offline(session_, "", file.c_str(), -1);
    dwfl_report_end(session_, nullptr, nullptr);
    if (module_ != nullptr) debug_ = dwfl_module_getdwarf(module_, &bias_);
  }
  ~reader() {
    if (session_ != nullptr) dwfl_end(session_);
  }
  reader(reader const&) = delete;
  reader& operator=(reader const&) = delete;

  bool known() const noexcept { return debug_ != nullptr; }

  std::string of_code(std::uint64_t address) {
    Dwarf_Die function;
    if (debug_ == nullptr || !find_function(address, function)) return {};
    std::string const own = place_of(function);
    if (!own.empty()) return own;
    std::string const found = in_scopes_of(function, 0);
    return found.empty() ? in_line_table(function, address) : found;
  }

  std::string of_class(std::string const& name) {
    if (debug_ == nullptr) return {};
    if (!listed_) list_classes();
    auto found = classes_.find(name);
    if (found == classes_.end()) found = classes_.find(without_parameters(name));
    return found != classes_.end() ? found->second : std::string();
  }

 private:
  static constexpr int deepest = 30;

  template <typename Take>
  void each_unit(Take const& take) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Half version = 0;
    std::uint8_t kind = 0;
    Dwarf_Die die, part;
    while (dwarf_get_units(debug_, unit, &unit, &version, &kind, &die, &part) == 0) {
      if (take(die)) return;
    }
  }

  bool find_function(std::uint64_t address, Dwarf_Die& result) {
    struct search {
      std::uint64_t address;
      Dwarf_Die* result;
      bool found;
    } s{address, &result, false};
    each_unit([&](Dwarf_Die& unit) {
      if (dwarf_haspc(&unit, address) <= 0) return false;
      dwarf_getfuncs(
          &unit,
          [](Dwarf_Die* function, void* data) {
            auto& wanted = *static_cast<search*>(data);
            if (dwarf_haspc(function, wanted.address) <= 0) return static_cast<int>(DWARF_CB_OK);
            *wanted.result = *function;
            wanted.found = true;
            return static_cast<int>(DWARF_CB_ABORT);
          },
          &s, 0);
      return s.found;
    });
    return s.found;
  }

  // The code's own line: of a coroutine's body nothing else is known.
  static std::string in_line_table(Dwarf_Die& function, std::uint64_t address) {
    Dwarf_Die unit;
    if (dwarf_diecu(&function, &unit, nullptr, nullptr) == nullptr) return {};
    Dwarf_Line* const line = dwarf_getsrc_die(&unit, address);
    int number = 0;
    if (line == nullptr || dwarf_lineno(line, &number) != 0) return {};
    return place(dwarf_linesrc(line, nullptr, nullptr), number);
  }

  static bool refer(Dwarf_Die& die, unsigned name, Dwarf_Die& to) {
    Dwarf_Attribute a;
    return dwarf_attr(&die, name, &a) != nullptr && dwarf_formref_die(&a, &to) != nullptr;
  }

  // The type arguments of the template that made the entity, the last one first; and those of what it lies in.
  std::string in_arguments(Dwarf_Die& of, int level) {
    std::vector<Dwarf_Die> arguments;
    list_arguments(of, arguments);
    char const* const name = dwarf_diename(&of);
    int const known = name != nullptr ? obs::function_argument(name) : -1;
    if (known >= 0) {
      bool const there = static_cast<std::size_t>(known) < arguments.size();
      return there ? in_type(arguments[static_cast<std::size_t>(known)], level + 1) : std::string();
    }
    for (auto a = arguments.rbegin(); a != arguments.rend(); ++a) {
      std::string const found = in_type(*a, level + 1);
      if (!found.empty()) return found;
    }
    return {};
  }
  static void list_arguments(Dwarf_Die& of, std::vector<Dwarf_Die>& to) {
    Dwarf_Die child;
    if (dwarf_child(&of, &child) != 0) return;
    do {
      int const tag = dwarf_tag(&child);
      Dwarf_Die type;
      if (tag == DW_TAG_template_type_parameter && refer(child, DW_AT_type, type)) to.push_back(type);
      if (tag == DW_TAG_GNU_template_parameter_pack) list_arguments(child, to);
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  std::string in_scopes_of(Dwarf_Die& entity, int level) {
    if (level > deepest) return {};
    std::string const found = in_arguments(entity, level);
    if (!found.empty()) return found;
    Dwarf_Die declared;
    for (unsigned const to : {DW_AT_abstract_origin, DW_AT_specification}) {
      if (refer(entity, to, declared)) return in_scopes_of(declared, level + 1);
    }
    if (std::string named = place_in_name(dwarf_diename(&entity)); !named.empty()) return named;
    Dwarf_Die* scopes = nullptr;
    int const n = dwarf_getscopes_die(&entity, &scopes);
    std::string result;
    for (int i = 1; i < n && result.empty(); ++i) {
      int const tag = dwarf_tag(&scopes[i]);
      if (tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_subprogram) {
        result = in_scopes_of(scopes[i], level + 1);
        break;
      }
    }
    std::free(scopes);
    return result;
  }

  std::string in_type(Dwarf_Die type, int level) {
    if (level > deepest) return {};
    Dwarf_Die inner;
    for (int tag = dwarf_tag(&type); tag == DW_TAG_const_type || tag == DW_TAG_reference_type; tag = dwarf_tag(&type)) {
      if (!refer(type, DW_AT_type, inner)) return {};
      type = inner;
    }
    int const tag = dwarf_tag(&type);
    if (tag != DW_TAG_class_type && tag != DW_TAG_structure_type) return {};
    std::string const own = place_of(type);
    if (!own.empty()) return own;
    if (char const* const name = dwarf_diename(&type)) {
      for (char const* const data : {"__normal_iterator<", "vector<", "allocator<", "blocked_range"}) {
        if (std::strncmp(name, data, std::strlen(data)) == 0) return {};
      }
    }
    return in_scopes_of(type, level + 1);
  }

  void list_classes() {
    listed_ = true;
    each_unit([&](Dwarf_Die& unit) {
      list_classes(unit, "", 0);
      return false;
    });
  }
  void list_classes(Dwarf_Die& in, std::string const& prefix, int level) {
    Dwarf_Die child;
    if (level > deepest || dwarf_child(&in, &child) != 0) return;
    do {
      int const tag = dwarf_tag(&child);
      char const* const name = dwarf_diename(&child);
      if (tag == DW_TAG_subprogram) note_call_operator(child);
      bool const is_class = tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
      if (!is_class && tag != DW_TAG_namespace && tag != DW_TAG_subprogram) continue;
      std::string const own = name != nullptr ? name : tag == DW_TAG_namespace ? "" : "?";
      if (is_class && !own.empty()) classes_.try_emplace(prefix + own, place_of(child));
      list_classes(child, own.empty() ? prefix : prefix + own + "::", level + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  // clang names a lambda only in its call operator's symbol: "_ZZ5threevENK3$_1clEv".
  void note_call_operator(Dwarf_Die& function) {
    Dwarf_Attribute a;
    if (dwarf_attr(&function, DW_AT_linkage_name, &a) == nullptr) return;
    char const* const mangled = dwarf_formstring(&a);
    if (mangled == nullptr || std::strstr(mangled, "$_") == nullptr) return;
    std::string const plain = obs::demangled(mangled);
    std::size_t const end = plain.rfind("::operator()");
    if (end != std::string::npos) classes_.try_emplace(plain.substr(0, end), place_of(function));
  }

  Dwfl* session_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  Dwarf* debug_ = nullptr;
  Dwarf_Addr bias_ = 0;
  bool listed_ = false;
  std::unordered_map<std::string, std::string> classes_;  // and lambdas: place by name
};

source_places::source_places(std::string const& file) : reader_(std::make_unique<reader>(file)) {}
source_places::~source_places() = default;
bool source_places::known() const noexcept { return reader_->known(); }
std::string source_places::of_code(std::uint64_t address) { return reader_->of_code(address); }
std::string source_places::of_class(std::string const& name) { return reader_->of_class(name); }

}  // namespace ashlar::sim

#else

namespace ashlar::sim {

class source_places::reader {};
source_places::source_places(std::string const&) {}
source_places::~source_places() = default;
bool source_places::known() const noexcept { return false; }
std::string source_places::of_code(std::uint64_t) { return {}; }
std::string source_places::of_class(std::string const&) { return {}; }

}  // namespace ashlar::sim

#endif
