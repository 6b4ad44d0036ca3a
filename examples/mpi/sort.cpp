// SPDX-License-Identifier: Apache-2.0
// A distributed sort by sampling: each rank sorts its numbers with its threads, the ranks agree on borders by samples,
// send each other what belongs there, and sort again. Checks that nothing is lost and that all is in order, within
// ranks and from rank to rank.
#include <mpi.h>
#include <tbb/parallel_sort.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

int const count = 200000, samples = 64;

int main(int argc, char** argv) {
  int granted, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  std::vector<std::uint64_t> mine(count);
  std::uint64_t state = rank + 1;
  for (std::uint64_t& x : mine) x = (state = state * 6364136223846793005u + 1442695040888963407u) >> 11;
  std::uint64_t const sum_before = std::accumulate(mine.begin(), mine.end(), std::uint64_t(0));
  tbb::parallel_sort(mine);

  std::vector<std::uint64_t> few(samples), all(samples * ranks);
  for (int i = 0; i < samples; ++i) few[i] = mine[std::size_t(i) * count / samples];
  MPI_Allgather(few.data(), samples, MPI_UINT64_T, all.data(), samples, MPI_UINT64_T, MPI_COMM_WORLD);
  tbb::parallel_sort(all);

  std::vector<int> send(ranks), receive(ranks), from(ranks + 1), to(ranks + 1);
  for (int r = 0; r < ranks; ++r) {
    auto const end = r + 1 == ranks ? mine.end() : std::lower_bound(mine.begin(), mine.end(), all[(r + 1) * samples]);
    from[r + 1] = int(end - mine.begin());
    send[r] = from[r + 1] - from[r];
  }
  MPI_Alltoall(send.data(), 1, MPI_INT, receive.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::partial_sum(receive.begin(), receive.end(), to.begin() + 1);
  std::vector<std::uint64_t> sorted(to[ranks]);
  MPI_Alltoallv(mine.data(), send.data(), from.data(), MPI_UINT64_T, sorted.data(), receive.data(), to.data(),
                MPI_UINT64_T, MPI_COMM_WORLD);
  tbb::parallel_sort(sorted);

  // The next rank's least is not below this one's greatest; sums and numbers are the same as before.
  std::uint64_t const least = sorted.empty() ? ~std::uint64_t(0) : sorted.front(),
                      greatest = sorted.empty() ? 0 : sorted.back();
  std::vector<std::uint64_t> leasts(ranks), greatests(ranks);
  MPI_Allgather(&least, 1, MPI_UINT64_T, leasts.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  MPI_Allgather(&greatest, 1, MPI_UINT64_T, greatests.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  std::uint64_t const now[2] = {std::accumulate(sorted.begin(), sorted.end(), std::uint64_t(0)), sorted.size()};
  std::uint64_t const before[2] = {sum_before, count};
  std::uint64_t sums_now[2], sums_before[2];
  MPI_Allreduce(now, sums_now, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(before, sums_before, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  bool right =
      std::is_sorted(sorted.begin(), sorted.end()) && sums_now[0] == sums_before[0] && sums_now[1] == sums_before[1];
  for (int r = 0; r + 1 < ranks; ++r) right = right && greatests[r] <= leasts[r + 1];
  std::printf("rank %d: %zu numbers, %s\n", rank, sorted.size(), right ? "in order" : "WRONG");
  MPI_Finalize();
  return right ? 0 : 1;
}
