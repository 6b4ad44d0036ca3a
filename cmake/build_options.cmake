# SPDX-License-Identifier: Apache-2.0
# Compiler settings: ashlar_options is linked by everything of this project and by nothing that is installed.

add_library(ashlar_options INTERFACE)
target_compile_options(ashlar_options INTERFACE -Wall -Wextra)
# Our own code includes what it uses; what TBB's headers bring along would double its build time.
target_compile_definitions(ashlar_options INTERFACE ASHLAR_LEAN_HEADERS=1)
if(ASHLAR_WERROR)
  target_compile_options(ashlar_options INTERFACE -Werror)
endif()
if(ASHLAR_ASSERTIONS)
  target_compile_definitions(ashlar_options INTERFACE TBB_USE_ASSERT=1)
endif()
if(ASHLAR_SANITIZE)
  target_compile_options(ashlar_options INTERFACE -fsanitize=${ASHLAR_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(ashlar_options INTERFACE -fsanitize=${ASHLAR_SANITIZE})
  if(ASHLAR_SANITIZE MATCHES thread)
    target_compile_definitions(ashlar_options INTERFACE ASHLAR_TSAN_EDGES=0)  # the sanitizer sees the library itself
  endif()
  if(ASHLAR_SANITIZE MATCHES undefined)
    target_compile_options(ashlar_options INTERFACE -fno-sanitize-recover=undefined)
  endif()
  if(ASHLAR_SANITIZE MATCHES address)
    target_compile_definitions(ashlar_options INTERFACE _GLIBCXX_ASSERTIONS)
  endif()
endif()
