// SPDX-License-Identifier: Apache-2.0
// tbb::flow::input_node, and classic TBB's source_node. Users include <tbb/flow_graph.h>.
//
// Invariants IN1 one activation at a time (busy_) calls the body; what it makes lies in value_ until somebody takes it.
#pragma once

#include <ashlar/algo/pipeline_stage.h>
#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/engine/body.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/work/activation.h>
#include <ashlar/flow/work/source_burst.h>

#include <optional>

ASHLAR_FLOW_PARTS

/// What both kinds have in common; a body makes a message, or nothing at the end.
template <typename T>
class source_base : public living_node, public listing_sender<T>, public bodied<bool(std::optional<T>&)> {
  using work = activation<source_base>;
  using with_body = bodied<bool(std::optional<T>&)>;
  friend node_job<work, source_base>;

 public:
  using successor_type = receiver<T>;
  using graph_node::core;

  // From now on the body is called, until it says that there is no more.
  void activate() {
    {
      guard const held(lock_);
      active_ = true;
    }
    run_on();
  }
  bool try_get(T& v) override { return take(v, false); }
  bool try_reserve(T& v) override { return take(v, true); }
  bool try_release() override { return end_reservation(false); }
  bool try_consume() override { return end_reservation(true); }

 protected:
  template <typename Adapter, typename Body>
  source_base(graph& g, bool active, Adapter a, Body const& body)
      : living_node(g), listing_sender<T>(g.core()), with_body(a, body), active_(active), first_active_(active) {}
  source_base(source_base const& other)
      : living_node(other),
        listing_sender<T>(other),
        with_body(other),
        active_(other.first_active_),
        first_active_(other.first_active_) {}
  ~source_base() override = default;

  // A node that is active from the start begins when it is complete.
  void begin() {
    if (active_) run_on();
  }

 private:
  void serve(successor_type&) final { run_on(); }
  // Starts an activation, if there is something for it to do.
  void run_on() {
    slot& s = sched::this_slot();
    {
      guard const held(lock_);
      again_ = true;
      if (!active_ || busy_ || reserved_ || core().cancelled(s)) return;
      busy_ = true;
    }
    ASHLAR_TRY { core().start(s, work::make(s, *this)); }
    ASHLAR_CATCH_ALL {
      guard const held(lock_);
      busy_ = false;
      ASHLAR_RETHROW;
    }
  }
  // The lock is held. The activation may go on: there is somebody to send to, and there is or may be a message.
  bool goes_on(bool cancelled) noexcept {
    if (!cancelled && again_ && !reserved_ && active_ && !(ended_ && !value_)) {
      again_ = false;
      return true;
    }
    busy_ = false;
    return false;
  }
  bool go_on(bool cancelled) {
    guard const held(lock_);
    return goes_on(cancelled);
  }
  ASHLAR_ALWAYS_INLINE job* activate(slot& here, work& a) noexcept {
    graph_core& g = core();
    job* next = nullptr;
    bool more = true;
    if (g.cancelled(here)) {
      guard const held(lock_);
      busy_ = more = false;
    }
    while (more && (more = hand_on(g, here, next))) {
      if (!burst_.goes_on()) {
        if (next == nullptr) return flow::pass_on_after_newest(g, here, a, burst_.is_kept());
        g.start(here, a, burst_.is_kept());
        return pass_on(g, here, next);
      }
      if (next != nullptr) g.start(here, *next, burst_.keeps_job());
    }
    work::end(here, a);
    return pass_on(g, here, next);
  }
  // One message. `next`: what it has caused. True: the activation goes on.
  ASHLAR_ALWAYS_INLINE bool hand_on(graph_core& g, slot& here, job*& next) noexcept {
    edge_list refused;
    job* answer = nullptr;
    ASHLAR_TRY { answer = send_one(refused); }
    ASHLAR_CATCH_ALL { g.fail_in(*this); }
    next = job_or_null(answer);
    if (ASHLAR_LIKELY(answer != nullptr && refused.size() == 0 && !this->successors_.has_pullers())) {
      return end_sent(g.cancelled(here));
    }
    // Nobody has taken it: it is kept until somebody comes.
    if (answer != nullptr) drop_sent();
    bool const must_tell = refused.size() != 0 || (this->successors_.has_pullers() && has_news());
    return (!must_tell || tell(refused, next)) && go_on(g.cancelled(here));
  }
  // There is a message that those who only pull have not been told of.
  bool has_news() {
    guard const held(lock_);
    return value_.has_value() && std::exchange(news_, false);
  }
  // Lets the receivers that have refused, and those that only pull, ask for the message. False: another activation goes
  // on, or somebody has reserved.
  bool tell(edge_list& refused, job*& next) {
    {
      guard const held(lock_);
      busy_ = false;
    }
    this->successors_.tell_refused(refused, *this);
    if (this->successors_.has_pullers()) {
      ASHLAR_TRY { next = keep_last(core(), next, this->successors_.announce()); }
      ASHLAR_CATCH_ALL { core().fail(); }
    }
    guard const held(lock_);
    if (busy_ || reserved_) return false;
    busy_ = true;
    return true;
  }
  // A successor has taken the message.
  void drop_sent() {
    guard const held(lock_);
    drop_value();
    again_ = true;
  }
  bool end_sent(bool cancelled) {
    guard const held(lock_);
    drop_value();
    again_ = true;
    return goes_on(cancelled);
  }
  // Makes a message unless there is one, and sends it; it stays in value_.
  job* send_one(edge_list& refused) {
    if (!value_) {
      if (!may_make_one()) return nullptr;
      if (!this->body_.template call_for<true>(*this, value_)) {
        value_.reset();
        guard const held(lock_);
        ended_ = true;
        return nullptr;
      }
    }
    return this->successors_.broadcast(*value_, passage::moved(), *this, &refused);
  }
  // The activation alone changes ended_.
  bool may_make_one() {
    if (ended_) return false;
    if (ASHLAR_LIKELY(!is_alone())) return true;
    guard const held(lock_);
    return std::exchange(asked_, false);
  }
  bool is_alone() const noexcept { return this->successors_.empty() && !this->successors_.has_pullers(); }
  // The lock is held: there is room for another message.
  void drop_value() noexcept {
    value_.reset();
    news_ = true;
  }
  bool take(T& v, bool keep) {
    {
      guard const held(lock_);
      if (reserved_ || busy_) news_ = true;
      if (reserved_ || !active_) return false;
      if (!busy_ && value_) {
        if constexpr (std::is_copy_assignable_v<T>) {
          if (keep) {
            v = *value_;
            reserved_ = true;
            return true;
          }
        }
        if (!keep) {
          v = std::move(*value_);
          drop_value();
          this->successors_.count_pulled();
          return true;
        }
        return false;
      }
      asked_ = is_alone();
    }
    run_on();
    return false;
  }
  bool end_reservation(bool consumed) {
    {
      guard const held(lock_);
      if (!reserved_) return false;
      reserved_ = false;
      if (consumed) {
        drop_value();
        this->successors_.count_pulled();
      }
    }
    run_on();
    return true;
  }
  void reset_node(reset_flags f) override {
    active_ = first_active_;
    busy_ = reserved_ = again_ = ended_ = asked_ = false;
    drop_value();
    this->reset_body(f);
    this->reset_output(f);
  }
  void restart() override { begin(); }
  void describe(picture& to) override {
    to.kind("source");
    this->describe_output(to, picture::output_kind::keeps);
    lock::scoped_lock held;
    if (!to.look(held, lock_)) return;
    to.busy(busy_);
    if (!busy_) to.queued(value_.has_value());
    if (ended_) to.say("its body has ended");
    if (!active_) to.warn("it is not activated yet: its body isn't called before activate()");
    if (reserved_) to.say("a successor has reserved its message");
  }
  void settle() override {
    busy_ = reserved_ = false;
    again_ = news_ = true;
  }

