// SPDX-License-Identifier: Apache-2.0
// Exceptions of classic TBB that can move from the thread that threw them to the thread that waits. The library
// itself transports exceptions exactly, with std::exception_ptr; these types serve programs that throw, catch
// or store them.
//
// An object made by move() lives on the heap and ends with destroy(); all others are ordinary values.
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/base/config.h>
#include <ashlar/base/throw.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <typeinfo>

namespace ashlar {
inline namespace v1 {

// Throws a copy of the exception; terminates where exceptions are switched off.
template <typename Exception>
[[noreturn]] void throw_copy(Exception const& exception) {
#if ASHLAR_EXCEPTIONS
  throw exception;  // NOLINT: by copy on purpose
#else
  (void)exception;
  std::terminate();
#endif
}

}  // namespace v1
}  // namespace ashlar

namespace tbb {

class tbb_exception : public std::exception {
 public:
  // A heap copy that takes over the contents, or null when there is no memory.
  virtual tbb_exception* move() noexcept = 0;
  // Ends an object made by move().
  virtual void destroy() noexcept = 0;
  // Throws *this as its most derived type.
  virtual void throw_self() = 0;
  // The (mangled) type name of the original exception.
  virtual char const* name() const noexcept = 0;
  char const* what() const noexcept override = 0;

  void operator delete(void* p) noexcept { std::free(p); }

 private:
  // Objects of a derived type are made by move() only.
  void* operator new(std::size_t) = delete;
};

// Carries the name and the text of an exception whose type could not be kept.
class captured_exception : public tbb_exception {
 public:
  captured_exception(captured_exception const& other) : tbb_exception(other) { set(other.name_, other.info_); }
  captured_exception(char const* name, char const* info) { set(name, info); }
  ~captured_exception() noexcept override { clear(); }
  captured_exception& operator=(captured_exception const& other) {
    set(other.name_, other.info_);
    return *this;
  }

  captured_exception* move() noexcept override {
    void* const memory = std::malloc(sizeof(captured_exception));
    if (memory == nullptr) {
      return nullptr;
    }
    auto* const moved = ::new (memory) captured_exception();
    moved->name_ = name_;
    moved->info_ = info_;
    moved->dynamic_ = true;
    name_ = nullptr;
    info_ = nullptr;
    return moved;
  }
  void destroy() noexcept override {
    ASHLAR_ASSERT(dynamic_, "destroy() is for exceptions made by move()");
    if (dynamic_) {
      this->~captured_exception();
      std::free(this);
    }
  }
  void throw_self() override { ::ashlar::throw_copy(*this); }

  char const* name() const noexcept override { return name_; }
  char const* what() const noexcept override { return info_; }

  // Keeps copies of both texts; either may be null, and is null when there is no memory.
  void set(char const* name, char const* info) noexcept {
    char* const new_name = duplicate(name);
    char* const new_info = duplicate(info);
    clear();
    name_ = new_name;
    info_ = new_info;
  }
  void clear() noexcept {
    std::free(name_);
    std::free(info_);
    name_ = nullptr;
    info_ = nullptr;
  }

 private:
  captured_exception() = default;

  static char* duplicate(char const* text) noexcept {
    if (text == nullptr) {
      return nullptr;
    }
    std::size_t const bytes = std::strlen(text) + 1;
    void* const copy = std::malloc(bytes);
    return copy != nullptr ? static_cast<char*>(std::memcpy(copy, text, bytes)) : nullptr;
  }

  char* name_ = nullptr;
  char* info_ = nullptr;
  bool dynamic_ = false;
};

// Carries a value of the user's type.
template <typename ExceptionData>
class movable_exception : public tbb_exception {
 public:
  movable_exception(ExceptionData const& data) : exception_data_(data) {}  // NOLINT: implicit
  movable_exception(movable_exception const& other) noexcept
      : tbb_exception(other), exception_data_(other.exception_data_) {}
  movable_exception const& operator=(movable_exception const& other) {
    exception_data_ = other.exception_data_;
    return *this;
  }

  ExceptionData& data() noexcept { return exception_data_; }
  ExceptionData const& data() const noexcept { return exception_data_; }

  char const* name() const noexcept override {
#if defined(__GXX_RTTI) || (defined(__cpp_rtti) && __cpp_rtti)
    return typeid(movable_exception).name();
#else
    return "tbb::movable_exception";
#endif
  }
  char const* what() const noexcept override { return "tbb::movable_exception"; }

  movable_exception* move() noexcept override {
    void* const memory = std::malloc(sizeof(movable_exception));
    if (memory == nullptr) {
      return nullptr;
    }
    auto* const moved = ::new (memory) movable_exception(*this);
    moved->dynamic_ = true;
    return moved;
  }
  void destroy() noexcept override {
    ASHLAR_ASSERT(dynamic_, "destroy() is for exceptions made by move()");
    if (dynamic_) {
      this->~movable_exception();
      std::free(this);
    }
  }
  void throw_self() override { ::ashlar::throw_copy(*this); }

 protected:
  ExceptionData exception_data_;

 private:
  bool dynamic_ = false;
};

}  // namespace tbb
