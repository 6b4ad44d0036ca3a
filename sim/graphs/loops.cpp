// SPDX-License-Identifier: Apache-2.0
// Programs that are a series of parallel loops with serial code between them. A loop's tasks split their range in two
// until it is not larger than the grain, as parallel_for with a simple_partitioner does; the loop ends with a wait of
// the root.
#include "graphs/families.h"
#include "graphs/halved.h"

#include <algorithm>
#include <bit>

namespace ashlar::sim {

namespace {

class loop_program : public program {
 public:
  struct loop {
    std::int64_t items;
    std::int64_t grain;
    picoseconds serial;  // before the loop
    std::uint32_t region = 1;
  };

  task_state root() const final { return {}; }
  step next(task_state& self, task_state& child) const final {
    return self.kind == 0 ? drive(self, child) : iterate(self, child);
  }
  join_kind join_of(task_state const& task) const final {
    return task.kind == 0 ? join_kind::blocking : join_kind::inherited;
  }
  std::uint32_t region_of(task_state const& task) const final { return task.kind == 0 ? 0 : loop_at(task.c).region; }
  std::string region_name(std::uint32_t region) const override { return region == 0 ? "serial" : "loop"; }

 protected:
  // Of a program with `times` equal loops that does `work` picoseconds in all.
  static graph_size size_of(double times, halved const& loop, double work, double items = 0) {
    // The driver, and on the way down the other half of each range.
    return {1 + times * loop.parts, work, 2 + loop.levels, 2 + loop.levels, items};
  }
  static graph_size together(graph_size const& a, graph_size const& b) {
    double const open = std::max(a.open, b.open);
    return {a.tasks + b.tasks - 1, a.work + b.work, open, open, a.items + b.items};
  }
  virtual std::int64_t loops() const = 0;
  virtual loop loop_at(std::int64_t number) const = 0;
  virtual picoseconds work_of(std::int64_t number, std::int64_t begin, std::int64_t end) const = 0;
  // `base` times a number between 1 - spread and 1 + spread percent, different for each item.
  static picoseconds vary(picoseconds base, std::int64_t spread, std::uint64_t item) {
    std::uint64_t const draw = child_seed(0x5eed, item) % 2001;
    return base * (100000 + static_cast<std::uint64_t>(spread) * draw - 1000 * static_cast<std::uint64_t>(spread)) /
           100000;
  }

 private:
  // pc: 0 serial part, 1 spawn, 2 wait; a: the loop.
  step drive(task_state& self, task_state& child) const {
    if (self.a == loops()) return {step_kind::end};
    switch (self.pc) {
      case 0:
        self.pc = 1;
        return {step_kind::work, loop_at(self.a).serial};
      case 1:
        self.pc = 2;
        child = {};
        child.kind = 1;
        child.b = loop_at(self.a).items;
        child.c = self.a;
        return {step_kind::spawn};
      default:
        self.pc = 0;
        ++self.a;
        return {step_kind::wait};
    }
  }
  // a and b: the range; c: the loop.
  step iterate(task_state& self, task_state& child) const {
    if (self.pc == 1) return {step_kind::end};
    if (halve(self, child, loop_at(self.c).grain)) return {step_kind::spawn};
    self.pc = 1;
    return {step_kind::work, work_of(self.c, self.a, self.b)};
  }
};

// `loops` equal loops of `items` with `item_ns` each, up to `spread` percent more or less.
class even_loops final : public loop_program {
 public:
  explicit even_loops(parameters const& p)
      : loops_(p["loops"]),
        shape_{p["items"], p["grain"], in_nanoseconds(p["serial_ns"])},
        item_(in_nanoseconds(p["item_ns"])),
        spread_(p["spread"]) {}
  static graph_size size(parameters const& p) {
    auto const loops = static_cast<double>(p["loops"]), items = loops * static_cast<double>(p["items"]);
    double const work = items * ns(p["item_ns"]) + loops * ns(p["serial_ns"]);
    return size_of(loops, {p["items"], p["grain"]}, work, p["spread"] == 0 ? 0 : items);
  }

 protected:
  std::int64_t loops() const override { return loops_; }
  loop loop_at(std::int64_t) const override { return shape_; }
  picoseconds work_of(std::int64_t number, std::int64_t begin, std::int64_t end) const override {
    if (spread_ == 0) return item_ * static_cast<std::uint64_t>(end - begin);
    picoseconds sum = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      sum += vary(item_, spread_, static_cast<std::uint64_t>(number * shape_.items + i));
    }
    return sum;
  }

