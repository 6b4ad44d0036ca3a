// SPDX-License-Identifier: Apache-2.0
// Scopes in which the calling thread has the floating-point words of the bodies that it calls.
#pragma once

#include <ashlar/sched/core/own_jobs.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// A scope in which the calling thread calls bodies, or may: it has their floating-point words there, and then its own
// again.
class words_scope {
 public:
#ifdef ASHLAR_MODEL
  explicit words_scope(slot&) noexcept {}
  ~words_scope() {}
#else
  ASHLAR_ALWAYS_INLINE explicit words_scope(slot& s) noexcept : other_(!s.has_words_of_bodies()) {
    if (ASHLAR_UNLIKELY(other_)) s.take_words_of_bodies(words_);
  }
  ASHLAR_ALWAYS_INLINE ~words_scope() {
    if (ASHLAR_UNLIKELY(other_)) slot::give_words_back(words_);
  }
#endif
  words_scope(words_scope const&) = delete;
  words_scope& operator=(words_scope const&) = delete;

#ifndef ASHLAR_MODEL
 private:
  bool const other_;
  fp_settings words_;  // if other_
#endif
};

// A scope with the settings that a context may have of its own, within a words_scope.
class captured_scope {
 public:
  ASHLAR_ALWAYS_INLINE captured_scope(slot& s, context& c) noexcept : slot_(s), outer_(s.fp()) { s.use_fp(c.fp()); }
  ASHLAR_ALWAYS_INLINE ~captured_scope() { slot_.use_fp(outer_); }
  captured_scope(captured_scope const&) = delete;
  captured_scope& operator=(captured_scope const&) = delete;

 private:
  slot& slot_;
  fp_settings const* const outer_;
};

// As words_scope where the bodies belong to a context that the user named, which may have settings of its own, and may
// want its algorithms' waits to take their own tasks only.
class settings_scope {
 public:
  settings_scope(slot& s, context& c) noexcept
      : region_(ASHLAR_UNLIKELY(c.waits_for_own_tasks_only()) ? &s : nullptr), words_(s), captured_(s, c) {
    if (ASHLAR_UNLIKELY(region_ != nullptr)) outer_ = own_region::begin(s);
  }
  ~settings_scope() {
    if (ASHLAR_UNLIKELY(region_ != nullptr)) own_region::end(*region_, outer_);
  }
  settings_scope(settings_scope const&) = delete;
  settings_scope& operator=(settings_scope const&) = delete;

 private:
  slot* const region_;
  slot::region outer_;
  words_scope const words_;
  captured_scope const captured_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
