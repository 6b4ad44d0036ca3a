// SPDX-License-Identifier: Apache-2.0
// What the compiler and the language offer, as macros of both TBBs tell it; every public header defines them.
#pragma once

#ifdef __x86_64__
#define __TBB_x86_64 1
#else
#define __TBB_generic_arch 1
#endif
#define __TBB_LANG __cplusplus
#define __TBB_CPP11_PRESENT 1
#define __TBB_CPP14_PRESENT 1
#define __TBB_CPP17_PRESENT 1
#define __TBB_CPP20_PRESENT (__cplusplus >= 202002L)
#define __TBB_GCC_VERSION (__GNUC__ * 10000 + __GNUC_MINOR__ * 100 + __GNUC_PATCHLEVEL__)
#ifdef __clang__
#define __TBB_CLANG_VERSION (__clang_major__ * 10000 + __clang_minor__ * 100 + __clang_patchlevel__)
#endif
#ifdef TBB_USE_GLIBCXX_VERSION
#define __TBB_GLIBCXX_VERSION TBB_USE_GLIBCXX_VERSION
#elif defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE != __GNUC__
#define __TBB_GLIBCXX_VERSION (_GLIBCXX_RELEASE * 10000)
#elif defined(__GLIBCXX__)
#define __TBB_GLIBCXX_VERSION __TBB_GCC_VERSION
#endif
#if defined(__cpp_rtti) || defined(__GXX_RTTI)
#define __TBB_USE_OPTIONAL_RTTI 1
#else
#define __TBB_USE_OPTIONAL_RTTI 0
#endif
#define __TBB_CPP14_INTEGER_SEQUENCE_PRESENT 1
#define __TBB_CPP14_VARIABLE_TEMPLATES_PRESENT 1
#define __TBB_CPP14_GENERIC_LAMBDAS_PRESENT 1
#define __TBB_CPP17_DEDUCTION_GUIDES_PRESENT 1
#define __TBB_CPP17_INVOKE_PRESENT 1
#define __TBB_CPP17_INVOKE_RESULT_PRESENT 1
#define __TBB_CPP17_FALLTHROUGH_PRESENT 1
#define __TBB_CPP17_NODISCARD_PRESENT 1
#define __TBB_CPP17_LOGICAL_OPERATIONS_PRESENT 1
#define __TBB_CPP17_ALLOCATOR_IS_ALWAYS_EQUAL_PRESENT 1
#define __TBB_CPP17_IS_SWAPPABLE_PRESENT 1
#define __TBB_CPP17_MEMORY_RESOURCE_PRESENT 1
#define __TBB_CPP17_UNCAUGHT_EXCEPTIONS_PRESENT 1
#define __TBB_CPP11_TYPE_PROPERTIES_PRESENT 1
#define __TBB_CPP11_GET_NEW_HANDLER_PRESENT 1
#if defined(__cpp_lib_hardware_interference_size)
#define __TBB_CPP17_HW_INTERFERENCE_SIZE_PRESENT 1
#else
#define __TBB_CPP17_HW_INTERFERENCE_SIZE_PRESENT 0
#endif
#if defined(__cpp_concepts) && __cpp_concepts >= 201907L && defined(__cpp_lib_concepts)
#define __TBB_CPP20_CONCEPTS_PRESENT 1
#define __TBB_requires(...) requires __VA_ARGS__
#else
#define __TBB_CPP20_CONCEPTS_PRESENT 0
#define __TBB_requires(...)
#endif
#if defined(__cpp_impl_three_way_comparison) && defined(__cpp_lib_three_way_comparison)
#define __TBB_CPP20_COMPARISONS_PRESENT 1
#else
#define __TBB_CPP20_COMPARISONS_PRESENT 0
#endif
#define __TBB_fallthrough [[fallthrough]]
#define __TBB_nodiscard [[nodiscard]]
#define __TBB_DEPRECATED
#define __TBB_DEPRECATED_MSG(message)
#define __TBB_EXPORTED_FUNC
#define __TBB_EXPORTED_METHOD
#define __TBB_NOINLINE(declaration) declaration __attribute__((noinline))
#define __TBB_STRING_AUX(x) #x
#define __TBB_STRING(x) __TBB_STRING_AUX(x)
#define __TBB_CONCAT_AUX(a, b) a##b
#define __TBB_CONCAT(a, b) __TBB_CONCAT_AUX(a, b)
#define __TBB_STRINGIZE(x) __TBB_STRING(x)

