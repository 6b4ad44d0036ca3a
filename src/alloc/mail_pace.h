// SPDX-License-Identifier: Apache-2.0
// How fast a heap takes its mail: for each object that it makes available to the program, two messages, as long as
// there are any. Others can send at most one message for each object that the program got, and so what waits only
// shrinks while there is some: README.md, "What is held". A visit waits until several messages are due, because mail
// comes in lists; a page that the heap takes from the backend is paid for in advance.
//
// Threads: the heap's acting owner. tests/model/alloc_mail_pace_model.cpp runs this file;
// tests/unit/alloc/mail_pace_test.cpp.
#pragma once

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace alloc {

class mail_pace {
 public:
  // Messages at a time, before the owner looks whether what it needs has come.
  static constexpr std::uint32_t visit = 64;

  // The program can get so many objects without a further slow call.
  void hand_out(std::uint32_t objects) noexcept {
    constexpr std::uint32_t most = 1u << 30;
    due_ = due_ < most ? due_ + 2 * objects : due_;
  }
  bool is_due() const noexcept { return due_ >= visit; }
  std::uint32_t due() const noexcept { return due_; }
  void took(std::uint32_t messages) noexcept { due_ -= messages < due_ ? messages : due_; }
  // There is no mail.
  void rest() noexcept { due_ = 0; }

 private:
  std::uint32_t due_ = 0;
};

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
