// SPDX-License-Identifier: Apache-2.0
// The user's part of the demangled name of a job's code: the job's type is a nest of the library's templates around the
// user's function.
#pragma once

#include <string>
#include <string_view>

namespace ashlar {
inline namespace v1 {
namespace obs {

// "fork_job<fib(int)::{lambda()#2}>::run_stolen(…)" becomes "fib(int)::{lambda()#2}". Where no function of the user's
// is in it, the construct and what it works on: "parallel_sort of int". A name that is not the library's stays as it
// is.
std::string user_part(std::string const& demangled);

// Lists of parameters and template arguments of more than 40 characters become "…"; the name as it is if its brackets
// don't match.
std::string shortened(std::string const& name);

// The demangled name. Compilers mangle some lambdas so that nothing can read them: of such a name, a function or lambda
// that can be read and that is not the library's, or else the name as it is.
std::string demangled(std::string const& mangled);

// Which argument of the library's template is the user's function; -1 if that is not laid down.
int function_argument(std::string_view template_name);

}  // namespace obs
}  // namespace v1
}  // namespace ashlar