  lock lock_;
  bool active_;
  bool const first_active_;
  bool busy_ = false;
  bool reserved_ = false;
  bool again_ = false;  // something has changed since the last message found no taker
  bool ended_ = false;
  bool news_ = true;    // those who only pull don't know yet that there is a message, or it was another's
  bool asked_ = false;  // somebody wanted a message, and there was none: one is made also without a successor
  source_burst burst_;
  std::optional<T> value_;
};

/// How a body of input_node makes a message.
template <typename T>
struct input_adapter {
  template <typename F>
  static bool call(F& f, std::optional<T>& to) {
    tbb::flow_control control = algo::flow_control_access::make();
    to.emplace(invoke(f, control));
    return !algo::flow_control_access::stopped(control);
  }
  template <typename F>
  static constexpr bool never_throws = false;
};

#if ASHLAR_CLASSIC_DIALECT
/// The same of source_node.
template <typename T>
struct source_adapter {
  template <typename F>
  static bool call(F& f, std::optional<T>& to) {
    to.emplace();
    return f(*to);
  }
  template <typename F>
  static constexpr bool never_throws = false;
};
#endif

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Calls a body for one message after the other, as long as somebody takes them; flow_control::stop() says that the
/// value of this call is none, and there are no more. Begins with activate(). One message is kept until a successor
/// takes it.
template <typename T>
class input_node : public ::ashlar::flow::source_base<T> {
 public:
  template <typename Body>
  ASHLAR_REQUIRES(std::is_invocable_r_v<T, Body&, flow_control&>)
  input_node(::ashlar::flow::position<input_node, false> where, Body body)
      : input_node::source_base(where.its_graph(), false, ::ashlar::flow::input_adapter<T>(), body),
        life_(*this, where) {
    static_assert(std::is_invocable_r_v<T, Body&, flow_control&>,
                  "input_node: the body must be callable as Output body(tbb::flow_control&)");
  }
#if ASHLAR_CONSTRAINED
  template <typename Body>
  input_node(::ashlar::flow::position<input_node, false>, Body) = delete;  // needs Output body(tbb::flow_control&)
#endif
  input_node(input_node const& other) : input_node::source_base(other), life_(*this, other) {}

 private:
  using life = ::ashlar::flow::node_base::life;
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

#if ASHLAR_CLASSIC_DIALECT
/// An input_node of classic TBB, with a body that fills the message and returns false when there are no more; active
/// from the start unless told otherwise.
template <typename T>
class source_node : public ::ashlar::flow::source_base<T> {
 public:
  template <typename Body>
  source_node(::ashlar::flow::position<source_node, false> where, Body body, bool is_active = true)
      : source_node::source_base(where.its_graph(), is_active, ::ashlar::flow::source_adapter<T>(), body),
        life_(*this, where) {
    this->begin();
  }
  source_node(source_node const& other) : source_node::source_base(other), life_(*this, other) { this->begin(); }

 private:
  using life = ::ashlar::flow::node_base::life;
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};
#endif

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, input_node)
#if ASHLAR_CLASSIC_DIALECT
ASHLAR_FLOW_KNOWN_IN(11, source_node)
#endif
}  // namespace flow
}  // namespace tbb