 private:
  std::int64_t const loops_;
  loop const shape_;
  picoseconds const item_;
  std::int64_t const spread_;
};

// Item i costs i times step_ns.
class imbalanced_loop final : public loop_program {
 public:
  explicit imbalanced_loop(parameters const& p)
      : shape_{p["items"], p["grain"], 0}, step_(in_nanoseconds(p["step_ns"])) {}
  static graph_size size(parameters const& p) {
    auto const items = static_cast<double>(p["items"]);
    return size_of(1, {p["items"], p["grain"]}, items * (items - 1) / 2 * ns(p["step_ns"]));
  }

 protected:
  std::int64_t loops() const override { return 1; }
  loop loop_at(std::int64_t) const override { return shape_; }
  picoseconds work_of(std::int64_t, std::int64_t begin, std::int64_t end) const override {
    return step_ * static_cast<std::uint64_t>((begin + end - 1) * (end - begin) / 2);
  }

 private:
  loop const shape_;
  picoseconds const step_;
};

// Record i has 2^k (1 + 4i/records) words with a probability of 2^-(k+1), k up to 10: uneven, and dearer to the end.
class bit_counter final : public loop_program {
 public:
  explicit bit_counter(parameters const& p)
      : shape_{p["records"], p["grain"], 0}, word_(static_cast<picoseconds>(p["word_ps"])) {}
  // Six words on average, three times that by the growth.
  static graph_size size(parameters const& p) {
    auto const records = static_cast<double>(p["records"]);
    return size_of(1, {p["records"], p["grain"]}, 18 * records * static_cast<double>(p["word_ps"]), records);
  }

 protected:
  std::int64_t loops() const override { return 1; }
  loop loop_at(std::int64_t) const override { return shape_; }
  picoseconds work_of(std::int64_t, std::int64_t begin, std::int64_t end) const override {
    std::uint64_t words = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      int const k = std::countr_zero(child_seed(0xb175, static_cast<std::uint64_t>(i)) | std::uint64_t(1) << 10);
      words += (std::uint64_t(1) << k) * static_cast<std::uint64_t>(shape_.items + 4 * i) /
               static_cast<std::uint64_t>(shape_.items);
    }
    return word_ * words;
  }

 private:
  loop const shape_;
  picoseconds const word_;
};

// Right-looking LU without pivots: step k divides a column and updates the rows below it.
class lu final : public loop_program {
 public:
  explicit lu(parameters const& p) : n_(p["n"]), grain_(p["grain"]), flop_(in_nanoseconds(p["element_ns"])) {}
  static graph_size size(parameters const& p) {
    graph_size result{.tasks = 1};
    for (std::int64_t rows = p["n"] - 1; rows > 0; --rows) {
      auto const r = static_cast<double>(rows);
      result = together(result, size_of(1, {rows, p["grain"]}, (1 + r * (r + 1)) * ns(p["element_ns"])));
    }
    return result;
  }

 protected:
  std::int64_t loops() const override { return n_ - 1; }
  loop loop_at(std::int64_t k) const override { return {n_ - 1 - k, grain_, flop_}; }
  picoseconds work_of(std::int64_t k, std::int64_t begin, std::int64_t end) const override {
    return flop_ * static_cast<std::uint64_t>((end - begin) * (n_ - k));
  }

 private:
  std::int64_t const n_, grain_;
  picoseconds const flop_;
};

// Frames: two loops over the image's rows, then for each annealing layer a loop over the particles and serial
// resampling.
class bodytrack final : public loop_program {
 public:
  explicit bodytrack(parameters const& p)
      : frames_(p["frames"]),
        layers_(p["layers"]),
        particles_(p["particles"]),
        particle_(in_nanoseconds(p["particle_ns"])),
        rows_(p["rows"]),
        row_(in_nanoseconds(p["row_ns"])),
        grain_(p["grain"]),
        serial_(in_nanoseconds(p["serial_ns"])) {}
  static graph_size size(parameters const& p) {
    auto const frames = static_cast<double>(p["frames"]), layers = frames * static_cast<double>(p["layers"]);
    auto const rows = static_cast<double>(p["rows"]), particles = layers * static_cast<double>(p["particles"]);
    double const image = 2 * frames * (rows * ns(p["row_ns"]) + ns(p["serial_ns"]));
    double const body = particles * ns(p["particle_ns"]) + layers * ns(p["serial_ns"]);
    return together(size_of(2 * frames, {p["rows"], p["grain"]}, image),
                    size_of(layers, {p["particles"], p["grain"]}, body, particles));
  }
  std::string region_name(std::uint32_t region) const override {
    return region == 0 ? "serial" : region == 1 ? "image" : "particles";
  }

