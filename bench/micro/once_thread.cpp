// SPDX-License-Identifier: Apache-2.0
// once.cpp's process with a second thread and nothing else: the floor for a library that runs the loop on two.
#include <thread>
#include <vector>

namespace {

constexpr int n = 1000;
std::vector<int> squares(n);

void fill(int first, int last) {
  for (int i = first; i != last; ++i) {
    squares[static_cast<std::size_t>(i)] = i * i;
  }
}

}  // namespace

int main() {
  std::thread second([] { fill(0, n / 2); });
  fill(n / 2, n);
  second.join();
  for (int i = 0; i != n; ++i) {
    if (squares[static_cast<std::size_t>(i)] != i * i) {
      return 1;
    }
  }
  return 0;
}
