// SPDX-License-Identifier: Apache-2.0
#include "ray_tracer/scene_reader.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <utility>

namespace kernels::ray {
namespace {

constexpr float most = 1e6f;  // greatest coordinate: beyond it single precision shows

// The words of one line, taken from left to right.
class line_reader {
 public:
  line_reader(std::string const& line, std::string place) : place_(std::move(place)) {
    std::istringstream in(line.substr(0, line.find('#')));
    for (std::string w; in >> w;) {
      words_.push_back(w);
    }
  }

  [[noreturn]] void fail(std::string const& message) const {
    throw scene_error(place_ + ": " + (words_.empty() ? "" : words_[0] + ": ") + message);
  }
  bool empty() const { return next_ == words_.size(); }

  std::string word(char const* what) {
    if (empty()) {
      fail(std::string(what) + " is missing");
    }
    return words_[next_++];
  }
  float number(char const* what, float least = -most, float greatest = most) {
    std::string const w = word(what);
    char* end = nullptr;
    float const v = std::strtof(w.c_str(), &end);
    if (end == w.c_str() || *end || !std::isfinite(v)) {
      fail(std::string(what) + " is not a number: " + w);
    }
    if (v < least || v > greatest) {
      std::ostringstream text;
      text << what << " must lie between " << least << " and " << greatest << ", not " << w;
      fail(text.str());
    }
    return v;
  }
  int integer(char const* what, int least, int greatest) {
    float const v = number(what, static_cast<float>(least), static_cast<float>(greatest));
    if (v != std::floor(v)) {
      fail(std::string(what) + " must be a whole number");
    }
    return static_cast<int>(v);
  }
  vec3 vector(char const* what) {
    float const x = number(what), y = number(what), z = number(what);
    return {x, y, z};
  }
  vec3 colour(char const* what) {
    float const r = number(what, 0, 1000), g = number(what, 0, 1000), b = number(what, 0, 1000);
    return {r, g, b};
  }
  vec3 direction(char const* what) {
    vec3 const v = vector(what);
    if (!(length(v) > 1e-6f)) {
      fail(std::string(what) + " must not be zero");
    }
    return normalized(v);
  }
  void end() const {
    if (!empty()) {
      fail("unexpected '" + words_[next_] + "' at the end");
    }
  }

 private:
  std::string place_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

class reader {
 public:
  explicit reader(std::string file) : file_(std::move(file)) {}

  scene read(std::istream& text) {
    std::string line;
    while (std::getline(text, line)) {
      ++number_;
      line_reader r(line, place());
      if (!r.empty()) {
        statement(r);
      }
    }
    if (text.bad()) {
      throw scene_error(file_ + ": read error");
    }
    if (!has_camera_) {
      throw scene_error(place() + ": the scene has no camera");
    }
    if (scene_.lights.empty()) {
      throw scene_error(place() + ": the scene has no light");
    }
    if (scene_.primitives() == 0) {
      throw scene_error(place() + ": the scene is empty");
    }
    return std::move(scene_);
  }

 private:
  struct corner {
    vec3 point, normal;
    bool smooth;
  };
  using handler = void (reader::*)(line_reader&);

  std::string place() const { return file_ + ":" + std::to_string(number_); }

  void statement(line_reader& r) {
    static std::map<std::string, handler> const handlers = {
        {"image", &reader::image},        {"background", &reader::background},
        {"ambient", &reader::ambient},    {"fog", &reader::fog},
        {"exposure", &reader::exposure},  {"samples", &reader::samples},
        {"depth", &reader::depth},        {"camera", &reader::view},
        {"light", &reader::lamp},         {"material", &reader::surface},
        {"sphere", &reader::ball},        {"plane", &reader::flat},
        {"triangle", &reader::triangle_}, {"vertex", &reader::vertex},
        {"face", &reader::face}};
    std::string const keyword = r.word("keyword");
    auto const found = handlers.find(keyword);
    if (found == handlers.end()) {
      throw scene_error(place() + ": unknown keyword '" + keyword + "'");
    }
    (this->*found->second)(r);
    r.end();
  }

  void image(line_reader& r) {
    scene_.width = r.integer("width", 1, 16384);
    scene_.height = r.integer("height", 1, 16384);
  }
  void background(line_reader& r) {
    scene_.horizon = r.colour("colour at the horizon");
    scene_.zenith = r.colour("colour at the zenith");
  }
  void ambient(line_reader& r) { scene_.ambient = r.colour("colour"); }
  void fog(line_reader& r) { scene_.fog = 1.0f / r.number("distance", 1e-3f); }
  void exposure(line_reader& r) { scene_.exposure = r.number("factor", 1e-3f, 1000); }
  void samples(line_reader& r) {
    scene_.samples = r.integer("rays per pixel edge", 1, 16);
    if (!r.empty()) {
      scene_.shadow_rays = r.integer("shadow rays", 1, 64);
    }
  }
  void depth(line_reader& r) { scene_.depth = r.integer("depth", 0, 32); }

