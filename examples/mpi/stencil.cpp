// SPDX-License-Identifier: Apache-2.0
// Heat on a plate, cut into one strip of rows for each rank. In each step the border rows travel while the rows between
// are computed. Rank 0 computes the whole plate again alone and compares every number.
#include "messages.h"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#include <cstdio>

int const columns = 400, rows_of_a_rank = 100, steps = 50;
using strip = std::vector<double>;

void compute_row(strip const& from, strip& to, int row) {
  for (int c = 1; c < columns - 1; ++c) {
    int const i = row * columns + c;
    to[i] = 0.25 * (from[i - 1] + from[i + 1] + from[i - columns] + from[i + columns]);
  }
}

double begin(int row, int column) { return (row * 31 + column * 17) % 100; }

// All rows of a plate by one rank: the result to compare with.
strip alone(int rows) {
  strip now((rows + 2) * columns), next;
  for (int r = 1; r <= rows; ++r) {
    for (int c = 0; c < columns; ++c) now[r * columns + c] = begin(r - 1, c);
  }
  next = now;
  for (int step = 0; step < steps; ++step, now.swap(next)) {
    tbb::parallel_for(1, rows + 1, [&](int r) { compute_row(now, next, r); });
  }
  return now;
}

void exchange(messages& post, strip& now, int rank, int ranks) {
  tbb::task_group borders;
  for (int side : {-1, 1}) {
    int const other = rank + side, edge = side < 0 ? 1 : rows_of_a_rank, halo = edge + side;
    if (other < 0 || other >= ranks) continue;
    borders.run([&post, &now, other, halo] {
      post.await(
          [&](MPI_Request* r) { MPI_Irecv(&now[halo * columns], columns, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, r); });
    });
    borders.run([&post, &now, other, edge] {
      post.await(
          [&](MPI_Request* r) { MPI_Isend(&now[edge * columns], columns, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, r); });
    });
  }
  borders.wait();
}

int main(int argc, char** argv) {
  int granted, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  strip now((rows_of_a_rank + 2) * columns), next;
  for (int r = 1; r <= rows_of_a_rank; ++r) {
    for (int c = 0; c < columns; ++c) now[r * columns + c] = begin(rank * rows_of_a_rank + r - 1, c);
  }
  next = now;
  messages post;
  post.run([&] {
    for (int step = 0; step < steps; ++step, now.swap(next)) {
      tbb::task_group communication;
      communication.run([&] { exchange(post, now, rank, ranks); });
      tbb::parallel_for(2, rows_of_a_rank, [&](int r) { compute_row(now, next, r); });
      communication.wait();
      compute_row(now, next, 1);
      compute_row(now, next, rows_of_a_rank);
    }
  });
  int const count = rows_of_a_rank * columns;
  strip whole(rank == 0 ? std::size_t(count) * ranks : 0);
  MPI_Gather(&now[columns], count, MPI_DOUBLE, whole.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank != 0) return 0;
  strip const expected = alone(rows_of_a_rank * ranks);
  long different = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) different += whole[i] != expected[i + columns];
  std::printf("%d ranks of %d threads, %zu numbers, %ld different\n", ranks, tbb::info::default_concurrency(),
              whole.size(), different);
  return different == 0 ? 0 : 1;
}
