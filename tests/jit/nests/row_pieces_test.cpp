// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/nests/row_pieces_test.cpp: rows that are put together are written part by part.
#include <random>
#include <string>
#include <vector>

#include "support/reference.h"
#include "support/share.h"

using namespace weft;
using namespace weft::test;

namespace {

template <class F>
std::string kernels(const F& f, const Array& x) {
  same(f, x);
  return jit(f).lower(x).kernels();
}

}  // namespace

TEST_CASE("each part of a stored row has a loop of its own", "[jit][rows]") {
  for (DType d : {Bool, I8, F32, F64})
    for (int64_t n : {39, 64, 65})
      for (int axis : {1, 2}) {
        INFO(n << " elements, axis " << axis << ", dtype " << static_cast<int>(d));
        const auto moved = [=](Array x) { return x == roll(x, 5, axis); };
        const std::string k = kernels(moved, numbers({50, n, n - 1}, d));
        INFO(k);
        CHECK(count(k, " smin i64 ") == 0);
        CHECK(count(k, " select ") == 0);
        CHECK(count(k, "for_each") >= 2);
      }
  const auto padded = [](Array x) {
    return lax::pad(x * x, zeros({}, x.dtype()), {{0, 0, 0}, {3, 2, 0}});
  };
  CHECK(count(kernels(padded, numbers({50, 40}, F32)), " select ") == 0);
}

TEST_CASE("parts of several axes that are one are loops over blocks", "[jit][rows]") {
  for (int64_t n : {25, 26, 31}) {
    const auto joined = [](Array x) {
      const Array parts = concatenate(
          {x * 2, lax::slice_in_dim(x, 0, 5, 1, 3), lax::slice_in_dim(x, 1, 6, 1, 3) + x.max()}, 3);
      return parts.reshape({x.shape()[0], -1});
    };
    const std::string k = kernels(joined, numbers({64, 2, 5, n}, F32));
    INFO(k);
    CHECK(count(k, " srem i64 ") == 0);
    CHECK(count(k, "for_each") >= 3);
  }
}

TEST_CASE("pieces of rows have the results of whole rows", "[jit][rows][share]") {
  Share share(30);
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto f = [seed](Array x) {
      std::mt19937 g(seed);
      for (int step = 0; step < 3; ++step) {
        const int axis = 1 + static_cast<int>(g() % (x.ndim() - 1));
        const int64_t n = x.shape()[axis];
        const auto at = static_cast<int64_t>(g() % (n + 1));
        switch (g() % 5) {
          case 0: x = x + roll(x, static_cast<int>(at), axis) * 3; break;
          case 1:
            x = concatenate(
                {lax::slice_in_dim(x, at, n, 1, axis), x * 5, lax::slice_in_dim(x, 0, at, 1, axis)},
                axis);
            break;
          case 2: {
            std::vector<lax::PadAxis> pads(x.ndim());
            pads[axis] = {static_cast<int64_t>(g() % 4), static_cast<int64_t>(g() % 3),
                          static_cast<int64_t>(g() % 2)};
            x = lax::pad(x, ones({}, x.dtype()), pads);
            break;
          }
          case 3: x = stack({x, flip(x, axis)}, axis); break;
          default: x = x.reshape({x.shape()[0], -1});
        }
        if (x.ndim() == 1) return x;
      }
      return x;
    };
    for (DType d : {I32, F32})
      for (const std::vector<int64_t>& s :
           {std::vector<int64_t>{20, 61}, {17, 3, 18}, {64, 2, 5, 7}, {3, 16, 16}}) {
        if (!share.next()) continue;
        INFO("seed " << seed << ", " << s.size() << " axes");
        same(f, numbers(s, d));
      }
  }
}
