// SPDX-License-Identifier: Apache-2.0
#include "sched/policy/policies.h"

#include "os/environment.h"
#include "sched/park/process_locks.h"

#include <ashlar/sched/policy/policy.h>

#include <cstring>

namespace ashlar::inline v1::sched {

namespace {

template <typename Policy, std::size_t N>
void from_environment(atomic<Policy>& policy, char const* variable, char const* const (&names)[N]) noexcept {
  if (auto const choice = os::env_choice(variable, names)) policy.store(static_cast<Policy>(*choice), mo::relaxed);
}

template <typename Policy, std::size_t N>
bool set(atomic<Policy>& policy, char const* name, char const* const (&names)[N]) noexcept {
  for (std::size_t i = 0; i < N; ++i) {
    if (std::strcmp(name, names[i]) != 0) continue;
    policy.store(static_cast<Policy>(i), mo::relaxed);
    return true;
  }
  return false;
}

}  // namespace

void policies::read_environment() noexcept {
  from_environment(victim, "ASHLAR_VICTIM_POLICY", victim_policy_names);
  from_environment(idle, "ASHLAR_IDLE_POLICY", idle_policy_names);
  from_environment(wait, "ASHLAR_WAIT_POLICY", wait_policy_names);
}

policies& policies::get() noexcept {
  static constinit policies the_policies;
  static atomic<bool> read{false};
  if (ASHLAR_LIKELY(read.load(mo::acquire))) return the_policies;  // [X2]
  std::lock_guard const guard(process_locks::policies);
  if (!read.load(mo::relaxed)) the_policies.read_environment();
  read.store(true, mo::release);  // [X1]
  return the_policies;
}

bool set_victim_policy(char const* name) noexcept { return set(policies::get().victim, name, victim_policy_names); }
bool set_idle_policy(char const* name) noexcept { return set(policies::get().idle, name, idle_policy_names); }
bool set_wait_policy(char const* name) noexcept { return set(policies::get().wait, name, wait_policy_names); }

char const* get_victim_policy() noexcept {
  return victim_policy_names[static_cast<unsigned>(policies::get().victim.load(mo::relaxed))];
}
char const* get_idle_policy() noexcept {
  return idle_policy_names[static_cast<unsigned>(policies::get().idle.load(mo::relaxed))];
}
char const* get_wait_policy() noexcept {
  return wait_policy_names[static_cast<unsigned>(policies::get().wait.load(mo::relaxed))];
}

}  // namespace ashlar::inline v1::sched