  void view(line_reader& r) {
    if (std::exchange(has_camera_, true)) {
      r.fail("only one is allowed");
    }
    camera& c = scene_.view;
    c.eye = r.vector("eye");
    c.target = r.vector("target");
    c.field_of_view = r.number("field of view", 1, 170);
    if (!r.empty()) {
      c.up = r.direction("up");
    }
    if (!(length(c.target - c.eye) > 1e-6f)) {
      r.fail("eye and target are the same point");
    }
    if (!(length(cross(normalized(c.target - c.eye), c.up)) > 1e-4f)) {
      r.fail("looks along its up direction");
    }
  }
  void lamp(line_reader& r) {
    light l;
    l.position = r.vector("position");
    l.colour = r.colour("colour");
    if (!r.empty()) {
      l.radius = r.number("radius", 0);
    }
    scene_.lights.push_back(l);
  }
  void surface(line_reader& r) {
    std::string const name = r.word("name");
    if (!material_of_.emplace(name, static_cast<std::uint32_t>(scene_.materials.size())).second) {
      r.fail("'" + name + "' is defined twice");
    }
    material m;
    m.colour = r.colour("colour");
    std::map<std::string, std::function<void()>> const properties = {
        {"diffuse", [&] { m.diffuse = r.number("diffuse", 0, 1); }},
        {"specular", [&] { m.specular = r.number("specular", 0, 10); }},
        {"shininess", [&] { m.shininess = r.number("shininess", 1, 10000); }},
        {"reflect", [&] { m.reflect = r.number("reflect", 0, 1); }},
        {"fresnel", [&] { m.fresnel = r.number("fresnel", 0, 1); }},
        {"checker", [&] {
           m.checker = r.number("checker", 1e-3f);
           m.colour2 = r.colour("second colour");
         }}};
    while (!r.empty()) {
      std::string const property = r.word("property");
      auto const found = properties.find(property);
      if (found == properties.end()) {
        r.fail("unknown property '" + property + "'");
      }
      found->second();
    }
    if (m.reflect + m.fresnel > 1) {
      r.fail("reflect and fresnel add up to more than 1");
    }
    scene_.materials.push_back(m);
  }
  std::uint32_t material_named(line_reader& r) {
    std::string const name = r.word("material");
    auto const found = material_of_.find(name);
    if (found == material_of_.end()) {
      r.fail("unknown material '" + name + "'");
    }
    return found->second;
  }
  void ball(line_reader& r) {
    std::uint32_t const m = material_named(r);
    vec3 const centre = r.vector("centre");
    scene_.spheres.push_back({centre, r.number("radius", 1e-4f), m});
  }
  void flat(line_reader& r) {
    std::uint32_t const m = material_named(r);
    vec3 const point = r.vector("point");
    vec3 const normal = r.direction("normal");
    scene_.planes.push_back({normal, dot(normal, point), m});
  }
  void triangle_(line_reader& r) {
    std::uint32_t const m = material_named(r);
    vec3 const a = r.vector("first corner"), b = r.vector("second corner"), c = r.vector("third corner");
    add_triangle(r, m, {a, {}, false}, {b, {}, false}, {c, {}, false});
  }
  void vertex(line_reader& r) {
    corner v{r.vector("point"), {}, !r.empty()};
    if (v.smooth) {
      v.normal = r.direction("normal");
    }
    corners_.push_back(v);
  }
  void face(line_reader& r) {
    std::uint32_t const m = material_named(r);
    std::vector<corner> polygon;
    while (!r.empty()) {
      polygon.push_back(corner_numbered(r));
    }
    if (polygon.size() < 3) {
      r.fail("needs at least three vertices");
    }
    for (std::size_t i = 2; i < polygon.size(); ++i) {
      add_triangle(r, m, polygon[0], polygon[i - 1], polygon[i]);
    }
  }
  corner corner_numbered(line_reader& r) {
    if (corners_.empty()) {
      r.fail("no vertex is defined yet");
    }
    int const index = r.integer("vertex number", 1, static_cast<int>(most));
    if (static_cast<std::size_t>(index) > corners_.size()) {
      r.fail("vertex " + std::to_string(index) + " is not defined yet, the last is " + std::to_string(corners_.size()));
    }
    return corners_[static_cast<std::size_t>(index) - 1];
  }
  void add_triangle(line_reader& r, std::uint32_t m, corner const& a, corner const& b, corner const& c) {
    vec3 const edge1 = b.point - a.point, edge2 = c.point - a.point;
    vec3 const normal = cross(edge1, edge2);
    if (!(length(normal) > 1e-12f)) {
      r.fail("a triangle without area");
    }
    vec3 const flat = normalized(normal);
    bool const smooth = a.smooth && b.smooth && c.smooth;
    scene_.triangles.push_back(
        {a.point, edge1, edge2, smooth ? a.normal : flat, smooth ? b.normal : flat, smooth ? c.normal : flat, m});
  }

  std::string file_;
  int number_ = 0;
  scene scene_;
  bool has_camera_ = false;
  std::map<std::string, std::uint32_t> material_of_;
  std::vector<corner> corners_;
};

}  // namespace

scene read_scene(std::istream& text, std::string const& file_name) { return reader(file_name).read(text); }

scene read_scene_file(std::string const& path) {
  std::ifstream file(path);
  if (!file) {
    throw scene_error(path + ": cannot open: " + std::strerror(errno));
  }
  return read_scene(file, path);
}

}  // namespace kernels::ray