// ---- what TBB 2020 asks for one by one, since it compiles with C++98 as well
#define __TBB_64BIT_ATOMICS 1
#define __TBB_ALIGNAS_PRESENT 1
#define __TBB_ALLOCATOR_CONSTRUCT_VARIADIC 1
#define __TBB_ALLOCATOR_TRAITS_PRESENT 1
#define __TBB_ATOMIC_CTORS 1
#define __TBB_CONCURRENT_ORDERED_CONTAINERS_PRESENT 1
#define __TBB_CONSTEXPR_PRESENT 1
#define __TBB_CPP11_ARRAY_PRESENT 1
#define __TBB_CPP11_AUTO_PRESENT 1
#define __TBB_CPP11_DECLTYPE_PRESENT 1
#define __TBB_CPP11_DEFAULT_FUNC_TEMPLATE_ARGS_PRESENT 1
#define __TBB_CPP11_FUTURE_PRESENT 1
#define __TBB_CPP11_IS_COPY_CONSTRUCTIBLE_PRESENT 1
#define __TBB_CPP11_LAMBDAS_PRESENT 1
#define __TBB_CPP11_RVALUE_REF_PRESENT 1
#define __TBB_CPP11_SMART_POINTERS_PRESENT 1
#define __TBB_CPP11_STD_BEGIN_END_PRESENT 1
#define __TBB_CPP11_TEMPLATE_ALIASES_PRESENT 1
#define __TBB_CPP11_TUPLE_PRESENT 1
#define __TBB_CPP11_VARIADIC_FIXED_LENGTH_EXP_PRESENT 1
#define __TBB_CPP11_VARIADIC_TEMPLATES_PRESENT 1
#define __TBB_CPP11_VARIADIC_TUPLE_PRESENT 1
#define __TBB_CPU_CTL_ENV_PRESENT 1
#define __TBB_DEFAULTED_AND_DELETED_FUNC_PRESENT 1
#define __TBB_ETS_USE_CPP11 1
#define __TBB_EXCEPTION_PTR_PRESENT 1
#define __TBB_FALLTHROUGH_PRESENT 1
#define __TBB_FLOW_GRAPH_CPP11_FEATURES 1
#define __TBB_IMPLICIT_MOVE_PRESENT 1
#define __TBB_INITIALIZER_LISTS_PRESENT 1
#define __TBB_MAKE_EXCEPTION_PTR_PRESENT 1
#define __TBB_MOVE_IF_NOEXCEPT_PRESENT 1
#define __TBB_NOEXCEPT_PRESENT 1
#define __TBB_OVERRIDE_PRESENT 1
#define __TBB_STATIC_ASSERT_PRESENT 1
#define __TBB_UNORDERED_NODE_HANDLE_PRESENT 1
#define __TBB_VARIADIC_PARALLEL_INVOKE 1
#define __TBB_WIN8UI_SUPPORT 0
#define __TBB_LONG_LONG long long
#define __TBB_FORWARDING_REF(type) type&&
#define __TBB_NOEXCEPT(condition) noexcept(condition)
#define __TBB_STATIC_ASSERT(condition, message) static_assert(condition, message)
#define __TBB_alignof(type) alignof(type)
#define __TBB_has_include __has_include
#define __TBB_override override
#if TBB_USE_EXCEPTIONS
#define __TBB_TRY try
#define __TBB_CATCH(declaration) catch (declaration)
#define __TBB_THROW(value) throw value
#define __TBB_RETHROW() throw
#else
#define __TBB_TRY
#define __TBB_CATCH(declaration) if (false)
#define __TBB_THROW(value) ((void)0)
#define __TBB_RETHROW() ((void)0)
#endif
