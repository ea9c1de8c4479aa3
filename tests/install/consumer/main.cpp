// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/install/consumer/main.cpp: a user's program; uses the whole library once it has a face.
#include <cstdio>

#if __has_include(<weft/weft.h>)
#include <weft/weft.h>
#else
#include <weft/core/loops/nest.h>
#endif

int main() {
#if __has_include(<weft/weft.h>)
  const weft::Array x = weft::array({1., 2., 3.});
  const float sum = weft::jit([](weft::Array a) { return (a * a).sum(); })(x).item<float>();
  std::printf("sum of squares: %g\n", sum);
  return sum == 14 ? 0 : 1;
#else
  const std::string text = weft::nest::print(weft::nest::Builder("f").finish(1, 0, {}));
  std::printf("%s\n", text.c_str());
  return text.empty() ? 1 : 0;
#endif
}
