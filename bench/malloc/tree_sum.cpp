// SPDX-License-Identifier: Apache-2.0
// tree_sum of the 2007 paper (figures 14 and 15): an uneven binary tree, the same in each run, is built in parallel and
// then summed, by classic tasks in four styles, below a cutoff serially. BENCH_SCALABLE chooses where the nodes come
// from: scalable_malloc or malloc. Rows are named STYLE-CUTOFF; --size is the number of nodes. The row serial-CUTOFF
// has no task at all: what the paper's speed-ups are relative to.
#include <bench/report.h>
#include <bench/tbb_peer.h>

#include <tbb/task.h>
#if BENCH_SCALABLE
#include <tbb/scalable_allocator.h>
#endif

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace {

#if BENCH_SCALABLE
void* allocate_node(std::size_t size) { return scalable_malloc(size); }
void free_node(void* p) { scalable_free(p); }
#else
void* allocate_node(std::size_t size) { return std::malloc(size); }
void free_node(void* p) { std::free(p); }
#endif

struct node {
  node* left;
  node* right;
  long nodes;  // of this subtree
  long value;
};

enum class style { blocking, continuation, bypass, recycling, serial };

style chosen;
long cutoff;

node* make_node(long nodes) {
  void* const p = allocate_node(sizeof(node));
  if (p == nullptr) {
    throw std::bad_alloc();
  }
  return new (p) node{nullptr, nullptr, nodes, nodes % 1000};
}

long left_part(long nodes) { return (nodes - 1) / 2 - (nodes - 1) / 16; }

node* make_serially(long nodes) {
  if (nodes <= 0) {
    return nullptr;
  }
  node* const n = make_node(nodes);
  n->left = make_serially(left_part(nodes));
  n->right = make_serially(nodes - 1 - left_part(nodes));
  return n;
}

long sum_serially(node const* n) {
  return n != nullptr ? n->value + sum_serially(n->left) + sum_serially(n->right) : 0;
}

void destroy(node* n) {
  if (n != nullptr) {
    destroy(n->left);
    destroy(n->right);
    free_node(n);
  }
}

// The two phases as policies of one recursion: where to begin, what a leaf does, how halves are joined.
struct making {
  using argument = long;
  using result = node*;
  static bool small(long nodes) { return nodes <= cutoff; }
  static node* serial(long nodes) { return make_serially(nodes); }
  static void split(long nodes, long& left, long& right, node*& own) {
    own = make_node(nodes);
    left = left_part(nodes);
    right = nodes - 1 - left;
  }
  static node* join(node* own, node* left, node* right) {
    own->left = left;
    own->right = right;
    return own;
  }
};
struct summing {
  using argument = node const*;
  using result = long;
  static bool small(node const* n) { return n == nullptr || n->nodes <= cutoff; }
  static long serial(node const* n) { return sum_serially(n); }
  static void split(node const* n, node const*& left, node const*& right, long& own) {
    left = n->left;
    right = n->right;
    own = n->value;
  }
  static long join(long own, long left, long right) { return own + left + right; }
};

template <typename Phase>
struct joining : tbb::task {
  typename Phase::result own{}, left{}, right{};
  typename Phase::result* out = nullptr;
  tbb::task* execute() override {
    *out = Phase::join(own, left, right);
    return nullptr;
  }
};

template <typename Phase>
struct step : tbb::task {
  using argument = typename Phase::argument;
  using result = typename Phase::result;
  step(argument a, result* o) : what(a), out(o) {}

  tbb::task* execute() override {
    if (Phase::small(what)) {
      *out = Phase::serial(what);
      return nullptr;
    }
    return chosen == style::blocking ? block() : go_on();
  }

 private:
  tbb::task* block() {
    argument a{}, b{};
    result own{}, x{}, y{};
    Phase::split(what, a, b, own);
    set_ref_count(3);
    step& right = *new (allocate_child()) step(b, &y);
    spawn(right);
    step& left = *new (allocate_child()) step(a, &x);
    spawn_and_wait_for_all(left);
    *out = Phase::join(own, x, y);
    return nullptr;
  }

  tbb::task* go_on() {
    argument a{}, b{};
    auto& c = *new (allocate_continuation()) joining<Phase>;
    Phase::split(what, a, b, c.own);
    c.out = out;
    c.set_ref_count(2);
    step& right = *new (c.allocate_child()) step(b, &c.right);
    if (chosen == style::recycling) {
      recycle_as_child_of(c);
      what = a;
      out = &c.left;
      spawn(right);
      return this;
    }
    step& left = *new (c.allocate_child()) step(a, &c.left);
    spawn(right);
    if (chosen == style::bypass) {
      return &left;
    }
    spawn(left);
    return nullptr;
  }

  argument what;
  result* out;
};

template <typename Phase>
typename Phase::result run(typename Phase::argument a) {
  if (chosen == style::serial) {
    return Phase::serial(a);
  }
  typename Phase::result r{};
  tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) step<Phase>(a, &r));
  return r;
}

bool choose(char const* row) {
  char const* const names[] = {"blocking", "continuation", "bypass", "recycling", "serial"};
  std::string const text = row;
  std::size_t const dash = text.find('-');
  for (int k = 0; k < 5; ++k) {
    if (text.substr(0, dash) == names[k] && dash != std::string::npos) {
      chosen = static_cast<style>(k);
      cutoff = std::atol(row + dash + 1);
      return cutoff > 0;
    }
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  if (!choose(o.row)) {
    bench::usage("rows are STYLE-CUTOFF, not", o.row);
  }
  bench::report r(o, "ms");
  long const nodes = o.size ? o.size : 1000000;
  bench::with_threads(o.threads, [&] {
    double const begin = bench::wall_now();
    do {  // warms the threads
      node* const warming = run<making>(nodes / 4);
      run<summing>(warming);
      destroy(warming);
    } while (bench::wall_now() - begin < o.warm_s);
    double const cpu = bench::cpu_now();
    double const t0 = bench::wall_now();
    node* const root = run<making>(nodes);
    double const t1 = bench::wall_now();
    r.value("allocation_cpu_ms", 1e3 * (bench::cpu_now() - cpu));
    long const sum = run<summing>(root);
    double const t2 = bench::wall_now();
    r.value("peak_mb", static_cast<double>(bench::peak_memory_kib()) / 1024);
    r.add({1e3 * (t2 - t0), 0});
    r.value("allocation_ms", 1e3 * (t1 - t0));
    r.value("summation_ms", 1e3 * (t2 - t1));
    r.check(sum == sum_serially(root) && root->nodes == nodes, "the sum");
    destroy(root);
    return 0;
  });
  return r.finish();
}
