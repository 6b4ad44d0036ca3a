// SPDX-License-Identifier: Apache-2.0
// Macros with which programs written for classic TBB ask what the compiler can do, and those that stand for keywords.
// It compiles with TBB 2020's own headers as well, so it states TBB's interface and not ours. Compiled only.
#include <tbb/tbb.h>

#include <utility>

#if !__TBB_CPP11_RVALUE_REF_PRESENT || !__TBB_CPP11_VARIADIC_TEMPLATES_PRESENT || !__TBB_CPP11_LAMBDAS_PRESENT || \
    !__TBB_CPP11_TUPLE_PRESENT || !__TBB_CPP11_AUTO_PRESENT || !__TBB_CPP11_DECLTYPE_PRESENT ||                   \
    !__TBB_CPP11_SMART_POINTERS_PRESENT || !__TBB_CPP11_ARRAY_PRESENT || !__TBB_CPP11_FUTURE_PRESENT ||           \
    !__TBB_CPP11_STD_BEGIN_END_PRESENT || !__TBB_CPP11_TEMPLATE_ALIASES_PRESENT ||                                \
    !__TBB_CPP11_DEFAULT_FUNC_TEMPLATE_ARGS_PRESENT || !__TBB_CPP11_IS_COPY_CONSTRUCTIBLE_PRESENT ||              \
    !__TBB_CPP11_VARIADIC_FIXED_LENGTH_EXP_PRESENT || !__TBB_CPP11_VARIADIC_TUPLE_PRESENT
#error "a part of C++11 is there and not told"
#endif
#if !__TBB_EXCEPTION_PTR_PRESENT || !__TBB_STATIC_ASSERT_PRESENT || !__TBB_INITIALIZER_LISTS_PRESENT ||             \
    !__TBB_CONSTEXPR_PRESENT || !__TBB_NOEXCEPT_PRESENT || !__TBB_OVERRIDE_PRESENT || !__TBB_ALIGNAS_PRESENT ||     \
    !__TBB_ALLOCATOR_TRAITS_PRESENT || !__TBB_IMPLICIT_MOVE_PRESENT || !__TBB_DEFAULTED_AND_DELETED_FUNC_PRESENT || \
    !__TBB_MOVE_IF_NOEXCEPT_PRESENT || !__TBB_MAKE_EXCEPTION_PTR_PRESENT || !__TBB_ALLOCATOR_CONSTRUCT_VARIADIC ||  \
    !__TBB_CONCURRENT_ORDERED_CONTAINERS_PRESENT || !__TBB_UNORDERED_NODE_HANDLE_PRESENT || !__TBB_ATOMIC_CTORS ||  \
    !__TBB_64BIT_ATOMICS || !__TBB_ETS_USE_CPP11 || !__TBB_FLOW_GRAPH_CPP11_FEATURES || !__TBB_CPU_CTL_ENV_PRESENT
#error "a feature is there and not told"
#endif

namespace {

struct base {
  virtual ~base() = default;
  virtual __TBB_LONG_LONG size() const __TBB_NOEXCEPT(true) { return __TBB_alignof(int); }
};
struct derived : base {
  __TBB_LONG_LONG size() const __TBB_NOEXCEPT(true) __TBB_override { return 1; }
};
__TBB_STATIC_ASSERT(!__TBB_WIN8UI_SUPPORT, "not on this system");
__TBB_STATIC_ASSERT(sizeof(__TBB_STRINGIZE(TBB_VERSION_MAJOR)) == 5, "the value becomes a text");

template <typename T>
int forwarded(__TBB_FORWARDING_REF(T) value) {
  int result = 0;
  __TBB_TRY {
    if (value < 0) __TBB_THROW(value);
    result = std::forward<T>(value);
  }
  __TBB_CATCH(int) { result = -1; }
  __TBB_TRY { ++result; }
  __TBB_CATCH(...) { __TBB_RETHROW(); }
  return result;
}

}  // namespace

void use_macros();
void use_macros() { (void)(derived().size() + forwarded(1)); }