 protected:
  std::int64_t loops() const override { return frames_ * (2 + layers_); }
  loop loop_at(std::int64_t number) const override {
    return is_image(number) ? loop{rows_, grain_, serial_, 1} : loop{particles_, grain_, serial_, 2};
  }
  picoseconds work_of(std::int64_t number, std::int64_t begin, std::int64_t end) const override {
    if (is_image(number)) return row_ * static_cast<std::uint64_t>(end - begin);
    picoseconds sum = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      sum += vary(particle_, 50, static_cast<std::uint64_t>(number * particles_ + i));
    }
    return sum;
  }

 private:
  bool is_image(std::int64_t number) const { return number % (2 + layers_) < 2; }
  std::int64_t const frames_, layers_, particles_;
  picoseconds const particle_;
  std::int64_t const rows_;
  picoseconds const row_;
  std::int64_t const grain_;
  picoseconds const serial_;
};

std::vector<parameter> even(std::int64_t loops, std::int64_t items, std::int64_t grain, std::int64_t item_ns,
                            std::int64_t spread, std::int64_t serial_ns) {
  return {{"loops", loops, 1, 10000000, "parallel loops, one after the other"},
          {"items", items, 1, 1000000000, "items of each"},
          {"grain", grain, 1, 1000000000, "items of a task, at most"},
          {"item_ns", item_ns, 0, 1000000000, "work per item"},
          {"spread", spread, 0, 100, "percent by which an item differs, at most"},
          {"serial_ns", serial_ns, 0, 1000000000, "serial work before each loop"}};
}

}  // namespace

std::vector<graph> loop_graphs() {
  return {
      {"bitcounter",
       "One loop that counts the bits of uneven records",
       {{"records", 32768, 1, 100000000, "records"},
        {"grain", 16, 1, 1000000, "records of a task"},
        {"word_ps", 2000, 0, 1000000, "picoseconds per word"}},
       make<bit_counter>,
       bit_counter::size},
      {"matmult", "Matrix product, a loop over the rows", even(1, 256, 1, 40000, 0, 1000), make<even_loops>,
       even_loops::size},
      {"blackscholes", "A few runs over all options, even; few tasks", even(10, 65536, 1024, 100, 2, 1000),
       make<even_loops>, even_loops::size},
      {"fluidanimate", "Five even phases a frame, a task per cell block", even(25, 64, 1, 200000, 15, 10000),
       make<even_loops>, even_loops::size},
      {"streamcluster", "Very many short loops", even(1500, 256, 8, 500, 20, 2000), make<even_loops>, even_loops::size},
      {"lu",
       "LU decomposition, a loop over the remaining rows in each step",
       {{"n", 256, 2, 100000, "rows"},
        {"grain", 8, 1, 100000, "rows of a task"},
        {"element_ns", 2, 0, 1000000, "work per element"}},
       make<lu>,
       lu::size},
      {"imbalanced",
       "One loop whose item i costs i",
       {{"items", 4096, 1, 1000000, "items"},
        {"grain", 8, 1, 1000000, "items of a task"},
        {"step_ns", 1, 0, 1000000, "work of item 1"}},
       make<imbalanced_loop>,
       imbalanced_loop::size},
      {"bodytrack",
       "Frames of image loops and annealing layers, with serial parts",
       {{"frames", 4, 1, 100000, "frames"},
        {"layers", 5, 1, 1000, "annealing layers of a frame"},
        {"particles", 1000, 1, 10000000, "particles"},
        {"particle_ns", 5000, 0, 1000000000, "work per particle, 50 percent more or less"},
        {"rows", 480, 1, 1000000, "rows of the image"},
        {"row_ns", 5000, 0, 1000000000, "work per row"},
        {"grain", 8, 1, 1000000, "particles or rows of a task"},
        {"serial_ns", 100000, 0, 1000000000, "serial work before each loop"}},
       make<bodytrack>,
       bodytrack::size},
  };
}

}  // namespace ashlar::sim
