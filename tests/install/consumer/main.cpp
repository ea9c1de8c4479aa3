// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/install/consumer/main.cpp: a user's program.
#include <weft/weft.h>

#include <cstdio>

int main() {
  const weft::Array x = weft::array({1., 2., 3.});
  const float sum = weft::jit([](weft::Array a) { return (a * a).sum(); })(x).item<float>();
  std::printf("sum of squares: %g\n", sum);
  return sum == 14 ? 0 : 1;
}
