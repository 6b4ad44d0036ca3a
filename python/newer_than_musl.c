/* SPDX-License-Identifier: Apache-2.0 */
/* What libgcc and libstdc++ ask of glibc, for libraries that have them inside and run with musl (old_libraries.py). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/random.h>
#define HIDDEN __attribute__((visibility("hidden")))
/* Where the tables for unwinding from an address lie; libgcc asks for nothing else if it was built for glibc. The structure is
   glibc's dl_find_object. */
struct place {
  unsigned long long flags;
  void *begin, *end, *map, *tables;
  unsigned long long reserved[7];
};
struct search {
  uintptr_t at;
  struct place* found;
};
static int look(struct dl_phdr_info* module, size_t size, void* data) {
  struct search* what = data;
  uintptr_t tables = 0, begin = 0, end = 0;
  (void)size;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &module->dlpi_phdr[i];
    const uintptr_t at = module->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) tables = at;
    if (part->p_type == PT_LOAD && what->at - at < part->p_memsz) begin = at, end = at + part->p_memsz;
  }
  if (!begin || !tables) return 0;
  *what->found = (struct place){0, (void*)begin, (void*)end, 0, (void*)tables, {0}};
  return 1;
}
HIDDEN int _dl_find_object(void* at, struct place* found) {
  struct search what = {(uintptr_t)at, found};
  return dl_iterate_phdr(look, &what) == 1 ? 0 : -1;
}

/* Destructors of thread_local objects, the last one first. */
struct ending {
  void (*call)(void*);
  void* object;
  struct ending* next;
};
static __thread struct ending* endings;
static pthread_key_t key;
static pthread_once_t made = PTHREAD_ONCE_INIT;
static void run_endings(void* unused) {
  (void)unused;
  while (endings) {
    struct ending* const first = endings;
    endings = first->next;
    first->call(first->object);
    free(first);
  }
}
static void end_main_thread(void) { run_endings(0); }
static void make_key(void) {
  pthread_key_create(&key, run_endings);
  atexit(end_main_thread);
}
HIDDEN int __cxa_thread_atexit_impl(void (*call)(void*), void* object, void* module) {
  struct ending* const newest = malloc(sizeof *newest);
  (void)module;
  if (!newest) return -1;
  pthread_once(&made, make_key);
  pthread_setspecific(key, &key);
  *newest = (struct ending){call, object, endings};
  endings = newest;
  return 0;
}

/* The exceptions that a thread handles. With the program's libstdc++ they are handled in its code and stored by ours. */
static __thread struct {
  void* caught;
  unsigned uncaught;
} own_globals;
typedef void* get_globals(void);
static get_globals* programs_globals;
static pthread_once_t looked = PTHREAD_ONCE_INIT;
static void look_for_globals(void) { programs_globals = (get_globals*)dlsym(RTLD_DEFAULT, "__cxa_get_globals"); }
HIDDEN void* __cxa_get_globals(void) {
  pthread_once(&looked, look_for_globals);
  return programs_globals ? programs_globals() : &own_globals;
}
HIDDEN void* __cxa_get_globals_fast(void) { return __cxa_get_globals(); }

/* libgcc's, on Arm: which atomic instructions there are. */
HIDDEN unsigned long __getauxval(unsigned long kind) { return getauxval(kind); }

/* std::random_device */
HIDDEN unsigned arc4random(void) {
  unsigned n = 0;
  return getrandom(&n, sizeof n, 0) == sizeof n ? n : (unsigned)(uintptr_t)&n;
}
