// SPDX-License-Identifier: Apache-2.0
// One node of any kind, or a copy of it: what each call of each of its ports returns, with successors that take all,
// some or nothing, come, go and are reset.
#include "port_nodes.h"

namespace differ {

namespace {

// Who follows an output: takes all, or as many as a limit, and refuses the others.
struct follower {
  follower(flow::graph& g, int limit)
      : sink(g, flow::serial, [this](counted const& c) { seen.push_back(c.value); }),
        gate(g, static_cast<std::size_t>(limit)) {
    if (limit > 0) flow::make_edge(gate, sink);
  }
  std::vector<int> seen;
  flow::function_node<counted> sink;
  flow::limiter_node<counted> gate;
  flow::sender<counted>* from = nullptr;
  flow::receiver<counted>* to = nullptr;
};

class scene {
 public:
  explicit scene(step const& program) : node_(make_port_node(graph_, program, notes_)) {}
  ~scene() { graph_.wait_for_all(); }
  scene(scene const&) = delete;
  scene& operator=(scene const&) = delete;

  void act(step const& s, std::string const& path, book& told) {
    if (s.kind == "put") {
      put(s, path, told);
    } else if (s.kind == "follow") {
      follow(s);
    } else if (s.kind == "cut") {
      cut(s);
    } else if (s.kind == "get") {
      if (node_.get && !reserved_) told.tell(path, node_.get());
    } else if (s.kind == "reserve") {
      reserve(s, path, told);
    } else if (s.kind == "ask") {
      ask(path, told);
    } else if (s.kind == "reset") {
      if (reserved_ || was_cut_) return;  // in oneTBB a reset brings back an edge that went while its limiter was full
      constexpr flow::reset_flags flags[] = {flow::rf_reset_protocol, flow::rf_reset_bodies, flow::rf_clear_edges};
      graph_.reset(flags[s.a % 2]);  // edges that a reset clears are those of other programs
    }
    graph_.wait_for_all();
    for (std::string const& note : notes_) told.tell(path + " body", note);
    notes_.clear();
    for (std::size_t i = 0; i < followers_.size(); ++i) {
      told.tell(path + " follower " + std::to_string(i), followers_[i]->seen);
    }
  }

 private:
  void put(step const& s, std::string const& path, book& told) {
    if (node_.puts.empty() || reserved_) return;
    auto const& f = node_.puts[static_cast<std::size_t>(s.b) % node_.puts.size()];
    for (int i = 0; i < s.n; ++i) {
      bool const taken = f((s.a + i * (1 + s.b % 3)) % 9);
      graph_.wait_for_all();
      told.tell(path + " taken", taken != (planted("ports tell a refusal") && i == 2));
    }
  }
  void follow(step const& s) {
    if (node_.outputs.empty() || followers_.size() > 4 || reserved_) return;
    followers_.push_back(std::make_unique<follower>(graph_, s.n % 4));
    follower& f = *followers_.back();
    f.from = node_.outputs[static_cast<std::size_t>(s.a) % node_.outputs.size()];
    f.to = s.n % 4 == 0 ? static_cast<flow::receiver<counted>*>(&f.sink) : &f.gate;
    flow::make_edge(*f.from, *f.to);
  }
  void cut(step const& s) {
    if (followers_.empty() || reserved_) return;
    follower& f = *followers_[static_cast<std::size_t>(s.a) % followers_.size()];
    if (f.from != nullptr) flow::remove_edge(*f.from, *f.to);
    f.from = nullptr;
    was_cut_ = true;
  }
  void reserve(step const& s, std::string const& path, book& told) {
    if (!node_.reserve || !followers_.empty()) return;  // who follows would take what is released
    if (!reserved_) {
      std::string const got = node_.reserve();
      told.tell(path + " reserved", got);
      reserved_ = !got.empty();
      return;
    }
    told.tell(path + " ended", s.a % 2 == 0 ? node_.release() : node_.consume());
    reserved_ = false;
  }
  void ask(std::string const& path, book& told) {
    if (node_.activate) node_.activate();
    if (node_.ask && !reserved_) told.tell(path + " valid", node_.ask());
    told.tell(path + " graph", text(graph_.is_cancelled()) + text(graph_.exception_thrown()));
  }

  flow::graph graph_;
  port_notes notes_;
  std::vector<std::unique_ptr<follower>> followers_;
  bool reserved_ = false;
  bool was_cut_ = false;
  port_node node_;
};

void ports(step const& program, book& told) {
  scene one(program);
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    one.act(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

}  // namespace

void add_ports(subjects& table) { table["ports"] = ports; }

}  // namespace differ
