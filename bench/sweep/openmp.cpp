// SPDX-License-Identifier: Apache-2.0
// The sites that OpenMP has, too.
#include <omp.h>

#include "sweep.h"

namespace {

using sweep::body;

long loops(long units, long length) {
  long done = 0;
  for (; done < units; done += length) {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < length; ++i) body();
  }
  return done;
}

void tree(int depth) {
  if (depth == 0) return body();
#pragma omp task
  tree(depth - 1);
  tree(depth - 1);
#pragma omp taskwait
}

std::vector<sweep::site> sites() {
  return {
      {"for-index",
       [](long n) {
#pragma omp parallel for schedule(guided)
         for (long i = 0; i < n; ++i) body();
         return n;
       }},
      {"for-simple",
       [](long n) {
#pragma omp parallel for schedule(dynamic, 1)
         for (long i = 0; i < n; ++i) body();
         return n;
       }},
      {"for-static", [](long n) { return loops(n, n); }},
      {"for-4", [](long n) { return loops(n, 4); }},
      {"for-16", [](long n) { return loops(n, 16); }},
      {"reduce-32",
       [](long n) {
         long done = 0;
         for (; done < n; done += 32) {
           long sum = 0;
#pragma omp parallel for reduction(+ : sum)
           for (long i = 0; i < 32; ++i) {
             body();
             ++sum;
           }
         }
         return done;
       }},
      {"group-flat",
       [](long n) {
#pragma omp parallel
#pragma omp single
         for (long i = 0; i < n; ++i) {
#pragma omp task
           body();
         }
         return n;
       }},
      {"group-tree",
       [](long n) {
         int depth = 6;
         while (2L << depth <= n) ++depth;
#pragma omp parallel
#pragma omp single
         tree(depth);
         return 1L << depth;
       }},
  };
}

}  // namespace

int main(int argc, char** argv) {
  sweep::options const o = sweep::parse(argc, argv);
  omp_set_num_threads(o.threads);
  return sweep::measure_all(o, sites());
}
