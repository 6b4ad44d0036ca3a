// SPDX-License-Identifier: Apache-2.0
// The elements of an XML document, and whether it is one: a reader for what the flow graph draws.
#pragma once

#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

struct xml_element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;    // its own, without markup
  std::string inside;  // the class of the element that it is in

  bool has_class(std::string const& one) const {
    auto const at = attributes.find("class");
    return at != attributes.end() && (' ' + at->second + ' ').find(' ' + one + ' ') != std::string::npos;
  }
  long number(std::string const& attribute) const { return std::stol(attributes.at(attribute)); }
};

// Elements, attributes, text and the entities that XML knows. Throws std::runtime_error if the document is not
// well-formed.
class xml_reader {
 public:
  static std::vector<xml_element> read(std::string const& document) {
    xml_reader r(document);
    r.read_all();
    return r.elements_;
  }

 private:
  explicit xml_reader(std::string const& document) : from_(document) {}
  [[noreturn]] void fail(std::string const& what) const {
    throw std::runtime_error(what + " at " + std::to_string(at_) + ": " + from_.substr(at_, 80));
  }
  bool has(std::string const& what) const { return from_.compare(at_, what.size(), what) == 0; }
  void skip(std::string const& what) {
    if (!has(what)) fail("no " + what);
    at_ += what.size();
  }
  void skip_space() {
    while (at_ < from_.size() && std::isspace(static_cast<unsigned char>(from_[at_])) != 0) ++at_;
  }
  std::string read_name() {
    std::size_t const first = at_;
    auto const belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; };
    while (at_ < from_.size() && belongs(from_[at_])) ++at_;
    if (first == at_) fail("no name");
    return from_.substr(first, at_ - first);
  }
  // Up to one of the ends.
  std::string read_text(char end) {
    static std::map<std::string, char> const entities{
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    std::string text;
    while (at_ < from_.size() && from_[at_] != end && from_[at_] != '<') {
      auto const c = static_cast<unsigned char>(from_[at_]);
      if (c < 0x20 && c != '\n' && c != '\t') fail("a control character");
      if (c == '&') {
        std::string const entity = from_.substr(at_, from_.find(';', at_) - at_ + 1);
        if (entities.count(entity) == 0) fail("no entity");
        text += entities.at(entity);
        at_ += entity.size();
      } else {
        text += from_[at_++];
      }
    }
    return text;
  }
  void read_all() {
    std::vector<std::size_t> open;
    do {
      if (has("</")) {
        skip("</");
        if (open.empty() || read_name() != elements_[open.back()].name) fail("the end of another element");
        skip(">");
        open.pop_back();
      } else {
        skip("<");
        xml_element e;
        e.name = read_name();
        if (!open.empty()) e.inside = elements_[open.back()].attributes["class"];
        read_attributes(e);
        elements_.push_back(e);
        if (has("/>")) {
          skip("/>");
        } else {
          skip(">");
          open.push_back(elements_.size() - 1);
        }
      }
      std::string const text = read_text('<');
      if (!open.empty()) elements_[open.back()].text += text;
    } while (!open.empty());
    if (at_ != from_.size()) fail("something behind the document");
  }
  void read_attributes(xml_element& e) {
    for (skip_space(); !has(">") && !has("/>"); skip_space()) {
      std::string const name = read_name();
      skip("=\"");
      if (!e.attributes.emplace(name, read_text('"')).second) fail("an attribute twice");
      skip("\"");
    }
  }

  std::string const& from_;
  std::size_t at_ = 0;
  std::vector<xml_element> elements_;
};

}  // namespace test
